"""One query and four keys: products, scores and softmax weights, raw and divided by √d_k."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_integer
from sattn_core.bands.standard_errors import mean_and_error, share_error
from sattn_core.draws.signs import chance_on_top, sign_sums, signs
from sattn_core.example import KEY_WORDS
from sattn_core.laws.components import COMPONENT_LAWS, block_generator
from sattn_core.layers.products import hadamard
from sattn_core.layers.scores import raw_scores, scale_factor
from sattn_core.layers.softmax import effective_keys, softmax

STEPS = ("ask", "multiply", "add", "wander", "softmax", "divide", "grow")

COMPONENTS = ("living", "thing", "action", "feeling")
INVENTED_QUERY = (1.0, 1.0, -1.0, 0.5)
INVENTED_KEYS = (
    (-0.5, 1.5, -0.5, -1.0),
    (1.5, 0.5, 0.5, 1.0),
    (0.5, -1.0, 1.5, 0.0),
    (0.5, -1.0, 0.5, 2.0),
)
EXAMPLE_KEY = KEY_WORDS.index("cat")  # this key's products are shown one by one; the invented numbers favour it
N_SENTENCES = 1_000
MOST_EMPHASIS = 16

_MOST = 1_024
_N_SUMS = N_SENTENCES * len(KEY_WORDS)
_QUERY_STREAM = 6


@dataclass(frozen=True)
class OneQueryParams:
    """Length of the query and the keys, and size of the query's invented components."""

    d_k: int  # 1 to 1,024: the first four components are invented, the others drawn
    seed: int = 0  # seed of the drawn components
    emphasis: int = 1  # 1 to 16: factor on the invented components of the query

    def __post_init__(self) -> None:
        check_integer("d_k", self.d_k, 1, _MOST)
        check_integer("seed", self.seed, 0)
        check_integer("emphasis", self.emphasis, 1, MOST_EMPHASIS)


@dataclass(frozen=True, eq=False)
class SoftmaxRow:
    """One row of scores and the terms of its softmax, as worked out by hand."""

    # All (4,): below = scores − largest score, exponentials = exp(below), weights = exponentials / total
    scores: NDArray[np.float64]
    below: NDArray[np.float64]
    exponentials: NDArray[np.float64]
    weights: NDArray[np.float64]
    total: float
    # largest, smallest: indices of the keys with the largest and the smallest score; several if they tie
    largest: tuple[int, ...]
    smallest: tuple[int, ...]
    top_weight: float  # largest weight
    effective_keys: float  # e^entropy of the weights


@dataclass(frozen=True, eq=False)
class SumsOnTheWay:
    """Partial sums of the four scores, one product after another."""

    sums: NDArray[np.float64]  # (4, d_k): sums of 1, 2, …, d_k products; the last column holds the raw scores
    horizon: int  # largest possible d_k, where the axis ends
    limit: float  # largest |sum| of this draw at any d_k up to the horizon


@dataclass(frozen=True, eq=False)
class ManySentences:
    """Many sentences of the same four words, with the same invented components and new drawn ones in each sentence.

    The sentence of `OneQueryResult` is the first. A word is on top if no other has a larger score.
    """

    n_sentences: int
    # on_top, on_top_exact (4,): share of sentences with this word on top (tied words all count), and its probability
    # on_top_error (4,): standard error of on_top, computed from on_top_exact
    on_top: NDArray[np.float64]
    on_top_exact: NDArray[np.float64]
    on_top_error: NDArray[np.float64]
    # Largest weight, raw and scaled: mean over the sentences, and its standard error
    raw_top_weight: float
    raw_top_weight_error: float
    scaled_top_weight: float
    scaled_top_weight_error: float


@dataclass(frozen=True, eq=False)
class OneQueryResult:
    """Results of the lesson's seven steps, and statistics of many sentences."""

    params: OneQueryParams
    query: NDArray[np.float64]  # (d_k,)
    # keys, products (4, d_k): products[j, i] = query[i] keys[j, i]
    keys: NDArray[np.float64]
    products: NDArray[np.float64]
    n_invented: int  # number of invented components, min(4, d_k); drawn ones are +1 or −1
    invented_scores: SoftmaxRow  # scores from the invented components alone
    # n_up, n_down (4,): number of drawn products equal to +1, and to −1
    n_up: NDArray[np.int_]
    n_down: NDArray[np.int_]
    walk: SumsOnTheWay
    divisor: float  # √d_k
    # raw, scaled: softmax of the scores at d_k, and of the scores divided by √d_k
    raw: SoftmaxRow
    scaled: SoftmaxRow
    sentences: ManySentences


def measure_one_query(params: OneQueryParams) -> OneQueryResult:
    """Return the products q_i k_i, their sums, and the softmax of the sums with and without division by √d_k."""
    query, keys = _vectors(params)
    d_k, n_invented = params.d_k, min(params.d_k, len(INVENTED_QUERY))
    products = hadamard(np.broadcast_to(query[:d_k], (len(keys), d_k)), keys[:, :d_k])
    invented, drawn = products[:, :n_invented].sum(axis=1), products[:, n_invented:]
    raw = raw_scores(query[None, :d_k], keys[:, :d_k])[0]
    return OneQueryResult(
        params,
        query=query[:d_k], keys=keys[:, :d_k], products=products, n_invented=n_invented,
        invented_scores=_softmax_row(invented),
        n_up=np.count_nonzero(drawn > 0, axis=1), n_down=np.count_nonzero(drawn < 0, axis=1),
        walk=_walk(query, keys, d_k),
        divisor=float(np.sqrt(d_k)),
        raw=_softmax_row(raw), scaled=_softmax_row(raw * scale_factor(d_k)),
        sentences=_many(params, invented),
    )  # fmt: skip


def _vectors(params):
    """Return the query and the keys at the largest d_k: the invented components, then the drawn ones.

    The signs of the query and of the products are drawn, and each key is their product. This is equivalent to drawing
    queries and keys: a random sign is independent of its product with another random sign.
    """
    n_drawn = _MOST - len(INVENTED_QUERY)
    Q = COMPONENT_LAWS["rademacher"].draw(block_generator(params.seed, _QUERY_STREAM), (n_drawn,))
    drawn = signs(n_drawn, _N_SUMS, range(len(KEY_WORDS)), seed=params.seed)
    query = np.concatenate([params.emphasis * np.array(INVENTED_QUERY), Q])
    return query, np.hstack([INVENTED_KEYS, Q * drawn])


def _walk(query, keys, d_k):
    """Return the partial sums up to d_k. Their limit covers every d_k, so the axes stay fixed while d_k changes."""
    sums = np.cumsum(query * keys, axis=1)
    return SumsOnTheWay(sums[:, :d_k], _MOST, float(np.abs(sums).max()))


def _many(params, invented):
    """Return statistics of many sentences; a larger d_k appends products to each of them."""
    n_drawn = max(params.d_k - len(INVENTED_QUERY), 0)
    drawn = sign_sums(n_drawn, _N_SUMS, seed=params.seed)
    scores = invented + drawn.reshape(N_SENTENCES, len(KEY_WORDS))
    exact = chance_on_top(invented, n_drawn)
    raw, scaled = (
        tuple(map(float, mean_and_error(softmax(c * scores).max(axis=1)))) for c in (1.0, scale_factor(params.d_k))
    )
    on_top = (scores == scores.max(axis=1, keepdims=True)).mean(axis=0)
    return ManySentences(N_SENTENCES, on_top, exact, share_error(np.clip(exact, 0, 1), N_SENTENCES), *raw, *scaled)


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
