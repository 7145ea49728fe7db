"""Rate limits: nobody finds a room by trying codes, and no phone keeps the others waiting."""

import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock


@dataclass(frozen=True)
class Rate:
    """At most so many at once, and after that so many a minute; the store counts them, for all replicas together."""

    name: str
    most: float
    a_minute: float

    def left(self, remaining: float, seconds: float) -> float:
        """Return what is left of the rate this many seconds later; an amount above the most does not grow."""
        return max(remaining, min(self.most, remaining + self.a_minute / 60 * max(seconds, 0.0)))


class Limit:
    """At most so many at once, and after that so many a minute; counted in memory, for one process, and bounded."""

    def __init__(
        self, most: float, a_minute: float, *, keys: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._rate, self._keys, self._clock = most, a_minute / 60, keys, clock
        self._left: dict[Hashable, tuple[float, float]] = {}  # the remainder, and its time
        self._lock = Lock()

    def is_over(self, key: Hashable) -> bool:
        """Return True if none is left now; nothing is taken."""
        with self._lock:
            return self._now(key) < 1

    def takes(self, key: Hashable) -> bool:
        """Take one, if one is left."""
        with self._lock:
            left = self._now(key)
            self._left.pop(key, None)
            if len(self._left) >= self._keys:  # the first one is forgotten
                del self._left[next(iter(self._left))]
            self._left[key] = (left - 1 if left >= 1 else left, self._clock())
            return left >= 1

    def _now(self, key):
        left, when = self._left.get(key, (self._most, self._clock()))
        return min(self._most, left + self._rate * (self._clock() - when))


_REPLICAS = "SATTN_REPLICAS"  # as the server's own `replicas` reads it
_SECRET = "STREAMLIT_SERVER_COOKIE_SECRET"  # read in the same way; all replicas have the same
_OWN_SECRET = secrets.token_hex()
_SITE = 48  # bits of an IPv6 address that identify a site: it has 65,536 networks


@dataclass(frozen=True)
class Network:
    """A network as the store counts it: without the server's secret nobody can tell an address from it.

    site: of IPv6 all networks of one site; else the same.
    """

    name: str
    site: str


def network_of(here: str, forwarded: str) -> Network:
    """Return the network that a limit counts: an address, or for IPv6 the network of a household.

    here: who has opened the connection; forwarded: whom proxies name. Behind the proxy of several replicas it is whom
    that names last.
    """
    return Network(*(_scrambled(each) for each in _named(here, forwarded)))


def _named(here, forwarded):
    named = forwarded.rpartition(",")[2].strip()
    address = named if named and os.environ.get(_REPLICAS, "1") != "1" else here
    with suppress(ValueError):
        found = ip_address(address.strip("[]"))
        if isinstance(found, IPv6Address) and not found.ipv4_mapped:
            return tuple(str(ip_network((found, bits), strict=False)) for bits in (64, _SITE))
        address = str(getattr(found, "ipv4_mapped", None) or found)
    return address, address


def _scrambled(text):
    secret = os.environ.get(_SECRET, "").strip() or _OWN_SECRET
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()[:24]


WRONG_CODES = Rate("wrong", 60, 60)  # for one network, behind which a whole class may sit
GUESSES = Rate("guesses", 100, 10)  # wrong codes of all networks; while none is left new rooms get longer codes
OPENED = Rate("opened", 20, 1)  # rooms, for one site
JOINED = Rate("joined", 40, 10)  # new phones in one room, for one network
FIRST_JOINED, FEW = 100, 10  # at once for a network that comes while few have come: perhaps a class behind one address
SENT = Limit(20, 60)  # answers and draws, for one phone
