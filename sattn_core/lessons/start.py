"""Start: at every d_k, raw scores spread like √d_k, scaled scores do not, and softmax feels it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sattn_core._memory import remembered
from sattn_core._records import record
from sattn_core.bands import Z95
from sattn_core.components import COMPONENT_LAWS, PairLaw
from sattn_core.cost import Price
from sattn_core.law import dot_product_cdf
from sattn_core.moments import dot_product_moments
from sattn_core.pair_scores import growing_scores_price
from sattn_core.saturation import expected_attention_curve
from sattn_core.softmax import effective_keys, softmax
from sattn_core.standard_errors import variance_error
from sattn_core.sweep import RAW_EDGES, SCALED_EDGES, DimensionSweep, dimension_sweep, row_scores_price


@dataclass(frozen=True)
class StartParams:
    """What the start page asks for; the fields are those of `dimension_sweep`."""

    dims: tuple[int, ...]
    n_samples: int = 20_000
    n_keys: int = 16
    law: str = "normal"
    seed: int = 0

    @property
    def price(self) -> Price:
        """What `measure_start` costs."""
        n, d_k, keys = self.n_samples, self.dims[-1], self.n_keys
        drawn = growing_scores_price(self.dims, n, PairLaw(self.law)) + row_scores_price(self.dims, keys, self.law)
        histograms = Price(calls=70, specials=4 * keys, passes=28 * n + 40_000 + 60 * keys)
        return (drawn + len(self.dims) * histograms + Price(calls=200)).holding(18 * d_k * keys)


@record
class StartResult:
    """Everything the start page shows; axis 0 of every array is the dimension."""

    sweep: DimensionSweep  # Histograms, moments and the row of scores at every d_k
    # raw_std_measured, raw_std_theory, raw_std_error (n_dims,): standard deviation of the raw scores, √d_k, and the
    # standard error of the measured one
    raw_std_measured: NDArray[np.float64]
    raw_std_theory: NDArray[np.float64]
    raw_std_error: NDArray[np.float64]
    # scaled_std_measured, scaled_std_theory, scaled_std_error (n_dims,): the same after the division by √d_k; the
    # theory is 1
    scaled_std_measured: NDArray[np.float64]
    scaled_std_theory: NDArray[np.float64]
    scaled_std_error: NDArray[np.float64]
    # (n_dims,): how many standard errors the measured standard deviation lies from the theory, raw or scaled
    std_z: NDArray[np.float64]
    # raw_std_inside, scaled_std_inside (n_dims,): whether the measured standard deviation lies within 1.96 standard
    # errors of the theory
    raw_std_inside: NDArray[np.bool_]
    scaled_std_inside: NDArray[np.bool_]
    # "exact" if the standard errors use the exact fourth moment of the law, "estimated from the draws" if that moment
    # is infinite
    std_error_source: str
    # raw_law, scaled_law (n_dims, 129), (n_dims, 96): Density of the law, averaged over each bin of the sweep
    raw_law: NDArray[np.float64]
    scaled_law: NDArray[np.float64]
    law_is_exact: bool  # True for normal components. Otherwise the law is the normal one with the exact variance.
    # raw_weights, scaled_weights (n_dims, n_keys): Softmax of the row of raw and of scaled scores; rows sum to 1
    raw_weights: NDArray[np.float64]
    scaled_weights: NDArray[np.float64]
    # raw_max_weight, scaled_max_weight (n_dims,): Largest weight of each row
    raw_max_weight: NDArray[np.float64]
    scaled_max_weight: NDArray[np.float64]
    # raw_effective_keys, scaled_effective_keys (n_dims,): exp(entropy) of each row, between 1 and n_keys
    raw_effective_keys: NDArray[np.float64]
    scaled_effective_keys: NDArray[np.float64]
    # raw_expected_max_weight, scaled_expected_max_weight (n_dims,): mean of the largest weight over all queries and
    # keys with normal components: exact if `law_is_exact`, an approximation for other components
    raw_expected_max_weight: NDArray[np.float64]
    scaled_expected_max_weight: NDArray[np.float64]


def measure_start(params: StartParams) -> StartResult:
    """Measure raw q·k and scaled q·k/√d_k at every d_k, and the softmax of one row of each.

    Components are independent with mean 0 and variance 1: then the raw variance is exactly d_k
    whatever the law. The standard error of a standard deviation s is that of s² divided by 2σ.

    Reference: Vaswani et al. (2017), Attention Is All You Need, section 3.2.1, footnote 4.
    """
    sweep = _sweep(params)
    d_k = np.array(sweep.dims, dtype=float)
    relative_error, source = _relative_std_error(sweep)
    raw_law, scaled_law = _bin_laws(sweep)
    z = (np.sqrt(sweep.scaled_variance) - 1.0) / relative_error  # the same for raw
    scaled_rows = sweep.row_scores / np.sqrt(d_k)[:, None]
    scales = np.stack([np.ones_like(d_k), 1 / np.sqrt(d_k)])  # (raw or scaled, dimension)
    expected = expected_attention_curve(params.n_keys, sweep.dims, scales).max_weight
    return StartResult(
        sweep=sweep,
        raw_std_measured=np.sqrt(sweep.raw_variance), raw_std_theory=np.sqrt(d_k),
        raw_std_error=relative_error * np.sqrt(d_k),
        scaled_std_measured=np.sqrt(sweep.scaled_variance), scaled_std_theory=np.ones_like(d_k),
        scaled_std_error=relative_error, std_error_source=source,
        std_z=z, raw_std_inside=np.abs(z) <= Z95, scaled_std_inside=np.abs(z) <= Z95,
        raw_law=raw_law, scaled_law=scaled_law, law_is_exact=params.law == "normal",
        **_softmax_of("raw", sweep.row_scores), **_softmax_of("scaled", scaled_rows),
        raw_expected_max_weight=expected[0], scaled_expected_max_weight=expected[1],
    )  # fmt: skip


def _sweep(params):
    fields = {name: getattr(params, name) for name in ("n_samples", "n_keys", "law", "seed")}
    return dimension_sweep(params.dims, **fields)


def _relative_std_error(sweep):
    """Standard error of the measured standard deviation, over the standard deviation, at every d_k."""
    kurtosis = COMPONENT_LAWS[sweep.law].kurtosis
    excess, source = sweep.raw_excess_kurtosis, "estimated from the draws"
    if np.isfinite(kurtosis):
        one = dot_product_moments(1, kurtosis_q=kurtosis, kurtosis_k=kurtosis)
        excess, source = one.excess_kurtosis / np.array(sweep.dims), "exact"  # of a sum of d_k products: over d_k
    return variance_error(1.0, excess, sweep.n_samples) / 2, source  # a root is half as far off


def _bin_laws(sweep):
    """Density of the law averaged over the bins, raw and scaled."""
    each = [_bin_law(d_k, sweep.law == "normal") for d_k in sweep.dims]
    return tuple(np.array(side) for side in zip(*each, strict=True))


@remembered(2048)
def _bin_law(d_k, is_exact):
    """Density of the exact law at this d_k, or of the normal one: differences of its distribution function."""
    edges = np.concatenate([RAW_EDGES, SCALED_EDGES * np.sqrt(d_k)])
    below = dot_product_cdf(edges, d_k) if is_exact else ndtr(edges / np.sqrt(d_k))
    raw, scaled = np.split(below, [len(RAW_EDGES)])
    return np.diff(raw) / np.diff(RAW_EDGES), np.diff(scaled) / np.diff(SCALED_EDGES)


def _softmax_of(name, row_scores):
    weights = softmax(row_scores)
    return {
        f"{name}_weights": weights,
        f"{name}_max_weight": weights.max(axis=-1),
        f"{name}_effective_keys": effective_keys(row_scores),
    }
