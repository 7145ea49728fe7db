"""What is a score? One query and four keys, from the products of their numbers to weights, raw and divided by √d_k."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_integer
from sattn_core._records import record
from sattn_core.components import draw_queries_and_keys
from sattn_core.cost import Price
from sattn_core.example import KEY_WORDS
from sattn_core.products import hadamard
from sattn_core.scores import raw_scores, scale_factor
from sattn_core.softmax import effective_keys, softmax

STEPS = ("ask", "multiply", "add", "wander", "softmax", "divide")

COMPONENTS = ("living", "thing", "action", "feeling")
INVENTED_QUERY = (1.0, 1.0, -1.0, 0.5)
INVENTED_KEYS = (
    (-0.5, 1.5, -0.5, -1.0),
    (1.5, 0.5, 0.5, 1.0),
    (0.5, -1.0, 1.5, 0.0),
    (0.5, -1.0, 0.5, 2.0),
)
EXAMPLE_KEY = KEY_WORDS.index("cat")  # whose products are shown one by one

_MOST = 1_024


@dataclass(frozen=True)
class OneQueryParams:
    """How long the query and the keys are."""

    d_k: int  # 1 to 1,024: the first four components are the invented ones, the others are drawn
    seed: int = 0  # Of the drawn components

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, _MOST)
        check_integer("seed", self.seed, 0)

    @property
    def price(self) -> Price:
        """What `measure_one_query` costs at most."""
        return Price(calls=200, draws=1_300, products=4 * self.d_k, passes=24_000 + 90 * self.d_k, bytes=500_000)


@record
class SoftmaxRow:
    """One row of scores and its softmax, as it is worked out by hand."""

    # scores, below, exponentials, weights (4,): below is the score minus the largest one, exponentials are e to that
    # power, and the weights, which sum to 1, are the exponentials over their total
    scores: NDArray[np.float64]
    below: NDArray[np.float64]
    exponentials: NDArray[np.float64]
    weights: NDArray[np.float64]
    total: float
    # largest, smallest: The keys with the largest and with the smallest score; several where they tie
    largest: tuple[int, ...]
    smallest: tuple[int, ...]
    top_weight: float  # The largest weight
    effective_keys: float  # e^entropy of the weights


@record
class SumsOnTheWay:
    """The four sums, product by product."""

    sums: NDArray[np.float64]  # (4, d_k + 1): the sum after 0, 1, …, d_k products; the last column is the raw scores
    # (d_k + 1,): √0, √1, …, √d_k. In theory a sum of n independent products of mean 0 and variance 1 has standard
    # deviation √n.
    roots: NDArray[np.float64]
    horizon: int  # The largest d_k there is: the end of the axis
    limit: float  # No sum of this draw is larger in size up to the horizon, nor are two standard deviations


@record
class OneQueryResult:
    """Every number of the six steps."""

    params: OneQueryParams
    query: NDArray[np.float64]  # (d_k,)
    # keys, products (4, d_k): products[j, i] = query[i] keys[j, i]
    keys: NDArray[np.float64]
    products: NDArray[np.float64]
    n_invented: int  # How many of the components are invented: 4, or d_k if that is less. Drawn ones are +1 or −1.
    invented_scores: SoftmaxRow  # The scores after the invented components
    # n_up, n_down (4,): how many of the drawn products are +1, and how many −1
    n_up: NDArray[np.int_]
    n_down: NDArray[np.int_]
    drawn_std: float  # Standard deviation of the sum of so many drawn products: the root of their number
    drawn_z: NDArray[np.float64]  # (4,): that sum in standard deviations; 0 where none is drawn
    walk: SumsOnTheWay
    divisor: float  # √d_k
    # raw, scaled: The scores at d_k, and the same divided by √d_k
    raw: SoftmaxRow
    scaled: SoftmaxRow


def measure_one_query(params: OneQueryParams) -> OneQueryResult:
    """Products q_i k_i, their sums, and softmax of the sums with and without the division by √d_k.

    The invented components are few; from the fifth on every component is +1 or −1 with equal chance, so every
    product is, and the sum is the classical random walk.
    """
    query, keys = _vectors(params)
    d_k, n_invented = params.d_k, min(params.d_k, len(INVENTED_QUERY))
    products = hadamard(np.broadcast_to(query[:d_k], (len(keys), d_k)), keys[:, :d_k])
    raw, drawn = raw_scores(query[None, :d_k], keys[:, :d_k])[0], products[:, n_invented:]
    return OneQueryResult(
        params,
        query=query[:d_k],
        keys=keys[:, :d_k],
        products=products,
        n_invented=n_invented,
        invented_scores=_softmax_row(products[:, :n_invented].sum(axis=1)),
        n_up=np.count_nonzero(drawn > 0, axis=1),
        n_down=np.count_nonzero(drawn < 0, axis=1),
        drawn_std=float(np.sqrt(drawn.shape[1])),
        drawn_z=drawn.sum(axis=1) / np.sqrt(max(drawn.shape[1], 1)),
        walk=_walk(query, keys, d_k),
        divisor=float(np.sqrt(d_k)),
        raw=_softmax_row(raw),
        scaled=_softmax_row(raw * scale_factor(d_k)),
    )


def _vectors(params):
    """The query and the keys at the largest d_k: the invented components, then the drawn ones."""
    n_drawn = _MOST - len(INVENTED_QUERY)
    Q, K = draw_queries_and_keys(1, len(KEY_WORDS), n_drawn, law="rademacher", seed=params.seed)
    return np.concatenate([INVENTED_QUERY, Q[0]]), np.hstack([INVENTED_KEYS, K])


def _walk(query, keys, d_k):
    """The sums up to d_k; their limit is that of all d_k, so that the axes stand still while d_k moves."""
    sums = np.cumsum(np.hstack([np.zeros((len(keys), 1)), query * keys]), axis=1)
    limit = float(max(2 * np.sqrt(_MOST), np.abs(sums).max()))
    return SumsOnTheWay(sums[:, : d_k + 1], np.sqrt(np.arange(d_k + 1.0)), _MOST, limit)


def _softmax_row(scores):
    below, weights = scores - scores.max(), softmax(scores)
    exponentials = np.exp(below)
    return SoftmaxRow(
        scores,
        below,
        exponentials,
        weights,
        total=float(exponentials.sum()),
        largest=tuple(np.flatnonzero(scores == scores.max()).tolist()),
        smallest=tuple(np.flatnonzero(scores == scores.min()).tolist()),
        top_weight=float(weights.max()),
        effective_keys=float(effective_keys(scores)),
    )
