"""Rates that turn counted numbers into seconds: a reference machine's and this server's.

Decisions about a page (to draw a button, to let a picture follow the slider, to compute unasked) use the reference
rate, so that a link shows the same page on every server. Times in a page's sentences use the rate measured here.
"""

import os
import time
from collections.abc import Callable

import numpy as np

from sattn_core.cost import CALL, DRAWN, FUNCTION, MATRIX, MULTIPLIED, Price

REFERENCE = 6e-10  # CPU seconds per counted number
_REPEATS = 7
_SPEED = float(os.environ.get("SATTN_CLOCK_SPEED", "1"))  # factor of `clock`, set by tests
_here = REFERENCE  # until it is measured


def clock() -> float:
    """Return the CPU seconds of this thread."""
    return _SPEED * time.thread_time()


def decided(price: Price) -> float:
    """Return the seconds on the reference machine, for decisions that must be the same on every server."""
    return REFERENCE * price.numbers


def here(price: Price) -> float:
    """Return the seconds on this machine, for sentences."""
    return _here * price.numbers


def measure() -> float:
    """Measure this machine's rate, which takes some milliseconds, for `here` to use from now on."""
    global _here
    _here = _least(*_sample())
    return _here


def _least(work: Callable[[], object], numbers: float) -> float:
    """Return the seconds per number in the fastest of several runs, since disturbances only make a run longer."""
    taken = []
    for _ in range(_REPEATS):
        began = clock()
        work()
        taken.append(clock() - began)
    return max(min(taken), 1e-9) / numbers


def _sample():
    """Return a function that does each kind of work in about equal parts, and the count of its numbers."""
    rng = np.random.Generator(np.random.SFC64(0))
    few, many = np.arange(4.0), rng.random((20, 5_000))  # small enough that no new memory is requested from the system
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
