"""Argument checks shared by all public functions.

Each error message names the argument, the rule and the value it got, so that it
can be shown to users unchanged. Numbers are checked once, on entry: a lesson
checks its params and then calls functions without checks.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Result = TypeVar("_Result", bound=ArrayLike)

MOST = 2**53  # float64 holds every integer up to this exactly


def _shown(value: object) -> str:
    """Return the value as short text, so that an error message stays one readable line."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def check_integer(name: str, value: object, low: int, high: int | None = MOST) -> int:
    """Return value as int if it is an integer in [low, high]."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer, but got {_shown(value)}")
    if value < low or (high is not None and value > high):  # type: ignore[operator]
        allowed = f"at least {low}" if value < low and high in (None, MOST) else f"between {low} and {high}"
        raise ValueError(f"{name} must be {allowed}, but got {_shown(value)}")
    return int(value)


def check_number(
    name: str,
    value: object,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return value as float if it is finite and inside the interval; a 0-d array counts as a number."""
    value = _plain_number(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a real number, but got {_shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    below = number <= low if open_low else number < low
    above = number >= high if open_high else number > high
    if not np.isfinite(number) or below or above:
        allowed = _interval(low, high, open_low, open_high)
        raise ValueError(f"{name} must be a finite number{allowed}, but got {_shown(value)}")
    return number


def _plain_number(value: object) -> object:
    """Return a real NumPy scalar or 0-d array, bfloat16 included, as a float; return other values unchanged."""
    if hasattr(value, "__array__"):
        try:
            array = np.asarray(value)
        except (TypeError, ValueError, RuntimeError):  # a tensor on another device, or with a gradient
            return value
        if array.ndim == 0 and (array.dtype.kind in "iuf" or _is_registered(array.dtype)):
            return array.astype(np.float64).item()
    return value


def _interval(low: float, high: float, open_low: bool, open_high: bool) -> str:
    """Return the interval in words; an empty string if it has no ends."""
    if np.isinf(low) and np.isinf(high):
        return ""
    if np.isinf(high):
        return f" {'above' if open_low else 'of at least'} {low:g}"
    if np.isinf(low):
        return f" {'below' if open_high else 'of at most'} {high:g}"
    return f" in {'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"


def check_array(
    name: str, value: ArrayLike, *, min_ndim: int = 0, ndim: int | None = None, min_length: int = 0
) -> NDArray[np.float64]:
    """Return value as a float64 array if its numbers are finite and its shape is allowed."""
    array = _real_array(name, value)
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)].flat[0]
        raise ValueError(f"{name} must hold finite numbers only, but got {bad}")
    return _shaped(name, array, min_ndim, ndim, min_length)


def check_scores(name: str, value: ArrayLike, axis: int = -1) -> NDArray[np.float64]:
    """Return value as float64 scores if each is finite or -inf (masked) and the axis is not empty."""
    array = _real_array(name, value)
    if np.isnan(array).any() or np.isposinf(array).any():
        bad = array[np.isnan(array) | np.isposinf(array)].flat[0]
        raise ValueError(f"{name} must be finite, or -inf where masked, but got {bad}")
    array = _shaped(name, array, 1, None, 0)
    if array.shape[check_integer("axis", axis, -array.ndim, array.ndim - 1)] == 0:
        raise ValueError(f"{name} must have at least 1 entry on axis {axis}, but got shape {array.shape}")
    return array


def require_finite(name: str, result: _Result) -> _Result:
    """Return result unless it has overflowed; its inputs are known to be finite."""
    if not np.isfinite(result).all():
        raise ValueError(f"{name} must be finite, but the inputs are so large that it overflows float64")
    return result


