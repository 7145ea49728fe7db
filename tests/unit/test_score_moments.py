import numpy as np
import pytest

from sattn_core.components import PairLaw
from sattn_core.score_moments import pair_moments, score_moments


def test_score_moments_of_one_fully_correlated_component():
    # q = k normal, S = q²: central moments of χ²₁ are 0, 2, 8, 60
    moments = score_moments(1, PairLaw(correlation=1.0))
    np.testing.assert_allclose(moments[:5], [1, 0, 1, 8 / 2**1.5, 60 / 4], atol=1e-12)


def test_score_moments_of_signs():
    # four products ±1: S is -4, -2, 0, 2, 4 with weights 1, 4, 6, 4, 1 over 16, and z = S/2
    z, weights = np.arange(-2, 3), np.array([1, 4, 6, 4, 1]) / 16
    moments = score_moments(4, PairLaw("rademacher"))
    np.testing.assert_allclose(moments, [weights @ z**j for j in range(9)], atol=1e-12)


def test_pair_moments_are_those_of_the_law():
    # q = 0.5 + a, k = -1 + 0.6 a + 0.8 b: E qk = -0.5 + 0.6, Var qk = 1 + 0.36 + 0.25 + 1 - 2 * 0.5 * 0.6
    moments = pair_moments(16, PairLaw("normal", 0.5, -1.0, 0.6))
    assert (moments.mean, moments.variance) == (pytest.approx(1.6), pytest.approx(16 * 2.01))
