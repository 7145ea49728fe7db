"""Record of a trained encoder's queries and keys for a few texts, read from encoder_record.npz.

In the repository, tests/records writes this file and can rebuild it from the weights. The model is
all-MiniLM-L6-v2 (Apache License 2.0): Wang et al. (2020), arXiv:2002.10957, trained further by Reimers and others.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice
from sattn_core._memory import remembered
from sattn_core.training.encoder import EncoderRun, cosines

FILE = Path(__file__).with_name("encoder_record.npz")
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # sha256 of model.safetensors
N_LAYERS, N_HEADS, D_MODEL, D_K = 6, 12, 384, 32
TEXTS = ("paragraph", "shuffled", "pronoun", "cat", "list")
EXPONENTS = tuple(i / 50 for i in range(51))


@dataclass(frozen=True, eq=False)
class RecordedText:
    """Recorded output of the encoder for one text."""

    name: str  # one of `TEXTS`
    text: str
    tokens: tuple[str, ...]
    # queries, keys (n_layers, n_heads, n_tokens, d_k): before the scale, from the run with 1/√d_k
    queries: NDArray[np.float16]
    keys: NDArray[np.float16]
    # (n_exponents, n_layers): cosine between two means over tokens after each layer: with the scale d_k^-EXPONENTS[i]
    # in all layers, and with 1/√d_k
    cosines: NDArray[np.float32]


@remembered(1)
def _file() -> dict[str, Any]:
    with np.load(FILE) as kept:
        return {name: kept[name] for name in kept.files}


def provenance() -> dict[str, str]:
    """Return the source of the numbers: model, licence, sha256 of the weights, number type."""
    return dict(json.loads(str(_file()["provenance"])))


def recorded(name: str) -> RecordedText:
    """Return the record of one of `TEXTS`."""
    check_choice("name", name, TEXTS)
    kept = _file()
    text, *tokens = json.loads(str(kept[f"{name}_words"]))
    arrays = {each: kept[f"{name}_{each}"] for each in ("queries", "keys", "cosines")}
    return RecordedText(name, text, tuple(tokens), **arrays)


def as_recorded(
    name: str, text: str, tokens: Sequence[str], runs: Sequence[EncoderRun], right: EncoderRun
) -> RecordedText:
    """Return the record of a text. right: the run with 1/√d_k; runs: one for each exponent."""
    found = np.array([cosines(run.embeddings, right.embeddings)[1:] for run in runs], dtype=np.float32)
    halves = {each: getattr(right, each).astype(np.float16) for each in ("queries", "keys")}
    return RecordedText(name, text, tuple(tokens), cosines=found, **halves)
