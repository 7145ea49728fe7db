"""Prices of computations: the one that a computation has itself, or the maximum that its lesson states.

Both are checked beside what is really done, at all ends of all controls.
"""

from collections.abc import Callable
from typing import Any

from pages._view.compute.rates import REFERENCE
from sattn_core.cost import Price

SMALL = Price(0.05 / REFERENCE, 10_000_000)  # of what has no price and of which nothing is said
_MOST: dict[Callable[..., Any], Price] = {}


def at_most(function: Callable[..., Any], seconds: float, megabytes: int) -> None:
    """Say what a computation without a price takes at most, at any settings."""
    _MOST[function] = Price(seconds / REFERENCE, 1_000_000 * megabytes)


def price_of(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Price:
    """Return what a call takes at most."""
    if hasattr(function, "price"):
        price: Price = function.price(*args, **kwargs)
        return price
    return _MOST.get(function, SMALL)
