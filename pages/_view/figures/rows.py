"""Panels on a phone: one below the other, each with its words to the left of its picture."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pages._view.figures.base import label
from pages._view.picture import Figure, Part
from pages._view.theme import Profile

MOST = 3  # panels that fit below each other
PICTURE = 0.46, 1.0  # of the width
_HEIGHT = 1.45  # of the usual height; if less than half of it is visible, a phone scrolls
_APART = 0.03  # of the height
_EDGE = 2  # px
_LARGE, _LINE = 1.4, 1.3  # of a name: the one large number; of letters: the height of their line


def on_a_phone(fig: Figure, profile: Profile, **layout: Any) -> Figure:
    """Return the figure with these entries of its layout for a phone; an axis lists only what differs there."""
    margin = {each: _EDGE for each in "lrtb"}
    axes = {name: fig.layout[name] | each for name, each in layout.items() if name[1:5] == "axis"}
    return replace(fig, narrow={"height": round(_HEIGHT * profile.height), "margin": margin} | layout | axes)


def down(i: int) -> list[float]:
    """Return the ends of a row, as shares of the height."""
    part = (1 - _APART * (MOST - 1)) / MOST
    top = 1 - i * (part + _APART)
    return [max(0.0, top - part), top]


def words(i: int, name: str, large: str, small: Sequence[str], ink: str, profile: Profile) -> list[Part]:
    """Return the name of a row, its large number, and small lines below it.

    The colour is part of the text: while a slider is dragged, texts are updated and fonts are not.
    """
    texts = [f'<span style="color:{ink}"><b>{each}</b></span>' for each in (name, large)] + ["<br>".join(small)]
    place: Part = {"xref": "paper", "yref": "paper", "x": 0, "y": down(i)[1], "xanchor": "left", "yanchor": "top"}
    notes, below = [], 0.0
    for text, size in zip(texts, (profile.base_size, _LARGE * profile.base_size, profile.tick_size), strict=True):
        look: Part = {"size": size, "align": "left", "bgcolor": None, "borderpad": 0}
        notes.append(label(text, profile, yshift=-round(below), **look, **place))
        below += _LINE * size
    return notes
