"""Several matrices in one figure; the name of a clicked trace identifies its matrix."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pages._view.figures.base import axis, figure, heading
from pages._view.figures.matrices import cell, colours
from pages._view.picture import Figure, Part
from pages._view.theme import Profile

MOST_COLUMNS = 64  # highest number of columns drawn: more would be too narrow to see
MOST_NUMBERS = 5  # highest number of columns whose cells have room for numbers, on a phone too
_LETTERS = 18  # highest number of letters of all numbers in a row
_EDGE = 0.53  # half a cell, with a little room for its frame
_HEIGHT = 0.85  # least height, as a share of a figure's usual height
_LINE = 1.5  # least height of a row, in font sizes of a tick


@dataclass(frozen=True, eq=False)
class Panel:
    """One matrix and its place.

    Attributes
    ----------
    name : the name of the trace.
    title : the text above the matrix, at most 14 letters.
    values : the matrix.
    limit, low : ends of the colour scale; low is −limit by default.
    places : letters before the numbers of rows and columns, as in q₁ and k₁; "" for numbers alone.
    chosen : (row, column) to frame, counted from 0; None frames a whole row or column.
    texts : the texts of the cells; by default their numbers.
    colour : the colour of the strongest shade.
    columns : the number of columns on the axis, if it is to be longer than the matrix.
    """

    name: str
    title: str
    values: ArrayLike
    limit: float
    places: tuple[str, str]
    chosen: tuple[int | None, int | None]
    low: float | None = None
    texts: Sequence[Sequence[str]] | None = None
    colour: str | None = None
    columns: int | None = None


def side_by_side(columns: Sequence[Sequence[Panel]], profile: Profile) -> Figure:
    """Return a figure with these columns of panels side by side; the panels of a column are stacked."""
    placed = [
        (panel, _share(i, len(columns), 0.1), _share(len(column) - 1 - j, len(column), 0.28))
        for i, column in enumerate(columns)
        for j, panel in enumerate(column)
    ]
    traces, shapes, titles = [], [], []
    axes: Part = {}
    for i, (panel, across, down) in enumerate(placed):
        number = str(i + 1) if i else ""
        traces.append(_trace(panel, number, profile))
        axes |= _axes(panel, number, across, down, profile)
        shapes.append(_frame(panel, number, profile))
        titles.append(heading(panel.title, profile, axes=number))
    room = {"height": _height(columns, profile), "left": 1.7, "bottom": 1.7}
    fig = figure(profile, traces, shapes=shapes, annotations=titles, **room, **axes)
    fig.layout["margin"]["t"] = round(1.6 * profile.axis_size)
    return fig


def _height(columns, profile):
    """Return the height of the figure, as a share of the usual one, larger if there are many rows."""
    lines = max(sum(len(_shown(panel)) for panel in column) for column in columns)
    return max(_HEIGHT, (_LINE * lines * profile.tick_size + 6 * profile.axis_size) / profile.height)


def _share(place, count, gap):
    """Return the ends of one of `count` equal parts of an axis, with gaps between the parts."""
    part = (1 - gap * (count - 1)) / count
    start = place * (part + gap)
    return [start, min(1.0, start + part)]


def _shown(panel: Panel) -> NDArray[np.float64]:
    """Return the first MOST_COLUMNS columns of the matrix."""
    return np.atleast_2d(np.asarray(panel.values, dtype=float))[:, :MOST_COLUMNS]


def _trace(panel, number, profile):
    """Return the heatmap of the cells, with their texts if these have room."""
    values = _shown(panel)
    found = {
        "type": "heatmap",
        "name": panel.name,
        "z": values,
        "zmin": -panel.limit if panel.low is None else panel.low,
        "zmax": panel.limit or 1.0,
        "colorscale": colours(profile, panel.colour, two_sided=panel.low is None),
        "showscale": False,
        "hoverinfo": "skip",
        "xaxis": f"x{number}",
        "yaxis": f"y{number}",
    }
    if not _has_numbers(panel):
        return found
    texts = panel.texts or [[short(x, _LETTERS // values.shape[1]) for x in row] for row in values]
    font = {"size": profile.tick_size, "color": profile.text}
    return found | {"text": texts, "texttemplate": "%{text}", "textfont": font, "xgap": 1, "ygap": 1}


def short(value: float, room: int) -> str:
    """Return a number for a cell with room for so many letters; "≈ 0" or "…" if the number is longer."""
    text = cell(value, room)
    if len(text) <= room + 1:
        return text
    return "≈ 0" if abs(value) < 1 else "…"


def _has_numbers(panel):
    rows, columns = _shown(panel).shape
    return rows <= 2 * MOST_NUMBERS and max(columns, panel.columns or 0) <= MOST_NUMBERS


def _axes(panel, number, across, down, profile):
    rows, columns = _shown(panel).shape
    width = max(columns, panel.columns or 0)
    for_rows, for_columns = panel.places
    return {
        f"xaxis{number}": _axis(profile, for_columns, width)
        | {"range": [-_EDGE, width - 1 + _EDGE], "domain": across, "anchor": f"y{number}"},
        f"yaxis{number}": _axis(profile, for_rows, rows)
        | {"range": [rows - 1 + _EDGE, -_EDGE], "domain": down, "anchor": f"x{number}"},
    }


def _axis(profile: Profile, letter: str, count: int) -> Part:
    """Return an axis with a label for every row or column, or, if there are many, for the first and the last."""
    at = range(count) if count <= 2 * MOST_NUMBERS else (0, count - 1)
    names = [f"{letter}{named(i + 1, sub=bool(letter))}" for i in at]
    return axis(profile, showline=False, ticks="", tickvals=list(at), ticktext=names)


def named(number: int, *, sub: bool) -> str:
    """Return a number as text. sub: True for a subscript."""
    return str(number).translate(_SUBSCRIPT) if sub else str(number)


_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _frame(panel, number, profile):
    """Return a frame around the chosen cell, row or column."""
    rows, columns = _shown(panel).shape
    row, column = panel.chosen
    top, bottom = (0, rows) if row is None else (row, row + 1)
    left, right = (0, columns) if column is None else (column, column + 1)
    place = {"x0": left - 0.5, "x1": min(right, columns) - 0.5, "y0": top - 0.5, "y1": bottom - 0.5}
    line = {"color": profile.text, "width": profile.line_width * 1.5}
    hidden = {} if left < columns else {"visible": False}
    return {"type": "rect", "xref": f"x{number}", "yref": f"y{number}", "line": line, **place, **hidden}
