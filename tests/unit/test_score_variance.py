"""Moments and band of np.var(Q K^T) on cases checked by hand."""

import math

import pytest

from sattn_core.score_variance import (
    _simulated_quantiles,
    row_variance_band,
    row_variance_moments,
    score_variance_band,
    score_variance_moments,
)


def test_two_by_two_with_two_components():
    assert score_variance_moments(2, 2, 2) == (1.5, 4.75)


def test_one_query_one_component_two_keys():
    # V = q^2 (k_1 - k_2)^2 / 4, so E V = 1/2 and E V^2 = 3 * 12 / 16
    moments = score_variance_moments(1, 2, 1)
    assert moments.mean == 0.5
    assert moments.variance == pytest.approx(36 / 16 - 1 / 4, rel=1e-15)


@pytest.mark.parametrize(("m", "n", "d"), [(2, 3, 4), (16, 16, 64), (1, 64, 5), (1111, 1111, 111)])
def test_the_general_formula_reduces_to_the_normal_one(m, n, d):
    N = m * n
    normal = 2 * d * ((N - 2) * (m + n + d + 1) + d + 3) / N**2
    assert score_variance_moments(m, n, d).variance == pytest.approx(normal, rel=1e-14)
    assert score_variance_moments(m, n, d, kurtosis_q=3.1).variance > normal


def test_a_single_entry_does_not_vary():
    assert score_variance_moments(1, 1, 8) == (0, 0)
    assert score_variance_moments(1, 1, 8, kurtosis_q=math.inf) == (0, 0)
    assert score_variance_band(1, 1, 8) == (0, 0)


def test_an_infinite_kurtosis_makes_the_variance_infinite():
    assert score_variance_moments(1, 2, 3, kurtosis_k=math.inf) == (1.5, math.inf)


def test_queries_and_keys_play_the_same_part():
    assert score_variance_moments(3, 7, 5, kurtosis_q=2, kurtosis_k=4) == pytest.approx(
        score_variance_moments(7, 3, 5, kurtosis_q=4, kurtosis_k=2), rel=1e-15
    )
    assert score_variance_band(3, 40, 4) == score_variance_band(40, 3, 4)


def test_the_band_is_the_same_every_time():
    first = score_variance_band(2, 2, 2), row_variance_band(2, 2, 2)
    _simulated_quantiles.cache_clear()
    assert (score_variance_band(2, 2, 2), row_variance_band(2, 2, 2)) == first


@pytest.mark.parametrize("name", ["n_queries", "n_keys", "d_k"])
@pytest.mark.parametrize(
    "function", [score_variance_moments, score_variance_band, row_variance_moments, row_variance_band]
)
def test_sizes_are_checked(function, name):
    sizes = {"n_queries": 4, "n_keys": 4, "d_k": 4}
    with pytest.raises(ValueError, match=f"{name} must be at least 1, but got 0"):
        function(**(sizes | {name: 0}))
    with pytest.raises(TypeError, match=rf"{name} must be an integer, but got 2\.5"):
        function(**(sizes | {name: 2.5}))


def test_kurtosis_and_level_are_checked():
    with pytest.raises(ValueError, match=r"kurtosis_q must be at least 1 \(no law has less\), but got 0\.9"):
        score_variance_moments(4, 4, 4, kurtosis_q=0.9)
    with pytest.raises(TypeError, match="kurtosis_k must be a real number, but got 'normal'"):
        score_variance_moments(4, 4, 4, kurtosis_k="normal")
    with pytest.raises(ValueError, match="kurtosis_q must be at least 1"):
        row_variance_moments(4, 4, 4, kurtosis_q=0.9)
    for band in (score_variance_band, row_variance_band):
        for level in (0, 1, -0.5, 95):
            with pytest.raises(ValueError, match=rf"level must be a finite number in \(0, 1\), but got {level}"):
                band(4, 4, 4, level=level)


@pytest.mark.parametrize("band", [score_variance_band, row_variance_band])
def test_a_level_that_the_simulated_matrices_cannot_hold_is_refused(band):
    rule = "level must be at most 0.998 for sizes so small, whose band is that of 25,000 simulated matrices, "
    for level in (0.9981, 0.99999, 1 - 1e-16):
        with pytest.raises(ValueError, match=f"{rule}but got {level}"):
            band(2, 2, 2, level=level)
    assert band(2, 2, 2, level=0.998)[1] > band(2, 2, 2, level=0.99)[1]
    low, high = band(64, 64, 64, level=1 - 1e-16)  # larger sizes have a formula at every level
    assert 0 < low < high < math.inf


@pytest.mark.parametrize(("m", "n", "d"), [(1000, 2, 64), (64, 2, 8), (5, 3, 1)])
def test_the_moments_inside_a_row_reduce_to_the_normal_formula(m, n, d):
    moments = row_variance_moments(m, n, d)
    assert moments.mean == d * (n - 1) / n
    assert moments.variance == pytest.approx(2 * d * (m + n + d) * m * (n - 1) / (m * n) ** 2, rel=1e-14)
    assert row_variance_moments(m, n, d, kurtosis_k=3.1).variance > moments.variance


def test_a_single_key_has_no_variance_inside_a_row_and_an_infinite_kurtosis_no_bound():
    assert row_variance_moments(4, 1, 8, kurtosis_q=math.inf) == (0, 0)
    assert row_variance_band(4, 1, 8) == (0, 0)
    assert row_variance_moments(4, 2, 8, kurtosis_k=math.inf) == (4, math.inf)
    assert row_variance_band(4, 2, 8, kurtosis_k=math.inf) == (0, math.inf)


def test_with_one_query_a_row_is_all_there_is():
    assert row_variance_moments(1, 7, 5) == pytest.approx(score_variance_moments(1, 7, 5), rel=1e-14)
    assert row_variance_band(1, 200, 50) == pytest.approx(score_variance_band(1, 200, 50), rel=1e-12)
