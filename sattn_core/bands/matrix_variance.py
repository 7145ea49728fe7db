"""Variance of one score matrix, over all entries and within rows: exact moments and bands."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import gammainccinv, gammaincinv

from sattn_core._checks import check_integer, check_number
from sattn_core._memory import remembered
from sattn_core.cost import CALL, DRAWN, MATRIX, MULTIPLIED, SORTED, Price
from sattn_core.laws.moments import check_kurtosis

# Below this shape parameter the matched gamma law misses one tail less often than the other. Two of the three sizes
# are small then, so simulation is cheap.
SMALLEST_GAMMA_SHAPE = 6.0
_SIMULATED_MATRICES = 25_000
_BLOCK = 5_000  # number of matrices at a time, 5 MB
_FEWEST_BEYOND = 25  # fewest simulated matrices beyond each end of a band: relative standard error of this number, 1/5


class ScoreVarianceMoments(NamedTuple):
    """Exact mean and variance of a variance (ddof=0) of one score matrix: over all entries, or within rows."""

    mean: float
    variance: float


def score_variance_moments(
    n_queries: int,
    n_keys: int,
    d_k: int,
    *,
    kurtosis_q: float = 3.0,
    kurtosis_k: float = 3.0,
    mean_q: float = 0.0,
    mean_k: float = 0.0,
) -> ScoreVarianceMoments:
    """Return the exact moments of V = np.var(Q K^T): E V = d_k (1 - 1/N), N = n_queries n_keys, for means of 0.

    Parameters
    ----------
    n_queries, n_keys, d_k : int
        Shape of the matrices, each at least 1.
    kurtosis_q, kurtosis_k, mean_q, mean_k : float
        As in `dot_product_moments`.

    Returns
    -------
    ScoreVarianceMoments
        (mean, variance) of V. For normal components of mean 0 the variance is
        2 d_k [(N - 2)(n_queries + n_keys + d_k + 1) + d_k + 3] / N^2. Both are 0 if N = 1; the variance
        is infinite if a kurtosis is and N > 1.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range.

    Notes
    -----
    All components are independent and symmetric with variance 1. With means of 0 the entries of Q K^T are
    uncorrelated but not independent, because scores of one row share the query. A formula for independent
    entries gives a far too narrow band (it covers 41 % instead of 95 % at 32 x 32 and d_k = 2).
    Derivation: let q be the mean of the rows of Q, and G = Q^T Q - n_queries q q^T. Given the queries,
    N V = sum_j k_j^T G k_j + n_queries sum_j (q^T (k_j - mean k))^2 is a quadratic form in the keys,
    x^T H x + 2 h^T x, with variance 2 |H|^2 + (kurtosis_k - 3) sum H_ii^2 + 4 |h|^2. The mean of this
    form is again a quadratic form in the queries.

    References
    ----------
    Muirhead (1982), Aspects of Multivariate Statistical Theory, chapter 3 (moments of Wishart traces).

    Examples
    --------
    >>> score_variance_moments(2, 2, 2)
    ScoreVarianceMoments(mean=1.5, variance=4.75)
    """
    m, n, d = _check_sizes(n_queries, n_keys, d_k)
    k_q, k_k = check_kurtosis("kurtosis_q", kurtosis_q), check_kurtosis("kurtosis_k", kurtosis_k)
    squares = (check_number(*mean) ** 2 for mean in (("mean_q", mean_q), ("mean_k", mean_k)))
    return moments_of_variance(m, n, d, k_q, k_k, *squares)


def moments_of_variance(
    m: int, n: int, d: int, k_q: float = 3.0, k_k: float = 3.0, square_q: float = 0.0, square_k: float = 0.0
) -> ScoreVarianceMoments:
    """Return `score_variance_moments` without checks; square_q and square_k are the squared means."""
    N = m * n
    if N == 1:
        return ScoreVarianceMoments(0.0, 0.0)
    mean = d * (1 - 1 / N + square_k * (1 - 1 / m) + square_q * (1 - 1 / n))
    if math.isinf(k_q * k_k):
        return ScoreVarianceMoments(mean, math.inf)
    of_keys = _variance_given_queries(m, n, d, k_q - 3, k_k - 3, square_q, square_k)
    of_queries = _variance_over_queries(m, n, d, k_q - 3, square_q, square_k)
    return ScoreVarianceMoments(mean, (of_keys + of_queries) / N**2)


def _variance_given_queries(m, n, d, excess_q, excess_k, square_q, square_k):
    """Return the variance of N V over keys, averaged over queries."""
    # Moments of an entry G_cc and of the mean q_c of one component; E G_cd^2 = m - 1 for c != d.
    diagonal = (m - 1) ** 2 + 2 * (m - 1) + excess_q * (m - 1) ** 2 / m
    both = square_q * (m - 1) + (m - 1) / m + excess_q * (m - 1) / m**2  # E G_cc q_c^2
    fourth = square_q**2 + 6 * square_q / m + (3 + excess_q / m) / m**2  # E q_c^4
    square_of_G = d * (diagonal + (d - 1) * (m - 1))
    length = d * fourth + d * (d - 1) * (square_q + 1 / m) ** 2  # E |q|^4
    square_of_H = n * square_of_G + 2 * m * (n - 1) * d * both + m**2 * (n - 1) * length
    step = m * (1 - 1 / n)
    diagonal_of_H = n * d * (diagonal + 2 * step * both + step**2 * fourth)
    return 2 * square_of_H + excess_k * diagonal_of_H + 4 * n * square_k * square_of_G


def _variance_over_queries(m, n, d, excess_q, square_q, square_k):
    """Return the variance over queries of N V averaged over keys."""
    square_of_H = (m - 1) * n**2 * d * (1 + 2 * square_k + square_k**2 * d) + (n - 1) ** 2 * d
    diagonal = (1 - 1 / m) * n * (1 + square_k) + (n - 1) / m
    return 2 * square_of_H + excess_q * m * d * diagonal**2 + 4 * (n - 1) ** 2 * square_q * m * d


def score_variance_band(n_queries: int, n_keys: int, d_k: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the interval (low, high) that holds V = np.var(Q K^T) with probability level.

    Parameters
    ----------
    n_queries, n_keys, d_k : int
        As in `score_variance_moments`.
    level : float
        Probability of the interval, above 0 and below 1; both sides are missed equally often. If matrices
        are simulated, at most 0.998, so that at least 25 of the 25,000 lie beyond each end.

    Returns
    -------
    tuple of two floats
        0 <= low <= high; both 0 if the matrix has a single entry.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range.

    Notes
    -----
    All components are independent N(0, 1). The band is that of the gamma law with the exact mean and
    variance of V. If this law has a shape below 6 (few entries or few dimensions), the band consists of
    quantiles of 25,000 simulated matrices with a fixed seed, so that the same sizes always give the same
    band. Measured coverage of the 95 % band: 94.5 % to 96 % from 2 x 2 entries and d_k = 2 upwards.

    References
    ----------
    Muirhead (1982), Aspects of Multivariate Statistical Theory, theorem 3.2.14 (Bartlett decomposition).

    Examples
    --------
    >>> low, high = score_variance_band(64, 64, 64)
    >>> round(low, 1), round(high, 1)
    (59.3, 68.9)
    """
    m, n, d = _check_sizes(n_queries, n_keys, d_k)
    level = check_number("level", level, 0, 1, open_low=True, open_high=True)
    moments = moments_of_variance(m, n, d)
    if moments.mean == 0:
        return 0.0, 0.0
    if _gamma_shape(moments) < SMALLEST_GAMMA_SHAPE:
        return _simulated_band("entries", (min(m, n), max(m, n), d), level)
    return _gamma_band(moments, level)


