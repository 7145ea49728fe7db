"""Attention step by step: softmax(Q Kᵀ / √d_k) V with every term shown."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_integer
from sattn_core.files.typed import MAX_COLUMNS, MAX_ROWS, checked_mask, checked_matrix, parse_mask, parse_matrix
from sattn_core.layers.attention import AttentionSteps, attention
from sattn_core.layers.softmax import entropy_nats

STEP_NAMES = ("scores", "scale", "mask", "softmax", "output")
PRESETS = ("random", "causal", "padding", "fully_masked", "same_input", "notes")
MOST_DIMENSIONS = 1024  # columns of drawn matrices; typed matrices have at most MAX_COLUMNS
DRAWN_SCORE_LIMIT = 2 * MAX_COLUMNS**0.5  # two standard deviations of the raw scores at d_k = 64

_NOTES_Q = ((1, 2), (1, 4), (8, 9))
_NOTES_K = ((2, 3), (5, 6), (10, 2))


@dataclass(frozen=True)
class AttentionStepsParams:
    """Matrices of the example; array-likes are stored as tuples, so that equal numbers make equal params."""

    Q: tuple[tuple[float, ...], ...]
    K: tuple[tuple[float, ...], ...]
    V: tuple[tuple[float, ...], ...]  # Q, K and V: at most 16 rows and 1,024 columns, numbers within ±1,000,000
    mask: tuple[tuple[bool, ...], ...] | None = None  # True = may attend
    # drawn: True if Q and K are standard normal draws; their scores then have the same colour domain at every d_k
    drawn: bool = False

    def __post_init__(self) -> None:
        for name in ("Q", "K", "V"):
            object.__setattr__(self, name, checked_matrix(name, getattr(self, name), MOST_DIMENSIONS))
        q, k, v = np.shape(self.Q), np.shape(self.K), np.shape(self.V)
        if q[1] != k[1]:
            raise ValueError(f"Q has {q[1]} columns but K has {k[1]}: both need d_k columns.")
        if k[0] != v[0]:
            raise ValueError(f"K has {k[0]} rows but V has {v[0]}: both need one row for each key.")
        if self.mask is not None:
            object.__setattr__(self, "mask", checked_mask(self.mask, q[0], k[0]))


@dataclass(frozen=True, eq=False)
class RowSummary:
    """Measures of how concentrated each query's attention is."""

    # effective_keys, max_weight (n_queries,): e^entropy and largest weight of each row. A fully masked row has no
    # distribution: its effective keys are NaN and its largest weight is 0.
    effective_keys: NDArray[np.float64]
    max_weight: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AttentionStepsResult:
    """All matrices of the steps, with and without the scale."""

    params: AttentionStepsParams
    d_k: int
    # divisor, scale: √d_k and 1/√d_k
    divisor: float
    scale: float
    # scaled, unscaled: steps with the scale 1/√d_k and with the scale 1
    scaled: AttentionSteps
    unscaled: AttentionSteps
    # score_limit: end of the scores' colour domain: the largest |raw score|, or `DRAWN_SCORE_LIMIT` for drawn Q and K
    # value_limit: end of the values' colour domain: the largest absolute number in V and both outputs
    score_limit: float
    value_limit: float
    # raw_std, scaled_std: standard deviation over all scores
    raw_std: float
    scaled_std: float
    scaled_rows: RowSummary
    unscaled_rows: RowSummary
    output_change: NDArray[np.float64]  # (n_queries,): norm of each row of scaled output − unscaled output
    fully_masked_rows: tuple[int, ...]  # queries that may attend to no key, counted from 0
    self_scores: NDArray[np.float64]  # (min(n_queries, n_keys),): diagonal of the scaled scores
    same_input: bool  # True if Q and K are the same numbers


@dataclass(frozen=True, eq=False)
class SoftmaxTerms:
    """Terms of one row's softmax, as worked out by hand."""

    scores: NDArray[np.float64]  # (n_keys,): the row of scores that enters the softmax; −inf where masked
    largest: float  # largest score of the row, which is subtracted; −inf in a fully masked row
    exponentials: NDArray[np.float64]  # (n_keys,): exp(score − largest); 0 where masked
    row_sum: float
    weights: NDArray[np.float64]  # (n_keys,): exponentials / row_sum; all 0 in a fully masked row
    # score, below, exponential, weight: terms of the chosen key; below is score − largest, −inf if masked
    score: float
    below: float
    exponential: float
    weight: float


