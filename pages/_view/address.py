"""Addresses of lessons; only this module knows what their queries mean."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from pages._view import own_seed
from pages._view.kinds import Answer, Control, Drawing, Linked, is_number
from pages._view.lesson import CLASS, GUESS, GUESSED_AT, NO_CLASS, PHONES, REVEAL, STEP, TRAINED, Bet, Lesson, Step
from pages._view.shared import CARRIED, ROOM, SHARED

_LONGEST_QUERY, _MOST_PARAMETERS = 8_000, 100  # limits on a query that a form sends

Values = Mapping[str, Any]  # the value of every control of a lesson, by name
Guesses = tuple[Any, ...]


@dataclass(frozen=True)
class Address:
    """A lesson with the query of its address.

    Attributes
    ----------
    lesson : the lesson.
    query : the parameters, each with its last value.
    held : values that override an outdated query: of widgets that have changed, or of a slider that is playing.
    """

    lesson: Lesson
    query: Mapping[str, str]
    held: Values = field(default_factory=dict)

    @cached_property
    def said(self) -> dict[str, Any]:
        """The value of each control: from `held`, else from the query, else its default."""
        return {
            name: self.held[name] if name in self.held else self._read(name, one)
            for name, one in _known(self.lesson).items()
        }

    @cached_property
    def values(self) -> dict[str, Any]:
        """The values that the picture is drawn with: those in `said`, except for what the step pins."""
        return {**self.said, **self.step.pinned}

    @cached_property
    def step(self) -> Step:
        """The open step; in a lesson without steps, its only screen. A step at which a class draws has no slider."""
        step, together = self.lesson.step(self.said.get(STEP, "")), self.lesson.together
        if not (self.is_drawn and together and self._bet_of(step.name) == self.lesson.bet):
            return step
        return replace(step, slider="", dials=(), tries=(), pinned={**step.pinned, **together.pinned})

    @property
    def is_drawn(self) -> bool:
        """True if the picture consists of a class's draws, even before the first one."""
        together = self.lesson.together
        return together is not None and not together.chooses and self.said[PHONES] != NO_CLASS

    def known(self, name: str) -> Any:
        """Return the control with this name, or the parameter if it has no widget."""
        return _known(self.lesson)[name]

    @property
    def is_usual(self) -> bool:
        """True if all settings but the step have their defaults."""
        return not set(self.settings) - {STEP}

    def at(self, step: str) -> "Address":
        """Return this address at another step of the lesson."""
        held = {name: each for name, each in self.held.items() if name != STEP}
        return Address(self.lesson, {**self.query, STEP: step}, held)

    def linked(self, name: str) -> Any:
        """Return the query's value for a control or a parameter, ignoring `held`; "" for an unknown name."""
        known = {**CARRIED, **_known(self.lesson), **self.lesson.linked}
        return self._read(name, known[name]) if name in known else ""

    def _read(self, name, one):
        return one.read(self.query[name])[0] if name in self.query else one.default

    @property
    def is_wall(self) -> bool:
        """True if the page is shown for a projector, as a wall."""
        return bool(self.values["mode"] == "projector")

    @property
    def room(self) -> str:
        """The code of the class that follows this wall; "" without a class."""
        return str(self.linked(ROOM))

    @property
    def settings(self) -> dict[str, str]:
        """The settings that differ from their defaults, except those that `own` names."""
        return {name: text for name, text in written(self.lesson, self.said).items() if name not in own(self.lesson)}

    def shared(self, *, each: bool = False) -> str:
        """Return the settings as a query with its question mark; "" without settings.

        each: True to give each visitor another seed. The parameter of a class that has not begun is left out.
        """
        settings = {name: text for name, text in self.settings.items() if (name, text) != (PHONES, "0")}
        said = settings | ({own_seed.SEED: own_seed.MINE} if each else {})
        return f"?{urlencode(said)}" if said else ""

    def without(self, names: Collection[str]) -> "Address":
        """Return this address without these parameters."""
        return Address(self.lesson, {name: text for name, text in self.query.items() if name not in names}, self.held)

    # --- the bet -----------------------------------------------------------------------------------------

    @cached_property
    def bet(self) -> Bet | None:
        """The bet that this address asks for, placed or not; None while a class votes on a setting instead."""
        one = self._in_turn
        if one is None or (ROOM in self.query and self.lesson.together and self.lesson.together.chooses):
            return None
        wish = self.query.get("bet")
        wanted = wish == "1" or (wish == "draw" and isinstance(one.answer, Drawing))
        return one if wanted or self.linked(CLASS) != "" else None

    @property
    def _in_turn(self):
        """The step's bet, else the placed bet, else the lesson's first.

        A placed bet replaces the bets of earlier steps. A class is asked only the first bet.
        """
        first, here, placed = self.lesson.bet, self._bet_of(self.step.name), self._placed
        if ROOM in self.query or CLASS in self.query:
            return first
        is_before = here and placed and self.lesson.bets.index(here) < self.lesson.bets.index(placed)
        return placed if is_before else here or placed or first

    @property
    def _placed(self):
        """The bet that the query answers, if any."""
        if GUESS not in self.query:
            return None
        return self._bet_of(query_of(self.query.get(GUESSED_AT, "")).get(STEP, "")) or self.lesson.bet

    def _bet_of(self, step):
        return next((each for each in self.lesson.bets if each.when and each.when[1] == step), None)

    @cached_property
    def guesses(self) -> Guesses | None:
        """A learner's one answer or all answers of a class; () if only the truth is shown; None before any answer."""
        if self.bet is None:
            return None
        many, one, shown = (self.linked(name) for name in (CLASS, GUESS, REVEAL))
        one = one if self._placed == self.bet else ""
        return tuple(many) or ((one,) if one != "" else () if shown == "1" else None)

    @property
    def bet_waits(self) -> bool:
        """True while a bet waits for its answer or for the reveal of its truth; the page must not show it before."""
        return self.bet is not None and self.guesses is None

    @property
    def shows_bet(self) -> bool:
        """True if this screen shows the bet's question or its result; in a lesson with steps only one step does."""
        return self.bet is not None and (self.bet.when is None or self.values[self.bet.when[0]] == self.bet.when[1])

    @property
    def asks_bet(self) -> bool:
        """True if this screen shows a bet that waits."""
        return self.bet_waits and self.shows_bet

    def withholds(self, step: str) -> bool:
        """Return True if a step would show the truth of a bet that waits."""
        when = self.bet.when if self.bet and self.bet_waits else None
        return bool(when and self.bet and step not in (when[1], *self.bet.earlier))

    @property
    def waiting(self) -> "Address":
        """This address, moved to a step and settings that do not show the truth of a waiting bet."""
        if not self.bet or not self.bet_waits:
            return self
        kept = {name: text for name, text in self.query.items() if name not in self.bet.usual}
        step = {STEP: str(self.bet.when[1])} if self.bet.when and self.withholds(self.step.name) else {}
        return Address(self.lesson, kept | step, self.held)

    @cached_property
    def judged(self) -> "Address":
        """This address at the settings at which the bet was placed, wherever the sliders are now."""
        said = self.linked(GUESSED_AT)
        if not said or not self.bet:
            return self
        # Settings at their defaults are not in `said`, so drop those of the query first.
        settings = _known(self.lesson).keys() - own(self.lesson)
        kept = {name: text for name, text in self.query.items() if name not in settings}
        step = {STEP: str(self.bet.when[1])} if self.bet.when and self.lesson.steps else {}
        return Address(self.lesson, {**kept, **query_of(said), **step})

    @property
    def has_moved_on(self) -> bool:
        """True if the settings differ from those of the bet, whose marks are then left out of the picture.

        A bet that uses a dial is always about the dial's usual value.
        """
        used = {*self.lesson.shared, *self.lesson.controls, *self.step.followed} - {STEP, TRAINED}
        here, there = self.settings, self.judged.settings
        usual = {*self.step.followed} & {*self.bet.usual} if self.bet else set()
        return not usual.isdisjoint(here) or any(here.get(name) != there.get(name) for name in used)

    @property
    def question(self) -> str:
        """The question of the bet at these settings; "" if there is none."""
        shown = {name: f"{each:,}" if isinstance(each, int) else str(each) for name, each in self.values.items()}
        one = self._in_turn
        return one.question.format(**shown) if one else ""


