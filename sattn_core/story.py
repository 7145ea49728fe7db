"""Both failures in one picture: too wide a spread keeps wrong rows wrong, too narrow a spread makes tokens alike."""

from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_integer
from sattn_core.bands.standard_errors import share_interval
from sattn_core.cost import Price, priced
from sattn_core.layers.scores import scale_factor
from sattn_core.layers.softmax import softmax
from sattn_core.lessons.softmax_saturation import OutputsParams, measure_outputs
from sattn_core.lessons.wrong_choice import EXPONENTS as EXPONENTS
from sattn_core.lessons.wrong_choice import (
    LEARNING_RATES,
    N_STEPS,
    PUT_RIGHT,
    DimensionParams,
)
from sattn_core.lessons.wrong_choice import N_ROWS as N_ROWS
from sattn_core.lessons.wrong_choice import NEARLY_ALL as NEARLY_ALL
from sattn_core.training.wrong_rows import descend, draw_wrong_rows, row_blocks

N_KEYS = 16
STORY_D_K = 1_024  # largest d_k, where the picture's three lines end
STORY_ROWS = 300
STORY_SPREADS = tuple(2.0 ** (half / 2) for half in range(12))  # standard deviations of the scores that enter softmax
# Results of `count_uncorrected` at each of STORY_SPREADS.
_UNCORRECTED = (0, 0, 0, 13, 66, 111, 193, 235, 265, 280, 284, 288)
_STORY_ROWS_AT = 64  # d_k of the rows in `count_uncorrected`
_FIRST = 10.0  # the rate nearest to this ÷ (scale² d_k) is tried first: it usually puts all rows right


def count_uncorrected(score_std: float) -> int:
    """Return the number of rows, out of STORY_ROWS, that stay wrong at this spread, even at the best rate.

    >>> count_uncorrected(1.0)
    0
    """
    scales = np.full(len(LEARNING_RATES), score_std / np.sqrt(_STORY_ROWS_AT))
    blocks = row_blocks(STORY_ROWS, N_KEYS, len(LEARNING_RATES), "q")
    drawn = (draw_wrong_rows(_STORY_ROWS_AT, N_KEYS, rows, seed=0) for rows in blocks)
    return STORY_ROWS - int(sum(_put_right(rows, scales, np.array(LEARNING_RATES)) for rows in drawn).max())


def _put_right(rows, scales, rates):
    """Return the number of rows put right after N_STEPS, for each scale with its learning rate."""
    for _, weight in islice(descend(rows, scales, rates), N_STEPS + 1):
        last = weight
    return np.count_nonzero(last > PUT_RIGHT, axis=0)


def harmless_spread() -> float:
    """Return the largest of STORY_SPREADS at which the best rate puts all rows right.

    >>> harmless_spread()
    2.0
    """
    return max(spread for spread, count in zip(STORY_SPREADS, _UNCORRECTED, strict=True) if count == 0)


def uncorrected_share(score_std: ArrayLike) -> NDArray[np.float64]:
    """Return the recorded share of wrong choices that stay wrong, interpolated in log σ between the spreads.

    >>> round(float(uncorrected_share(32.0)), 2)
    0.95
    """
    recorded = np.array(_UNCORRECTED) / STORY_ROWS
    return np.interp(np.log(np.asarray(score_std, dtype=float)), np.log(STORY_SPREADS), recorded)


def flatness(score_std: ArrayLike) -> NDArray[np.float64]:
    """Return the relative loss of a token's own share of its output, compared with σ = 1; 0 for σ ≥ 1.

    >>> round(float(flatness(1 / 32)), 3)
    0.998
    """
    stds = np.minimum(np.asarray(score_std, dtype=float), 1.0)
    return np.asarray(1 - np.expm1(-(stds**2)) / np.expm1(-1.0))


@dataclass(frozen=True)
class StoryParams:
    """Settings of the story: rows and outputs at one d_k."""

    d_k: int = STORY_D_K  # 1 to 1,024
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, STORY_D_K)
        check_integer("seed", self.seed, 0)

    @property
    def price(self) -> Price:
        """`Price` of training the rows at every learning rate; the first tries and the outputs cost little."""
        return DimensionParams((self.d_k,), N_KEYS, seed=self.seed).price


@dataclass(frozen=True, eq=False)
class StoryResult:
    """Weights, outputs and number of rows put right at params.d_k, for each of EXPONENTS."""

    params: StoryParams
    spread: NDArray[np.float64]  # (3,): σ of the scores that enter softmax: √d_k, 1 and 1/√d_k
    weights: NDArray[np.float64]  # (3, N_KEYS): mean over the queries of the sorted weights, largest first
    # own_share, standard_error (3,): each token's own share of its output, mean over 64 tokens, and standard error
    own_share: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    put_right: NDArray[np.int_]  # (3,): number of rows, out of N_ROWS, put right at the best learning rate
    # low, high (3,): exact 95 % interval of the share put right
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@priced(lambda params: params.price)
def tell_story(params: StoryParams) -> StoryResult:
    """Measure how many wrong rows can be put right, and each token's own share of its output, for each scale.

    >>> tell_story(StoryParams()).put_right.tolist()
    [9, 100, 100]
    """
    d_k, seed = params.d_k, params.seed
    scales = np.array([scale_factor(d_k, each) for each in EXPONENTS])
    put_right = _best(d_k, draw_wrong_rows(d_k, N_KEYS, range(N_ROWS), seed=seed), scales)
    outputs = measure_outputs(OutputsParams(N_KEYS, (d_k,), seed=seed))
    spread = scales * np.sqrt(d_k)
    weights = [np.sort(softmax(each * outputs.scores))[..., ::-1].mean(axis=(0, 1)) for each in scales]
    divided = [outputs.divided(each) for each in EXPONENTS]
    share, error = ([getattr(each, name) for each in divided] for name in ("own_share", "standard_error"))
    low, high = share_interval(put_right, N_ROWS)
    return StoryResult(params, spread, np.array(weights), np.array(share), np.array(error), put_right, low, high)


def _best(d_k, rows, scales):
    """Return the number of rows put right at the best of LEARNING_RATES, for each scale."""
    rates = np.array(LEARNING_RATES)
    first = np.abs(np.log(rates[:, None] * scales**2 * d_k / _FIRST)).argmin(axis=0)
    best = _put_right(rows, scales, rates[first])
    left = np.flatnonzero(best < N_ROWS)
    if len(left):
        counts = _put_right(rows, np.repeat(scales[left], len(rates)), np.tile(rates, len(left)))
        best[left] = counts.reshape(len(left), -1).max(axis=1)
    return best
