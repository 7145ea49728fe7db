"""The name under which a picture may be kept: the query of `moving/X` that the stage's script asks for.

One setting has one name: what the picture depends on and nothing else, usual values left out, in the order of the
letters, and the version of the code that draws it. `live/entry.js` puts in where the sliders stand.
"""

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import quote_plus, urlencode

import numpy as np

from pages._view.address import Address
from pages._view.kinds import Number
from pages._view.lesson import CLASS, GUESS, GUESSED_AT, PHONES, REVEAL, VOTES
from pages._view.shared import ROOM, SHARED
from pages._view.version import VERSION

GROUND, VERSION_OF = "ground", "v"  # in the name: which ground the browser shows, and the version of the code
# Controls that change no picture that follows a slider.
CHANGES_NOTHING = ("rest",)
# What one visitor or one class has said: an address with any of it is theirs, and nothing of it is kept for others.
THEIRS = frozenset((ROOM, CLASS, PHONES, VOTES, GUESS, GUESSED_AT, REVEAL, "tally"))
_OF_BET = ("bet", GUESS, GUESSED_AT, REVEAL, CLASS)  # a bet, or what was bet, is drawn on the picture


def is_theirs(query: Collection[str]) -> bool:
    """Return True if an address with these parameters is of one visitor or of one class."""
    return not THEIRS.isdisjoint(query)


def depends_on(here: Address) -> tuple[str, ...]:
    """Return the controls that the picture of a step depends on.

    Of the shared ones those that the lesson uses; none that the step pins, unless a bet was placed at it.
    """
    pinned = here.step.pinned if here.guesses is None else ()
    used = {*here.lesson.shared, *here.step.followed, "mode"}
    dropped = {*CHANGES_NOTHING, *pinned, *(set(SHARED) - used)}
    return tuple(name for name in here.said if name not in dropped)


def name_of(here: Address, ground: str | None, *, without: Collection[str] = ()) -> str:
    """Return the name of the picture at an address. without: its sliders, which the script puts in."""
    said = {name: here.said[name] for name in depends_on(here) if name not in without}
    query = {name: _written(here, name, value) for name, value in said.items() if value != here.known(name).default}
    if here.bet is not None:
        query |= {name: here.query[name] for name in _OF_BET if name in here.query}
    if ground in ("light", "dark"):
        query[GROUND] = ground
    return as_asked(query | {VERSION_OF: VERSION})


def usual(here: Address) -> dict[str, Any]:
    """Return where the sliders stand that the picture follows, if nothing is said of them."""
    return {name: here.known(name).default for name in here.step.followed}


def _written(here, name, value):
    """Return a value as an address says it; a number as a script writes it, with all its digits."""
    one = here.known(name)
    if not isinstance(one, Number):
        return one.write(value)
    return str(value) if isinstance(value, int) else np.format_float_positional(value, trim="-")


def as_asked(query: Mapping[str, str]) -> str:
    """Return a query in its one order, in the letters of a browser's script."""
    return urlencode(sorted(query.items()), quote_via=_quoted)


def _quoted(text, *_):
    return quote_plus(text, safe="*").replace("~", "%7E")
