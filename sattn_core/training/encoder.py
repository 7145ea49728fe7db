"""Trained BERT-like encoder in plain NumPy, with any exponent of the attention scale."""

import hashlib
import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.special import erf

from sattn_core._checks import check_array, check_integer, check_number
from sattn_core.cost import CALL, FUNCTION, MULTIPLIED, Price
from sattn_core.layers.attention import softmax_rows
from sattn_core.layers.scores import scale_factor

Weights = Mapping[str, NDArray[np.floating]]

_EPS = 1e-12  # eps of BERT's layer norm
_KINDS = {"F32": "<f4", "I64": "<i8"}  # types of tensors in a file
_LONGEST_HEADER = 10_000_000


@dataclass(frozen=True, eq=False)
class EncoderRun:
    """Output of an encoder for one text."""

    queries: NDArray[np.floating]  # (n_layers, n_heads, n_tokens, d_k): as they enter Q Kᵀ, unscaled
    keys: NDArray[np.floating]
    hidden: NDArray[np.floating]  # (n_layers + 1, n_tokens, d_model): input of the first layer, and output of each

    @property
    def embeddings(self) -> NDArray[np.floating]:
        """Unit vectors of hidden's means over tokens, (n_layers + 1, d_model); the last is the text's embedding."""
        means = self.hidden.mean(axis=1)
        return means / np.linalg.norm(means, axis=-1, keepdims=True)


def encode(
    weights: Weights, tokens: Sequence[int], *, n_heads: int, exponent: float = 0.5, dtype: DTypeLike = np.float64
) -> EncoderRun:
    """Run BERT's encoder with attention softmax(Q Kᵀ / d_k^exponent) V in every head; it was trained at exponent ½.

    The keys of weights are the names of BERT's parameters, such as encoder.layer.0.output.dense.weight. Tokens are row
    numbers of the word embeddings. GELU is exact, and the layer norm comes after each sum: Devlin et al. (2019),
    arXiv:1810.04805.
    """
    check_number("exponent", exponent, 0, 1)
    ids = _checked_tokens(weights, tokens)
    model = _Model(weights, np.dtype(dtype), n_heads)
    scale = scale_factor(model.d_k, exponent)
    x = model.embed(ids)
    queries, keys, hidden = [], [], [x]
    for i in range(model.n_layers):
        Q, K, x = model.layer(i, x, scale)
        queries.append(Q)
        keys.append(K)
        hidden.append(x)
    return EncoderRun(np.stack(queries), np.stack(keys), np.stack(hidden))


def encode_price(n_tokens: int, n_layers: int, d_model: int) -> Price:
    """Return the `Price` of `encode` for an inner layer four times as wide as d_model, as in BERT."""
    weights, inputs = 12 * d_model**2, n_tokens * d_model
    products, functions = n_tokens * (weights + 2 * inputs), 4 * inputs + n_tokens**2 * d_model / 32
    layer = 90 * CALL + MULTIPLIED * products + FUNCTION * functions + 60 * inputs + weights
    return Price(n_layers * layer, 8 * (weights + (3 * n_layers + 30) * inputs))


