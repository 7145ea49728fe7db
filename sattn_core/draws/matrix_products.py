"""Variance of the entries of a product of two normal matrices: direct draws, and its distribution."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._memory import remembered
from sattn_core.bands.standard_errors import share_error

BLOCK_NUMBERS = 200_000  # random numbers held at a time
_REFERENCE_DRAWS = 400_000
_REFERENCE_NUMBERS = 6_000_000  # most random numbers in all reference draws together
_REFERENCE_SEED = 28


def matrix_variances(size: int, d_k: int, n_draws: int, seed: int) -> NDArray[np.float64]:
    """Draw np.var (ddof=0) of n_draws products A B, (size, d_k) times (d_k, size), from its exact distribution.

    Orthogonal transformations of rows and columns keep the distribution of A and B. They can move the mean of all
    entries into one corner of the product and make A lower bidiagonal, with χ_d, χ_(d−1), … on the diagonal and
    χ_(size−1), χ_(size−2), … below it. A row of the product then depends on two rows of B, and the sum of squares
    only on their lengths and the angle between them.

    Reference: Dumitriu and Edelman (2002), "Matrix models for beta ensembles", J. Math. Phys. 43 (the bidiagonal form).
    """
    streams = (np.random.SeedSequence(seed, spawn_key=(stream,)) for stream in (1, 2))
    rngs = [np.random.Generator(np.random.SFC64(stream)) for stream in streams]
    block = max(1, BLOCK_NUMBERS // numbers_a_draw(size, d_k))
    sizes = [min(block, n_draws - start) for start in range(0, n_draws, block)]
    return np.concatenate([np.empty(0), *(_block_variances(size, d_k, n, *rngs) for n in sizes)])


def _block_variances(size, d_k, n_draws, rng_squares, rng_normals):
    """Return the variances for bidiagonal A: row i of A B is a_i b_i + c_i b_(i−1), without the corner (the mean)."""
    row = np.arange(min(size, d_k + 1))  # later rows of A are 0
    freedom = np.stack([d_k - row, np.where(row, size - row, 0), np.full(len(row), size - 1)])
    squares = 2 * rng_squares.standard_gamma(freedom / 2, (n_draws, *freedom.shape))
    diagonal, below, across = squares.swapaxes(0, 1)  # a_i², c_i², and |b_i|² orthogonal to b_(i−1)
    along = rng_normals.standard_normal((n_draws, len(row)))  # the part of b_i along b_(i−1); for b_1 the corner
    return _sum_of_squares(diagonal, below, np.square(along) + across, along) / size**2


def _sum_of_squares(diagonal, below, length, along):
    """Return the sum of squares of A B without its corner, from a_i², c_i², |b_i|² and b_i's part along b_(i−1)."""
    total = np.einsum("ni,ni->n", diagonal, length) - diagonal[:, 0] * np.square(along[:, 0])
    total += np.einsum("ni,ni->n", below[:, 1:], length[:, :-1])
    mixed = np.sqrt(diagonal[:, 1:] * below[:, 1:] * length[:, :-1])
    return total + 2 * np.einsum("ni,ni->n", mixed, along[:, 1:])


def matrix_variance_sweep(size: int, dims: Sequence[int], n_draws: int, seed: int) -> NDArray[np.float64]:
    """Draw np.var (ddof=0) of n_draws products at each of the increasing dims; a larger d_k extends the draws."""
    across, along, below = _fixed_parts(size, n_draws, seed)
    length = np.square(along) + across
    row, diagonal, before = np.arange(size), np.zeros((n_draws, size)), 0
    found = np.empty((len(dims), n_draws))
    for i, d_k in enumerate(dims):
        more = np.maximum(d_k - row, 0) - np.maximum(before - row, 0)  # degrees of freedom that each a_i² gains
        rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(3, d_k))))
        diagonal += 2 * rng.standard_gamma(more / 2, (n_draws, size))
        reached = np.where(row <= d_k, below, 0.0)  # later rows of A are 0
        found[i], before = _sum_of_squares(diagonal, reached, length, along) / size**2, d_k
    return found


def _fixed_parts(size, n_draws, seed):
    """Draw the parts that do not change with d_k: |b_i|² orthogonal to b_(i−1), b_i along b_(i−1), and c_i²."""
    streams = (np.random.SeedSequence(seed, spawn_key=(stream,)) for stream in (4, 5))
    rng_squares, rng_normals = (np.random.Generator(np.random.SFC64(stream)) for stream in streams)
    row = np.arange(size)
    freedom = np.stack([np.full(size, size - 1), np.where(row, size - row, 0)])
    across, below = 2 * rng_squares.standard_gamma(freedom / 2, (n_draws, 2, size)).swapaxes(0, 1)
    return across, rng_normals.standard_normal((n_draws, size)), below


def numbers_a_draw(size: int, d_k: int) -> int:
    """Return the number of random numbers in one draw of `matrix_variances`."""
    return 4 * min(size, d_k + 1)


def reference_draws(size: int, d_k: int) -> int:
    """Return the number of draws in a `ReferenceDistribution`: 400,000, or fewer for large matrices."""
    return min(_REFERENCE_DRAWS, _REFERENCE_NUMBERS // numbers_a_draw(size, d_k))


def independent_entries_std(size: int, d_k: int) -> float:
    """Return the standard deviation that the variance would have with independent entries, which is too small."""
    return math.sqrt(2 * d_k * (d_k + 3)) / size


@dataclass(frozen=True, eq=False)
class ReferenceDistribution:
    """Statistics of many draws of one variance; percentile and near_d_k are in per cent."""

    n_draws: int
    # median, median_error: median and its standard error
    median: float
    median_error: float
    # low, high: 5 % and 95 % quantiles
    low: float
    high: float
    # percentile, percentile_error: share of the draws below `value`, and its standard error
    percentile: float
    percentile_error: float
    near_d_k: float  # share of the draws within 10 % of d_k
    shares: NDArray[np.float64]  # (n_bins,): share of the draws in each bin, not in per cent


@remembered(256)
def reference_distribution(
    size: int, d_k: int, ddof: int, value: float, highest: float, n_bins: int
) -> ReferenceDistribution:
    """Return statistics of the variance from draws of a fixed seed, with n_bins equal bins from 0 to highest."""
    sample = matrix_variances(size, d_k, reference_draws(size, d_k), _REFERENCE_SEED)
    sample *= size**2 / (size**2 - ddof)
    n, half = len(sample), 0.5 / math.sqrt(len(sample))
    low, lower, median, upper, high = map(float, np.quantile(sample, (0.05, 0.5 - half, 0.5, 0.5 + half, 0.95)))
    below = float(np.mean(sample < value))
    near = np.count_nonzero(np.abs(sample / d_k - 1) < 0.1) / n
    shares = np.histogram(sample, np.linspace(0.0, highest, n_bins + 1))[0] / n
    shares.flags.writeable = False
    percentile_error = 100 * float(share_error(below, n))
    return ReferenceDistribution(
        n, median, (upper - lower) / 2, low, high, 100 * below, percentile_error, 100 * near, shares
    )
