"""Rows of attention whose winner is wrong by chance, and gradient descent on each row separately.

A query q and n_keys keys K have iid N(0, 1) components. The key with the largest score wins, and the right key is drawn
among the others, so every row starts wrong. Values are one-hot: the output is the row of weights p = softmax(c K q).
The loss is ½ |p − e_right|² ("output") or −ln p_right ("weights"); c is the scale and η the learning rate.

q changes within the span of the keys, and each key along q. So the scaled scores z = c K q, the Gram matrix G = K Kᵀ
and |q|² are enough, and a step takes n_keys² products at any d_k. With d = ∂loss/∂z, u = η c d, and the factor c
included in G and |q|²:

    q learns:        z ← z − G u
    K learns:        z ← z − |q|² u
    both learn:      z ← z − G u − |q|² u + (z·u) u,   G ← G − z uᵀ − u zᵀ + |q|² u uᵀ,   |q|² ← |q|² − 2 z·u + uᵀ G u
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sattn_core.cost import CALL, DRAWN, FUNCTION, MATRIX, MULTIPLIED, STREAM, Price
from sattn_core.laws.components import block_generator

_Numbers = NDArray[np.float64]

LEARNERS = ("q", "K", "both")
_STREAM = 3  # random stream of the rows; 0 to 2 are used for pairs, rows and batches of other lessons
_CACHED = 100_000  # most scores in a block, to stay in the processor's cache
_HELD = 1_000_000  # most entries in the Gram matrices of a block
# Work of one step: calls of NumPy, and passes over the scores for the gradient and for the update.
_CALLS = {"q": 24, "K": 24, "both": 48}
_SLOPE_PASSES = {"output": 7, "weights": 4}
_STEP_PASSES = {"q": 1, "K": 2, "both": 10}


@dataclass(frozen=True, eq=False)
class WrongRows:
    """Rows of raw scores in which the right key does not have the largest score."""

    raw_scores: NDArray[np.float64]  # (n_rows, n_keys): K q
    gram: NDArray[np.float64]  # (n_rows, n_keys, n_keys): K Kᵀ
    squared_length: NDArray[np.float64]  # (n_rows,): |q|²
    winner: NDArray[np.int_]  # (n_rows,): the key with the largest score
    right_key: NDArray[np.int_]  # (n_rows,): drawn among the other keys


def draw_wrong_rows(d_k: int, n_keys: int, rows: range, *, seed: int) -> WrongRows:
    """Draw the rows with these numbers; a larger d_k appends components to the same queries and keys.

    The right key is the same at every d_k, unless it wins: then a second drawn key is right.
    """
    drawn = [_draw_row(d_k, n_keys, seed, row) for row in rows]
    gram = np.stack([gram for gram, _ in drawn])
    firsts, seconds = np.transpose([picks for _, picks in drawn])
    scores = gram[:, 0, 1:]
    winner = scores.argmax(axis=-1)
    return WrongRows(
        raw_scores=scores,
        gram=gram[:, 1:, 1:],
        squared_length=gram[:, 0, 0],
        winner=winner,
        right_key=np.where(firsts == winner, seconds, firsts),
    )


def _draw_row(d_k, n_keys, seed, row):
    """Draw the Gram matrix of the query and its keys, and the indices of two different keys."""
    rng = block_generator(seed, _STREAM, row)
    first, after = int(rng.integers(n_keys)), 1 + int(rng.integers(n_keys - 1))
    vectors = rng.standard_normal((d_k, 1 + n_keys))  # components first, so that a larger d_k appends
    return vectors.T @ vectors, (first, (first + after) % n_keys)


def descend(
    rows: WrongRows,
    scales: NDArray[np.float64],
    rates: NDArray[np.float64],
    *,
    loss: str = "output",
    learns: str = "q",
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield scaled scores (n_rows, n_keys, n_columns) and the right keys' weights (n_rows, n_columns) after each step.

    The first values are those before any step, and the iterator never ends. Each column has its own scale and learning
    rate. The next step changes the scores in place. A number that overflows is NaN from then on.
    """
    # z has shape (rows, keys, columns), but in memory the keys come first: a maximum over keys is then fast.
    z = (np.ascontiguousarray(rows.raw_scores.T)[:, :, None] * scales).transpose(1, 0, 2)
    right = np.arange(len(z)), rows.right_key
    step = _STEPS[learns](rows, scales, rates)
    slope = _SLOPES[loss](z, right, step.rate)
    while True:
        change, weight = slope(z)
        yield z, weight
        step(z, change)


class _SlopeOfOutput:
    """Gradient of ½ |p − e|² in z: p∘(p − |p|² + p_right) − p_right e. Its arrays are reused in every step."""

    def __init__(self, z: _Numbers, right: tuple[Any, ...], rate: _Numbers) -> None:
        self._right, self._rate = right, rate
        self._e, self._change = np.empty_like(z), np.empty_like(z)

    @np.errstate(over="ignore", invalid="ignore")
    def __call__(self, z: _Numbers) -> tuple[_Numbers, _Numbers]:
        """Return the rate times the gradient, and p_right."""
        e, change, right = self._e, self._change, self._right
        total = _exponentials(z, e)
        weight = e[right] / total
        squares = np.einsum("rkc,rkc->rc", e, e) / total**2
        factor = self._rate / total
        np.multiply(e, (factor / total)[:, None], out=change)
        change -= (factor * (squares - weight))[:, None]
        change *= e
        change[right] -= self._rate * weight
        return change, weight


