"""95 % bands of the mean, variance and excess kurtosis of all entries of one Q Kᵀ.

The entries share queries and keys, so their moments scatter more than those of as many independent pairs.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sattn_core._memory import remembered
from sattn_core.bands.band import EXACT, NORMAL, ROUGH_GAMMA, ROUGH_NORMAL, SIMULATED, Band, gamma_source
from sattn_core.bands.matrix_variance import (
    SMALLEST_GAMMA_SHAPE,
    ScoreVarianceMoments,
    score_variance_band,
    score_variance_band_price,
    score_variance_moments,
)
from sattn_core.bands.standard_errors import kurtosis_error, shared_row_covariance
from sattn_core.cost import CALL, FUNCTION, MATRIX, MULTIPLIED, Price
from sattn_core.laws.components import COMPONENT_LAWS, PairLaw
from sattn_core.laws.dot_product import dot_product_ppf
from sattn_core.laws.moments import pair_moments, score_moments

Shape = tuple[int, int, int]  # n_queries, n_keys, d_k
# Simulated bands: fewest and most matrices, and limits of random numbers, in all and in one block.
_MATRICES, _MOST_NUMBERS, _BLOCK = (2_000, 20_000), 10_000_000, 500_000
_SEED = 64
_FEWEST_PRODUCTS = 16  # with a smaller d_k · min(n_queries, n_keys) the mean of all entries is far from normal


def matrix_bands(shape: Shape, pair_law: PairLaw) -> tuple[Band, Band, Band]:
    """Return the bands of mean, variance (ddof=0) and excess kurtosis of one matrix of shape (n_queries, n_keys, d_k).

    If q or k has a mean other than 0, the kurtosis has no band: a band estimated from rows and columns covers far less
    than 95 %.
    """
    return _mean_band(shape, pair_law), _variance_band(shape, pair_law), _kurtosis_band(shape, pair_law)


def matrix_bands_price(shape: Shape, pair_law: PairLaw) -> Price:
    """Return the `Price` of `matrix_bands` when nothing is cached, simulated matrices included."""
    (m, n, d_k), (mean, variance) = shape, _variance_moments(shape, pair_law)
    if pair_law.law == "normal" and pair_law.is_centred:
        quantile = (25_000 if d_k == 1 else 5_000) * CALL + 100_000 * FUNCTION  # work of `dot_product_ppf`
        return Price(quantile) + score_variance_band_price(*shape)
    n_matrices = _simulated_matrices(shape)
    if mean**2 >= SMALLEST_GAMMA_SHAPE * variance or not n_matrices:
        return Price()
    numbers, formed = numbers_of(shape), d_k > min(m, n)  # formed: True if the entries of Q Kᵀ are computed
    products = MULTIPLIED * m * n * d_k + MATRIX if formed else MULTIPLIED * (m + n + 2) * d_k**2 + 4 * MATRIX
    passes = 4 * m * n if formed else 2.5 * numbers + 6 * d_k**2
    matrix = numbers * (pair_law.component.work + 1) + products + passes
    calls = 50 + 15 * numbers * n_matrices / _BLOCK
    return Price(n_matrices * matrix + calls * CALL, 10_000_000)


def numbers_of(shape: Shape) -> int:
    """Return the number of random numbers that one Q Kᵀ needs."""
    n_queries, n_keys, d_k = shape
    return (n_queries + n_keys) * d_k


def _mean_band(shape, pair_law):
    m, n, d_k = shape
    variance = d_k * (1 / (m * n) + pair_law.mean_q**2 / n + pair_law.mean_k**2 / m)
    source = NORMAL if d_k * min(m, n) >= _FEWEST_PRODUCTS else ROUGH_NORMAL
    band = Band.normal(d_k * pair_law.mean_q * pair_law.mean_k, math.sqrt(variance), source)
    if pair_law.law == "normal" and pair_law.is_centred:
        # √(m n) times the mean has the law of one q·k with normal components
        edge = float(dot_product_ppf(0.975, d_k)) / math.sqrt(m * n)
        band = band._replace(low=-edge, high=edge, error_source=EXACT)
    return band


def _variance_band(shape, pair_law):
    """Return the gamma band with the exact mean and variance, or a simulated band for small matrices."""
    mean, variance = _variance_moments(shape, pair_law)
    band = Band.gamma(float(mean), math.sqrt(variance), gamma_source(pair_law.component.has_eight_moments))
    if mean**2 >= SMALLEST_GAMMA_SHAPE * variance:
        return band
    if pair_law.law == "normal" and pair_law.is_centred:
        low, high = score_variance_band(*shape)
    elif _simulated_matrices(shape):
        low, high = _simulated_band(pair_law.law, pair_law.mean_q, pair_law.mean_k, shape)
    else:
        return band._replace(error_source=ROUGH_GAMMA)
    return band._replace(low=low, high=high, error_source=SIMULATED)


def _variance_moments(shape: Shape, pair_law: Any) -> ScoreVarianceMoments:
    kurtosis, means = pair_law.component.kurtosis, {"mean_q": pair_law.mean_q, "mean_k": pair_law.mean_k}
    return score_variance_moments(*shape, kurtosis_q=kurtosis, kurtosis_k=kurtosis, **means)


def _kurtosis_band(shape, pair_law):
    (m, n, d_k), predicted = shape, pair_moments(shape[2], pair_law).excess_kurtosis
    if not pair_law.component.has_eight_moments:
        return Band.kurtosis(predicted, math.inf)
    if not pair_law.is_centred:
        return Band.kurtosis(predicted, math.nan)
    shared = (m + n - 2) * shared_row_covariance(d_k, pair_law.component.moments)
    return Band.kurtosis(predicted, kurtosis_error(score_moments(d_k, pair_law), m * n, shared))


@remembered(256)
def _simulated_band(law, mean_q, mean_k, shape):
    """Return the 95 % band of the variance of the entries, from simulated matrices of a fixed seed."""
    (n_queries, n_keys, d_k), draw = shape, COMPONENT_LAWS[law].draw
    rng, per_matrix = np.random.default_rng(_SEED), numbers_of(shape)
    n_matrices = _simulated_matrices(shape)
    variances: list[float] = []
    while len(variances) < n_matrices:
        block = min(n_matrices - len(variances), max(1, _BLOCK // per_matrix))
        Q = mean_q + draw(rng, (block, n_queries, d_k))
        K = mean_k + draw(rng, (block, n_keys, d_k))
        variances.extend(variances_of_products(Q, K))
    return tuple(map(float, np.quantile(variances, (0.025, 0.975))))


def _simulated_matrices(shape):
    """Return the number of matrices to simulate for a band; 0 if the least number allowed needs too many draws."""
    affordable = _MOST_NUMBERS // numbers_of(shape)
    return min(affordable, _MATRICES[1]) if affordable >= _MATRICES[0] else 0


def variances_of_products(Q: NDArray[np.float64], K: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return np.var of the entries of each Q Kᵀ, for Q (n_matrices, m, d_k) and K (n_matrices, n, d_k).

    For small d_k the entries are not computed: with G = Σ (row − mean)(row − mean)ᵀ and the means q̄ and k̄,
    m n np.var = tr(G_q G_k) + n k̄ᵀ G_q k̄ + m q̄ᵀ G_k q̄.
    """
    (_, m, d_k), n = Q.shape, K.shape[1]
    if d_k > min(m, n):
        return np.var(Q @ K.swapaxes(-1, -2), axis=(-1, -2))
    mean_q, mean_k = Q.mean(axis=1, keepdims=True), K.mean(axis=1, keepdims=True)
    G_q, G_k = ((rows - mean).swapaxes(1, 2) @ (rows - mean) for rows, mean in ((Q, mean_q), (K, mean_k)))
    means = n * (mean_k @ G_q * mean_k).sum(axis=(1, 2)) + m * (mean_q @ G_k * mean_q).sum(axis=(1, 2))
    return ((G_q * G_k).sum(axis=(1, 2)) + means) / (m * n)
