import math

import pytest
from scipy import stats

from sattn_core.bands.band import EXACT, GAMMA, NO_BAND, NORMAL, ROUGH, ROUGH_NORMAL, Band, student_quantile


def test_normal_band_holds_the_central_95_percent():
    band = Band.normal(1.0, 0.5, EXACT)
    assert (band.low, band.high) == pytest.approx(stats.norm(1.0, 0.5).interval(0.95), rel=1e-12)


def test_gamma_band_has_the_given_mean_and_standard_error():
    band = Band.gamma(3.0, 2.0, GAMMA)
    assert (band.low, band.high) == pytest.approx(stats.gamma(9 / 4, scale=4 / 3).interval(0.95), rel=1e-10)
    assert Band.gamma(3.0, 0.0, GAMMA)[1:4] == (0.0, 3.0, 3.0)


# A standard error up to 0.3, a tenth of the kurtosis 3, is good; at 1.03 the band would reach below the minimum −2.
@pytest.mark.parametrize(("error", "source"), [(0.3, NORMAL), (0.31, ROUGH_NORMAL), (1.03, NO_BAND)])
def test_kurtosis_band_is_rough_or_missing_at_a_large_standard_error(error, source):
    band = Band.kurtosis(0.0, error)
    assert band.error_source == source
    assert (band.low == -math.inf) == (source == NO_BAND)


def test_kurtosis_without_a_prediction_has_no_standard_error():
    assert math.isnan(Band.kurtosis(math.inf, 1.0).standard_error)


@pytest.mark.parametrize(("measured", "z", "inside"), [(4.0, 2.0, False), (3.0, 1.0, True), (0.0, -2.0, False)])
def test_row_multiplies_the_prediction_and_standard_error_by_a_factor(measured, z, inside):
    row = Band.normal(1.0, 0.5, EXACT).row("scaled mean", measured, 2.0)
    assert (row.name, row.predicted, row.standard_error, row.z, row.inside) == ("scaled mean", 2.0, 1.0, z, inside)
    assert not row.is_rough


@pytest.mark.parametrize("error", [0.0, math.inf, math.nan])
def test_row_has_no_verdict_without_a_standard_error(error):
    row = Band.normal(1.0, error, ROUGH[0]).row("raw mean", 1.0)
    assert (row.inside, row.is_rough) == (None, True)
    assert math.isnan(row.z)


def test_student_quantile_has_n_minus_1_degrees_of_freedom():
    assert student_quantile(20) == pytest.approx(stats.t(19).ppf(0.975), rel=1e-12)
