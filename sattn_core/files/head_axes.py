"""Order of the axes in queries and keys of unknown origin, guessed from shapes or set by options."""

import math

import numpy as np
from numpy.typing import NDArray

from sattn_core.files.reading import ScoreFileError, Task
from sattn_core.files.score_report import MAX_DIMENSION, MAX_HEADS, MAX_NUMBERS, MAX_ROWS, check_score_shapes

Rows = NDArray[np.float64]
_WIDE = 256  # d_k from which one head is probably several heads side by side
_SIDE_BY_SIDE = "if heads lie side by side in it, set their number below"


def arrange_heads(Q: Rows, K: Rows, task: Task) -> tuple[Rows, Rows]:
    """Return Q and K as (heads, n, d_k) or (n, d_k), with keys for every head, and note how the axes were read."""
    batch = Q.ndim == 3 and Q.shape[0] == 1
    Q, K = _without_ones("Q", Q, task), _without_ones("K", K, task)
    if _has_tokens_first(Q, K, task):
        task.note("axes taken as (tokens, heads, d_k)")
        Q, K = (rows.swapaxes(0, 1) if rows.ndim == 3 else rows for rows in (Q, K))
    Q, K = _split(Q, K, task)
    Q, K = (rows[None] if rows.ndim == 2 else rows for rows in (Q, K))
    _check(Q.shape, K.shape)
    if len(Q) == 1 and not task.reading.heads and (batch or Q.shape[-1] >= _WIDE):
        task.note(f"one head of d_k = {Q.shape[-1]:,}: {_SIDE_BY_SIDE}")
    if len(K) < len(Q):
        each = "the one head of K serves all of Q" if len(K) == 1 else f"each head of K serves {len(Q) // len(K)} of Q"
        task.note(f"{each}, neighbours together" if len(K) > 1 else each)
        K = np.repeat(K, len(Q) // len(K), axis=0)
    return (Q[0], K[0]) if len(Q) == 1 else (np.ascontiguousarray(Q), np.ascontiguousarray(K))


def _without_ones(name, rows, task):
    """Return the rows without leading axes of length 1."""
    if rows.ndim > 2 and rows.shape[0] == 1:
        task.note("leading axis of 1 left out")
    while rows.ndim > 2 and rows.shape[0] == 1:
        rows = rows[0]
    if rows.ndim > 3:
        one = f"{name}{'[0]' * (rows.ndim - 3)}"
        raise ScoreFileError(f"{name} has {rows.ndim} axes, {rows.shape}. Save one element of its batch: {one}.")
    return rows


def _has_tokens_first(Q, K, task):
    """Return True if the first of three axes is for tokens, by the option or because other readings do not fit."""
    axes, heads = task.reading.axes, task.reading.heads
    first, second = ([rows.shape[axis] for rows in (Q, K) if rows.ndim == 3] for axis in (0, 1))
    if axes != "guess" or not first:
        return axes == "tokens first"
    if heads and (heads in second) != (heads in first):
        return heads in second
    if Q.ndim == K.ndim and Q.shape[-1] == K.shape[-1] and not _serve(first) and _serve(second):
        return True
    if max(first) > MAX_HEADS >= max(second) or max(second) == 1 < min(first):
        return True
    if max(first) > min(second):
        taken = f"{Q.shape} taken as {first[0]} heads of {second[0]} tokens"
        task.note(f"{taken}: if it is {second[0]} heads of {first[0]} tokens, turn the axes below")
    return False


def _serve(heads):
    """Return True if Q's number of heads is a multiple of K's, or if heads holds only one of these numbers."""
    return len(heads) == 1 or (min(heads) > 0 and heads[0] % heads[1] == 0)


def _split(Q, K, task):
    """Split heads that are side by side in the last axis into (heads, n, d_k), if their number is set."""
    heads = task.reading.heads
    if not heads or Q.ndim == 3:
        if heads and len(Q) != heads:
            raise ScoreFileError(f"Q has {len(Q)} heads by its shape {Q.shape}, not {heads}. Correct one of them.")
        return Q, K
    d_k, rest = divmod(Q.shape[-1], heads)
    if rest or not d_k:
        raise ScoreFileError(
            f"Q has {Q.shape[-1]} columns, which {heads} heads cannot share. Set another number of heads below."
        )
    if heads > 1:
        task.note(f"{heads} heads side by side in Q, d_k = {d_k}")
    return _side_by_side("Q", Q, d_k), K if K.ndim == 3 else _side_by_side("K", K, d_k)


def _side_by_side(name, rows, d_k):
    n, width = rows.shape
    if width % d_k:
        raise ScoreFileError(
            f"{name} has {width} columns, not a multiple of d_k = {d_k}. Set another number of heads below."
        )
    return rows.reshape(n, width // d_k, d_k).swapaxes(0, 1)


def _check(shape_q, shape_k):
    """Raise ScoreFileError with advice for shapes that cannot be measured."""
    if shape_q[-1] != shape_k[-1]:
        turned = shape_q[-1] == shape_k[-2]
        hint = "If K is transposed, save K.T" if turned else f"Save other arrays; {_SIDE_BY_SIDE}"
        shapes = f"{_plain(shape_q)} and {_plain(shape_k)}"
        raise ScoreFileError(f"Q and K must have the same d_k (last axis), but have shapes {shapes}. {hint}.")
    if len(shape_q) == 3 and shape_q[0] % max(1, shape_k[0]):
        rule = "each head of K must serve as many heads of Q"
        raise ScoreFileError(
            f"Q and K have {shape_q[0]} and {shape_k[0]} heads, but {rule}. Choose below what the axes are."
        )
    if shape_q[-1] > MAX_DIMENSION:
        raise ScoreFileError(
            f"Q has d_k = {shape_q[-1]:,}, but at most {MAX_DIMENSION:,} are allowed: {_SIDE_BY_SIDE}."
        )
    try:
        check_score_shapes(shape_q, (shape_q[0], *shape_k[1:]))
    except ValueError as problem:
        raise ScoreFileError(f"{problem}.") from None


def _plain(shape):
    return shape[1:] if shape[0] == 1 else shape


def check_size(name: str, shape: tuple[int, ...]) -> None:
    """Raise ScoreFileError for a shape that cannot be measured in any order of axes, before numbers are read."""
    if not all(type(length) is int and length >= 0 for length in shape):
        raise ScoreFileError(f"{name} declares no valid shape.")
    if not 2 <= len(shape) <= 6:
        raise ScoreFileError(f"{name} must have shape (n, d_k) or (heads, n, d_k), but has {str(shape)[:60]}.")
    if math.prod(shape) < 2 or shape[-1] < 1 or (len(shape) == 2 and shape[0] < 2):
        raise ScoreFileError(f"{name} must have at least 2 rows, 1 dimension and 1 head, but has shape {shape}.")
    if math.prod(shape) > MAX_NUMBERS or max(shape[:-1]) > MAX_ROWS or shape[-1] > MAX_DIMENSION * MAX_HEADS:
        most = f"{MAX_ROWS:,} rows, {MAX_DIMENSION:,} dimensions, {MAX_HEADS} heads and {MAX_NUMBERS:,} numbers"
        raise ScoreFileError(f"{name} may have at most {most}, but has shape {str(shape)[:60]}.")


def described(Q: Rows, K: Rows) -> str:
    """Return one line of text with the numbers of heads, queries, keys and components."""
    heads = f"{len(Q)} heads, " if Q.ndim == 3 else ""
    return f"{heads}{Q.shape[-2]:,} queries, {K.shape[-2]:,} keys, d_k = {Q.shape[-1]:,}"
