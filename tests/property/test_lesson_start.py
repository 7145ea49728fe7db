import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.components import COMPONENT_LAWS
from sattn_core.lessons.start import StartParams, measure_start

dims_lists = st.sets(st.integers(1, 200), min_size=1, max_size=3).map(lambda d: tuple(sorted(d)))


@settings(deadline=None, max_examples=30)
@given(dims_lists, st.sampled_from(tuple(COMPONENT_LAWS)), st.integers(1, 9), st.integers(0, 2**40))
def test_weights_are_distributions_and_the_law_has_at_most_mass_1(dims, law, n_keys, seed):
    result = measure_start(StartParams(dims, n_samples=20, n_keys=n_keys, law=law, seed=seed))
    for weights, largest, keys in (
        (result.raw_weights, result.raw_max_weight, result.raw_effective_keys),
        (result.scaled_weights, result.scaled_max_weight, result.scaled_effective_keys),
    ):
        np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=0, atol=1e-12)
        assert (largest >= 1 / n_keys - 1e-12).all()
        assert ((keys >= 1 - 1e-12) & (keys <= n_keys + 1e-12 * n_keys)).all()
    density, edges = result.scaled_law, result.sweep.scaled_edges
    assert (density >= 0).all()
    assert (density @ np.diff(edges) <= 1 + 1e-12).all()
    np.testing.assert_allclose(density, density[:, ::-1], rtol=1e-6, atol=1e-12)
