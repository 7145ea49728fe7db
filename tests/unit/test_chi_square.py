import numpy as np

from sattn_core.chi_square import chi_square_quantiles


def test_of_two_degrees_the_quantile_is_known():
    probability = np.array([0.1, 0.5, 0.999])
    np.testing.assert_allclose(chi_square_quantiles(2, probability), -2 * np.log1p(-probability), rtol=1e-9)


def test_of_no_degrees_every_quantile_is_0():
    np.testing.assert_array_equal(chi_square_quantiles(0, np.array([0.0, 0.3, 1.0])), np.zeros(3))


def test_the_ends_are_finite_and_in_order():
    low, middle, high = chi_square_quantiles(7, np.array([0.0, 0.5, 1.0]))
    assert 0 < low < middle < high < np.inf


def test_the_shape_is_that_of_the_probabilities():
    assert chi_square_quantiles(3, np.full((2, 5), 0.5)).shape == (2, 5)
