"""Rate limits: nobody should find a room by trying codes, and no phone should keep the others waiting."""

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
    """A limit: `most` requests at once, then `a_minute` per minute; the store counts them for all replicas."""

    name: str
    most: float
    a_minute: float

    def left(self, remaining: float, seconds: float) -> float:
        """Return how many requests remain after this many seconds: refilled up to `most`, or unchanged if above it."""
        return max(remaining, min(self.most, remaining + self.a_minute / 60 * max(seconds, 0.0)))


class Limit:
    """A limit of `most` requests at once, then `a_minute` per minute, counted by key in this process's memory."""

    def __init__(
        self, most: float, a_minute: float, *, keys: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._rate, self._keys, self._clock = most, a_minute / 60, keys, clock
        self._left: dict[Hashable, tuple[float, float]] = {}  # what is left, and when it last changed
        self._lock = Lock()

    def is_over(self, key: Hashable) -> bool:
        """Return True if no further request is allowed; count nothing."""
        with self._lock:
            return self._now(key) < 1

    def takes(self, key: Hashable) -> bool:
        """Return True if another request is allowed, and count it."""
        with self._lock:
            left = self._now(key)
            self._left.pop(key, None)
            if len(self._left) >= self._keys:  # forget the key that was used longest ago
                del self._left[next(iter(self._left))]
            self._left[key] = (left - 1 if left >= 1 else left, self._clock())
            return left >= 1

    def _now(self, key):
        left, when = self._left.get(key, (self._most, self._clock()))
        return min(self._most, left + self._rate * (self._clock() - when))


_REPLICAS = "SATTN_REPLICAS"  # also read by the server's `replicas`
_SECRET = "STREAMLIT_SERVER_COOKIE_SECRET"  # the same on all replicas
_OWN_SECRET = secrets.token_hex()
_SITE = 48  # bits of an IPv6 address that identify a site, which has 65,536 networks


@dataclass(frozen=True)
class Network:
    """An IP network as the store counts it, hashed with the server's secret, so that its IP address stays unknown.

    name: the network's hash. site: the hash of its IPv6 site, which has many networks; for IPv4 equal to name.
    """

    name: str
    site: str


def network_of(here: str, forwarded: str) -> Network:
    """Return the network that a limit counts: one IPv4 address, or the IPv6 network of a household.

    here: the IP address that has opened the connection. forwarded: the IP addresses that proxies name; the last of
    these counts if there are several replicas behind a proxy.
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


WRONG_CODES = Rate("wrong", 60, 60)  # per network, which a whole class may share
GUESSES = Rate("guesses", 100, 10)  # wrong codes from all networks; while none is left, new rooms get longer codes
OPENED = Rate("opened", 20, 1)  # rooms per site
JOINED = Rate("joined", 40, 10)  # new phones, per room and network
FIRST_JOINED, FEW = 100, 10  # FIRST_JOINED at once if fewer than FEW have joined: a class may share one IP address
SENT = Limit(20, 60)  # answers and draws per phone
