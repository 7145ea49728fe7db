"""Do gradients really vanish? The gradient that softmax passes on, for many random rows of scores.

The popular claim is that all gradients vanish without the scale. In fact, more and more rows are frozen:
their softmax passes on almost nothing. The mean gradient over the rows falls only like 1/√d_k at the
softmax, and at q it is larger than with the scale, because the scale multiplies the backward pass too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array, check_dims, check_integer
from sattn_core.bands.standard_errors import mean_and_error, share_error, share_interval
from sattn_core.draws.pair_scores import ROW_STREAM, growing_rows
from sattn_core.laws.components import block_generator
from sattn_core.laws.quantiles import chi_square_quantiles, expected_maximum, median_bounds
from sattn_core.laws.saturation import expected_attention_curve
from sattn_core.layers.softmax import softmax, softmax_jacobian, softmax_jacobian_norm

SCALE_EXPONENTS = (0.0, 0.5)  # scale = d_k ** -exponent
PLACES = ("softmax", "q")  # two sensitivities of a row: tr J of its softmax, and the norm of its gradient at q
FROZEN_BELOW = 0.01  # a row is frozen if its tr J is smaller
DEFAULT_DIMS = tuple(round(2 ** (half / 2)) for half in range(1, 21))  # 1, 2, 3, 4, 6, 8, 11, 16, … 1024
DOTS = 100  # number of rows in `freezing_rows`
MOST_DIMENSIONS = 4096
_ACROSS_STREAM, _PUSH_STREAM = ROW_STREAM + 1, ROW_STREAM + 2  # random streams
COLOUR_LIMIT = 0.25  # |p_i (1 − p_i)| and |p_i p_j| never exceed 1/4


@dataclass(frozen=True)
class GradientFlowParams:
    """Settings of n_rows drawn attention rows, each of n_keys scores, at one d_k."""

    d_k: int = 64  # 1 to 4,096
    n_keys: int = 64  # 2 to 1,024
    n_rows: int = 2_000  # 10 to 100,000: number of rows (queries), each with its own keys
    seed: int = 0  # at least 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, MOST_DIMENSIONS)
        check_integer("n_keys", self.n_keys, 2, 1024)
        check_integer("n_rows", self.n_rows, 10, 100_000)
        check_integer("seed", self.seed, 0)


@dataclass(frozen=True, eq=False)
class SensitivityStatistics:
    """Statistics over the rows; the first two axes are `PLACES` and the scales d_k ** −`SCALE_EXPONENTS`."""

    # mean, standard_error: mean over the rows and its standard error
    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    # median, median_low, median_high: median, and order statistics that enclose the true median with 95 % probability
    median: NDArray[np.float64]
    median_low: NDArray[np.float64]
    median_high: NDArray[np.float64]
    exact_mean: NDArray[np.float64]  # expectation; NaN at q, where it has no closed form
    z: NDArray[np.float64]  # (mean − exact_mean) / standard_error; NaN where exact_mean is NaN


@dataclass(frozen=True, eq=False)
class GradientFlowResult:
    """Sensitivities of the rows at the chosen d_k."""

    params: GradientFlowParams
    statistics: SensitivityStatistics  # (2 places, 2 scales)
    # frozen_share, frozen_error (2 scales,): share of rows whose tr J is below `FROZEN_BELOW`, and its standard error
    frozen_share: NDArray[np.float64]
    frozen_error: NDArray[np.float64]
    # frozen_low, frozen_high (2 scales,): exact 95 % interval of the share
    frozen_low: NDArray[np.float64]
    frozen_high: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FreezingRows:
    """Sensitivities of 100 rows at every d_k; a larger d_k appends components to the same queries and keys."""

    dims: tuple[int, ...]
    n_keys: int
    seed: int
    passed: NDArray[np.float64]  # (2 places, 2 scales, n_dims, 100 rows): tr J, and the length of the gradient at q
    frozen: NDArray[np.int_]  # (2 scales, n_dims): number of rows whose tr J is below `FROZEN_BELOW`
    mean: NDArray[np.float64]  # (2 places, 2 scales, n_dims): mean of `passed` over the rows


@dataclass(frozen=True, eq=False)
class GradientCurve:
    """Statistics of `GradientFlowResult` against d_k."""

    dims: tuple[int, ...]
    n_keys: int
    n_rows: int
    seed: int
    statistics: SensitivityStatistics  # (2 places, 2 scales, n_dims)
    # frozen_share, frozen_error (2 scales, n_dims): as in `GradientFlowResult`
    # Without the scale frozen_share never falls as d_k grows, because a larger d_k only stretches each row's scores.
    frozen_share: NDArray[np.float64]
    frozen_error: NDArray[np.float64]
    rate: NDArray[np.float64]  # (n_dims,): E[largest of n_keys normals] / √d_k; 1/√(π d_k) for two keys


@dataclass(frozen=True, eq=False)
class RowJacobian:
    """Softmax Jacobian of one row of scores, raw and scaled by 1/√d_k."""

    # raw_scores, scaled_scores, raw_weights, scaled_weights (n_keys,)
    raw_scores: NDArray[np.float64]
    scaled_scores: NDArray[np.float64]
    raw_weights: NDArray[np.float64]
    scaled_weights: NDArray[np.float64]
    # raw_jacobian, scaled_jacobian (n_keys, n_keys): diag(p) − p pᵀ; rows sum to 0
    raw_jacobian: NDArray[np.float64]
    scaled_jacobian: NDArray[np.float64]
    # raw_trace, scaled_trace, raw_norm, scaled_norm: trace and Frobenius norm
    raw_trace: float
    scaled_trace: float
    raw_norm: float
    scaled_norm: float
    norm_ratio: float  # scaled_norm / raw_norm
    colour_limit: float  # 1/4: no entry of a softmax Jacobian exceeds it, so one colour domain fits all


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of scores |q| z, and random loss gradients at their weights; gaps and pushes leave out the best key."""

    z: NDArray[np.float64]  # standard normal, (n_rows, n_keys)
    gaps: NDArray[np.float64]  # largest z minus the other z, (n_rows, n_keys − 1)
    pushes: NDArray[np.float64]  # loss gradient at each other key's weight minus the one at the best key's
    # uniform_q, uniform_k (n_rows,): uniform numbers whose chi-square quantiles are |q|² and |k⊥|²
    uniform_q: NDArray[np.float64] | None = None
    uniform_k: NDArray[np.float64] | None = None


