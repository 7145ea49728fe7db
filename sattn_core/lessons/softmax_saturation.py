"""Softmax saturation: wide scores turn attention into a choice of one key, whose Jacobian is nearly 0."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array, check_choice, check_dims, check_integer, check_number
from sattn_core.bands.band import student_quantile
from sattn_core.bands.standard_errors import mean_and_error
from sattn_core.cost import FUNCTION, Price, priced
from sattn_core.files.typed import MAX_LIST, MAX_MAGNITUDE, MIN_LIST
from sattn_core.laws.components import COMPONENT_LAWS, block_generator
from sattn_core.laws.saturation import ExpectedSoftmax, critical_score_std, expected_attention_curve, expected_softmax
from sattn_core.layers.scores import scale_factor
from sattn_core.layers.softmax import entropy_nats, log_softmax_jacobian_norm, softmax, softmax_jacobian_norm

MIN_LISTS, MAX_LISTS = 2, 4
N_BATCHES = 20
MAX_DIM = 4096
MAX_SCORES = 5_000_000
_CACHED_SCORES = 32_768  # averaged at a time, to stay in the processor's cache
_BATCH_STREAM = 2  # streams 0 and 1 of a seed draw the pairs and the row of the dimension sweep
_OVERFLOW_DTYPES = ("float16", "float32", "float64")
_QUANTITIES = ("entropy_nats", "effective_keys", "max_weight", "jacobian_trace")
_KEYS_DRAWN, _FEWEST_BATCHES = 640, 4  # of the rows whose divisor is turned
ALIKE = 1.25  # the most that the widest spread may be of the narrowest where rows are said to look alike
_ROUNDING = 1e-9  # of an entropy, relative: a shift rounds the scores, which changes no answer


# --- lists of scores, side by side ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ListComparison:
    """Softmax of each list of scores; entry i of every field belongs to list i."""

    scores: tuple[NDArray[np.float64], ...]  # multiplier * list + shift
    attention_weights: tuple[NDArray[np.float64], ...]  # Softmax of the scores; each sums to 1
    gap: NDArray[np.float64]  # (n_lists,): Largest score minus the second largest
    # entropy_nats, effective_keys, max_weight (n_lists,): Entropy H of the weights, e^H, and the largest weight
    entropy_nats: NDArray[np.float64]
    effective_keys: NDArray[np.float64]
    max_weight: NDArray[np.float64]
    # jacobian_norm, log10_jacobian_norm (n_lists,): Frobenius norm of the softmax Jacobian; the norm is 0 for gaps
    # beyond 745, its logarithm is not
    jacobian_norm: NDArray[np.float64]
    log10_jacobian_norm: NDArray[np.float64]
    # Norm of the first list over norm of the second: its logarithm, for the ratio may exceed float64
    log10_jacobian_norm_ratio: float


def compare_lists(lists: Sequence[ArrayLike], *, multiplier: float = 1.0, shift: float = 0.0) -> ListComparison:
    """Return softmax of multiplier * list + shift, its entropy and its Jacobian norm, list by list."""
    multiplier = check_number("multiplier", multiplier, -MAX_MAGNITUDE, MAX_MAGNITUDE)
    shift = check_number("shift", shift, -MAX_MAGNITUDE, MAX_MAGNITUDE)
    scores = tuple(multiplier * numbers + shift for numbers in _check_lists(lists))
    log_norms = np.array([log_softmax_jacobian_norm(s) for s in scores])
    entropies = np.array([entropy_nats(s) for s in scores])
    weights = tuple(softmax(s) for s in scores)
    return ListComparison(
        scores=scores,
        attention_weights=weights,
        gap=np.array([np.diff(np.sort(s)[-2:])[0] for s in scores]),
        entropy_nats=entropies,
        effective_keys=np.exp(entropies),
        max_weight=np.array([p.max() for p in weights]),
        jacobian_norm=np.array([softmax_jacobian_norm(s) for s in scores]),
        log10_jacobian_norm=log_norms / math.log(10.0),
        log10_jacobian_norm_ratio=float(log_norms[0] - log_norms[1]) / math.log(10.0),
    )


def sharper(first: ArrayLike, second: ArrayLike) -> str:
    """Return which of two lists softmax makes sharper: the one whose weights have less entropy."""
    found = compare_lists([first, second])
    one, other = found.entropy_nats
    if one == other == 0.0:  # both underflow, which the norm's logarithm does not
        one, other = np.exp(found.log10_jacobian_norm - found.log10_jacobian_norm.max())
    if math.isclose(one, other, rel_tol=_ROUNDING):
        return "neither"
    return "first" if one < other else "second"


def _check_lists(lists):
    if isinstance(lists, str) or not hasattr(lists, "__iter__"):
        raise TypeError(f"lists must be a sequence of lists of numbers, but got {type(lists).__name__}")
    lists = tuple(lists)
    if not MIN_LISTS <= len(lists) <= MAX_LISTS:
        raise ValueError(f"lists must hold {MIN_LISTS} to {MAX_LISTS} lists, but got {len(lists)}")
    return [_check_list(f"list {place}", numbers) for place, numbers in enumerate(lists, 1)]


def _check_list(name, numbers):
    array = check_array(name, numbers, ndim=1)
    if not MIN_LIST <= array.size <= MAX_LIST:
        raise ValueError(f"{name} must hold {MIN_LIST} to {MAX_LIST} numbers, but got {array.size}")
    largest = array[np.abs(array).argmax()]
    if abs(largest) > MAX_MAGNITUDE:
        raise ValueError(f"{name} must lie between -1,000,000 and 1,000,000, but got {largest:g}")
    return array


# --- saturation as d_k grows ---------------------------------------------------------------------


def _check_draw(params):
    """Check the keys, the dimensions, the law and the seed of a draw."""
    check_integer("n_keys", params.n_keys, 2, 4096)
    check_integer("the largest entry of dims", check_dims(params.dims)[-1], 1, MAX_DIM)
    check_choice("law", params.law, COMPONENT_LAWS)
    check_integer("seed", params.seed, 0)


@dataclass(frozen=True)
class SaturationParams:
    """Settings of the averages."""

    n_keys: int
    dims: tuple[int, ...]
    law: str = "normal"
    n_rows: int = 32 * N_BATCHES
    seed: int = 0

    def __post_init__(self) -> None:
        _check_draw(self)
        check_integer("n_rows", self.n_rows, N_BATCHES, MAX_SCORES // self.n_keys)
        if self.n_rows % N_BATCHES:
            raise ValueError(f"n_rows must be a multiple of {N_BATCHES}, but got {self.n_rows}")

    @property
    def n_queries(self) -> int:
        """Rows of a batch, which share their keys."""
        return self.n_rows // N_BATCHES


@dataclass(frozen=True, eq=False)
class MeasuredMean:
    """One measured average at each measured dimension, beside its prediction."""

    # measured, standard_error (n_measured,): mean over the rows, and its standard error from the spread of the 20 batch
    # means
    measured: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    predicted: NDArray[np.float64]  # (n_measured,): Exact average for normal components
    # low, high (n_measured,): 95 % band of the measurement around the prediction (Student t, 19 degrees of freedom)
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    inside: NDArray[np.bool_]  # (n_measured,): whether the measured mean lies in its band


@dataclass(frozen=True, eq=False)
class MeasuredSoftmax:
    """The four averages of `SaturationCurve`, measured."""

    entropy_nats: MeasuredMean
    effective_keys: MeasuredMean
    max_weight: MeasuredMean
    jacobian_trace: MeasuredMean


@dataclass(frozen=True, eq=False)
class SaturationCurve:
    """Exact averages over q and k with iid N(0, 1) components, one entry per dimension."""

    entropy_nats: NDArray[np.float64]  # (n_dims,): E H in nats, 0 to ln n_keys
    # (n_dims,): exp(E H), 1 to n_keys: the e^H of a row with the average entropy, not the average of e^H
    effective_keys: NDArray[np.float64]
    max_weight: NDArray[np.float64]  # (n_dims,): E max p
    jacobian_trace: NDArray[np.float64]  # (n_dims,): E tr(diag(p) - p pᵀ)


@dataclass(frozen=True, eq=False)
class SaturationResult:
    """Everything the saturation figure shows."""

    dims: NDArray[np.int_]  # (n_dims,): the dimensions of the exact curves
    # raw, scaled: Exact averages for softmax(q·k) and for softmax(q·k/√d_k)
    raw: SaturationCurve
    scaled: SaturationCurve
    measured_dims: NDArray[np.int_]  # (n_measured,): 1, 2, 4, ... up to the largest of dims.
    # raw_measured, scaled_measured: Monte Carlo averages of the same draws, not scaled and scaled
    raw_measured: MeasuredSoftmax
    scaled_measured: MeasuredSoftmax
    uniform_entropy_nats: float  # ln n_keys, the entropy of uniform weights
    # critical_score_std, freezing_d_k: √(2 ln n_keys), beyond which softmax freezes in the limit of many keys, and 2 ln
    # n_keys, the d_k at which the spread √d_k of raw scores passes it
    critical_score_std: float
    freezing_d_k: float
    # Exact averages over iid normal scores of that spread, with this number of keys
    at_critical: ExpectedSoftmax[float]
    # True for normal components. For another law the curves are what its averages tend to as d_k grows.
    prediction_is_exact: bool

    def along(self, params: SaturationParams) -> "SaturationResult":
        """Return what `measure_saturation` does for params that differ in dims alone, and not in the last one."""
        raw, scaled = _exact_curves(params.n_keys, params.dims)
        return replace(self, dims=np.array(params.dims), raw=raw, scaled=scaled)


def _price(params):
    d_k, scores, octaves = params.dims[-1], params.n_rows * params.n_keys, params.dims[-1].bit_length()
    drawn = d_k * (params.n_rows + N_BATCHES * params.n_keys) * COMPONENT_LAWS[params.law].work
    averages, exact = octaves * scores * (76 + 4 * FUNCTION), 9_300_000
    held = 16 * scores + 4 * d_k * (params.n_queries + params.n_keys) + 500_000
    return Price(drawn + d_k * scores + averages + exact, held)


@priced(_price)
def measure_saturation(params: SaturationParams) -> SaturationResult:
    """Average entropy, largest weight and Jacobian trace of softmax(q·k) and softmax(q·k/√d_k).

    Rows that share their keys are not independent, so they are drawn in 20 independent batches
    and the standard error is that of the batch means.
    """
    measured_dims = tuple(2**i for i in range(params.dims[-1].bit_length()))
    raw, scaled = _exact_curves(params.n_keys, params.dims)
    raw_predicted, scaled_predicted = _exact_curves(params.n_keys, measured_dims)
    raw_means, scaled_means = _batch_means(params, measured_dims)
    critical = critical_score_std(params.n_keys)
    return SaturationResult(
        dims=np.array(params.dims),
        raw=raw,
        scaled=scaled,
        measured_dims=np.array(measured_dims),
        raw_measured=_beside(raw_means, raw_predicted),
        scaled_measured=_beside(scaled_means, scaled_predicted),
        uniform_entropy_nats=math.log(params.n_keys),
        critical_score_std=critical,
        freezing_d_k=2.0 * math.log(params.n_keys),
        at_critical=expected_softmax(params.n_keys, critical),
        prediction_is_exact=params.law == "normal",
    )


def _exact_curves(n_keys, dims):
    """Return the exact curves without and with the scale, as two `SaturationCurve`."""
    dims = np.array(dims)
    scales = np.stack([np.ones(dims.size), dims**-0.5])  # (2, n_dims)
    both = expected_attention_curve(n_keys, dims, scales)
    rows = zip(both.entropy_nats, both.max_weight, both.jacobian_trace, strict=True)
    return tuple(SaturationCurve(entropy, np.exp(entropy), weight, trace) for entropy, weight, trace in rows)


def _batch_means(params, dims):
    """Return the batch means of H, max p and tr J, raw and scaled: two arrays (3, n_dims, n_batches)."""
    means = [
        [_row_means(scores, scale) for scale in (1.0, scale_factor(d_k))]
        for d_k, scores in zip(dims, _growing_scores(params, dims), strict=True)
    ]
    return np.transpose(means, (1, 2, 0, 3))  # (scale, quantity, d_k, batch)


def _growing_scores(params, dims, n_batches=N_BATCHES):
    """Yield raw scores (n_batches, n_queries, n_keys) at each of dims, of one draw that grows."""
    batches = [_scores_of_batch(params, dims, batch) for batch in range(n_batches)]
    return map(np.stack, zip(*batches, strict=True))


def _scores_of_batch(params, dims, batch):
    """Yield raw scores (n_queries, n_keys) at each of dims, drawn octave by octave, so that no draw depends on dims."""
    n_queries, draw = params.n_queries, COMPONENT_LAWS[params.law].draw
    rng, scores = block_generator(params.seed, _BATCH_STREAM, batch), np.zeros((n_queries, params.n_keys))
    for start, stop in pairwise((0, *(2**i for i in range((dims[-1] - 1).bit_length() + 1)))):
        cuts = sorted({stop, *(d_k for d_k in dims if start < d_k < stop)})
        components = draw(rng, (stop - start, n_queries + params.n_keys))
        grown = _appended(scores, components[:, :n_queries], components[:, n_queries:], [cut - start for cut in cuts])
        del components  # while other batches are at work
        yield from (found for d_k, found in zip(cuts, grown, strict=True) if d_k in dims)
        scores = grown[-1]


def _appended(scores, q, k, cuts):
    """Append to the scores the components of q and k up to each cut."""
    # No matrix product: the threads of BLAS wait for a core on a busy machine.
    parts = [np.einsum("dq,dk->qk", q[start:stop], k[start:stop]) for start, stop in pairwise((0, *cuts))]
    return list(accumulate(parts, initial=scores))[1:]


def _row_means(scores, scale):
    """Return the means of H, max p and tr J over the rows of each batch, (3, n_batches), some batches at a time."""
    n_batches = max(1, _CACHED_SCORES // scores[0].size)
    parts = (scale * scores[start : start + n_batches] for start in range(0, len(scores), n_batches))
    return np.concatenate([_means_of_batches(part) for part in parts], axis=-1)


def _means_of_batches(scores):
    weights = softmax(scores)
    traces = 1.0 - (weights**2).sum(axis=-1)
    rows = np.stack([entropy_nats(scores), weights.max(axis=-1), traces])
    return rows.mean(axis=-1)


def _beside(batch_means, predicted):
    """Return `MeasuredSoftmax` from batch means (3, n_dims, n_batches) of H, max p and tr J."""
    (entropy, max_weight, trace), of_means = mean_and_error(batch_means)
    effective = np.exp(entropy)
    measured = (entropy, effective, max_weight, trace)
    errors = (of_means[0], effective * of_means[0], of_means[1], of_means[2])  # d e^H = e^H dH
    rows = zip(_QUANTITIES, measured, errors, strict=True)
    return MeasuredSoftmax(*(_measured_mean(m, error, getattr(predicted, name)) for name, m, error in rows))


def _measured_mean(measured, error, predicted):
    half_width = student_quantile(N_BATCHES) * error
    low, high = predicted - half_width, predicted + half_width
    return MeasuredMean(measured, error, predicted, low, high, (low <= measured) & (measured <= high))


# --- many rows, whose divisor is turned ----------------------------------------------------------


@dataclass(frozen=True)
class RowsParams(SaturationParams):
    """Rows at a few dims; n_rows are those of 20 batches, of which fewer are drawn where there are many keys."""

    @property
    def n_batches(self) -> int:
        """Independent draws of keys, which take most of the time."""
        return max(_FEWEST_BATCHES, min(N_BATCHES, _KEYS_DRAWN // self.n_keys))


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of raw scores at a few dimensions, each from its largest score to its smallest."""

    dims: tuple[int, ...]
    scores: NDArray[np.float64]  # (n_dims, n_batches, n_queries, n_keys); the rows of a batch share their keys
    # (n_dims,): how far the scores of a row spread: the root of the mean variance within a row, ddof 1
    spread: NDArray[np.float64]

    def divided(self, exponent: float) -> "DividedRows":
        """Return what softmax makes of the scores divided by d_k^exponent."""
        scales = np.array([scale_factor(d_k, exponent) for d_k in self.dims])
        weights = softmax(scales[:, None, None, None] * self.scores)
        largest, error = mean_and_error(weights[..., 0].mean(axis=-1))
        spread, theory = scales * self.spread, scales * np.sqrt(self.dims)
        means, ratio = weights.mean(axis=(1, 2)), float(spread.max() / spread.min())
        return DividedRows(self.dims, exponent, means, largest, error, spread, theory, ratio, weights.shape[1])


