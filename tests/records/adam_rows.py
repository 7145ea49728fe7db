"""Record of the number of wrong rows that Adam puts right, at each d_k and learning rate.

Rows, scales, rates and loss are those of the lesson wrong_choice; each row trains its own query. Adam divides every
coordinate by the size of its gradient, so the scores alone are not enough, unlike in `wrong_rows`: here q itself is
trained. A rebuild needs only NumPy and SciPy, and two minutes of one core.
"""

import json

import numpy as np

from sattn_core.laws.components import block_generator
from sattn_core.layers.scores import scale_factor
from sattn_core.layers.softmax import softmax
from sattn_core.lessons.wrong_choice import EXPONENTS, LEARNING_RATES, N_ROWS, N_STEPS, PUT_RIGHT
from sattn_core.training.adam_rows import DIMS, FILE, SEEDS
from sattn_core.training.wrong_rows import draw_wrong_rows

N_KEYS, BETAS, EPS = 16, (0.9, 0.999), 1e-8
_STREAM = 3  # random stream, the same as in `wrong_rows`
TOLERANCE = 1  # allowed difference in a count of rows: at unstable learning rates, rounding decides


def drawn(d_k, row, seed, n_keys=N_KEYS):
    """Return the query, the keys and the index of the right key of one row of `draw_wrong_rows`."""
    rng = block_generator(seed, _STREAM, row)
    rng.integers(n_keys), rng.integers(n_keys - 1)
    vectors = rng.standard_normal((d_k, 1 + n_keys))
    (right,) = draw_wrong_rows(d_k, n_keys, range(row, row + 1), seed=seed).right_key
    return vectors[:, 0], np.ascontiguousarray(vectors[:, 1:].T), int(right)


def right_weights(q, K, right, scales, rates, n_steps=N_STEPS):
    """Return the right key's weight after each step, (n_steps + 1, n_columns): a column per scale and rate."""
    q, mean, square = np.tile(q, (len(scales), 1)), 0.0, 0.0
    found, wanted = [], np.eye(len(K))[right]
    for step in range(n_steps + 1):
        p = softmax(scales[:, None] * (q @ K.T))
        found.append(p[:, right])
        slope = p - wanted
        slope = p * (slope - (p * slope).sum(axis=1, keepdims=True))  # ∂/∂z of ½ |p − e|²
        gradient = (scales[:, None] * slope) @ K
        mean = BETAS[0] * mean + (1 - BETAS[0]) * gradient
        square = BETAS[1] * square + (1 - BETAS[1]) * gradient**2
        size = np.sqrt(square / (1 - BETAS[1] ** (step + 1))) + EPS
        q -= rates[:, None] * mean / (1 - BETAS[0] ** (step + 1)) / size
    return np.array(found)


def counts(d_k, seed):
    """Return the number of rows put right after the last step, (3, n_rates)."""
    scales = np.repeat([scale_factor(d_k, each) for each in EXPONENTS], len(LEARNING_RATES))
    rates = np.tile(LEARNING_RATES, len(EXPONENTS))
    last = np.array([right_weights(*drawn(d_k, row, seed), scales, rates)[-1] for row in range(N_ROWS)])
    return np.count_nonzero(last > PUT_RIGHT, axis=0).reshape(len(EXPONENTS), len(LEARNING_RATES))


def about():
    """Return the settings that the record stores."""
    sizes = {"dims": DIMS, "seeds": SEEDS, "n_keys": N_KEYS, "n_rows": N_ROWS, "n_steps": N_STEPS}
    how = {"rates": LEARNING_RATES, "exponents": EXPONENTS, "betas": BETAS, "eps": EPS}
    return sizes | how | {"loss": "output", "learns": "q"}


def main(write=False):
    """Run Adam on all rows and compare with the stored record; if write, store the new record first."""
    put_right = np.array([[counts(d_k, seed) for d_k in DIMS] for seed in SEEDS], dtype=np.uint8)
    if write:
        np.savez_compressed(FILE, about=np.array(json.dumps(about())), put_right=put_right)
        print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")
    with np.load(FILE) as kept:
        differs = np.abs(kept["put_right"].astype(int) - put_right).max()
    print(f"counts differ by at most {differs} rows")
    if differs > TOLERANCE:
        raise SystemExit(1)