def measure_gradient_flow(params: GradientFlowParams) -> GradientFlowResult:
    """Measure the sensitivities of rows at one d_k: tr J and ‖∂L/∂q‖, J = diag(p) − p pᵀ.

    Given the query, the scores of a row are independent N(0, |q|²), and the part of the keys orthogonal to
    the query is independent of the scores. So a row costs n_keys normals at any d_k. |q|² is the chi-square
    quantile of one uniform number per row: when d_k changes, the statistics change, but not their noise.
    """
    sensitivity = _sensitivity(_draw_rows(params.n_keys, params.n_rows, params.seed), params.d_k)
    statistics = _statistics(sensitivity, _exact_means(params.n_keys, (params.d_k,))[..., 0])
    return GradientFlowResult(params, statistics, *_frozen(sensitivity))


def freezing_rows(dims: Sequence[int] = DEFAULT_DIMS, *, n_keys: int = 64, seed: int = 0) -> FreezingRows:
    """Return tr J and ‖∂L/∂q‖ of 100 rows at every d_k, for the scales 1 and 1/√d_k."""
    dims = check_dims(dims)
    GradientFlowParams(dims[-1], n_keys, seed=seed)  # checks n_keys, seed and the largest of dims
    push = block_generator(seed, _PUSH_STREAM).standard_normal((DOTS, n_keys))
    drawn = zip(growing_rows(dims, DOTS, n_keys, seed), _squares_across(dims, seed), dims, strict=True)
    passed = np.stack([_row_by_row(*row, across, d_k, push) for row, across, d_k in drawn], axis=2)
    frozen = np.count_nonzero(passed[0] < FROZEN_BELOW, axis=-1)
    return FreezingRows(dims, n_keys, seed, passed, frozen, passed.mean(axis=-1))


