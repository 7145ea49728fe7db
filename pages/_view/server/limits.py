"""How often one may ask: so that nobody finds a room by trying codes, and no phone keeps the others waiting."""

import time
from collections.abc import Callable, Hashable
from threading import Lock


class Limit:
    """At most so many at once, and after that so many a minute. What it knows is in memory, and bounded."""

    def __init__(
        self, most: float, a_minute: float, *, keys: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._rate, self._keys, self._clock = most, a_minute / 60, keys, clock
        self._left: dict[Hashable, tuple[float, float]] = {}  # what was left, and when
        self._lock = Lock()

    def is_over(self, key: Hashable) -> bool:
        """Whether none is left now; nothing is taken."""
        with self._lock:
            return self._now(key) < 1

    def takes(self, key: Hashable) -> bool:
        """Take one, if one is left."""
        with self._lock:
            left = self._now(key)
            self._left.pop(key, None)
            if len(self._left) >= self._keys:  # who came first is forgotten
                del self._left[next(iter(self._left))]
            self._left[key] = (left - 1 if left >= 1 else left, self._clock())
            return left >= 1

    def _now(self, key):
        left, when = self._left.get(key, (self._most, self._clock()))
        return min(self._most, left + self._rate * (self._clock() - when))


WRONG_CODES = Limit(60, 60)  # for one address, behind which a whole class may sit
OPENED = Limit(20, 1)  # rooms, for one address
SENT = Limit(20, 60)  # answers and draws, for one phone
