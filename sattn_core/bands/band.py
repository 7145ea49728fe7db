"""95 % bands of measured moments, and the source of each band."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from scipy.special import gammaincinv, ndtri, stdtrit

EXACT, SIMULATED = "exact", "simulated"
NORMAL, GAMMA = "exact, normal approximation", "exact, gamma approximation"
ROUGH_NORMAL, ROUGH_GAMMA = "exact, rough normal approximation", "exact, rough gamma approximation"
ROUGH_ESTIMATE, NO_BAND = "rough estimate from the draws", "too few scores for a band"
INFINITE, UNKNOWN = "infinite", "none known"
ROUGH = (ROUGH_NORMAL, ROUGH_GAMMA, ROUGH_ESTIMATE)
Z95 = float(ndtri(0.975))
# Above this relative standard error a measured kurtosis m₄/m₂² is so skewed that its normal band covers far more
# than 95 %.
_LARGEST_KURTOSIS_ERROR = 0.1


def student_quantile(n: int) -> float:
    """Return the 97.5 % quantile of Student's t with n − 1 degrees of freedom, for a standard error from n values."""
    return float(stdtrit(n - 1, 0.975))


@dataclass(frozen=True)
class MomentRow:
    """Measured moment beside its prediction."""

    name: str  # "raw mean", "raw variance", …, "scaled excess kurtosis"
    # predicted, measured: expected value (``inf`` or ``nan`` if the law has none) and value of the draws
    predicted: float
    measured: float
    # standard_error, low, high: standard deviation of ``measured`` over draws, and its 95 % band; nan if there is no
    # prediction or no known standard error, infinite if the law's tail is too heavy. The band is also infinite if the
    # normal approximation of a kurtosis would reach below −2.
    standard_error: float
    low: float
    high: float
    z: float  # (measured − predicted) / standard_error; nan if standard_error is 0 or another field is not finite
    inside: bool | None  # True if low ≤ measured ≤ high; None if z is nan
    # Source of the standard error ("exact" theory, "simulated" from the law of q and k) and, unless the band is exact
    # too, its approximation; or the reason why there is no band
    error_source: str

    @property
    def is_rough(self) -> bool:
        """Return True if the band is rough: it may cover more or less than 95 %."""
        return self.error_source in ROUGH


class Band(NamedTuple):
    """Prediction of one moment, with its standard error, 95 % band, and the band's source."""

    predicted: float
    standard_error: float
    low: float
    high: float
    error_source: str

    @classmethod
    def normal(cls, predicted: float, error: float, source: str) -> "Band":
        """Return the normal band, predicted ± 1.96 × error."""
        error = float(error) if math.isfinite(predicted) else math.nan
        return cls(predicted, error, predicted - Z95 * error, predicted + Z95 * error, source)

    @classmethod
    def gamma(cls, predicted: float, error: float, source: str) -> "Band":
        """Return the band of the gamma law, skewed like a variance, with this mean and standard deviation."""
        if not error:
            return cls.normal(predicted, error, source)
        low, high = gammaincinv((predicted / error) ** 2, (0.025, 0.975)) * error**2 / predicted
        return cls(predicted, float(error), float(low), float(high), source)

    @classmethod
    def kurtosis(cls, predicted: float, error: float) -> "Band":
        """Return the normal band of an excess kurtosis; rough if the error is large, none if it reaches below −2."""
        band = cls.normal(predicted, error, EXACT)
        if not math.isfinite(band.standard_error):
            return band._replace(error_source=INFINITE if math.isinf(band.standard_error) else UNKNOWN)
        if band.low < -2:
            return band._replace(low=-math.inf, high=math.inf, error_source=NO_BAND)
        small = error <= _LARGEST_KURTOSIS_ERROR * (3 + predicted)
        return band._replace(error_source=NORMAL if small else ROUGH_NORMAL)

    def row(self, name: str, measured: float, factor: float = 1.0) -> MomentRow:
        """Return the measured moment beside this band, after multiplying the band by factor."""
        predicted, error, low, high = (factor * value for value in self[:4])
        comparable = 0 < error < math.inf and math.isfinite(measured) and math.isfinite(low)
        z = (measured - predicted) / error if comparable else math.nan
        inside = bool(low <= measured <= high) if comparable else None
        return MomentRow(name, predicted, measured, error, low, high, z, inside, self.error_source)


def gamma_source(has_eight_moments: bool) -> str:
    """Return `GAMMA`, or `ROUGH_GAMMA` for a law without eight finite moments.

    Only Student's t with five degrees of freedom lacks them. Its sixth moment is infinite too, so a measured variance
    rarely strays as far as its standard error suggests: at d_k = 1 the gamma band holds even the variance of 40,000
    scores in 98.5 % of draws instead of 95 %.
    """
    return GAMMA if has_eight_moments else ROUGH_GAMMA
