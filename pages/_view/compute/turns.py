"""Turns for long computations, so that short ones and other visitors' sliders are not held up.

A few run at a time: the shorter kind first, then by arrival. A computation that a visitor starts with a button is a job
in its own thread, so that the page stays responsive; it pauses when nobody waits for it. Each computation also takes
the bytes that it needs, see `budget`. Only a few pages are drawn at a time: a hundred drawing threads would share the
interpreter lock with every plain page.
"""

import os
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock, Thread
from typing import Any, Protocol

from pages._view.compute import rates
from pages._view.compute.budget import JOBS, PAGES, RUNS, Budget, Wish
from pages._view.compute.prices import SMALL
from sattn_core.cost import Price

SLOTS = max(1, (os.cpu_count() or 1) - 1)
GONE = 2.0  # a visitor who computes or waits counts as gone after so many seconds without a call
BETWEEN = 0.1  # seconds between two checks by the next visitor in the queue
_FAR = 10  # queue position beyond which the time between checks no longer grows
DRAWN_AT_ONCE = 3  # pages; drawing a lesson takes 35 to 60 ms of a core
_SOON = 0.02  # seconds between two checks of a job by a page
_SHOWN_AFTER = 0.4  # seconds; a shorter wait is not mentioned
_FEW = {1: "One", 2: "Two", 3: "Three", 4: "Four", 5: "Five"}


# --- the line ------------------------------------------------------------------------------------------


@dataclass
class _Place:
    long: bool
    arrived: int
    looked: float


class Line:
    """The queue of visitors who compute or wait."""

    def __init__(self, slots: int = SLOTS) -> None:
        self._slots = slots
        self._places: dict[Hashable, _Place] = {}
        self._arrivals = 0
        self._lock = Lock()

    def before(self, who: Hashable, *, long: bool) -> int:
        """Return how many others must end before `who` may compute; join the queue, or stay in it by later calls."""
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

    def waiting(self) -> int:
        """Return how many are waiting; a visitor without a recent call has left."""
        now = time.monotonic()
        with self._lock:
            return max(0, sum(now - place.looked < GONE for place in self._places.values()) - self._slots)

    def leave(self, who: Hashable) -> None:
        """Leave the queue."""
        with self._lock:
            self._places.pop(who, None)


LINE = Line()


def queue_text(before: int) -> str:
    """Return the length of the queue as text."""
    return f"{_FEW.get(before, before)} before you"


# --- computations in the run of a page -----------------------------------------------------------------


class Note(Protocol):
    """A line on the page."""

    def markdown(self, text: str) -> object:
        """Show a text."""

    def empty(self) -> object:
        """Remove the line."""


@dataclass(frozen=True)
class Page:
    """Functions with which a computation talks to the page that waits for it; by default no page waits.

    visitor : returns the visitor of this run; None outside a run. is_connected : returns True if a visitor is still
    connected. end_if_asked : ends the run if its visitor has left or asked for something else. note : adds a line to
    the page.
    """

    visitor: Callable[[], str | None] = lambda: None
    is_connected: Callable[[str | None], bool] = lambda _: True
    end_if_asked: Callable[[], None] = lambda: None
    note: Callable[[], Note] | None = None


page = Page()  # replaced by the front end with sessions


class _Wait:
    """One wait: called at every check, it shows the length of the queue once the wait is noticeable."""

    def __init__(self) -> None:
        self._began, self._said = time.monotonic(), 0
        self._note: Note | None = None

    def __call__(self, before: int) -> None:
        _go_aside()
        look()
        if page.note and before != self._said and time.monotonic() - self._began > _SHOWN_AFTER:
            self._note, self._said = self._note or page.note(), before
            self._note.markdown(queue_text(before))

    def over(self) -> None:
        """Remove the line from the page."""
        if self._note:
            self._note.empty()


@contextmanager
def turn(*, long: bool) -> Iterator[None]:
    """Wait for the visitor's turn to compute in this run."""
    waits, who = _Wait(), page.visitor()
    _go_aside()
    try:
        while who and (before := LINE.before(who, long=long)):  # outside a run nobody waits
            waits(before)
            time.sleep(BETWEEN * min(before, _FAR))
        waits.over()
        yield
    finally:
        LINE.leave(who)


@contextmanager
def memory(wanted: int) -> Iterator[None]:
    """Hold the bytes of a computation; inside a job or another computation, use the bytes held there."""
    if _HOLDS.get():
        yield
        return
    waits, holds = _Wait(), _HOLDS.set(True)
    try:
        with (RUNS if page.visitor() else PAGES).hold(wanted, waits=waits):
            waits.over()
            yield
    finally:
        _HOLDS.reset(holds)


DRAWN = Budget(DRAWN_AT_ONCE)
_HOLDS: ContextVar[bool] = ContextVar("holds", default=False)
_PLACE: ContextVar[Wish | None] = ContextVar("place", default=None)


