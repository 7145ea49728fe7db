import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.standard_errors import two_way_error

seeds = st.integers(0, 2**40)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 8), st.integers(2, 8), seeds, st.floats(0.1, 10), st.floats(-10, 10))
def test_two_way_error_ignores_order_and_shift_and_follows_the_scale(m, n, seed, factor, shift):
    rng = np.random.default_rng(seed)
    influence = rng.standard_normal((m, n))
    error = two_way_error(influence)
    mixed = factor * influence[rng.permutation(m)][:, rng.permutation(n)] + shift
    np.testing.assert_allclose(two_way_error(mixed), factor * error, rtol=1e-9)
    np.testing.assert_allclose(two_way_error(influence.T), error, rtol=1e-12)