def renewed(lesson: Lesson, query: Values) -> dict[str, str]:
    """Return the query of an old address with its step named.

    Name the first of these that exists: a step that the query names, also by an older name; a step whose sliders the
    query sets; a step that shows another control of the query, or pins it to the query's value. In the last two cases
    name no step if the opening step fits too.

    A number as the step is a training step, as in addresses from before lessons had steps.
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
    """Return True if the step pins a control of the lesson to the value that the query gives it."""
    known, pinned = _known(lesson), {name: value for name, value in step.pinned.items() if name not in SHARED}
    return any(name in query and known[name].read(query[name])[0] == value for name, value in pinned.items())


def _known(lesson: Lesson) -> dict[str, Control | Linked]:
    return {**SHARED, **lesson.controls, **lesson.unseen, **lesson.of_class}


def written(lesson: Lesson, values: Values) -> dict[str, str]:
    """Return the query for the values of a lesson's controls: without defaults, but always with the step."""
    known = _known(lesson)
    named = (STEP,) if lesson.steps else ()
    return {
        name: known[name].write(each) for name, each in values.items() if each != known[name].default or name in named
    }


def own(lesson: Lesson) -> tuple[str, ...]:
    """Return the parameters that belong to the visitor: display settings and answers."""
    answers = (name for name, each in lesson.linked.items() if isinstance(each, Answer))
    return ("mode", "rest", REVEAL, GUESSED_AT, *CARRIED, *answers)


def query_of(text: str) -> dict[str, str]:
    """Return a query's parameters, each with its last value; {} for too many. A query that is too long is cut."""
    with suppress(ValueError):
        return dict(parse_qsl(text[:_LONGEST_QUERY], keep_blank_values=True, max_num_fields=_MOST_PARAMETERS))
    return {}
