"""Softmax of widely and of narrowly spread scores: one key takes all the weight, or all outputs are alike."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array, check_choice, check_dims, check_integer, check_number
from sattn_core.bands.band import student_quantile
from sattn_core.bands.standard_errors import mean_and_error
from sattn_core.files.typed import MAX_LIST, MAX_MAGNITUDE, MIN_LIST
from sattn_core.laws.components import COMPONENT_LAWS, block_generator
from sattn_core.laws.saturation import expected_attention, expected_attention_curve, own_share_limit
from sattn_core.layers.outputs import own_share
from sattn_core.layers.scores import scale_factor
from sattn_core.layers.softmax import entropy_nats, log_softmax_jacobian_norm, softmax, softmax_jacobian_norm

MIN_LISTS, MAX_LISTS = 2, 4
N_BATCHES = 20
MAX_DIM = 4096
MAX_SCORES = 5_000_000
D_V = 64  # components of a value
_BATCH_STREAM = 2  # random stream of the batches
_VALUE_STREAM = 3736  # random stream of the values, chosen so that the 16 values in the picture lie apart at seed 0
_OVERFLOW_DTYPES = ("float16", "float32", "float64")
_KEYS_DRAWN, _FEWEST_BATCHES = 640, 4
ALIKE = 1.25  # rows look alike if the widest spread is at most this many times the narrowest
_ROUNDING = 1e-9  # relative tolerance of entropies: a constant added to all scores changes them by rounding


# --- lists of scores, side by side ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ListComparison:
    """Softmax of each list of scores; entry i of every field belongs to list i."""

    scores: tuple[NDArray[np.float64], ...]  # multiplier * list + shift
    attention_weights: tuple[NDArray[np.float64], ...]  # softmax of the scores; each sums to 1
    gap: NDArray[np.float64]  # (n_lists,): largest score minus the second largest
    # entropy_nats, effective_keys, max_weight (n_lists,): entropy H of the weights, e^H, and the largest weight
    entropy_nats: NDArray[np.float64]
    effective_keys: NDArray[np.float64]
    max_weight: NDArray[np.float64]
    # jacobian_norm, log10_jacobian_norm (n_lists,): Frobenius norm of the softmax Jacobian. The norm is 0 for gaps
    # beyond 745; its logarithm stays finite.
    jacobian_norm: NDArray[np.float64]
    log10_jacobian_norm: NDArray[np.float64]
    # log10 of (Jacobian norm of the first list ÷ norm of the second); the ratio itself may overflow
    log10_jacobian_norm_ratio: float


def compare_lists(lists: Sequence[ArrayLike], *, multiplier: float = 1.0, shift: float = 0.0) -> ListComparison:
    """Return softmax of multiplier * list + shift, its entropy and its Jacobian norm, list by list."""
    multiplier = check_number("multiplier", multiplier, -MAX_MAGNITUDE, MAX_MAGNITUDE)
    shift = check_number("shift", shift, -MAX_MAGNITUDE, MAX_MAGNITUDE)
    return _comparison(tuple(multiplier * numbers + shift for numbers in _check_lists(lists)))


def _comparison(scores):
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


@dataclass(frozen=True, eq=False)
class ListNudge:
    """Softmax of lists before and after a number is added to each list's smallest score; entry i belongs to list i."""

    before: ListComparison
    after: ListComparison
    smallest: tuple[int, ...]  # index of the smallest score, or of the first of equal ones
    moved: NDArray[np.float64]  # (n_lists,): weight that the key of the smallest score gains

    @property
    def gradient(self) -> NDArray[np.float64]:
        """Derivative of the smallest score's weight p with respect to this score, p (1 − p), (n_lists,)."""
        weights = zip(self.before.attention_weights, self.smallest, strict=True)
        # The sum of the other weights is 1 − p, but keeps its digits where p is nearly 1.
        return np.array([p[i] * np.delete(p, i).sum() for p, i in weights])


def nudge_lists(lists: Sequence[ArrayLike], added: float) -> ListNudge:
    """Return softmax of each list before and after a number is added to its smallest score.

    A small number δ moves a weight of about p (1 − p) δ: hardly any if p is nearly 0 or 1.
    """
    added = check_number("added", added, 0, MAX_MAGNITUDE)
    before = compare_lists(lists)
    smallest = tuple(int(scores.argmin()) for scores in before.scores)
    scores = zip(before.scores, smallest, strict=True)
    after = _comparison(tuple(each + added * (np.arange(each.size) == i) for each, i in scores))
    weights = zip(before.attention_weights, after.attention_weights, smallest, strict=True)
    return ListNudge(before, after, smallest, np.array([other[i] - one[i] for one, other, i in weights]))


