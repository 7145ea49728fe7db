"""Measurements on a small transformer as it learned, with four ways to scale its scores.

The numbers are in a file beside this one. In the repository, tests/records writes it and can write it again.
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
WAYS = ("raw", "root", "whole", "qk_norm")  # scale d_k^0, d_k^-1/2, d_k^-1; q and k layer-normalised, then d_k^-1/2
RATES = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)  # of Adam, after a linear warm-up


@dataclass(frozen=True, eq=False)
class TrainedTransformers:
    """Measurements (n_ways, n_rates, n_seeds, n_steps), for heads with two more axes; NaN after overflow of float32."""

    about: Mapping[str, Any]  # of the text, the model and the training: see `about` in tests/records
    steps: NDArray[np.int_]  # the steps that were measured, (n_steps,)
    train_loss: NDArray[np.float64]  # of the batch of the step, in nats per character
    held_out_loss: NDArray[np.float64]  # of a part of the text that is not trained on
    accuracy: NDArray[np.float64]  # share of its characters whose most likely guess is right
    gradient_norm: NDArray[np.float64]  # of all weights together
    # score_std, entropy_nats (…, n_layers, n_heads): over the keys of a causal row, of rows with at least
    # about["fewest_keys"] of them: root mean square of the spread of the scaled scores, and mean entropy
    score_std: NDArray[np.float64]
    entropy_nats: NDArray[np.float64]


@remembered(1)
def trained_transformers() -> TrainedTransformers:
    """Read the record from its file."""
    with np.load(FILE) as kept:
        found = {name: kept[name] for name in kept.files}
    about, steps = json.loads(str(found.pop("about"))), found.pop("steps")
    if (tuple(about["ways"]), tuple(about["rates"])) != (WAYS, RATES):
        raise ValueError(f"{FILE.name} must hold the ways {WAYS} at the rates {RATES}, but says {about}")
    measured = {name: values.astype(np.float64) for name, values in found.items()}
    for values in (steps, *measured.values()):
        values.flags.writeable = False
    return TrainedTransformers(about, steps, **measured)
