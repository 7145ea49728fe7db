"""Variance of raw and divided scores against d_k, measured on one draw that grows component by component."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_dims, check_integer, check_number
from sattn_core.bands.band import ROUGH
from sattn_core.bands.pair_bands import pair_variance_band
from sattn_core.bands.standard_errors import sample_moments
from sattn_core.cost import Price, priced
from sattn_core.draws.pair_scores import growing_scores, pair_scores_price
from sattn_core.laws.components import PairLaw
from sattn_core.layers.scores import scale_factor


@dataclass(frozen=True, eq=False)
class VarianceCurve:
    """Variance of scores against d_k for three exponents; axis 0 is the exponent, axis 1 the dimension."""

    dims: tuple[int, ...]  # dimensions d_k
    # the scores are multiplied by d_k^(−exponent): 0 (raw), 0.5 (÷ √d_k), 1 (÷ d_k)
    exponents: tuple[float, float, float]
    # measured, theory, low, high (3, n_dims): measured variance, its theory and the 95 % band around the theory
    measured: NDArray[np.float64]
    theory: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    error_source: str  # as in `MomentRow`, for the least certain band, at the smallest dimension

    def spread(self, what: str) -> NDArray[np.float64]:
        """Return the square roots of `measured`, `theory`, `low` or `high`: standard deviations, (3, n_dims)."""
        variances = getattr(self, check_choice("what", what, ("measured", "theory", "low", "high")))
        return np.sqrt(np.maximum(variances, 0.0))

    def of_smaller(self, size: float) -> "VarianceCurve":
        """Return the curve for components `size` times as large, size in (0, 1]; variances are multiplied by size⁴."""
        factor = check_number("size", size, 0, 1, open_low=True) ** 4
        scaled = {name: factor * getattr(self, name) for name in ("measured", "theory", "low", "high")}
        return replace(self, **scaled)

    @property
    def is_rough(self) -> bool:
        """Return True if the band at the smallest dimension is rough: it may cover more or less than 95 %."""
        return self.error_source in ROUGH


def _price(dims, *, n_samples, law="normal", **_):
    """Return the price of `variance_curve`; drawing the largest of dims yields all smaller ones."""
    return pair_scores_price(n_samples, dims[-1], PairLaw(law)) + Price(8 * n_samples * len(dims), 400 * n_samples)


@priced(_price)
def variance_curve(
    dims: Sequence[int],
    *,
    n_samples: int,
    law: str = "normal",
    mean_q: float = 0.0,
    mean_k: float = 0.0,
    correlation: float = 0.0,
    seed: int,
) -> VarianceCurve:
    """Measure Var(q·k / d_k^a) at every d_k of dims for a = 0, 1/2 and 1, on one draw that grows."""
    dims, n_samples = check_dims(dims), check_integer("n_samples", n_samples, 4)
    pair_law, seed = PairLaw(law, mean_q, mean_k, correlation), check_integer("seed", seed, 0)
    records, sources = [], []
    for d_k, scores in zip(dims, growing_scores(dims, n_samples, pair_law, seed), strict=True):
        _, variance, excess_kurtosis = sample_moments(scores)
        band = pair_variance_band(d_k, n_samples, pair_law, excess_kurtosis)
        records.append((variance, band.predicted, band.low, band.high))
        sources.append(band.error_source)
    exponents = (0.0, 0.5, 1.0)
    factors = np.array([[scale_factor(d_k, a) ** 2 for d_k in dims] for a in exponents])
    measured, theory, low, high = (factors * column for column in np.transpose(records))
    return VarianceCurve(dims, exponents, measured, theory, low, high, sources[0])
