"""Why did a 2 × 2 experiment give 1.6? Variance of the entries of one product of random matrices.

The variance of a few dependent entries scatters widely, and at 2 × 2 its mean is 1.5, not 2.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from sattn_core._checks import check_array, check_integer
from sattn_core.bands.matrix_variance import moments_of_variance, score_variance_band
from sattn_core.bands.standard_errors import share_error
from sattn_core.draws.matrix_products import (
    independent_entries_std,
    matrix_variance_sweep,
    matrix_variances,
    reference_distribution,
)
from sattn_core.draws.phones import MOST_PER_PHONE, MOST_PHONES, phone_draws
from sattn_core.files.typed import MAX_MAGNITUDE
from sattn_core.laws.moments import dot_product_moments

ASKED_VALUE = 1.6  # printed by the experiment in the question
PUBLISHED_ROWS, PUBLISHED_D_K = 1111, 111
PUBLISHED = (0.9998308190814476, 0.9957289239999045, 110.5603610976103, 0.9960392891676604)
HISTOGRAM_BINS = 60
HIGHEST_RATIO = 4.0  # last bin edge of a `DrawSweep`
NEAR = 0.1  # a variance is near d_k if it differs by less than this share of d_k
DEFAULT_SIZES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
MOST_DRAWS = 10_000


@dataclass(frozen=True)
class SmallSamplesParams:
    """Settings of many draws of A (size × d_k) and B (d_k × size), and of the variance of A B's entries."""

    size: int = 2  # 2 to 64
    d_k: int = 2  # 1 to 1,024
    ddof: int = 0  # 0 or 1: the variance divides by size² − ddof
    n_draws: int = 2_000  # 1 to 10,000; more draws leave the first ones unchanged
    seed: int = 0  # at least 0

    def __post_init__(self) -> None:
        check_integer("size", self.size, 2, 64)
        check_integer("d_k", self.d_k, 1, 1024)
        check_integer("ddof", self.ddof, 0, 1)
        check_integer("n_draws", self.n_draws, 1, MOST_DRAWS)
        check_integer("seed", self.seed, 0)


@dataclass(frozen=True)
class DrawCheck:
    """One statistic of the draws beside its prediction; shares are in per cent."""

    name: str  # "mean", "median", or a share: "below 1.6" or "near d_k"
    # predicted, predicted_error: prediction and its standard error, from reference draws; exact for the mean
    predicted: float
    predicted_error: float
    # measured, standard_error: statistic of the draws, and its predicted standard error
    measured: float
    standard_error: float
    z: float  # (measured − predicted) / √(predicted_error² + standard_error²); NaN if both errors are 0


@dataclass(frozen=True, eq=False)
class SmallSamplesResult:
    """Variances of the entries of many small products."""

    params: SmallSamplesParams
    variances: NDArray[np.float64]  # (n_draws,): in order of drawing
    # first_A, first_B, first_product: matrices of the first draw
    first_A: NDArray[np.float64]
    first_B: NDArray[np.float64]
    first_product: NDArray[np.float64]
    # mean_theory, std_theory: exact mean and standard deviation of one variance; the mean is d_k only for ddof = 1
    mean_theory: float
    std_theory: float
    # mean_measured, standard_error: mean of the draws, and std_theory / √n_draws
    # z: (mean_measured − mean_theory) / standard_error
    mean_measured: float
    standard_error: float
    z: float
    # median, median_error: median of the reference draws (at most 400,000), and its standard error
    median: float
    median_error: float
    # low, high: 5 % and 95 % quantiles of the reference draws
    low: float
    high: float
    band: tuple[float, float]  # `score_variance_band` at 95 %, for this ddof
    # value: the number in question, 1.6
    # percentile, percentile_error: percentage of reference draws below value, and its standard error
    value: float
    percentile: float
    percentile_error: float
    edges: NDArray[np.float64]  # (61,)
    counts: NDArray[np.int_]  # (60,): number of draws in each bin; `above` counts draws beyond the last edge
    above: int
    expected: NDArray[np.float64]  # (60,): expected counts, from the reference draws
    checks: tuple[DrawCheck, ...]  # "mean", "median", "below 1.6" and "near d_k"


@dataclass(frozen=True)
class VarianceCheck:
    """One variance of the large experiment beside its exact mean and standard deviation."""

    name: str
    # measured: measured variance, ddof = 0
    # mean, std, z: exact mean and standard deviation of measured, and (measured − mean) / std
    measured: float
    mean: float
    std: float
    z: float
    # published, published_z: the same variance as printed in the public answer, and its z
    published: float
    published_z: float


