"""Law of one raw score q . k, exact for independent N(0, 1) components."""

import math
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike, NDArray
from scipy.special import gamma, kve, ndtr, ndtri

from sattn_core._checks import check_array, check_integer
from sattn_core.laws.components import PairLaw
from sattn_core.laws.moments import pair_moments

_Array = NDArray[Any] | Sequence[Any]

# From this Bessel order on, twelve terms of the expansion for large orders leave an error below 1e-13.
_LARGE_ORDER = 15.0
_DEBYE_TERMS = 12


@overload
def dot_product_pdf(s: float, d_k: int) -> np.float64: ...
@overload
def dot_product_pdf(s: _Array, d_k: int) -> NDArray[np.float64]: ...
@overload
def dot_product_pdf(s: ArrayLike, d_k: int) -> np.float64 | NDArray[np.float64]: ...
def dot_product_pdf(s: ArrayLike, d_k: int) -> np.float64 | NDArray[np.float64]:
    """Return the density f(s) = |s|^nu K_nu(|s|) / (sqrt(pi) 2^nu Gamma(d_k/2)), nu = (d_k - 1)/2.

    Parameters
    ----------
    s : array_like
        Raw scores (not divided by sqrt(d_k)), any shape, finite.
    d_k : int
        Number of components, at least 1.

    Returns
    -------
    float or ndarray
        Density at s, the shape of s; never negative, symmetric in s, and infinite only at s = 0
        with d_k = 1. Relative error below 1e-12 within 8 standard deviations.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range.

    Notes
    -----
    All components are independent N(0, 1): a symmetric variance-gamma law with characteristic
    function (1 + t^2)^(-d_k/2). With other components of variance 1 the score has the same variance
    but another law. Large orders use the expansion in 1/nu that is uniform in s, relative to f(0), so
    that nothing overflows.

    References
    ----------
    Kotz, Kozubowski & Podgorski (2001), The Laplace Distribution and Generalizations, section 4.1.
    NIST Digital Library of Mathematical Functions, section 10.41(ii).

    Examples
    --------
    >>> round(float(dot_product_pdf(1.0, 2)), 12)  # d_k = 2 is the Laplace law exp(-|s|)/2
    0.183939720586
    """
    d_k = check_integer("d_k", d_k, 1)
    return _density(np.abs(check_array("s", s)), d_k)


@overload
def dot_product_cdf(s: float, d_k: int) -> np.float64: ...
@overload
def dot_product_cdf(s: _Array, d_k: int) -> NDArray[np.float64]: ...
@overload
def dot_product_cdf(s: ArrayLike, d_k: int) -> np.float64 | NDArray[np.float64]: ...
def dot_product_cdf(s: ArrayLike, d_k: int) -> np.float64 | NDArray[np.float64]:
    """Return the distribution function P(q . k <= s) = E Phi(s / R), R = |q| ~ chi(d_k).

    Parameters
    ----------
    s, d_k : array_like, int
        As in `dot_product_pdf`.

    Returns
    -------
    float or ndarray
        Probability in [0, 1], the shape of s; exactly 1/2 at s = 0. The left tail keeps its relative
        accuracy (about 1e-12), so compute P(q . k > s) as dot_product_cdf(-s, d_k).

    Raises
    ------
    ValueError, TypeError
        As in `dot_product_pdf`.

    Notes
    -----
    The components are independent N(0, 1). Given the query, the score is exactly N(0, |q|^2); the
    average over |q| uses the trapezoid rule in ln |q|.

    References
    ----------
    Trefethen & Weideman (2014), The exponentially convergent trapezoidal rule, SIAM Review 56.

    Examples
    --------
    >>> round(float(dot_product_cdf(-1.0, 2)), 12)  # exp(-1)/2
    0.183939720586
    """
    d_k = check_integer("d_k", d_k, 1)
    return score_cdf(check_array("s", s), d_k)


def score_cdf(s: NDArray[np.float64], d_k: int) -> np.float64 | NDArray[np.float64]:
    """Return `dot_product_cdf` without checks."""
    tail = _upper_tail(np.abs(s), d_k)
    return np.where(s > 0, 1 - tail, tail)[()]


@overload
def dot_product_ppf(probability: float, d_k: int) -> np.float64: ...
@overload
def dot_product_ppf(probability: _Array, d_k: int) -> NDArray[np.float64]: ...
@overload
def dot_product_ppf(probability: ArrayLike, d_k: int) -> np.float64 | NDArray[np.float64]: ...
def dot_product_ppf(probability: ArrayLike, d_k: int) -> np.float64 | NDArray[np.float64]:
    """Return the quantile s with dot_product_cdf(s, d_k) = probability.

    Parameters
    ----------
    probability : array_like
        Probabilities in [0, 1], any shape.
    d_k : int
        As in `dot_product_pdf`.

    Returns
    -------
    float or ndarray
        Raw scores, the shape of probability: -inf at 0, 0 at 1/2, inf at 1. dot_product_cdf returns the
        probability to 1e-12, for probabilities down to 1e-300.

    Raises
    ------
    ValueError, TypeError
        As in `dot_product_pdf`.

    Notes
    -----
    Newton's method on the logarithm of the tail, kept inside a bracket.

    Examples
    --------
    >>> round(float(dot_product_ppf(0.95, 2)), 12)  # ln 10
    2.302585092994
    """
    d_k = check_integer("d_k", d_k, 1)
    p = check_array("probability", probability)
    if ((p < 0) | (p > 1)).any():
        raise ValueError(f"probability must lie in [0, 1], but got {p[(p < 0) | (p > 1)].flat[0]}")
    tail = np.minimum(p, 1 - p)
    s = np.where(tail > 0, 0.0, np.inf)
    inside = tail > 0
    s[inside] = _upper_quantile(tail[inside], d_k)
    return np.where(p < 0.5, -s, s)[()]