def row_variance_moments(
    n_queries: int, n_keys: int, d_k: int, *, kurtosis_q: float = 3.0, kurtosis_k: float = 3.0
) -> ScoreVarianceMoments:
    """Return the exact moments of W = np.var(Q K^T, axis=1).mean(): E W = d_k (1 - 1/n_keys).

    n_queries n_keys W = tr(A B) with A = Q^T Q and B = K^T K, where the mean key is subtracted from K. The entries of
    A are uncorrelated: off the diagonal they have mean 0 and variance n_queries, on the diagonal mean n_queries and
    the variance of a sum of squares. The same holds for B, with n_keys - 1 instead of n_queries.
    """
    m, n, d = _check_sizes(n_queries, n_keys, d_k)
    k_q, k_k = check_kurtosis("kurtosis_q", kurtosis_q), check_kurtosis("kurtosis_k", kurtosis_k)
    mean = d * (n - 1) / n
    if n == 1 or math.isinf(k_q * k_k):
        return ScoreVarianceMoments(mean, 0.0 if n == 1 else math.inf)
    free = n - 1
    var_a, var_b = m * (k_q - 1), free**2 * (k_k - 3) / n + 2 * free
    on = var_a * var_b + var_a * free**2 + var_b * m**2
    return ScoreVarianceMoments(mean, (d * on + 2 * d * (d - 1) * m * free) / (m * n) ** 2)


def row_variance_band(
    n_queries: int, n_keys: int, d_k: int, *, level: float = 0.95, kurtosis_q: float = 3.0, kurtosis_k: float = 3.0
) -> tuple[float, float]:
    """Return the interval (low, high) that holds W = np.var(Q K^T, axis=1).mean() with probability level.

    For components that are not normal, the band is that of the gamma law and approximate: the 95 % band has a measured
    coverage of 94 to 97 % for uniform, Student's t (5) and sparse components with their own kurtosis, from 32 x 32
    scores upwards, or from 128 x 128 at d_k = 2.
    """
    m, n, d = _check_sizes(n_queries, n_keys, d_k)
    level = check_number("level", level, 0, 1, open_low=True, open_high=True)
    moments = row_variance_moments(m, n, d, kurtosis_q=kurtosis_q, kurtosis_k=kurtosis_k)
    if moments.mean == 0:
        return 0.0, 0.0
    if math.isinf(moments.variance):
        return 0.0, math.inf
    if kurtosis_q == kurtosis_k == 3 and _gamma_shape(moments) < SMALLEST_GAMMA_SHAPE:
        return _simulated_band("rows", (m, n, d), level)
    return _gamma_band(moments, level)


