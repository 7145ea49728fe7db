"""95 % bands of the mean, variance and excess kurtosis of the scores of independent pairs."""

import math

from sattn_core.bands.band import EXACT, NORMAL, ROUGH_ESTIMATE, Band, gamma_source
from sattn_core.bands.standard_errors import kurtosis_error, variance_error
from sattn_core.laws.components import PairLaw
from sattn_core.laws.moments import DotProductMoments, pair_moments, score_moments


def pair_bands(d_k: int, n_samples: int, pair_law: PairLaw, measured_excess: float) -> tuple[Band, Band, Band]:
    """Return the bands of mean, variance (ddof=1) and excess kurtosis of n_samples scores."""
    theory = pair_moments(d_k, pair_law)
    return (
        Band.normal(theory.mean, math.sqrt(theory.variance / n_samples), NORMAL),
        pair_variance_band(d_k, n_samples, pair_law, measured_excess),
        Band.kurtosis(theory.excess_kurtosis, _kurtosis_error(d_k, n_samples, pair_law, theory)),
    )


def pair_variance_band(d_k: int, n_samples: int, pair_law: PairLaw, measured_excess: float) -> Band:
    """Return the gamma band of the variance of the scores of n_samples pairs."""
    theory = pair_moments(d_k, pair_law)
    error, source = pair_variance_error(theory, n_samples, measured_excess)
    if source == EXACT and error:
        source = gamma_source(pair_law.component.has_eight_moments)
    return Band.gamma(theory.variance, error, source)


def pair_variance_error(theory: DotProductMoments, n_samples: int, measured_excess: float) -> tuple[float, str]:
    """Return the standard error of the variance of n_samples scores, and its source: theory or measured kurtosis."""
    excess, source = theory.excess_kurtosis, EXACT
    if theory.variance and not math.isfinite(excess):
        excess, source = measured_excess, ROUGH_ESTIMATE
    if not theory.variance:
        return 0.0, source
    return float(variance_error(theory.variance, excess, n_samples)), source


def _kurtosis_error(d_k, n_samples, pair_law, theory):
    if not pair_law.component.has_eight_moments:
        return math.inf
    if theory.variance == 0:
        return math.nan
    return kurtosis_error(score_moments(d_k, pair_law), n_samples)
