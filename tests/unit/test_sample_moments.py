import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from sattn_core.sample_moments import sample_moments


def test_sample_moments_by_hand():
    # deviations -1, -1, 1, 1 around 2: m2 = m4 = 1
    mean, variance, excess_kurtosis = sample_moments(np.array([1.0, 1.0, 3.0, 3.0]))
    assert (mean, variance, excess_kurtosis) == (2.0, 4 / 3, -2.0)


def test_equal_samples_have_no_kurtosis():
    assert np.isnan(sample_moments(np.array([2.0, 2.0]))[2])


def test_the_moments_of_a_matrix_are_those_of_its_entries():
    values = np.random.default_rng(0).gamma(2.0, size=(4, 5))
    for ddof in (0, 1):
        wanted = values.mean(), values.var(ddof=ddof), stats.kurtosis(values, axis=None)
        np.testing.assert_allclose(sample_moments(values, ddof), wanted, rtol=1e-12)


def test_equal_values_have_variance_0_though_their_mean_is_rounded():
    values = np.full(3, 0.1)
    assert values.var() > 0
    assert sample_moments(values)[:2] == (pytest.approx(0.1), 0.0)


# --- properties ----------------------------------------------------------------------------------------


@given(arrays(float, st.integers(2, 40), elements=st.integers(-50, 50).map(float)), st.floats(0.1, 10))
def test_kurtosis_ignores_the_scale_and_is_at_least_minus_two(values, scale):
    excess_kurtosis = sample_moments(values)[2]
    if np.ptp(values) > 0:
        assert excess_kurtosis >= -2 - 1e-12
        np.testing.assert_allclose(sample_moments(scale * values)[2], excess_kurtosis, rtol=1e-9, atol=1e-9)
