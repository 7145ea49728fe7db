"""The result of every figure function: a figure with its words and data."""

import json
import re
from base64 import b64encode
from collections.abc import Collection, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pages._view.literal import as_code
from pages._view.marks import Mark, found

Table = dict[str, Sequence[Any]]
Part = dict[str, Any]  # a part of a figure: a trace, an axis, an annotation, a line style
LEAST = 0.55  # least height of a main picture's plot in a low window, as a share of its usual height
# Start of what `partly` cuts from an annotation: a second line, or an addition in smaller letters.
_FURTHER = re.compile("<br>|, <span|\u2002<span")


@dataclass(frozen=True, eq=False)
class Figure:
    """A Plotly figure as plain dictionaries: its traces and its layout.

    narrow : entries of the layout that replace others on a phone: only positions.
    """

    data: list[Part]
    layout: Part
    narrow: Part = field(default_factory=dict)

    def to_json(self, *, narrow: bool = False) -> str:
        """Return the figure as JSON for Plotly. narrow: add the entries for phones, which only our own script reads."""
        more = {"narrow": self.narrow} if narrow and self.narrow else {}
        text = json.dumps({"data": self.data, "layout": self.layout} | more, default=_plain)
        if "NaN" in text or "Infinity" in text:  # JSON has no NaN and no infinity; Plotly draws a gap for null
            text = json.dumps(json.loads(text, parse_constant=lambda _: None))
        return text


def _plain(value):
    """Encode float arrays as bytes, which are shorter and faster than digits; turn other arrays into lists."""
    if not isinstance(value, (np.ndarray, np.generic)):
        raise TypeError(f"a figure cannot hold a {type(value).__name__}")
    if value.dtype != np.float64 or not value.ndim:
        return value.tolist()
    packed = {"dtype": "f8", "bdata": b64encode(value.astype("<f8").tobytes()).decode()}
    return packed if value.ndim == 1 else packed | {"shape": ", ".join(map(str, value.shape))}


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure with its texts and data.

    Attributes
    ----------
    key : the picture's name in its widgets, its files and the lesson's declaration.
    figure : None if Plotly does not draw it.
    sentence : what the picture shows, in plain words.
    table : the numbers behind the figure, as columns of equal length.
    code : Python code that computes these numbers.
    note : a remark for readers of the table.
    bins : a second table, only to download; bins_name is its title.
    alt : the figure's description for those who do not see it; empty means the sentence.
    claim : the title of a second picture, a short statement of what it shows.
    sure : sentences under "How sure?": measured and predicted values, standard errors and bands.
    checks : the values of `sure` as a table.
    marks : words of the sentence that name traces of the figure, or points of them, and have their colour.
    """

    key: str
    figure: Figure | None
    sentence: str
    table: Table
    code: str
    note: str = ""
    bins: Table | None = None
    bins_name: str = "bins and weights"
    alt: str = ""
    claim: str = ""
    sure: Sequence[str] = ()
    checks: Table | None = None
    marks: Sequence[Mark] = ()

    def drawn(self) -> dict[str, Any]:
        """Return the picture as the browser's script gets it: the figure as JSON, its size, texts and marks."""
        figure = self._single()
        marks = found(self.sentence, self.marks, figure.data, figure.layout)
        return self.told() | {"figure": figure.to_json(narrow=True), "marks": marks}

    def told(self) -> dict[str, Any]:
        """Return the figure's size, on a wide window and on a phone, and its texts."""
        figure = self._single()
        size = _size(figure.layout) | {"narrow": _size(figure.layout | figure.narrow)}
        return size | {"sentence": self.sentence, "alt": self.spoken()}

    def _single(self):
        if not isinstance(self.figure, Figure):
            raise TypeError(f"{self.key} must be a single figure, but is a {type(self.figure).__name__}")
        return self.figure

    def spoken(self) -> str:
        """Return the description for a screen reader."""
        return as_code(self.alt or self.sentence)

    def partly(
        self,
        sentence: str,
        *,
        keep: Collection[str] = (),
        words: Collection[str] = (),
        shapes: Sequence[Part] = (),
        last: float | None = None,
    ) -> "Picture":
        """Return the part of the picture that may be shown before a bet: its axes, and what the arguments name.

        The browser gets nothing else of the figure, and no table or code. keep: names of traces; words: texts of titles
        and annotations; last: the x beyond which traces are cut. An annotation is reduced to its first line, without
        the part in smaller letters.
        """
        figure = self._single()
        data = [_up_to(last, each) if each["name"] in keep else _empty(each) for each in figure.data]
        narrow = _known(figure.narrow, words, shapes) if figure.narrow else {}
        return Picture(self.key, Figure(data, _known(figure.layout, words, shapes), narrow), sentence, {}, "")


def _size(layout):
    """Return the heights of the figure and of its plot."""
    height, margin = layout["height"], layout["margin"]
    return {"height": height, "plot": height - margin["t"] - margin["b"]}


def _known(layout, words, shapes):
    """Return a copy of a layout with only these annotations and these shapes."""
    layout = deepcopy(layout) | {"shapes": [*shapes]}
    named = [each | {"text": _FURTHER.split(each["text"])[0]} for each in layout.get("annotations", ())]
    layout["annotations"] = [each for each in named if each["text"] in words]
    _hide_numbers(layout, words)
    return layout


def _empty(trace):
    """Return an empty trace on the same axes, so that their panel stays."""
    axes = {name: trace[name] for name in ("xaxis", "yaxis") if name in trace}
    return {"type": "scatter", "x": [None], "y": [None], "hoverinfo": "skip", "name": trace["name"], **axes}


def _up_to(last, trace):
    if last is None:
        return trace
    seen = [x is not None and x <= last for x in trace["x"]]
    bars = trace.get("error_y", {})
    cut = {name: _only(seen, bars[name]) for name in ("array", "arrayminus") if bars.get(name) is not None}
    return trace | {"y": _only(seen, trace["y"])} | ({"error_y": bars | cut} if cut else {})


def _only(seen, numbers):
    return [each if is_seen else None for is_seen, each in zip(seen, numbers, strict=True)]


def _hide_numbers(layout, words):
    """Hide titles that are not among the words, and numbers in tick labels: both could show the truth."""
    title = layout.get("title", {})
    title.pop("subtitle", None)
    if "text" in title and title["text"] not in words:
        title["text"] = ""
    for name, each in layout.items():
        if name[1:5] == "axis" and each.get("ticktext") is not None:
            each["ticktext"] = [_without_numbers(text) for text in each["ticktext"]]


def _without_numbers(text):
    """Return a tick's label with lines that hold a number left blank; a label of one line stays."""
    lines = text.split("<br>")
    kept = lines if len(lines) == 1 else [line if re.search(r"\d", line) is None else " " for line in lines]
    return "<br>".join(kept)
