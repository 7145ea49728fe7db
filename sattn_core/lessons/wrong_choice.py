"""Can a wrong choice be put right? Training of rows with a wrong winner: raw scores, ÷ √d_k and ÷ d_k."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_choice, check_integer, check_number
from sattn_core.bands.standard_errors import share_interval
from sattn_core.cost import Price, priced, proceed
from sattn_core.layers.scores import scale_factor
from sattn_core.layers.softmax import softmax
from sattn_core.training.adam_rows import DIMS, SEEDS, adam_rows
from sattn_core.training.key_value_memory import LOSSES
from sattn_core.training.wrong_rows import LEARNERS, descend, descent_price, draw_wrong_rows, row_blocks

EXPONENTS = (0.0, 0.5, 1.0)  # exponents of d_k: raw scores, ÷ √d_k, ÷ d_k
N_ROWS, N_STEPS = 100, 200
PUT_RIGHT = 0.5  # a choice is put right if its right key has more weight than this
NEARLY_ALL = 99  # rows out of N_ROWS that count as nearly all
LEARNING_RATES = (*(float(f"{m}e{e}") for e in range(-4, 5) for m in ("1", "3.16")), 1e5)  # half decades, 1e-4 to 1e5
_CHECK_EVERY = 10  # steps between two calls of check


@dataclass(frozen=True)
class WrongChoiceParams:
    """Settings of the hundred rows and of their training."""

    d_k: int  # 1 to 1,024
    n_keys: int = 16  # 2 to 512
    learning_rate: float = 10.0
    loss: str = "output"  # "output": ½ |p − e_right|²; "weights": −ln p_right
    learns: str = "q"  # trained vectors: "q", "K" or "both"
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, 1_024)
        check_integer("n_keys", self.n_keys, 2, 512)
        check_number("learning_rate", self.learning_rate, 0.0, 1e6, open_low=True)
        check_choice("loss", self.loss, LOSSES)
        check_choice("learns", self.learns, LEARNERS)
        check_integer("seed", self.seed, 0)

    @property
    def price(self) -> Price:
        """`Price` of `measure_wrong_choices`."""
        found = _price(self, 1)
        return replace(found, bytes=found.bytes + 8 * len(EXPONENTS) * N_ROWS * (N_STEPS + 1))


def _price(params, n_rates):
    how = {"loss": params.loss, "learns": params.learns, "n_rows": N_ROWS, "n_steps": N_STEPS}
    return descent_price(params.d_k, params.n_keys, len(EXPONENTS) * n_rates, **how)


@dataclass(frozen=True, eq=False)
class WrongChoiceResult:
    """Weight of each row's right key after every step, for each of EXPONENTS."""

    params: WrongChoiceParams
    right_weight: NDArray[np.float32]  # (3, n_steps + 1, n_rows); NaN once the numbers have overflowed
    put_right: NDArray[np.int_]  # (3, n_steps + 1): number of rows whose right key has more than half of the weight

    def first(self, n_rows: int) -> NDArray[np.int_]:
        """Count the rows put right among the first n_rows, (3, n_steps + 1)."""
        check_integer("n_rows", n_rows, 1, N_ROWS)
        return np.asarray(np.count_nonzero(self.right_weight[..., :n_rows] > PUT_RIGHT, axis=-1))


@priced(lambda params, **_: params.price)
def measure_wrong_choices(params: WrongChoiceParams, *, check: Callable[[], object] = proceed) -> WrongChoiceResult:
    """Train each of the hundred rows separately by gradient descent, with three scales and one learning rate."""
    found = np.empty((len(EXPONENTS), N_STEPS + 1, N_ROWS))
    for rows, step, weight in _descents(params, (params.learning_rate,), check):
        found[:, step, rows] = weight[..., 0].T
    return WrongChoiceResult(params, found.astype(np.float32), np.count_nonzero(found > PUT_RIGHT, axis=-1))


def _descents(
    params: WrongChoiceParams, rates: Sequence[float], check: Callable[[], object]
) -> Iterator[tuple[slice, int, NDArray[np.float64]]]:
    """Yield rows, step and the right keys' weights (rows, 3, n_rates), for every block of rows and every step."""
    shape = (-1, len(EXPONENTS), len(rates))
    for rows in row_blocks(N_ROWS, params.n_keys, len(EXPONENTS) * len(rates), params.learns):
        drawn = draw_wrong_rows(params.d_k, params.n_keys, rows, seed=params.seed)
        for step, (_, weight) in zip(range(N_STEPS + 1), _descent(params, drawn, rates), strict=False):
            yield slice(rows.start, rows.stop), step, weight.reshape(shape)
            if step % _CHECK_EVERY == 0:
                check()


def _descent(params, drawn, rates):
    """Run `descend` with a column for each scale and rate; the rates vary fastest."""
    scales = np.repeat([scale_factor(params.d_k, each) for each in EXPONENTS], len(rates))
    columns = np.tile(np.array(rates), len(EXPONENTS))
    return descend(drawn, scales, columns, loss=params.loss, learns=params.learns)


# --- all keys of one row --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RowResult:
    """Weights of one row during its training."""

    params: WrongChoiceParams
    row: int
    weights: NDArray[np.float64]  # (3, n_steps + 1, n_keys): each row sums to 1; NaN once the numbers have overflowed
    winner: int  # the key with the largest score before the first step
    right_key: int


