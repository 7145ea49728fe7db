"""How many seconds counted work takes: on a machine that stands for all, and on the one that the server runs on.

What decides over a page (a button, a picture that follows the hand, what is computed unasked) takes the reference
rates, so that a link shows the same from every server. What a page says of time takes the rates measured here.
"""

import os
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sattn_core.cost import KINDS, SPECIALS, Price


class Rates(NamedTuple):
    """CPU seconds that one unit of each kind of work takes."""

    calls: float
    draws: float
    products: float
    specials: float
    passes: float

    def seconds(self, price: Price) -> float:
        """What the work of a price takes."""
        return sum(getattr(self, kind) * getattr(price, kind) for kind in KINDS)


REFERENCE = Rates(calls=1.5e-6, draws=1.15e-8, products=8e-11, specials=2.2e-9, passes=6e-10)
_REPEATS = 7
_SPEED = float(os.environ.get("SATTN_CLOCK_SPEED", "1"))  # of `clock`: for tests, which must not depend on it
_here = REFERENCE  # until they are measured


def clock() -> float:
    """CPU seconds of this thread."""
    return _SPEED * time.thread_time()


def decided(price: Price) -> float:
    """The seconds that decide: the same from every server."""
    return REFERENCE.seconds(price)


def here(price: Price) -> float:
    """The seconds to be said: as long as this machine takes."""
    return _here.seconds(price)


def measure() -> Rates:
    """Measure this machine's rates, some milliseconds for each, and say seconds by them from now on."""
    global _here
    _here = Rates(*(_least(work, units) for work, units in _samples()))
    return _here


def _least(work: Callable[[], object], units: float) -> float:
    """Seconds a unit: of some runs the quickest, for what disturbs a run can only make it longer."""
    taken = []
    for _ in range(_REPEATS):
        began = clock()
        work()
        taken.append(clock() - began)
    return max(min(taken), 1e-9) / units


def _samples():
    """Work of each kind, in the order of `Rates`, and how many units it is: such as computations do it."""
    rng = np.random.Generator(np.random.SFC64(0))
    few, many = np.arange(4.0), rng.random(100_000)
    left, right = rng.random((32, 32, 64)), rng.random((32, 64, 64))

    def calls():
        for _ in range(60):
            e = np.exp(few - few.max(axis=-1, keepdims=True))
            np.stack([e / e.sum(axis=-1, keepdims=True), few]).mean(axis=0)

    def specials():
        return np.exp(many), np.hypot(many[:20_000], 1.0)

    def passes():
        for some in many.reshape(10, -1):  # small enough that no fresh memory is asked of the system
            centred = some - some.mean()
            np.where(np.isfinite(centred), centred, 0.0).sum() / (centred * centred).sum()

    yield calls, 60 * 8
    yield lambda: rng.standard_normal(many.size), many.size
    yield lambda: left @ right, left.size * 64
    yield specials, many.size + SPECIALS["hypot"] * 20_000
    yield passes, 7 * many.size
