"""Recap: spread of scores, correction of wrong choices, and one learning rate for every d_k."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_integer, check_number
from sattn_core.bands.standard_errors import share_interval, variance_error
from sattn_core.draws.pair_scores import growing_scores
from sattn_core.laws.components import STANDARD_NORMAL, draw_queries_and_keys
from sattn_core.laws.moments import dot_product_moments
from sattn_core.layers.scores import scale_factor
from sattn_core.lessons.wrong_choice import (
    LEARNING_RATES,
    N_ROWS,
    N_STEPS,
    PUT_RIGHT,
)
from sattn_core.training.wrong_rows import WrongRows, descend, draw_wrong_rows, row_blocks

N_PRODUCTS = 8  # products in the sum of one score
N_PAIRS = 2_000  # number of query–key pairs in the measurement of the spread
SIZES = (64, 256, 1_024)  # d_k at which the spread is measured, besides the visitor's d_k
N_KEYS = 16
BOTH = (0.0, 0.5)  # exponents of d_k: raw scores, and ÷ √d_k
EXPONENTS = (*BOTH, 1.0)
LARGE, SMALL = 256, 4  # d_k at which wrong choices are corrected
TENTH = 0.1  # factor on queries and keys for a small start
ONE_RATE = 3.16  # learning rate for every d_k of RACED
RACED = (16, 64, 256, 1_024)  # d_k at which the divisors are compared


# --- what a score is ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SumResult:
    """Products of one query and one key, and their partial sums."""

    added: NDArray[np.int_]  # (N_PRODUCTS,): 1, 2, …, the number of products in each sum
    products: NDArray[np.float64]  # (N_PRODUCTS,)
    sums: NDArray[np.float64]  # (N_PRODUCTS,): the last one is the score


def measure_sum(seed: int) -> SumResult:
    """Return the partial sums of one score whose query and key have components ± 1."""
    q, k = draw_queries_and_keys(1, 1, N_PRODUCTS, law="rademacher", seed=check_integer("seed", seed, 0))
    products = (q * k)[0]
    return SumResult(np.arange(1, N_PRODUCTS + 1), products, products.cumsum())


# --- how far scores spread ------------------------------------------------------------------------------


@dataclass(frozen=True)
class SpreadParams:
    """Settings of the measured spread: a d_k besides SIZES, and the seed."""

    d_k: int = 64  # 1 to 1,024
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, 1_024)
        check_integer("seed", self.seed, 0)

    @property
    def dims(self) -> tuple[int, ...]:
        """Sorted dimensions: SIZES and d_k."""
        return tuple(sorted({*SIZES, self.d_k}))


@dataclass(frozen=True, eq=False)
class SpreadResult:
    """Spread of raw scores at every d_k of params.dims, (n_dims,)."""

    params: SpreadParams
    dims: NDArray[np.int_]  # params.dims
    std: NDArray[np.float64]  # root mean square of N_PAIRS scores, since their mean is known to be 0
    std_theory: NDArray[np.float64]  # √d_k
    standard_error: NDArray[np.float64]

    @property
    def here(self) -> int:
        """Index of params.d_k in dims."""
        return self.params.dims.index(self.params.d_k)


def measure_spread(params: SpreadParams) -> SpreadResult:
    """Measure the standard deviation of independent scores; a larger d_k adds products to the same scores."""
    scores = growing_scores(params.dims, N_PAIRS, STANDARD_NORMAL, params.seed)
    std = np.array([np.sqrt(np.mean(each**2)) for each in scores])
    exact = [dot_product_moments(d_k) for d_k in params.dims]
    theory = np.sqrt([each.variance for each in exact])
    relative = variance_error(1.0, np.array([each.excess_kurtosis for each in exact]), N_PAIRS)
    return SpreadResult(params, np.array(params.dims), std, theory, theory * relative / 2)  # √ halves relative errors


# --- which wrong choices can be put right -----------------------------------------------------------------


@dataclass(frozen=True)
class CorrectionParams:
    """Settings of rows with a wrong winner at one d_k; size multiplies q and k before the first step."""

    d_k: int = LARGE  # 1 to 1,024
    size: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, 1_024)
        check_number("size", self.size, 0.0, 1.0, open_low=True)
        check_integer("seed", self.seed, 0)


@dataclass(frozen=True, eq=False)
class CorrectionResult:
    """Number of rows, out of N_ROWS, put right after each step, without and with the scale."""

    params: CorrectionParams
    steps: NDArray[np.int_]  # (N_STEPS + 1,): 0, 1, …
    rate: NDArray[np.float64]  # (2,): learning rate that puts most rows right; the smallest of equally good ones
    put_right: NDArray[np.int_]  # (2, N_STEPS + 1): number of rows put right at this rate
    # low, high (2,): exact 95 % interval of put_right after the last step
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def measure_correction(params: CorrectionParams) -> CorrectionResult:
    """Train each row's query by gradient descent, at the best of LEARNING_RATES for each scale."""
    exponents, rates = np.repeat(BOTH, len(LEARNING_RATES)), np.tile(LEARNING_RATES, len(BOTH))
    counts = _counts(params.d_k, exponents, rates, params.seed, params.size)
    counts = counts.reshape(len(BOTH), len(LEARNING_RATES), -1)
    best = counts[:, :, -1].argmax(axis=1)
    found = counts[np.arange(len(BOTH)), best]
    low, high = share_interval(found[:, -1], N_ROWS)
    steps, rate = np.arange(N_STEPS + 1), np.array(LEARNING_RATES)[best]
    return CorrectionResult(params, steps, rate, found, N_ROWS * low, N_ROWS * high)


