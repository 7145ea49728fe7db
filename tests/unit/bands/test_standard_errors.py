import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from sattn_core.bands.standard_errors import (
    kurtosis_error,
    mean_and_error,
    sample_moments,
    share_error,
    share_interval,
    shared_row_covariance,
    variance_error,
)
from sattn_core.laws.components import COMPONENT_LAWS


def test_shared_row_covariance_of_signs_in_two_dimensions():
    # |q|² is always 2, so scores have the same law for every query
    assert shared_row_covariance(2, (1.0, 1.0, 1.0, 1.0)) == 0.0


def test_mean_and_standard_error_by_hand():
    values = np.array([[1.0, 2.0, 3.0], [4.0, 4.0, 4.0]])
    mean, error = mean_and_error(values)
    np.testing.assert_allclose(mean, [2, 4])
    np.testing.assert_allclose(error, [1 / math.sqrt(3), 0])
    np.testing.assert_array_equal(mean_and_error(values, axis=0)[0], [2.5, 3.0, 3.5])


def test_mean_of_one_value_has_no_standard_error():
    mean, error = mean_and_error(np.array([[1.0], [2.0]]))
    np.testing.assert_array_equal(mean, [1, 2])
    assert np.isnan(error).all()


def test_standard_errors_of_share_and_variance_by_hand():
    np.testing.assert_allclose(share_error([0.0, 0.2, 1.0], 16), [0, 0.1, 0], rtol=1e-15)
    # the fourth central moment of N(0, 4) is 48
    assert variance_error(4.0, 0.0, 10) == pytest.approx(math.sqrt((48 - 16 * 7 / 9) / 10), rel=1e-13)


def test_standard_error_of_a_kurtosis_includes_shared_covariances():
    normal = np.array([1.0, 0, 1, 0, 3, 0, 15, 0, 105])  # moments of N(0, 1): E (z⁴ - 6 z² + 3)² = 24
    assert kurtosis_error(normal, 100) == pytest.approx(math.sqrt(24 / 100), rel=1e-13)
    assert kurtosis_error(normal, 100, shared=12.0) == pytest.approx(math.sqrt(36 / 100), rel=1e-13)


def test_share_interval_of_none_half_and_all_by_hand():
    low, high = share_interval([0, 5, 10], 10)
    # None of ten: (1 − high)^10 = 0.025; all of ten: low^10 = 0.025.
    np.testing.assert_allclose(high, [1 - 0.025**0.1, 1 - low[1], 1.0], rtol=1e-13)
    np.testing.assert_allclose(low[[0, 2]], [0.0, 0.025**0.1], rtol=1e-13)
    narrow = share_interval(5, 10, level=0.5)
    assert low[1] < narrow[0] < 0.5 < narrow[1] < high[1]


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", ["normal", "uniform", "laplace"])
@pytest.mark.parametrize("d_k", [1, 5])
def test_shared_row_covariance_agrees_with_drawn_queries(law, d_k):
    moments = COMPONENT_LAWS[law].moments
    K = moments[1]
    u = COMPONENT_LAWS[law].draw(np.random.default_rng(0), (200_000, d_k)) ** 2
    kurtosis = 3 + (K**2 - 3) / d_k
    given_q = (3 * u.sum(1) ** 2 + (K - 3) * (u**2).sum(1)) / d_k**2 - 2 * kurtosis * u.mean(1)
    squares = (given_q - given_q.mean()) ** 2
    error = squares.std() / math.sqrt(len(u))
    assert abs(squares.mean() - shared_row_covariance(d_k, moments)) < 4 * error


@pytest.mark.parametrize(("count", "n"), [(0, 2_000), (1, 10), (467, 2_000), (10, 10)])
@pytest.mark.parametrize("level", [0.95, 0.5])
def test_share_interval_agrees_with_scipy(count, n, level):
    wanted = stats.binomtest(count, n).proportion_ci(level, method="exact")
    # SciPy searches for the roots; its tolerance is about 1e-12.
    np.testing.assert_allclose(share_interval(count, n, level=level), wanted, rtol=1e-9, atol=1e-12)


def test_sample_moments_by_hand():
    # deviations -1, -1, 1, 1 around 2: m2 = m4 = 1
    mean, variance, excess_kurtosis = sample_moments(np.array([1.0, 1.0, 3.0, 3.0]))
    assert (mean, variance, excess_kurtosis) == (2.0, 4 / 3, -2.0)


def test_equal_values_have_no_kurtosis():
    assert np.isnan(sample_moments(np.array([2.0, 2.0]))[2])


def test_moments_of_a_matrix_are_taken_over_all_entries():
    values = np.random.default_rng(0).gamma(2.0, size=(4, 5))
    for ddof in (0, 1):
        wanted = values.mean(), values.var(ddof=ddof), stats.kurtosis(values, axis=None)
        np.testing.assert_allclose(sample_moments(values, ddof), wanted, rtol=1e-12)


def test_equal_values_have_variance_0_despite_a_rounded_mean():
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
