import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.components import COMPONENT_LAWS, PairLaw, append_components
from sattn_core.moments import paired_score_moments
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


# --- properties ----------------------------------------------------------------------------------------


laws = st.sampled_from(tuple(COMPONENT_LAWS))
means = st.sampled_from([0.0, 0.5, -2.0])


@settings(max_examples=40)
@given(laws, st.integers(1, 40), means, means, st.floats(-0.9, 0.9))
def test_score_moments_obey_the_inequalities_of_moments(law, d_k, mean_q, mean_k, correlation):
    if not np.isfinite(COMPONENT_LAWS[law].moments).all():
        return
    moments = score_moments(d_k, PairLaw(law, mean_q, mean_k, correlation))
    np.testing.assert_allclose(moments[:3], [1, 0, 1], atol=1e-9)
    assert moments[4] >= 1 + moments[3] ** 2 - 1e-6  # Pearson's inequality
    assert moments[6] >= moments[4] ** 2 * (1 - 1e-6)
    assert moments[8] * moments[4] >= moments[6] ** 2 * (1 - 1e-6)


# --- oracles -------------------------------------------------------------------------------------------


FINITE_LAWS = [name for name, law in COMPONENT_LAWS.items() if law.has_eight_moments]


@pytest.mark.parametrize("law", FINITE_LAWS)
@pytest.mark.parametrize("pair", [{}, {"mean_q": 0.5, "mean_k": -1.0, "correlation": 0.4}])
def test_score_moments_agree_with_the_closed_forms(law, pair):
    moments = score_moments(6, PairLaw(law=law, **pair))
    theory = paired_score_moments(6, moments=COMPONENT_LAWS[law].moments, **pair)
    assert moments[4] == pytest.approx(3 + theory.excess_kurtosis, rel=1e-10)


def test_score_moments_of_normal_components():
    # cumulants of q·k are d (2r-1)!: standardised moments to order 8 at d = 4 from the density
    # mpmath: f = lambda s: (1+s)*exp(-s)/4;  2*quad(lambda s: s**8*f(s), [0, inf]) / 4**4
    np.testing.assert_allclose(score_moments(4, PairLaw())[::2], [1, 1, 4.5, 45.0, 787.5], rtol=1e-13)


def test_score_moments_of_a_sample():
    pair_law = PairLaw("uniform", mean_q=0.5, mean_k=1.0, correlation=-0.4)
    scores = append_components(np.zeros(200_000), 0, 3, pair_law, seed=0)
    theory = paired_score_moments(
        3, moments=COMPONENT_LAWS["uniform"].moments, mean_q=0.5, mean_k=1.0, correlation=-0.4
    )
    z = (scores - theory.mean) / math.sqrt(theory.variance)
    for j, moment in enumerate(score_moments(3, pair_law)):
        powers = z**j
        assert abs(powers.mean() - moment) <= 4 * powers.std() / math.sqrt(z.size) + 1e-12
