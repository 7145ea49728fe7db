"""From which d_k on the typical row passes less to its raw scores without the scale than with it.

A row passes tr J = 1 - sum p² through its softmax, and c times that to its raw scores. For small d_k
the factor c = 1/√d_k of the scaled row counts for more than the sharper softmax of the raw one; for
large d_k it is the other way round. There is no closed form of a median, so the d_k at which the two
medians are equal is simulated, with its error.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaincinv, ndtri

from sattn_core._checks import check_integer
from sattn_core._memory import remembered
from sattn_core.bands import student_quantile
from sattn_core.saturation import critical_score_std
from sattn_core.standard_errors import mean_and_error

MAX_KEYS = 1024
N_BATCHES = 20
BATCH_ROWS = 500
_NEAREST_KEYS = 32  # without the scale, keys further down add less than 1e-3 to the tr J of any row near the crossover
_SCALED_SCORES = 16_000  # with the scale every key counts, but rows of many keys hardly differ
_LEVELS = (np.arange(25) + 0.5) / 25  # quantiles of |q|² that stand for its whole chi-square distribution
_FIRST_D_K, _LAST_D_K = 3.0, 2048.0  # the crossover is 7.5 for 2 keys and about 340 for 1,024


@dataclass(frozen=True)
class MedianCrossover:
    """The d_k at which the median row passes as much to its raw scores without the scale as with it."""

    n_keys: int
    # Below it the median is larger without the scale (down to d_k = 1, where both are equal), above it with it
    d_k: float
    # low, high: 95 % interval of d_k from the spread of the batches (Student t, 19 degrees of freedom, in ln d_k)
    low: float
    high: float
    critical_ratio: float  # √d_k over √(2 ln n_keys)


def median_crossover(n_keys: int) -> MedianCrossover:
    """The d_k at which median tr J(q·k) falls below median tr J(q·k/√d_k) / √d_k, J = diag(p) - p pᵀ.

    Components are independent and standard normal, queries and keys independent. Given the query the
    scores of a row are independent N(0, |q|²), |q|² chi-square with d_k degrees of freedom, which need
    not be whole. Each of 20 batches of 500 rows is solved for its own crossover on one draw of the
    normals; their mean and its error are taken in ln d_k.
    """
    return _crossover(check_integer("n_keys", n_keys, 2, MAX_KEYS))


@remembered(128)
def _crossover(n_keys):
    rng = np.random.Generator(np.random.SFC64(n_keys))
    logs = np.array([_batch_crossover(rng, n_keys) for _ in range(N_BATCHES)])
    mean, error = mean_and_error(logs)
    reach = student_quantile(N_BATCHES) * error
    d_k, low, high = np.exp([mean, mean - reach, mean + reach]).tolist()
    return MedianCrossover(n_keys, d_k, low, high, float(np.sqrt(d_k)) / critical_score_std(n_keys))


def _batch_crossover(rng, n_keys):
    """ln d_k at which the two medians of one batch of rows are equal."""
    nearest = _nearest_gaps(rng, n_keys)
    every = nearest
    if n_keys > _NEAREST_KEYS:
        z = rng.standard_normal((_SCALED_SCORES // n_keys, n_keys))
        every = np.sort(z.max(axis=1, keepdims=True) - z, axis=1)

    def log_ratio(log_d_k):
        d_k = np.exp(log_d_k)
        lengths = np.sqrt(2.0 * gammaincinv(0.5 * d_k, _LEVELS))
        raw = np.median(_traces(lengths, nearest))
        scaled = np.median(_traces(lengths / np.sqrt(d_k), every))
        return np.log(raw / scaled) + 0.5 * log_d_k

    return brentq(log_ratio, np.log(_FIRST_D_K), np.log(_LAST_D_K), xtol=1e-3)


def _nearest_gaps(rng, n_keys):
    """Distances of the largest of n_keys standard normals below the largest, (BATCH_ROWS, at most 32)."""
    ranks = np.arange(min(n_keys, _NEAREST_KEYS))
    # One value in each of BATCH_ROWS equal strata of every uniform (a Latin hypercube).
    strata = rng.permuted(np.tile(np.arange(BATCH_ROWS), (ranks.size, 1)), axis=1).T
    uniform = (strata + rng.random(strata.shape)) / BATCH_ROWS
    # The largest of n uniforms is u^(1/n), the next that times u^(1/(n-1)), and so on.
    z = ndtri(np.cumprod(uniform ** (1.0 / (n_keys - ranks)), axis=1))
    return z[:, :1] - z


def _traces(stretches, gaps):
    """tr J of rows whose scores lie stretch × gap below their largest; the rows take the stretches in turn."""
    stretch = np.resize(stretches, len(gaps))
    e = np.exp(-stretch[:, None] * gaps[:, 1:])
    others, squares = e.sum(axis=1), np.einsum("ij,ij->i", e, e)
    return (2.0 * others + others**2 - squares) / (1.0 + others) ** 2
