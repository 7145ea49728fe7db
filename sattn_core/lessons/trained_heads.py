"""Scores of a trained encoder's 72 heads, with its own scale and with other scales."""

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_integer, check_number
from sattn_core.cost import Price
from sattn_core.files.score_report import HeadReport, measure_scores
from sattn_core.layers.scores import scale_factor
from sattn_core.layers.softmax import effective_keys, softmax
from sattn_core.training.encoder import Weights, cosines, encode, encode_price
from sattn_core.training.encoder_record import D_K, D_MODEL, EXPONENTS, N_HEADS, N_LAYERS, TEXTS, RecordedText, recorded

MOST_TOKENS = 76  # limit of tokens for a recorded text
MOST_OWN = 64  # limit of tokens for a visitor's own text
OWN = "own"  # name of the visitor's own text


@dataclass(frozen=True)
class TrainedHeadsParams:
    """Name of the text that the heads read."""

    text: str = "paragraph"  # one of `TEXTS`

    def __post_init__(self) -> None:
        check_choice("text", self.text, TEXTS)


@dataclass(frozen=True)
class HeadParams:
    """Choice of one head and of the text it reads."""

    text: str = "paragraph"
    layer: int = 1  # 1 to 6
    head: int = 1  # 1 to 12

    def __post_init__(self) -> None:
        check_choice("text", self.text, TEXTS)
        check_integer("layer", self.layer, 1, N_LAYERS)
        check_integer("head", self.head, 1, N_HEADS)


@dataclass(frozen=True, eq=False)
class ScaledHeads:
    """Measurements of all heads with scores ÷ d_k^exponent; queries and keys are those of the unchanged model."""

    exponent: float
    # score_std, effective_keys (n_layers, n_heads): root of the mean variance within a row, and mean over the rows
    score_std: NDArray[np.float64]
    effective_keys: NDArray[np.float64]
    n_tokens: int

    @property
    def median_std(self) -> float:
        return float(np.median(self.score_std))

    @property
    def median_keys(self) -> float:
        """Median of the effective keys over all heads."""
        return float(np.median(self.effective_keys))


@dataclass(frozen=True, eq=False)
class TrainedHeads:
    """Queries, keys and scores of all heads on one text."""

    name: str  # one of `TEXTS`, or `OWN`
    text: str
    tokens: tuple[str, ...]
    queries: NDArray[np.float64]  # (n_layers, n_heads, n_tokens, d_k): before any scale
    keys: NDArray[np.float64]
    raw_scores: NDArray[np.float64]  # (n_layers, n_heads, n_tokens, n_tokens)
    raw_std: NDArray[np.float64]  # (n_layers, n_heads): root of the mean variance within a row
    # cosines (n_exponents, n_layers): cosine between the text's mean vectors from two runs, after each layer: one run
    # has this exponent in all heads, the other the model's own, ½
    cosines: NDArray[np.float64]
    exponents: tuple[float, ...]  # exponents at which the whole model was run

    @property
    def ideal_std(self) -> float:
        """Spread of scaled scores within a row for N(0, 1) components: below 1, as a row's own mean is subtracted."""
        n = len(self.tokens)
        return math.sqrt((n - 1) / n)

    def scaled(self, exponent: float) -> ScaledHeads:
        """Return the measurements at another exponent, which multiplies every spread by the same factor."""
        scale = scale_factor(D_K, check_number("exponent", exponent, 0, 1))
        found = effective_keys(scale * self.raw_scores).mean(axis=-1)
        return ScaledHeads(exponent, scale * self.raw_std, found, len(self.tokens))

    def weights(self, layer: int, head: int, exponent: float) -> NDArray[np.float64]:
        """Return one head's attention weights (n_tokens, n_tokens) at another exponent; layer and head count from 1."""
        scale = scale_factor(D_K, check_number("exponent", exponent, 0, 1))
        return softmax(scale * self.raw_scores[layer - 1, head - 1])


