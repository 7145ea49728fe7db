"""A shutdown in two steps: first new visitors are sent elsewhere, then the server stops as Streamlit stops it.

SATTN_GRACE is the number of seconds between the two, by default none. It is for load balancers that ask /readyz before
they send a visitor, as Kubernetes does; current visitors are still served. A second signal stops the server at once.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pages._view.server.health import readiness

GRACE = "SATTN_GRACE"


def grace() -> float:
    """Return the seconds between the signal and the stop; exit with a message if the setting is not a number."""
    asked = os.environ.get(GRACE, "") or "0"
    if not asked.isdecimal():
        raise SystemExit(f"{GRACE} is {asked!r}, but it must be a number of seconds, or not set")
    return float(asked)


@contextmanager
def announced() -> Iterator[None]:
    """At the stop signal, make /readyz refuse new visitors, and let the server stop `grace()` seconds later."""
    ends = signal.getsignal(signal.SIGTERM)
    if not callable(ends) or threading.current_thread() is not threading.main_thread():  # not run as a server
        yield
        return
    loop, seconds = asyncio.get_running_loop(), grace()

    def announce(number, frame):
        if readiness.is_ending or not seconds:
            ends(number, frame)
        else:
            loop.call_soon_threadsafe(loop.call_later, seconds, ends, number, None)
        readiness.is_ending = True

    signal.signal(signal.SIGTERM, announce)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, ends)
        readiness.is_ending = False
