"""What the tests of figures share: the profiles they are drawn for, and looks at a figure and at code."""

import contextlib
import io
import re

import plotly.graph_objects as go
import pytest

from pages._view.picture import Figure, Picture
from pages._view.theme import DARK, LIGHT, PROJECTOR

PROFILES = [pytest.param(each, id=name) for name, each in (("light", LIGHT), ("dark", DARK), ("projector", PROJECTOR))]


def check(picture):
    """A picture is whole: Plotly takes its figures, its sentence ends, its table has columns of one length."""
    assert isinstance(picture, Picture)
    plotted(picture)
    assert picture.sentence.endswith(".")
    assert len({len(column) for column in picture.table.values()}) == 1


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
