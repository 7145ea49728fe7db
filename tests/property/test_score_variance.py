"""What holds for the variance of the entries at every size."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.score_variance import score_variance_band, score_variance_moments

SIZES = st.integers(1, 200)
KURTOSIS = st.floats(1, 40)


@settings(deadline=None, max_examples=60)
@given(SIZES, SIZES, SIZES, KURTOSIS, KURTOSIS)
def test_the_variance_is_not_negative_and_grows_with_the_kurtosis(m, n, d, k_q, k_k):
    mean, variance = score_variance_moments(m, n, d, kurtosis_q=k_q, kurtosis_k=k_k)
    assert 0 <= mean < d
    assert variance >= -1e-9
    heavier = score_variance_moments(m, n, d, kurtosis_q=k_q + 1, kurtosis_k=k_k)
    assert heavier.variance >= variance - 1e-9


@settings(deadline=None, max_examples=60)
@given(st.integers(8, 300), st.integers(8, 300), st.integers(8, 300), st.floats(0.5, 0.98))
def test_a_higher_level_gives_a_wider_band_around_the_mean(m, n, d, level):
    low, high = score_variance_band(m, n, d, level=level)
    wide_low, wide_high = score_variance_band(m, n, d, level=level + 0.01)
    assert 0 < wide_low < low < score_variance_moments(m, n, d).mean < high < wide_high


@settings(deadline=None, max_examples=30)
@given(st.integers(20, 200), st.integers(20, 200), st.integers(20, 200))
def test_the_band_has_the_width_of_the_exact_standard_deviation(m, n, d):
    low, high = score_variance_band(m, n, d)
    # a gamma's central 95 % interval is 3.92 sd wide up to terms of order 1/shape, here below 3 %
    sd = np.sqrt(score_variance_moments(m, n, d).variance)
    np.testing.assert_allclose(high - low, 3.92 * sd, rtol=0.03)
