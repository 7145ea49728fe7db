"""Score variance: Var(q·k) = d_k, measured on pairs or on one score matrix, beside the exact theory."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array, check_choice, check_integer
from sattn_core.bands.band import MomentRow
from sattn_core.bands.matrix_bands import matrix_bands, matrix_bands_price, numbers_of
from sattn_core.bands.pair_bands import pair_bands
from sattn_core.bands.standard_errors import sample_moments
from sattn_core.cost import CALL, FUNCTION, MULTIPLIED, Price, priced, proceed
from sattn_core.draws.histograms import bin_counts, lattice_edges
from sattn_core.draws.pair_scores import draw_pair_scores, pair_scores_price
from sattn_core.draws.variance_curve import VarianceCurve, variance_curve
from sattn_core.draws.walks import RandomWalks, random_walks
from sattn_core.laws.components import PairLaw, draw_queries_and_keys
from sattn_core.laws.dot_product import has_exact_density, score_density
from sattn_core.laws.moments import DotProductMoments, pair_moments
from sattn_core.layers.scores import raw_scores, scale_factor

# The variance curve and the random walks are re-exported, because the lesson shows them too.
__all__ = [
    "SAMPLINGS", "MomentRow", "RandomWalks", "ScalingRule", "ScoreVarianceParams", "ScoreVarianceResult",
    "VarianceCurve", "measure_score_variance", "random_walks", "variance_curve",
]  # fmt: skip

SAMPLINGS = ("pairs", "matrix")
_SCORE_BYTES = 48  # bytes per score during the measurement
_LARGEST = 1024  # largest d_k up to which the shared axis stays the same
_SHARED_HALF_WIDTH, _SHARED_DEVIATIONS = 112.0, 3.5  # 112 = 3.5 · 32: 3.5 standard deviations at d_k = 1,024
_N_BINS, _HALF_WIDTH, _N_GRID = 80, 5.0, 400  # an even _N_GRID leaves out 0, where the density is infinite at d_k = 1


@dataclass(frozen=True)
class ScoreVarianceParams:
    """Settings of the lesson."""

    d_k: int
    n_samples: int = 50_000
    law: str = "normal"
    mean_q: float = 0.0
    mean_k: float = 0.0
    correlation: float = 0.0
    sampling: str = "pairs"
    n_queries: int = 64
    n_keys: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1)
        check_integer("n_samples", self.n_samples, 4)
        _ = self.pair_law  # building it checks the law, the means and the correlation
        check_choice("sampling", self.sampling, SAMPLINGS)
        check_integer("n_queries", self.n_queries, 2)
        check_integer("n_keys", self.n_keys, 2)
        check_integer("seed", self.seed, 0)
        if self.sampling == "matrix" and self.correlation:
            raise ValueError(
                "correlation must be 0 when sampling is 'matrix', because only paired rows would be "
                f"correlated, but got {self.correlation!r}"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the measured scores."""
        return (self.n_samples,) if self.sampling == "pairs" else (self.n_queries, self.n_keys)

    @cached_property
    def pair_law(self) -> PairLaw:
        """Law of the components of q and k."""
        return PairLaw(self.law, self.mean_q, self.mean_k, self.correlation)

    @property
    def price(self) -> Price:
        """`Price` of `measure_score_variance`."""
        if self.sampling == "matrix":
            shape, n_scores = (self.n_queries, self.n_keys, self.d_k), self.n_queries * self.n_keys
            drawn = numbers_of(shape) * self.pair_law.component.work + MULTIPLIED * n_scores * self.d_k
            measured, held = 500 * CALL + 60 * n_scores, 16 * numbers_of(shape) + _SCORE_BYTES * n_scores
            return Price(drawn + measured, held) + matrix_bands_price(shape, self.pair_law)
        n = self.n_samples
        measured = 1_500 * CALL + 100_000 * FUNCTION + 38 * n
        return pair_scores_price(n, self.d_k, self.pair_law) + Price(measured, (8 + _SCORE_BYTES) * n)


@dataclass(frozen=True)
class ScalingRule:
    """Var(cX) = c² Var(X): both sides, measured on the same scores.

    Attributes
    ----------
    scale, raw_variance, scale_squared_times_raw_variance, scaled_variance : float
        c, Var(X), c² Var(X), Var(cX); the last two agree to rounding.
    """

    scale: float
    raw_variance: float
    scale_squared_times_raw_variance: float
    scaled_variance: float


@dataclass(frozen=True, eq=False)
class ScoreVarianceResult:
    """Results that the lesson shows at one d_k."""

    params: ScoreVarianceParams
    n_scores: int  # number of scores measured
    theory: DotProductMoments  # mean, variance and excess kurtosis of one raw score
    scale: float  # 1/√d_k
    # raw_edges (n_bins + 1,): bin edges within five theoretical standard deviations of the mean
    # scaled_edges (n_bins + 1,): scale · raw_edges
    raw_edges: NDArray[np.float64]
    scaled_edges: NDArray[np.float64]
    counts: NDArray[np.int_]  # (n_bins,): number of scores in each bin [left, right), the same for raw and scaled
    # below, above: number of scores outside the bins; counts, below and above add up to n_scores
    below: int
    above: int
    # shared_span: ends of the axis that raw and scaled scores share: −112 and 112, or wider if d_k = 1,024 needs it.
    # The axis is the same at every d_k up to 1,024, so that the growth of the scores shows.
    shared_span: tuple[float, float]
    # beyond_own, beyond_shared: share of the raw scores outside the bins, and outside shared_span
    beyond_own: float
    beyond_shared: float
    # raw_density, scaled_density (n_bins,): counts / (n_scores · bin width)
    raw_density: NDArray[np.float64]
    scaled_density: NDArray[np.float64]
    # raw_grid, scaled_grid (400,): fine grids for the theoretical densities
    # raw_law, scaled_law (400,): theoretical densities on the grids; NaN if the scores are constant
    raw_grid: NDArray[np.float64]
    scaled_grid: NDArray[np.float64]
    raw_law: NDArray[np.float64]
    scaled_law: NDArray[np.float64]
    # law_is_exact: False if the densities are only normal approximations with the exact mean and variance
    law_is_exact: bool
    # rows: mean, variance and excess kurtosis of raw and scaled scores
    # The variance divides by n − 1 for pairs, and by n_queries · n_keys for a matrix.
    rows: tuple[MomentRow, ...]
    scaling_rule: ScalingRule  # Var(cX) beside c² Var(X)

    @property
    def raw_std(self) -> float:
        """Measured standard deviation of the raw scores."""
        return math.sqrt(self.scaling_rule.raw_variance)

    @property
    def scaled_std(self) -> float:
        """Measured standard deviation of the scaled scores."""
        return math.sqrt(self.scaling_rule.scaled_variance)


