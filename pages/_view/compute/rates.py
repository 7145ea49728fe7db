"""Turn counted numbers into seconds: at the rate of a machine that stands for all, or of the one the server runs on.

What decides over a page (a button, a picture that follows the hand, what is computed unasked) takes the reference
rate, so that a link shows the same from every server. What a page says of time takes the rate measured here.
"""

import os
import time
from collections.abc import Callable

import numpy as np

from sattn_core.cost import CALL, DRAWN, FUNCTION, MATRIX, MULTIPLIED, Price

REFERENCE = 6e-10  # CPU seconds that a number takes
_REPEATS = 7
_SPEED = float(os.environ.get("SATTN_CLOCK_SPEED", "1"))  # of `clock`: for tests, which must not depend on it
_here = REFERENCE  # until it is measured


def clock() -> float:
    """Return the CPU seconds of this thread."""
    return _SPEED * time.thread_time()


def decided(price: Price) -> float:
    """Return the seconds that decide: the same from every server."""
    return REFERENCE * price.numbers


def here(price: Price) -> float:
    """Return the seconds to be said: as long as this machine takes."""
    return _here * price.numbers


def measure() -> float:
    """Measure this machine's rate, for some milliseconds, and say seconds by it from now on."""
    global _here
    _here = _least(*_sample())
    return _here


def _least(work: Callable[[], object], numbers: float) -> float:
    """Return the seconds a number of the quickest of some runs, for what disturbs a run can only make it longer."""
    taken = []
    for _ in range(_REPEATS):
        began = clock()
        work()
        taken.append(clock() - began)
    return max(min(taken), 1e-9) / numbers


def _sample():
    """Return work of each kind, to about equal parts, such as computations do it, and how much it counts."""
    rng = np.random.Generator(np.random.SFC64(0))
    few, many = np.arange(4.0), rng.random((20, 5_000))  # small enough that no fresh memory is asked of the system
    left, right = rng.random((8, 32, 64)), rng.random((8, 64, 64))

    def work():
        for some in many:
            for _ in range(3):
                e = np.exp(few - few.max(axis=-1, keepdims=True))
                np.stack([e / e.sum(axis=-1, keepdims=True), few]).mean(axis=0)
            centred = np.exp(some) - rng.standard_normal(some.size // 2).sum()
            np.where(np.isfinite(centred), centred, 0.0).sum() / (centred * np.exp(centred)).sum()
            left @ right

    products = MULTIPLIED * left.size * right.shape[2] + len(left) * MATRIX
    each = 36 * CALL + products + (8 + 2 * FUNCTION + DRAWN["standard_normal"] / 2) * many.shape[1]
    return work, len(many) * each
