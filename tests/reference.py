"""CPU seconds as the machine would take them that the prices are of: a busy or a slow one is measured by a known piece
of work beside what is asked, never by the clock on the wall."""

import time

import numpy as np

KNOWN_SECONDS = 0.004  # CPU seconds of `_known_work` on the reference machine


def reference_seconds(compute, runs=3, before=lambda: None):
    """CPU seconds of compute on the reference machine; `before` is called, and not counted, ahead of each run.

    The least of some runs counts: what disturbs a run can only make it longer. Of this thread: on a busy machine the
    other threads of a matrix product burn time in waiting for a core.
    """
    rounds = [(_thread_seconds(_known_work), _run(compute, before), _thread_seconds(_known_work)) for _ in range(runs)]
    known = min(min(first, last) for first, _, last in rounds)
    return min(taken for _, taken, _ in rounds) / known * KNOWN_SECONDS


def _run(compute, before):
    before()
    return _thread_seconds(compute)


def _thread_seconds(work):
    start = time.thread_time()
    work()
    return time.thread_time() - start


def _known_work():
    rng = np.random.default_rng(0)
    for _ in range(20):
        np.sort(np.exp(-(rng.standard_normal(10_000) ** 2)))
