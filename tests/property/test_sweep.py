import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.components import COMPONENT_LAWS
from sattn_core.sweep import dimension_sweep

dims_lists = st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True).map(sorted)


@settings(deadline=None, max_examples=40)
@given(dims_lists, st.sampled_from(tuple(COMPONENT_LAWS)), st.integers(0, 2**40))
def test_counts_add_up_and_the_same_seed_gives_the_same_sweep(dims, law, seed):
    first, second = (dimension_sweep(dims, n_samples=30, n_keys=3, law=law, seed=seed) for _ in range(2))
    for name, value in vars(first).items():
        np.testing.assert_array_equal(value, getattr(second, name))
    for part in ("raw", "scaled"):
        total = sum(getattr(first, f"{part}_{side}").sum() for side in ("counts", "below", "above"))
        assert total == 30 * len(dims)
    np.testing.assert_allclose(first.scaled_variance * dims, first.raw_variance, rtol=1e-12, atol=1e-12)
