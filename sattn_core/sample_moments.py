"""Mean, variance, skewness and kurtosis of a sample."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


def sample_moments(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return mean, variance (divided by n − 1) and excess kurtosis m₄/m₂² − 3 of a flat sample."""
    mean = values.mean()
    squares = np.square(values - mean)
    m2 = squares.mean()
    # No dot product here: a threaded BLAS waits for a core on a busy machine.
    kurtosis = np.square(squares).mean() / m2**2 if m2 > 0 else np.nan
    return mean, m2 * values.size / (values.size - 1), kurtosis - 3


class SampleMoments(NamedTuple):
    """Moments of one sample of any shape, and its standardised values z in that shape.

    The variance m2 divides by n; z, skewness and kurtosis are NaN if all values are equal.
    """

    mean: float
    m2: float
    skewness: float
    kurtosis: float
    z: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> "SampleMoments":
        """Return the moments of these values."""
        centred = values - values.mean()
        constant = np.ptp(values) == 0
        m2 = 0.0 if constant else float(np.mean(centred**2))
        z = np.full_like(centred, np.nan) if constant else centred / math.sqrt(m2)
        squares = z * z
        return cls(float(values.mean()), m2, float(np.mean(squares * z)), float(np.mean(squares**2)), z)

    def variance(self, ddof: int) -> float:
        """Return the variance that divides by n − ddof."""
        return self.m2 * self.z.size / (self.z.size - ddof)

    def kurtosis_influence(self) -> NDArray[np.float64]:
        """Return how much each value moves m₄/m₂²: z⁴ − κ − 2κ(z² − 1) − 4 skewness z, with mean 0."""
        squares = self.z * self.z
        kurtosis = self.kurtosis
        return squares * (squares - 2 * kurtosis) + kurtosis - 4 * self.skewness * self.z
