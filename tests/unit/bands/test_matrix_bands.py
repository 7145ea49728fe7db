import math

import numpy as np
import pytest
from scipy import stats

from sattn_core.bands.band import ROUGH
from sattn_core.bands.matrix_bands import matrix_bands, matrix_bands_price, numbers_of, variances_of_products
from sattn_core.bands.matrix_variance import score_variance_band
from sattn_core.cost import Price
from sattn_core.laws.components import PairLaw
from sattn_core.laws.dot_product import dot_product_ppf


def test_variances_of_products_agree_with_np_var():
    rng = np.random.default_rng(0)
    for m, n, d_k in ((5, 7, 3), (2, 3, 8), (4, 4, 1)):
        Q, K = 0.5 + rng.standard_normal((6, m, d_k)), rng.standard_normal((6, n, d_k)) - 1
        wanted = [np.var(q @ k.T) for q, k in zip(Q, K, strict=True)]
        np.testing.assert_allclose(variances_of_products(Q, K), wanted, rtol=1e-12)


def test_bands_of_normal_components_are_exact():
    mean, variance, _ = matrix_bands((6, 5, 16), PairLaw())
    assert mean.standard_error == pytest.approx(math.sqrt(16 / 30), rel=1e-13)
    assert mean.high == -mean.low == pytest.approx(dot_product_ppf(0.975, 16) / math.sqrt(30), rel=1e-12)
    assert (variance.low, variance.high) == pytest.approx(score_variance_band(6, 5, 16), rel=1e-12)


def test_nonzero_means_widen_two_bands_and_leave_kurtosis_without_a_band():
    mean, variance, kurtosis = matrix_bands((6, 5, 16), PairLaw(mean_q=0.5, mean_k=2.0))
    of_mean = 16 * (1 / 30 + 0.25 / 5 + 4 / 6)
    assert (mean.predicted, mean.standard_error) == (16.0, pytest.approx(math.sqrt(of_mean), rel=1e-13))
    assert variance.predicted == pytest.approx(16 * (1 + 0.25 + 4) - of_mean, rel=1e-12)
    assert variance.error_source == "simulated"
    assert kurtosis.error_source == "none known"
    assert math.isfinite(kurtosis.predicted)
    assert math.isnan(kurtosis.low)


def test_simulated_band_is_reproducible_and_has_a_price():
    shape, pair_law = (4, 4, 8), PairLaw("sparse")
    first, second = (matrix_bands(shape, pair_law)[1] for _ in range(2))
    assert first == second
    assert first.low < first.predicted < first.high
    assert matrix_bands_price(shape, pair_law).numbers > 0
    assert matrix_bands_price((64, 64, 64), pair_law) == Price()


def test_band_is_rough_and_costs_nothing_if_simulation_is_too_large():
    shape, pair_law = (2, 512, 16), PairLaw("sparse")
    assert matrix_bands(shape, pair_law)[1].error_source == "exact, rough gamma approximation"
    assert matrix_bands_price(shape, pair_law) == Price()


def test_count_of_random_components_of_a_matrix_by_hand():
    assert numbers_of((2, 3, 10)) == 50


# --- oracles -------------------------------------------------------------------------------------------


# With 1,000 matrices a coverage of 95 % has a standard error of 0.7 %, and the approximate bands cover 92.5 to 98 %.
# Values of a discrete law may lie exactly at the edge of a band, up to rounding.
@pytest.mark.parametrize(
    ("shape", "law", "mean_q", "mean_k"),
    [
        *(((16, 8, 3), law, 0.0, 1.0) for law in ("laplace", "normal", "uniform")),
        *(((16, 8, 3), law, 0.0, 0.0) for law in ("normal", "uniform", "rademacher")),
        ((8, 512, 16), "normal", 2.0, 0.0),
        ((2, 2, 1), "rademacher", 0.0, 0.0),
        ((2, 16, 64), "laplace", 1.0, 1.0),
        ((64, 16, 64), "sparse", 0.25, 0.0),
        ((64, 64, 64), "uniform", 0.0, 0.0),
    ],
)
def test_a_band_that_is_not_rough_covers_95_percent(shape, law, mean_q, mean_k):
    pair_law, rng = PairLaw(law, mean_q, mean_k), np.random.default_rng(8)
    (m, n, d_k), draw = shape, pair_law.component.draw
    scores = (mean_q + draw(rng, (1_000, m, d_k))) @ (mean_k + draw(rng, (1_000, n, d_k))).swapaxes(1, 2)
    flat = scores.reshape(1_000, -1)
    for band, measured in zip(matrix_bands(shape, pair_law), (np.mean, np.var, stats.kurtosis), strict=True):
        if band.error_source not in ROUGH and np.isfinite(band.low) and band.standard_error:
            values, edge = measured(flat, axis=1), 1e-9 * d_k
            covered = np.mean((values >= band.low - edge) & (values <= band.high + edge))
            assert covered > 0.91, band