@priced(lambda params, **_: params.price)
def measure_score_variance(
    params: ScoreVarianceParams, *, scores: ArrayLike | None = None, check: Callable[[], object] = proceed
) -> ScoreVarianceResult:
    """Measure Var(q·k) and Var(q·k/√d_k) beside d_k and 1, with their sampling errors.

    Entries of one matrix are uncorrelated but share queries and keys, so their variance scatters more
    than the variance of as many pairs. If a mean of q or k is not 0, the kurtosis of a matrix has no band.
    The standard error of an excess kurtosis is its limit for many scores. The kurtosis of a small or
    heavy-tailed sample is on average too small: its band is marked rough, or left out if it would reach below −2.
    Student's t with 5 degrees of freedom has no eighth moment, so its measured kurtosis has no finite
    standard error.
    """
    scores = _draw_scores(params, check) if scores is None else _check_shape(params, scores)
    theory, scale = pair_moments(params.d_k, params.pair_law), scale_factor(params.d_k)
    edges, grid = _edges(params, theory), _grid(theory)
    density = score_density(grid, params.d_k, params.pair_law)
    counts, below, above = bin_counts(scores.ravel(), edges)
    bar = counts / scores.size / np.diff(edges)
    shared, ddof = _shared_span(params), 1 if params.sampling == "pairs" else 0
    raw, scaled = sample_moments(scores, ddof), sample_moments(scale * scores, ddof)
    return ScoreVarianceResult(
        params=params, n_scores=scores.size, theory=theory, scale=scale,
        raw_edges=edges, scaled_edges=scale * edges, counts=counts, below=int(below), above=int(above),
        shared_span=shared, beyond_own=float(below + above) / scores.size,
        beyond_shared=float(np.mean((scores < shared[0]) | (scores > shared[1]))),
        raw_density=bar, scaled_density=bar / scale,
        raw_grid=grid, scaled_grid=scale * grid, raw_law=density, scaled_law=density / scale,
        law_is_exact=has_exact_density(params.pair_law),
        rows=_rows_of_both(params, scale, raw, scaled),
        scaling_rule=_scaling_rule(scale, raw[1], scaled[1]),
    )  # fmt: skip


def _rows_of_both(params, scale, raw, scaled):
    """Return the moments of raw and of scaled scores with their bands; the scaled bands follow from the raw ones."""
    bands = _bands(params, raw[2])
    return _rows("raw", bands, 1.0, raw) + _rows("scaled", bands, scale, scaled)


def _scaling_rule(scale, raw, scaled):
    return ScalingRule(scale, raw, scale**2 * raw, scaled)


def _draw_scores(params, check):
    if params.sampling == "pairs":
        return draw_pair_scores(params.n_samples, params.d_k, params.pair_law, seed=params.seed, check=check)
    law = {"law": params.law, "mean_q": params.mean_q, "mean_k": params.mean_k, "seed": params.seed}
    return raw_scores(*draw_queries_and_keys(params.n_queries, params.n_keys, params.d_k, **law))


def _check_shape(params: ScoreVarianceParams, scores: ArrayLike) -> NDArray[np.float64]:
    scores = check_array("scores", scores)
    if scores.shape != params.shape:
        raise ValueError(f"scores must have shape {params.shape} as params ask, but got {scores.shape}")
    return scores


def _edges(params, theory):
    std = math.sqrt(theory.variance) or 1.0
    if params.law == "rademacher" and params.pair_law.is_centred:
        return lattice_edges(params.d_k, _HALF_WIDTH * std, _N_BINS)
    return theory.mean + std * np.linspace(-_HALF_WIDTH, _HALF_WIDTH, _N_BINS + 1)


def _shared_span(params):
    widest = pair_moments(max(_LARGEST, params.d_k), params.pair_law)
    reach = _SHARED_DEVIATIONS * (math.sqrt(widest.variance) or 1.0)
    return min(-_SHARED_HALF_WIDTH, widest.mean - reach), max(_SHARED_HALF_WIDTH, widest.mean + reach)


def _grid(theory):
    std = math.sqrt(theory.variance) or 1.0
    return theory.mean + std * np.linspace(-_HALF_WIDTH, _HALF_WIDTH, _N_GRID)


def _bands(params, excess):
    if params.sampling == "matrix":
        return matrix_bands((params.n_queries, params.n_keys, params.d_k), params.pair_law)
    return pair_bands(params.d_k, params.n_samples, params.pair_law, excess)


def _rows(label, bands, scale, moments):
    named = zip(bands, ("mean", "variance", "excess kurtosis"), moments, (scale, scale**2, 1.0), strict=True)
    return tuple(band.row(f"{label} {name}", moment, factor) for band, name, moment, factor in named)
