"""Memory budgets: every computation takes its bytes before it runs and gives them back afterwards.

Three kinds of computations have separate budgets, so that none waits behind another: requests that need only an
address (HTML and `moving/`), runs of pages, and jobs that a visitor starts with a button.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock

SETTING = "SATTN_COMPUTE_MB"
LEAST = 520  # MB: the sum of what `PAGES`, `RUNS` and `JOBS` need for their largest computations
USUAL = 600  # MB: with only LEAST, the runs of sixty visitors wait for memory and take three times as long
_PAGES, _RUNS, _JOBS = 140, 100, 280  # MB; a button may start larger computations than a link
RUNS_AT_ONCE = 3  # runs that compute at once: more would share the interpreter lock with every plain page
_OVERTAKEN = 8  # a wish overtaken so often is granted before all others
_LOOK, _SELDOM = 0.1, 1.0  # seconds between two checks: for the next wish in the queue, and for one far behind


@dataclass(eq=False)
class Wish:
    """A request for a part of a budget; `then` is called once it is granted."""

    amount: int
    size: float
    then: Callable[[], object]
    overtaken: int = 0
    granted: Event = field(default_factory=Event)


class Budget:
    """A shared amount. A wish that does not fit waits: small ones go before large ones, but none waits for ever.

    at_once : the highest number of wishes that may hold a part at the same time, however small.
    """

    def __init__(self, most: int, at_once: int | None = None) -> None:
        self.most, self.held, self._least = most, 0, most // at_once if at_once else 0
        self._waiting: list[Wish] = []  # in order of arrival
        self._lock = Lock()

    @contextmanager
    def hold(self, amount: int, *, waits: Callable[[int], object] = lambda _: None) -> Iterator[Wish]:
        """Hold an amount while a computation runs; one larger than the whole budget runs alone.

        waits: called regularly during the wait with the number of wishes ahead; an exception from it ends the wait.
        """
        wish = self.ask(amount)
        try:
            while not wish.granted.wait(0 if wish.granted.is_set() else self._pause(wish)):
                waits(self.before(wish))
            yield wish
        finally:
            self.give_back(wish)

    def ask(self, amount: int, *, size: float | None = None, then: Callable[[], object] = lambda: None) -> Wish:
        """Ask for an amount, granted now or later. size: determines the place in the queue, by default the amount."""
        wish = Wish(min(max(amount, self._least), self.most), amount if size is None else size, then)
        with self._lock:
            self._waiting.append(wish)
            self._grant()
        return wish

    def give_back(self, wish: Wish) -> None:
        """Give back the amount, or leave the queue; a second call does nothing."""
        with self._lock:
            if wish in self._waiting:
                self._waiting.remove(wish)
            elif wish.amount:
                self.held -= wish.amount
                wish.amount = 0
            self._grant()

    def before(self, wish: Wish) -> int:
        """Return the number of wishes that must end before this one begins; 0 if it has begun."""
        with self._lock:
            order = self._order()
            return order.index(wish) + 1 if wish in order else 0

    def _pause(self, wish):
        return min(_SELDOM, _LOOK * max(1, self.before(wish)))

    def _order(self):
        """Return the waiting wishes in order: first those overtaken too often, by arrival, then by size."""
        return sorted(self._waiting, key=lambda each: 0 if each.overtaken >= _OVERTAKEN else 1 + each.size)

    def _grant(self):
        """Grant every wish that fits, up to one that was overtaken too often and does not fit."""
        for wish in self._order():
            if self.held + wish.amount <= self.most:
                self.held += wish.amount
                earlier = self._waiting[: self._waiting.index(wish)]
                self._waiting.remove(wish)
                for each in earlier:
                    each.overtaken += 1
                wish.granted.set()
                wish.then()
            elif wish.overtaken >= _OVERTAKEN:
                return


def configured(text: str) -> int:
    """Parse the setting, in MB, into bytes; raise ValueError if it is too small or not a whole number."""
    if not text.strip().isdecimal() or int(text) < LEAST:
        raise ValueError(f"{SETTING} must be a whole number of at least {LEAST} (MB), but is {text!r}")
    return int(text) * 1_000_000


def shares(most: int) -> tuple[Budget, Budget, Budget]:
    """Return the budgets of pages, runs and jobs; runs and jobs share the memory beyond LEAST."""
    more = (most - LEAST * 1_000_000) // 2
    runs = Budget(_RUNS * 1_000_000 + more, RUNS_AT_ONCE)
    return Budget(_PAGES * 1_000_000), runs, Budget(_JOBS * 1_000_000 + more)


PAGES, RUNS, JOBS = shares(configured(os.environ.get(SETTING, str(USUAL))))
