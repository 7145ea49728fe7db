"""Exact mean, variance and kurtosis of a product and of a dot product."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import binom

from sattn_core._checks import check_array, check_integer, check_number, require_finite
from sattn_core.laws.components import PairLaw

# Larger means or variances would overflow once squared.
_LARGEST = 1e60


@dataclass(frozen=True)
class DotProductMoments:
    """Moments of one raw score s = q . k.

    Attributes
    ----------
    mean, variance : float
        Mean and variance of the score over random queries and keys.
    excess_kurtosis : float
        Fourth central moment divided by the squared variance, minus 3 (0 for a normal score). Infinite if
        the fourth moment is, NaN for a constant score.
    within_row_variance : float
        Variance of one query's scores over keys that are independent of it, averaged over queries:
        the only spread that softmax sees.
    """

    mean: float
    variance: float
    excess_kurtosis: float
    within_row_variance: float


def product_variance(
    mean_x: ArrayLike, var_x: ArrayLike, mean_y: ArrayLike, var_y: ArrayLike
) -> np.float64 | NDArray[np.float64]:
    """Return Var(XY) = var_x var_y + mean_x^2 var_y + mean_y^2 var_x for independent X and Y.

    Parameters
    ----------
    mean_x, var_x, mean_y, var_y : array_like
        Means, and variances of at least 0; any shapes that broadcast.

    Returns
    -------
    float or ndarray
        Variance of the product, never negative, in the broadcast shape.

    Raises
    ------
    ValueError, TypeError
        If an argument is not real and finite, a variance is negative, the shapes do not broadcast, or the
        result leaves the float64 range.

    Notes
    -----
    X and Y must be independent. The short form var_x var_y holds only when both means are 0.

    References
    ----------
    Goodman (1960), On the exact variance of products, JASA 55, equation (2).

    Examples
    --------
    >>> float(product_variance(1.0, 2.0, 3.0, 4.0))  # 2*4 + 1*4 + 9*2
    30.0
    """
    mean_x, mean_y = check_array("mean_x", mean_x), check_array("mean_y", mean_y)
    var_x, var_y = _variances("var_x", var_x), _variances("var_y", var_y)
    _check_broadcast(mean_x=mean_x, var_x=var_x, mean_y=mean_y, var_y=var_y)
    with np.errstate(over="ignore", invalid="ignore"):
        return require_finite("the variance", var_x * var_y + mean_x**2 * var_y + mean_y**2 * var_x)


def dot_product_moments(
    d_k: int,
    *,
    mean_q: float = 0.0,
    var_q: float = 1.0,
    kurtosis_q: float = 3.0,
    mean_k: float = 0.0,
    var_k: float = 1.0,
    kurtosis_k: float = 3.0,
) -> DotProductMoments:
    """Return the moments of s = q . k: mean d_k m_q m_k, variance d_k (v_q v_k + m_q^2 v_k + m_k^2 v_q).

    Parameters
    ----------
    d_k : int
        Number of components, at least 1.
    mean_q, var_q, kurtosis_q, mean_k, var_k, kurtosis_k : float
        Mean, variance and standardised fourth moment of a component of the query and of the key. A kurtosis
        lies between 1 (two values) and math.inf; 3 is normal. Means and variances are at most 1e60 in size.

    Returns
    -------
    DotProductMoments
        Exact at every d_k. With means 0 and variances 1 the variance is d_k and the excess kurtosis
        (kurtosis_q kurtosis_k - 3) / d_k. An infinite kurtosis leaves the variance as it is.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range.

    Notes
    -----
    The components of q are iid, so are those of k, and q is independent of k. This is enough for
    mean and variance. With non-zero means the excess kurtosis also needs components that are
    symmetric about their mean. For correlated q and k see `correlated_pair_moments`.

    References
    ----------
    Vaswani et al. (2017), Attention Is All You Need, section 3.2.1, footnote 4.

    Examples
    --------
    >>> moments = dot_product_moments(64)
    >>> moments.mean, moments.variance, moments.excess_kurtosis
    (0.0, 64.0, 0.09375)
    """
    d_k = check_integer("d_k", d_k, 1)
    m_q, m_k = _check_mean("mean_q", mean_q), _check_mean("mean_k", mean_k)
    v_q, v_k = _check_variance("var_q", var_q), _check_variance("var_k", var_k)
    kurtoses = check_kurtosis("kurtosis_q", kurtosis_q), check_kurtosis("kurtosis_k", kurtosis_k)
    excess = _product_excess_kurtosis(m_k * m_k * v_q, m_q * m_q * v_k, v_q * v_k, *kurtoses)
    return DotProductMoments(
        mean=d_k * m_q * m_k,
        variance=d_k * float(product_variance(m_q, v_q, m_k, v_k)),
        excess_kurtosis=excess / d_k,
        within_row_variance=d_k * v_k * (v_q + m_q * m_q),
    )


def correlated_pair_moments(d_k: int, correlation: float) -> DotProductMoments:
    """Return the moments of s = q . k when corr(q_i, k_i) = rho: mean d_k rho, variance d_k (1 + rho^2).

    Parameters
    ----------
    d_k : int
        As in `dot_product_moments`.
    correlation : float
        rho, from -1 to 1.

    Returns
    -------
    DotProductMoments
        The excess kurtosis is 6 (1 + 6 rho^2 + rho^4) / (d_k (1 + rho^2)^2). The within-row
        variance is d_k for any rho: a query is paired with one key of its row, and all other keys
        of the row are independent of it.

    Raises
    ------
    ValueError, TypeError
        As in `dot_product_moments`.

    Notes
    -----
    Each pair (q_i, k_i) is standard bivariate normal and the pairs are independent. Then
    s = (1 + rho)/2 A - (1 - rho)/2 B with independent A, B ~ chi2(d_k). The mean grows like d_k:
    after 1/sqrt(d_k) an aligned pair still scores rho sqrt(d_k). For other components see
    `paired_score_moments`.

    References
    ----------
    Bohrnstedt & Goldberger (1969), On the exact covariance of products of random variables, JASA 64.

    Examples
    --------
    >>> moments = correlated_pair_moments(64, 0.5)
    >>> moments.mean, moments.variance, round(moments.excess_kurtosis, 6)
    (32.0, 80.0, 0.15375)
    """
    d_k = check_integer("d_k", d_k, 1)
    rho = check_number("correlation", correlation, -1, 1)
    return DotProductMoments(
        mean=d_k * rho,
        variance=d_k * (1 + rho**2),
        excess_kurtosis=6 * (1 + 6 * rho**2 + rho**4) / (d_k * (1 + rho**2) ** 2),
        within_row_variance=float(d_k),
    )


def paired_score_moments(
    d_k: int, *, moments: Sequence[float], mean_q: float = 0.0, mean_k: float = 0.0, correlation: float = 0.0
) -> DotProductMoments:
    """Return the moments of s = sum q_i k_i with q_i = mean_q + a, k_i = mean_k + rho a + sqrt(1 - rho^2) b.

    Parameters
    ----------
    d_k : int
        As in `dot_product_moments`.
    moments : sequence of 4 floats
        (E a^2, E a^4, E a^6, E a^8) of the symmetric components a and b; E a^2 must be 1, and later
        entries may be math.inf. The normal law has (1, 3, 15, 105).
    mean_q, mean_k, correlation : float
        As in `dot_product_moments` and `correlated_pair_moments`.

    Returns
    -------
    DotProductMoments
        Exact at every d_k: mean d_k (mean_q mean_k + rho), variance
        d_k ((mean_k + rho mean_q)^2 + rho^2 (E a^4 - 1) + (1 - rho^2)(1 + mean_q^2)). If rho is 0,
        moments beyond E a^4 do not matter. The within-row variance, d_k (1 + mean_q^2), is over
        the keys that the query is not paired with, which are independent of it.

    Raises
    ------
    ValueError, TypeError
        As in `dot_product_moments`; or if no law of variance 1 has these four moments.

    Notes
    -----
    a and b are iid and symmetric with variance 1; the d_k pairs are independent. If rho is not 0, an
    infinite E a^4 makes the variance infinite, and an infinite E a^8 the kurtosis.

    Examples
    --------
    >>> pair = paired_score_moments(64, moments=(1, 3, 15, 105), correlation=0.5)
    >>> pair.mean, pair.variance, round(pair.excess_kurtosis, 6)
    (32.0, 80.0, 0.15375)
    """
    d_k = check_integer("d_k", d_k, 1)
    moments = _check_even_moments(moments)
    return _pair_moments(d_k, moments, mean_q, mean_k, check_number("correlation", correlation, -1, 1))


def pair_moments(d_k: int, pair_law: PairLaw) -> DotProductMoments:
    """Return `paired_score_moments` for the components of a `PairLaw`."""
    return _pair_moments(d_k, pair_law.component.moments, pair_law.mean_q, pair_law.mean_k, pair_law.correlation)


def score_moments(d_k: int, pair_law: PairLaw) -> NDArray[np.float64]:
    """Return the exact standardised moments E zʲ, j = 0, …, 8, of one non-constant score q·k."""
    cumulants = d_k * _to_cumulants(_product_moments(pair_law))
    cumulants[1] = 0.0
    return _to_moments(cumulants / math.sqrt(cumulants[2]) ** np.arange(9))


def check_kurtosis(name: str, value: object) -> float:
    """Return value as a standardised fourth moment: a number of at least 1, or math.inf."""
    if isinstance(value, (float, np.floating)) and value == math.inf:
        return math.inf
    kurtosis = check_number(name, value)
    if kurtosis < 1:
        raise ValueError(f"{name} must be at least 1 (no law has less), but got {value!r}")
    return kurtosis


def _product_excess_kurtosis(a2, b2, c2, kurtosis_a, kurtosis_b):
    """Return the excess kurtosis of A a + B b + C a b from A², B² and C²; a and b are symmetric with variance 1."""
    variance = a2 + b2 + c2
    if variance == 0:
        return math.nan
    a2, b2, c2 = a2 / variance, b2 / variance, c2 / variance  # shares of the variance, so that nothing overflows
    return (
        _times(a2 * a2, kurtosis_a)
        + _times(b2 * b2, kurtosis_b)
        + _times(c2 * c2, kurtosis_a * kurtosis_b)
        + 6 * (a2 * b2 + _times(a2 * c2, kurtosis_a) + _times(b2 * c2, kurtosis_b))
        - 3
    )


def _pair_moments(d_k, moments, mean_q, mean_k, rho):
    """Return `paired_score_moments` for checked moments and a checked correlation."""
    m_q, m_k = _check_mean("mean_q", mean_q), _check_mean("mean_k", mean_k)  # means of a PairLaw may be larger
    variance, fourth = _paired_component_moments(moments, m_q, m_k, rho)
    return DotProductMoments(
        mean=d_k * (m_q * m_k + rho),
        variance=d_k * variance,
        excess_kurtosis=_excess(fourth, variance) / d_k,
        within_row_variance=d_k * (1 + m_q * m_q),
    )


def _paired_component_moments(moments, m_q, m_k, rho):
    """Return variance and fourth central moment of q_i k_i = mean + U + V b.

    U = alpha a + rho (a^2 - 1) and V = tau (m_q + a), so that the fourth moment is
    E U^4 + 6 E U^2 V^2 + E V^4 E b^4.
    """
    (_, m4, m6, m8), alpha, tau2 = moments, m_k + rho * m_q, (1 - rho) * (1 + rho)
    alpha2, rho2, q2 = alpha * alpha, rho * rho, m_q * m_q
    variance = alpha2 + _times(rho2, m4 - 1) + tau2 * (1 + q2)
    if rho != 0 and math.isinf(m8):
        return variance, math.inf
    u4 = _times(alpha2 * alpha2, m4)
    u2v2 = _times(tau2 * alpha2, q2 + m4)
    v4_b4 = _times(tau2 * tau2, (q2 * q2 + 6 * q2 + m4) * m4)
    if rho != 0:
        e2, e2a2 = m4 - 1, m6 - 2 * m4 + 1  # E (a^2 - 1)^2, E a^2 (a^2 - 1)^2
        e4 = m8 - 4 * m6 + 6 * m4 - 3  # E (a^2 - 1)^4
        u4 += 6 * alpha2 * rho2 * e2a2 + rho2 * rho2 * e4
        u2v2 += tau2 * (4 * alpha * rho * m_q * e2 + rho2 * (q2 * e2 + e2a2))
    return variance, u4 + 6 * u2v2 + v4_b4


def _excess(fourth, variance):
    if variance == 0:
        return math.nan
    if math.isinf(fourth):
        return math.inf
    return fourth / variance / variance - 3


def _times(coefficient, moment):
    """Return coefficient times moment, and 0 for coefficient 0 even if the moment is infinite."""
    return 0.0 if coefficient == 0 else coefficient * moment


def _check_mean(name, value):
    return check_number(name, value, -_LARGEST, _LARGEST)


def _check_variance(name, value):
    return check_number(name, value, 0, _LARGEST)


def _variances(name: str, value: ArrayLike) -> NDArray[np.float64]:
    array = check_array(name, value)
    if (array < 0).any():
        raise ValueError(f"{name} must be at least 0, but got {array[array < 0].flat[0]}")
    return array


def _check_broadcast(**arrays):
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"the arguments must have shapes that broadcast, but got {shapes}") from None


def _check_even_moments(moments):
    if isinstance(moments, str) or not hasattr(moments, "__len__") or len(moments) != 4:
        raise ValueError(f"moments must be four numbers (E a^2, E a^4, E a^6, E a^8), but got {moments!r}")
    m2, m4, m6, m8 = (check_kurtosis(f"moments[{i}]", value) for i, value in enumerate(moments))
    slack = 1 + 1e-12  # allows for rounding in moments that meet the bound exactly
    if m2 != 1:
        raise ValueError(f"moments[0] = E a^2 must be 1, but got {moments[0]!r}")
    if m4 * m4 > m6 * slack or m6 * m6 > m4 * m8 * slack:
        rule = "(E a^4)^2 <= E a^6 and (E a^6)^2 <= E a^4 E a^8"
        raise ValueError(f"moments must be those of one law, with {rule}, but got {moments!r}")
    return m2, m4, m6, m8


def _product_moments(pair_law):
    """Return E (q k)ʲ, j = 0, …, 8, for one component: q = mean_q + a, and k = ρ a + u with u independent of a."""
    rho = pair_law.correlation
    of_a = np.eye(17)[0]
    of_a[2::2] = [pair_law.component.even_moment(r) for r in range(1, 9)]
    of_u = _shifted(of_a[:9] * math.sqrt(1 - rho**2) ** np.arange(9), pair_law.mean_k, 9)
    moments = np.ones(9)
    for j in range(1, 9):
        i = np.arange(j + 1)
        of_q_and_a = [_shifted(of_a[p : p + 9], pair_law.mean_q, 9)[j] for p in i]  # E qʲ aᵖ
        moments[j] = np.sum(binom(j, i) * float(rho) ** i * of_u[j - i] * of_q_and_a)
    return moments


def _shifted(moments, shift, count):
    """Return E w (shift + a)ʲ, j < count, from E w aʲ."""
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