def broadcasts_to(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Return True if shape broadcasts to exactly the wanted shape."""
    try:
        return np.broadcast_shapes(shape, wanted) == wanted
    except ValueError:
        return False


def check_choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return value if it is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, but got {_shown(value)}")
    return value


def check_dims(dims: Iterable[int]) -> tuple[int, ...]:
    """Return dims as a tuple if they are strictly increasing integers, each at least 1."""
    if isinstance(dims, str) or not hasattr(dims, "__iter__"):
        raise TypeError(f"dims must be a sequence of integers, but got {dims!r}")
    dims = tuple(check_integer("an entry of dims", d_k, 1) for d_k in dims)
    if not dims:
        raise ValueError("dims must hold at least one dimension, but got ()")
    for before, after in pairwise(dims):
        if after <= before:
            raise ValueError(f"dims must be strictly increasing, but got {after} after {before}")
    return dims


def refuse_masked(name: str, value: object) -> None:
    """Raise ValueError for masked numbers, because NumPy would use the values under the mask."""
    for leaf in _leaves(value):
        if isinstance(leaf, np.ma.MaskedArray) and np.ma.is_masked(leaf):
            raise ValueError(f"{name} must have no masked numbers, but got {np.ma.count_masked(leaf)}")


def refuse_large_integers(name: str, value: object) -> None:
    """Raise ValueError for integers that float64 cannot tell from their neighbours."""
    for leaf in _leaves(value):
        if isinstance(leaf, np.ndarray):
            leaf = _largest_integer(leaf)
        if isinstance(leaf, Integral) and abs(int(leaf)) > MOST:
            rule = "integers between −2⁵³ and 2⁵³, which float64 holds exactly"
            raise ValueError(f"{name} must hold {rule}, but got {_shown(int(leaf))}")


def _largest_integer(array: NDArray[Any]) -> int:
    return max(int(array.max()), int(array.min()), key=abs) if array.dtype.kind in "iu" and array.size else 0


def _leaves(value: object) -> Iterator[object]:
    """Yield the items of nested lists and tuples, except plain floats, which always pass."""
    if isinstance(value, (list, tuple)):
        for each in value:
            if type(each) is not float:
                yield from _leaves(each)
    else:
        yield value


def _real_array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    refuse_masked(name, value)
    refuse_large_integers(name, value)
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be a rectangular array of numbers, but its rows differ in length") from None
    if array.dtype.kind == "O":
        array = _numbers_of_objects(name, array)
    if array.dtype.kind not in "iuf" and not _is_registered(array.dtype):
        raise TypeError(f"{name} must hold real numbers, but got dtype {array.dtype}")
    refuse_large_integers(name, array)  # again: a table's column, for example, becomes an array only here
    return array.astype(np.float64)


def _is_registered(dtype: np.dtype[Any]) -> bool:
    """Return True for another package's registered type that fits into float64, such as bfloat16."""
    return dtype.isbuiltin == 2 and np.can_cast(dtype, np.float64)


def _numbers_of_objects(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Convert an object array of real numbers, such as a pandas column; return other arrays unchanged."""
    items = array.ravel().tolist()
    missing = [each for each in items if type(each).__name__ == "NAType"]  # pandas, not imported here
    if missing:
        raise ValueError(f"{name} must hold finite numbers only, but got {missing[0]}")
    if not all(isinstance(each, Real) and not isinstance(each, (bool, np.bool_)) for each in items):
        return array
    for each in items:
        refuse_large_integers(name, each)
    return np.array([float(each) for each in items]).reshape(array.shape)


def _shaped(
    name: str, array: NDArray[np.float64], min_ndim: int, ndim: int | None, min_length: int
) -> NDArray[np.float64]:
    if ndim is not None and array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} dimension(s), but got shape {array.shape}")
    if array.ndim < min_ndim:
        raise ValueError(f"{name} must have at least {min_ndim} dimension(s), but got shape {array.shape}")
    if array.ndim and min_length and array.shape[-1] < min_length:
        rule = f"at least {min_length} entries on its last axis"
        raise ValueError(f"{name} must have {rule}, but got shape {array.shape}")
    return array
