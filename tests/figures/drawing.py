"""Helpers that the tests of figures share: the profiles, and readers of figures and of code."""

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
    """Check the rules of all pictures: short and full sentences, no name of the code, columns of one length.

    A sentence has at most 25 words and three numbers, a claim 12 words; a power of ten belongs to its number.
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
    """Return the figures of a picture as Plotly's own, which validate every property; anything else stays as it is."""
    figure = shown.figure if isinstance(shown, Picture) else shown
    if isinstance(figure, Figure):
        return go.Figure({"data": figure.data, "layout": figure.layout})
    return {name: plotted(each) for name, each in figure.items()} if isinstance(figure, dict) else figure


def run(code):
    """Return the names that a piece of code defines, and the text that it prints."""
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    assert printed.getvalue().strip(), "the code prints nothing"
    return names, printed.getvalue()


def texts(figure):
    """Return the words in a figure, without their sizes."""
    return [re.sub("<span.*?>|</span>", "", note.text) for note in figure.layout.annotations]


def traces_of(figure, name):
    """Return the traces of this name."""
    return [trace for trace in figure.data if trace.name == name]


def trace_of(figure, name):
    """Return the one trace of this name."""
    (trace,) = traces_of(figure, name)
    return trace


AMBIENT = 0.25  # the light of a lit room on the wall, as a share of the projector's


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
    """Return (L1 + 0.05) / (L2 + 0.05), the lighter above (WCAG 2.2, "contrast ratio")."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
