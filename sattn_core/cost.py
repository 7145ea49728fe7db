"""What a computation costs, and how one that runs long can be ended."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Price:
    """The estimated cost of a computation before it is run."""

    seconds: float  # CPU seconds on one core of the reference machine (about 3 GHz), correct to a factor of 2
    bytes: int  # Largest extra memory held at one time, correct to a factor of 2


def proceed() -> None:
    """Do nothing: the default `check`, which a long computation calls between blocks.

    A caller that wants to end the computation passes a function that raises instead.
    """


def priced(price: Callable[..., Price]) -> Callable[[_Function], _Function]:
    """Tell what a call of the decorated function costs: `price` takes the same arguments as the function."""

    def with_price(function: _Function) -> _Function:
        function.price = price  # type: ignore[attr-defined]
        return function

    return with_price


def price_of(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Price:
    """The price of a call: what its function tells by `priced`, or that of its params, the first argument."""
    if hasattr(function, "price"):
        return function.price(*args, **kwargs)
    if not args or not isinstance(getattr(args[0], "price", None), Price):
        raise TypeError(f"function must have a price, or params with one, but got {function.__qualname__}")
    return args[0].price