@dataclass(frozen=True, eq=False)
class DividedRows:
    """Softmax of the scores divided by d_k^exponent; axis 0 of every array is the dimension."""

    dims: tuple[int, ...]
    exponent: float
    # (n_dims, n_keys): mean weight of the strongest key of a row, of the next one, …; rows sum to 1
    weights: NDArray[np.float64]
    # max_weight, standard_error (n_dims,): mean largest weight, and its error from the spread of the batch means
    max_weight: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    # spread, spread_theory (n_dims,): that of the divided scores within a row, and d_k^(1/2 − exponent)
    spread: NDArray[np.float64]
    spread_theory: NDArray[np.float64]
    ratio: float  # of the widest spread to the narrowest, at least 1
    n_batches: int  # whose means say how large the error is

    @property
    def alike(self) -> bool:
        """Return True if the scores spread so nearly the same at all dims that softmax makes hardly a difference."""
        return self.ratio <= ALIKE

    def band(self, expected: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the ends of the 95 % band of the largest weights around what is expected, by Student's t."""
        half_width = student_quantile(self.n_batches) * self.standard_error
        return expected - half_width, expected + half_width


def measure_rows(params: RowsParams) -> Rows:
    """Draw raw scores at every d_k, those of `measure_saturation`."""
    scores = np.array(list(_growing_scores(params, params.dims, params.n_batches)))
    scores = -np.sort(-scores, axis=-1)
    return Rows(params.dims, scores, np.sqrt(scores.var(axis=-1, ddof=1).mean(axis=(1, 2))))


def expected_largest(n_keys: int, dims: tuple[int, ...], exponent: float) -> NDArray[np.float64]:
    """Return the exact mean of the largest weight at every d_k, for normal components and scores over d_k^exponent."""
    scales = [scale_factor(d_k, exponent) for d_k in dims]
    return expected_attention_curve(n_keys, dims, scales).max_weight


# --- overflow ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OverflowCurve:
    """Weight of the larger of two scores 0 and s, really computed in one floating-point type."""

    dtype: str  # float16, float32 or float64
    # (n_scores,): exp(s) / (exp(0) + exp(s)) in that type; NaN where exp(s) overflows
    naive_weight: NDArray[np.float64]
    stable_weight: NDArray[np.float64]  # (n_scores,): the same with the largest score subtracted first
    # last_finite_score, first_failing_score: Two neighbouring numbers of that type: the naive weight is finite at the
    # first and NaN at the second
    last_finite_score: float
    first_failing_score: float
    largest_exponent: float  # ln of the largest finite number of that type, the closed form of the limit
    stable_is_finite: bool  # Whether the stable weight is finite at every score
    stable_largest_error: float  # Largest distance of the stable weight from 1 / (1 + e^-s)
    machine_epsilon: float  # Spacing of the type's numbers at 1


@dataclass(frozen=True, eq=False)
class OverflowStudy:
    """Naive and stable softmax of the row [0, s] in three floating-point types."""

    # (n_scores,): s, from 1 to 2,000, evenly spaced in ln s and rounded to float16 so that all types get the same s
    scores: NDArray[np.float64]
    curves: tuple[OverflowCurve, ...]  # float16, float32, float64


def overflow_study() -> OverflowStudy:
    """Return softmax of [0, s] with and without the subtraction of the largest score, as s grows."""
    scores = np.geomspace(1.0, 2000.0, 200).astype(np.float16).astype(np.float64)
    exact = softmax(np.stack([np.zeros_like(scores), scores], axis=-1))[:, 1]
    curves = tuple(_overflow_curve(np.dtype(name).type, scores, exact) for name in _OVERFLOW_DTYPES)
    return OverflowStudy(scores, curves)


def _overflow_curve(dtype, scores, exact):
    stable = _stable_weight(scores.astype(dtype)).astype(np.float64)
    last_finite, first_failing = _naive_limit(dtype)
    return OverflowCurve(
        dtype=dtype.__name__,
        naive_weight=_naive_weight(scores.astype(dtype)).astype(np.float64),
        stable_weight=stable,
        last_finite_score=last_finite,
        first_failing_score=first_failing,
        largest_exponent=float(np.log(np.float64(np.finfo(dtype).max))),
        stable_is_finite=bool(np.isfinite(stable).all()),
        stable_largest_error=float(np.abs(stable - exact).max()),
        machine_epsilon=float(np.finfo(dtype).eps),
    )


def _naive_weight(scores):
    """Return the weight of s in softmax([0, s]) by the bare formula; inf/inf stays NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        zero, s = np.exp(np.zeros_like(scores)), np.exp(scores)
        return s / (zero + s)


def _stable_weight(scores):
    """Return the weight of s in softmax([0, s]) with the largest score subtracted first."""
    largest = np.maximum(scores, np.zeros_like(scores))
    zero, s = np.exp(-largest), np.exp(scores - largest)
    return s / (zero + s)


def _naive_limit(dtype):
    """Return the last s with a finite naive weight and the next number of the type, by bisection."""
    low, high = dtype(1.0), dtype(2000.0)
    while np.nextafter(low, high) < high:
        middle = dtype(low + (high - low) / dtype(2.0))
        if np.isfinite(_naive_weight(middle)):
            low = middle
        else:
            high = middle
    return float(low), float(high)
