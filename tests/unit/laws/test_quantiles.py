import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sattn_core.laws.quantiles import chi_square_quantiles, expected_maximum, median_bounds

MAXIMA = [(1, 0.0), (2, 0.564190), (8, 1.423600), (64, 2.343733), (1024, 3.248240)]


@pytest.mark.parametrize(("n", "expected"), MAXIMA)
def test_expected_maximum_agrees_with_a_table(n, expected):
    assert abs(expected_maximum(n) - expected) < 1e-6


@pytest.mark.parametrize("n", [10, 101, 2000])
def test_bounds_cover_the_median_with_about_95_percent_probability(n):
    low, high = median_bounds(np.arange(float(n)))
    # the median lies above the order statistic of rank r (from 0) if more than r of n values are below the median
    covered = stats.binom(n, 0.5).cdf(high) - stats.binom(n, 0.5).cdf(low)
    assert 0.95 - 0.02 < covered < 0.995


def test_bounds_stay_inside_the_sample():
    low, high = median_bounds(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    np.testing.assert_array_equal([low, high], [[1, 4], [3, 6]])


@pytest.mark.parametrize("n", [0, 1.5])
def test_bad_counts_of_normals_are_refused(n):
    with pytest.raises((ValueError, TypeError), match="n must be"):
        expected_maximum(n)


# --- properties ----------------------------------------------------------------------------------------


@given(st.integers(2, 4096))
def test_expected_maximum_grows_and_stays_below_its_bound(n):
    assert expected_maximum(n - 1) < expected_maximum(n) < np.sqrt(2 * np.log(n))


# --- oracles -------------------------------------------------------------------------------------------


def test_expected_maximum_agrees_with_a_closed_form():
    # Three normals: E max = 3 / (2 sqrt(pi)).
    assert abs(expected_maximum(3) - 1.5 / np.sqrt(np.pi)) < 1e-13


def test_quantiles_with_0_degrees_of_freedom_are_0():
    np.testing.assert_array_equal(chi_square_quantiles(0, np.array([0.0, 0.3, 1.0])), np.zeros(3))
    assert chi_square_quantiles(3, np.full((2, 5), 0.5)).shape == (2, 5)


def test_quantiles_of_0_and_1_are_finite():
    low, middle, high = chi_square_quantiles(7, np.array([0.0, 0.5, 1.0]))
    assert 0 < low < middle < high < np.inf


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [1, 2, 3, 10, 63, 64, 1023, 1024])
def test_quantiles_agree_with_scipy(degrees):
    below = np.geomspace(1e-16, 0.5, 400)
    # 1e-9: the largest error of the series of 80 terms is 1.1e-10, at one degree of freedom.
    np.testing.assert_allclose(chi_square_quantiles(degrees, below), stats.chi2.ppf(below, degrees), rtol=1e-9)
    above = 1 - np.geomspace(1e-12, 0.5, 400)
    np.testing.assert_allclose(chi_square_quantiles(degrees, above), stats.chi2.ppf(above, degrees), rtol=1e-9)
