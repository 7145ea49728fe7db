"""A time limit for reading long texts: linear work takes a second, quadratic work takes minutes."""

import signal
from contextlib import contextmanager

PATIENCE = 60  # CPU seconds; linear work takes about one


@contextmanager
def ends():
    """Fail if the block uses more than PATIENCE seconds of CPU time."""

    def give_up(*_):
        raise TimeoutError("it does not end: its work must grow faster than what it is given")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
