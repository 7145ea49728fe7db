"""An address of a lesson: the one place that says what its query means."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from pages._view import own_seed
from pages._view.kinds import Answer, Control, Drawing, Linked
from pages._view.lesson import CLASS, GUESS, REVEAL, Bet, Lesson
from pages._view.shared import CARRIED, ROOM, SHARED

_LONGEST_QUERY, _MOST_PARAMETERS = 8_000, 100  # what is read of an address that a form sends

Values = Mapping[str, Any]  # of every control of a lesson, by name
Guesses = tuple[Any, ...]


@dataclass(frozen=True)
class Address:
    """A lesson at a query.

    Attributes
    ----------
    lesson : the lesson.
    query : the parameters, the last of each name.
    held : values that outdo what the query says: of widgets that it has not caught up with, of what moves by itself.
    """

    lesson: Lesson
    query: Mapping[str, str]
    held: Values = field(default_factory=dict)

    @cached_property
    def values(self) -> dict[str, Any]:
        """The value of every control: its default where nothing, or nothing readable, is said."""
        return {
            name: self.held[name] if name in self.held else self._read(name, one)
            for name, one in _known(self.lesson).items()
        }

    def linked(self, name: str) -> Any:
        """Return what the query itself says of a control, or of what has no widget; "" of what the lesson has not."""
        known = {**CARRIED, **_known(self.lesson), **self.lesson.linked}
        return self._read(name, known[name]) if name in known else ""

    def _read(self, name, one):
        return one.read(self.query[name])[0] if name in self.query else one.default

    @property
    def is_wall(self) -> bool:
        """True if the page is shown as in a classroom."""
        return bool(self.values["mode"] == "projector")

    @property
    def room(self) -> str:
        """The code of the class that follows this wall, "" if none does."""
        return str(self.linked(ROOM))

    @property
    def settings(self) -> dict[str, str]:
        """The settings that differ from their defaults, without what is the visitor's own."""
        return {name: text for name, text in written(self.lesson, self.values).items() if name not in own(self.lesson)}

    def shared(self, *, each: bool = False) -> str:
        """Return them as the end of an address, with its question mark, or "". each: with a seed for each visitor."""
        said = self.settings | ({own_seed.SEED: own_seed.MINE} if each else {})
        return f"?{urlencode(said)}" if said else ""

    def without_mode(self) -> "Address":
        """Return the same in a window that is too small for a wall."""
        return Address(self.lesson, {name: text for name, text in self.query.items() if name != "mode"}, self.held)

    # --- the bet -----------------------------------------------------------------------------------------

    @cached_property
    def bet(self) -> Bet | None:
        """The lesson's bet if it is asked for here, placed or not; a class that votes on a setting does not bet."""
        one = self.lesson.bet
        if one is None or (ROOM in self.query and self.lesson.together and self.lesson.together.chooses):
            return None
        wish = self.query.get("bet")
        wanted = wish == "1" or (wish == "draw" and isinstance(one.answer, Drawing))
        return one if wanted or self.linked(CLASS) != "" else None

    @cached_property
    def guesses(self) -> Guesses | None:
        """The bets, of one or of a class; () where the truth alone is shown, None while nothing is known."""
        if self.bet is None:
            return None
        many, one, shown = (self.linked(name) for name in (CLASS, GUESS, REVEAL))
        return tuple(many) or ((one,) if one != "" else () if shown == "1" else None)

    @property
    def bet_waits(self) -> bool:
        """True if a bet waits to be placed, or to be revealed: nothing that tells its answer may be shown."""
        return self.bet is not None and self.guesses is None

    @property
    def shows_bet(self) -> bool:
        """True if the question, or what became of the bet, is shown here: of several parts it is on one."""
        return self.bet is not None and (self.bet.when is None or self.values[self.bet.when[0]] == self.bet.when[1])

    @property
    def asks_bet(self) -> bool:
        """True if a bet waits on the picture that is shown."""
        return self.bet_waits and self.shows_bet

    @property
    def question(self) -> str:
        """The question of the lesson's bet at these settings, "" if it has none."""
        shown = {name: f"{each:,}" if isinstance(each, int) else str(each) for name, each in self.values.items()}
        return self.lesson.bet.question.format(**shown) if self.lesson.bet else ""


def _known(lesson: Lesson) -> dict[str, Control | Linked]:
    return {**SHARED, **lesson.controls, **lesson.unseen, **lesson.of_class}


def written(lesson: Lesson, values: Values) -> dict[str, str]:
    """Return the query of a lesson's controls with these values, defaults left out."""
    known = _known(lesson)
    return {name: known[name].write(each) for name, each in values.items() if each != known[name].default}


def own(lesson: Lesson) -> tuple[str, ...]:
    """Return the names that are a visitor's own in an address: how they look at the lesson, and what they answered."""
    answers = (name for name, each in lesson.linked.items() if isinstance(each, Answer))
    return ("mode", "rest", REVEAL, *CARRIED, *answers)


def query_of(text: str) -> dict[str, str]:
    """Return the parameters of a query, the last of each name; none of one that no page of ours has."""
    with suppress(ValueError):
        return dict(parse_qsl(text[:_LONGEST_QUERY], keep_blank_values=True, max_num_fields=_MOST_PARAMETERS))
    return {}
