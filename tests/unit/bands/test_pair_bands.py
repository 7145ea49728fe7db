import math

import numpy as np
import pytest
from scipy import stats

from sattn_core.bands.pair_bands import pair_bands, pair_variance_band, pair_variance_error
from sattn_core.laws.components import PairLaw
from sattn_core.laws.moments import pair_moments


def test_bands_of_normal_components_by_hand():
    mean, variance, kurtosis = pair_bands(16, 400, PairLaw(), math.nan)
    assert (mean.predicted, mean.standard_error) == (0.0, math.sqrt(16 / 400))
    error = 16 * math.sqrt((6 / 16 + 3 - 397 / 399) / 400)
    assert (variance.predicted, variance.standard_error) == (16.0, pytest.approx(error, rel=1e-13))
    law = stats.gamma((16 / error) ** 2, scale=error**2 / 16)
    assert (variance.low, variance.high) == pytest.approx(law.interval(0.95), rel=1e-10)
    assert kurtosis.predicted == pytest.approx(6 / 16)


def test_band_without_a_kurtosis_uses_the_measured_one_and_is_rough():
    pair_law = PairLaw("student_t", correlation=0.5)
    error, source = pair_variance_error(pair_moments(4, pair_law), 100, 7.0)
    variance = pair_moments(4, pair_law).variance
    assert error == pytest.approx(variance * math.sqrt((7 + 3 - 97 / 99) / 100), rel=1e-13)
    assert source == "rough estimate from the draws"
    assert pair_variance_band(4, 100, pair_law, 7.0).error_source == source


def test_kurtosis_without_an_eighth_moment_has_infinite_standard_error():
    assert pair_bands(4, 100, PairLaw("student_t"), 0.0)[2].standard_error == math.inf


def test_bands_of_constant_scores_have_no_width():
    mean, variance, kurtosis = pair_bands(8, 20, PairLaw("rademacher", correlation=1.0), math.nan)
    assert (mean.predicted, mean.low, mean.high) == (8.0, 8.0, 8.0)
    assert variance[:4] == (0.0, 0.0, 0.0, 0.0)
    assert np.isnan(kurtosis[:4]).all()
