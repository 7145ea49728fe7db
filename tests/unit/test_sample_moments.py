import numpy as np
import pytest
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
