"""Is this a question? The variance of a score, raw and scaled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_integer
from sattn_core._records import record
from sattn_core.components import draw_queries_and_keys
from sattn_core.cost import Price
from sattn_core.moments import dot_product_moments
from sattn_core.products import row_wise_dot
from sattn_core.scores import scale_factor


@dataclass(frozen=True)
class NewLessonParams:
    """What the lesson is asked for.

    Attributes
    ----------
    d_k : int, 1 to 1,024
    n_pairs : int, 100 to 10,000
        Independent pairs of a query and a key.
    seed : int
    """

    d_k: int
    n_pairs: int = 1_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, 1_024)
        check_integer("n_pairs", self.n_pairs, 100, 10_000)

    @property
    def price(self) -> Price:
        """What `measure_new_lesson` costs: Q and K are drawn, multiplied component by component and summed."""
        components = self.n_pairs * self.d_k
        return Price(draws=2 * components, passes=components, bytes=2 * components * 8)


@record
class NewLessonResult:
    """Variances of the raw and of the scaled scores.

    Attributes
    ----------
    params : NewLessonParams
    variance, standard_error, variance_theory : ndarray, shape (2,)
        Raw, then scaled.
    """

    params: NewLessonParams
    variance: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    variance_theory: NDArray[np.float64]


def measure_new_lesson(params: NewLessonParams) -> NewLessonResult:
    """Var(q·k) = d_k and Var(q·k / √d_k) = 1, on independent pairs.

    Parameters
    ----------
    params : NewLessonParams

    Returns
    -------
    NewLessonResult
        The mean of the scores, 0, is known, so the variance is the mean of their squares.
    """
    Q, K = draw_queries_and_keys(params.n_pairs, params.n_pairs, params.d_k, seed=params.seed)
    scores = row_wise_dot(Q, K)
    predicted = dot_product_moments(params.d_k)
    factors = np.array([1.0, scale_factor(params.d_k) ** 2])
    error = predicted.variance * np.sqrt((predicted.excess_kurtosis + 2) / params.n_pairs)
    return NewLessonResult(
        params,
        variance=factors * np.mean(scores**2),
        standard_error=factors * error,
        variance_theory=factors * predicted.variance,
    )
