"""The fitted exponent of growth: cases checked by hand, and the coverage of its intervals."""

import math

import numpy as np
import pytest

from sattn_core.files.score_growth import FEWEST_ROWS, mean_over_subsets, paired_exponent, row_exponent, sub_dimensions
from sattn_core.layers.layer_norm import layer_norm

RNG = np.random.default_rng(11)


def exponents(Q, K):
    """Return the row exponent and, for equally many queries and keys, the paired exponent."""
    q, k = Q - Q.mean(axis=0), K - K.mean(axis=0)
    rows = row_exponent(Q, k, Q.T @ Q / len(Q), k.T @ k / len(k))
    return (rows, paired_exponent(q, k)) if len(Q) == len(K) else (rows,)


def test_mean_over_subsets_agrees_with_enumeration():
    H = RNG.standard_normal((4, 4))
    every_pair = [H[np.ix_(pair, pair)].sum() for pair in ([0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3])]
    means = mean_over_subsets((1, 2, 4), 4, np.array([np.trace(H)]), np.array([H.sum()]))[0]
    assert np.allclose(means, [np.trace(H) / 4, np.mean(every_pair), H.sum()], rtol=1e-13)


def test_sub_dimensions_by_hand():
    assert sub_dimensions(1) == (1,)
    assert sub_dimensions(8) == (1, 2, 4, 8)
    assert sub_dimensions(12) == (1, 2, 4, 8, 12)


def test_exponent_of_two_components_by_hand():
    # Two components: the exponent is the slope over one octave, log₂ of the ratio of the sizes.
    Q, K = RNG.standard_normal((2, 8, 2))
    k = K - K.mean(axis=0)
    H = (Q.T @ Q / 8) * (k.T @ k / 8)
    fit = exponents(Q, K)[0]
    assert fit.sizes == pytest.approx(np.sqrt([np.trace(H) / 2, H.sum()]), rel=1e-13)
    assert fit.value == pytest.approx(0.5 * math.log2(2 * H.sum() / np.trace(H)), rel=1e-12)


def test_fitted_sizes_agree_with_the_scores_themselves():
    Q, K = RNG.standard_normal((2, 6, 2)) + 0.3
    q, k = Q - Q.mean(axis=0), K - K.mean(axis=0)
    rows, pairs = exponents(Q, K)
    one = [Q[:, [a]] @ k[:, [a]].T for a in (0, 1)]
    assert rows.sizes == pytest.approx([np.sqrt(np.mean(np.square(one))), np.sqrt(np.mean((Q @ k.T) ** 2))], rel=1e-13)
    own = np.diagonal(q @ k.T)
    assert pairs.sizes == pytest.approx([np.sqrt(np.mean((q * k) ** 2)), np.sqrt(np.mean(own**2))], rel=1e-13)


def test_exponent_of_equal_components_is_at_its_maximum_of_one():
    Q, K = RNG.standard_normal((2, 40, 1))
    for fit in exponents(np.repeat(Q, 8, axis=1), np.repeat(K, 8, axis=1)):
        assert (fit.low, fit.value, fit.high) == pytest.approx((1.0, 1.0, 1.0), abs=0.2)
        assert fit.value == pytest.approx(1.0, rel=1e-12)
        assert fit.high <= 1 + 1e-12
    nearly = np.repeat(Q[:5], 8, axis=1) + 0.3 * RNG.standard_normal((5, 8))
    assert all(fit.low < fit.value <= fit.high <= 1 + 1e-12 for fit in exponents(nearly, nearly))


def test_components_without_overlap_have_exponent_one_half():
    fit = exponents(np.eye(6), np.eye(6))[0]
    assert fit.low <= 0.5 <= fit.high
    assert fit.high - fit.low < 1e-12


@pytest.mark.parametrize(("n", "d_k", "correlation"), [(300, 64, 0.5), (1000, 64, 0.8), (1000, 256, 1.0)])
def test_interval_contains_its_estimate_for_many_rows(n, d_k, correlation):
    Q, noise = RNG.standard_normal((2, n, d_k))
    fits = exponents(Q, correlation * Q + math.sqrt(1 - correlation**2) * noise)
    assert all(fit.low < fit.value < fit.high for fit in fits)


@pytest.mark.parametrize(("n_queries", "n_keys"), [(2, 2), (4, 4), (4, 100), (100, 4)])
def test_fewer_than_five_rows_have_an_exponent_but_no_interval(n_queries, n_keys):
    assert FEWEST_ROWS == 5
    for fit in exponents(RNG.standard_normal((n_queries, 64)), RNG.standard_normal((n_keys, 64))):
        assert math.isfinite(fit.value)
        assert math.isnan(fit.low)
        assert math.isnan(fit.high)


def test_five_rows_have_an_interval():
    for fit in exponents(*RNG.standard_normal((2, 5, 16))):
        assert fit.low < fit.value < fit.high


