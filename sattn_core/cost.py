"""Count the work of a computation before it is run: the numbers that it goes over, and the bytes that it holds."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

# A number that +, −, ×, ÷, √, a comparison or a sum goes over counts 1. What takes many times as long counts more:
CALL = 2_500  # a call of NumPy, however few numbers it is given
STREAM = 15 * CALL  # a new generator with a seed of its own
FUNCTION = 4  # a value of exp, log or another function
SORTED = 16  # a number that is sorted, or put on its side of a median
MATRIX = 200  # a product of two matrices however small, also in a stack of them
MULTIPLIED = 2 / 15  # a multiplication with its addition in it
# a random number, by the method of NumPy's Generator that draws it
DRAWN = MappingProxyType(
    {
        "standard_normal": 20, "random": 5, "uniform": 5, "integers": 5, "standard_exponential": 10, "standard_t": 60,
        "standard_gamma": 40, "chisquare": 40, "binomial": 60, "hypergeometric": 200, "permutation": 20, "permuted": 20,
    }
)  # fmt: skip


@dataclass(frozen=True)
class Price:
    """The counted work of a computation; ``a + b`` is a and then b.

    How many seconds a number takes depends on the machine, of which the core knows nothing. What has no price is cheap
    at any settings.
    """

    numbers: float = 0.0
    bytes: int = 0  # largest extra memory held at one time

    def __add__(self, other: "Price") -> "Price":
        return Price(self.numbers + other.numbers, max(self.bytes, other.bytes))


def proceed() -> None:
    """Do nothing: the default `check`, which a long computation calls between blocks.

    A caller that wants to end the computation passes a function that raises instead.
    """


def priced(price: Callable[..., Price]) -> Callable[[_Function], _Function]:
    """Give the decorated function a price: `price` takes the same arguments."""

    def with_price(function: _Function) -> _Function:
        function.price = price  # type: ignore[attr-defined]
        return function

    return with_price
