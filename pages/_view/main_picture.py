"""How a lesson's main picture comes from the values of its controls: on its page, and while a hand moves the slider."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pages._view import compute
from pages._view.picture import Picture
from pages._view.shared import DIMENSIONS
from pages._view.theme import Profile

Values = Mapping[str, Any]  # of every control of the lesson, by name


@dataclass(frozen=True)
class Main:
    """A lesson's main picture, which knows nothing of a session.

    Attributes
    ----------
    picture : the picture at these values of the controls, drawn at each step of a moving slider.
    at_rest : the same with all that stands behind it, where that costs more; None if it is the same.
    params : those whose price says whether the visitor is asked first; None if it is always cheap.
    ready : whether the server has what a moving slider would show; None if it always has.
    opened : the values that the page opens on, where these go beyond those of the address; None if they do not.
    """

    picture: Callable[[Values, Profile], Picture]
    at_rest: Callable[[Values, Profile], Picture] | None = None
    params: Callable[[Values], Any] | None = None
    ready: Callable[[Values], bool] | None = None
    opened: Callable[[Values], Values] | None = None


def is_unasked(way: Main, values: Values) -> bool:
    """Whether the picture is so cheap that nobody is asked first."""
    return way.params is None or compute.cheap(way.params(values))


def is_ready(way: Main, values: Values) -> bool:
    """Whether the server has what the picture shows."""
    return way.ready is None or way.ready(values)


def is_there(way: Main, values: Values) -> bool:
    """Whether the picture at these values can be drawn at once, by anybody who asks for it."""
    return is_unasked(way, values) and is_ready(way, values)


def at_opening(way: Main, values: Values, *, alone: bool = False) -> Values | None:
    """The values that the page opens on at those of an address; None if the picture of them is not there.

    alone: where no page comes after it, the picture at the address's own will do.
    """
    opened = way.opened(values) if way.opened else values
    return next((each for each in (opened, *([values] if alone else [])) if is_there(way, each)), None)


def stops(values: Values) -> tuple[int, ...]:
    """The stops of the slider of d_k, and where it stands."""
    return tuple(sorted({*DIMENSIONS, values["d_k"]}))
