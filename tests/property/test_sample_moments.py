import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sattn_core.sample_moments import sample_moments


@settings(deadline=None, max_examples=60)
@given(arrays(float, st.integers(2, 40), elements=st.integers(-50, 50).map(float)), st.floats(0.1, 10))
def test_kurtosis_ignores_the_scale_and_is_at_least_minus_two(values, scale):
    excess_kurtosis = sample_moments(values)[2]
    if np.ptp(values) > 0:
        assert excess_kurtosis >= -2 - 1e-12
        np.testing.assert_allclose(sample_moments(scale * values)[2], excess_kurtosis, rtol=1e-9, atol=1e-9)