class _Model:
    """Parameters of one encoder, read only when used, so that a mapped file stays on disk."""

    def __init__(self, weights: Weights, dtype: Any, n_heads: int) -> None:
        if dtype not in (np.float32, np.float64):
            raise ValueError(f"dtype must be float32 or float64, but got {dtype}")
        self._weights, self._dtype = weights, dtype
        d_model = self.take("embeddings.word_embeddings.weight", rows=[0]).shape[1]
        self.n_heads = check_integer("n_heads", n_heads, 1, d_model)
        if d_model % n_heads:
            raise ValueError(f"n_heads must divide d_model = {d_model}, but got {n_heads}")
        self.d_k = d_model // n_heads
        named = (each.split(".") for each in weights if each.startswith("encoder.layer."))
        self.n_layers = 1 + max((int(parts[2]) for parts in named), default=-1)

    def take(self, name, rows=slice(None)):
        if name not in self._weights:
            raise ValueError(f"weights must hold {name}, but do not")
        return np.asarray(self._weights[name][rows], dtype=self._dtype)

    def embed(self, ids):
        words = self.take("embeddings.word_embeddings.weight", ids)
        places = self.take("embeddings.position_embeddings.weight", slice(len(ids)))
        kind = self.take("embeddings.token_type_embeddings.weight", 0)
        return self.norm("embeddings.LayerNorm", words + places + kind)

    def dense(self, name, x):
        return x @ self.take(f"{name}.weight").T + self.take(f"{name}.bias")

    def norm(self, name, x):
        centred = x - x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + self._dtype.type(_EPS))
        return centred / deviation * self.take(f"{name}.weight") + self.take(f"{name}.bias")

    def heads(self, name, x):
        return self.dense(name, x).reshape(len(x), self.n_heads, self.d_k).swapaxes(0, 1)

    def layer(self, i, x, scale):
        """Return the queries, keys and output of layer i."""
        at = f"encoder.layer.{i}"
        Q, K, V = (self.heads(f"{at}.attention.self.{name}", x) for name in ("query", "key", "value"))
        weights = softmax_rows(self._dtype.type(scale) * (Q @ K.swapaxes(-1, -2)))  # (n_heads, n_tokens, n_tokens)
        attended = (weights @ V).swapaxes(0, 1).reshape(x.shape)
        x = self.norm(f"{at}.attention.output.LayerNorm", x + self.dense(f"{at}.attention.output.dense", attended))
        inner = self.gelu(self.dense(f"{at}.intermediate.dense", x))
        return Q, K, self.norm(f"{at}.output.LayerNorm", x + self.dense(f"{at}.output.dense", inner))

    def gelu(self, x):
        return x * (1 + erf(x * self._dtype.type(math.sqrt(0.5)))) * self._dtype.type(0.5)


def _checked_tokens(weights, tokens):
    for name in ("word", "position"):
        if f"embeddings.{name}_embeddings.weight" not in weights:
            raise ValueError(f"weights must hold embeddings.{name}_embeddings.weight, but do not")
    n_words, n_places = (len(weights[f"embeddings.{name}_embeddings.weight"]) for name in ("word", "position"))
    if not 2 <= len(tokens) <= n_places:
        raise ValueError(f"tokens must be 2 to {n_places}, but got {len(tokens)}")
    return [check_integer("an entry of tokens", each, 0, n_words - 1) for each in tokens]


def cosines(run: NDArray[np.floating], right: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the cosine between each row of run and the same row of right, shape (…); 0 if either is all zeros."""
    run, right = check_array("run", run, min_ndim=1), check_array("right", right, min_ndim=1)
    lengths = np.linalg.norm(run, axis=-1) * np.linalg.norm(right, axis=-1)
    return np.einsum("...i,...i->...", run, right) / np.where(lengths == 0, 1.0, lengths)


def open_weights(path: str | Path, sha256: str) -> dict[str, NDArray[np.floating]]:
    """Open a .safetensors file of this sha256 as a memory map, so that all processes share its pages."""
    path = Path(path)
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ValueError(f"{path.name} must have the sha256 {sha256}, but has {found}")
    whole = np.memmap(path, dtype=np.uint8, mode="r")
    size = struct.unpack("<Q", whole[:8].tobytes())[0]
    check_integer("the header's size", size, 2, _LONGEST_HEADER)
    header = json.loads(whole[8 : 8 + size].tobytes())
    return {name: _tensor(whole[8 + size :], each) for name, each in header.items() if name != "__metadata__"}


def _tensor(content, entry):
    kind, (begin, end) = entry["dtype"], entry["data_offsets"]
    if kind not in _KINDS:
        raise ValueError(f"a tensor must be of {' or '.join(_KINDS)}, but got {kind}")
    return content[begin:end].view(_KINDS[kind]).reshape(entry["shape"])