@contextmanager
def drawing() -> Iterator[None]:
    """Wait until this page may be drawn; if it waits for a computation meanwhile, let the next page be drawn."""
    with DRAWN.hold(1, waits=lambda _: look()) as place:
        had = _PLACE.set(place)
        try:
            yield
        finally:
            _PLACE.reset(had)


def _go_aside():
    if place := _PLACE.get():
        DRAWN.give_back(place)


# --- requests of an address alone ----------------------------------------------------------------------

QUICK = SMALL  # price limit of a computation that a plain page makes at once


class Dear(Exception):
    """A plain page needs a computation too expensive to make at once; `price` is the computation's."""

    def __init__(self, price: Price) -> None:
        super().__init__(f"{price.numbers:g} numbers, {price.bytes:,} bytes")
        self.price = price


_QUICKLY: ContextVar[bool] = ContextVar("quickly", default=False)


def quickly(function: Callable[..., Any], *args: Any) -> Any:
    """Return the function's result if it needs only quick computations; else raise `Dear`."""
    _QUICKLY.set(True)  # not reset: each call in a pool runs in its own copy of the context
    return function(*args)


def refuse_dear(price: Price) -> None:
    """Raise `Dear` inside `quickly`, unless the price is small."""
    if _QUICKLY.get() and (price.numbers > QUICK.numbers or price.bytes > QUICK.bytes):
        raise Dear(price)


# --- jobs ----------------------------------------------------------------------------------------------


class _Unwanted(Exception):
    """A job for which nobody waits any more."""


_ANY = object()  # default of `seen`: a new frame does not end the wait


class Job:
    """A computation in its own thread that keeps its latest frame, for all visitors who want it.

    wanted: the params of the computation. work: a function that calls `look` between its blocks, or that returns an
    iterator of frames, with None if nothing is new. when: time of the latest frame. spent: CPU seconds so far. before:
    number of other computations that must end before the job goes on. price: the whole job's; by default that of
    `wanted`. A job that nobody wants pauses; when somebody wants it again, a function starts over, but an iterator
    goes on.
    """

    def __init__(self, wanted: Any, work: Callable[[], object], price: Price | None = None) -> None:
        self.wanted, self._work = wanted, work
        own: Price = getattr(wanted, "price", SMALL)
        self._price = price or own
        self.frame: Any = None
        self._made: Any = None
        self.when: datetime | None = None
        self.spent, self._earlier, self.before = 0.0, 0.0, 0
        self.runs, self.done = False, False
        self._problem: Exception | None = None
        self._visitors: set[str | None] = set()
        self._lock = Lock()

    def want(self) -> None:
        """Add a waiting visitor, and start or resume the job."""
        with self._lock:
            self._visitors.add(page.visitor())
            if not (self.runs or self.done or self._problem):
                self.runs = True
                Thread(target=self._run, daemon=True).start()

    def leave(self) -> None:
        """Remove a waiting visitor; a job for which nobody waits pauses at its next check."""
        with self._lock:
            self._visitors.discard(page.visitor())

    def wait(self, seconds: float, *, seen: object = _ANY) -> None:
        """Wait until the job ends, has a frame other than `seen`, or the time is up; raise the exception of the job."""
        until = time.monotonic() + seconds
        _go_aside()
        while self.runs and (seen is _ANY or seen is self.frame) and time.monotonic() < until:
            look()
            time.sleep(_SOON)
        if self._problem:
            raise self._problem

    def check(self) -> None:
        """Pause if nobody waits for the job, or while it is another's turn; called between blocks."""
        self.spent = self._earlier + rates.clock()
        while True:
            self._rest_if_unwanted(LINE.before(self, long=True))
            if not self.before:
                return
            time.sleep(BETWEEN)

    def _rest_if_unwanted(self, before):
        with self._lock:
            self._visitors = {each for each in self._visitors if page.is_connected(each)}
            self.runs = bool(self._visitors)
        if not self.runs:
            raise _Unwanted
        self.before = before

    def _run(self):
        _JOB.set(self)
        self._earlier = self.spent if self._made else 0.0
        try:
            # Take the bytes before the turn, so that no holder of bytes waits for a turn whose holder needs bytes.
            with JOBS.hold(self._price.bytes, waits=self._rest_if_unwanted):
                _HOLDS.set(True)
                self._go_on()
            self.done, self.runs = True, False
        except _Unwanted:
            pass
        except Exception as problem:
            self._problem, self.runs = problem, False
        finally:
            LINE.leave(self)

    def _go_on(self):
        self.check()
        self._made = self._made or self._work()
        for frame in self._made if isinstance(self._made, Iterator) else ():
            if frame is not None:
                self.when, self.frame = datetime.now(UTC), frame
            self.check()


_JOB: ContextVar[Job | None] = ContextVar("job", default=None)


def look() -> None:
    """End the computation if nobody waits for it; computations call this between their blocks."""
    if job := _JOB.get():
        job.check()
    else:
        page.end_if_asked()