def score_variance_band_price(n_queries: int, n_keys: int, d_k: int) -> Price:
    """Return the `Price` of the first call of `score_variance_band` with these sizes."""
    if _gamma_shape(moments_of_variance(n_queries, n_keys, d_k)) >= SMALLEST_GAMMA_SHAPE:
        return Price()
    m, n = sorted((n_queries, n_keys))
    rank, width = min(m, d_k), min(m, d_k, n - 1)
    drawn = _wishart_work(m, d_k) + _wishart_work(rank, n - 1) + DRAWN["standard_normal"] * rank
    matrix = drawn + MULTIPLIED * m * rank * (1 + width) + 2 * MATRIX + 3 * m * width + 5 * m + SORTED
    return Price(_SIMULATED_MATRICES * matrix + 120 * CALL, 400_000 + 120_000 * m * rank)


def _wishart_work(p, dof):
    """Return the work of one `_wishart_factor`."""
    normal = DRAWN["standard_normal"]
    return normal * p * dof if dof <= p else (normal + 2) * p * p + DRAWN["chisquare"] * p


def _gamma_shape(moments):
    return moments.mean**2 / moments.variance


def _gamma_band(moments, level):
    shape, unit, tail = _gamma_shape(moments), moments.variance / moments.mean, (1 - level) / 2
    return float(gammaincinv(shape, tail)) * unit, float(gammainccinv(shape, tail)) * unit


def _simulated_band(of, sizes, level):
    most = 1 - 2 * _FEWEST_BEYOND / _SIMULATED_MATRICES
    if level > most:
        rule = f"at most {most} for sizes so small, whose band is that of {_SIMULATED_MATRICES:,} simulated matrices"
        raise ValueError(f"level must be {rule}, but got {level!r}")
    return _simulated_quantiles(of, *sizes, level)


@remembered(4096)
def _simulated_quantiles(of, m, n, d, level):
    draw = _simulated_variances if of == "entries" else _simulated_row_variances
    rng = np.random.default_rng(64)
    draws = np.concatenate([draw(rng, m, n, d, _BLOCK) for _ in range(_SIMULATED_MATRICES // _BLOCK)])
    low, high = np.quantile(draws, ((1 - level) / 2, (1 + level) / 2))
    return float(low), float(high)


def _simulated_variances(rng, m, n, d, n_matrices):
    """Draw np.var(Q K^T) for m <= n, 1 < n, from factors no larger than m by min(m, d).

    Q K^T has the law of L Z^T with L (m, r), Z (n, r), r = min(m, d). An orthogonal transformation of
    the rows of Z that moves their mean into the first row z_1 gives N V = |L B|^2 + sum_i (x_i - mean x)^2
    with x = L z_1, where B B^T is Wishart with n - 1 degrees of freedom.
    """
    L = _wishart_factor(rng, n_matrices, m, d)  # (n_matrices, m, r)
    r = L.shape[-1]
    x = np.matmul(L, rng.standard_normal((n_matrices, r, 1)))[..., 0]
    LB = np.matmul(L, _wishart_factor(rng, n_matrices, r, n - 1))
    return ((LB**2).sum(axis=(1, 2)) + m * x.var(axis=1)) / (m * n)


def _simulated_row_variances(rng, m, n, d, n_matrices):
    """Draw the variance within rows, |Q Z^T|^2 / (m n), where Z has n - 1 independent rows, for 1 < n.

    The law is the same for m, n - 1 and d in any order, so the smallest of them bounds the factors.
    """
    smallest, middle, largest = sorted((m, n - 1, d))
    L = _wishart_factor(rng, n_matrices, smallest, middle)
    LB = np.matmul(L, _wishart_factor(rng, n_matrices, L.shape[-1], largest))
    return (LB**2).sum(axis=(1, 2)) / (m * n)


def _wishart_factor(rng, n_matrices, p, dof):
    """Draw A with A A^T ~ Wishart_p(dof): p by dof normals, or Bartlett's p by p triangle if dof > p."""
    if dof <= p:
        return rng.standard_normal((n_matrices, p, dof))
    A = np.tril(rng.standard_normal((n_matrices, p, p)), -1)
    i = np.arange(p)
    A[:, i, i] = np.sqrt(rng.chisquare(dof - i, (n_matrices, p)))
    return A


def _check_sizes(n_queries, n_keys, d_k):
    m = check_integer("n_queries", n_queries, 1)
    n = check_integer("n_keys", n_keys, 1)
    return m, n, check_integer("d_k", d_k, 1)
