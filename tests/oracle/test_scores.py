"""Raw scores against einsum and against what the scale is for."""

import numpy as np
import pytest

from sattn_core.scores import raw_scores, scale_factor


def test_raw_scores_agree_with_einsum():
    rng = np.random.default_rng(1)
    Q, K = rng.standard_normal((3, 4, 7, 20)), rng.standard_normal((3, 4, 5, 20))
    # 20 products of size one: rounding stays below 20 * 1e-15
    np.testing.assert_allclose(raw_scores(Q, K), np.einsum("...id,...jd->...ij", Q, K), rtol=0, atol=2e-14)


@pytest.mark.parametrize("d_k", [2, 3, 16, 64, 300])
def test_the_scale_brings_the_variance_to_one(d_k):
    rng = np.random.default_rng(d_k)
    n = 20_000
    q, k = rng.standard_normal((2, n, 1, d_k))
    scaled = raw_scores(q, k).ravel() * scale_factor(d_k)
    # Var of the sample variance is (kurtosis - 1) / n with kurtosis 3 + 6/d_k
    standard_error = np.sqrt((2 + 6 / d_k) / n)
    assert abs(scaled.var() - 1) < 4 * standard_error
