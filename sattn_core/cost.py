"""Counted work of a computation before it runs: numbers processed and bytes held."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Work per operation; each number in +, −, ×, ÷, √, a comparison or a sum counts 1.
CALL = 2_500  # one call of NumPy, even on few numbers
STREAM = 15 * CALL  # a new random generator
FUNCTION = 4  # one value of exp, log or another function
SORTED = 16  # a number that is sorted or partitioned
MATRIX = 200  # one product of two matrices, even small ones, also inside a stack
MULTIPLIED = 2 / 15  # a multiply–add inside a matrix product
# Work per random number, by the method of numpy.random.Generator that draws it.
DRAWN = MappingProxyType(
    {
        "standard_normal": 20, "random": 5, "uniform": 5, "integers": 5, "standard_exponential": 10, "standard_t": 60,
        "standard_gamma": 40, "chisquare": 40, "binomial": 60, "hypergeometric": 200, "permutation": 20, "permuted": 20,
    }
)  # fmt: skip


@dataclass(frozen=True)
class Price:
    """Counted work of a computation; ``a + b`` is the price of a followed by b.

    It does not count seconds, which depend on the machine. A function without a price is cheap for all arguments.
    """

    numbers: float = 0.0
    bytes: int = 0  # peak of extra memory

    def __add__(self, other: "Price") -> "Price":
        return Price(self.numbers + other.numbers, max(self.bytes, other.bytes))


def proceed() -> None:
    """Do nothing: the default `check`, which a long computation calls between blocks of work.

    To end the computation early, a caller passes a function that raises.
    """


def priced(price: Callable[..., Price]) -> Callable[[_Function], _Function]:
    """Attach the attribute `price` to the decorated function; the price takes the function's arguments."""

    def with_price(function: _Function) -> _Function:
        function.price = price  # type: ignore[attr-defined]
        return function

    return with_price
