"""And in 16 bits? Scores from rounded products and sums beside scores in float64, and the effect on the weights.

The larger a floating-point number, the wider the gap to the next. Raw scores grow like √d_k, so their rounding errors
grow as fast, and each weight is off by a growing factor. Divided scores keep their size.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_dims, check_integer, check_number
from sattn_core.bands.standard_errors import mean_and_error
from sattn_core.laws.components import block_generator
from sattn_core.laws.dot_product import dot_product_cdf
from sattn_core.layers.binary_formats import BINARY_FORMATS, BinaryFormat, rounded, rounded_sums
from sattn_core.layers.scores import scale_factor
from sattn_core.layers.softmax import log_softmax

FORMATS = ("float16", "bfloat16", "float8_e4m3fn")
SUMS = ("float32", "same")  # format of the sums of products: float32, or the scores' format
ORDERS = ("after", "before")  # divide q·k by √d_k after the product, or q before it
N_ROWS, N_KEYS = 64, 16
DEFAULT_DIMS = tuple(2**j for j in range(11))
LARGE = 40.0  # every component of q and k in `large_sum`; their score overflows float16
_STREAM = 8  # random stream of q and k
_PARTS = 8  # equal parts of an octave; float8 has one number in each


@dataclass(frozen=True)
class FewBitsParams:
    """Settings of rows of one query and its own 16 keys; components are normal with standard deviation `size`."""

    d_k: int = 64  # 1 to 1,024
    format: str = "bfloat16"  # one of `FORMATS`: the format of q, k and the scores
    sums: str = "float32"  # one of `SUMS`
    order: str = "after"  # one of `ORDERS`
    size: float = 1.0  # above 0, at most 64
    seed: int = 0  # at least 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, 1_024)
        check_choice("format", self.format, FORMATS)
        check_choice("sums", self.sums, SUMS)
        check_choice("order", self.order, ORDERS)
        check_number("size", self.size, 0, 64, open_low=True)
        check_integer("seed", self.seed, 0)

    @property
    def to(self) -> BinaryFormat:
        """Format of q, k and the scores."""
        return BINARY_FORMATS[self.format]

    @property
    def of_sums(self) -> BinaryFormat:
        """Format of the products and their sums."""
        return self.to if self.sums == "same" else BINARY_FORMATS[self.sums]


@dataclass(frozen=True, eq=False)
class RoundedScores:
    """Raw or scaled scores in few bits and in float64. A row is lost if one of its scores overflows."""

    exact: NDArray[np.float64]  # (n_rows, n_keys): scores in float64
    found: NDArray[np.float64]  # (n_rows, n_keys): scores in the format; infinite or NaN if they overflow
    lost: NDArray[np.bool_]  # (n_rows,)
    # mean_square, change, moved: mean over the rows that are not lost, and its standard error; NaN if all are lost
    mean_square: tuple[float, float]  # (found − exact)²
    change: tuple[float, float]  # |ln p̂ − ln p|, where rounding turns the weight p into p̂
    moved: tuple[float, float]  # ½ Σ |p̂ − p|: the share of a row's weight that rounding moves to other keys


@dataclass(frozen=True, eq=False)
class FewBitsResult:
    """Raw and scaled scores of the same q and k."""

    params: FewBitsParams
    raw: RoundedScores
    scaled: RoundedScores


@dataclass(frozen=True, eq=False)
class FewBitsCurves:
    """Rounding errors of raw and scaled scores against d_k; a larger d_k appends components to the same q and k."""

    dims: tuple[int, ...]
    params: FewBitsParams  # d_k and format are ignored
    # change, standard_error, lost (3 formats, raw and scaled, n_dims): as in `RoundedScores`; lost is the share of rows
    change: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    lost: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LargeSum:
    """Partial sums of d_k products 40 · 40, with and without dividing q by √d_k first."""

    d_k: int
    to: BinaryFormat
    sums: str  # one of `SUMS`
    raw: NDArray[np.float64]  # (d_k,): sums after each product, q not divided; infinite or NaN after an overflow
    divided: NDArray[np.float64]  # (d_k,): sums after each product, q divided by √d_k
    exact: float  # scaled score, 1,600 √d_k
    # after, before: rounded scaled score if the sum is divided, and if q is divided
    after: float
    before: float


def measure_few_bits(params: FewBitsParams) -> FewBitsResult:
    """Return q·k and q·k/√d_k from rounded products and sums, and in float64; 1/√d_k is not rounded."""
    ((raw, scaled),) = _measured(params, (params.d_k,))
    return FewBitsResult(params, raw, scaled)


def few_bits_curves(dims: Sequence[int], params: FewBitsParams) -> FewBitsCurves:
    """Return the rounding errors of all three formats at each of dims, for the draw of params."""
    dims = check_dims(dims)
    found = [_measured(replace(params, d_k=dims[-1], format=name), dims) for name in FORMATS]
    each = np.array([[[(*one.change, one.lost.mean()) for one in both] for both in of] for of in found])
    change, error, lost = np.transpose(each, (3, 0, 2, 1))
    return FewBitsCurves(tuple(dims), params, change, error, lost)


def large_sum(d_k: int, format: str, sums: str = "float32") -> LargeSum:
    """Add up d_k products 40 · 40: at d_k = 64 the sum, 102,400, overflows float16."""
    params, scale = FewBitsParams(d_k, format, sums), scale_factor(d_k)
    q, k = np.full((d_k, 2), LARGE), np.full((d_k, 1), LARGE)
    q[:, 1] = rounded(scale * q[:, 1], params.to)
    raw, divided = np.array(list(rounded_sums(q, k, range(1, d_k + 1), params.of_sums))).T
    after = rounded(scale * rounded(raw[-1:], params.to), params.to)
    before = rounded(divided[-1:], params.to)
    exact = LARGE**2 * math.sqrt(d_k)
    return LargeSum(d_k, params.to, sums, raw, divided, exact, float(after[0]), float(before[0]))


def _measured(params, dims):
    """Return raw and scaled `RoundedScores` at each of dims."""
    q, k = _draw(params)
    raw = rounded_sums(q, k, dims, params.of_sums)
    pairs = []
    for d_k, total in zip(dims, raw, strict=True):
        scale, exact = scale_factor(d_k), np.einsum("drx,drk->rk", q[:d_k], k[:d_k])
        kept = rounded(total, params.to)
        if params.order == "after":
            scaled = rounded(scale * kept, params.to)
        else:
            scaled = rounded(
                next(rounded_sums(rounded(scale * q[:d_k], params.to), k, (d_k,), params.of_sums)), params.to
            )
        pairs.append((_beside(exact, kept), _beside(scale * exact, scaled)))
    return pairs


def _draw(params):
    """Draw q (d_k, n_rows, 1) and k (d_k, n_rows, n_keys), rounded to the format; a larger d_k appends components."""
    drawn = block_generator(params.seed, _STREAM).standard_normal((params.d_k, N_ROWS, 1 + N_KEYS))
    drawn = rounded(params.size * drawn, params.to)
    return drawn[..., :1], drawn[..., 1:]


def _beside(exact, found):
    lost = ~np.isfinite(found).all(axis=-1)
    if lost.all():
        return RoundedScores(exact, found, lost, *[(math.nan, math.nan)] * 3)
    right, kept = exact[~lost], found[~lost]
    p, few = log_softmax(right), log_softmax(kept)
    rows = ((kept - right) ** 2, np.abs(few - p), N_KEYS / 2 * np.abs(np.exp(few) - np.exp(p)))
    return RoundedScores(exact, found, lost, *map(_mean_of_rows, rows))


def _mean_of_rows(each):
    mean, error = mean_and_error(each.mean(axis=-1))
    return float(mean), float(error)


def predicted_errors(params: FewBitsParams) -> tuple[float, float]:
    """Return the expected root mean square rounding errors of raw and scaled scores if only the scores are rounded.

    The division rounds the score again, without effect if the scale is a power of two. Return NaN if the sums are
    rounded too, or if q is divided.
    """
    if params.sums == "same" or params.order == "before":
        return math.nan, math.nan
    scale, (octaves, probability) = scale_factor(params.d_k), _octaves(params)
    once = params.to.spacing(octaves) ** 2 / 12
    bits = 2 ** (params.to.precision - 1)
    divided = scale * np.arange(bits, 2 * bits) / bits
    again = ((rounded(divided, params.to) - divided) ** 2).reshape(_PARTS, -1).mean(axis=-1)
    raw = float(probability.sum(axis=1) @ once)
    return math.sqrt(raw), math.sqrt(scale**2 * raw + float(octaves**2 @ (probability @ again)))


def _octaves(params):
    """Return powers of two, and the probability of |raw score| in each eighth of the octave above each power."""
    top = math.ceil(math.log2(50 * params.size**2 * params.d_k))
    octaves = 2.0 ** np.arange(top - 20, top)
    edges = np.append(np.outer(octaves, 1 + np.arange(_PARTS) / _PARTS), 2.0**top)
    between = 2 * np.diff(dot_product_cdf(edges / params.size**2, params.d_k))
    return octaves, between.reshape(-1, _PARTS)
