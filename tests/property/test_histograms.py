import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sattn_core.histograms import bin_counts


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
