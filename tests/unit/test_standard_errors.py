import math

import numpy as np
import pytest

from sattn_core.standard_errors import (
    kurtosis_error,
    mean_and_error,
    share_error,
    share_interval,
    shared_row_covariance,
    variance_error,
)


def test_shared_row_covariance_of_signs_in_two_dimensions():
    # |q|² is always 2, so every query has the same law of scores
    assert shared_row_covariance(2, (1.0, 1.0, 1.0, 1.0)) == 0.0


def test_mean_and_error_by_hand():
    values = np.array([[1.0, 2.0, 3.0], [4.0, 4.0, 4.0]])
    mean, error = mean_and_error(values)
    np.testing.assert_allclose(mean, [2, 4])
    np.testing.assert_allclose(error, [1 / math.sqrt(3), 0])
    np.testing.assert_array_equal(mean_and_error(values, axis=0)[0], [2.5, 3.0, 3.5])


def test_one_value_has_no_error():
    mean, error = mean_and_error(np.array([[1.0], [2.0]]))
    np.testing.assert_array_equal(mean, [1, 2])
    assert np.isnan(error).all()


def test_share_and_variance_errors_by_hand():
    np.testing.assert_allclose(share_error([0.0, 0.2, 1.0], 16), [0, 0.1, 0], rtol=1e-15)
    # μ₄ of N(0, 4) is 48: 48 - 16 * 7/9 over 10
    assert variance_error(4.0, 0.0, 10) == pytest.approx(math.sqrt((48 - 16 * 7 / 9) / 10), rel=1e-13)


def test_the_error_of_a_kurtosis_counts_what_values_share():
    normal = np.array([1.0, 0, 1, 0, 3, 0, 15, 0, 105])  # E (z⁴ - 6 z² + 3)² = 24
    assert kurtosis_error(normal, 100) == pytest.approx(math.sqrt(24 / 100), rel=1e-13)
    assert kurtosis_error(normal, 100, shared=12.0) == pytest.approx(math.sqrt(36 / 100), rel=1e-13)


def test_share_interval_at_its_ends_by_hand():
    low, high = share_interval([0, 5, 10], 10)
    # None of ten: (1 − high)^10 = 0.025; all of ten: low^10 = 0.025.
    np.testing.assert_allclose(high, [1 - 0.025**0.1, 1 - low[1], 1.0], rtol=1e-13)
    np.testing.assert_allclose(low[[0, 2]], [0.0, 0.025**0.1], rtol=1e-13)
    narrow = share_interval(5, 10, level=0.5)
    assert low[1] < narrow[0] < 0.5 < narrow[1] < high[1]
