"""The stage of a lesson: sliders, main picture and sentence, as the scripts get them."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pages._view import bet_marks, compute, entry
from pages._view.address import Address
from pages._view.bet_words import of_class, said, verdict
from pages._view.bundle import BUNDLE
from pages._view.kinds import Drawing, Number, decimal
from pages._view.lesson import CLASS, NO_CLASS, PHONES
from pages._view.lesson_view import LessonView, Main, Outcome
from pages._view.lessons import VIEWS
from pages._view.literal import as_code
from pages._view.once import once
from pages._view.picture import LEAST, Picture
from pages._view.routes import MOVING
from pages._view.shared import ROOM, SHARED
from pages._view.theme import Profile, profile

LEAST_FRAMED = 0.1  # least height of a main picture's plot in a frame, as a share of its usual height
_LARGE = 1_000
_LONGEST = 4_000  # characters of a picture's URL; proxies refuse longer ones, as for typed matrices
_CLAIM = re.compile(r"(?<=[.:?]) ")  # separates the claim, or the thing to do, from the rest of a line


class Line(NamedTuple):
    """The line of a step: the claim or the thing to do, in bold; an explanation; why a bet is right or wrong."""

    bold: str
    rest: str = ""
    why: str = ""

    @property
    def text(self) -> str:
        """The whole line as one string."""
        return " ".join(filter(None, self))


@dataclass(frozen=True)
class Stage:
    """The stage at an address.

    Attributes
    ----------
    address : the lesson and its settings.
    ground : "light" or "dark", if the browser's ground is known.
    visited : by slider, the values between its stops that this visitor has set.
    least : the least height of the picture's plot in a low window, as a share of its usual height.
    is_told : False while a film that will show the bet's truth is running.
    """

    address: Address
    ground: str | None = None
    visited: Mapping[str, Collection[float]] = field(default_factory=dict)
    least: float = LEAST
    is_told: bool = True

    @property
    def view(self) -> LessonView:
        """The functions that draw the lesson."""
        return VIEWS[self.address.lesson.stem]

    @property
    def main(self) -> Main | None:
        """The picture of the open step; None if the server draws none."""
        return self.view.of(self.address.step)

    @property
    def profile(self) -> Profile:
        """The colours and sizes of the picture."""
        return profile(self.address.values["mode"], self.ground)

    @property
    def needs_session(self) -> bool:
        """True if a class follows, for then only a page with a session can draw the stage."""
        return ROOM in self.address.query

    # --- the line and the bet ----------------------------------------------------------------------------

    @once
    def line(self) -> Line:
        """The line of the step, or the question or result of a bet on it."""
        here = self.address
        if here.asks_bet:
            return Line("Your bet:", here.question)
        if here.bet is None or here.guesses is None or not here.shows_bet:
            return Line(*_CLAIM.split(here.step.line, maxsplit=1))
        if self.draws_are_due and here.lesson.together:
            bets = of_class(here.bet, here.guesses, self.found) if here.guesses else ""
            return Line(bets, here.lesson.together.asks)
        found, told = self.found, self.verdict
        at = f"{self.bet_at}: " if self.bet_at else ""
        if len(here.guesses) > 1 or CLASS in here.query:
            return Line(at.rstrip(), of_class(here.bet, here.guesses, found), "" if here.is_wall else found.why)
        return Line(f"{at}{told}" if told else "", said(here.bet, here.guesses, found), found.why)

    @once
    def found(self) -> Outcome:
        """The outcome of the bet at its settings; unknown while its film runs, or before its class begins to draw."""
        is_known = self.is_told and not self.draws_are_due
        return self.view.outcome(self.address.judged.values) if is_known else Outcome(None, "")

    @property
    def draws_are_due(self) -> bool:
        """True on the wall of a class that answers its bet by drawing and has not begun."""
        return self.address.values.get(PHONES) == 0 and self.address.shows_bet

    @property
    def verdict(self) -> str:
        """The verdict on the learner's own bet; "" where there is none."""
        here = self.address
        if here.bet is None or not here.shows_bet or not here.guesses or CLASS in here.query:
            return ""
        return verdict(here.bet, here.guesses[0], self.found.truth)

    @property
    def bet_at(self) -> str:
        """The values of the large slider and of moved dials when the bet was placed; "" if no setting has changed."""
        if not self.address.has_moved_on:
            return ""
        there = Stage(self.address.judged)
        step, here, bet = self.address.step, self.address.values, there.address.values
        others = [there.dial(name) for name in step.dials if bet[name] != here.get(name)]
        sliders = (there.slider if step.slider else None, *others)
        shown = [each["shown"][each["stops"].index(each["value"])] for each in sliders if each]
        return ", ".join(shown)

    # --- sliders -----------------------------------------------------------------------------------------

    @property
    def has_slider(self) -> bool:
        """True if the step has a large slider."""
        return self.address.step.slider != ""

    @property
    def slider(self) -> dict[str, Any] | None:
        """The large slider; None where there is none."""
        if not self.has_slider:
            return None
        name = self.address.step.slider
        one = self.number(name)
        called = {"label": as_code(one.label), "large": True, "usual": one.default}
        return self._slider(name, self.stops(name), f"{one.letter or one.label} =", _said(one)) | called

    def dial(
        self, name: str, stops: Sequence[float] | None = None, shown: Callable[[Any], str] | None = None
    ) -> dict[str, Any]:
        """Return a dial beside the large slider. stops: replace its own; shown: returns the label of a stop."""
        one, value = self.number(name), self.address.values[name]
        return self._slider(
            name,
            one.ordered({*stops, value}) if stops else self.stops(name),
            one.letter or one.label,
            shown or _said(one),
        )

    def _slider(self, name, stops, called, said):
        one = self.number(name)
        return {
            "name": name,
            "page": self.address.lesson.stem,
            "value": self.address.values[name],
            "stops": stops,
            "shown": [f"{called} {said(stop)}" for stop in stops],
            "ticks": _ticks(one, stops, said),
            "label": one.label,
            "play": one.play if name == self._played else 0,
        }

    @property
    def _played(self):
        """The name of the slider that ▶ moves: the step's last one that can play."""
        return next((name for name in reversed(self.address.step.followed) if self.number(name).play), "")

    def number(self, name: str) -> Number:
        """Return the declaration of the number on a slider."""
        found = {**SHARED, **self.address.lesson.controls}[name]
        if not isinstance(found, Number):
            raise TypeError(f"a slider of {self.address.lesson.stem} must be a Number, but {name} is none")
        return found

    def stops(self, name: str) -> list[float]:
        """Return a slider's stops, from the left: its own, its value, and values that this visitor has set."""
        one = self.number(name)
        return one.ordered({*one.stops, self.address.values[name], *self.visited.get(name, ())})

    # --- the picture -------------------------------------------------------------------------------------

    @once
    def is_there(self) -> bool:
        """True if the picture can be drawn at once, for any visitor."""
        main, values = self.main, self.address.values
        if self.address.asks_bet:
            return True
        if main is None:
            return self.view.hero is not None
        return main.is_unasked(values) and main.is_ready(values)

    @property
    def params(self) -> Any:
        """The params whose price decides if the visitor is asked first; None if the picture is always cheap."""
        main = self.main
        return main.params(self.address.values) if main and main.params else None

    @property
    def limit(self) -> compute.Limit | None:
        """The highest price that is computed without asking; None for the usual limit."""
        return self.main.limit if self.main else None

    @once
    def is_fetched(self) -> bool:
        """True if the script fetches the picture at rest too: every server draws it at once from the address alone."""
        if self.main is None or self.main.shows_more or self.address.asks_bet:
            return False
        if self.needs_session or not self.is_told:
            return False
        return self.is_there and len(self.places()["address"]) <= _LONGEST

    @once
    def picture(self) -> Picture:
        """The main picture while a slider moves, without the bet's marks."""
        if self.main is None:
            raise TypeError(f"{self.address.lesson.stem} has no picture that the server draws")
        return self._named(self.main.picture)

    @property
    def picture_at_rest(self) -> Picture:
        """The main picture at rest, with the data behind it."""
        main: Any = self.main
        return self._named(main.at_rest or main.picture)

    @property
    def picture_waiting(self) -> Picture | None:
        """The picture shown until the visitor asks for one that takes long; None for nothing."""
        return self._named(self.main.waiting) if self.main and self.main.waiting else None

    def _named(self, draw):
        """Return the drawn picture with the key of its step."""
        shown, key = draw(self.address.values, self.profile), self.address.step.picture
        return replace(shown, key=key) if self.address.lesson.steps and shown.key != key else shown

    def marked(self, shown: Picture) -> Picture:
        """Return a picture with the bet and the truth marked on it."""
        here = self.address
        drawn = here.values.get(PHONES, NO_CLASS) > 0  # a class's draws replace its bets on the picture
        if here.guesses is None or not here.shows_bet or here.has_moved_on or drawn:
            return shown
        return bet_marks.marked(shown, here, self.found, self.profile)

    @once
    def known(self) -> Picture:
        """The part of the picture that is shown while its bet waits."""
        known = self.view.before(self.address.values, self.profile)
        return replace(known, key=f"{known.key}_before")

    @property
    def seen(self) -> Picture:
        """The picture, or its known part while a bet waits."""
        return self.known if self.address.asks_bet else self.picture

    @property
    def shown(self) -> dict[str, Any]:
        """The picture as the browser gets it: with the marks of a bet, or its known part while a bet waits."""
        if self.address.asks_bet:
            return self.known.drawn() | {"drawing": self._drawing(self.known)}
        return self.marked(self.picture).drawn()

    @once
    def _openings(self) -> tuple["Stage", ...]:
        """The stages that the page may open on, the preferred one first; the last has the address's own values."""
        main = self.main
        if main is None or main.opened is None or self.address.asks_bet:
            return (self,)
        opened = Address(self.address.lesson, self.address.query, main.opened(self.address.values))
        return replace(self, address=opened), self

    def opening(self, *, alone: bool = False) -> "Stage | None":
        """Return the stage that the page opens on; None if its picture is not there.

        alone: no page with a session follows, so the picture at the address's own values will do.
        """
        return next((each for each in (self._openings if alone else self._openings[:1]) if each.is_there), None)

    @property
    def is_settled(self) -> bool:
        """True if the opening picture is final: nothing that the server computes later changes it."""
        return self.main is None or self._openings[0].is_there

    @once
    def sentence(self) -> str:
        """The sentence of the main picture; "" if it takes long to compute; the question while a bet waits."""
        if self.address.bet_waits:
            return self.address.question
        opened = self.opening(alone=True)
        if opened and self.main:
            return str(opened.picture.sentence)
        return self.view.sentence(self.address.values) if self.view.sentence else ""

    # --- data for the script of the picture --------------------------------------------------------------

    def payload(self, shown: Picture, *, figure: bool = True) -> dict[str, Any]:
        """Return a main picture on sliders as its script gets it. figure: False to fetch the figure later."""
        drawn = shown.drawn() if figure else shown.told() | {"marks": []}
        waits = {"drawing": self._drawing(shown), "bare": True} if self.address.asks_bet else {}
        return payload(drawn, shown.key) | {"main": True, "least": self.least} | waits | self.places()

    @property
    def fetched(self) -> dict[str, Any]:
        """The main picture as its script gets it to fetch: without figure, size and texts."""
        return payload({}, self.address.step.picture) | {"main": True, "least": self.least} | self.places()

    def places(self) -> dict[str, Any]:
        """Return the values of the picture's sliders, their defaults, and the picture's URL without these values."""
        here, followed = self.address, self.address.step.followed
        values = {name: here.values[name] for name in followed}
        named = entry.name_of(here, self.ground, without=followed)
        return {"values": values, "usual": entry.usual(here), "address": f"{MOVING}/{here.lesson.stem}?{named}"}

    def _drawing(self, known):
        """Return the data of a panel in which the learner draws a curve; {} on a wall and for other answers."""
        bet: Any = self.address.bet
        if not isinstance(bet.answer, Drawing) or self.address.is_wall:
            return {}
        layout, look = vars(known.figure)["layout"], self.profile
        return {
            "panel": bet.place.across + bet.place.along,
            "at": bet.answer.at,
            "reach": layout[f"{bet.place.across}axis"]["range"],
            "span": layout[f"{bet.place.along}axis"]["range"],
            "labels": [bet.answer.label.format(f"{each:,}") for each in bet.answer.at],
            "style": {"colour": look.third, "width": 1.5 * look.line_width, "size": 2 * look.marker_size},
        }


