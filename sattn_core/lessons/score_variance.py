"""Score variance: Var(q·k) = d_k, measured on pairs or on one score matrix, beside its exact theory."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import binom, gammaincinv, ndtri, stdtrit

from sattn_core._checks import check_array, check_choice, check_integer
from sattn_core._records import record
from sattn_core.components import (
    COMPONENT_LAWS,
    PairLaw,
    coordinate_products,
    draw_queries_and_keys,
)
from sattn_core.cost import Price, priced, proceed
from sattn_core.law import dot_product_pdf, dot_product_ppf
from sattn_core.moments import DotProductMoments, paired_score_moments
from sattn_core.pair_scores import coordinate_seconds, draw_pair_scores, pair_scores_price
from sattn_core.score_variance import SMALLEST_GAMMA_SHAPE, score_variance_band, score_variance_moments
from sattn_core.scores import raw_scores, scale_factor
from sattn_core.sweep import bin_counts, check_dims, growing_scores, sample_moments
from sattn_core.typed import MAX_MAGNITUDE

SAMPLINGS = ("pairs", "matrix")
EXACT, ESTIMATED, SIMULATED = "exact", "estimated from the draws", "simulated"
NORMAL, GAMMA = "exact, normal approximation", "exact, gamma approximation"
ROUGH_NORMAL, ROUGH_GAMMA = "exact, rough normal approximation", "exact, rough gamma approximation"
ROUGH_ESTIMATE, NO_BAND = "rough estimate from the draws", "too few scores for a band"
ROUGH = (ROUGH_NORMAL, ROUGH_GAMMA, ROUGH_ESTIMATE)
_Z95 = float(ndtri(0.975))
_MATRICES, _MOST_NUMBERS, _BLOCK = (2_000, 20_000), 10_000_000, 500_000  # of a simulated band
# A kurtosis m₄/m₂² leans to the right: beyond this relative error the normal band misses well below 5 % of the draws.
_LARGEST_KURTOSIS_ERROR = 0.1
# Without a sixth moment a variance is narrower than its standard error says until the sample is large.
_HEAVY_TAIL_SHAPE = 500.0
_FIXED_SECONDS, _SCORE_SECONDS, _SCORE_BYTES = 4e-3, 6e-8, 48  # of measuring: in all, and for each score
_SHARED_HALF_WIDTH = 80.0  # two and a half standard deviations of raw scores at d_k = 1,024
_N_BINS, _HALF_WIDTH, _N_GRID = 80, 5.0, 400  # an even grid: at d_k = 1 the density at 0 is infinite


@dataclass(frozen=True)
class ScoreVarianceParams:
    """What the lesson asks for.

    Parameters
    ----------
    d_k : int
        Dimension, at least 1.
    n_samples : int
        Independent pairs (q, k) when sampling is "pairs", at least 4.
    law, mean_q, mean_k, correlation
        Component law of q and k, as in `draw_queries_and_keys`.
    sampling : {"pairs", "matrix"}
        Independent pairs, or all entries of one QKᵀ, which share their queries and keys.
    n_queries, n_keys : int
        Shape of the matrix when sampling is "matrix", each at least 2.
    seed : int
        Seed of the draw, at least 0.

    Raises
    ------
    ValueError, TypeError
        If a field is outside its range, or a correlation is asked of a matrix.

    Examples
    --------
    >>> ScoreVarianceParams(d_k=64).n_samples
    50000
    """

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
        PairLaw(self.law, self.mean_q, self.mean_k, self.correlation)
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
        """Shape of the scores that are measured."""
        return (self.n_samples,) if self.sampling == "pairs" else (self.n_queries, self.n_keys)

    @property
    def price(self) -> Price:
        """What `measure_score_variance` costs."""
        if self.sampling == "matrix":
            return _matrix_price(self)
        n, pair_law = self.n_samples, PairLaw(self.law, self.mean_q, self.mean_k, self.correlation)
        drawn = pair_scores_price(n, self.d_k, pair_law)
        return Price(_FIXED_SECONDS + drawn.seconds + _SCORE_SECONDS * n, max(drawn.bytes, (8 + _SCORE_BYTES) * n))


@dataclass(frozen=True)
class MomentRow:
    """One measured moment beside its prediction.

    Attributes
    ----------
    name : str
        "raw mean", "raw variance", …, "scaled excess kurtosis".
    predicted, measured : float
        Expected value (``inf`` or ``nan`` where the law has none) and what the draws gave.
    standard_error, low, high : float
        Standard deviation of ``measured`` over draws, and its 95 % band; nan without a prediction,
        infinite if the law has too heavy a tail for one. The band is infinite as well where the normal
        approximation of a kurtosis would reach below −2.
    z : float
        (measured − predicted) / standard_error; nan without a prediction or an error.
    inside : bool or None
        Whether low ≤ measured ≤ high; None where there is nothing to compare with.
    error_source : str
        Where the standard error comes from ("exact" theory, "simulated" from the law of q and k,
        "estimated from the draws") and, unless the band is exact too, what approximates it.
    """

    name: str
    predicted: float
    measured: float
    standard_error: float
    low: float
    high: float
    z: float
    inside: bool | None
    error_source: str

    @property
    def is_rough(self) -> bool:
        """Whether the band is only a rough one: it does not cover 95 %."""
        return self.error_source in ROUGH


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


@record
class ScoreVarianceResult:
    """Everything the lesson shows at one d_k.

    Attributes
    ----------
    params : ScoreVarianceParams
        What was asked.
    n_scores : int
        Number of scores measured.
    theory : DotProductMoments
        Mean, variance and excess kurtosis of one raw score.
    scale : float
        1/√d_k.
    raw_edges, scaled_edges : ndarray, shape (n_bins + 1,)
        Bin edges, five theoretical standard deviations each way; scaled_edges = scale · raw_edges.
    counts : ndarray of int, shape (n_bins,)
        Scores in each bin [left, right): the same for raw and scaled.
    below, above : int
        Scores outside the bins: counts, below and above add up to n_scores.
    shared_span : tuple of float
        Ends of one axis for raw and scaled scores: −80 and 80 at every d_k, so that the growth is seen,
        and further only for a shifted mean.
    beyond_own, beyond_shared : float
        Share of the raw scores outside the bins, and outside shared_span.
    raw_density, scaled_density : ndarray, shape (n_bins,)
        counts / (n_scores · bin width).
    raw_grid, scaled_grid, raw_law, scaled_law : ndarray, shape (400,)
        Density of the law on a fine grid (nan if the scores are constant).
    law_is_exact : bool
        True for independent normal components with zero means; otherwise the law drawn is the
        normal one with the exact mean and variance.
    rows : tuple of MomentRow
        Raw and scaled mean, variance and excess kurtosis. The variance divides by n − 1 for pairs
        and by n_queries · n_keys for a matrix.
    scaling_rule : ScalingRule
        Var(cX) beside c² Var(X).
    """

    params: ScoreVarianceParams
    n_scores: int
    theory: DotProductMoments
    scale: float
    raw_edges: NDArray[np.float64]
    scaled_edges: NDArray[np.float64]
    counts: NDArray[np.int_]
    below: int
    above: int
    shared_span: tuple[float, float]
    beyond_own: float
    beyond_shared: float
    raw_density: NDArray[np.float64]
    scaled_density: NDArray[np.float64]
    raw_grid: NDArray[np.float64]
    scaled_grid: NDArray[np.float64]
    raw_law: NDArray[np.float64]
    scaled_law: NDArray[np.float64]
    law_is_exact: bool
    rows: tuple[MomentRow, ...]
    scaling_rule: ScalingRule


def _matrix_price(params):
    """Price of drawing, multiplying and measuring one matrix, and of the matrices that are simulated for its band."""
    m, n, d_k = shape = params.n_queries, params.n_keys, params.d_k
    draw = COMPONENT_LAWS[params.law].seconds
    drawn = Price(draw * numbers_of(shape) + 7e-11 * m * n * d_k, 16 * numbers_of(shape))
    mean, variance = _matrix_variance_moments(params)
    band = Price(0.0, 0)
    if mean**2 < SMALLEST_GAMMA_SHAPE * variance:
        numbers = numbers_of(shape) * _simulated_matrices(shape)
        if params.law == "normal" and _is_centred(params):
            size = min(m, n) * min(m, n, d_k)
            band = Price(0.02 + 3.6e-3 * size, 1_600_000 + 240_000 * size)
        elif numbers:
            band = Price((draw + 7e-9) * numbers + 5e-7 * _simulated_matrices(shape), 10_000_000)
    seconds = _FIXED_SECONDS + drawn.seconds + band.seconds + _SCORE_SECONDS * m * n
    return Price(seconds, max(band.bytes, drawn.bytes + _SCORE_BYTES * m * n))


def measure_score_variance(
    params: ScoreVarianceParams, *, scores: ArrayLike | None = None, check: Callable[[], object] = proceed
) -> ScoreVarianceResult:
    """Measure Var(q·k) and Var(q·k/√d_k) beside d_k and 1, with the sampling error of each.

    Parameters
    ----------
    params : ScoreVarianceParams
        What to measure.
    scores : array_like, optional
        Raw scores drawn before with the same params, shape (n_samples,) for pairs (see
        `draw_pair_scores`) or (n_queries, n_keys) for a matrix. Drawn here if not given.
    check : callable
        Called between blocks of the draw; it may raise to end the computation.

    Returns
    -------
    ScoreVarianceResult
        ``counts.sum() + below + above == n_scores``.

    Raises
    ------
    ValueError, TypeError
        If scores are not finite numbers of the shape that params ask for.

    Notes
    -----
    Pairs are independent. Entries of one matrix are uncorrelated but share queries and keys, so
    the variance of the entries scatters more than for as many pairs: its band is the gamma law with the exact
    mean and variance of that scatter or, where there are few entries, comes from matrices simulated with a
    fixed seed. With means the standard error of a matrix's kurtosis is estimated from its rows and columns.
    The band of the variance of pairs is the gamma law with the exact mean and variance. The standard
    error of an excess kurtosis is its limit for many scores; a small or heavy-tailed sample falls short of
    the prediction on average, and its band is marked rough, or left out where it would reach below −2.
    Student's t with 5 degrees of freedom has no eighth moment: its measured kurtosis has no finite
    standard error, however many pairs are drawn.

    References
    ----------
    Vaswani et al. (2017), Attention Is All You Need, section 3.2.1, footnote 4.
    Cameron, Gelbach and Miller (2011), J. Bus. Econ. Stat. 29(2), section 2 (rows and columns).

    Examples
    --------
    >>> params = ScoreVarianceParams(d_k=1, n_samples=4, law="rademacher")
    >>> result = measure_score_variance(params, scores=[-1.0, -1.0, 1.0, 1.0])
    >>> result.rows[1].predicted, round(result.rows[1].measured, 3)   # 4 squares of 1, divided by 3
    (1.0, 1.333)
    """
    scores = _draw_scores(params, check) if scores is None else _check_shape(params, scores)
    theory, scale = _theory(params), scale_factor(params.d_k)
    edges, grid = _edges(params, theory), _grid(theory)
    density, law_is_exact = _law_density(params, theory, grid)
    counts, below, above = bin_counts(scores.ravel(), edges)
    bar = counts / scores.size / np.diff(edges)
    raw, scaled = _Sample.of(scores), _Sample.of(scale * scores)
    shared = _shared_span(theory, edges)
    ddof = 1 if params.sampling == "pairs" else 0
    bands = (_pair_bands if params.sampling == "pairs" else _matrix_bands)(params, theory, raw)
    variances = raw.variance(ddof), scaled.variance(ddof)
    return ScoreVarianceResult(
        params=params, n_scores=scores.size, theory=theory, scale=scale,
        raw_edges=edges, scaled_edges=scale * edges, counts=counts, below=int(below), above=int(above),
        shared_span=shared, beyond_own=float(below + above) / scores.size,
        beyond_shared=float(np.mean((scores < shared[0]) | (scores > shared[1]))),
        raw_density=bar, scaled_density=bar / scale,
        raw_grid=grid, scaled_grid=scale * grid, raw_law=density, scaled_law=density / scale,
        law_is_exact=law_is_exact,
        rows=_rows("raw", bands, 1.0, raw, ddof) + _rows("scaled", bands, scale, scaled, ddof),
        scaling_rule=ScalingRule(scale, variances[0], scale**2 * variances[0], variances[1]),
    )  # fmt: skip


def _draw_scores(params, check) -> NDArray[np.float64]:
    law = {"law": params.law, "mean_q": params.mean_q, "mean_k": params.mean_k, "seed": params.seed}
    if params.sampling == "matrix":
        return raw_scores(*draw_queries_and_keys(params.n_queries, params.n_keys, params.d_k, **law))
    return draw_pair_scores(params.n_samples, params.d_k, correlation=params.correlation, check=check, **law)


def _check_shape(params, scores) -> NDArray[np.float64]:
    scores = check_array("scores", scores)
    if scores.shape != params.shape:
        raise ValueError(f"scores must have shape {params.shape} as params ask, but got {scores.shape}")
    return scores


def _theory(params):
    return paired_score_moments(
        params.d_k,
        moments=COMPONENT_LAWS[params.law].moments,
        mean_q=params.mean_q,
        mean_k=params.mean_k,
        correlation=params.correlation,
    )


def _is_centred(params):
    return not (params.mean_q or params.mean_k or params.correlation)


def _edges(params, theory):
    std = math.sqrt(theory.variance) or 1.0
    if params.law == "rademacher" and _is_centred(params):
        return _lattice_edges(params.d_k, std)
    return theory.mean + std * np.linspace(-_HALF_WIDTH, _HALF_WIDTH, _N_BINS + 1)


def _shared_span(theory, edges):
    low, high = (edges[0], edges[-1]) if theory.mean else (0.0, 0.0)
    return min(-_SHARED_HALF_WIDTH, float(low)), max(_SHARED_HALF_WIDTH, float(high))


def _lattice_edges(d_k, std):
    """Edges halfway between scores: sums of d_k signs lie on d_k, d_k − 2, …, and every bin holds as many."""
    points = 2 * math.floor(_HALF_WIDTH * std / _N_BINS) + 1  # odd, so that edges can be symmetric about 0
    n_bins = math.ceil(_HALF_WIDTH * std / points)
    n_bins += (n_bins + d_k + 1) % 2  # an edge n_bins * points must differ from d_k by an odd number
    return points * np.arange(-n_bins, n_bins + 1, 2.0)


def _grid(theory):
    std = math.sqrt(theory.variance) or 1.0
    return theory.mean + std * np.linspace(-_HALF_WIDTH, _HALF_WIDTH, _N_GRID)


def _law_density(params, theory, grid):
    """Density on the grid, and whether it is the exact one."""
    if params.law == "normal" and _is_centred(params):
        return dot_product_pdf(grid, params.d_k), True
    if theory.variance == 0:
        return np.full_like(grid, np.nan), False
    z = (grid - theory.mean) / math.sqrt(theory.variance)
    return np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi * theory.variance), False


class _Sample(NamedTuple):
    """Moments of one sample and its standardised scores z, which keep the shape of the scores."""

    mean: float
    m2: float
    skewness: float
    kurtosis: float
    z: NDArray[np.float64]

    @classmethod
    def of(cls, scores):
        centred = scores - scores.mean()
        constant = np.ptp(scores) == 0
        m2 = 0.0 if constant else float(np.mean(centred**2))
        z = np.full_like(centred, np.nan) if constant else centred / math.sqrt(m2)
        squares = z * z
        return cls(float(scores.mean()), m2, float(np.mean(squares * z)), float(np.mean(squares**2)), z)

    def variance(self, ddof):
        return self.m2 * self.z.size / (self.z.size - ddof)

    def kurtosis_influence(self):
        """How much each score moves m₄/m₂²: z⁴ − κ − 2κ(z² − 1) − 4 skewness z, with mean 0."""
        squares = self.z * self.z
        kurtosis = self.kurtosis
        return squares * (squares - 2 * kurtosis) + kurtosis - 4 * self.skewness * self.z


class _Band(NamedTuple):
    """Prediction, standard error and 95 % band of one moment of the raw scores."""

    predicted: float
    standard_error: float
    low: float
    high: float
    error_source: str

    @classmethod
    def normal(cls, predicted, error, source, quantile=_Z95):
        error = float(error) if math.isfinite(predicted) else math.nan
        return cls(predicted, error, predicted - quantile * error, predicted + quantile * error, source)

    @classmethod
    def gamma(cls, predicted, error, source):
        """The gamma law with that mean and standard deviation: a variance leans to the right and is never negative."""
        if not error:
            return cls.normal(predicted, error, source)
        low, high = gammaincinv((predicted / error) ** 2, (0.025, 0.975)) * error**2 / predicted
        return cls(predicted, float(error), float(low), float(high), source)

    def row(self, name, measured, factor):
        predicted, error, low, high = (factor * value for value in self[:4])
        comparable = 0 < error < math.inf and math.isfinite(measured) and math.isfinite(low)
        z = (measured - predicted) / error if comparable else math.nan
        inside = bool(low <= measured <= high) if comparable else None
        return MomentRow(name, predicted, measured, error, low, high, z, inside, self.error_source)


def _rows(label, bands, scale, sample, ddof):
    mean, variance, excess = bands
    return (
        mean.row(f"{label} mean", sample.mean, scale),
        variance.row(f"{label} variance", sample.variance(ddof), scale**2),
        excess.row(f"{label} excess kurtosis", sample.kurtosis - 3, 1.0),
    )


def _pair_bands(params, theory, sample):
    return (
        _Band.normal(theory.mean, math.sqrt(theory.variance / params.n_samples), NORMAL),
        _pair_variance_band(params, theory, sample.kurtosis - 3),
        _kurtosis_band(theory.excess_kurtosis, _pair_kurtosis_error(params, theory)),
    )


def _pair_variance_band(params, theory, measured_excess):
    """The gamma band of the variance of pairs, and whether it covers 95 % or is a rough one."""
    error, source = pair_variance_error(theory, params.n_samples, measured_excess)
    if source == EXACT and error:
        source = _gamma_source(params.law, (theory.variance / error) ** 2)
    return _Band.gamma(theory.variance, error, source)


def _gamma_source(law, shape):
    light = np.isfinite(COMPONENT_LAWS[law].moments).all()
    return GAMMA if light or shape > _HEAVY_TAIL_SHAPE else ROUGH_GAMMA


def _kurtosis_band(predicted, error):
    """The normal band of an excess kurtosis: good while the error is small, and none if it can hardly be missed."""
    band = _Band.normal(predicted, error, EXACT)
    if not math.isfinite(band.standard_error):
        return band
    if band.low < -2:
        return band._replace(low=-math.inf, high=math.inf, error_source=NO_BAND)
    small = error <= _LARGEST_KURTOSIS_ERROR * (3 + predicted)
    return band._replace(error_source=NORMAL if small else ROUGH_NORMAL)


def _pair_kurtosis_error(params, theory):
    if not np.isfinite(COMPONENT_LAWS[params.law].moments).all():
        return math.inf
    if theory.variance == 0:
        return math.nan
    return math.sqrt(_kurtosis_influence_variance(params) / params.n_samples)


def _kurtosis_influence_variance(params):
    """E (z⁴ − 2κ z² − 4 skewness z + κ)², what one independent score adds to n Var(m₄/m₂²)."""
    moments = score_moments(params)
    skewness, kurtosis = moments[3:5]
    influence = (kurtosis, -4 * skewness, -2 * kurtosis, 0.0, 1.0)  # coefficients of z⁰, …, z⁴
    return np.convolve(influence, influence) @ moments


def score_moments(params: ScoreVarianceParams) -> NDArray[np.float64]:
    """Return the exact standardised moments E zʲ, j = 0, …, 8, of one score q·k.

    Examples
    --------
    >>> score_moments(ScoreVarianceParams(d_k=1))[::2]   # squares of 1, 1, 3, 15, 105
    array([1.0000e+00, 1.0000e+00, 9.0000e+00, 2.2500e+02, 1.1025e+04])
    """
    cumulants = params.d_k * _to_cumulants(_product_moments(params))
    cumulants[1] = 0.0
    return _to_moments(cumulants / math.sqrt(cumulants[2]) ** np.arange(9))


def _product_moments(params):
    """E (q k)ʲ, j = 0, …, 8, of one component: k = ρ a + u, u independent of q = mean_q + a."""
    law, rho = COMPONENT_LAWS[params.law], params.correlation
    of_a = np.eye(17)[0]
    of_a[2::2] = [law.even_moment(r) for r in range(1, 9)]
    of_u = _shifted(of_a[:9] * math.sqrt(1 - rho**2) ** np.arange(9), params.mean_k, 9)
    moments = np.ones(9)
    for j in range(1, 9):
        i = np.arange(j + 1)
        of_q_and_a = [_shifted(of_a[p : p + 9], params.mean_q, 9)[j] for p in i]  # E qʲ aᵖ
        moments[j] = np.sum(binom(j, i) * float(rho) ** i * of_u[j - i] * of_q_and_a)
    return moments


def _shifted(moments, shift, count):
    """E w (shift + a)ʲ, j < count, from E w aʲ."""
    powers = float(shift) ** np.arange(count)
    return np.array([binom(j, np.arange(j + 1)) * powers[j::-1] @ moments[: j + 1] for j in range(count)])


def _to_cumulants(moments):
    cumulants = np.zeros(9)
    for n in range(1, 9):
        j = np.arange(1, n)
        cumulants[n] = moments[n] - np.sum(binom(n - 1, j - 1) * cumulants[j] * moments[n - j])
    return cumulants


def _to_moments(cumulants):
    moments = np.eye(9)[0]
    for n in range(1, 9):
        j = np.arange(1, n + 1)
        moments[n] = np.sum(binom(n - 1, j - 1) * cumulants[j] * moments[n - j])
    return moments


def pair_variance_error(theory: DotProductMoments, n_samples: int, measured_excess: float) -> tuple[float, str]:
    """Return √[(μ₄ − σ⁴ (n−3)/(n−1))/n], the standard error of the variance of n pairs, and its source.

    The exact excess kurtosis is used if the law has one, the measured one otherwise.
    """
    excess, source = theory.excess_kurtosis, EXACT
    if theory.variance and not math.isfinite(excess):
        excess, source = measured_excess, ROUGH_ESTIMATE
    if not theory.variance:
        return 0.0, source
    n = n_samples
    return theory.variance * math.sqrt((excess + 3 - (n - 3) / (n - 1)) / n), source


def _matrix_bands(params, theory, sample):
    m, n, d_k = params.n_queries, params.n_keys, params.d_k
    mean_variance = d_k * (1 / (m * n) + params.mean_q**2 / n + params.mean_k**2 / m)
    mean = _Band.normal(theory.mean, math.sqrt(mean_variance), NORMAL)
    if params.law == "normal" and _is_centred(params):
        # √(m n) times the mean is itself a dot product of d_k normal components
        edge = float(dot_product_ppf(0.975, d_k)) / math.sqrt(m * n)
        mean = mean._replace(low=-edge, high=edge, error_source=EXACT)
    return mean, _matrix_variance_band(params), _matrix_kurtosis_band(params, theory, sample)


def _matrix_kurtosis_band(params, theory, sample):
    law, n_scores = COMPONENT_LAWS[params.law], params.n_queries * params.n_keys
    if not np.isfinite(law.moments).all():
        return _kurtosis_band(theory.excess_kurtosis, math.inf)
    if params.mean_q or params.mean_k:
        error = two_way_error(sample.kurtosis_influence())
        return _two_way_band(params, theory.excess_kurtosis, error)
    shared = (params.n_queries + params.n_keys - 2) * shared_row_covariance(params.d_k, law.moments)
    error = math.sqrt((_kurtosis_influence_variance(params) + shared) / n_scores)
    return _kurtosis_band(theory.excess_kurtosis, error)


def shared_row_covariance(d_k: int, moments: Sequence[float]) -> float:
    """Return the variance, over queries, of E(z⁴ − 2κ z² + κ | q), components centred and independent.

    With u = q_i², E(S⁴ | q) = 3 (Σu)² + (K − 3) Σu². The part that varies with q is Σ h(u_i) +
    3 Σ_{i≠j} (u_i − 1)(u_j − 1) with h(u) = K u² + ((6 − 2κ) d_k − 6) u, and the two sums are uncorrelated.

    Examples
    --------
    >>> shared_row_covariance(1, (1.0, 3.0, 15.0, 105.0))   # Var(3 q⁴ − 18 q²) = 864 - 1296 + 648
    216.0
    """
    _, K, sixth, eighth = moments
    slope = (6 - 2 * (3 + (K**2 - 3) / d_k)) * d_k - 6
    of_h = K**2 * (eighth - K**2) + 2 * K * slope * (sixth - K) + slope**2 * (K - 1)
    return (d_k * of_h + 18 * d_k * (d_k - 1) * (K - 1) ** 2) / d_k**4


def _two_way_band(params, predicted, error):
    # The smaller side of the matrix is the number of independent things the error is estimated from.
    quantile = float(stdtrit(min(params.n_queries, params.n_keys) - 1, 0.975))
    return _Band.normal(predicted, error, ESTIMATED, quantile)


def _matrix_variance_band(params):
    """The gamma band with the exact mean and variance; simulated where that is no good and the matrices are small."""
    shape = params.n_queries, params.n_keys, params.d_k
    mean, variance = _matrix_variance_moments(params)
    gamma_shape = mean**2 / variance
    source = _gamma_source(params.law, gamma_shape)
    band = _Band.gamma(float(mean), math.sqrt(variance), source)
    if gamma_shape >= SMALLEST_GAMMA_SHAPE:
        return band
    if params.law == "normal" and _is_centred(params):
        low, high = score_variance_band(*shape)
    elif _simulated_matrices(shape):
        low, high = _simulated_band(params.law, params.mean_q, params.mean_k, shape)
    else:
        return band._replace(error_source=ROUGH_GAMMA)
    return band._replace(low=low, high=high, error_source=SIMULATED)


def _matrix_variance_moments(params):
    kurtosis = COMPONENT_LAWS[params.law].kurtosis
    return score_variance_moments(
        params.n_queries,
        params.n_keys,
        params.d_k,
        kurtosis_q=kurtosis,
        kurtosis_k=kurtosis,
        mean_q=params.mean_q,
        mean_k=params.mean_k,
    )


@lru_cache(maxsize=256)
def _simulated_band(law, mean_q, mean_k, shape):
    """95 % band of the variance of the entries, over matrices of a fixed seed."""
    (n_queries, n_keys, d_k), draw = shape, COMPONENT_LAWS[law].draw
    rng, per_matrix = np.random.default_rng(64), numbers_of(shape)
    n_matrices = _simulated_matrices(shape)
    variances: list[float] = []
    while len(variances) < n_matrices:
        block = min(n_matrices - len(variances), max(1, _BLOCK // per_matrix))
        Q = mean_q + draw(rng, (block, n_queries, d_k))
        K = mean_k + draw(rng, (block, n_keys, d_k))
        variances.extend(_variances_of_products(Q, K))
    return tuple(map(float, np.quantile(variances, (0.025, 0.975))))


def _simulated_matrices(shape):
    """How many matrices are simulated for a band; none where even the fewest would take too many numbers."""
    affordable = _MOST_NUMBERS // numbers_of(shape)
    return min(affordable, _MATRICES[1]) if affordable >= _MATRICES[0] else 0


def _variances_of_products(Q, K):
    """np.var of the entries of each Q Kᵀ, without the entries where d_k is small.

    m n np.var = tr(G_q G_k) + n k̄ᵀ G_q k̄ + m q̄ᵀ G_k q̄ with G = Σ (row − mean)(row − mean)ᵀ, means q̄ and k̄.
    """
    (_, m, d_k), n = Q.shape, K.shape[1]
    if d_k > min(m, n):
        return np.var(Q @ K.swapaxes(-1, -2), axis=(-1, -2))
    mean_q, mean_k = Q.mean(axis=1, keepdims=True), K.mean(axis=1, keepdims=True)
    G_q, G_k = ((rows - mean).swapaxes(1, 2) @ (rows - mean) for rows, mean in ((Q, mean_q), (K, mean_k)))
    means = n * (mean_k @ G_q * mean_k).sum(axis=(1, 2)) + m * (mean_q @ G_k * mean_q).sum(axis=(1, 2))
    return ((G_q * G_k).sum(axis=(1, 2)) + means) / (m * n)


def numbers_of(shape: tuple[int, int, int]) -> int:
    """How many random numbers one matrix of scores (n_queries, n_keys, d_k) takes."""
    n_queries, n_keys, d_k = shape
    return (n_queries + n_keys) * d_k


def two_way_error(influence: NDArray[np.float64]) -> float:
    """Return the standard error of a matrix mean whose rows and columns are both drawn.

    Var(mean) = s²(row means)/m + s²(column means)/n − s²(rest)/(m n), and at least the last term.

    Examples
    --------
    >>> two_way_error(np.array([[1.0, 1.0], [3.0, 3.0]]))   # rows 1 and 3: s² = 2, over 2 rows
    1.0
    """
    m, n = influence.shape
    rows, columns = influence.mean(axis=1), influence.mean(axis=0)
    rest = influence - rows[:, None] - columns + influence.mean()
    rest_part = np.sum(rest**2) / ((m - 1) * (n - 1)) / (m * n)
    total = rows.var(ddof=1) / m + columns.var(ddof=1) / n - rest_part
    return math.sqrt(max(total, rest_part))


@record
class VarianceCurve:
    """Variance against d_k, raw and after two divisions; axis 0 is the rule, axis 1 the dimension.

    Attributes
    ----------
    dims : tuple of int
        The dimensions d_k.
    exponents : tuple of float
        The scores are multiplied by d_k^(−exponent): 0 (raw), 0.5 (÷ √d_k), 1 (÷ d_k).
    measured, theory, low, high : ndarray, shape (3, n_dims)
        Measured variance, its theory and the 95 % band around the theory.
    error_source : str
        Where the band at the smallest dimension, the least certain one, comes from, as in `MomentRow`.
    """

    dims: tuple[int, ...]
    exponents: tuple[float, float, float]
    measured: NDArray[np.float64]
    theory: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    error_source: str

    @property
    def is_rough(self) -> bool:
        """Whether the band at the smallest dimension is only a rough one: it does not cover 95 %."""
        return self.error_source in ROUGH


def variance_curve_price(dims: Sequence[int], n_samples: int, law: str = "normal") -> Price:
    """Return the `Price` of `variance_curve`, and an upper bound of that of `random_walks` to its last dimension."""
    return Price(0.01 + coordinate_seconds(PairLaw(law)) * dims[-1] * n_samples, 64 * n_samples + 200 * dims[-1])


@priced(lambda dims, *, n_samples, law="normal", **_: variance_curve_price(dims, n_samples, law))
def variance_curve(
    dims: Sequence[int],
    *,
    n_samples: int,
    law: str = "normal",
    mean_q: float = 0.0,
    mean_k: float = 0.0,
    correlation: float = 0.0,
    seed: int,
) -> VarianceCurve:
    """Measure Var(q·k / d_k^a) at every d_k of dims for a = 0, 1/2 and 1, on one growing draw.

    Parameters
    ----------
    dims : sequence of int
        Strictly increasing dimensions, each at least 1.
    n_samples : int
        Independent pairs, at least 4.
    law, mean_q, mean_k, correlation, seed
        As in `append_coordinates`, whose draw this is.

    Returns
    -------
    VarianceCurve
        ``low <= theory <= high`` everywhere.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range.

    Notes
    -----
    The theory is exact for independent pairs with iid components. Points at neighbouring
    dimensions share coordinates, so their errors go the same way.

    References
    ----------
    Vaswani et al. (2017), Attention Is All You Need, section 3.2.1, footnote 4.

    Examples
    --------
    >>> variance_curve((4, 16), n_samples=100, seed=0).theory
    array([[ 4.    , 16.    ],
           [ 1.    ,  1.    ],
           [ 0.25  ,  0.0625]])
    """
    dims = check_dims(dims)
    params = ScoreVarianceParams(dims[-1], n_samples, law, mean_q, mean_k, correlation, seed=seed)
    records, sources, pair_law = [], [], PairLaw(law, mean_q, mean_k, correlation)
    for d_k, scores in zip(dims, growing_scores(dims, n_samples, pair_law, seed), strict=True):
        _, variance, excess_kurtosis = sample_moments(scores)
        band = _pair_variance_band(params, _theory(replace(params, d_k=d_k)), excess_kurtosis)
        records.append((variance, band.predicted, band.low, band.high))
        sources.append(band.error_source)
    exponents = (0.0, 0.5, 1.0)
    factors = np.array([[scale_factor(d_k, a) ** 2 for d_k in dims] for a in exponents])
    measured, theory, low, high = (factors * column for column in np.transpose(records))
    return VarianceCurve(dims, exponents, measured, theory, low, high, sources[0])


@record
class RandomWalks:
    """A dot product as a walk: after step t the walk stands at the sum of the first t products.

    Attributes
    ----------
    steps : ndarray of int, shape (d_k + 1,)
        0, 1, …, d_k.
    walks : ndarray, shape (n_walks, d_k + 1)
        Partial sums; the first column is 0, the last one the raw scores at d_k.
    mean, std, low, high : ndarray, shape (d_k + 1,)
        Theory at every step: mean, standard deviation, and mean ∓ one standard deviation.
    """

    steps: NDArray[np.int_]
    walks: NDArray[np.float64]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@priced(lambda d_k, *, n_walks=6, law="normal", **_: variance_curve_price((d_k,), n_walks, law))
def random_walks(
    d_k: int,
    *,
    n_walks: int = 6,
    law: str = "normal",
    mean_q: float = 0.0,
    mean_k: float = 0.0,
    correlation: float = 0.0,
    seed: int,
) -> RandomWalks:
    """Follow n_walks dot products coordinate by coordinate: Σ_{i ≤ t} q_i k_i for t = 0, …, d_k.

    Parameters
    ----------
    d_k : int
        Number of steps, at least 1.
    n_walks : int
        Number of walks, at least 1.
    law, mean_q, mean_k, correlation, seed
        As in `append_coordinates`, whose draw this is.

    Returns
    -------
    RandomWalks
        Walks of a smaller d_k are the beginning of the walks of a larger one.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range.

    Notes
    -----
    Steps are independent and identically distributed, so mean and variance grow in proportion
    to t: the envelope is a parabola on its side. With a mean the walks also drift.

    References
    ----------
    Feller (1968), An Introduction to Probability Theory and Its Applications, vol. 1, chapter III.

    Examples
    --------
    >>> random_walks(4, law="rademacher", seed=0).std
    array([0.        , 1.        , 1.41421356, 1.73205081, 2.        ])
    """
    n_walks = check_integer("n_walks", n_walks, 1)
    params = ScoreVarianceParams(d_k, 4, law, mean_q, mean_k, correlation, seed=seed)
    one, pair_law = _theory(replace(params, d_k=1)), PairLaw(law, mean_q, mean_k, correlation)
    products = list(coordinate_products(0, d_k, n_walks, pair_law, seed))
    walks = np.cumsum([np.zeros(n_walks), *products], axis=0).T
    steps = np.arange(d_k + 1)
    mean, std = steps * one.mean, np.sqrt(steps * one.variance)
    return RandomWalks(steps, walks, mean, std, mean - std, mean + std)


@record
class ExampleDots:
    """Dot products of vectors typed by hand, with their mean and population variance (ddof = 0)."""

    dots: NDArray[np.float64]
    mean: float
    variance: float


def hand_made_example(q_rows: ArrayLike, k_rows: ArrayLike) -> ExampleDots:
    """Return the dot products q_i·k_i of vectors given by hand, their mean and their variance.

    Parameters
    ----------
    q_rows, k_rows : array_like, shape (n_rows, d_k)
        As many keys as queries, of the same length, no entry above a million in size.

    Returns
    -------
    ExampleDots
        ``dots`` of shape (n_rows,), ``mean``, and ``variance`` divided by n_rows.

    Raises
    ------
    ValueError, TypeError
        If the shapes differ or an entry is not a finite number within the bound.

    Notes
    -----
    Three vectors picked by hand show the arithmetic, not the law: their variance tells nothing
    about d_k. For that the vectors must be drawn at random.

    References
    ----------
    Vaswani et al. (2017), Attention Is All You Need, section 3.2.1.

    Examples
    --------
    >>> hand_made_example([[1, 2], [1, 4], [8, 9]], [[2, 3], [5, 6], [10, 2]])
    ExampleDots(dots=<array of shape (3,)>, mean=45.0, variance=1478.0)
    """
    q_rows = check_array("q_rows", q_rows, ndim=2, min_length=1)
    k_rows = check_array("k_rows", k_rows, ndim=2, min_length=1)
    if q_rows.shape != k_rows.shape or not len(q_rows):
        raise ValueError(
            "q and k must hold equally many vectors of one length, at least one each, "
            f"but q is {q_rows.shape[0]} × {q_rows.shape[1]} and k is {k_rows.shape[0]} × {k_rows.shape[1]}"
        )
    largest = max(np.abs(q_rows).max(), np.abs(k_rows).max())
    if largest > MAX_MAGNITUDE:
        raise ValueError(f"q and k must lie between ±{MAX_MAGNITUDE:g}, but got {largest:g}")
    dots = np.sum(q_rows * k_rows, axis=-1)
    return ExampleDots(dots, float(dots.mean()), float(dots.var()))
