"""Is this a question? The variance of a score, raw and scaled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_integer
from sattn_core._records import record
from sattn_core.moments import dot_product_moments
from sattn_core.pair_scores import draw_pair_scores
from sattn_core.scores import scale_factor


@dataclass(frozen=True)
class NewLessonParams:
    """What the lesson is asked for."""

    d_k: int  # 1 to 1,024
    n_pairs: int = 1_000  # 100 to 10,000: independent pairs of a query and a key
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, 1_024)
        check_integer("n_pairs", self.n_pairs, 100, 10_000)


@record
class NewLessonResult:
    """Variances of the raw scores and of the scaled ones, in this order."""

    params: NewLessonParams
    variance: NDArray[np.float64]  # (2,)
    standard_error: NDArray[np.float64]  # (2,)
    variance_theory: NDArray[np.float64]  # (2,)


def measure_new_lesson(params: NewLessonParams) -> NewLessonResult:
    """Var(q·k) = d_k and Var(q·k / √d_k) = 1, on independent pairs; a larger d_k appends components to them.

    The mean of the scores, 0, is known, so the variance is the mean of their squares.
    """
    scores = draw_pair_scores(params.n_pairs, params.d_k, seed=params.seed)
    predicted = dot_product_moments(params.d_k)
    factors = np.array([1.0, scale_factor(params.d_k) ** 2])
    error = predicted.variance * np.sqrt((predicted.excess_kurtosis + 2) / params.n_pairs)
    return NewLessonResult(
        params,
        variance=factors * np.mean(scores**2),
        standard_error=factors * error,
        variance_theory=factors * predicted.variance,
    )