def _said(one):
    """Return the text of a slider's value: large numbers with separators, negative ones with a minus sign."""
    if one.shown is decimal:
        return lambda value: f"{value:,.0f}" if value >= _LARGE else decimal(value).replace("-", "−")
    return "{:,}".format if one.whole and one.shown is str else one.shown


def _ticks(one, stops, said):
    """Return the labels under a track: (index of the stop, label, True if a short track has room for it too)."""
    named = [i for i, stop in enumerate(stops) if stop in (one.ticks or (stops[0], stops[-1]))]
    main = {0, len(named) // 2, len(named) - 1}
    return [[i, said(stops[i]), j in main] for j, i in enumerate(named)]


def payload(drawn: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a picture as its script gets it: `drawn`, and Plotly's configuration with a download button.

    drawn: figure (as JSON), height, plot (the height of the plot alone), narrow (both heights on a phone), sentence,
    marks (see `marks.found`), alt, and any of the following. main: True if the picture is as high as the window allows;
    least: the least height of its plot then, as a share of its usual height. values: the values of the picture's
    sliders; usual: their defaults; address: the picture's URL, which `live/entry.js` completes. drawing: settings for
    the curve that the visitor draws. bare: True without the sentence.
    """
    camera = {"format": "svg", "filename": key}
    config = {"displaylogo": False, "modeBarButtons": [["toImage"]], "toImageButtonOptions": camera}
    rest: dict[str, Any] = {
        "key": key,
        "values": None,
        "usual": {},
        "address": "",
        "main": False,
        "least": 1,
        "drawing": {},
        "bare": False,
    }
    return rest | {"config": config, "bundle": BUNDLE} | dict(drawn)