def _counts(d_k, exponents, rates, seed, size=1.0):
    """Return the number of rows put right after each step, for each pair of an exponent and a rate."""
    counts = np.zeros((len(rates), N_STEPS + 1), dtype=np.int_)
    scales = np.array([scale_factor(d_k, each) for each in exponents])
    for rows in row_blocks(N_ROWS, N_KEYS, len(rates), "q"):
        steps = descend(_sized(draw_wrong_rows(d_k, N_KEYS, rows, seed=seed), size), scales, np.asarray(rates))
        for step, (_, weight) in zip(range(N_STEPS + 1), steps, strict=False):
            counts[:, step] += np.count_nonzero(weight > PUT_RIGHT, axis=0)
    return counts


def _sized(rows, size):
    """Return the rows with q and k multiplied by size."""
    scores, gram, square = (size**2 * each for each in (rows.raw_scores, rows.gram, rows.squared_length))
    return WrongRows(scores, gram, square, rows.winner, rows.right_key)


# --- which divisor lets one learning rate serve every size ------------------------------------------------


@dataclass(frozen=True)
class DivisorParams:
    """Settings of scores divided by d_k^e, for every e in EXPONENTS and for e = exponent."""

    exponent: float = 0.5  # 0 to 1
    seed: int = 0

    def __post_init__(self) -> None:
        check_number("exponent", self.exponent, 0.0, 1.0)
        check_integer("seed", self.seed, 0)

    @property
    def exponents(self) -> tuple[float, ...]:
        """EXPONENTS, then `exponent` if it is not among them."""
        return (*EXPONENTS, *(() if self.exponent in EXPONENTS else (self.exponent,)))


@dataclass(frozen=True, eq=False)
class DivisorResult:
    """Number of rows, out of N_ROWS, put right at ONE_RATE, for all params.exponents and all d_k in RACED."""

    params: DivisorParams
    dims: NDArray[np.int_]  # (4,): RACED
    put_right: NDArray[np.int_]  # (n_exponents, 4)

    @property
    def chosen(self) -> NDArray[np.int_]:
        """Row of put_right for params.exponent, (4,)."""
        return self.put_right[self.params.exponents.index(self.params.exponent)]


def compare_divisors(params: DivisorParams) -> DivisorResult:
    """Train each row's query by gradient descent, with the same learning rate at every d_k."""
    rates = np.full(len(params.exponents), ONE_RATE)
    counts = [_counts(d_k, params.exponents, rates, params.seed)[:, -1] for d_k in RACED]
    return DivisorResult(params, np.array(RACED), np.stack(counts, axis=-1))
