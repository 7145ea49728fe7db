import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from sattn_core.draws import pair_scores
from sattn_core.laws.components import COMPONENT_LAWS, PairLaw, append_components
from sattn_core.laws.dot_product import dot_product_cdf
from sattn_core.laws.moments import paired_score_moments
from tests.counting import count, so_far

LAWS = tuple(COMPONENT_LAWS)
PAIR = {"mean_q": 0.5, "mean_k": -1.0, "correlation": 0.6}


class Left(Exception):
    """The signal to end a draw, as when a visitor has left."""


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("pair", [{}, PAIR])
def test_same_seed_repeats_the_scores_and_another_seed_changes_them(law, pair):
    first, second, other = (
        pair_scores.draw_pair_scores(300, 37, PairLaw(law, **pair), seed=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, second)
    assert first.shape == (300,)
    assert first.dtype == np.float64
    assert (first != other).mean() > 0.5


@pytest.mark.parametrize(("law", "pair"), [("uniform", {}), ("laplace", PAIR), ("student_t", {}), ("sparse", PAIR)])
def test_laws_without_a_shortcut_draw_every_component(law, pair):
    wanted = append_components(np.zeros(50), 0, 21, PairLaw(law, **pair), seed=4)
    np.testing.assert_array_equal(pair_scores.draw_pair_scores(50, 21, PairLaw(law, **pair), seed=4), wanted)


@pytest.mark.parametrize("law", LAWS)
def test_more_samples_append_different_scores(law):
    scores = pair_scores.draw_pair_scores(2 * pair_scores._PART, 3, PairLaw(law), seed=0)
    np.testing.assert_array_equal(
        scores[: pair_scores._PART], pair_scores.draw_pair_scores(pair_scores._PART, 3, PairLaw(law), seed=0)
    )
    assert not np.array_equal(scores[: pair_scores._PART], scores[pair_scores._PART :])


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("pair", [{}, PAIR])
def test_growing_scores_equal_a_single_draw_at_each_d_k(law, pair):
    dims = (1, 3, 63, 64, 65, 67, 72, 111, 128)
    for d_k, scores in zip(dims, pair_scores.growing_scores(dims, 50, PairLaw(law, **pair), 4), strict=True):
        np.testing.assert_array_equal(scores, pair_scores.draw_pair_scores(50, d_k, PairLaw(law, **pair), seed=4))


def test_growing_rows_equal_a_single_draw_at_each_d_k():
    dims = (1, 3, 63, 64, 65, 67, 72, 111, 128)
    for d_k, (rows, squares) in zip(dims, pair_scores.growing_rows(dims, 5, 3, 4), strict=True):
        assert (rows.shape, squares.shape) == ((5, 3), (5,))
        for ours, alone in zip((rows, squares), next(pair_scores.growing_rows((d_k,), 5, 3, 4)), strict=True):
            np.testing.assert_array_equal(ours, alone)
    for other in ({"seed": 5}, {"seed": 4, "stream": 9}):
        assert not np.array_equal(rows, next(pair_scores.growing_rows((128,), 5, 3, **other))[0])


def test_growing_scores_drawn_in_two_parts_equal_a_single_draw():
    dims = (2, 5)
    for d_k, scores in zip(dims, pair_scores.growing_scores(dims, pair_scores._PART + 3, PairLaw(), 1), strict=True):
        np.testing.assert_array_equal(scores, pair_scores.draw_pair_scores(pair_scores._PART + 3, d_k, seed=1))


def test_sums_of_signs_lie_on_their_lattice():
    for d_k in (1, 5, 63, 64, 65, 200):
        scores = pair_scores.draw_pair_scores(500, d_k, PairLaw("rademacher"), seed=2)
        np.testing.assert_array_equal(scores % 2, d_k % 2)
        assert np.abs(scores).max() <= d_k


def test_one_more_component_of_signs_changes_every_score_by_one():
    scores = [pair_scores.draw_pair_scores(500, d_k, PairLaw("rademacher"), seed=2) for d_k in range(60, 70)]
    np.testing.assert_array_equal(np.abs(np.diff(scores, axis=0)), np.ones((9, 500)))


def test_scores_of_correlated_signs_by_hand():
    # q = 0.5 ± 1, k = 2 − (q − 0.5): q k = 1.5 or −1.5, so three of them add up to ±1.5 or ±4.5
    scores = pair_scores.draw_pair_scores(
        200, 3, PairLaw("rademacher", mean_q=0.5, mean_k=2.0, correlation=-1.0), seed=0
    )
    assert set(np.round(scores, 12)) == {-4.5, -1.5, 1.5, 4.5}


@pytest.mark.parametrize("law", ["normal", "sparse"])
def test_larger_d_k_keeps_the_components_of_a_smaller_one(law):
    # Scores at two d_k share the components of the smaller, so their correlation is √(small / large).
    scores = {d_k: pair_scores.draw_pair_scores(4_000, d_k, PairLaw(law), seed=5) for d_k in (64, 72, 100, 101)}
    for small, large in ((64, 72), (72, 100), (100, 101)):
        correlation = np.corrcoef(scores[small], scores[large])[0, 1]
        # Fisher's z has standard error 1/√n for normal pairs; for the sparse law it is up to three times as large.
        assert abs(np.arctanh(correlation) - np.arctanh(math.sqrt(small / large))) < 4 * 3 / math.sqrt(4_000)


@pytest.mark.parametrize("pair", [{}, {"mean_q": 1.0, "correlation": -1.0}, {"mean_k": 2.0, "correlation": 1.0}])
def test_normal_scores_at_extreme_correlations_are_finite(pair):
    for d_k in (1, 2, 3, 5, 1023):
        assert np.isfinite(pair_scores.draw_pair_scores(100, d_k, PairLaw(**pair), seed=0)).all()


# Cases in which rounding can make the sum of squares of half a block negative or larger than the block's;
# a root would then be NaN.
# About one random pair in 1e8 comes that close: a few on a day of classes.
ROUNDED = {
    "one component is 0": (lambda z: (z, z**2), {"mean_k": 1.0}),
    "both are equal": (lambda z: (2 * z, np.nextafter(2 * z**2, 0)), {"mean_k": 1.0}),
    "both are minus the mean": (lambda z: (-1.4 * (1 + 1e-9 * z), 0.98 * (1 + 1e-9 * z) ** 2), {"mean_q": 0.7}),
}


@pytest.mark.parametrize("case", ROUNDED)
def test_sums_of_squares_stay_in_range_despite_rounding(case):
    sums, pair = ROUNDED[case]
    rng = np.random.default_rng(0)
    total, square = sums(rng.standard_normal(10_000))
    half = pair_scores._left_half(pair_scores._Block(2, 2, total, square, total), PairLaw(**pair), rng)
    for each in (half.total, half.square, half.cross):
        assert np.isfinite(each).all()


def test_scores_of_aligned_pairs_have_one_sign():
    assert (pair_scores.draw_pair_scores(1_000, 7, PairLaw(correlation=1.0), seed=0) >= 0).all()
    assert (pair_scores.draw_pair_scores(1_000, 7, PairLaw(correlation=-1.0), seed=0) <= 0).all()


@pytest.mark.parametrize(
    ("options", "n_samples"),
    [({"law": "student_t"}, 1_000_000), ({"law": "normal"}, 1_000_000), ({"law": "sparse"}, 1_000_000)],
)
def test_a_long_draw_calls_check_often_and_can_be_ended(options, n_samples):
    drawn = []

    def check():
        drawn.append(so_far())
        if len(drawn) == 6:
            raise Left

    def draw():
        drawn.clear()
        with pytest.raises(Left):
            pair_scores.draw_pair_scores(n_samples, 1_000, PairLaw(**options), seed=0, check=check)

    count(draw)
    assert len(drawn) == 6
    assert 0 < max(np.diff(drawn)) < 200_000_000  # 200 million numbers take about a tenth of a second


@pytest.mark.parametrize("law", LAWS)
def test_draws_of_every_law_can_be_ended_after_the_first_block(law):
    def check():
        raise Left

    with pytest.raises(Left):
        pair_scores.draw_pair_scores(10, 10, PairLaw(law), seed=0, check=check)


def test_price_is_proportional_to_d_k_only_without_a_shortcut():
    def numbers(law, d_k, **pair):
        return pair_scores.pair_scores_price(1_000_000, d_k, PairLaw(law, **pair)).numbers

    for law, growth in (("normal", 11 / 6), ("rademacher", 10), ("sparse", 11 / 6)):
        assert numbers(law, 1024) == pytest.approx(growth * numbers(law, 32), rel=0.1)
    for law, pair in (("uniform", {}), ("laplace", {}), ("student_t", {}), ("sparse", PAIR)):
        assert numbers(law, 1024, **pair) == pytest.approx(32 * numbers(law, 32, **pair))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_samples": 0}, ValueError, "n_samples must be at least 1, but got 0"),
        ({"d_k": 0}, ValueError, "d_k must be at least 1, but got 0"),
        ({"d_k": 2.0}, TypeError, "d_k must be an integer, but got 2.0"),
        ({"pair_law": "normal"}, TypeError, "pair_law must be a PairLaw, but got 'normal'"),
        ({"seed": -1}, ValueError, "seed must be at least 0"),
    ],
)
def test_bad_arguments_are_refused(change, error, message):
    with pytest.raises(error) as caught:
        pair_scores.draw_pair_scores(**({"n_samples": 4, "d_k": 2, "seed": 0} | change))
    assert message in str(caught.value)


