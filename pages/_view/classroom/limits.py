"""How often one may ask: so that nobody finds a room by trying codes, and no phone keeps the others waiting."""

import os
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from ipaddress import IPv6Address, ip_address, ip_network
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


_REPLICAS = "SATTN_REPLICAS"  # as the server's own `replicas` reads it


def network_of(here: str, forwarded: str) -> str:
    """Return whom a limit counts: an address, or of IPv6 the network of a household.

    here: who has opened the connection; forwarded: whom proxies name. Behind the proxy of several replicas it is whom
    that names last.
    """
    named = forwarded.rpartition(",")[2].strip()
    address = named if named and os.environ.get(_REPLICAS, "1") != "1" else here
    with suppress(ValueError):
        found = ip_address(address.strip("[]"))
        if isinstance(found, IPv6Address):
            return str(found.ipv4_mapped or ip_network((found, 64), strict=False))
    return address


WRONG_CODES = Limit(60, 60)  # for one network, behind which a whole class may sit
OPENED = Limit(20, 1)  # rooms, for one network
SENT = Limit(20, 60)  # answers and draws, for one phone