@dataclass(frozen=True)
class LargeExperiment:
    """One product (n, d_k) @ (d_k, n) beside the published run."""

    n_rows: int
    d_k: int
    seed: int
    rows: tuple[VarianceCheck, ...]  # A, B, product, scaled product
    naive_std: float  # standard deviation for independent entries: wrong, far too small
    # naive_z, published_naive_z: (variance of the product − d_k) / naive_std for both runs; wrongly large
    naive_z: float
    published_naive_z: float
    # band, naive_band: right and naive 95 % band of the product's variance
    band: tuple[float, float]
    naive_band: tuple[float, float]
    explained_share: float  # share of the product variance's scatter that var(A) and var(B) explain
    # from_factors, published_from_factors: d_k · var(A) · var(B), the product's expected variance given var(A), var(B)
    from_factors: float
    published_from_factors: float
    # residual_std: standard deviation of the product's variance given var(A) and var(B)
    # residual_z, published_residual_z: (variance of the product − from_factors) / residual_std for both runs
    residual_std: float
    residual_z: float
    published_residual_z: float
    dot_equals_matmul: bool  # np.dot(A, B) and A @ B agree to rounding
    largest_difference: float  # largest entry of |np.dot(A, B) − A @ B|


@dataclass(frozen=True, eq=False)
class BandCurve:
    """95 % band of var(A B) against the size of the matrices; arrays have one entry per size."""

    sizes: tuple[int, ...]
    d_k: int
    ddof: int
    # mean, std, low, high: exact mean and standard deviation, and the 95 % band
    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    # naive_low, naive_high: band for independent entries, which is wrong
    naive_low: NDArray[np.float64]
    naive_high: NDArray[np.float64]
    measured: NDArray[np.float64]  # (n_sizes, n_draws): measured variances
    # share_inside, naive_share_inside: share of the measured variances inside the band, and inside the naive band
    share_inside: NDArray[np.float64]
    naive_share_inside: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DrawSweep:
    """Ratios var(A B) / d_k of many small products; a larger d_k extends the same draws."""

    dims: tuple[int, ...]
    size: int
    ddof: int
    seed: int
    ratios: NDArray[np.float64]  # (n_dims, n_draws): variance ÷ d_k, in order of drawing
    mean_theory: float  # exact mean of a ratio at every d_k; 1 for ddof = 1
    std_theory: NDArray[np.float64]  # (n_dims,): exact standard deviation of a ratio
    edges: NDArray[np.float64]  # (61,): bin edges from 0 to `HIGHEST_RATIO`
    bins: NDArray[np.intp]  # (n_dims, n_draws): bin index of every ratio; 60 means beyond the last edge

    def first(self, n_draws: int) -> "FirstDraws":
        """Return the first n_draws draws at every d_k, with their counts."""
        if not 1 <= n_draws <= self.ratios.shape[1]:
            raise ValueError(f"n_draws must be between 1 and {self.ratios.shape[1]}, but got {n_draws}")
        bins, n_dims, width = self.bins[:, :n_draws], len(self.dims), HISTOGRAM_BINS + 1
        places = bins + width * np.arange(n_dims)[:, None]
        counts = np.bincount(places.ravel(), minlength=n_dims * width).reshape(n_dims, width)
        ratios = self.ratios[:, :n_draws]
        return FirstDraws(ratios, counts[:, :-1], counts[:, -1], (np.abs(ratios - 1) < NEAR).sum(axis=1))


@dataclass(frozen=True, eq=False)
class FirstDraws:
    """First draws of a `DrawSweep` at every d_k, with their counts."""

    ratios: NDArray[np.float64]  # (n_dims, n_draws)
    counts: NDArray[np.int_]  # (n_dims, 60): number of draws in each bin
    # above, near (n_dims,): number of ratios beyond the last edge, and of ratios within 0.1 of 1
    above: NDArray[np.int_]
    near: NDArray[np.int_]

    def check(self, sweep: DrawSweep, i: int) -> "DrawCheck":
        """Compare the mean of the ratios at ``sweep.dims[i]`` with its exact value."""
        ratios = self.ratios[i]
        error = float(sweep.std_theory[i]) / math.sqrt(len(ratios))
        return _draw_check("mean", sweep.mean_theory, 0.0, ratios.mean(), error)