@dataclass(frozen=True, eq=False)
class CellExpansion:
    """Terms of one cell of the score matrix, from q and k to the attention weight."""

    # query, key: row and column, counted from 0
    query: int
    key: int
    # q, k, products (d_k,): components, and q_i k_i
    q: NDArray[np.float64]
    k: NDArray[np.float64]
    products: NDArray[np.float64]
    # raw_score, divisor, scaled_score: q·k, √d_k and raw_score / divisor
    raw_score: float
    divisor: float
    scaled_score: float
    allowed: bool  # True if the mask allows this cell
    # scaled, unscaled: softmax terms of the row of scaled scores, and of the row of raw scores
    scaled: SoftmaxTerms
    unscaled: SoftmaxTerms


@dataclass(frozen=True, eq=False)
class OutputExpansion:
    """Terms of one cell of the output, Σ_j p_j V_j, with and without the scale."""

    # query, column: row and column of the output, counted from 0
    query: int
    column: int
    values: NDArray[np.float64]  # (n_keys,): this column of V
    # scaled_weights, unscaled_weights (n_keys,)
    scaled_weights: NDArray[np.float64]
    unscaled_weights: NDArray[np.float64]
    # scaled_output, unscaled_output: sums of weight × value
    scaled_output: float
    unscaled_output: float


def measure_attention_steps(params: AttentionStepsParams) -> AttentionStepsResult:
    """Return every step of softmax(Q Kᵀ / √d_k) V, with and without the division by √d_k."""
    scaled, unscaled = _both_steps(params)
    V, d_k = np.array(params.V), len(params.K[0])
    return AttentionStepsResult(
        params=params,
        d_k=d_k,
        divisor=float(np.sqrt(d_k)),
        scale=float(d_k**-0.5),
        scaled=scaled,
        unscaled=unscaled,
        score_limit=DRAWN_SCORE_LIMIT if params.drawn else float(np.abs(scaled.raw_scores).max()),
        value_limit=float(max(np.abs(values).max() for values in (V, scaled.output, unscaled.output))),
        raw_std=float(scaled.raw_scores.std()),
        scaled_std=float(scaled.scaled_scores.std()),
        scaled_rows=_summary(scaled),
        unscaled_rows=_summary(unscaled),
        output_change=np.linalg.norm(scaled.output - unscaled.output, axis=1),
        fully_masked_rows=tuple(np.flatnonzero(_fully_masked(scaled)).tolist()),
        self_scores=np.diagonal(scaled.scaled_scores).copy(),
        same_input=params.Q == params.K,
    )


def expand_cell(params: AttentionStepsParams, query: int, key: int) -> CellExpansion:
    """Return all terms of one cell of the score matrix: q_i k_i, their sum, the scaled score, and the row's softmax."""
    query = check_integer("query", query, 0, len(params.Q) - 1)
    key = check_integer("key", key, 0, len(params.K) - 1)
    scaled, unscaled = _both_steps(params)
    q, k = np.array(params.Q[query]), np.array(params.K[key])
    return CellExpansion(
        query=query,
        key=key,
        q=q,
        k=k,
        products=q * k,
        raw_score=float(scaled.raw_scores[query, key]),
        divisor=float(np.sqrt(len(q))),
        scaled_score=float(scaled.scaled_scores[query, key]),
        allowed=params.mask is None or params.mask[query][key],
        scaled=_softmax_terms(scaled, query, key),
        unscaled=_softmax_terms(unscaled, query, key),
    )


def expand_output(params: AttentionStepsParams, query: int, column: int) -> OutputExpansion:
    """Return all terms of one cell of the output, O = Σ_j p_j V_j, a weighted average of values."""
    query = check_integer("query", query, 0, len(params.Q) - 1)
    column = check_integer("column", column, 0, len(params.V[0]) - 1)
    scaled, unscaled = _both_steps(params)
    values = np.array([row[column] for row in params.V])
    return OutputExpansion(
        query=query,
        column=column,
        values=values,
        scaled_weights=scaled.attention_weights[query],
        unscaled_weights=unscaled.attention_weights[query],
        scaled_output=float(scaled.output[query, column]),
        unscaled_output=float(unscaled.output[query, column]),
    )