def test_sizes_beyond_float64_are_scaled_by_a_power_of_two():
    Q, K = RNG.standard_normal((2, 8, 4))
    k = K - K.mean(axis=0)
    moments = Q.T @ Q / 8, k.T @ k / 8
    plain, moved = row_exponent(Q, k, *moments), row_exponent(Q, k, *moments, power=-900)
    assert np.array_equal(moved.sizes, np.ldexp(plain.sizes, -900))
    assert (moved.value, moved.low) == (plain.value, plain.low)


def test_scores_of_one_component_or_without_variation_have_no_exponent():
    for Q, K in ((RNG.standard_normal((6, 1)), RNG.standard_normal((6, 1))), (np.zeros((6, 4)), np.ones((6, 4)))):
        for fit in exponents(Q, K):
            assert math.isnan(fit.value)
            assert len(fit.sizes) == len(fit.dims)


def test_sum_of_rounding_errors_has_no_exponent():
    fit = row_exponent(*RNG.standard_normal((2, 6, 2)), np.eye(2), np.array([[1.0, 0.0], [0.0, -1.0 + 1e-17]]))
    assert math.isnan(fit.value)
    tiny = np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([[1.0, -1.0], [-1.0, 1.0 + 2e-16]])
    assert math.isnan(row_exponent(*RNG.standard_normal((2, 6, 2)), *tiny).value)


# --- oracles -------------------------------------------------------------------------------------------


LAWS = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "t": lambda rng, shape: rng.standard_t(5, shape) * math.sqrt(3 / 5),
    "sparse": lambda rng, shape: np.where(rng.random(shape) < 0.1, rng.standard_normal(shape), 0.0),
}


def row_fit(Q, K):
    k = K - K.mean(axis=0)
    return row_exponent(Q, k, Q.T @ Q / len(Q), k.T @ k / len(k))


def pair_fit(Q, K):
    return paired_exponent(Q - Q.mean(axis=0), K - K.mean(axis=0))


FITS = {"rows": row_fit, "pairs": pair_fit}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("of", FITS)
@pytest.mark.parametrize(("n", "d_k"), [(5, 16), (5, 64), (64, 64)])
def test_interval_of_independent_components_covers_one_half(law, of, n, d_k):
    rng, draws = np.random.default_rng(n), 500
    fits = [FITS[of](*LAWS[law](rng, (2, n, d_k))) for _ in range(draws)]
    covered = np.mean([fit.low <= 0.5 <= fit.high for fit in fits])
    # the coverage promised is 94 %; 3 standard errors of 500 draws are 3 points
    assert covered > 0.94 - 3 * math.sqrt(0.94 * 0.06 / draws)
    values = np.array([fit.value for fit in fits])
    # Half an interval should be 2 standard deviations, times √2 because noise is counted twice; allow 1.5 times that.
    if n == 64:
        assert abs(values.mean() - 0.5) < 4 * values.std() / math.sqrt(draws) + 0.005  # 0.005: the bias of a logarithm
        half = np.mean([fit.high - fit.low for fit in fits]) / 2
        assert half < 1.5 * math.sqrt(2) * 2 * values.std()


@pytest.mark.parametrize(("m", "n"), [(5, 64), (64, 5)])
def test_interval_for_few_queries_or_few_keys_covers_one_half(m, n):
    rng = np.random.default_rng(m)
    fits = [row_fit(rng.standard_normal((m, 16)), rng.standard_normal((n, 16))) for _ in range(300)]
    assert np.mean([fit.low <= 0.5 <= fit.high for fit in fits]) > 0.94


W_Q, W_K = np.random.default_rng(2).standard_normal((2, 64, 16)) / 8


def layer_normed(n, d, rng, *weights):
    x = layer_norm(rng.standard_normal((n, 4 * d)))
    return [x @ W for W in weights]


CASES = {
    "aligned": lambda n, rng: [q := rng.standard_normal((n, 16)), 0.8 * q + 0.6 * rng.standard_normal((n, 16))],
    "the same": lambda n, rng: [rng.standard_normal((n, 16))] * 2,
    "layer-normed": lambda n, rng: layer_normed(n, 16, rng, W_Q, W_K),
    "layer-normed, tied weights": lambda n, rng: layer_normed(n, 16, rng, W_Q, W_Q),
}


@pytest.mark.parametrize("n", [100, 300])
@pytest.mark.parametrize("case", CASES)
def test_interval_covers_the_mean_estimate_of_many_draws(case, n):
    rng, draws = np.random.default_rng(n), 200
    for fit_of in (row_fit, pair_fit):
        fits = [fit_of(*CASES[case](n, rng)) for _ in range(draws)]
        mean, spread = np.mean([fit.value for fit in fits]), np.std([fit.value for fit in fits])
        assert np.mean([fit.low <= mean <= fit.high for fit in fits]) >= 0.95 - 4 * math.sqrt(0.95 * 0.05 / draws)
        half = np.mean([fit.high - fit.low for fit in fits]) / 2
        # The paired interval is at least as wide as for independent signs: here up to four times too wide.
        assert half < (1.2 * math.sqrt(2) if fit_of is row_fit else 4) * 1.96 * spread