@dataclass(frozen=True, eq=False)
class ClassDraws:
    """Draws of the first phones of a class together; `phone_draws` returns the draws of one phone."""

    # n_phones, per_phone, size, d_k, ddof, seed: as in `class_draws`
    n_phones: int
    per_phone: int
    size: int
    d_k: int
    ddof: int
    seed: int
    variances: NDArray[np.float64]  # (n_phones, per_phone): row i holds the draws of phone i
    # mean_theory, std_theory: exact mean and standard deviation of one variance
    mean_theory: float
    std_theory: float
    # mean_measured, standard_error: mean of all n draws, and std_theory / √n; NaN without draws
    # z: (mean_measured − mean_theory) / standard_error; NaN without draws
    mean_measured: float
    standard_error: float
    z: float
    # means, errors (n_phones,): mean and its standard error over the first phone, the first two phones, and so on
    means: NDArray[np.float64]
    errors: NDArray[np.float64]
    value: float  # the number in question (1.6)
    # edges, counts, above, expected: as in `SmallSamplesResult`, for all draws together
    edges: NDArray[np.float64]
    counts: NDArray[np.int_]
    above: int
    expected: NDArray[np.float64]


def draw_sweep(dims: Sequence[int], *, size: int = 2, ddof: int = 0, n_draws: int = 200, seed: int = 0) -> DrawSweep:
    """Repeat the experiment at every d_k with the same draws: E[var(A B) / d_k] = 1 − 1/size² for ddof = 0."""
    each = [SmallSamplesParams(size, d_k, ddof, n_draws, seed) for d_k in dims]
    if not each or any(left >= right for left, right in pairwise(dims)):
        raise ValueError(f"dims must hold at least one d_k and rise, but got {tuple(dims)}")
    unbias, over = _unbias(size, ddof), 1 / np.array(dims)
    ratios = unbias * over[:, None] * matrix_variance_sweep(size, dims, n_draws, seed)
    moments = [_mean_and_std(params, unbias) for params in each]
    edges = np.linspace(0.0, HIGHEST_RATIO, HISTOGRAM_BINS + 1)
    bins = np.minimum(ratios * (HISTOGRAM_BINS / HIGHEST_RATIO), HISTOGRAM_BINS).astype(np.intp)
    return DrawSweep(
        tuple(dims), size, ddof, seed, ratios, moments[0][0] / dims[0], over * [std for _, std in moments], edges, bins
    )


def class_draws(
    n_phones: int, per_phone: int = 10, *, size: int = 2, d_k: int = 2, ddof: int = 0, seed: int = 0
) -> ClassDraws:
    """Repeat the experiment on the first n_phones phones of a class; a phone's draws do not depend on n_phones."""
    check_integer("n_phones", n_phones, 0, MOST_PHONES)
    params = SmallSamplesParams(size, d_k, ddof, check_integer("per_phone", per_phone, 1, MOST_PER_PHONE), seed)
    options = {"size": size, "d_k": d_k, "ddof": ddof, "seed": seed}
    phones = [phone_draws(i, per_phone, **options).variances for i in range(n_phones)]
    variances = np.array(phones).reshape(n_phones, per_phone)
    mean_theory, std_theory = _mean_and_std(params, _unbias(size, ddof))
    n, many = variances.size, per_phone * np.arange(1, n_phones + 1)
    mean, error = (float(variances.mean()), std_theory / math.sqrt(n)) if n else (math.nan, math.nan)
    edges = _edges(size, d_k, ddof)
    counts = np.histogram(variances, edges)[0]
    law = reference_distribution(size, d_k, ddof, ASKED_VALUE, float(edges[-1]), HISTOGRAM_BINS)
    return ClassDraws(
        n_phones, per_phone, **options, variances=variances, mean_theory=mean_theory, std_theory=std_theory,
        mean_measured=mean, standard_error=error, z=(mean - mean_theory) / error,
        means=np.cumsum(variances.sum(axis=1)) / many, errors=std_theory / np.sqrt(many), value=ASKED_VALUE,
        edges=edges, counts=counts, above=int(n - counts.sum()), expected=n * law.shares,
    )  # fmt: skip


