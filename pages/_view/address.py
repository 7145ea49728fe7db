"""An address of a lesson: the one place that says what its query means."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from pages._view import own_seed
from pages._view.kinds import Answer, Control, Drawing, Linked, is_number
from pages._view.lesson import CLASS, GUESS, GUESSED_AT, PHONES, REVEAL, STEP, TRAINED, Bet, Lesson, Step
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
    def said(self) -> dict[str, Any]:
        """The value of every control as the address keeps it: its default where nothing readable is said."""
        return {
            name: self.held[name] if name in self.held else self._read(name, one)
            for name, one in _known(self.lesson).items()
        }

    @cached_property
    def values(self) -> dict[str, Any]:
        """The same with what the step pins: the values that its picture is drawn at."""
        return {**self.said, **self.step.pinned}

    @cached_property
    def step(self) -> Step:
        """The step that is open; of a lesson without steps its one screen."""
        return self.lesson.step(self.said.get(STEP, ""))

    def known(self, name: str) -> Any:
        """Return the control of this name, or what has no widget."""
        return _known(self.lesson)[name]

    @property
    def is_usual(self) -> bool:
        """True if the picture is that of an address without settings, but for its step."""
        return not set(self.settings) - {STEP}

    def at(self, step: str) -> "Address":
        """Return the same at another step of the lesson."""
        held = {name: each for name, each in self.held.items() if name != STEP}
        return Address(self.lesson, {**self.query, STEP: step}, held)

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
        return {name: text for name, text in written(self.lesson, self.said).items() if name not in own(self.lesson)}

    def shared(self, *, each: bool = False) -> str:
        """Return them as the end of an address, with its question mark, or "". each: with a seed for each visitor.

        A class that has not begun is nothing to share.
        """
        settings = {name: text for name, text in self.settings.items() if (name, text) != (PHONES, "0")}
        said = settings | ({own_seed.SEED: own_seed.MINE} if each else {})
        return f"?{urlencode(said)}" if said else ""

    def without(self, names: Collection[str]) -> "Address":
        """Return the same where the query says nothing of these names."""
        return Address(self.lesson, {name: text for name, text in self.query.items() if name not in names}, self.held)

    # --- the bet -----------------------------------------------------------------------------------------

    @cached_property
    def bet(self) -> Bet | None:
        """The lesson's bet if it is asked for here, placed or not; a class that votes on a setting does not bet."""
        one = self._in_turn
        if one is None or (ROOM in self.query and self.lesson.together and self.lesson.together.chooses):
            return None
        wish = self.query.get("bet")
        wanted = wish == "1" or (wish == "draw" and isinstance(one.answer, Drawing))
        return one if wanted or self.linked(CLASS) != "" else None

    @property
    def _in_turn(self):
        """The bet of the step, or else the one that was placed, or the first; a class is asked the first alone.

        One that was placed lets the bets before it be.
        """
        first, here, placed = self.lesson.bet, self._bet_of(self.step.name), self._placed
        if ROOM in self.query or CLASS in self.query:
            return first
        is_before = here and placed and self.lesson.bets.index(here) < self.lesson.bets.index(placed)
        return placed if is_before else here or placed or first

    @property
    def _placed(self):
        """The bet that the query has an answer to, if any."""
        if GUESS not in self.query:
            return None
        return self._bet_of(query_of(self.query.get(GUESSED_AT, "")).get(STEP, "")) or self.lesson.bet

    def _bet_of(self, step):
        return next((each for each in self.lesson.bets if each.when and each.when[1] == step), None)

    @cached_property
    def guesses(self) -> Guesses | None:
        """The bets, of one or of a class; () where the truth alone is shown, None while nothing is known."""
        if self.bet is None:
            return None
        many, one, shown = (self.linked(name) for name in (CLASS, GUESS, REVEAL))
        one = one if self._placed == self.bet else ""
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

    def withholds(self, step: str) -> bool:
        """Return True if a step would tell the answer of a bet that waits."""
        when = self.bet.when if self.bet and self.bet_waits else None
        return bool(when and self.bet and step not in (when[1], *self.bet.earlier))

    @property
    def waiting(self) -> "Address":
        """The same where its bet may wait: at no step that would tell, and at the usual settings of the bet."""
        if not self.bet or not self.bet_waits:
            return self
        kept = {name: text for name, text in self.query.items() if name not in self.bet.usual}
        step = {STEP: str(self.bet.when[1])} if self.bet.when and self.withholds(self.step.name) else {}
        return Address(self.lesson, kept | step, self.held)

    @cached_property
    def judged(self) -> "Address":
        """The same at the settings at which the bet was placed, which judge it wherever the sliders go."""
        said = self.linked(GUESSED_AT)
        if not said or not self.bet:
            return self
        settings = _known(self.lesson).keys() - own(
            self.lesson
        )  # also those that the query still says and held does not
        kept = {name: text for name, text in self.query.items() if name not in settings}
        step = {STEP: str(self.bet.when[1])} if self.bet.when and self.lesson.steps else {}
        return Address(self.lesson, {**kept, **query_of(said), **step})

    @property
    def has_moved_on(self) -> bool:
        """True if the settings are others than those of the bet: then its marks are not on the picture.

        A bet is never about another place than the usual one of a dial that it is on.
        """
        used = {*self.lesson.shared, *self.lesson.controls, *self.step.followed} - {STEP, TRAINED}
        here, there = self.settings, self.judged.settings
        usual = {*self.step.followed} & {*self.bet.usual} if self.bet else set()
        return not usual.isdisjoint(here) or any(here.get(name) != there.get(name) for name in used)

    @property
    def question(self) -> str:
        """The question of the bet at these settings, "" if there is none."""
        shown = {name: f"{each:,}" if isinstance(each, int) else str(each) for name, each in self.values.items()}
        one = self._in_turn
        return one.question.format(**shown) if one else ""


