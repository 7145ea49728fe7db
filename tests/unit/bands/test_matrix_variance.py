"""Moments and band of np.var(Q K^T): cases by hand, properties and oracles."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sattn_core.bands.matrix_variance import (
    _simulated_quantiles,
    row_variance_band,
    row_variance_moments,
    score_variance_band,
    score_variance_moments,
)


def test_moments_of_a_two_by_two_matrix_by_hand():
    assert score_variance_moments(2, 2, 2) == (1.5, 4.75)


@pytest.mark.parametrize(("m", "n", "d"), [(2, 3, 4), (16, 16, 64), (1, 64, 5), (1111, 1111, 111)])
def test_general_formula_reduces_to_the_normal_one(m, n, d):
    N = m * n
    normal = 2 * d * ((N - 2) * (m + n + d + 1) + d + 3) / N**2
    assert score_variance_moments(m, n, d).variance == pytest.approx(normal, rel=1e-14)
    assert score_variance_moments(m, n, d, kurtosis_q=3.1).variance > normal


def test_variance_of_a_single_entry_is_always_0():
    assert score_variance_moments(1, 1, 8) == (0, 0)
    assert score_variance_moments(1, 1, 8, kurtosis_q=math.inf) == (0, 0)
    assert score_variance_band(1, 1, 8) == (0, 0)


def test_infinite_kurtosis_makes_the_variance_of_variances_infinite():
    assert score_variance_moments(1, 2, 3, kurtosis_k=math.inf) == (1.5, math.inf)


def test_queries_and_keys_are_interchangeable():
    assert score_variance_moments(3, 7, 5, kurtosis_q=2, kurtosis_k=4) == pytest.approx(
        score_variance_moments(7, 3, 5, kurtosis_q=4, kurtosis_k=2), rel=1e-15
    )
    assert score_variance_band(3, 40, 4) == score_variance_band(40, 3, 4)


def test_simulated_bands_are_reproducible():
    first = score_variance_band(2, 2, 2), row_variance_band(2, 2, 2)
    _simulated_quantiles.cache_clear()
    assert (score_variance_band(2, 2, 2), row_variance_band(2, 2, 2)) == first


@pytest.mark.parametrize("name", ["n_queries", "n_keys", "d_k"])
@pytest.mark.parametrize(
    "function", [score_variance_moments, score_variance_band, row_variance_moments, row_variance_band]
)
def test_bad_sizes_are_refused(function, name):
    sizes = {"n_queries": 4, "n_keys": 4, "d_k": 4}
    with pytest.raises(ValueError, match=f"{name} must be at least 1, but got 0"):
        function(**(sizes | {name: 0}))
    with pytest.raises(TypeError, match=rf"{name} must be an integer, but got 2\.5"):
        function(**(sizes | {name: 2.5}))


def test_bad_kurtosis_and_level_are_refused():
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
def test_a_level_too_high_for_the_simulated_matrices_is_refused(band):
    rule = "level must be at most 0.998 for sizes so small, whose band is that of 25,000 simulated matrices, "
    for level in (0.9981, 0.99999, 1 - 1e-16):
        with pytest.raises(ValueError, match=f"{rule}but got {level}"):
            band(2, 2, 2, level=level)
    assert band(2, 2, 2, level=0.998)[1] > band(2, 2, 2, level=0.99)[1]
    low, high = band(64, 64, 64, level=1 - 1e-16)  # larger sizes have a formula at every level
    assert 0 < low < high < math.inf


@pytest.mark.parametrize(("m", "n", "d"), [(1000, 2, 64), (64, 2, 8), (5, 3, 1)])
def test_row_variance_moments_reduce_to_the_normal_formula(m, n, d):
    moments = row_variance_moments(m, n, d)
    assert moments.mean == d * (n - 1) / n
    assert moments.variance == pytest.approx(2 * d * (m + n + d) * m * (n - 1) / (m * n) ** 2, rel=1e-14)
    assert row_variance_moments(m, n, d, kurtosis_k=3.1).variance > moments.variance


def test_row_variance_is_0_for_one_key_and_unbounded_for_infinite_kurtosis():
    assert row_variance_moments(4, 1, 8, kurtosis_q=math.inf) == (0, 0)
    assert row_variance_band(4, 1, 8) == (0, 0)
    assert row_variance_moments(4, 2, 8, kurtosis_k=math.inf) == (4, math.inf)
    assert row_variance_band(4, 2, 8, kurtosis_k=math.inf) == (0, math.inf)


def test_row_variance_of_one_query_is_the_matrix_variance():
    assert row_variance_moments(1, 7, 5) == pytest.approx(score_variance_moments(1, 7, 5), rel=1e-14)
    assert row_variance_band(1, 200, 50) == pytest.approx(score_variance_band(1, 200, 50), rel=1e-12)


# --- properties --------------------------------------------------------------------------------------


@given(st.integers(8, 300), st.integers(8, 300), st.integers(8, 300), st.floats(0.5, 0.98))
def test_a_higher_level_gives_a_wider_band_around_the_mean(m, n, d, level):
    low, high = score_variance_band(m, n, d, level=level)
    wide_low, wide_high = score_variance_band(m, n, d, level=level + 0.01)
    assert 0 < wide_low < low < score_variance_moments(m, n, d).mean < high < wide_high


# --- oracles -----------------------------------------------------------------------------------------


COIN = ((-1.0, 0.5), (1.0, 0.5))
LOPSIDED = ((-0.5, 0.8), (2.0, 0.2))  # mean 0, variance 1, fourth moment 3.25, not symmetric


def enumerate_variance(m, n, d, law_q, law_k):
    """Return mean and variance of np.var(Q K^T) over every outcome of discrete components."""
    scores, weights = every_score(m, n, d, law_q, law_k)
    return weighted_moments(scores.reshape(*weights.shape, -1).var(axis=-1), weights)


def every_score(m, n, d, law_q, law_k):
    Qs, w_q = every_matrix(law_q, m, d)
    Ks, w_k = every_matrix(law_k, n, d)
    return np.einsum("aid,bjd->abij", Qs, Ks), np.multiply.outer(w_q, w_k)


def weighted_moments(V, weights):
    mean = (weights * V).sum()
    return mean, (weights * (V - mean) ** 2).sum()


def every_matrix(law, rows, columns):
    outcomes = list(itertools.product(law, repeat=rows * columns))
    values = np.array([[x for x, _ in outcome] for outcome in outcomes]).reshape(-1, rows, columns)
    return values, np.array([math.prod(p for _, p in outcome) for outcome in outcomes])


@pytest.mark.parametrize(("m", "n", "d"), [(1, 2, 1), (2, 2, 1), (2, 2, 2), (3, 2, 2), (1, 4, 2), (2, 3, 3)])
def test_score_variance_moments_agree_with_enumeration(m, n, d):
    moments = score_variance_moments(m, n, d, kurtosis_q=1, kurtosis_k=3.25)
    # at most 2^15 terms: rounding below 1e-11
    assert moments == pytest.approx(enumerate_variance(m, n, d, COIN, LOPSIDED), rel=1e-11)


THREE = ((-math.sqrt(2.0), 0.25), (0.0, 0.5), (math.sqrt(2.0), 0.25))  # symmetric, fourth moment 2


@pytest.mark.parametrize(("m", "n", "d"), [(1, 2, 1), (2, 2, 2), (3, 2, 2), (1, 4, 2), (2, 3, 2)])
def test_row_variance_moments_agree_with_enumeration(m, n, d):
    for laws, kurtosis in (((COIN, THREE), (1, 2)), ((THREE, COIN), (2, 1))):
        scores, weights = every_score(m, n, d, *laws)
        moments = row_variance_moments(m, n, d, kurtosis_q=kurtosis[0], kurtosis_k=kurtosis[1])
        # at most 3^6 by 2^6 terms: rounding below 1e-11
        assert moments == pytest.approx(weighted_moments(scores.var(axis=-1).mean(axis=-1), weights), rel=1e-11)


def draw_variances(m, n, d, n_matrices, seed, axis=(1, 2), draw=np.random.Generator.standard_normal):
    """Return each matrix's variance over all scores, or its mean variance along `axis`."""
    rng, batch = np.random.default_rng(seed), max(1, 2_000_000 // (m * d + n * d + m * n))
    sizes = np.diff([*range(0, n_matrices, batch), n_matrices])
    scores = (draw(rng, (size, m, d)) @ draw(rng, (size, n, d)).swapaxes(1, 2) for size in sizes)
    return np.concatenate([each.var(axis=axis).reshape(len(each), -1).mean(axis=1) for each in scores])


def draw_row_variances(m, n, d, n_matrices, seed):
    """Return each matrix's mean row variance; with at most 8 keys, draw it from its law given the keys."""
    rng = np.random.default_rng(seed)
    if n <= 8:
        keys = rng.standard_normal((n_matrices, n, d))
        keys -= keys.mean(axis=1, keepdims=True)
        widths = np.maximum(np.linalg.eigvalsh(keys @ keys.swapaxes(1, 2)), 0.0)
        return (widths * rng.chisquare(m, widths.shape)).sum(axis=1) / (m * n)
    return draw_variances(m, n, d, n_matrices, seed, axis=2)


@pytest.mark.parametrize(
    ("m", "n", "d", "n_matrices"),
    [
        (1000, 2, 64, 20_000),
        (64, 2, 8, 20_000),
        (200, 3, 16, 20_000),
        (100, 5, 4, 20_000),
        (128, 8, 64, 10_000),
        (64, 64, 64, 3_000),
        (2, 2, 2, 20_000),
        (8, 8, 8, 20_000),
        (4096, 2, 2, 20_000),
        (6, 7, 6, 20_000),
    ],
)
def test_row_variance_band_covers_its_level(m, n, d, n_matrices):
    W = draw_row_variances(m, n, d, n_matrices, seed=8)
    mean, variance = row_variance_moments(m, n, d)
    assert abs(W.mean() - mean) < 4 * math.sqrt(variance / n_matrices)
    low, high = row_variance_band(m, n, d)
    coverage = ((low <= W) & (W <= high)).mean()
    # the coverage has a standard error of 0.15 points with 20,000 draws and of 0.4 with 3,000
    assert 0.935 < coverage < 0.965
    # the band for the variance over all entries is too wide or misplaced: each row is centred by its own mean
    if n == 2 and m > 2:
        low, high = score_variance_band(m, n, d)
        assert not 0.93 < ((low <= W) & (W <= high)).mean() < 0.97


def draw_tailed(law, rng, shape):
    if law == "t":
        return rng.standard_t(5, shape) * math.sqrt(3 / 5)
    if law == "uniform":
        return rng.uniform(-math.sqrt(3), math.sqrt(3), shape)
    return np.where(rng.random(shape) < 0.1, rng.standard_normal(shape) * math.sqrt(10), 0.0)


@pytest.mark.parametrize(("law", "kurtosis"), [("t", 9), ("sparse", 30), ("uniform", 1.8)])
@pytest.mark.parametrize(("m", "n", "d"), [(32, 32, 32), (64, 128, 4)])
def test_row_variance_band_follows_the_kurtosis(law, kurtosis, m, n, d):
    n_matrices = 2_000
    W = draw_variances(m, n, d, n_matrices, seed=9, axis=2, draw=partial(draw_tailed, law))
    low, high = row_variance_band(m, n, d, kurtosis_q=kurtosis, kurtosis_k=kurtosis)
    # allow 2 points for the gamma approximation and 4 standard errors of half a point each
    assert abs(((low <= W) & (W <= high)).mean() - 0.95) < 0.02 + 4 * math.sqrt(0.95 * 0.05 / n_matrices)


@pytest.mark.parametrize(
    ("m", "n", "d", "n_matrices"),
    [
        (2, 2, 2, 40_000),
        (4, 4, 8, 20_000),
        (16, 16, 64, 10_000),
        (32, 32, 2, 10_000),
        (64, 64, 64, 4_000),
        (1, 64, 4, 20_000),
        (1, 3, 64, 20_000),
        (8, 8, 1, 20_000),
        (12, 2, 6, 20_000),
        (7, 7, 7, 20_000),
    ],
)
def test_score_variance_band_covers_its_level(m, n, d, n_matrices):
    V = draw_variances(m, n, d, n_matrices, seed=5)
    mean, variance = score_variance_moments(m, n, d)
    assert abs(V.mean() - mean) < 4 * math.sqrt(variance / n_matrices)
    for level in (0.95, 0.8):
        low, high = score_variance_band(m, n, d, level=level)
        coverage = ((low <= V) & (V <= high)).mean()
        # allow 1.5 points for the gamma approximation and 2 standard errors of this simulation
        assert abs(coverage - level) < 0.015 + 2 * math.sqrt(level * (1 - level) / n_matrices)


@pytest.mark.parametrize(("m", "n", "d"), [(2, 2, 2), (3, 8, 2), (2, 5, 40), (1, 30, 3)])
def test_values_fall_below_and_above_simulated_bands_equally_often(m, n, d):
    n_matrices = 40_000
    V = draw_variances(m, n, d, n_matrices, seed=6)
    low, high = score_variance_band(m, n, d, level=0.9)
    # stricter than 4 standard errors: the band comes from 25,000 simulated matrices, not from 100,000
    allowed = 4 * math.sqrt(0.05 * 0.95 * (1 / 100_000 + 1 / n_matrices))
    assert abs((low > V).mean() - 0.05) < allowed
    assert abs((high < V).mean() - 0.05) < allowed


def test_band_with_very_many_keys_has_chi_square_quantiles():
    # drawing these matrices would take gigabytes, but the limit for very many keys is known:
    # given q, the variance of n scores tends to |q|^2, chi-square with d_k degrees of freedom
    low, high = score_variance_band(1, 1_000_000, 2)
    # chi2(2) quantiles are -2 ln(1 - p); with 25,000 draws the lower one has a standard error of 4 %
    assert low == pytest.approx(-2 * math.log(0.975), rel=0.08)
    assert high == pytest.approx(-2 * math.log(0.025), rel=0.02)


@pytest.mark.parametrize(
    ("values", "chances", "kurtosis"), [((-1, 1), (0.5, 0.5), 1.0), ((-2, 0, 2), (0.125, 0.75, 0.125), 4.0)]
)
@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 2, 1), (1, 3, 2), (2, 3, 1)])
@pytest.mark.parametrize("means", [(0.0, 0.0), (0.3, -0.7), (2.0, 0.0), (0.0, 1.5)])
def test_moments_with_means_agree_with_enumeration(values, chances, kurtosis, sizes, means):
    mean_q, mean_k = means
    found = score_variance_moments(*sizes, kurtosis_q=kurtosis, kurtosis_k=kurtosis, mean_q=mean_q, mean_k=mean_k)
    laws = ([(mean + value, chance) for value, chance in zip(values, chances, strict=True)] for mean in means)
    # At most 6,561 matrices are summed: rounding only.
    np.testing.assert_allclose(found, enumerate_variance(*sizes, *laws), rtol=1e-11, atol=1e-12)
