"""95 % bands: the interval in which a measured moment should lie, and how it was computed."""

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
# A measured kurtosis m₄/m₂² is skewed: beyond this relative error the normal band misses far fewer than 5 % of draws.
_LARGEST_KURTOSIS_ERROR = 0.1


def student_quantile(n: int) -> float:
    """Return the 97.5 % quantile of Student's t, n − 1 degrees of freedom: for an error estimated from n values."""
    return float(stdtrit(n - 1, 0.975))


@dataclass(frozen=True)
class MomentRow:
    """One measured moment beside its prediction."""

    name: str  # "raw mean", "raw variance", …, "scaled excess kurtosis"
    # predicted, measured: Expected value (``inf`` or ``nan`` where the law has none) and what the draws gave
    predicted: float
    measured: float
    # standard_error, low, high: Standard deviation of ``measured`` over draws, and its 95 % band; nan without a
    # prediction or where no error is known, infinite if the law has too heavy a tail for one. The band is infinite as
    # well where the normal approximation of a kurtosis would reach below −2.
    standard_error: float
    low: float
    high: float
    z: float  # (measured − predicted) / standard_error; nan without a prediction or an error
    inside: bool | None  # True if low ≤ measured ≤ high; None where there is nothing to compare with
    # Source of the standard error ("exact" theory, "simulated" from the law of q and k) and, unless the band is exact
    # too, the approximation behind the band; or the reason why there is no band
    error_source: str

    @property
    def is_rough(self) -> bool:
        """Return True if the band is rough: it may not cover 95 %."""
        return self.error_source in ROUGH


class Band(NamedTuple):
    """Prediction, standard error and 95 % band of a moment, and one of the sources above."""

    predicted: float
    standard_error: float
    low: float
    high: float
    error_source: str

    @classmethod
    def normal(cls, predicted: float, error: float, source: str) -> "Band":
        """Return predicted ∓ 1.96 × error."""
        error = float(error) if math.isfinite(predicted) else math.nan
        return cls(predicted, error, predicted - Z95 * error, predicted + Z95 * error, source)

    @classmethod
    def gamma(cls, predicted: float, error: float, source: str) -> "Band":
        """Return the band of the gamma law, skewed as a variance is, with this mean and standard deviation."""
        if not error:
            return cls.normal(predicted, error, source)
        low, high = gammaincinv((predicted / error) ** 2, (0.025, 0.975)) * error**2 / predicted
        return cls(predicted, float(error), float(low), float(high), source)

    @classmethod
    def kurtosis(cls, predicted: float, error: float) -> "Band":
        """Return the normal band of an excess kurtosis: rough if the error is large, none if it reaches below −2."""
        band = cls.normal(predicted, error, EXACT)
        if not math.isfinite(band.standard_error):
            return band._replace(error_source=INFINITE if math.isinf(band.standard_error) else UNKNOWN)
        if band.low < -2:
            return band._replace(low=-math.inf, high=math.inf, error_source=NO_BAND)
        small = error <= _LARGEST_KURTOSIS_ERROR * (3 + predicted)
        return band._replace(error_source=NORMAL if small else ROUGH_NORMAL)

    def row(self, name: str, measured: float, factor: float = 1.0) -> MomentRow:
        """Return the measured moment beside this band, which is multiplied by factor."""
        predicted, error, low, high = (factor * value for value in self[:4])
        comparable = 0 < error < math.inf and math.isfinite(measured) and math.isfinite(low)
        z = (measured - predicted) / error if comparable else math.nan
        inside = bool(low <= measured <= high) if comparable else None
        return MomentRow(name, predicted, measured, error, low, high, z, inside, self.error_source)


def gamma_source(has_eight_moments: bool) -> str:
    """Return `GAMMA`, or `ROUGH_GAMMA` where the gamma band of a variance does not cover 95 %.

    Without a sixth moment a variance rarely strays as far as its standard error suggests: for Student's t with five
    degrees of freedom at d_k = 1, even the variance of 80,000 scores lies inside 98.5 % of the time.
    """
    return GAMMA if has_eight_moments else ROUGH_GAMMA