@dataclass(frozen=True, eq=False)
class HeadResult:
    """Report on one head's queries and keys, and its effective dimension beside the ideal one."""

    report: HeadReport
    effective_dimension: float  # d_k / shape_factor, the number of directions that the scores use
    # ideal_dimension: expected value for as many N(0, 1) rows, below d_k: a sample makes equal directions look unequal
    ideal_dimension: float


def measure_trained_heads(params: TrainedHeadsParams) -> TrainedHeads:
    """Measure raw scores q·k of all heads on a recorded text, and their spread within a row."""
    return heads_of(recorded(params.text))


def heads_of(found: RecordedText) -> TrainedHeads:
    """Return `TrainedHeads` for a `RecordedText`."""
    return _heads(found.name, found.text, found.tokens, (found.queries, found.keys), found.cosines, EXPONENTS)


def own_heads(weights: Weights, ids: Sequence[int], tokens: Sequence[str], text: str) -> TrainedHeads:
    """Return `TrainedHeads` for a visitor's own text of at most 64 tokens, from one float32 run of the model."""
    run = encode(weights, _checked_ids(ids, tokens), n_heads=N_HEADS, dtype=np.float32)
    return _heads(OWN, text, tokens, (run.queries, run.keys), np.ones((1, N_LAYERS)), (0.5,))


def own_cosines(weights: Weights, ids: Sequence[int], exponents: Sequence[float]) -> NDArray[np.float64]:
    """Return `TrainedHeads.cosines` for a visitor's own text, (n_exponents, n_layers)."""
    right, *runs = (
        encode(weights, _checked_ids(ids), n_heads=N_HEADS, exponent=each, dtype=np.float32).embeddings[1:]
        for each in (0.5, *exponents)
    )
    return np.array([cosines(run, right) for run in runs])


def own_price(n_runs: int) -> Price:
    """Return the `Price` of running the model n_runs times on a visitor's own text."""
    return sum(n_runs * [encode_price(MOST_OWN, N_LAYERS, D_MODEL)], Price())


def _checked_ids(ids, tokens=None):
    check_integer("the number of tokens", len(ids), 2, MOST_OWN)
    if tokens is not None and len(tokens) != len(ids):
        raise ValueError(f"tokens must be as many as ids, {len(ids)}, but got {len(tokens)}")
    return ids


def _heads(name, text, tokens, queries_and_keys, cosines, exponents):
    Q, K = (each.astype(np.float64) for each in queries_and_keys)
    raw = Q @ K.swapaxes(-1, -2)  # (…, n_tokens, d_k) @ (…, d_k, n_tokens)
    std = np.sqrt(raw.var(axis=-1).mean(axis=-1))
    return TrainedHeads(name, text, tuple(tokens), Q, K, raw, std, cosines.astype(np.float64), tuple(exponents))


def measure_head(params: HeadParams) -> HeadResult:
    """Return the `measure_scores` report on one head's queries and keys for a recorded text."""
    found = recorded(params.text)
    Q, K = (each[params.layer - 1, params.head - 1].astype(np.float64) for each in (found.queries, found.keys))
    return _head_result(Q, K)


def head_of(heads: TrainedHeads, layer: int, head: int) -> HeadResult:
    """Return the `measure_scores` report on one head for any text; layer and head are counted from 1."""
    return _head_result(heads.queries[layer - 1, head - 1], heads.keys[layer - 1, head - 1])


def _head_result(Q, K):
    report, n = measure_scores(Q, K).heads[0], len(K)
    return HeadResult(report, D_K / report.shape_factor, D_K * (n - 1) / (n + D_K))


def head_file(heads: TrainedHeads, layer: int, head: int) -> bytes:
    """Return a head's unscaled Q and K, each (n_tokens, 32), as an .npz file for the lesson your_scores."""
    stream = io.BytesIO()
    Q, K = (each[layer - 1, head - 1].astype(np.float32) for each in (heads.queries, heads.keys))
    np.savez_compressed(stream, Q=Q, K=K)
    return stream.getvalue()


def nearest_exponent(heads: TrainedHeads, exponent: float) -> int:
    """Return the index in heads.exponents of the entry nearest to exponent."""
    return int(np.abs(np.array(heads.exponents) - exponent).argmin())
