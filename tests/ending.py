"""A limit for work that must end: reading a long text takes a second if work is proportional, minutes if squared."""

import signal
from contextlib import contextmanager

PATIENCE = 60  # CPU seconds, of which it takes one


@contextmanager
def ends():
    """Fail if the work inside does not end, however slow the machine."""

    def give_up(*_):
        raise TimeoutError("it does not end: its work must grow faster than what it is given")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
