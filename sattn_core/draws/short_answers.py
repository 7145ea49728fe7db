"""Scale of scores in variants of attention: numbers that are exact, or measured on one draw of queries and keys."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_integer
from sattn_core.laws.components import draw_queries_and_keys
from sattn_core.laws.one_key import MOST_KEYS, expected_key_weight
from sattn_core.layers.scores import raw_scores, scale_factor
from sattn_core.layers.softmax import softmax

D_K, N_KEYS, GROUP = 64, 64, 4  # GROUP: number of query heads that share one head of keys
TILE = 16  # keys in one tile of `_tiled_softmax`
KEY_SIZE, LATENT_SIZE = 192, 576  # DeepSeek-V2: size of one head's key, and of the latent cached for all heads
_LONGER = 8.0  # factor by which the queries of linear attention are lengthened


@dataclass(frozen=True, eq=False)
class ShortAnswers:
    """Numbers for the variants of attention. A spread is the root mean square of the scores that enter the softmax."""

    plain: float  # spread of plain attention
    causal: float  # spread of the scores that a causal mask allows
    rotary: float  # spread after q and k are rotated by their positions
    grouped: float  # spread if GROUP query heads share their keys
    normed: float  # spread after RMSNorm of q and of k
    bound: float  # largest possible score after RMSNorm, √d_k
    latent: float  # spread with 1/√LATENT_SIZE ÷ spread with 1/√KEY_SIZE, the right scale
    tiled: float  # largest difference between weights computed tile by tile and by softmax
    linear: float  # largest change of a weight in linear attention if queries are _LONGER times as long
    # sink: expected weight of a sink of score 0 beside 16 keys, and beside MOST_KEYS - 1 keys
    sink: tuple[float, float]


def short_answers(seed: int = 0) -> ShortAnswers:
    """Measure the effect of a mask, rotation, shared keys, a norm and tiles on the scaled scores of one draw."""
    seed = check_integer("seed", seed, 0)
    Q, K = draw_queries_and_keys(GROUP * N_KEYS, N_KEYS, D_K, seed=seed)
    one, place = Q[:N_KEYS], np.arange(N_KEYS)
    scaled, normed = _scaled(one, K), _scaled(_rms_norm(one), _rms_norm(K))
    return ShortAnswers(
        plain=_spread(scaled),
        causal=_spread(scaled[np.tri(N_KEYS, dtype=bool)]),
        rotary=_spread(_scaled(_turned(one, place), _turned(K, place))),
        grouped=_spread(_scaled(Q, K)),
        normed=_spread(normed),
        bound=math.sqrt(D_K),
        latent=math.sqrt(KEY_SIZE / LATENT_SIZE),
        tiled=float(np.abs(_tiled_softmax(scaled) - softmax(scaled)).max()),
        linear=float(np.abs(_linear_weights(_LONGER * one, K) - _linear_weights(one, K)).max()),
        sink=tuple(expected_key_weight([17, MOST_KEYS], 0.0).tolist()),
    )


def _scaled(Q, K):
    return scale_factor(D_K) * raw_scores(Q, K)


def _spread(scores):
    return float(np.sqrt(np.square(scores).mean()))


def _rms_norm(x):
    return x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True))


def _turned(x: NDArray[np.float64], place: NDArray[np.int_]) -> NDArray[np.float64]:
    """Rotate components i and i + d/2 of a row by its position times 10,000^(−2i/d), as rotary embedding does."""
    half = x.shape[-1] // 2
    angle = place[:, None] * 10_000.0 ** (-np.arange(half) / half)
    a, b = x[:, :half], x[:, half:]
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)], axis=-1)


def _tiled_softmax(scores):
    """Return softmax computed tile by tile with a running maximum and sum, as in FlashAttention."""
    largest, total = np.full(len(scores), -np.inf), np.zeros(len(scores))
    for tile in np.split(scores, range(TILE, scores.shape[1], TILE), axis=1):
        higher = np.maximum(largest, tile.max(axis=1))
        total = total * np.exp(largest - higher) + np.exp(tile - higher[:, None]).sum(axis=1)
        largest = higher
    return np.exp(scores - largest[:, None]) / total[:, None]


def _linear_weights(Q, K):
    """Return the weights of linear attention, rows of φ(Q) φ(K)ᵀ ÷ their sums, with φ(x) = max(x, 0)."""
    products = np.maximum(Q, 0.0) @ np.maximum(K, 0.0).T
    return products / products.sum(axis=-1, keepdims=True)
