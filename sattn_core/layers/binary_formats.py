"""Binary floating-point formats, and the rounding of numbers and sums to them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array, check_choice


@dataclass(frozen=True)
class BinaryFormat:
    """Floating-point format: numbers ± m · 2^e, with m of a few bits and e in a range.

    Numbers below the smallest normal number are evenly spaced.

    Parameters
    ----------
    name : str
        Key of the format in `BINARY_FORMATS`.
    precision : int
        Number of bits of m, including the leading 1 of a normal number.
    min_exponent : int
        Exponent of the smallest normal number, 2^min_exponent.
    largest : float
        Largest finite number.
    overflow : float
        Result for a larger number, apart from its sign: infinity, or NaN if the format has no infinity.
    dtype : str or None
        NumPy's name of the type, if NumPy has this type.

    Examples
    --------
    >>> BINARY_FORMATS["float16"].largest
    65504.0
    """

    name: str
    precision: int
    min_exponent: int
    largest: float
    overflow: float = np.inf
    dtype: str | None = None

    def spacing(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the distance between neighbouring numbers of the format at each value."""
        exponent = np.frexp(np.maximum(np.abs(values), 2.0**self.min_exponent))[1]  # frexp's fractions are in [1/2, 1)
        return np.ldexp(1.0, exponent - self.precision)


BINARY_FORMATS = MappingProxyType(
    {
        each.name: each
        for each in (
            BinaryFormat("float16", 11, -14, 65504.0, dtype="float16"),
            BinaryFormat("bfloat16", 8, -126, (2.0 - 2.0**-7) * 2.0**127),
            BinaryFormat("float8_e4m3fn", 4, -6, 448.0, overflow=np.nan),
            BinaryFormat("float32", 24, -126, float(np.finfo(np.float32).max), dtype="float32"),
        )
    }
)


def round_to_format(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Round numbers to the nearest number of a binary format, ties to even.

    Parameters
    ----------
    values : array_like
        Finite numbers of any shape.
    name : str
        Key of `BINARY_FORMATS`.

    Returns
    -------
    ndarray
        Rounded numbers as float64, which holds them exactly. Overflow gives ± infinity, or NaN in float8_e4m3fn,
        which has no infinity.

    Raises
    ------
    ValueError, TypeError
        If a value is not finite or the format is unknown.

    References
    ----------
    IEEE 754-2019, section 4.3.1 (rounding).
    Micikevicius et al. (2022), FP8 Formats for Deep Learning, arXiv:2209.05433, section 3 (E4M3).

    Examples
    --------
    >>> round_to_format([65519.0, 65520.0], "float16")     # halfway to 65,536, which is even and beyond the largest
    array([65504.,    inf])
    >>> round_to_format([100.25, 100.75], "bfloat16")      # numbers between 64 and 128 lie 1/2 apart
    array([100., 101.])
    """
    values = check_array("values", values)
    return rounded(values, BINARY_FORMATS[check_choice("name", name, BINARY_FORMATS)])


def rounded(values: NDArray[np.float64], to: BinaryFormat) -> NDArray[np.float64]:
    """Return values rounded to a format; infinities and NaN stay unchanged."""
    if to.dtype is None:
        return rounded_by_spacing(values, to)
    with np.errstate(over="ignore"):
        return values.astype(to.dtype).astype(np.float64)


def rounded_by_spacing(values: NDArray[np.float64], to: BinaryFormat) -> NDArray[np.float64]:
    """Return values rounded to a format by its definition, even if NumPy has the type."""
    spacing = to.spacing(values)
    with np.errstate(over="ignore"):
        nearest = np.rint(values / spacing) * spacing
    held = np.abs(nearest) <= to.largest
    if held.all():
        return nearest
    return np.where(held, nearest, np.where(np.isnan(values), values, np.copysign(to.overflow, values)))


_BLOCK = 32  # number of components whose products are rounded at a time


def rounded_sums(
    q: NDArray[np.float64], k: NDArray[np.float64], dims: Sequence[int], to: BinaryFormat
) -> Iterator[NDArray[np.float64]]:
    """Yield Σ_{i < d_k} q_i k_i at each of the increasing dims, with every operation rounded; i is the first axis.

    Products and sums are computed in float64, which has so many digits that rounding them gives the same results as
    arithmetic in the shorter format itself.
    """
    total = np.zeros(np.broadcast_shapes(q.shape[1:], k.shape[1:]))
    with np.errstate(invalid="ignore"):  # infinity − infinity
        for start in range(0, dims[-1], _BLOCK):
            block = slice(start, min(start + _BLOCK, dims[-1]))
            for i, product in enumerate(rounded(q[block] * k[block], to), start=start + 1):
                total = rounded(total + product, to)
                if i in dims:
                    yield total