def preset_params(
    preset: str, *, n_queries: int = 4, n_keys: int = 4, d_k: int = 8, d_v: int = 4, seed: int = 0
) -> AttentionStepsParams:
    """Return the matrices of a preset: mostly Q, K, V ~ N(0, 1) to two decimals, and a mask.

    Do not use "same_input" to show the 1/√d_k rule: with Q = K the diagonal of the raw scores is d_k, so
    the diagonal of the scaled scores is √d_k and still grows.
    """
    check_choice("preset", preset, PRESETS)
    n_queries = check_integer("n_queries", n_queries, 1, MAX_ROWS)
    n_keys = check_integer("n_keys", n_keys, 1, MAX_ROWS)
    d_k = check_integer("d_k", d_k, 1, MOST_DIMENSIONS)
    d_v = check_integer("d_v", d_v, 1, MAX_COLUMNS)
    seed = check_integer("seed", seed, 0)
    if preset == "notes":
        return AttentionStepsParams(_NOTES_Q, _NOTES_K, np.eye(3))  # type: ignore[arg-type]  # becomes tuples
    if preset == "same_input":
        X = _draw("Q", n_queries, d_k, seed)
        X *= np.sqrt(d_k) / np.linalg.norm(X, axis=1, keepdims=True)
        return AttentionStepsParams(X, X, X)
    matrices = (("Q", n_queries, d_k), ("K", n_keys, d_k), ("V", n_keys, d_v))
    Q, K, V = (np.round(_draw(*shape, seed), 2) for shape in matrices)
    return AttentionStepsParams(Q, K, V, _preset_mask(preset, n_queries, n_keys), drawn=True)


def typed_params(
    preset: str, Q: str = "", K: str = "", V: str = "", mask: str = "", *, d_k: int = 8, seed: int = 0
) -> AttentionStepsParams:
    """Return the matrices of a preset, replaced by typed matrices where given."""
    base, texts = preset_params(preset, d_k=d_k, seed=seed), {"Q": Q, "K": K, "V": V}
    typed = {name: parse_matrix(name, text) for name, text in texts.items() if text.strip()}
    if not typed and not mask.strip():
        return base
    matrices = {name: typed.get(name, getattr(base, name)) for name in texts}
    shape = len(matrices["Q"]), len(matrices["K"])
    drawn = base.drawn and not typed.keys() & {"Q", "K"}
    if mask.strip():
        return AttentionStepsParams(**matrices, mask=parse_mask(mask, *shape), drawn=drawn)
    made = None if base.mask is None else _preset_mask(preset, *shape)
    return AttentionStepsParams(**matrices, mask=made, drawn=drawn)


def _both_steps(params):
    Q, K, V = (np.array(matrix) for matrix in (params.Q, params.K, params.V))
    return tuple(attention(Q, K, V, scale=scale, mask=params.mask) for scale in (None, 1.0))


def _fully_masked(steps):
    return np.all(np.isneginf(steps.masked_scores), axis=1)


def _summary(steps):
    entropy = np.where(_fully_masked(steps), np.nan, entropy_nats(steps.masked_scores))
    return RowSummary(np.exp(entropy), steps.attention_weights.max(axis=1))


def _softmax_terms(steps, query, key):
    scores = steps.masked_scores[query]
    largest = scores.max()
    below = np.full_like(scores, -np.inf) if np.isneginf(largest) else scores - largest
    exponentials, weights = np.exp(below), steps.attention_weights[query]
    return SoftmaxTerms(
        scores, float(largest), exponentials, float(exponentials.sum()), weights,
        *(float(each[key]) for each in (scores, below, exponentials, weights)),
    )  # fmt: skip


def _draw(name, n_rows, n_columns, seed):
    """Draw standard normal rows; more columns leave the first ones unchanged."""
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=("QKV".index(name),))))
    return rng.standard_normal((n_columns, n_rows)).T.copy()


def _preset_mask(preset, n_queries, n_keys):
    if preset == "random":
        return None
    if preset == "padding":
        kept = n_keys - max(1, n_keys // 4) if n_keys > 1 else 1
        return np.broadcast_to(np.arange(n_keys) < kept, (n_queries, n_keys))
    return np.tri(n_queries, n_keys, 0 if preset == "causal" else -1, dtype=bool)