class _SlopeOfWeights:
    """Gradient of −ln p_right in z: p − e. Its array is reused in every step."""

    def __init__(self, z: _Numbers, right: tuple[Any, ...], rate: _Numbers) -> None:
        self._right, self._rate, self._e = right, rate, np.empty_like(z)

    @np.errstate(over="ignore", invalid="ignore")
    def __call__(self, z: _Numbers) -> tuple[_Numbers, _Numbers]:
        """Return the rate times the gradient, and p_right."""
        e, right = self._e, self._right
        total = _exponentials(z, e)
        weight = e[right] / total
        e *= (self._rate / total)[:, None]
        e[right] -= self._rate
        return e, weight


def _exponentials(z, out):
    """Write exp(z − max z) into out, and return its sum over the keys."""
    np.subtract(z, z.max(axis=1, keepdims=True), out=out)
    return np.exp(out, out=out).sum(axis=1)


class _QueryLearns:
    def __init__(self, rows: WrongRows, scales: _Numbers, rates: _Numbers) -> None:
        self.rate, self._gram = rates * scales**2, rows.gram
        self._moved = np.empty((rows.gram.shape[1], len(rows.gram), len(scales))).transpose(1, 0, 2)

    def __call__(self, z: _Numbers, u: _Numbers) -> None:
        z -= np.matmul(self._gram, u, out=self._moved)


class _KeysLearn:
    def __init__(self, rows: WrongRows, scales: _Numbers, rates: _Numbers) -> None:
        self.rate, self._square = rates * scales**2, rows.squared_length[:, None, None]

    def __call__(self, z: _Numbers, u: _Numbers) -> None:
        u *= self._square
        z -= u


class _BothLearn:
    def __init__(self, rows: WrongRows, scales: _Numbers, rates: _Numbers) -> None:
        self.rate = rates * scales
        self._gram = rows.gram[:, None] * scales[:, None, None]  # (n_rows, n_columns, n_keys, n_keys)
        self._square = rows.squared_length[:, None] * scales  # (n_rows, n_columns)

    @np.errstate(over="ignore", invalid="ignore")
    def __call__(self, z: _Numbers, u: _Numbers) -> None:
        moved = np.einsum("rcij,rjc->ric", self._gram, u)
        along, across = (np.einsum("rkc,rkc->rc", each, u) for each in (z, moved))
        half = z - (0.5 * self._square)[:, None] * u
        change = half.transpose(0, 2, 1)[..., None] * u.transpose(0, 2, 1)[..., None, :]
        self._gram -= change
        self._gram -= change.swapaxes(-1, -2)
        z -= moved
        z += (along - self._square)[:, None] * u
        self._square += across - 2 * along


_SLOPES: dict[str, Any] = {"output": _SlopeOfOutput, "weights": _SlopeOfWeights}
_STEPS: dict[str, Any] = {"q": _QueryLearns, "K": _KeysLearn, "both": _BothLearn}


def row_blocks(n_rows: int, n_keys: int, n_columns: int, learns: str) -> list[range]:
    """Return blocks of rows whose scores fit into the cache and whose Gram matrices are small."""
    matrices = n_keys**2 * (n_columns if learns == "both" else 1)
    size = max(1, min(n_rows, _CACHED // (n_keys * n_columns), _HELD // matrices))
    return [range(first, min(first + size, n_rows)) for first in range(0, n_rows, size)]


def descent_price(d_k: int, n_keys: int, n_columns: int, *, loss: str, learns: str, n_rows: int, n_steps: int) -> Price:
    """Return the `Price` of drawing n_rows rows and n_steps steps of `descend`, in blocks."""
    blocks = row_blocks(n_rows, n_keys, n_columns, learns)
    square, columns, size = n_keys**2, n_columns if learns == "both" else 1, len(blocks[0])
    vectors, scores = (1 + n_keys) * d_k, n_columns * n_keys
    drawn = STREAM + 5 * CALL + DRAWN["standard_normal"] * vectors + MULTIPLIED * (1 + n_keys) * vectors
    slope = (FUNCTION + _SLOPE_PASSES[loss] + _STEP_PASSES[learns]) * scores + 10 * n_columns
    step = slope + {"q": MULTIPLIED * square * n_columns + MATRIX, "K": 0, "both": 4 * square * n_columns}[learns]
    calls = len(blocks) * (n_steps + 1) * _CALLS[learns] * CALL
    held = 8 * (vectors + size * ((2 * columns + 1) * square + 6 * scores))
    return Price(n_rows * (drawn + (n_steps + 1) * step) + calls, held)
