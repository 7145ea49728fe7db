import numpy as np
import pytest
from scipy import stats

from sattn_core.chi_square import chi_square_quantiles


def test_of_no_degrees_every_quantile_is_0():
    np.testing.assert_array_equal(chi_square_quantiles(0, np.array([0.0, 0.3, 1.0])), np.zeros(3))
    assert chi_square_quantiles(3, np.full((2, 5), 0.5)).shape == (2, 5)


def test_the_ends_are_finite_and_in_order():
    low, middle, high = chi_square_quantiles(7, np.array([0.0, 0.5, 1.0]))
    assert 0 < low < middle < high < np.inf


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [1, 2, 3, 10, 63, 64, 1023, 1024])
def test_quantiles_are_those_of_scipy(degrees):
    below = np.geomspace(1e-16, 0.5, 400)
    # 1e-9: the series of 80 terms is 1.1e-10 off at one degree of freedom, where ln x turns the most.
    np.testing.assert_allclose(chi_square_quantiles(degrees, below), stats.chi2.ppf(below, degrees), rtol=1e-9)
    above = 1 - np.geomspace(1e-12, 0.5, 400)
    np.testing.assert_allclose(chi_square_quantiles(degrees, above), stats.chi2.ppf(above, degrees), rtol=1e-9)
