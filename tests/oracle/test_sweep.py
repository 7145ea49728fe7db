import math

import numpy as np
import pytest
from scipy import stats

from sattn_core.components import COMPONENT_LAWS
from sattn_core.law import dot_product_cdf
from sattn_core.pair_scores import draw_pair_scores
from sattn_core.sweep import dimension_sweep

DIMS = (1, 2, 8, 32, 100)


@pytest.mark.parametrize("law", COMPONENT_LAWS)
def test_raw_variance_is_d_k_and_scaled_variance_is_1_whatever_the_law(law):
    n = 10_000
    sweep = dimension_sweep(DIMS, n_samples=n, n_keys=1, law=law, seed=1)
    d_k = np.array(DIMS)
    excess = (COMPONENT_LAWS[law].kurtosis ** 2 - 3) / d_k
    error = np.sqrt((excess + 3 - (n - 3) / (n - 1)) / n)
    assert (np.abs(sweep.raw_variance / d_k - 1) < 4 * error).all()
    assert (np.abs(sweep.scaled_variance - 1) < 4 * error).all()
    assert (np.abs(sweep.raw_mean / np.sqrt(d_k)) < 4 / math.sqrt(n)).all()


def test_moments_agree_with_scipy():
    sweep = dimension_sweep((7,), n_samples=400, n_keys=1, seed=2)
    scores = draw_pair_scores(400, 7, seed=2)
    assert sweep.raw_excess_kurtosis[0] == pytest.approx(stats.kurtosis(scores), rel=1e-12)


@pytest.mark.parametrize("d_k", DIMS)
def test_histogram_counts_follow_the_exact_law(d_k):
    n = 20_000
    sweep = dimension_sweep((d_k,), n_samples=n, n_keys=1, seed=3)
    expected = n * np.diff(dot_product_cdf(sweep.raw_edges, d_k))
    kept = expected > 5
    chi2 = np.sum((sweep.raw_counts[0][kept] - expected[kept]) ** 2 / expected[kept])
    assert stats.chi2.sf(chi2, np.count_nonzero(kept)) > 1e-4


@pytest.mark.parametrize("d_k", [2, 64])
def test_row_scores_of_many_seeds_follow_the_exact_law(d_k):
    first_key = [dimension_sweep((d_k,), n_samples=2, n_keys=3, seed=s).row_scores[0, 0] for s in range(500)]
    assert stats.kstest(first_key, lambda s: dot_product_cdf(np.asarray(s), d_k)).pvalue > 1e-4


def test_keys_of_a_row_share_their_query():
    rows = np.array([dimension_sweep((1,), n_samples=2, n_keys=2, seed=s).row_scores[0] for s in range(2000)])
    # log s² = log q² + log k², and the two terms have one law: the correlation of the logs is 1/2
    x, y = ((logs - logs.mean()) / logs.std() for logs in np.log(rows**2).T)
    influence = x * y - 0.25 * (x**2 + y**2)  # of the correlation at 1/2
    assert abs(np.mean(x * y) - 0.5) < 4 * influence.std() / math.sqrt(len(rows))
