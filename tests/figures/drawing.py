"""Helpers for the tests of figures: profiles, rules for all pictures, functions that read figures, WCAG contrast."""

import contextlib
import io
import re

import plotly.graph_objects as go
import pytest

from pages._view.literal import plain
from pages._view.picture import Figure, Picture
from pages._view.theme import DARK, LIGHT, PROJECTOR

PROFILES = [pytest.param(each, id=name) for name, each in (("light", LIGHT), ("dark", DARK), ("projector", PROJECTOR))]


def whole(picture):
    """Check the rules for all pictures: short, complete sentences, no names from the code, columns of equal length.

    A sentence has at most 25 words and three numbers, a claim at most 12 words. A number and its
    power of ten count as one.
    """
    said = re.sub("<[^>]*>", "", picture.sentence)
    assert said.endswith((".", "?")), said
    for text, most in ((said, 25), (picture.claim, 12)):
        assert len([word for word in text.split() if word.strip("×·=+−÷:;,.()")]) <= most, text
    assert len(re.findall(r"\d[\d,.⁰-⁹]*(?: × \d[\d⁰-⁹⁻]*)*", said)) <= 3, said
    careful = re.sub(r"\$[^$]*\$", "", plain(" ".join(picture.sure)).replace("\\", ""))
    written = f"{said} {picture.claim} {careful}"
    assert not re.search(r"[a-zA-Z]_[a-zA-Z]|\^|(?<![\w.])-\d", written), written
    assert picture.spoken()
    for table in (picture.table, picture.bins, picture.checks):
        assert table is None or len({len(column) for column in table.values()}) == 1, table


def plotted(shown):
    """Return a picture's figures as Plotly figures, which validate every property; return anything else unchanged."""
    figure = shown.figure if isinstance(shown, Picture) else shown
    if isinstance(figure, Figure):
        return go.Figure({"data": figure.data, "layout": figure.layout})
    return {name: plotted(each) for name, each in figure.items()} if isinstance(figure, dict) else figure


def run(code):
    """Run code; return the names it defines and the text it prints."""
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    assert printed.getvalue().strip(), "the code prints nothing"
    return names, printed.getvalue()


def texts(figure):
    """Return the annotations of a figure as texts without <span>."""
    return [re.sub("<span.*?>|</span>", "", note.text) for note in figure.layout.annotations]


def traces_of(figure, name):
    """Return all traces with a name."""
    return [trace for trace in figure.data if trace.name == name]


def trace_of(figure, name):
    """Return the only trace with a name."""
    (trace,) = traces_of(figure, name)
    return trace


AMBIENT = 0.25  # light of the room on the wall ÷ light of projected white


def in_the_light(colour):
    """Return a colour on a wall in a lit room: each channel moves a quarter of the way to white."""
    channels = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round((1 - AMBIENT) * each + AMBIENT * 255):02x}" for each in channels)


def luminance(colour):
    """Return the relative luminance of #rrggbb (WCAG 2.2, "relative luminance")."""
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Return (L1 + 0.05) / (L2 + 0.05), where L1 is the lighter colour's luminance (WCAG 2.2, "contrast ratio")."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
