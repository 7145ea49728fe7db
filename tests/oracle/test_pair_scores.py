import math

import numpy as np
import pytest
from scipy import stats

from sattn_core.components import COMPONENT_LAWS, PairLaw, append_coordinates
from sattn_core.law import dot_product_cdf
from sattn_core.moments import paired_score_moments
from sattn_core.pair_scores import draw_pair_scores

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
