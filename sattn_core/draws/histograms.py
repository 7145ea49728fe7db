"""Histograms that also count the values below and above the bins."""

import math

import numpy as np
from numpy.typing import NDArray


def bin_counts(values: NDArray[np.float64], edges: NDArray[np.float64]) -> tuple[NDArray[np.int_], np.int_, np.int_]:
    """Return the counts in equal bins [left, right), and the numbers of values below and above all bins."""
    n_bins = len(edges) - 1
    width = (edges[-1] - edges[0]) / n_bins
    bins = np.floor((values - edges[0]) / width)
    np.clip(bins, -1, n_bins, out=bins)
    bins += 1
    counts = np.bincount(bins.astype(np.intp), minlength=n_bins + 2)
    return counts[1:-1], counts[0], counts[-1]


def lattice_edges(d_k: int, half_width: float, n_bins: int) -> NDArray[np.float64]:
    """Return edges of at most about n_bins bins over ±half_width, halfway between neighbouring sums of d_k signs."""
    points = 2 * math.floor(half_width / n_bins) + 1  # sums per bin: odd, so that edges can be symmetric about 0
    n_edges = math.ceil(half_width / points)
    n_edges += (n_edges + d_k + 1) % 2  # the last edge, n_edges * points, must differ from d_k by an odd number
    return points * np.arange(-n_edges, n_edges + 1, 2.0)
