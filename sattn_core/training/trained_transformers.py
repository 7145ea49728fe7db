"""Stored measurements of a small transformer, trained with each of four ways to scale its scores.

They are read from trained_transformers.npz. In the repository, tests/records writes this file and can rebuild it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sattn_core._memory import remembered

FILE = Path(__file__).with_name("trained_transformers.npz")
WAYS = ("raw", "root", "whole", "qk_norm")  # scales 1, d_k^-1/2, d_k^-1; layer-normalised q and k with d_k^-1/2
RATES = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)  # learning rates of Adam, after a linear warm-up


@dataclass(frozen=True, eq=False)
class TrainedTransformers:
    """Measurements of shape (n_ways, n_rates, n_seeds, n_steps); NaN once a float32 has overflowed."""

    about: Mapping[str, Any]  # facts about text, model and training: see `about` in tests/records
    steps: NDArray[np.int_]  # measured steps, (n_steps,)
    train_loss: NDArray[np.float64]  # loss on the batch of the step, in nats per character
    held_out_loss: NDArray[np.float64]  # loss on the held-out part of the text
    accuracy: NDArray[np.float64]  # share of held-out characters predicted correctly
    gradient_norm: NDArray[np.float64]  # norm of the gradient in all weights together
    # score_std, entropy_nats (…, n_layers, n_heads): root mean square spread of the scaled scores in a causal row, and
    # mean entropy, over rows with at least about["fewest_keys"] keys
    score_std: NDArray[np.float64]
    entropy_nats: NDArray[np.float64]


@remembered(1)
def trained_transformers() -> TrainedTransformers:
    """Return the record, read from its file."""
    with np.load(FILE) as kept:
        found = {name: kept[name] for name in kept.files}
    about, steps = json.loads(str(found.pop("about"))), found.pop("steps")
    if (tuple(about["ways"]), tuple(about["rates"])) != (WAYS, RATES):
        raise ValueError(f"{FILE.name} must hold the ways {WAYS} at the rates {RATES}, but says {about}")
    measured = {name: values.astype(np.float64) for name, values in found.items()}
    for values in (steps, *measured.values()):
        values.flags.writeable = False
    return TrainedTransformers(about, steps, **measured)