def sharper(first: ArrayLike, second: ArrayLike) -> str:
    """Return "first", "second" or "neither": the list whose softmax weights have less entropy."""
    found = compare_lists([first, second])
    one, other = found.entropy_nats
    if one == other == 0.0:  # if both entropies underflow, compare the Jacobian norms by their logarithms
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


# --- many rows, divided by a power of d_k --------------------------------------------------------


@dataclass(frozen=True)
class RowsParams:
    """Settings of random rows at a few dims; n_rows counts the rows of 20 batches, but many keys mean fewer batches."""

    n_keys: int
    dims: tuple[int, ...]
    law: str = "normal"
    n_rows: int = 32 * N_BATCHES
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("n_keys", self.n_keys, 2, 4096)
        check_integer("the largest entry of dims", check_dims(self.dims)[-1], 1, MAX_DIM)
        check_choice("law", self.law, COMPONENT_LAWS)
        check_integer("seed", self.seed, 0)
        check_integer("n_rows", self.n_rows, N_BATCHES, MAX_SCORES // self.n_keys)
        if self.n_rows % N_BATCHES:
            raise ValueError(f"n_rows must be a multiple of {N_BATCHES}, but got {self.n_rows}")

    @property
    def n_queries(self) -> int:
        """Number of rows in a batch; they share their keys."""
        return self.n_rows // N_BATCHES

    @property
    def n_batches(self) -> int:
        """Number of batches; each draws its own keys, which takes most of the time."""
        return max(_FEWEST_BATCHES, min(N_BATCHES, _KEYS_DRAWN // self.n_keys))


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of raw scores at a few dimensions, each sorted from its largest score to its smallest."""

    dims: tuple[int, ...]
    scores: NDArray[np.float64]  # (n_dims, n_batches, n_queries, n_keys); the rows of a batch share their keys
    # spread (n_dims,): square root of the mean variance within a row, ddof = 1
    spread: NDArray[np.float64]

    def divided(self, exponent: float) -> "DividedRows":
        """Return softmax of the scores divided by d_k^exponent."""
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
    # weights (n_dims, n_keys): mean weight of a row's strongest key, second strongest key, …; rows sum to 1
    weights: NDArray[np.float64]
    # max_weight, standard_error (n_dims,): mean largest weight, and its standard error from the batch means
    max_weight: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    # spread, spread_theory (n_dims,): spread of the divided scores within a row, and d_k^(1/2 − exponent)
    spread: NDArray[np.float64]
    spread_theory: NDArray[np.float64]
    ratio: float  # widest spread ÷ narrowest spread, at least 1
    n_batches: int  # number of batches, whose means give the standard error

    @property
    def alike(self) -> bool:
        """Return True if the scores spread almost equally at all dims, so that their softmax looks alike."""
        return self.ratio <= ALIKE

    def band(self, expected: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return low and high of the 95 % band of max_weight around the expected means, by Student's t."""
        half_width = student_quantile(self.n_batches) * self.standard_error
        return expected - half_width, expected + half_width


def measure_rows(params: RowsParams) -> Rows:
    """Draw queries and keys that gain components from one d_k to the next, and return their raw scores."""
    scores = np.array(list(_growing_scores(params)))
    scores = -np.sort(-scores, axis=-1)
    return Rows(params.dims, scores, np.sqrt(scores.var(axis=-1, ddof=1).mean(axis=(1, 2))))


def _growing_scores(params):
    """Yield raw scores (n_batches, n_queries, n_keys) at each of params.dims, by appending components to one draw."""
    batches = [_scores_of_batch(params, params.dims, batch) for batch in range(params.n_batches)]
    return map(np.stack, zip(*batches, strict=True))


def _scores_of_batch(params, dims, batch):
    """Yield raw scores (n_queries, n_keys) at each of dims; octaves are drawn whole, so no draw depends on dims."""
    n_queries, draw = params.n_queries, COMPONENT_LAWS[params.law].draw
    rng, scores = block_generator(params.seed, _BATCH_STREAM, batch), np.zeros((n_queries, params.n_keys))
    for start, stop in pairwise((0, *(2**i for i in range((dims[-1] - 1).bit_length() + 1)))):
        cuts = sorted({stop, *(d_k for d_k in dims if start < d_k < stop)})
        components = draw(rng, (stop - start, n_queries + params.n_keys))
        grown = _appended(scores, components[:, :n_queries], components[:, n_queries:], [cut - start for cut in cuts])
        del components  # free the memory while other batches are drawn
        yield from (found for d_k, found in zip(cuts, grown, strict=True) if d_k in dims)
        scores = grown[-1]


def _appended(scores, q, k, cuts):
    """Return the scores at every cut: the given ones plus the products of q and k up to it."""
    # Use einsum, not a matrix product: BLAS threads wait for a core on a busy machine.
    parts = [np.einsum("dq,dk->qk", q[start:stop], k[start:stop]) for start, stop in pairwise((0, *cuts))]
    return list(accumulate(parts, initial=scores))[1:]


def expected_largest(n_keys: int, dims: tuple[int, ...], exponent: float) -> NDArray[np.float64]:
    """Return the exact mean of the largest weight at every d_k, for normal components and scores ÷ d_k^exponent."""
    scales = [scale_factor(d_k, exponent) for d_k in dims]
    return expected_attention_curve(n_keys, dims, scales).max_weight


# --- each token's own share of its output --------------------------------------------------------


@dataclass(frozen=True)
class OutputsParams(RowsParams):
    """Settings of `measure_outputs`: 64 tokens per batch at one d_k, the only entry of dims."""

    n_rows: int = 64 * N_BATCHES

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.dims) > 1:
            raise ValueError(f"dims must hold one dimension, but got {len(self.dims)}")


@dataclass(frozen=True, eq=False)
class TokenOutputs:
    """Raw scores and values of several independent draws of tokens."""

    d_k: int
    scores: NDArray[np.float64]  # (n_draws, n_tokens, n_keys)
    values: NDArray[np.float64]  # (n_draws, n_keys, D_V)

    def divided(self, exponent: float) -> "DividedOutputs":
        """Return the outputs for scores divided by d_k^exponent."""
        weights = softmax(scale_factor(self.d_k, exponent) * self.scores)
        output = np.einsum("btk,bkv->btv", weights, self.values)  # no BLAS: its threads wait for a core
        share, error = mean_and_error(own_share(output))
        limit = own_share_limit(self.d_k ** (0.5 - exponent))
        largest = float(weights.max(axis=-1).mean())
        return DividedOutputs(exponent, output[0], self.values[0], float(share), float(error), limit, largest)


@dataclass(frozen=True, eq=False)
class DividedOutputs:
    """Outputs of tokens whose scores are divided by d_k^exponent."""

    exponent: float
    output: NDArray[np.float64]  # (n_tokens, D_V), of the first draw
    values: NDArray[np.float64]  # (n_keys, D_V), of the first draw
    # own_share, standard_error: mean of `own_share` over the draws, and its standard error
    own_share: float
    standard_error: float
    limit: float  # 1 − e^(−σ²) with σ = d_k^(1/2 − exponent), for many keys and many dimensions
    max_weight: float  # mean largest weight of a token


def measure_outputs(params: OutputsParams) -> TokenOutputs:
    """Draw the raw scores of tokens at one d_k, and values of D_V independent N(0, 1) numbers."""
    (d_k,) = params.dims
    (scores,) = _growing_scores(params)
    shape = params.n_keys, D_V
    drawn = [block_generator(params.seed, _VALUE_STREAM, i).standard_normal(shape) for i in range(params.n_batches)]
    return TokenOutputs(d_k, scores, np.array(drawn))


def expected_own_share(n_tokens: int, n_keys: int, d_k: int, exponent: float) -> float:
    """Return the expected own share of outputs with many normal components if the tokens' scores were independent.

    At small d_k the true share is less, because tokens share their keys and so the keys' lengths.
    """
    squares = expected_attention(n_keys, d_k, scale_factor(d_k, exponent)).sum_of_squares  # E Σ p² of one row
    in_common = squares / n_tokens + (1.0 - 1.0 / n_tokens) / n_keys  # E Σ p² of the mean row
    return 1.0 - in_common / squares


# --- overflow ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OverflowCurve:
    """Weight of the larger of two scores 0 and s, computed in one floating-point type."""

    dtype: str  # float16, float32 or float64
    # naive_weight (n_scores,): exp(s) / (exp(0) + exp(s)) in this type; NaN where exp(s) overflows
    naive_weight: NDArray[np.float64]
    stable_weight: NDArray[np.float64]  # (n_scores,): the weight with the largest score subtracted first
    # last_finite_score: largest s of this type with a finite naive weight
    # first_failing_score: next larger number of this type, where the naive weight is NaN
    last_finite_score: float
    first_failing_score: float
    largest_exponent: float  # ln of the type's largest finite number, the limit in closed form
    stable_is_finite: bool  # True if the stable weight is finite at every score
    stable_largest_error: float  # largest distance of the stable weight from 1 / (1 + e^-s)
    machine_epsilon: float  # spacing of the type's numbers at 1


@dataclass(frozen=True, eq=False)
class OverflowStudy:
    """Naive and stable softmax of the row [0, s] in three floating-point types."""

    # scores (n_scores,): s from 1 to 2,000, evenly spaced in ln s; float16 numbers, so that all types get the same s
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
