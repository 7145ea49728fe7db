import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sattn_core.components import COMPONENT_LAWS
from sattn_core.sweep import bin_counts, dimension_sweep, sample_moments

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


@settings(deadline=None, max_examples=60)
@given(arrays(float, st.integers(1, 50), elements=st.floats(-9, 9)), st.integers(1, 20))
def test_bins_agree_with_a_search_among_the_edges(values, n_bins):
    edges = np.arange(n_bins + 1) * 0.5 - 2.0
    counts, below, above = bin_counts(values, edges)
    # the shift by the first edge rounds, so a value next to an edge goes where its rounded shift goes
    place = np.searchsorted(edges - edges[0], values - edges[0], side="right") - 1
    np.testing.assert_array_equal(counts, [np.count_nonzero(place == b) for b in range(n_bins)])
    assert below == np.count_nonzero(place < 0)
    assert above == np.count_nonzero(place >= n_bins)


@settings(deadline=None, max_examples=60)
@given(arrays(float, st.integers(2, 40), elements=st.integers(-50, 50).map(float)), st.floats(0.1, 10))
def test_kurtosis_ignores_the_scale_and_is_at_least_minus_two(values, scale):
    excess_kurtosis = sample_moments(values)[2]
    if np.ptp(values) > 0:
        assert excess_kurtosis >= -2 - 1e-12
        np.testing.assert_allclose(sample_moments(scale * values)[2], excess_kurtosis, rtol=1e-9, atol=1e-9)
