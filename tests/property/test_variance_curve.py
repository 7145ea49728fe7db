import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.components import COMPONENT_LAWS
from sattn_core.variance_curve import variance_curve

laws = st.sampled_from(tuple(COMPONENT_LAWS))
seeds = st.integers(0, 2**40)
means = st.sampled_from([0.0, 0.5, -2.0])
correlations = st.sampled_from([0.0, 0.3, -1.0, 1.0])


@settings(deadline=None, max_examples=30)
@given(st.sets(st.integers(1, 60), min_size=1, max_size=4), laws, means, correlations, seeds)
def test_variance_curve_keeps_its_theory_inside_its_band(dims, law, mean_q, correlation, seed):
    options = {"n_samples": 20, "law": law, "mean_q": mean_q, "correlation": correlation, "seed": seed}
    curve = variance_curve(sorted(dims), **options)
    assert ((curve.low <= curve.theory) & (curve.theory <= curve.high)).all()
    np.testing.assert_array_equal(curve.measured, variance_curve(sorted(dims), **options).measured)
