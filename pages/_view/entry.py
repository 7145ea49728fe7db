"""The name under which a picture is cached: the query of `moving/X`, which the stage's script requests.

Equal settings give equal names: only what the picture depends on, without defaults, in alphabetical order, and with
the version of the code that draws. `live/entry.js` adds the values of the sliders.
"""

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import quote_plus, urlencode

import numpy as np

from pages._view.address import Address
from pages._view.kinds import Number
from pages._view.lesson import CLASS, FIRST, GUESS, GUESSED_AT, PHONES, REVEAL, VOTES
from pages._view.shared import ROOM, SHARED
from pages._view.version import VERSION

GROUND, VERSION_OF = "ground", "v"  # parameters of a name: the browser's theme, the code's version
# Controls that do not change a picture that follows a slider.
CHANGES_NOTHING = ("rest",)
# Parameters that belong to one visitor or class: the server caches nothing for an address that has one of them.
THEIRS = frozenset((ROOM, CLASS, FIRST, PHONES, VOTES, GUESS, GUESSED_AT, REVEAL, "tally"))
# With one of these parameters, a bet or its result is drawn on the picture.
_OF_BET = ("bet", GUESS, GUESSED_AT, REVEAL, CLASS, FIRST)


def is_theirs(query: Collection[str]) -> bool:
    """Return True if a query with these parameters belongs to one visitor or class."""
    return not THEIRS.isdisjoint(query)


def depends_on(here: Address) -> tuple[str, ...]:
    """Return the controls that a step's picture depends on.

    Shared controls count only if the lesson uses them, and pinned ones only if a bet was placed on the step.
    """
    pinned = here.step.pinned if here.guesses is None else ()
    used = {*here.lesson.shared, *here.step.followed, "mode"}
    dropped = {*CHANGES_NOTHING, *pinned, *(set(SHARED) - used)}
    return tuple(name for name in here.said if name not in dropped)


def name_of(here: Address, ground: str | None, *, without: Collection[str] = ()) -> str:
    """Return the name of an address's picture. without: sliders that are left out, because the script adds them."""
    said = {name: here.said[name] for name in depends_on(here) if name not in without}
    query = {name: _written(here, name, value) for name, value in said.items() if value != here.known(name).default}
    if here.bet is not None:
        query |= {name: here.query[name] for name in _OF_BET if name in here.query}
    if ground in ("light", "dark"):
        query[GROUND] = ground
    return as_asked(query | {VERSION_OF: VERSION})


def usual(here: Address) -> dict[str, Any]:
    """Return the defaults of the sliders that the picture follows."""
    return {name: here.known(name).default for name in here.step.followed}


def _written(here, name, value):
    """Return a value as in an address, but numbers with all digits, as JavaScript writes them."""
    one = here.known(name)
    if not isinstance(one, Number):
        return one.write(value)
    return str(value) if isinstance(value, int) else np.format_float_positional(value, trim="-")


def as_asked(query: Mapping[str, str]) -> str:
    """Return a query in alphabetical order, percent-encoded as by a browser."""
    return urlencode(sorted(query.items()), quote_via=_quoted)


def _quoted(text, *_):
    return quote_plus(text, safe="*").replace("~", "%7E")
