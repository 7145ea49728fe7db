import math

import numpy as np
import pytest

from sattn_core.draws.histograms import bin_counts, lattice_edges


def test_bins_include_their_left_edge_only():
    values = np.array([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
    counts, below, above = bin_counts(values, np.array([0.0, 1.0, 2.0]))
    np.testing.assert_array_equal(counts, [2, 2])
    assert (below, above) == (1, 2)


@pytest.mark.parametrize("d_k", [1, 2, 3, 16, 63, 64, 400])
def test_lattice_bins_hold_equally_many_sums_and_cover_the_width(d_k):
    edges = lattice_edges(d_k, 5 * math.sqrt(d_k), 80)
    lattice = np.arange(-21 * d_k, 21 * d_k + 1, 2)
    assert len(set(np.histogram(lattice, edges)[0])) == 1
    assert not np.isin(edges, lattice).any()
    assert len(edges) <= 165
    assert edges[-1] == -edges[0] >= 5 * math.sqrt(d_k)
