"""Mean, variance and kurtosis of a sample."""

import numpy as np
from numpy.typing import NDArray


def sample_moments(values: NDArray[np.float64], ddof: int = 1) -> tuple[float, float, float]:
    """Return mean, variance (divided by n − ddof) and excess kurtosis m₄/m₂² − 3; 0 and NaN if all values are equal."""
    mean = values.mean()
    if np.ptp(values) == 0:
        return float(mean), 0.0, np.nan
    squares = np.square(values - mean)
    m2 = squares.mean()
    # No dot product here: a threaded BLAS waits for a core on a busy machine.
    kurtosis = np.square(squares).mean() / m2**2 if m2 > 0 else np.nan
    return float(mean), float(m2 * values.size / (values.size - ddof)), float(kurtosis - 3)