# --- oracles -------------------------------------------------------------------------------------------


N = 40_000
PAIRS = [
    {"mean_q": 0.0, "mean_k": 0.0, "correlation": 0.0},
    {"mean_q": 0.0, "mean_k": 0.0, "correlation": -0.7},
    {"mean_q": 0.5, "mean_k": -1.0, "correlation": 0.6},
    {"mean_q": 2.0, "mean_k": 0.0, "correlation": 0.0},
]
SHORT_CUTS = [(law, pair) for law in ("normal", "rademacher") for pair in PAIRS] + [("sparse", PAIRS[0])]


@pytest.mark.parametrize("d_k", [1, 2, 3, 7, 100, 896, 1023])
def test_normal_scores_follow_the_exact_law(d_k):
    scores = pair_scores.draw_pair_scores(N, d_k, seed=5)
    assert stats.kstest(scores, lambda s: dot_product_cdf(s, d_k)).pvalue > 1e-4


@pytest.mark.parametrize(("law", "pair"), SHORT_CUTS)
@pytest.mark.parametrize("d_k", [1, 6, 37])
def test_shortcuts_have_the_law_of_scores_drawn_in_full(law, pair, d_k):
    short = pair_scores.draw_pair_scores(N, d_k, PairLaw(law, **pair), seed=6)
    all_drawn = append_components(np.zeros(N), 0, d_k, PairLaw(law, **pair), seed=7)
    # Scores on a lattice differ between the two ways by rounding only, so nine decimals are kept.
    assert stats.ks_2samp(np.round(short, 9), np.round(all_drawn, 9)).pvalue > 1e-4