def renewed(lesson: Lesson, query: Values) -> dict[str, str]:
    """Return a query that names its step: by an older name, or else the first whose own sliders it sets, if any.

    Where it sets none, the first that has what it sets in sight, or pins it to the same.

    A number is no step of a lesson: before there were any, it said the training step.
    """
    if TRAINED in lesson.controls and is_number(query.get(STEP, "")):
        query = {TRAINED: query[STEP], **{name: text for name, text in query.items() if name != STEP}}
    kept = {name: text for name, text in query.items() if name not in lesson.formerly}
    once = [steps[query[name]] for name, steps in lesson.formerly.items() if query.get(name) in steps]
    once = [each.name for each in lesson.steps if each.name == query.get(STEP)] or once
    own = {*lesson.controls} & {*query}
    sliders = [each for each in lesson.steps if own & {*each.followed}]
    named = sliders or [each for each in lesson.steps if own & {*each.in_sight} or _pins(lesson, each, query)]
    usual = lesson.step(lesson.opens)
    meant = once or ([] if usual in named else [each.name for each in named])
    return {**({STEP: meant[0]} if meant else {}), **kept}


def _pins(lesson, step, query):
    """Return True if a query sets what this step pins, and other lessons have not, to the same."""
    known, pinned = _known(lesson), {name: value for name, value in step.pinned.items() if name not in SHARED}
    return any(name in query and known[name].read(query[name])[0] == value for name, value in pinned.items())


def _known(lesson: Lesson) -> dict[str, Control | Linked]:
    return {**SHARED, **lesson.controls, **lesson.unseen, **lesson.of_class}


def written(lesson: Lesson, values: Values) -> dict[str, str]:
    """Return the query of a lesson's controls with these values: defaults are left out, but the step is named."""
    known = _known(lesson)
    named = (STEP,) if lesson.steps else ()
    return {
        name: known[name].write(each) for name, each in values.items() if each != known[name].default or name in named
    }


def own(lesson: Lesson) -> tuple[str, ...]:
    """Return the names that are a visitor's own in an address: how they look at the lesson, and what they answered."""
    answers = (name for name, each in lesson.linked.items() if isinstance(each, Answer))
    return ("mode", "rest", REVEAL, GUESSED_AT, *CARRIED, *answers)


def query_of(text: str) -> dict[str, str]:
    """Return the parameters of a query, the last of each name; none of one that no page of ours has."""
    with suppress(ValueError):
        return dict(parse_qsl(text[:_LONGEST_QUERY], keep_blank_values=True, max_num_fields=_MOST_PARAMETERS))
    return {}
