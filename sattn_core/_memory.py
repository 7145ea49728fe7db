"""What the core remembers between calls, and the only place where it does.

Kept are numbers that depend on nothing but a few sizes and that cost many times what looking them up does:
quantiles of simulated matrices, nodes of a quadrature, tables of exact averages. A seed or an array is never
part of a key, so nothing that a caller draws or passes in is held. Every memory is bounded: it gives up what
was used longest ago. All of them full take less than 30 MB.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

MOST_ENTRIES = 4096


def remembered(most: int) -> Callable[[Callable[..., Any]], Any]:
    """Make a function keep its last `most` results, of 1 to 4,096; ``cache_clear()`` makes it forget them."""
    if not 1 <= most <= MOST_ENTRIES:
        raise ValueError(f"most must be between 1 and {MOST_ENTRIES}, but got {most}")
    return lru_cache(maxsize=most)