def assert_moments(scores, d_k, law, pair):
    theory = paired_score_moments(d_k, moments=COMPONENT_LAWS[law].moments, **pair)
    n = scores.size
    assert abs(scores.mean() - theory.mean) < 4 * math.sqrt(theory.variance / n)
    # At d_k = 1 the product of two signs has excess kurtosis −2, so the divisor n − 1 of the variance matters.
    error = theory.variance * math.sqrt((theory.excess_kurtosis + 2 + 2 / n) / n)
    assert abs(scores.var(ddof=1) - theory.variance) < 4 * error + 1e-9


@pytest.mark.parametrize(("law", "pair"), SHORT_CUTS)
@pytest.mark.parametrize("dims", [(72, 80), (100, 103), (7, 8), (111, 1024), (512, 513)])
def test_larger_d_k_appends_independent_products(law, pair, dims):
    small, large = (pair_scores.draw_pair_scores(N, d_k, PairLaw(law, **pair), seed=3) for d_k in dims)
    added = large - small
    assert_moments(small, dims[0], law, pair)
    assert_moments(added, dims[1] - dims[0], law, pair)
    if added.std() > 1e-9:
        # The correlation of independent numbers, or of their squares, has standard error 1/√N.
        for power in (1, 2):
            x, y = ((each - each.mean()) ** power for each in (small, added))
            if y.std() > 1e-9:
                assert abs(np.corrcoef(x, y)[0, 1]) < 4.5 / math.sqrt(N)


