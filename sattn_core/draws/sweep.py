"""Dot products at many dimensions, from one draw to which components are appended."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_dims, check_integer
from sattn_core.bands.standard_errors import sample_moments
from sattn_core.draws.histograms import bin_counts
from sattn_core.draws.pair_scores import growing_scores
from sattn_core.laws.components import COMPONENT_LAWS, PairLaw, block_generator

_ROW_STREAM = 1
_ROW_BLOCK = 64
RAW_EDGES = np.linspace(-64.5, 64.5, 130)
SCALED_EDGES = np.linspace(-6.0, 6.0, 97)


@dataclass(frozen=True, eq=False)
class DimensionSweep:
    """Raw and scaled scores at every dimension of ``dims``; axis 0 of every array is the dimension.

    Attributes
    ----------
    dims : tuple of int
        The dimensions d_k.
    n_samples, n_keys, law, seed
        As in `dimension_sweep`.
    raw_edges, scaled_edges : ndarray, shapes (130,), (97,)
        Bin edges, the same at every dimension. A bin includes its left edge but not its right one.
    raw_counts, scaled_counts : ndarray of int, shapes (n_dims, 129), (n_dims, 96)
        Number of samples in each bin.
    raw_below, raw_above, scaled_below, scaled_above : ndarray of int, shape (n_dims,)
        Number of samples outside the bins; counts, below and above add up to n_samples.
    raw_mean, raw_variance, raw_excess_kurtosis : ndarray, shape (n_dims,)
        Moments of q·k. The variance divides by n_samples − 1; the excess kurtosis is m₄/m₂² − 3
        (nan if all samples are equal).
    scaled_mean, scaled_variance : ndarray, shape (n_dims,)
        Moments of q·k/√d_k.
    row_scores : ndarray, shape (n_dims, n_keys)
        Raw scores of one query over n_keys keys.
    """

    dims: tuple[int, ...]
    n_samples: int
    n_keys: int
    law: str
    seed: int
    raw_edges: NDArray[np.float64]
    raw_counts: NDArray[np.int_]
    raw_below: NDArray[np.int_]
    raw_above: NDArray[np.int_]
    scaled_edges: NDArray[np.float64]
    scaled_counts: NDArray[np.int_]
    scaled_below: NDArray[np.int_]
    scaled_above: NDArray[np.int_]
    raw_mean: NDArray[np.float64]
    raw_variance: NDArray[np.float64]
    raw_excess_kurtosis: NDArray[np.float64]
    scaled_mean: NDArray[np.float64]
    scaled_variance: NDArray[np.float64]
    row_scores: NDArray[np.float64]


def dimension_sweep(
    dims: Sequence[int], *, n_samples: int, n_keys: int, law: str = "normal", seed: int
) -> DimensionSweep:
    """Measure q·k and q·k/√d_k at every d_k of ``dims`` on one draw that grows component by component.

    Parameters
    ----------
    dims : sequence of int
        Strictly increasing dimensions, each at least 1.
    n_samples : int
        Number of independent pairs (q, k), at least 2.
    n_keys : int
        Number of keys in ``row_scores``, at least 1.
    law, seed : str, int
        As in `draw_queries_and_keys`, without means and correlation.

    Returns
    -------
    DimensionSweep
        The measurements at one d_k do not depend on the other entries of ``dims``.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range.

    Notes
    -----
    Samples are independent at one d_k, but not across dimensions: they share components on
    purpose, so that errors at neighbouring dimensions are alike. The pairs are those of
    `draw_pair_scores` at the same seed; ``row_scores`` has its own random stream.

    Examples
    --------
    >>> sweep = dimension_sweep((1, 4), n_samples=100, n_keys=2, law="rademacher", seed=0)
    >>> int(sweep.raw_counts[1, 64 - 4 : 64 + 5 : 2].sum())  # four products ±1: only -4, -2, 0, 2, 4
    100
    """
    dims = check_dims(dims)
    n_samples = check_integer("n_samples", n_samples, 2)
    n_keys = check_integer("n_keys", n_keys, 1)
    law = check_choice("law", law, COMPONENT_LAWS)
    seed = check_integer("seed", seed, 0, None)
    raw, scaled = [], []
    for d_k, scores in zip(dims, growing_scores(dims, n_samples, PairLaw(law), seed), strict=True):
        raw.append(_measured("raw", scores, RAW_EDGES))
        scaled.append(_measured("scaled", scores / np.sqrt(d_k), SCALED_EDGES))
    return DimensionSweep(
        dims=dims, n_samples=n_samples, n_keys=n_keys, law=law, seed=seed,
        raw_edges=RAW_EDGES.copy(), scaled_edges=SCALED_EDGES.copy(),
        row_scores=_row_scores(dims, n_keys, law, seed),
        **_stacked(raw), **_stacked(scaled),
    )  # fmt: skip


def _measured(name, scores, edges):
    counts, below, above = bin_counts(scores, edges)
    mean, variance, excess_kurtosis = sample_moments(scores)
    measured = {"counts": counts, "below": below, "above": above, "mean": mean, "variance": variance}
    if name == "raw":  # the excess kurtosis of the scaled scores is the same number
        measured["excess_kurtosis"] = excess_kurtosis
    return {f"{name}_{key}": value for key, value in measured.items()}


def _stacked(records):
    return {key: np.array([record[key] for record in records]) for key in records[0]}


def _row_scores(dims, n_keys, law, seed):
    component = COMPONENT_LAWS[law]
    scores = np.empty((dims[-1], n_keys))
    for start in range(0, dims[-1], _ROW_BLOCK):
        rng = block_generator(seed, _ROW_STREAM, start // _ROW_BLOCK)
        part = component.draw(rng, (_ROW_BLOCK, 1 + n_keys))
        products = part[:, :1] * part[:, 1:]  # (component, 1) * (component, key)
        scores[start : start + _ROW_BLOCK] = products[: dims[-1] - start]
    return np.cumsum(scores, axis=0)[np.array(dims) - 1]
