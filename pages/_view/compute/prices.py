"""Prices of computations: a computation's own price, or the maximum declared by its lesson.

Tests compare both with the counted work, at both ends of every control's range.
"""

from collections.abc import Callable
from typing import Any

from pages._view.compute.rates import REFERENCE
from sattn_core.cost import Price

SMALL = Price(0.05 / REFERENCE, 10_000_000)  # price of a computation without a price or a declared maximum
_MOST: dict[Callable[..., Any], Price] = {}


def at_most(function: Callable[..., Any], seconds: float, megabytes: int) -> None:
    """Declare the highest cost, at any settings, of a computation without a price."""
    _MOST[function] = Price(seconds / REFERENCE, 1_000_000 * megabytes)


def price_of(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Price:
    """Return the price of a call, or its maximum."""
    if hasattr(function, "price"):
        price: Price = function.price(*args, **kwargs)
        return price
    return _MOST.get(function, SMALL)
