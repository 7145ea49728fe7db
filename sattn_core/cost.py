"""Count the work of a computation before it runs: the numbers that it processes, and the bytes that it holds."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

# One number in +, −, ×, ÷, √, a comparison or a sum counts 1. Slower work counts more:
CALL = 2_500  # a call of NumPy, however few numbers it is given
STREAM = 15 * CALL  # a new random generator
FUNCTION = 4  # a value of exp, log or another function
SORTED = 16  # a number that is sorted or partitioned
MATRIX = 200  # a product of two matrices, however small, each in a stack too
MULTIPLIED = 2 / 15  # a multiplication and its addition inside a matrix product
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

    Seconds depend on the machine, which the core does not know. A function without a price is cheap at any settings.
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
    """Attach a `price` to the decorated function; it takes the same arguments."""

    def with_price(function: _Function) -> _Function:
        function.price = price  # type: ignore[attr-defined]
        return function

    return with_price
