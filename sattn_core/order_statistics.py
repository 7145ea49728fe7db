"""Order statistics: the largest of several normals, and where the true median lies."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from sattn_core._checks import check_integer


def expected_maximum(n: int) -> float:
    """Return the expected largest of n independent standard normals, E[M_n] = ∫ x n φ(x) Φ(x)^(n−1) dx.

    The trapezoid rule converges exponentially fast for this smooth integrand.
    """
    n = check_integer("n", n, 1)
    x = np.linspace(-12.0, 12.0, 2401)
    log_density = np.log(n) - 0.5 * x**2 - 0.5 * np.log(2 * np.pi) + (n - 1) * log_ndtr(x)
    return float(np.sum(x * np.exp(log_density)) * (x[1] - x[0]))


def median_bounds(ordered: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the two values, of those sorted along the last axis, that hold the true median with 95 % probability."""
    n = ordered.shape[-1]
    reach = int(np.ceil(0.98 * np.sqrt(n)))
    return ordered[..., max(n // 2 - reach, 0)], ordered[..., min(n // 2 + reach, n - 1)]
