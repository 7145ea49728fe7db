"""The drawn parts of a lesson: its main picture, the outcome of its bet, and what a phone of a class sees."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from pages._view import compute
from pages._view.address import Values as Values
from pages._view.lesson import Lesson, Step
from pages._view.picture import Picture
from pages._view.shared import DIMENSIONS
from pages._view.theme import Profile


@dataclass(frozen=True)
class Main:
    """A lesson's main picture, independent of any session.

    Attributes
    ----------
    picture : the picture at these values of the controls, drawn at each step of a moving slider.
    at_rest : the same with the data behind it, where those cost more; None if it is the same.
    params : the params whose price decides whether the visitor is asked first; None if it is always cheap.
    limit : the highest price that its page computes without asking; None for the usual limit.
    ready : True if the server has already computed what a moving slider would show; None if it always has.
    waiting : the picture shown until the visitor has asked for this one; None for nothing.
    opened : the values that the page opens on, where these go beyond those of the address; None if they do not.
    """

    picture: Callable[[Values, Profile], Picture]
    at_rest: Callable[[Values, Profile], Picture] | None = None
    params: Callable[[Values], Any] | None = None
    limit: compute.Limit | None = None
    ready: Callable[[Values], bool] | None = None
    waiting: Callable[[Values, Profile], Picture] | None = None
    opened: Callable[[Values], Values] | None = None

    def is_unasked(self, values: Values) -> bool:
        """Return True if the picture is so cheap that no visitor is asked before it is computed."""
        return self.params is None or compute.cheap(self.params(values))

    def is_ready(self, values: Values) -> bool:
        """Return True if the server has already computed what the picture shows."""
        return self.ready is None or self.ready(values)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a bet at the current settings.

    truth: in the units of the answer, or the option that is right ("" if none is); None while it is not known.
    why: one sentence, true at these settings, or what must be done to know. text: the truth in words, where these say
    more than the number. For a curve, truth is its height at each place; places are those on the current axis, and
    curve goes through all of it there, as x and y.
    """

    truth: float | str | tuple[float, ...] | None
    why: str
    text: str = ""
    places: Sequence[float] = ()
    curve: tuple[Sequence[float], Sequence[float]] = ((), ())


@dataclass(frozen=True)
class Part:
    """A phone's own part in the experiment of its class.

    sentences: plain text. numbers: for the file. matrices: by name, row by row, as a person reads them.
    """

    sentences: Sequence[str]
    numbers: Sequence[float] = ()
    matrices: Sequence[tuple[str, Sequence[Sequence[str]]]] = ()


def _none(*_: Any) -> NoReturn:
    raise TypeError("this lesson has none")


@dataclass(frozen=True)
class LessonView:
    """A lesson and the functions that draw it, each from the values of its controls.

    Attributes
    ----------
    lesson : its declaration.
    main : its main picture; None if nothing asks the server for it, or if it has steps.
    steps : the picture of each of its steps, by name.
    hero : the data of a main picture that draws itself in the browser: of its stops, and of the values between them
        that were visited; None if the lesson has no such picture.
    sentence : the sentence of a main picture that nothing asks the server for; None if there is none.
    outcome : the outcome of its bet.
    before : the part of the main picture that is shown before the bet is placed.
    part : the part of the phone with this number in the experiment of a class.
    """

    lesson: Lesson
    main: Main | None = None
    steps: Mapping[str, Main] = field(default_factory=dict)
    hero: Callable[[Values, Sequence[float], Profile], tuple[dict[str, Any], dict[str, Any]]] | None = None
    sentence: Callable[[Values], str] | None = None
    outcome: Callable[[Values], Outcome] = _none
    before: Callable[[Values, Profile], Picture] = _none
    part: Callable[[int, Values], Part] = _none

    def of(self, step: Step) -> Main | None:
        """Return the picture of a step; None if nothing asks the server for it."""
        return self.steps.get(step.name, self.main)

    @property
    def is_drawn(self) -> bool:
        """True if the server draws a picture of this lesson."""
        return self.main is not None or bool(self.steps)


def stops(values: Values) -> tuple[int, ...]:
    """Return the stops of the slider of d_k, and its current value."""
    return tuple(sorted({*DIMENSIONS, values["d_k"]}))
