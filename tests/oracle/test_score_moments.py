import math

import numpy as np
import pytest

from sattn_core.components import COMPONENT_LAWS, PairLaw, append_coordinates
from sattn_core.moments import paired_score_moments
from sattn_core.score_moments import score_moments

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
    scores = append_coordinates(np.zeros(200_000), 0, 3, pair_law, seed=0)
    theory = paired_score_moments(
        3, moments=COMPONENT_LAWS["uniform"].moments, mean_q=0.5, mean_k=1.0, correlation=-0.4
    )
    z = (scores - theory.mean) / math.sqrt(theory.variance)
    for j, moment in enumerate(score_moments(3, pair_law)):
        powers = z**j
        assert abs(powers.mean() - moment) <= 4 * powers.std() / math.sqrt(z.size) + 1e-12