def measure_small_samples(params: SmallSamplesParams) -> SmallSamplesResult:
    """Repeat the small experiment: V = variance of the entries of A B, with E V = d_k (1 − 1/size²) for ddof = 0.

    The first draw multiplies its two matrices. All other variances are drawn from their exact distribution,
    see `matrix_variances`.
    """
    A, B = _first_matrices(params.size, params.d_k, params.seed)
    unbias = _unbias(params.size, params.ddof)
    variances = unbias * _draw(params.size, params.d_k, params.n_draws, params.seed)
    mean_theory, std_theory = _mean_and_std(params, unbias)
    error = std_theory / math.sqrt(params.n_draws)
    edges = _edges(params.size, params.d_k, params.ddof)
    counts = np.histogram(variances, edges)[0]
    law = reference_distribution(params.size, params.d_k, params.ddof, ASKED_VALUE, float(edges[-1]), HISTOGRAM_BINS)
    return SmallSamplesResult(
        params=params, variances=variances, first_A=A, first_B=B, first_product=A @ B,
        mean_theory=mean_theory, std_theory=std_theory,
        mean_measured=float(variances.mean()), standard_error=error,
        z=float((variances.mean() - mean_theory) / error),
        median=law.median, median_error=law.median_error, low=law.low, high=law.high,
        value=ASKED_VALUE, percentile=law.percentile, percentile_error=law.percentile_error,
        expected=law.shares * params.n_draws,
        checks=_draw_checks(params, variances, mean_theory, error, law),
        band=_band(params, unbias),
        edges=edges, counts=counts, above=int(len(variances) - counts.sum()),
    )  # fmt: skip


def _band(params, unbias):
    """Return the 95 % band of the variance of one draw."""
    low, high = score_variance_band(params.size, params.size, params.d_k)
    return low * unbias, high * unbias


def _mean_and_std(params, unbias):
    """Return the exact mean and standard deviation of the variance of one draw."""
    mean, variance = moments_of_variance(params.size, params.size, params.d_k)
    return mean * unbias, math.sqrt(variance) * unbias


def measure_large_experiment(
    n_rows: int = PUBLISHED_ROWS, d_k: int = PUBLISHED_D_K, *, seed: int = 0
) -> LargeExperiment:
    """Multiply (n, d_k) @ (d_k, n) once and compare var(A B) with d_k (1 − 1/n²) ± √(2 d_k (2n + d_k + 1))/n.

    Entries of A B are uncorrelated but dependent: entries of one row share a row of A. The formula for
    independent entries, 2 d_k (d_k + 3)/n², makes an ordinary result look three standard errors off.
    """
    n, d = check_integer("n_rows", n_rows, 2, 2048), check_integer("d_k", d_k, 2, 1024)
    rng = np.random.Generator(np.random.SFC64(check_integer("seed", seed, 0)))
    A, B = rng.standard_normal((n, d)), rng.standard_normal((d, n))
    product = A @ B
    measured = A.var(), B.var(), product.var(), (product / math.sqrt(d)).var()
    mean, variance = moments_of_variance(n, n, d)
    std, naive, residual = math.sqrt(variance), independent_entries_std(n, d), math.sqrt(2 * (d + 2) * (d - 1)) / n
    factors, published_factors = (d * a * b for a, b in (measured[:2], PUBLISHED[:2]))
    half = float(ndtri(0.975)) * naive
    return LargeExperiment(
        n_rows=n, d_k=d, seed=seed, rows=_variance_checks(measured, n, d, mean, std),
        naive_std=naive, naive_z=float((measured[2] - d) / naive),
        published_naive_z=(PUBLISHED[2] - d) / naive,
        band=score_variance_band(n, n, d), naive_band=(d - half, d + half),
        explained_share=2 * n / (2 * n + d + 1),
        from_factors=float(factors), published_from_factors=published_factors,
        residual_std=residual, residual_z=float((measured[2] - factors) / residual),
        published_residual_z=(PUBLISHED[2] - published_factors) / residual,
        **_dot_beside_matmul(A, B, product),
    )  # fmt: skip


def _dot_beside_matmul(A, B, product):
    """Compare `np.dot(A, B)` with the product A @ B, which may add in another order."""
    difference = np.abs(np.dot(A, B) - product)
    equal = bool((difference <= 1e-12 * (A.shape[1] + np.abs(product))).all())
    return {"dot_equals_matmul": equal, "largest_difference": float(difference.max())}


def band_curve(
    sizes: Sequence[int] = DEFAULT_SIZES, *, d_k: int = 2, ddof: int = 0, n_draws: int = 40, seed: int = 0
) -> BandCurve:
    """Return the exact band of var(A B) against the size of the matrices, with measured points."""
    each = [SmallSamplesParams(size, d_k, ddof, n_draws, seed) for size in sizes]
    if not each:
        raise ValueError("sizes must hold at least one size, but got ()")
    unbias = np.array([_unbias(params.size, ddof) for params in each])
    moments = np.array([moments_of_variance(params.size, params.size, d_k) for params in each])
    mean, std = moments[:, 0] * unbias, np.sqrt(moments[:, 1]) * unbias
    low, high = (np.array([score_variance_band(p.size, p.size, d_k) for p in each]) * unbias[:, None]).T
    naive = float(ndtri(0.975)) * unbias * [independent_entries_std(params.size, d_k) for params in each]
    measured = np.stack([_draw(p.size, d_k, n_draws, seed) for p in each]) * unbias[:, None]
    return BandCurve(
        sizes=tuple(params.size for params in each), d_k=d_k, ddof=ddof,
        mean=mean, std=std, low=low, high=high, naive_low=mean - naive, naive_high=mean + naive,
        measured=measured,
        share_inside=_share_inside(measured, low, high),
        naive_share_inside=_share_inside(measured, mean - naive, mean + naive),
    )  # fmt: skip


