"""The only way from a page to the core; results are cached for all visitors, bounded in entries and bytes.

The core has a few caches of its own, see `sattn_core._memory`.
"""

from collections.abc import Callable, Hashable
from contextlib import nullcontext
from dataclasses import fields, is_dataclass
from sys import getsizeof
from threading import Condition
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from pages._view.compute import rates, turns
from pages._view.compute.prices import price_of

P = ParamSpec("P")
R = TypeVar("R")


class Limit(NamedTuple):
    """A limit in seconds at the reference rate, and in bytes."""

    seconds: float
    bytes: int


UNASKED = Limit(1.0, 100_000_000)  # limit for everything that a page computes before the visitor asks
WITHOUT_BUTTON = Limit(0.65, 100_000_000)  # limit for one computation; a larger one waits for the page's button, if any
AT_ONCE = 0.3  # seconds; a longer computation waits its turn, and is not made while a slider moves
ENTRIES, BYTES = 8_000, 16_000_000


def _weight(kept):
    """Return the bytes of a result, rounded up so that at most ENTRIES results fit."""
    return max(_bytes(kept), BYTES // ENTRIES)


def _bytes(value):
    if isinstance(value, np.ndarray):
        return value.nbytes
    if _are_numbers(value):
        return getsizeof(value) + len(value) * getsizeof(value[0])
    return getsizeof(value) + sum(map(_bytes, _parts(value)))


def _parts(value):
    """Return the parts of a dataclass or container; () for a tuple of floats, which has too many."""
    if _are_numbers(value):
        return ()
    if is_dataclass(value):
        return [getattr(value, each.name) for each in fields(value)]
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, (tuple, list)) else ()


def _are_numbers(value):
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], float)


def _protect(value):
    """Make the arrays of a result read-only, because all visitors share them."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    for part in _parts(value):
        _protect(part)
    return value


_store: LRUCache[Any, Any] = LRUCache(BYTES, getsizeof=_weight)
_turn = Condition()  # guards the store, and lets one thread compute a result that several want


def _key(function, *args, check=None, **kwargs):
    """Return the cache key of a call, without `check`, on which results do not depend."""
    return hashkey(function, *args, **kwargs)


@cached(_store, key=_key, condition=_turn)
def _computed(function, *args, **kwargs):
    return _protect(function(*args, **kwargs))


def result(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return the function's result; simultaneous calls with equal arguments share one computation.

    The arguments must be hashable. The result is shared, so its arrays are read-only. A long computation takes turns
    with those of other visitors, and every computation waits for its bytes.
    """
    if _is_kept(function, *args, **kwargs):
        return _computed(function, *args, **kwargs)
    price = price_of(function, *args, **kwargs)
    turns.refuse_dear(price)
    in_turn = turns.turn(long=False) if _takes_long(function, price) else nullcontext()
    with in_turn, turns.memory(price.bytes):
        return _computed(function, *args, **kwargs)


def _takes_long(function, price):
    """Return True if the call takes turns; a function without a price is cheap at any settings."""
    return hasattr(function, "price") and rates.decided(price) > AT_ONCE


def _is_kept(function, *args, **kwargs):
    with _turn:
        return _key(function, *args, **kwargs) in _store


def keep(computed: R, function: Callable[..., R], *args: Hashable) -> None:
    """Cache a result computed elsewhere as the result of this call."""
    with _turn:
        _store[hashkey(function, *args)] = _protect(computed)


def kept(function: Callable[..., R], *args: Hashable) -> R | None:
    """Return the result of this call if it is cached, else None."""
    with _turn:
        return _store.get(hashkey(function, *args))


def held() -> tuple[int, int]:
    """Return the number of cached results, and their bytes."""
    with _turn:
        return len(_store), int(_store.currsize)


def forget() -> None:
    """Empty the cache, as on a server that has just started."""
    with _turn:
        _store.clear()


def cheap(params: Any) -> bool:
    """Return True if these params are cheap enough to be computed while a slider moves."""
    return rates.decided(params.price) <= AT_ONCE and params.price.bytes <= WITHOUT_BUTTON.bytes


def needs_button(params: Any, limit: Limit | None = None) -> bool:
    """Return True if these params are so expensive that a page computes them only on request.

    limit: the limit for several computations together, instead of WITHOUT_BUTTON for one.
    """
    limit = limit or WITHOUT_BUTTON
    return rates.decided(params.price) > limit.seconds or params.price.bytes > limit.bytes
