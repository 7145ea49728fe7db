import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from sattn_core.layer_norm import layer_norm

ROWS = arrays(np.float64, array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=6), elements=st.floats(-1e6, 1e6))


@settings(deadline=None, max_examples=60)
@given(ROWS)
def test_rows_have_mean_0_and_the_exact_norm(x):
    y = layer_norm(x)
    v = x.var(axis=-1)
    n = x.shape[-1]
    # Rounding of the mean of numbers up to 1e6 is 1e-10, against at least √eps below the line.
    assert np.allclose(y.mean(axis=-1), 0, rtol=0, atol=1e-7)
    assert np.allclose(np.square(y).sum(axis=-1), n * v / (v + 1e-5), rtol=1e-6, atol=1e-9)


@settings(deadline=None, max_examples=60)
@given(arrays(np.float64, 5, elements=st.floats(-100, 100)), st.floats(-100, 100), st.floats(0.1, 100))
def test_shift_and_scale_leave_it_as_it_is(x, shift, scale):
    moved = layer_norm(scale * x + shift, eps=1e-5 * scale**2)
    assert np.allclose(moved, layer_norm(x), rtol=0, atol=1e-8)
