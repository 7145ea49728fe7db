"""What the tests of figures share: the profiles they are drawn for, and looks at a figure and at code."""

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
    """What holds of every picture: words that end and are short, without a name of the code, and a table of columns.

    At most 25 words and three numbers in a sentence, 12 words in a claim; a power of ten belongs to its number.
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
    """The figures of a picture as Plotly's own, which validate every property; what is none stays as it is."""
    figure = shown.figure if isinstance(shown, Picture) else shown
    if isinstance(figure, Figure):
        return go.Figure({"data": figure.data, "layout": figure.layout})
    return {name: plotted(each) for name, each in figure.items()} if isinstance(figure, dict) else figure


def run(code):
    """What a piece of code defines, and what it prints."""
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    assert printed.getvalue().strip(), "the code prints nothing"
    return names, printed.getvalue()


def texts(figure):
    """The words in a figure, without their sizes."""
    return [re.sub("<span.*?>|</span>", "", note.text) for note in figure.layout.annotations]


def traces_of(figure, name):
    """The traces of this name."""
    return [trace for trace in figure.data if trace.name == name]


def trace_of(figure, name):
    """The one trace of this name."""
    (trace,) = traces_of(figure, name)
    return trace


AMBIENT = 0.25  # of the light of a lit room on the wall beside that of the projector


def in_the_light(colour):
    """A colour on a wall in a lit room: each channel gives up a quarter of its way to white."""
    channels = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round((1 - AMBIENT) * each + AMBIENT * 255):02x}" for each in channels)


def luminance(colour):
    """Relative luminance of #rrggbb (WCAG 2.2, "relative luminance")."""
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """(L1 + 0.05) / (L2 + 0.05), the lighter above (WCAG 2.2, "contrast ratio")."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
