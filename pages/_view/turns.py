"""Long computations take turns, so that short ones and the moves of other visitors go on beside them.

A few run at a time: the shorter kind first, then in the order in which they were asked for. What a visitor has asked
for by a button is a job in a thread of its own, so that the page stays alive; it ends when nobody waits for it.
"""

import os
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock, Thread
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._view import rates

SLOTS = max(1, (os.cpu_count() or 1) - 1)
GONE = 2.0  # seconds without a sign after which somebody who computes or waits has left
BETWEEN = 0.1  # seconds between two looks of one who waits
_SHOWN_AFTER = 0.4  # seconds of waiting that need no words
_FEW = {1: "One", 2: "Two", 3: "Three", 4: "Four", 5: "Five"}


# --- the line ------------------------------------------------------------------------------------------


@dataclass
class _Place:
    long: bool
    arrived: int
    looked: float


class Line:
    """Who computes and who waits."""

    def __init__(self, slots: int = SLOTS) -> None:
        self._slots = slots
        self._places: dict[Hashable, _Place] = {}
        self._arrivals = 0
        self._lock = Lock()

    def before(self, who: Hashable, *, long: bool) -> int:
        """How many must end before this one may compute. To ask keeps the place; one who is new comes last."""
        now = time.monotonic()
        with self._lock:
            self._places = {each: place for each, place in self._places.items() if now - place.looked < GONE}
            if who not in self._places:
                self._arrivals += 1
                self._places[who] = _Place(long, self._arrivals, now)
            mine = self._places[who]
            mine.long, mine.looked = long, now
            order = sorted((place.long, place.arrived) for place in self._places.values())
            return max(0, order.index((mine.long, mine.arrived)) + 1 - self._slots)

    def leave(self, who: Hashable) -> None:
        """Make room for the next."""
        with self._lock:
            self._places.pop(who, None)


LINE = Line()


def said(before: int) -> str:
    """How long the line is, as a person says it."""
    return f"{_FEW.get(before, before)} before you"


# --- what is computed in the run of a page -------------------------------------------------------------


def visitor() -> str | None:
    """Who looks at this run of a page; None outside of one."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else None


def ahead(*, long: bool) -> int:
    """How many must end before the visitor of this run may compute; outside of a run nobody waits."""
    who = visitor()
    return LINE.before(who, long=long) if who else 0


def leave() -> None:
    """The visitor of this run neither computes nor waits."""
    LINE.leave(visitor())


@contextmanager
def turn(*, long: bool) -> Iterator[None]:
    """The visitor's turn to compute in this run; the page says how many are before, if it takes a while."""
    began, place = time.monotonic(), None
    try:
        while before := ahead(long=long):
            look()
            if time.monotonic() - began > _SHOWN_AFTER:
                place = place or st.empty()
                place.markdown(said(before))
            time.sleep(BETWEEN)
        if place:
            place.empty()
        yield
    finally:
        leave()


# --- jobs ----------------------------------------------------------------------------------------------


class _Ended(Exception):
    """Nobody waits for the job any more."""


class Job:
    """A computation in a thread of its own, for one visitor.

    wanted says what is computed. spent is the CPU time so far in seconds, before how many must end before it goes on.
    Then it is done, or has ended because nobody waited for it, or there is a problem.
    """

    def __init__(self, wanted: Any, work: Callable[[], object]) -> None:
        self.wanted = wanted
        self.spent, self.before = 0.0, 0
        self.done, self.ended = False, False
        self.problem: Exception | None = None
        self._work, self._visitor, self._is_wanted = work, visitor(), True
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> None:
        """Until the job is over, but no longer than that."""
        self._thread.join(seconds)

    def end(self) -> None:
        """Nobody wants it any more: it ends at its next check."""
        self._is_wanted = False

    def check(self) -> None:
        """Between two blocks: end if nobody waits, pause while it is another's turn."""
        self.spent = rates.clock()
        while True:
            if not (self._is_wanted and _is_here(self._visitor)):
                raise _Ended
            self.before = LINE.before(self, long=True)
            if not self.before:
                return
            time.sleep(BETWEEN)

    def _run(self):
        _JOB.set(self)
        try:
            self.check()
            self._work()
            self.done = True
        except _Ended:
            self.ended = True
        except Exception as problem:
            self.problem = problem  # the page raises it
        finally:
            LINE.leave(self)


_JOB: ContextVar[Job | None] = ContextVar("job", default=None)


def _is_here(session):
    """Whether the visitor's page is connected."""
    return not runtime.exists() or runtime.get_instance().is_active_session(session)


def job_of_visitor(wanted: Any, work: Callable[[], object]) -> Job:
    """The visitor's only job, begun if it was another or none, or has ended while the connection was lost."""
    job: Job | None = st.session_state.get("job")
    if job is None or job.ended or job.wanted != wanted:
        end_job()
        job = st.session_state["job"] = Job(wanted, work)
    return job


def end_job() -> None:
    """The visitor wants none."""
    job = st.session_state.pop("job", None)
    if job:
        job.end()


def look() -> None:
    """What a computation calls between its blocks: there it ends if nobody waits for it."""
    if job := _JOB.get():
        job.check()
    elif visitor():
        st.session_state.get("asked")  # Streamlit ends the run of a page here
