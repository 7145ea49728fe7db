"""The spread of scores against d_k: axes in powers of two, on which each power of d_k is a straight line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pages._view.figures import base
from pages._view.figures.ends import apart
from pages._view.marks import readable
from pages._view.picture import Figure, Part
from pages._view.theme import Profile

WHAT = "Spread σ of what softmax gets"
D_TICKS = (1, 4, 16, 64, 256, 1024)
LOOKS = {"raw": ("raw", "circle"), "÷ √dₖ": ("scaled", "square"), "÷ dₖ": ("third", "triangle-up")}  # colour, mark

_SIZES = (1 / 128, 1 / 32, 1 / 8, 1 / 2, 1, 2, 8, 32, 128, 512, 2048)  # named on the upright axis
_FRACTIONS = {1 / 8: "⅛", 1 / 2: "½"}
_LOW, _HIGH = 1 / 32, 32  # of that axis at least
_UNDER, _OVER = 2.0, 1.5  # times an end: the axis goes on a little, and below there is room for a number
_ACROSS = -0.06, 3.07  # decades
_LETTER, _LINE = 0.56, 1.3  # width and height of a letter, of its size


@dataclass(frozen=True)
class End:
    """The name at the end of a line, and what the line does, in at most two lines."""

    name: str
    does: Sequence[str]
    height: float
    colour: str


def spread_figure(
    profile: Profile,
    traces: Sequence[Part],
    ends: Sequence[End],
    *,
    reach: tuple[float, float] = (_LOW, _HIGH),
    **layout: Any,
) -> Figure:
    """A figure on these axes with the names of its lines at their ends. reach: the smallest and the largest height."""
    fig = base.figure(
        profile,
        traces,
        left=3.0,
        bottom=2.7,
        height=0.8 if base.on_a_wall(profile) else 1.1,
        xaxis=base.axis(profile, "dₖ", type="log", tickvals=D_TICKS, ticktext=_numbers(D_TICKS), range=[*_ACROSS]),
        yaxis=_upright(profile, reach),
        **{"title": base.title(f"<b>{WHAT}</b>", profile, size=profile.axis_size, letters=_ROOM), **layout},
    )
    _name(fig, ends, profile)
    return fig


_ROOM = 40  # letters of a title


def _numbers(values):
    return [_FRACTIONS.get(each, f"{each:,}" if each >= 1 else f"1/{1 / each:.0f}") for each in values]


def _upright(profile, reach):
    low, high = min(_LOW, reach[0]) / _UNDER, max(_HIGH, reach[1]) * _OVER
    sizes = [each for each in _SIZES if low <= each <= high]
    said = [f"<b>{text}</b>" if text == "1" else text for text in _numbers(sizes)]
    ends = [float(np.log10(low)), float(np.log10(high))]
    return base.axis(profile, None, grid=True, type="log", tickvals=sizes, ticktext=said, range=ends)


def _name(fig, ends, profile):
    """Write the names to the right of the plot, none over another: on a wall what each does is one line."""
    if not ends:
        return
    does = [" ".join(each.does) if base.on_a_wall(profile) else "<br>".join(each.does) for each in ends]
    lines = max(1 + text.count("<br>") + bool(text) for text in does)
    longest = max(len(line) for each, text in zip(ends, does, strict=True) for line in (each.name, *text.split("<br>")))
    fig.layout["margin"]["r"] = round((1 + _LETTER * longest) * profile.tick_size)
    low, high = fig.layout["yaxis"]["range"]
    top, bottom = fig.layout["margin"]["t"], fig.layout["margin"]["b"]
    gap = lines * _LINE * profile.tick_size * (high - low) / (fig.layout["height"] - top - bottom)
    places = apart([float(np.log10(each.height)) for each in ends], gap, high)
    place: Part = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": profile.tick_size / 2, "align": "left"}
    fig.layout["annotations"] = [
        *fig.layout.get("annotations", ()),
        *(_end(each, text, float(at), profile, place) for each, text, at in zip(ends, does, places, strict=True)),
    ]


def _end(each, does, at, profile, place):
    ink = readable(each.colour, profile.ground, profile.text)
    named = f'<span style="color: {ink}; font-size: {profile.axis_size}px"><b>{each.name}</b></span>'
    return base.label(f"{named}<br>{does}" if does else named, profile, y=at, bgcolor=None, **place)


def at_mark(text: str, name: str, d_k: int, height: float, profile: Profile) -> Part:
    """A number beside the mark at d_k: above and before it, and clear of a line which falls.

    On a wall the axis is so near below it that such a number stands above the line.
    """
    falls, room = name == "÷ dₖ", 1.2 * profile.marker_size
    ink = readable(getattr(profile, LOOKS[name][0]), profile.ground, profile.text)
    place = {"x": float(np.log10(d_k)), "y": float(np.log10(height)), "xanchor": "right", "xshift": -room}
    below = falls and not base.on_a_wall(profile)
    side = (
        {"yanchor": "top", "yshift": -room / 2}
        if below
        else {"yanchor": "bottom", "yshift": room * (2 if falls else 0.5)}
    )
    written = f'<span style="color: {ink}"><b>{text}</b></span>'
    return base.label(written, profile, size=profile.axis_size, bgcolor=None, **place, **side)
