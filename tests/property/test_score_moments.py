import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.components import COMPONENT_LAWS, PairLaw
from sattn_core.score_moments import score_moments

laws = st.sampled_from(tuple(COMPONENT_LAWS))
seeds = st.integers(0, 2**40)
means = st.sampled_from([0.0, 0.5, -2.0])
correlations = st.sampled_from([0.0, 0.3, -1.0, 1.0])


@settings(deadline=None, max_examples=40)
@given(laws, st.integers(1, 40), means, means, st.floats(-0.9, 0.9))
def test_score_moments_obey_the_inequalities_of_moments(law, d_k, mean_q, mean_k, correlation):
    if not np.isfinite(COMPONENT_LAWS[law].moments).all():
        return
    moments = score_moments(d_k, PairLaw(law, mean_q, mean_k, correlation))
    np.testing.assert_allclose(moments[:3], [1, 0, 1], atol=1e-9)
    assert moments[4] >= 1 + moments[3] ** 2 - 1e-6  # Pearson's inequality
    assert moments[6] >= moments[4] ** 2 * (1 - 1e-6)
    assert moments[8] * moments[4] >= moments[6] ** 2 * (1 - 1e-6)
