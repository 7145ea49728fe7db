"""Quantiles of χ² at many probabilities, read from one table for each number of degrees of freedom."""

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy.special import gammainccinv, gammaincinv, ndtr, ndtri

from sattn_core._memory import remembered

_LARGEST_Z = 8.3  # a standard normal is beyond this with probability 1e-16
_N_NODES = 80


def chi_square_quantiles(degrees: int, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the x with P(χ² ≤ x) = each of the probabilities, from a Chebyshev series of ln x in z = Φ⁻¹(P)."""
    if degrees == 0:
        return np.zeros_like(probabilities)
    z = np.clip(ndtri(probabilities), -_LARGEST_Z, _LARGEST_Z)
    return np.exp(chebyshev.chebval(z / _LARGEST_Z, _table(degrees)))


@remembered(2048)
def _table(degrees):
    """Return the Chebyshev coefficients of ln x in z, over the largest z."""

    def ln_quantile(place):
        z, half = _LARGEST_Z * place, degrees / 2
        return np.log(2 * np.where(z < 0, gammaincinv(half, ndtr(z)), gammainccinv(half, ndtr(-z))))

    return chebyshev.chebinterpolate(ln_quantile, _N_NODES - 1)
