"""Record of the number of wrong rows that Adam puts right, read from adam_rows.npz.

Adam scales every coordinate of q separately, so the short formulas of `wrong_rows` do not apply, and training full
queries would keep a visitor waiting. In the repository, tests/records writes this file and can rebuild it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sattn_core._memory import remembered

FILE = Path(__file__).with_name("adam_rows.npz")
DIMS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
SEEDS = (0, 1, 2, 3)  # 100 rows for each seed


@dataclass(frozen=True, eq=False)
class AdamRows:
    """Number of rows put right after the last step, for each seed, d_k, scale and learning rate."""

    about: Mapping[str, Any]  # settings of the count: see `about` in tests/records
    put_right: NDArray[np.int_]  # (n_seeds, n_dims, 3, n_rates), for the scales 1, d_k^-1/2 and d_k^-1


@remembered(1)
def adam_rows() -> AdamRows:
    """Return the record, read from its file."""
    with np.load(FILE) as kept:
        about, put_right = json.loads(str(kept["about"])), kept["put_right"].astype(int)
    if (tuple(about["dims"]), tuple(about["seeds"])) != (DIMS, SEEDS):
        raise ValueError(f"{FILE.name} must hold d_k = {DIMS} and seeds {SEEDS}, but says {about}")
    put_right.flags.writeable = False
    return AdamRows(about, put_right)
