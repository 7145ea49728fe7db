import numpy as np
import pytest
from scipy import stats

from sattn_core.bands import ROUGH
from sattn_core.components import PairLaw
from sattn_core.matrix_bands import matrix_bands


# Fresh matrices: the standard error of a coverage of 95 % is 0.7 %, and the laws that the bands approximate cover
# 92.5 to 98 %. A law of few values may have some on the very edge of a band.
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
def test_a_band_that_is_given_and_not_called_rough_covers(shape, law, mean_q, mean_k):
    pair_law, rng = PairLaw(law, mean_q, mean_k), np.random.default_rng(8)
    (m, n, d_k), draw = shape, pair_law.component.draw
    scores = (mean_q + draw(rng, (1_000, m, d_k))) @ (mean_k + draw(rng, (1_000, n, d_k))).swapaxes(1, 2)
    flat = scores.reshape(1_000, -1)
    for band, measured in zip(matrix_bands(shape, pair_law), (np.mean, np.var, stats.kurtosis), strict=True):
        if band.error_source not in ROUGH and np.isfinite(band.low) and band.standard_error:
            values, edge = measured(flat, axis=1), 1e-9 * d_k
            covered = np.mean((values >= band.low - edge) & (values <= band.high + edge))
            assert covered > 0.91, band