def _share_inside(measured, low, high):
    return ((measured >= low[:, None]) & (measured <= high[:, None])).mean(axis=1)


def _unbias(size, ddof):
    return size**2 / (size**2 - ddof)


def _draw(size, d_k, n_draws, seed):
    """Return np.var (ddof=0) of every product; the first is the product of `_first_matrices`."""
    A, B = _first_matrices(size, d_k, seed)
    return np.concatenate([[np.matmul(A, B).var()], matrix_variances(size, d_k, n_draws - 1, seed)])


def _first_matrices(size, d_k, seed):
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(0,))))
    return rng.standard_normal((size, d_k)), rng.standard_normal((d_k, size))


def _edges(size, d_k, ddof):
    """Return bin edges from 0 to four standard deviations above the mean."""
    mean, variance = moments_of_variance(size, size, d_k)
    return np.linspace(0.0, (mean + 4 * math.sqrt(variance)) * _unbias(size, ddof), HISTOGRAM_BINS + 1)


def _draw_checks(params, variances, mean, mean_error, law):
    near, ratio = np.abs(variances / params.d_k - 1) < NEAR, math.sqrt(law.n_draws / params.n_draws)
    shares = (("below 1.6", law.percentile, variances < ASKED_VALUE), ("near d_k", law.near_d_k, near))
    errors = [100 * float(share_error(share / 100, law.n_draws)) for _, share, _ in shares]
    return (
        _draw_check("mean", mean, 0.0, variances.mean(), mean_error),
        _draw_check("median", law.median, law.median_error, np.median(variances), law.median_error * ratio),
        *(_draw_check(name, share, error, 100 * inside.mean(), error * ratio)
          for (name, share, inside), error in zip(shares, errors, strict=True)),
    )  # fmt: skip


def _draw_check(name, predicted, predicted_error, measured, error):
    both = math.hypot(predicted_error, error)
    z = (measured - predicted) / both if both else math.nan
    return DrawCheck(name, predicted, predicted_error, float(measured), error, float(z))


def _variance_checks(measured, n, d, mean, std):
    N = n * d
    factor = (1 - 1 / N, math.sqrt(2 * (N - 1)) / N)
    laws = factor, factor, (mean, std), (mean / d, std / d)
    names = "A", "B", "product", "scaled product"
    return tuple(
        VarianceCheck(name, float(value), m, s, float((value - m) / s), printed, (printed - m) / s)
        for name, value, (m, s), printed in zip(names, measured, laws, PUBLISHED, strict=True)
    )


@dataclass(frozen=True, eq=False)
class ExampleDots:
    """Dot products of vectors chosen by hand, beside their spread for independent N(0, 1) components."""

    q_rows: NDArray[np.float64]  # (n, d_k): one vector per row
    k_rows: NDArray[np.float64]
    d_k: int  # components of a vector
    dots: NDArray[np.float64]  # (n,): q_i·k_i
    # mean, variance, std: moments of dots; the variance divides by n (ddof = 0)
    mean: float
    variance: float
    std: float
    std_theory: float  # √d_k, the standard deviation for independent N(0, 1) components


def hand_made_example(q_rows: ArrayLike, k_rows: ArrayLike) -> ExampleDots:
    """Return the dot products q_i·k_i of vectors chosen by hand, |components| at most 10⁶, and their spread."""
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
    d_k, dots = q_rows.shape[1], _sums(q_rows * k_rows)
    mean = _sums(dots) / len(dots)
    variance = float(np.mean(_sums(np.stack([dots, np.full_like(dots, -mean)], axis=-1)) ** 2))
    theory = dot_product_moments(d_k).variance
    return ExampleDots(q_rows, k_rows, d_k, dots, float(mean), variance, math.sqrt(variance), math.sqrt(theory))


def _sums(terms):
    """Return the sums along the last axis, with 0 for sums that differ from 0 only by rounding."""
    sums, rounding = terms.sum(axis=-1), np.finfo(float).eps * terms.shape[-1] * np.abs(terms).sum(axis=-1)
    return np.where(np.abs(sums) <= rounding, 0.0, sums)
