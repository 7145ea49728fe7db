"""What stands on the stage of a lesson: its slider and its main picture, as scripts in the browser are told of them.

A page tells them in its run; the HTML page of an address tells them before there is a session.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from pages._view import bets, controls
from pages._view.kinds import Number
from pages._view.lesson import Lesson
from pages._view.lessons import ORDER, hero_of, main_of
from pages._view.literal import as_code
from pages._view.main_picture import Values, at_opening
from pages._view.server.bundle import BUNDLE
from pages._view.server.moving import PLACE
from pages._view.shared import ROOM, SHARED
from pages._view.theme import profile

_LEAST = {False: 0.55, True: 0.4}  # of the height of a main picture's plot: less with a bet above it
_FRAMED = 0.1  # in a frame on a page of others, where all of it is to be seen


@dataclass(frozen=True)
class Opening:
    """What is on the stage as an address opens it.

    slider, picture: what their scripts are told; None where there is none. picture has no figure yet, which depends on
    the ground that a browser shows. hero: whether the picture draws itself, from what its address answers.
    """

    slider: dict[str, Any] | None
    picture: dict[str, Any] | None
    hero: bool = False

    @property
    def sentence(self) -> str:
        """What the picture says, "" of one that draws itself."""
        return (self.picture or {}).get("sentence", "")


def framed(lesson: Lesson, query: Mapping[str, str]) -> Opening | None:
    """The same as it stands in a frame on a page of others."""
    found = opening(lesson, {name: each for name, each in query.items() if name != "mode"}, alone=True)
    if found and found.picture and not found.hero:
        found.picture["least"] = _FRAMED
    return found


def opening(lesson: Lesson, query: Mapping[str, str], *, alone: bool = False) -> Opening | None:
    """The stage of an address; None where it takes a session: with a bet, in a room, or where the picture takes long.

    alone: where no page comes after it, so that it need not be the picture that the page opens on.
    """
    if lesson.stem not in ORDER or bets.is_on_at(lesson, query) or ROOM in query:
        return None
    values = controls.read(lesson, query)
    slider = _slider_at(lesson, values)
    if hero_of(lesson.stem):
        return Opening(slider, {"values": places(lesson, values), "address": address(lesson, values)}, hero=True)
    main = main_of(lesson.stem)
    here = main and at_opening(main, values, alone=alone)
    if not here:
        return None
    shown = main.picture(here, profile(values["mode"], None))
    told = shown.told() | main_picture() | {"values": places(lesson, here), "address": address(lesson, here)}
    usual = {"config": chart_config(shown.key), "bundle": BUNDLE, "drawing": {}, "bare": False, "marks": []}
    return Opening(slider, told | usual)


def _slider_at(lesson, values):
    if not lesson.slider or (lesson.still and values[lesson.still[0]] == lesson.still[1]):
        return None
    one, value = number_of(lesson), values[lesson.slider]
    return slider(lesson, value, sorted({*one.stops, value})) | {"usual": one.default}


def number_of(lesson: Lesson) -> Number:
    """The number on its large slider."""
    found = {**SHARED, **lesson.controls}[lesson.slider]
    if not isinstance(found, Number):
        raise TypeError(f"the slider of {lesson.stem} must be a Number, but {lesson.slider} is none")
    return found


def slider(lesson: Lesson, value: float, at: Sequence[float]) -> dict[str, Any]:
    """The large slider at a value. at: its stops."""
    one = number_of(lesson)
    return {
        "name": lesson.slider,
        "page": lesson.stem,
        "value": value,
        "stops": at,
        "shown": [f"{one.letter or one.label} = {stop:,}" for stop in at],
        "label": as_code(one.label),
        "play": one.play,
        "large": True,
    }


def places(lesson: Lesson, values: Values) -> dict[str, Any]:
    """Where the sliders stand that the main picture follows."""
    return {name: values[name] for name in lesson.followed}


def address(lesson: Lesson, values: Values, **more: str) -> str:
    """Where the browser asks for the main picture at these values; it adds the places of the sliders."""
    query = controls.written(lesson, {name: each for name, each in values.items() if name not in lesson.followed})
    return f"{PLACE}/{lesson.stem}?{urlencode(query | more)}"


def main_picture(*, card: bool = False) -> dict[str, Any]:
    """What sets a main picture apart. card: whether a bet stands above it."""
    return {"main": True, "least": _LEAST[card]}


def chart_config(name: str) -> dict[str, Any]:
    """What a figure offers beside itself: the camera."""
    return {
        "displaylogo": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": "svg", "filename": name},
    }
