import math

import numpy as np
import pytest

from sattn_core.histograms import bin_counts, counts_by_edges, lattice_edges


def test_bins_hold_their_left_edge_only():
    values = np.array([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
    counts, below, above = bin_counts(values, np.array([0.0, 1.0, 2.0]))
    np.testing.assert_array_equal(counts, [2, 2])
    assert (below, above) == (1, 2)


def test_counts_by_edges_are_those_of_numpy_along_the_last_axis():
    values = np.random.default_rng(0).standard_normal((2, 3, 50))
    edges = np.array([-1.0, -0.5, 0.7, 2.0])
    counts, below, above = counts_by_edges(values, edges)
    assert counts.shape == (2, 3, 3)
    for place in np.ndindex(2, 3):
        np.testing.assert_array_equal(counts[place], np.histogram(values[place], edges)[0])
        assert (below[place], above[place]) == ((values[place] < -1).sum(), (values[place] >= 2).sum())


def test_a_value_on_an_edge_belongs_to_the_bin_on_its_right():
    counts, below, above = counts_by_edges(np.array([1.0, 10.0, 25.0]), np.array([1.0, 10.0, 25.0]))
    assert (counts.tolist(), below, above) == ([1, 1], 0, 1)


@pytest.mark.parametrize("d_k", [1, 2, 3, 16, 63, 64, 400])
def test_lattice_bins_hold_equally_many_sums_and_reach_far_enough(d_k):
    edges = lattice_edges(d_k, 5 * math.sqrt(d_k), 80)
    lattice = np.arange(-21 * d_k, 21 * d_k + 1, 2)
    assert len(set(np.histogram(lattice, edges)[0])) == 1
    assert not np.isin(edges, lattice).any()
    assert len(edges) <= 165
    assert edges[-1] == -edges[0] >= 5 * math.sqrt(d_k)
