"""Moments of a sample, and standard errors of a mean, a share, a variance and a kurtosis."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv


def sample_moments(values: NDArray[np.float64], ddof: int = 1) -> tuple[float, float, float]:
    """Return mean, variance (over n − ddof) and excess kurtosis m₄/m₂² − 3, which is NaN if all values are equal."""
    mean = values.mean()
    if np.ptp(values) == 0:
        return float(mean), 0.0, np.nan
    squares = np.square(values - mean)
    m2 = squares.mean()
    # Do not use a dot product: BLAS threads wait for a core on a busy machine.
    kurtosis = np.square(squares).mean() / m2**2 if m2 > 0 else np.nan
    return float(mean), float(m2 * values.size / (values.size - ddof)), float(kurtosis - 3)


def mean_and_error(values: NDArray[np.float64], axis: int = -1) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean along an axis and its standard error s/√n, NaN for a single value."""
    n = values.shape[axis]
    mean = values.mean(axis=axis)
    return mean, values.std(axis=axis, ddof=1) / math.sqrt(n) if n > 1 else np.full_like(mean, math.nan)


def share_error(share: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return √(share (1 − share)/n), the standard error of a share in a sample of n."""
    share = np.asarray(share, dtype=np.float64)
    return np.sqrt(share * (1 - share) / n)


def share_interval(count: ArrayLike, n: int, *, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the exact interval for the share count / n, of at least this level (Clopper and Pearson, 1934)."""
    count, tail = np.asarray(count, dtype=np.float64), (1 - level) / 2
    low = np.where(count > 0, betaincinv(np.maximum(count, 1), n - count + 1, tail), 0.0)
    return low, np.where(count < n, betaincinv(count + 1, np.maximum(n - count, 1), 1 - tail), 1.0)


def variance_error(variance: ArrayLike, excess_kurtosis: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return √[(μ₄ − σ⁴ (n−3)/(n−1))/n], the standard error of the variance (ddof=1) of n independent values."""
    excess = np.asarray(excess_kurtosis, dtype=np.float64)
    return np.asarray(variance, dtype=np.float64) * np.sqrt((excess + 3 - (n - 3) / (n - 1)) / n)


def kurtosis_error(moments: NDArray[np.float64], n: int, shared: float = 0.0) -> float:
    """Return the standard error of m₄/m₂² of many values: √[(E (z⁴ − 2κ z² − 4 skewness z + κ)² + shared)/n].

    ``moments`` are E zʲ, j = 0, …, 8; ``shared`` is the sum of a value's covariances with all others.
    """
    skewness, kurtosis = moments[3:5]
    influence = (kurtosis, -4 * skewness, -2 * kurtosis, 0.0, 1.0)  # coefficients of z⁰, …, z⁴
    return math.sqrt((np.convolve(influence, influence) @ moments + shared) / n)


def shared_row_covariance(d_k: int, moments: Sequence[float]) -> float:
    """Return the variance, over queries, of E(z⁴ − 2κ z² + κ | q) for independent components of mean 0.

    With u = q_i² and K = E a⁴, E(S⁴ | q) = 3 (Σu)² + (K − 3) Σu². With h(u) = K u² + ((6 − 2κ) d_k − 6) u, the part
    that varies with q is Σ h(u_i) + 3 Σ_{i≠j} (u_i − 1)(u_j − 1), and these two sums are uncorrelated.
    """
    _, K, sixth, eighth = moments
    slope = (6 - 2 * (3 + (K**2 - 3) / d_k)) * d_k - 6
    of_h = K**2 * (eighth - K**2) + 2 * K * slope * (sixth - K) + slope**2 * (K - 1)
    return (d_k * of_h + 18 * d_k * (d_k - 1) * (K - 1) ** 2) / d_k**4
