"""Words of a sentence that name parts of its figure, have their colour, and light them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np

Part = Mapping[str, Any]  # a part of a figure: a trace or an axis

_READABLE = 4.5  # least contrast ratio of a text with its ground (WCAG 2.2, 1.4.3)
_STEPS = 20  # number of steps from a colour to the text's, to find a readable one
_UNDERLINES = {"dash": "dashed", "longdash": "dashed", "dot": "dotted"}


@dataclass(frozen=True)
class Mark:
    """A word that names traces of a figure, or points of them.

    word: as written in the sentence; if the sentence lacks it, the mark is left out. traces: the names of the traces;
    the first gives the colour. points: the indices of the points that are meant; () for all.
    """

    word: str
    traces: tuple[str, ...]
    points: tuple[int, ...] = ()


def found(sentence: str, marks: Sequence[Mark], data: Sequence[Part], layout: Part) -> list[Part]:
    """Return the marks whose words are in the sentence, each at its word's first occurrence, for the browser.

    In the result, before is the text since the previous mark, curves are the indices of the traces, colour is that of
    the traces, and ink is the same colour made readable as text.
    """
    told: list[Part] = []
    end = 0
    for start, mark in sorted(((_start(sentence, each.word), each) for each in marks), key=itemgetter(0)):
        if start < 0:
            continue
        if start < end:
            raise ValueError(f"two marks share the words “{mark.word}” of: {sentence}")
        traces = [(i, each) for i, each in enumerate(data) if each.get("name") in mark.traces]
        colour, dash = _look(mark, [each for _, each in traces], layout["font"]["color"])
        told.append(
            {
                "word": mark.word,
                "before": sentence[end:start],
                "curves": [i for i, _ in traces],
                "points": [*mark.points] or None,
                "colour": colour,
                "ink": readable(colour, layout["paper_bgcolor"], layout["font"]["color"]),
                "line": _UNDERLINES.get(dash, "solid"),
            }
        )
        end = start + len(mark.word)
    return told


def _start(sentence, word):
    """Return the index at which the word first occurs as a whole word; -1 if it does not."""
    at = sentence.find(word)
    while at >= 0 and (sentence[:at][-1:].isalnum() or sentence[at + len(word) :][:1].isalnum()):
        at = sentence.find(word, at + 1)
    return at


def _look(mark, traces, text):
    """Return the colour of a mark's traces (for a heatmap, the text's), and the dash of their line."""
    missing = {*mark.traces} - {each["name"] for each in traces}
    first = [each for each in traces if each["name"] == mark.traces[0]]
    colours = {colour for each in first for colour in _colours(each, mark.points, text)}
    if missing or len(colours) != 1:
        raise ValueError(f"“{mark.word}” must name marks of one colour, but has {colours}; missing: {missing}")
    return colours.pop(), first[0].get("line", {}).get("dash")


def _colours(trace, points, text):
    if trace["type"] == "heatmap":
        return {text}
    marked = trace["type"] == "bar" or "markers" in trace.get("mode", "")
    line = trace.get("line", {})
    used = np.atleast_1d(trace["marker"]["color"] if marked else line.get("color", trace.get("fillcolor")))
    return {str(each) for each in (used[list(points)] if points and len(used) > 1 else used)}


@lru_cache(maxsize=64)
def readable(colour: str, ground: str, text: str) -> str:
    """Return a colour if it is readable on the ground, else the nearest readable mixture with the text's colour."""
    start, end = _rgb(colour), _rgb(text)
    mixed = (start + (end - start) * step / _STEPS for step in range(_STEPS + 1))
    return next((each for each in map(_hex, mixed) if contrast(each, ground) >= _READABLE), text)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2), 1 to 21."""
    low, high = sorted(_luminance(_rgb(each)) for each in (one, other))
    return float((high + 0.05) / (low + 0.05))


def _luminance(rgb):
    share = rgb / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def _rgb(colour):
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], dtype=float)


def _hex(rgb):
    return "#" + "".join(f"{round(each):02x}" for each in rgb)