def test_appended_products_are_half_the_difference_of_two_chi_squares():
    # q k = ((q + k)² − (q − k)²)/4, and (q ± k)/√2 are independent standard normals.
    dims = (1, 2, 64, 65, 67, 72, 100, 111, 128, 1000)  # 65 and 67 lie between two stops of the slider
    scores = [each.copy() for each in pair_scores.growing_scores(dims, N, PairLaw(), 8)]
    chi_square = stats.chi2(np.diff(dims)).rvs((2, N, len(dims) - 1), random_state=9)
    for added, squares in zip(np.diff(scores, axis=0), np.moveaxis(chi_square, -1, 0), strict=True):
        assert stats.ks_2samp(added, (squares[0] - squares[1]) / 2).pvalue > 1e-4


@pytest.mark.parametrize("law", COMPONENT_LAWS)
def test_growing_scores_keep_their_moments_and_add_independent_products(law):
    dims = (1, 3, 8, 64, 65, 72)
    scores = [each.copy() for each in pair_scores.growing_scores(dims, N, PairLaw(law), 11)]
    for d_k, each in zip(dims, scores, strict=True):
        assert_moments(each, d_k, law, PAIRS[0])
    for small, large in pairwise(scores):
        # The product of two independent numbers of mean 0 has mean 0; the standard error is estimated from the draws.
        product = small * (large - small)
        assert abs(product.mean()) < 4 * product.std() / math.sqrt(N)


@pytest.mark.parametrize("small", [3, 64, 100])
def test_scores_of_a_row_share_a_query_and_grow_by_independent_products(small):
    large = 111
    (before, less), (after, more) = pair_scores.growing_rows((small, large), N, 2, 12)
    for d_k, square in ((small, less), (large - small, more - less), (large, more)):
        assert stats.kstest(square, stats.chi2(d_k).cdf).pvalue > 1e-4
    # Given the query a score is N(0, |q|²).
    assert stats.kstest(after[:, 0] / np.sqrt(more), stats.norm.cdf).pvalue > 1e-4
    for d_k, scores in ((small, before), (large - small, after - before), (large, after)):
        for one in scores.T:
            assert stats.kstest(one, lambda s, d_k=d_k: dot_product_cdf(s, d_k)).pvalue > 1e-4
        # E s² t² = E |q|⁴ = d_k (d_k + 2) for two keys of one query, and d_k² for keys of two queries.
        squares = np.square(scores).prod(axis=1)
        assert abs(squares.mean() - d_k * (d_k + 2)) < 4 * squares.std() / math.sqrt(N)
        assert abs(np.corrcoef(scores.T)[0, 1]) < 4.5 / math.sqrt(N)
    added = after - before
    for x, y in ((before[:, 0], added[:, 0]), (before[:, 0] ** 2, added[:, 0] ** 2), (before[:, 0], added[:, 1])):
        assert abs(np.corrcoef(x, y)[0, 1]) < 4.5 / math.sqrt(N)


@pytest.mark.parametrize("half", [1, 2, 8, 256])
def test_share_of_the_squares_in_half_the_components_is_beta(half):
    share = pair_scores._share_of_half(np.random.default_rng(3), half, N)
    assert stats.kstest(share, stats.beta(half / 2, half / 2).cdf).pvalue > 1e-4
