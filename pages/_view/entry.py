"""The name under which a picture is cached: the query of `moving/X` that the stage's script asks for.

One setting has one name: only what the picture depends on, defaults left out, in alphabetical order, with the version
of the code that draws it. `live/entry.js` puts in the values of the sliders.
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

GROUND, VERSION_OF = "ground", "v"  # also in the name: the browser's ground, and the version of the code
# Controls that change no picture that follows a slider.
CHANGES_NOTHING = ("rest",)
# What one visitor or one class has said: an address with any of it is theirs, and nothing of it is kept for others.
THEIRS = frozenset((ROOM, CLASS, FIRST, PHONES, VOTES, GUESS, GUESSED_AT, REVEAL, "tally"))
_OF_BET = ("bet", GUESS, GUESSED_AT, REVEAL, CLASS, FIRST)  # a bet, or what was bet, is drawn on the picture


def is_theirs(query: Collection[str]) -> bool:
    """Return True if an address with these parameters belongs to one visitor or to one class."""
    return not THEIRS.isdisjoint(query)


def depends_on(here: Address) -> tuple[str, ...]:
    """Return the controls that the picture of a step depends on.

    Of the shared controls only those that the lesson uses; none that the step pins, unless a bet was placed at it.
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
    """Return the values of the sliders that the picture follows, where the address says nothing about them."""
    return {name: here.known(name).default for name in here.step.followed}


def _written(here, name, value):
    """Return a value as an address has it; a number with all its digits, as a script writes it."""
    one = here.known(name)
    if not isinstance(one, Number):
        return one.write(value)
    return str(value) if isinstance(value, int) else np.format_float_positional(value, trim="-")


def as_asked(query: Mapping[str, str]) -> str:
    """Return a query in its one order, percent-encoded as a browser's script does it."""
    return urlencode(sorted(query.items()), quote_via=_quoted)


def _quoted(text, *_):
    return quote_plus(text, safe="*").replace("~", "%7E")