def _row_by_row(scores, square, across, d_k, push):
    radius = np.sqrt(square)
    return _passed(_relative(scores / radius[:, None], push), d_k, radius, np.sqrt(across))


def _squares_across(dims, seed):
    """Draw |part of Kᵀ u orthogonal to q|², |u| = 1, for every row: χ² with d_k − 1 degrees of freedom."""
    across = _one_less(dims)
    grown = growing_rows(across, DOTS, 1, seed, _ACROSS_STREAM) if across else ()
    return ([np.zeros(DOTS)] if dims[0] == 1 else []) + [square for _, square in grown]


def _one_less(dims):
    return [d_k - 1 for d_k in dims if d_k > 1]


def scores_of_rows(d_k: int, *, n_keys: int = 64, seed: int = 0) -> NDArray[np.float64]:
    """Return the raw scores of the rows in `freezing_rows` at one d_k, shape (100, n_keys)."""
    return next(growing_rows((d_k,), DOTS, n_keys, seed))[0]


def gradient_curve(
    dims: Sequence[int] = DEFAULT_DIMS, *, n_keys: int = 64, n_rows: int = 2_000, seed: int = 0
) -> GradientCurve:
    """Measure the sensitivities of rows against d_k: tr J and ‖∂L/∂q‖ for the scales 1 and 1/√d_k."""
    dims = tuple(GradientFlowParams(d_k, n_keys, n_rows, seed).d_k for d_k in dims)
    if not dims:
        raise ValueError("dims must hold at least one dimension, but got ()")
    rows = _draw_rows(n_keys, n_rows, seed)
    exact = _exact_means(n_keys, dims)
    each = [_sensitivity(rows, d_k) for d_k in dims]
    found = [_statistics(one, exact[..., i]) for i, one in enumerate(each)]
    names = SensitivityStatistics.__dataclass_fields__
    stacked = (np.stack([getattr(one, name) for one in found], axis=-1) for name in names)
    frozen = np.stack([_frozen(one)[:2] for one in each], axis=-1)
    rate = expected_maximum(n_keys) / np.sqrt(dims)
    return GradientCurve(dims, n_keys, n_rows, seed, SensitivityStatistics(*stacked), *frozen, rate)  # type: ignore[call-arg]


def measure_row_jacobian(raw_scores: ArrayLike, d_k: int) -> RowJacobian:
    """Return the Jacobian J = diag(p) − p pᵀ of one row of scores, raw and divided by √d_k."""
    raw = check_array("raw_scores", raw_scores, ndim=1, min_length=2)
    scaled = raw / np.sqrt(check_integer("d_k", d_k, 1))
    jacobians = softmax_jacobian(raw), softmax_jacobian(scaled)
    norms = float(softmax_jacobian_norm(raw)), float(softmax_jacobian_norm(scaled))
    return RowJacobian(
        raw_scores=raw,
        scaled_scores=scaled,
        raw_weights=softmax(raw),
        scaled_weights=softmax(scaled),
        raw_jacobian=jacobians[0],
        scaled_jacobian=jacobians[1],
        raw_trace=float(np.trace(jacobians[0])),
        scaled_trace=float(np.trace(jacobians[1])),
        raw_norm=norms[0],
        scaled_norm=norms[1],
        norm_ratio=norms[1] / norms[0] if norms[0] else np.inf,
        colour_limit=COLOUR_LIMIT,
    )


def _draw_rows(n_keys, n_rows, seed):
    rng = np.random.Generator(np.random.SFC64(seed))
    z, push = rng.standard_normal((2, n_rows, n_keys))
    return _relative(z, push, *rng.random((2, n_rows)))


