"""Long computations take turns, so that short ones and the moves of other visitors go on beside them.

A few run at a time: the shorter kind first, then in the order in which they were asked for. What a visitor has asked
for by a button is a job in a thread of its own, so that the page stays alive; it rests when nobody waits for it.
Beside its turn each takes the bytes that it needs, see `budget`. Few pages are drawn at a time too: a hundred threads
that draw would share one interpreter lock with every plain page.
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
GONE = 2.0  # seconds without a sign after which somebody who computes or waits has left
BETWEEN = 0.1  # seconds between two looks of one who waits
_FAR = 10  # of those before; who is farther back looks no less often
DRAWN_AT_ONCE = 3  # pages; a lesson takes 35 to 60 ms of one core
_SOON = 0.02  # seconds between two looks of a page at a job
_SHOWN_AFTER = 0.4  # seconds of waiting that need no words
_FEW = {1: "One", 2: "Two", 3: "Three", 4: "Four", 5: "Five"}


# --- the line ------------------------------------------------------------------------------------------


@dataclass
class _Place:
    long: bool
    arrived: int
    looked: float


class Line:
    """The queue of those who compute and those who wait."""

    def __init__(self, slots: int = SLOTS) -> None:
        self._slots = slots
        self._places: dict[Hashable, _Place] = {}
        self._arrivals = 0
        self._lock = Lock()

    def before(self, who: Hashable, *, long: bool) -> int:
        """Return how many must end before this one may compute. To ask keeps the place; one who is new comes last."""
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
        """Return how many wait; those without a sign have left."""
        now = time.monotonic()
        with self._lock:
            return max(0, sum(now - place.looked < GONE for place in self._places.values()) - self._slots)

    def leave(self, who: Hashable) -> None:
        """Make room for the next."""
        with self._lock:
            self._places.pop(who, None)


LINE = Line()


def queue_text(before: int) -> str:
    """Return the length of the queue as text."""
    return f"{_FEW.get(before, before)} before you"


# --- what is computed in the run of a page -------------------------------------------------------------


class Note(Protocol):
    """A line on the page."""

    def markdown(self, text: str) -> object:
        """Show a text in it."""

    def empty(self) -> object:
        """Take it away."""


@dataclass(frozen=True)
class Page:
    """The functions by which a computation asks the page that waits for it; as made here, no page waits.

    visitor : who looks at this run; None outside of one. is_connected : whether they still do. end_if_asked : ends the
    run if its visitor has left or asked for something else. note : a new line on the page.
    """

    visitor: Callable[[], str | None] = lambda: None
    is_connected: Callable[[str | None], bool] = lambda _: True
    end_if_asked: Callable[[], None] = lambda: None
    note: Callable[[], Note] | None = None


page = Page()  # the front end with sessions puts its own here


class _Wait:
    """Steps of one who waits: the page says how many are before, if it takes a while."""

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
        """Take away what was said."""
        if self._note:
            self._note.empty()


@contextmanager
def turn(*, long: bool) -> Iterator[None]:
    """Wait for the visitor's turn to compute in this run."""
    waits, who = _Wait(), page.visitor()
    _go_aside()
    try:
        while who and (before := LINE.before(who, long=long)):  # outside of a run nobody waits
            waits(before)
            time.sleep(BETWEEN * min(before, _FAR))
        waits.over()
        yield
    finally:
        LINE.leave(who)


@contextmanager
def memory(wanted: int) -> Iterator[None]:
    """Hold the bytes of a computation; what a job or a computation asks for inside is part of what that one holds."""
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
    """Wait until this page may be drawn. Who then waits for a computation lets the next one draw, and goes on after."""
    with DRAWN.hold(1, waits=lambda _: look()) as place:
        had = _PLACE.set(place)
        try:
            yield
        finally:
            _PLACE.reset(had)


def _go_aside():
    if place := _PLACE.get():
        DRAWN.give_back(place)


# --- what an address alone asks for --------------------------------------------------------------------

QUICK = SMALL  # the most of a computation that no plain page needs to wait for


class Dear(Exception):
    """Say that a page needs a computation that is to wait until it may begin; it has a `price`."""

    def __init__(self, price: Price) -> None:
        super().__init__(f"{price.numbers:g} numbers, {price.bytes:,} bytes")
        self.price = price


_QUICKLY: ContextVar[bool] = ContextVar("quickly", default=False)


def quickly(function: Callable[..., Any], *args: Any) -> Any:
    """Return what a function returns that computes nothing dear; raise `Dear` if it would have to."""
    _QUICKLY.set(True)  # in the context of this call: each thread of a pool begins with a copy
    return function(*args)


def refuse_dear(price: Price) -> None:
    """Raise `Dear` where only what is quick may be computed."""
    if _QUICKLY.get() and (price.numbers > QUICK.numbers or price.bytes > QUICK.bytes):
        raise Dear(price)


# --- jobs ----------------------------------------------------------------------------------------------


class _Unwanted(Exception):
    """A signal to a job that nobody waits for it any more."""


_ANY = object()  # any frame is seen


class Job:
    """A computation in a thread of its own that keeps its latest frame, for all visitors who want it.

    wanted says what is computed. work is a function that calls `look` between its blocks, or returns an iterator of
    frames, None where there is nothing new to see. when is the time of the latest frame, spent the CPU time so far in
    seconds, before how many must end before it goes on. A job that nobody wants rests; when somebody does, a function
    begins anew, and frames go on where they were. price: of all of it; by default that of what is wanted.
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
        """Let the visitor wait for it: it begins, or goes on."""
        with self._lock:
            self._visitors.add(page.visitor())
            if not (self.runs or self.done or self._problem):
                self.runs = True
                Thread(target=self._run, daemon=True).start()

    def leave(self) -> None:
        """Let the visitor wait no longer; a job that nobody waits for rests at its next check."""
        with self._lock:
            self._visitors.discard(page.visitor())

    def wait(self, seconds: float, *, seen: object = _ANY) -> None:
        """Wait until it is over, has another frame than the one seen, or the time is up; raise what went wrong."""
        until = time.monotonic() + seconds
        _go_aside()
        while self.runs and (seen is _ANY or seen is self.frame) and time.monotonic() < until:
            look()
            time.sleep(_SOON)
        if self._problem:
            raise self._problem

    def check(self) -> None:
        """Rest if nobody waits, pause while it is another's turn: called between two blocks."""
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
            # The bytes before the turn: who has them never waits for the turn of one who waits for bytes.
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
    """End the computation if nobody waits for it; a computation calls this between its blocks."""
    if job := _JOB.get():
        job.check()
    else:
        page.end_if_asked()
