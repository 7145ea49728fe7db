"""What a computation costs, as counted work, and how one that runs long can be ended."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

# What one number drawn by a method of NumPy's Generator counts, in standard normal ones.
DRAWS = MappingProxyType(
    {
        "standard_normal": 1.0, "random": 0.25, "uniform": 0.25, "integers": 0.25, "standard_exponential": 0.5,
        "standard_t": 3.0, "standard_gamma": 2.0, "chisquare": 2.0, "binomial": 3.0, "hypergeometric": 10.0,
        "permutation": 1.0, "permuted": 1.0,
    }
)  # fmt: skip
# What one value of a function counts, in exponentials; any other than +, −, ×, ÷, √ and comparisons counts 1.
SPECIALS = MappingProxyType(
    {
        "power": 2.0, "hypot": 5.0, "ndtr": 10.0, "ndtri": 10.0, "log_ndtr": 20.0, "xlog1py": 10.0, "binom": 20.0,
        "stdtrit": 200.0, "kve": 300.0, "gammaincinv": 500.0, "gammainccinv": 500.0, "betaincinv": 500.0,
    }
)  # fmt: skip
SORTED = 16.0  # passes that a number takes to be sorted or put on its side of a median
MATRIX = 1_500.0  # products that multiplying two matrices takes however small they are, also in a stack of them
STREAM = 15.0  # calls that a new generator with a seed of its own takes


@dataclass(frozen=True, kw_only=True)
class Price:
    """The counted work of a computation before it is run, and the memory it takes.

    How many seconds that is depends on the machine, of which the core knows nothing. ``a + b`` is a and then b: the
    work of both and the larger memory. ``n * a`` is a, n times in turn.
    """

    calls: float = 0.0  # of NumPy: what each costs however few numbers it is given
    draws: float = 0.0  # random numbers, in standard normal ones; see `DRAWS`
    products: float = 0.0  # multiplications, each with its addition, in products of matrices; `MATRIX` more for each
    specials: float = 0.0  # values of exp, log and other functions, in exponentials; see `SPECIALS`
    passes: float = 0.0  # numbers that any other operation goes over: +, ÷, a comparison, a sum; a sort is `SORTED`
    bytes: int = 0  # largest extra memory held at one time

    def __add__(self, other: "Price") -> "Price":
        work = {kind: getattr(self, kind) + getattr(other, kind) for kind in KINDS}
        return Price(**work, bytes=max(self.bytes, other.bytes))

    def __rmul__(self, times: float) -> "Price":
        return Price(**{kind: times * getattr(self, kind) for kind in KINDS}, bytes=self.bytes)

    def holding(self, more: float) -> "Price":
        """The same work while this many further bytes are held."""
        return replace(self, bytes=self.bytes + round(more))


KINDS = ("calls", "draws", "products", "specials", "passes")  # of work


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