def _relative(z, push, *uniform):
    """Return `_Rows` with gaps and pushes relative to the best key, which is the same at every positive scale."""
    best = np.arange(z.shape[1]) == z.argmax(axis=1)[:, None]
    gaps, pushes = (z[best][:, None] - z)[~best], (push - push[best][:, None])[~best]
    return _Rows(z, gaps.reshape(len(z), -1), pushes.reshape(len(z), -1), *uniform)


def _scales(dims):
    return np.asarray(dims, dtype=np.float64) ** -np.array(SCALE_EXPONENTS)[:, None]


def _sensitivity(rows, d_k):
    """Return the sensitivity of every row, shape (2 places, 2 scales, n_rows)."""
    radius = np.sqrt(chi_square_quantiles(d_k, rows.uniform_q))
    return _passed(rows, d_k, radius, np.sqrt(chi_square_quantiles(d_k - 1, rows.uniform_k)))


def _passed(rows, d_k, radius, across):
    """Return tr J and ‖∂L/∂q‖ of every row; radius is |q|, and across is |the part of Kᵀ u orthogonal to q|."""
    passed = np.empty((len(PLACES), len(SCALE_EXPONENTS), len(radius)))
    for i, scale in enumerate(_scales((d_k,))[:, 0]):
        trace, along_q, size = _softmax_response(rows, scale * radius)
        # ∂L/∂q = c Kᵀ dS: its part along q follows from the scores; the rest is an independent normal vector.
        passed[:, i] = trace, scale * np.hypot(along_q, size * across)
    return passed


def _softmax_response(rows, stretch):
    """Return tr J, |Σ_j z_j dS_j| and |dS| of every row, with dS = J dP, for the scores stretch · z."""
    response = np.empty((3, len(stretch)))
    step = max(1, 65_536 // rows.z.shape[1])  # blocks of rows that stay in the processor's cache
    for start in range(0, len(stretch), step):
        block = slice(start, start + step)
        gaps, pushes = rows.gaps[block], rows.pushes[block]
        # Dividing all weights by the best key's weight avoids the cancellation in 1 − p.
        e = np.exp(-stretch[block, None] * gaps)
        others, squares = e.sum(axis=1), np.einsum("ij,ij->i", e, e)
        total = 1.0 + others
        mean_push = np.einsum("ij,ij->i", e, pushes) / total
        dS = e * (pushes - mean_push[:, None])
        response[0, block] = _trace_of(others, squares)
        response[1, block] = np.abs(np.einsum("ij,ij->i", gaps, dS)) / total
        response[2, block] = np.sqrt(np.einsum("ij,ij->i", dS, dS) + mean_push**2) / total
    return response


def _trace_of(others, squares):
    return (2.0 * others + (others**2 - squares)) / (1.0 + others) ** 2


def _exact_means(n_keys, dims):
    """Return the exact mean sensitivity, shape (2 places, 2 scales, n_dims); NaN at q."""
    trace = expected_attention_curve(n_keys, dims, _scales(dims)).jacobian_trace
    return np.stack([trace, np.full_like(trace, np.nan)])


def _statistics(sensitivity, exact_mean):
    ordered = np.sort(sensitivity, axis=-1)
    mean, error = mean_and_error(ordered)
    median, bounds = np.median(ordered, axis=-1), median_bounds(ordered)
    return SensitivityStatistics(mean, error, median, *bounds, exact_mean, (mean - exact_mean) / error)


def _frozen(sensitivity):
    """Return the share of frozen rows at each scale, its standard error, and the ends of its interval."""
    trace = sensitivity[PLACES.index("softmax")]
    count, n_rows = np.count_nonzero(trace < FROZEN_BELOW, axis=-1), trace.shape[-1]
    return count / n_rows, share_error(count / n_rows, n_rows), *share_interval(count, n_rows)