def has_exact_density(pair_law: PairLaw) -> bool:
    """Return True if `score_density` is exact, as it is for independent normal components with zero means."""
    return pair_law.law == "normal" and pair_law.is_centred


def score_density(s: NDArray[np.float64], d_k: int, pair_law: PairLaw) -> NDArray[np.float64]:
    """Return the density of q·k at s, exact or normal with the exact mean and variance; NaN for constant scores."""
    if has_exact_density(pair_law):
        return np.asarray(dot_product_pdf(s, d_k))
    theory = pair_moments(d_k, pair_law)
    if theory.variance == 0:
        return np.full_like(s, np.nan)
    z = (s - theory.mean) / math.sqrt(theory.variance)
    return np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi * theory.variance)


def _density(x, d_k):
    """Return the density at |s| = x."""
    nu = (d_k - 1) / 2
    if nu >= _LARGE_ORDER:
        return _large_order_density(np.minimum(x, 1e150), nu)
    # Beyond these limits the density is f(0) or 0, but x**nu * K_nu(x) would be 0 * inf.
    x = np.clip(x, 1e-16 if d_k > 1 else 0.0, 1e4)
    return x**nu * np.exp(-x) * kve(nu, x) / (np.sqrt(np.pi) * 2**nu * gamma(d_k / 2))


def _large_order_density(x, nu):
    """Return f(x) = f(0) w^(-1/2) exp(-nu (h - ln(1 + h/2))) U(1/w) / U(1), w = sqrt(1 + (x/nu)^2) = 1 + h.

    U(1) is the Stirling series of Gamma(nu). By the duplication formula f(0), which is
    Gamma(nu) / (2 sqrt(pi) Gamma(nu + 1/2)), equals U(1)^2 / (2 sqrt(pi nu) U_(2 nu)(1)).
    """
    z = x / nu
    w = np.hypot(1, z)
    h = z * (z / (1 + w))
    U, U_double = Polynomial(_debye_series(nu)), Polynomial(_debye_series(2 * nu))
    at_zero = U(1.0) ** 2 / (2 * np.sqrt(np.pi * nu) * U_double(1.0))
    return at_zero * np.exp(-nu * (h - np.log1p(h / 2))) / np.sqrt(w) * (U(1 / w) / U(1.0))


def _debye_series(nu):
    """Return the coefficients in t of U(t) = sum_k (-1/nu)^k u_k(t)."""
    return sum(u * (-1 / nu) ** k for k, u in enumerate(_DEBYE))


def _debye_polynomials(n_terms):
    """Return u_0 = 1 and u_(k+1)(t) = t^2 (1 - t^2) u_k'(t) / 2 + integral_0^t (1 - 5 x^2) u_k(x) dx / 8."""
    rise, kernel = Polynomial([0, 0, 0.5, 0, -0.5]), Polynomial([0.125, 0, -0.625])
    u = [Polynomial([1.0])]
    for _ in range(n_terms):
        u.append(rise * u[-1].deriv() + (kernel * u[-1]).integ())
    size = 3 * n_terms + 1
    return np.array([np.pad(p.coef, (0, size - len(p.coef))) for p in u])


_DEBYE = _debye_polynomials(_DEBYE_TERMS)


def _upper_tail(s, d_k):
    """Return P(S > s) = E Phi(-s/R) for s >= 0, by the trapezoid rule in ln R around the peak for each s."""
    # The first point is s = 0, where P(S > 0) = 1/2 gives the normalising constant.
    points = np.concatenate([[0.0], np.minimum(s, 1e150).ravel()])
    peak = (d_k + np.hypot(d_k, 2 * points)) / 2  # R^2 at the peak of r^d_k exp(-r^2/2 - s^2/(2 r^2))
    step = np.minimum(0.5 / np.sqrt(4 * peak - 2 * d_k), 0.12)
    n_left = int(np.ceil((36 / d_k + 8.5 / np.sqrt(2 * d_k)) / step[0]))
    total = np.zeros_like(points)
    for j in range(-n_left, 26):
        v = np.log(peak / d_k) + 2 * j * step  # ln(R^2 / d_k)
        total += np.exp(d_k / 2 * (v - np.expm1(v))) * ndtr(-points / np.sqrt(d_k * np.exp(v)))
    total *= step
    return (0.5 * total[1:] / total[0]).reshape(s.shape)


def _upper_quantile(tail, d_k):
    """Return the s > 0 with P(S > s) = tail, 0 < tail < 1/2."""
    low, high = np.zeros_like(tail), d_k * np.log(4 / 3) - 2 * np.log(tail)  # Chernoff bound at t = 1/2
    s = np.clip(-np.sqrt(d_k) * ndtri(tail), 0, high)
    for _ in range(60):
        upper = _upper_tail(s, d_k)
        low, high = np.where(upper >= tail, s, low), np.where(upper >= tail, high, s)
        with np.errstate(divide="ignore", invalid="ignore"):  # a tail that underflows gives NaN: bisect then
            gap = np.log(upper / tail)
            newton = s + gap * upper / _density(s, d_k)
        if (np.abs(gap) <= 1e-14).all():
            break
        s = np.where((newton >= low) & (newton <= high), newton, (low + high) / 2)
    return s