def follow_row(params: WrongChoiceParams, row: int) -> RowResult:
    """Return the weights of one row, 0 to 99, after each step of `measure_wrong_choices`."""
    row = check_integer("row", row, 0, N_ROWS - 1)
    drawn = draw_wrong_rows(params.d_k, params.n_keys, range(row, row + 1), seed=params.seed)
    steps = zip(range(N_STEPS + 1), _descent(params, drawn, (params.learning_rate,)), strict=False)
    weights = np.stack([_weights(scores[0]) for _, (scores, _) in steps])  # (n_steps + 1, n_keys, 3)
    return RowResult(params, row, weights.transpose(2, 0, 1), int(drawn.winner[0]), int(drawn.right_key[0]))


def _weights(scores):
    """Return the softmax over the keys for each scale; NaN where scores have overflowed."""
    lost = ~(scores < np.inf).all(axis=0)
    return np.where(lost, np.nan, softmax(np.where(lost, 0.0, scores), axis=0))


# --- at every learning rate -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RateCurves:
    """Number of rows put right out of a hundred, for each of EXPONENTS at each learning rate."""

    params: WrongChoiceParams
    put_right: NDArray[np.uint8]  # (3, n_rates, n_steps + 1)
    learning_rates: tuple[float, ...] = LEARNING_RATES

    def best(self, step: int = N_STEPS) -> NDArray[np.uint8]:
        """Return, for each scale, the number of rows put right after this step at its best rate, (3,)."""
        return self.put_right[:, :, step].max(axis=1)

    def smallest_rate(self, step: int = N_STEPS) -> NDArray[np.float64]:
        """Return each scale's smallest rate that puts NEARLY_ALL rows right after this step, (3,); NaN if none does."""
        return _smallest(self.put_right[:, :, step] >= NEARLY_ALL, self.learning_rates)


def _smallest(works, rates=LEARNING_RATES):
    """Return the first rate whose entry in works is True, along the last axis; NaN if there is none."""
    return np.where(works.any(axis=-1), np.array(rates)[works.argmax(axis=-1)], np.nan)


def _groups(params, rates=LEARNING_RATES):
    """Return groups of rates to train together: all of them, or one rate at a time if q and K both learn."""
    return [(rate,) for rate in rates] if params.learns == "both" else [tuple(rates)]


def measure_learning_rates(
    params: WrongChoiceParams, rates: Sequence[float] = LEARNING_RATES, *, check: Callable[[], object] = proceed
) -> RateCurves:
    """Count the rows put right at each of these rates, instead of params.learning_rate.

    >>> measure_learning_rates(WrongChoiceParams(64), (0.1, 10.0)).put_right[1, :, -1]
    array([ 23, 100], dtype=uint8)
    """
    if not rates:
        raise ValueError("rates must hold at least one learning rate, but got ()")
    each = [replace(params, learning_rate=rate).learning_rate for rate in rates]  # checks the rates
    groups = [_counts(params, some, check) for some in _groups(params, each)]
    return RateCurves(params, np.concatenate(groups, axis=1), tuple(each))


def _counts(params, rates, check):
    counts = np.zeros((len(EXPONENTS), len(rates), N_STEPS + 1), dtype=np.uint8)
    for _, step, weight in _descents(params, rates, check):
        counts[:, :, step] += np.count_nonzero(weight > PUT_RIGHT, axis=0).astype(np.uint8)
    return counts


def interval(count: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of the exact 95 % interval for a number of rows out of a hundred."""
    low, high = share_interval(count, N_ROWS)
    return N_ROWS * low, N_ROWS * high


# --- against d_k ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class DimensionCurves:
    """Smallest of LEARNING_RATES that puts NEARLY_ALL of the hundred rows right, at each d_k."""

    dims: tuple[int, ...]
    smallest_rate: NDArray[np.float64]  # (3, n_dims); NaN if no rate does


@dataclass(frozen=True)
class DimensionParams:
    """Settings of the hundred rows at each of dims, for training at every learning rate."""

    dims: tuple[int, ...]
    n_keys: int = 16
    loss: str = "output"
    learns: str = "q"
    seed: int = 0

    @property
    def each(self) -> tuple[WrongChoiceParams, ...]:
        """Arguments of `measure_learning_rates`, one for each d_k."""
        how: dict[str, Any] = {"n_keys": self.n_keys, "loss": self.loss, "learns": self.learns, "seed": self.seed}
        return tuple(WrongChoiceParams(d_k, **how) for d_k in self.dims)

    @property
    def price(self) -> Price:
        """`Price` of running `measure_learning_rates` at every d_k."""
        return sum((_price(each, len(rates)) for each in self.each for rates in _groups(each)), Price())


def compare_dimensions(curves: Sequence[RateCurves], step: int = N_STEPS) -> DimensionCurves:
    """Return, for each of these curves, the smallest rate that puts NEARLY_ALL rows right after this step."""
    dims, rates = tuple(each.params.d_k for each in curves), [each.smallest_rate(step) for each in curves]
    return DimensionCurves(dims, np.array(rates).reshape(len(curves), len(EXPONENTS)).T)


def compare_with_adam() -> tuple[DimensionCurves, NDArray[np.float64]]:
    """Return Adam's smallest rates from the record `adam_rows`: for all rows together, and for each seed's rows.

    The rates of the seeds have shape (n_seeds, 3, n_dims). Rows have 16 keys, and only q is trained.

    >>> float(compare_with_adam()[0].smallest_rate[2, -1])
    0.0316
    """
    counts = adam_rows().put_right.swapaxes(1, 2)  # (n_seeds, 3, n_dims, n_rates)
    together = _smallest(counts.sum(axis=0) >= NEARLY_ALL * len(SEEDS))
    return DimensionCurves(DIMS, together), _smallest(counts >= NEARLY_ALL)
