"""Quantiles of χ², the expected maximum of several normals, and bounds of a median."""

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy.special import gammainccinv, gammaincinv, log_ndtr, ndtr, ndtri

from sattn_core._checks import check_integer
from sattn_core._memory import remembered

_LARGEST_Z = 8.3  # |z| of a standard normal exceeds this with probability 1e-16
_N_NODES = 80  # nodes of the table for each number of degrees of freedom


def chi_square_quantiles(degrees: int, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quantiles of χ² at these probabilities, from a Chebyshev series of ln x in z = Φ⁻¹(P)."""
    if degrees == 0:
        return np.zeros_like(probabilities)
    z = np.clip(ndtri(probabilities), -_LARGEST_Z, _LARGEST_Z)
    return np.exp(chebyshev.chebval(z / _LARGEST_Z, _table(degrees)))


@remembered(2048)
def _table(degrees):
    """Return the Chebyshev coefficients of ln x as a function of z, from −_LARGEST_Z to _LARGEST_Z."""

    def ln_quantile(place):
        z, half = _LARGEST_Z * place, degrees / 2
        return np.log(2 * np.where(z < 0, gammaincinv(half, ndtr(z)), gammainccinv(half, ndtr(-z))))

    return chebyshev.chebinterpolate(ln_quantile, _N_NODES - 1)


def expected_maximum(n: int) -> float:
    """Return the expected maximum of n independent standard normals, E[M_n] = ∫ x n φ(x) Φ(x)^(n−1) dx.

    The trapezoid rule converges exponentially fast for this smooth integrand.
    """
    n = check_integer("n", n, 1)
    x = np.linspace(-12.0, 12.0, 2401)
    log_density = np.log(n) - 0.5 * x**2 - 0.5 * np.log(2 * np.pi) + (n - 1) * log_ndtr(x)
    return float(np.sum(x * np.exp(log_density)) * (x[1] - x[0]))


def median_bounds(ordered: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two order statistics along the last axis that enclose the true median with 95 % probability."""
    n = ordered.shape[-1]
    reach = int(np.ceil(0.98 * np.sqrt(n)))
    return ordered[..., max(n // 2 - reach, 0)], ordered[..., min(n // 2 + reach, n - 1)]
