"""Panels on a phone: one below the other, each with text to the left of its picture."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pages._view.figures.base import label
from pages._view.picture import Figure, Part
from pages._view.theme import Profile

MOST = 3  # highest number of stacked panels
PICTURE = 0.46, 1.0  # left and right end of the pictures, as shares of the width
_HEIGHT = 1.45  # figure's height, relative to the usual one; a phone scrolls if less than half of the figure is visible
_APART = 0.03  # gap between panels, as a share of the height
_EDGE = 2  # px
_LARGE, _LINE = 1.4, 1.3  # font size of the large number, relative to the name's; line height, in font sizes


def on_a_phone(fig: Figure, profile: Profile, **layout: Any) -> Figure:
    """Return the figure with these layout entries for a phone; an axis needs only the options that differ there."""
    margin = {each: _EDGE for each in "lrtb"}
    axes = {name: fig.layout[name] | each for name, each in layout.items() if name[1:5] == "axis"}
    return replace(fig, narrow={"height": round(_HEIGHT * profile.height), "margin": margin} | layout | axes)


def down(i: int) -> list[float]:
    """Return the lower and upper end of a row, as shares of the height."""
    part = (1 - _APART * (MOST - 1)) / MOST
    top = 1 - i * (part + _APART)
    return [max(0.0, top - part), top]


def words(i: int, name: str, large: str, small: Sequence[str], ink: str, profile: Profile) -> list[Part]:
    """Return annotations for a row: its name, its large number, and small lines below.

    The colour is part of the text, since only texts are updated while a slider is dragged, not fonts.
    """
    texts = [f'<span style="color:{ink}"><b>{each}</b></span>' for each in (name, large)] + ["<br>".join(small)]
    place: Part = {"xref": "paper", "yref": "paper", "x": 0, "y": down(i)[1], "xanchor": "left", "yanchor": "top"}
    notes, below = [], 0.0
    for text, size in zip(texts, (profile.base_size, _LARGE * profile.base_size, profile.tick_size), strict=True):
        look: Part = {"size": size, "align": "left", "bgcolor": None, "borderpad": 0}
        notes.append(label(text, profile, yshift=-round(below), **look, **place))
        below += _LINE * size
    return notes
