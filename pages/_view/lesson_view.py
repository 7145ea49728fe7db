"""The functions that draw a lesson: its main picture, the outcome of its bet, and a phone's part in a class."""

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
    picture : draws the picture at these values of the controls, also while a slider moves.
    at_rest : draws the picture while the slider rests, with data that take longer; None if `picture` has all data.
    shows_more : True if the figure at rest shows some of these data too.
    params : returns the params of a computation, whose price decides if the visitor is asked; None if always cheap.
    limit : the highest price that the page computes without asking; None for the usual limit.
    ready : returns True if the server has already computed what a moving slider shows; None if it always has.
    waiting : draws the picture shown until the visitor asks for this one; None for nothing.
    opened : returns values that the page opens on in place of the address's; None to open on the address's.
    """

    picture: Callable[[Values, Profile], Picture]
    at_rest: Callable[[Values, Profile], Picture] | None = None
    shows_more: bool = False
    params: Callable[[Values], Any] | None = None
    limit: compute.Limit | None = None
    ready: Callable[[Values], bool] | None = None
    waiting: Callable[[Values, Profile], Picture] | None = None
    opened: Callable[[Values], Values] | None = None

    def is_unasked(self, values: Values) -> bool:
        """Return True if the picture is cheap enough to be computed without asking the visitor."""
        return self.params is None or compute.cheap(self.params(values))

    def is_ready(self, values: Values) -> bool:
        """Return True if the server has already computed what the picture shows."""
        return self.ready is None or self.ready(values)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a bet at the current settings.

    truth: a number in the answer's units, the right option ("" if none is right), or a curve's height at each place;
    None while unknown. why: one sentence, true at these settings; or, while the truth is unknown, how to find it out.
    text: the truth in words, if they say more than the number. For a curve, places are positions on the current axis,
    and curve is the whole true curve there, as x and y.
    """

    truth: float | str | tuple[float, ...] | None
    why: str
    text: str = ""
    places: Sequence[float] = ()
    curve: tuple[Sequence[float], Sequence[float]] = ((), ())


@dataclass(frozen=True)
class Part:
    """A phone's own part in the experiment of its class.

    sentences: plain text. numbers: for the file. matrices: pairs of a name and rows of formatted numbers.
    """

    sentences: Sequence[str]
    numbers: Sequence[float] = ()
    matrices: Sequence[tuple[str, Sequence[Sequence[str]]]] = ()


def _none(*_: Any) -> NoReturn:
    raise TypeError("this lesson has none")


@dataclass(frozen=True)
class LessonView:
    """A lesson and the functions that draw it from the values of its controls.

    Attributes
    ----------
    lesson : the lesson's declaration.
    main : the main picture; None if the server draws none, or if the lesson has steps.
    steps : the picture of each step, by name.
    hero : returns the data of a main picture that is drawn in the browser: for its stops, and for visited values
        between them; None if the lesson has no such picture.
    sentence : returns the sentence of a main picture that the server does not draw; None if there is none.
    outcome : returns the outcome of the bet.
    before : draws the part of the main picture that is shown before the bet is placed.
    part : returns one phone's part in the experiment of a class, by the phone's number.
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
        """Return the picture of a step; None if the server draws none."""
        return self.steps.get(step.name, self.main)

    @property
    def is_drawn(self) -> bool:
        """True if the server draws a picture of this lesson."""
        return self.main is not None or bool(self.steps)


def stops(values: Values) -> tuple[int, ...]:
    """Return the stops of the d_k slider, including its current value."""
    return tuple(sorted({*DIMENSIONS, values["d_k"]}))
