"""Start page: spread of raw and scaled scores at every d_k, and its effect on softmax."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from sattn_core._checks import check_choice, check_integer
from sattn_core._memory import remembered
from sattn_core.bands.band import Z95
from sattn_core.bands.standard_errors import mean_and_error, variance_error
from sattn_core.draws.sweep import SCALED_EDGES, DimensionSweep, dimension_sweep
from sattn_core.laws.components import COMPONENT_LAWS
from sattn_core.laws.dot_product import score_cdf
from sattn_core.laws.moments import dot_product_moments
from sattn_core.laws.saturation import expected_attention_curve
from sattn_core.layers.softmax import effective_keys, softmax

_FEWEST_DRAWS, _MOST_DRAWS, _MOST_QUERIES = 8, 3_000, 32
_WORK, _MOST_WEIGHTS = 3_000_000, 1_000_000  # limits of components in all draws, and of weights at one d_k


@dataclass(frozen=True)
class StartParams:
    """Settings of the start page; the fields are those of `dimension_sweep`."""

    dims: tuple[int, ...]
    n_samples: int = 20_000
    n_keys: int = 16
    law: str = "normal"
    seed: int = 0


@dataclass(frozen=True, eq=False)
class StartResult:
    """Results that the start page shows; axis 0 of every array is the dimension."""

    sweep: DimensionSweep  # histograms, moments and one row of scores at every d_k
    # raw_std_measured, raw_std_error (n_dims,): standard deviation of the raw scores, and its standard error
    # raw_std_theory (n_dims,): √d_k
    raw_std_measured: NDArray[np.float64]
    raw_std_theory: NDArray[np.float64]
    raw_std_error: NDArray[np.float64]
    # scaled_std_measured, scaled_std_theory, scaled_std_error (n_dims,): as for raw scores, with a theory of 1
    scaled_std_measured: NDArray[np.float64]
    scaled_std_theory: NDArray[np.float64]
    scaled_std_error: NDArray[np.float64]
    # std_z (n_dims,): (measured − theory) / standard error, equal for raw and scaled scores
    std_z: NDArray[np.float64]
    # raw_std_inside, scaled_std_inside (n_dims,): True where measured and theory differ by ≤ 1.96 standard errors
    raw_std_inside: NDArray[np.bool_]
    scaled_std_inside: NDArray[np.bool_]
    # std_error_source: "exact" by the fourth moment, or "estimated from the draws" if this moment is infinite
    std_error_source: str
    # scaled_law (n_dims, 96): theoretical density of scaled scores, averaged over each bin of the sweep
    scaled_law: NDArray[np.float64]
    law_is_exact: bool  # True for normal components; otherwise scaled_law is the standard normal density
    # raw_weights, scaled_weights (n_dims, n_keys): softmax of the row of raw and of scaled scores; rows sum to 1
    raw_weights: NDArray[np.float64]
    scaled_weights: NDArray[np.float64]
    # raw_max_weight, scaled_max_weight (n_dims,): largest weight of each row
    raw_max_weight: NDArray[np.float64]
    scaled_max_weight: NDArray[np.float64]
    # raw_effective_keys, scaled_effective_keys (n_dims,): exp(entropy) of each row, between 1 and n_keys
    raw_effective_keys: NDArray[np.float64]
    scaled_effective_keys: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LargestWeight:
    """Mean largest weight of a row, over queries and keys, for raw and for scaled scores."""

    # raw, scaled (n_dims,): mean at each d_k
    raw: NDArray[np.float64]
    scaled: NDArray[np.float64]
    # raw_error, scaled_error (n_dims,): standard errors of simulated means; 0 for the exact means of normal components
    raw_error: NDArray[np.float64]
    scaled_error: NDArray[np.float64]


def measure_start(params: StartParams) -> StartResult:
    """Measure raw q·k and scaled q·k/√d_k at every d_k, and the softmax of one row of each."""
    sweep = _sweep(params)
    d_k = np.array(sweep.dims, dtype=float)
    relative_error, source = _relative_std_error(sweep)
    z = (np.sqrt(sweep.scaled_variance) - 1.0) / relative_error  # raw scores have the same z
    scaled_rows = sweep.row_scores / np.sqrt(d_k)[:, None]
    return StartResult(
        sweep=sweep,
        raw_std_measured=np.sqrt(sweep.raw_variance), raw_std_theory=np.sqrt(d_k),
        raw_std_error=relative_error * np.sqrt(d_k),
        scaled_std_measured=np.sqrt(sweep.scaled_variance), scaled_std_theory=np.ones_like(d_k),
        scaled_std_error=relative_error, std_error_source=source,
        std_z=z, raw_std_inside=np.abs(z) <= Z95, scaled_std_inside=np.abs(z) <= Z95,
        scaled_law=np.array([_bin_law(d, params.law == "normal") for d in sweep.dims]),
        law_is_exact=params.law == "normal",
        **_softmax_of("raw", sweep.row_scores), **_softmax_of("scaled", scaled_rows),
    )  # fmt: skip


def _sweep(params):
    fields = {name: getattr(params, name) for name in ("n_samples", "n_keys", "law", "seed")}
    return dimension_sweep(params.dims, **fields)


def _relative_std_error(sweep):
    """Return the relative standard error of the measured standard deviation at every d_k, and its source."""
    kurtosis = COMPONENT_LAWS[sweep.law].kurtosis
    excess, source = sweep.raw_excess_kurtosis, "estimated from the draws"
    if np.isfinite(kurtosis):
        one = dot_product_moments(1, kurtosis_q=kurtosis, kurtosis_k=kurtosis)
        excess, source = one.excess_kurtosis / np.array(sweep.dims), "exact"  # excess of a sum of d_k products
    return variance_error(1.0, excess, sweep.n_samples) / 2, source  # √ halves relative errors


@remembered(2048)
def _bin_law(d_k, is_exact):
    """Return the mean density of scaled scores in each bin, from the exact or the normal distribution function."""
    below = score_cdf(SCALED_EDGES * np.sqrt(d_k), d_k) if is_exact else ndtr(SCALED_EDGES)
    return np.diff(below) / np.diff(SCALED_EDGES)


def _softmax_of(name, row_scores):
    weights = softmax(row_scores)
    return {
        f"{name}_weights": weights,
        f"{name}_max_weight": weights.max(axis=-1),
        f"{name}_effective_keys": effective_keys(row_scores),
    }


def mean_largest_weight(dims: tuple[int, ...], n_keys: int, law: str) -> LargestWeight:
    """Return the mean largest weight of softmax(q·k) and of softmax(q·k/√d_k), over queries and keys of this law.

    The means are exact for normal components, and simulated from a fixed seed for other laws. The dims must ascend:
    each d_k appends components to the draw of the one before. In the standard error, queries that share their keys
    count as one draw.
    """
    n_keys, dims = check_integer("n_keys", n_keys, 1), tuple(check_integer("dims", d_k, 1) for d_k in dims)
    if check_choice("law", law, COMPONENT_LAWS) == "normal":
        exact = np.array([_exact_mean(d_k, n_keys) for d_k in dims])
        return LargestWeight(*exact.T, *np.zeros((2, len(dims))))
    return _simulated_mean(dims, n_keys, law)


@remembered(2048)
def _exact_mean(d_k, n_keys):
    raw, scaled = expected_attention_curve(n_keys, d_k, np.array([1.0, 1 / math.sqrt(d_k)])).max_weight
    return float(raw), float(scaled)


@remembered(256)
def _simulated_mean(dims, n_keys, law):
    n_queries = min(n_keys, _MOST_QUERIES)
    draws = max(_WORK // ((n_queries + n_keys) * dims[-1]), _FEWEST_DRAWS)
    draws = min(draws, _MOST_WEIGHTS // (n_queries * n_keys), _MOST_DRAWS)
    rng, draw = np.random.Generator(np.random.SFC64(0)), COMPONENT_LAWS[law].draw
    raw, means = np.zeros((draws, n_queries, n_keys)), []
    for before, d_k in zip((0, *dims), dims, strict=False):
        more = d_k - before
        raw += draw(rng, (draws, n_queries, more)) @ draw(rng, (draws, n_keys, more)).swapaxes(-1, -2)
        means.append([softmax(c * raw).max(axis=-1).mean(axis=-1) for c in (1.0, 1 / math.sqrt(d_k))])
    averages, errors = mean_and_error(np.array(means))  # (n_dims, 2) each
    return LargestWeight(*averages.T, *errors.T)
