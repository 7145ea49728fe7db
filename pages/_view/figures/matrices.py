"""Matrices as heatmaps with numbers in their cells."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pages._view.figures.base import THIRD, axis, figure, label, shade, title
from pages._view.picture import Figure, Part
from pages._view.theme import Profile, number, typed

FOLD = 8  # highest number of columns with room for numbers on a phone
_WIDE = 6  # highest number of columns with room for numbers at full size
_LETTERS = 48  # highest number of letters in a row of cells that a phone shows at full size
_FEW_LINES = 6
_NARROW = 6  # letters of a number that fit into a cell of a wide matrix on a phone
_EDGE = 0.53  # half a cell, with a little room for its frame


def matrix(
    values: ArrayLike,
    profile: Profile,
    name: str,
    *,
    limit: float,
    texts: Sequence[Sequence[str]] | None = None,
    rows: str = "row",
    columns: str = "column",
    letters: int = THIRD,
) -> Figure:
    """Return a matrix on a colour scale from −limit to limit, folded into blocks of at most FOLD columns."""
    values = np.atleast_2d(np.asarray(values, dtype=float))
    room = _NARROW if values.shape[1] > _WIDE else None
    texts = [[cell(x, room) for x in row] for row in values] if texts is None else texts
    lines, width, several = _places(*values.shape)[-1][0] + 1, min(values.shape[1], FOLD), values.shape[1] > FOLD
    return figure(
        profile,
        [_trace(values, texts, profile, name, limit)],
        left=2.2,
        height=_height(lines, profile, tall=any("<br>" in text for row in texts for text in row)),
        title=title(name, profile, size=profile.axis_size, letters=letters),
        xaxis=_places_axis(profile, columns, width, labelled=not several),
        yaxis=_rows_axis(profile, rows, values.shape),
        annotations=_block_names(profile, columns, values.shape) if several else [],
    )


def _trace(values, texts, profile, name, limit):
    """Return the heatmap of the cells, each with its text."""
    return {
        "type": "heatmap",
        "z": _fold(values),
        "text": _fold(texts),
        "texttemplate": "%{text}",
        "textfont": {"size": _text_size(texts) * profile.tick_size, "color": profile.text},
        "zmin": -limit,
        "zmax": limit or 1.0,
        "colorscale": colours(profile, profile.band, two_sided=True),
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "skip",
        "name": name,
    }


def cell(value: float, room: int | None = None) -> str:
    """Return a number with three significant digits, or with fewer if it is longer than `room` letters."""
    if np.isneginf(value):
        return "−∞"
    texts = [_shorter(value, digits) for digits in (3, 2, 1)]
    return next((text for text in texts if room is None or len(text) <= room), texts[-1])


def operand(value: float) -> str:
    """Return a number for a calculation: with six digits, so that a calculator gives the same result."""
    return "−∞" if np.isneginf(value) else _shorter(value, 6)


def equals(value: float, write: Callable[[float], str] = cell) -> str:
    """Return a result after = if it is written in full, or after ≈ if it is rounded."""
    text = write(value)
    full = float(f"{value:.2e}") == float(f"{value:.9e}") or text == typed(value)
    return f"{'=' if full else '≈'} {text}"


def _shorter(value, digits):
    """Return a number in full or rounded to so many significant digits, whichever is shorter."""
    rounded, as_typed = number(value, digits), typed(value)
    return rounded if "e" in as_typed or len(rounded) < len(as_typed) else as_typed


def _fold(values):
    """Return blocks of FOLD columns, one below the other, each after an empty line for its name."""
    rows = [list(row) for row in values]
    n_columns = len(rows[0])
    if n_columns <= FOLD:
        return rows
    empty = None if isinstance(rows[0][0], float) else ""
    lines = []
    for first in range(0, n_columns, FOLD):
        block = [row[first : first + FOLD] for row in rows]
        lines += [[empty] * FOLD, *([*row, *[empty] * (FOLD - len(row))] for row in block)]
    return lines


def _places(n_rows, n_columns):
    """Return (line, row number) for each row of each block."""
    if n_columns <= FOLD:
        return [(row, row + 1) for row in range(n_rows)]
    blocks = -(-n_columns // FOLD)
    return [(block * (n_rows + 1) + 1 + row, row + 1) for block in range(blocks) for row in range(n_rows)]


def _text_size(texts):
    """Return the numbers' size as a share of full size, small enough that neighbouring cells do not overlap."""
    n_columns = len(texts[0])
    if n_columns > _WIDE:
        return 0.8
    longest = max(len(line) for row in texts for text in row for line in text.split("<br>"))
    return 0.85 if n_columns * longest > _LETTERS else 1.0


def _height(lines, profile, *, tall):
    each = profile.tick_size * (2.75 if tall or lines <= _FEW_LINES else 1.9)
    return (round(profile.title_size * 1.6) + 3 * profile.axis_size + lines * each) / profile.height


def colours(profile: Profile, colour: str | None, *, two_sided: bool) -> list[list[float | str]]:
    """Return the colour scale of a matrix; the ground's colour is in its middle if two-sided, else at its start."""
    top = shade(profile, colour or profile.band)
    if two_sided:
        return [[0, shade(profile, profile.third)], [0.5, profile.ground], [1, top]]
    return [[0, profile.ground], [1, top]]


def _places_axis(profile, name, width, *, labelled):
    ticks: Part = {"tickvals": list(range(width)), "ticktext": [str(i + 1) for i in range(width)]} if labelled else {}
    return axis(profile, showticklabels=labelled, range=[-_EDGE, width - 1 + _EDGE], **_bare(profile, name), **ticks)


def _rows_axis(profile, name, shape):
    at, text = zip(*_places(*shape), strict=True)
    return axis(
        profile,
        range=[at[-1] + _EDGE, -_EDGE],
        tickvals=list(at),
        ticktext=[str(each) for each in text],
        **_bare(profile, name),
    )


def _bare(profile, name):
    """Return options for an axis without line and ticks, its title close to the numbers."""
    title = {"text": name, "font": {"size": profile.tick_size}, "standoff": 4}
    return {"showline": False, "ticks": "", "title": title}


def _block_names(profile, name, shape):
    n_rows, n_columns = shape
    names = []
    for block, first in enumerate(range(0, n_columns, FOLD)):
        text = f"{name}s {first + 1} to {min(first + FOLD, n_columns)}"
        place = {"x": -0.5, "y": block * (n_rows + 1), "xanchor": "left"}
        names.append(label(text, profile, **place))
    return names
