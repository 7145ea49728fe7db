"""The spread of scores against d_k, on logarithmic axes, where each power of d_k is a straight line."""

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
LOOKS = {"raw": ("raw", "circle"), "÷ √dₖ": ("scaled", "square"), "÷ dₖ": ("third", "triangle-up")}  # colour, symbol

_SIZES = (1 / 128, 1 / 32, 1 / 8, 1 / 2, 1, 2, 8, 32, 128, 512, 2048)  # ticks of the upright axis
_FEW_SIZES, _TALL = (1 / 64, 1 / 8, 1, 8, 64, 512), 4_000  # the ticks on a wall, if high / low > _TALL
_FRACTIONS = {1 / 8: "⅛", 1 / 2: "½"}
LOW, HIGH = 1 / 32, 32  # ends of the vertical axis: spreads of scores ÷ d_k and of raw scores at d_k = 1,024
_UNDER, _OVER = 2.0, 1.5  # factors by which the axis extends beyond LOW and HIGH; a number fits below
_ACROSS = -0.08, 3.12  # ends of the horizontal axis, in decades
_LETTER, _LINE = 0.56, 1.3  # width and height of a letter, in font sizes
_FEW = 3  # lines; if there are more, their names are smaller
_SEEN = 0.6  # visible share of the plot's height if it has more than _FEW lines and is too high for a window


@dataclass(frozen=True)
class End:
    """The label at the end of a curve: its name ("" if it is not drawn), and one or two lines of text on its course."""

    name: str
    does: Sequence[str]
    height: float
    colour: str


def spread_figure(
    profile: Profile,
    traces: Sequence[Part],
    ends: Sequence[End],
    *,
    reach: tuple[float, float] = (LOW, HIGH),
    height: float = 1.0,
    **layout: Any,
) -> Figure:
    """Return a figure on logarithmic axes with the names of its lines at their ends.

    reach: the smallest and the largest height of a mark. height: the figure's, as a share of the usual one.
    """
    fig = base.figure(
        profile,
        traces,
        left=3.0,
        bottom=2.7,
        height=(0.8 if base.on_a_wall(profile) else 1.1) * height,
        xaxis=base.axis(profile, "dₖ", type="log", tickvals=D_TICKS, ticktext=_numbers(D_TICKS), range=[*_ACROSS]),
        yaxis=_upright(profile, reach),
        **{"title": base.title(f"<b>{WHAT}</b>", profile, size=profile.axis_size, letters=_ROOM), **layout},
    )
    _name(fig, ends, profile)
    return fig


_ROOM = 40  # letters of a line of the title


def _numbers(values):
    return [_FRACTIONS.get(each, f"{each:,}" if each >= 1 else f"1/{1 / each:.0f}") for each in values]


def _upright(profile, reach):
    low, high = reach[0] / _UNDER, reach[1] * _OVER
    named = _FEW_SIZES if base.on_a_wall(profile) and high / low > _TALL else _SIZES
    sizes = [each for each in named if low <= each <= high]
    said = [f"<b>{text}</b>" if text == "1" else text for text in _numbers(sizes)]
    ends = [float(np.log10(low)), float(np.log10(high))]
    return base.axis(profile, None, grid=True, type="log", tickvals=sizes, ticktext=said, range=ends)


def _name(fig, ends, profile):
    """Write the names to the right of the plot, without overlaps."""
    if not ends:
        return
    size = profile.axis_size if len(ends) <= _FEW else profile.tick_size
    does = [_said(each.does, len(ends), profile) for each in ends]
    lines = max(text.count("<br>") + bool(text) for text in does)
    fig.layout["margin"]["r"] = round((1 + _LETTER * _longest(ends, does)) * profile.tick_size)
    room = fig.layout["height"] - fig.layout["margin"]["t"] - fig.layout["margin"]["b"]
    seen = room if len(ends) <= _FEW else _SEEN * room
    places = _places(fig, ends, _LINE * (size + lines * profile.tick_size) / seen)
    place: Part = {"xref": "paper", "yref": "paper", "x": 1, "xanchor": "left", "xshift": profile.tick_size / 2}
    named = zip(ends, does, places, strict=True)
    words = [_end(each, text, size, profile, place | {"y": float(at), "yanchor": "middle"}) for each, text, at in named]
    fig.layout["annotations"] = [*fig.layout.get("annotations", ()), *words]


def _places(fig, ends, gap):
    """Return the heights of the names, as shares of the plot's height, with gaps between them."""
    low, high = fig.layout["yaxis"]["range"]
    drawn = [i for i, each in enumerate(ends) if each.name]
    places = np.zeros(len(ends))
    heights = [(float(np.log10(ends[i].height)) - low) / (high - low) for i in drawn]
    places[drawn] = apart(heights, gap, 1 - gap / 2.5)
    return places


def _longest(ends, does):
    """Return the number of letters of the longest line; the larger letters of a name count as 1.2."""
    names = [1.2 * len(each.name) for each in ends]
    return max(*names, *(len(line) for text in does for line in text.split("<br>")))


def _said(does, count, profile):
    if not base.on_a_wall(profile):
        return "<br>".join(does)
    return " ".join(does) if count <= _FEW else ""  # a wall has room for at most _FEW second lines


def _end(each, does, size, profile, place):
    ink = readable(each.colour, profile.ground, profile.text)
    named = f'<span style="color: {ink}; font-size: {size}px"><b>{each.name}</b></span>' if each.name else ""
    return base.label(f"{named}<br>{does}" if does else named, profile, align="left", bgcolor=None, **place)


def at_mark(text: str, name: str, d_k: int, height: float, profile: Profile) -> Part:
    """Return a number to the left of the mark at d_k: above a rising line, below a falling one.

    On a wall the number of a falling line is above the line too, because the axis is close below.
    """
    falls, room = name == "÷ dₖ", 1.2 * profile.marker_size
    place: Part = {"x": float(np.log10(d_k)), "y": float(np.log10(height)), "xanchor": "right", "xshift": -room}
    below = falls and not base.on_a_wall(profile)
    side: Part = (
        {"yanchor": "top", "yshift": -room / 2}
        if below
        else {"yanchor": "bottom", "yshift": room * (2 if falls else 0.5)}
    )
    written = base.in_colour(text, getattr(profile, LOOKS[name][0]), profile)
    return base.label(written, profile, size=profile.axis_size, bgcolor=None, **place, **side)
