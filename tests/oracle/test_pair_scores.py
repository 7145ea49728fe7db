import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from sattn_core.components import COMPONENT_LAWS, PairLaw, append_coordinates
from sattn_core.law import dot_product_cdf
from sattn_core.moments import paired_score_moments
from sattn_core.pair_scores import _share_of_half, draw_pair_scores, growing_rows, growing_scores

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
    scores = draw_pair_scores(N, d_k, seed=5)
    assert stats.kstest(scores, lambda s: dot_product_cdf(s, d_k)).pvalue > 1e-4


@pytest.mark.parametrize(("law", "pair"), SHORT_CUTS)
@pytest.mark.parametrize("d_k", [1, 6, 37])
def test_scores_follow_the_law_of_scores_whose_components_are_all_drawn(law, pair, d_k):
    short = draw_pair_scores(N, d_k, PairLaw(law, **pair), seed=6)
    all_drawn = append_coordinates(np.zeros(N), 0, d_k, PairLaw(law, **pair), seed=7)
    # Scores on a lattice differ by rounding between the two ways; they are equal to nine decimals.
    assert stats.ks_2samp(np.round(short, 9), np.round(all_drawn, 9)).pvalue > 1e-4


def assert_moments(scores, d_k, law, pair):
    theory = paired_score_moments(d_k, moments=COMPONENT_LAWS[law].moments, **pair)
    n = scores.size
    assert abs(scores.mean() - theory.mean) < 4 * math.sqrt(theory.variance / n)
    # At d_k = 1 the product of two signs has excess kurtosis −2, and the n − 1 of the variance counts.
    error = theory.variance * math.sqrt((theory.excess_kurtosis + 2 + 2 / n) / n)
    assert abs(scores.var(ddof=1) - theory.variance) < 4 * error + 1e-9


@pytest.mark.parametrize(("law", "pair"), SHORT_CUTS)
@pytest.mark.parametrize("dims", [(72, 80), (100, 103), (7, 8), (111, 1024), (512, 513)])
def test_a_larger_d_k_adds_products_that_are_independent_of_the_smaller(law, pair, dims):
    small, large = (draw_pair_scores(N, d_k, PairLaw(law, **pair), seed=3) for d_k in dims)
    added = large - small
    assert_moments(small, dims[0], law, pair)
    assert_moments(added, dims[1] - dims[0], law, pair)
    if added.std() > 1e-9:
        # Independent: the correlation has standard error 1/√N, also between the squares.
        for power in (1, 2):
            x, y = ((each - each.mean()) ** power for each in (small, added))
            if y.std() > 1e-9:
                assert abs(np.corrcoef(x, y)[0, 1]) < 4.5 / math.sqrt(N)


def test_products_between_two_d_k_of_one_draw_are_half_the_difference_of_two_chi_squares():
    # q k = ((q + k)² − (q − k)²)/4, and (q ± k)/√2 are independent standard normals.
    dims = (1, 2, 64, 65, 67, 72, 100, 111, 128, 1000)  # 65 and 67 lie between two stops of the slider
    scores = [each.copy() for each in growing_scores(dims, N, PairLaw(), 8)]
    chi_square = stats.chi2(np.diff(dims)).rvs((2, N, len(dims) - 1), random_state=9)
    for added, squares in zip(np.diff(scores, axis=0), np.moveaxis(chi_square, -1, 0), strict=True):
        assert stats.ks_2samp(added, (squares[0] - squares[1]) / 2).pvalue > 1e-4


@pytest.mark.parametrize("law", COMPONENT_LAWS)
def test_growing_scores_keep_their_moments_and_what_is_added_is_independent(law):
    dims = (1, 3, 8, 64, 65, 72)
    scores = [each.copy() for each in growing_scores(dims, N, PairLaw(law), 11)]
    for d_k, each in zip(dims, scores, strict=True):
        assert_moments(each, d_k, law, PAIRS[0])
    for small, large in pairwise(scores):
        # Independent with mean 0: the mean of the product has the standard error of the product's own spread.
        product = small * (large - small)
        assert abs(product.mean()) < 4 * product.std() / math.sqrt(N)


@pytest.mark.parametrize("small", [3, 64, 100])
def test_the_scores_of_a_row_share_their_query_and_what_is_added_is_independent(small):
    large = 111
    before, after = (each.copy() for each in growing_rows((small, large), N, 2, 12))
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
def test_the_share_of_half_the_coordinates_follows_scipy_s_beta(half):
    share = _share_of_half(np.random.default_rng(3), half, N)
    assert stats.kstest(share, stats.beta(half / 2, half / 2).cdf).pvalue > 1e-4
