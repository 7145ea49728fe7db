"""Decorator for the only caches of the core.

It caches numbers that depend on a few sizes only and cost much more to compute than to look up: quantiles of
simulated matrices, nodes of a quadrature, tables of exact averages. A seed or an array is never part of a key,
so nothing that a caller draws or passes in is kept. Every cache is bounded and drops its least recently used
entry. All caches together take less than 30 MB when full.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

MOST_ENTRIES = 4096


def remembered(most: int) -> Callable[[Callable[..., Any]], Any]:
    """Cache up to `most` results of a function (1 to 4,096); ``cache_clear()`` empties the cache."""
    if not 1 <= most <= MOST_ENTRIES:
        raise ValueError(f"most must be between 1 and {MOST_ENTRIES}, but got {most}")
    return lru_cache(maxsize=most)
