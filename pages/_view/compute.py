"""The one door from a page to the core. What is computed is kept for all visitors, bounded in entries and in bytes.

Beside it the core remembers a few tables of its own, see `sattn_core._memory`.
"""

from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from sys import getsizeof
from threading import Condition
from typing import Any, ParamSpec, TypeVar

import numpy as np
import streamlit as st
from cachetools import LRUCache, cached
from cachetools.keys import hashkey
from streamlit.runtime.scriptrunner import get_script_run_ctx

from sattn_core.cost import Price

P = ParamSpec("P")
R = TypeVar("R")

UNASKED = Price(1.0, 100_000_000)  # the most that a page computes without being asked
AT_ONCE = Price(0.65, 100_000_000)  # the most of one computation that can wait for a button: others stand beside it
ENTRIES, BYTES = 512, 200_000_000


def _weight(kept):
    """The bytes of a result; the smallest weighs so much that no more than ENTRIES fit."""
    return max(_bytes(kept), BYTES // ENTRIES)


def _bytes(value):
    if isinstance(value, np.ndarray):
        return value.nbytes
    if _are_numbers(value):
        return getsizeof(value) + len(value) * getsizeof(value[0])
    return getsizeof(value) + sum(map(_bytes, _parts(value)))


def _parts(value):
    """What a record or a container holds; of a row of numbers none, for they are many and small."""
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
    """Make the arrays of a result read-only: all visitors see the same ones."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    for part in _parts(value):
        _protect(part)
    return value


_store: LRUCache[Any, Any] = LRUCache(BYTES, getsizeof=_weight)
_turn = Condition()  # whose turn it is to compute, and to touch the store


@cached(_store, key=hashkey, condition=_turn)
def _computed(function, *args, **kwargs):
    return _protect(function(*args, **kwargs))


def result(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What the function returns; many visitors who ask for the same at once wait for one computation.

    The arguments must be hashable. The result is shared, so its arrays cannot be written to.
    """
    return _computed(function, *args, **kwargs)


def keep(computed: R, function: Callable[..., R], *args: Hashable) -> None:
    """Keep what was computed in some other way as the result of this call."""
    with _turn:
        _store[hashkey(function, *args)] = _protect(computed)


def kept(function: Callable[..., R], *args: Hashable) -> R | None:
    """The result of this call if it is kept, or None."""
    with _turn:
        return _store.get(hashkey(function, *args))


def forget() -> None:
    """Empty the store, as on a server that has just started."""
    with _turn:
        _store.clear()


def check() -> None:
    """Called between the blocks of a long computation: Streamlit ends the run here once nobody waits for it.

    Any look at the session lets it: the visitor has left, or has asked for something else.
    """
    if get_script_run_ctx(suppress_warning=True):
        st.session_state.get("asked")


def cheap(params: Any) -> bool:
    """Whether these params cost so little that nobody need be asked."""
    price = params.price
    return price.seconds <= AT_ONCE.seconds and price.bytes <= AT_ONCE.bytes


def ready(params: Any) -> bool:
    """Whether a page may compute these params: they cost little, or the visitor has asked for exactly these."""
    return cheap(params) or params in st.session_state.get("asked", ())


def ask_for(params: Any) -> None:
    """The visitor wants these params computed, however long it takes."""
    st.session_state.setdefault("asked", set()).add(params)
