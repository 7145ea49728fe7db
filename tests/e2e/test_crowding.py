"""Test the search for crowded texts on drawings small enough to check by hand."""

import pytest
from crowding import TOLERANCE, crowded

pytestmark = pytest.mark.e2e

ROUNDING = 0.5  # px

# A line of 20 px text is about 15 px high without the empty space above its letters.
STYLE = "<style>body { margin: 0 } text { font: 20px sans-serif; white-space: pre }</style>"
DRAWING = """<div data-picture class="st-key-{name}"><div class="js-plotly-plot">
<svg class="main-svg" width="400" height="300" style="display: block; overflow: hidden">
<defs><clipPath id="plot"><rect width="300" height="200"/></clipPath></defs>{drawn}</svg></div></div>"""


def label(x, y, text, *, back="", turned=""):
    return f'<g class="annotation">{back}<text x="{x}" y="{y}" transform="{turned}">{text}</text></g>'


def trace(marks, *, moved="", clip=""):
    return f'<g class="scatterlayer" transform="{moved}" clip-path="{clip}"><g class="trace">{marks}</g></g>'


def curve(d, style="stroke: red; stroke-width: 2px; fill: none"):
    return f'<g class="lines"><path class="js-line" d="{d}" style="{style}"/></g>'


WORD = label(100, 100, "a word")  # spans x from 100 to about 155, y from 85 to 104
DIAGONAL = "M0,0L400,300"
BACK = '<rect class="bg" x="90" y="70" width="120" height="60" style="fill: {}; fill-opacity: {}"/>'
BARS = '<g class="barlayer"><g class="trace bars"><g class="points">{}</g></g></g>'
CELLS = '<g class="heatmaplayer"><g class="hm"><image x="90" y="70" width="100" height="100"/>{}</g></g>'
IN_CELL = '<g class="heatmap-label"><text x="100" y="120">0.5</text></g>'
SOLID, EMPTY = "M50,60H300V250H50Z", "fill: red; stroke: none"

KINDS = {
    # lines: checked along their path, not by their bounding box
    "a line through it": (WORD + trace(curve("M0,95H400")), {"label on line"}),
    "a line above it": (WORD + trace(curve("M0,70H400")), set()),
    "a line under it": (WORD + trace(curve("M0,112H400")), set()),
    "a line that only its box has": (WORD + trace(curve("M0,0H300V300")), set()),
    "a slanted line beside it": (label(150, 40, "up") + trace(curve(DIAGONAL)), set()),
    "a slanted line through it": (label(100, 85, "up") + trace(curve(DIAGONAL)), {"label on line"}),
    "a line that is moved onto it": (WORD + trace(curve("M0,15H400"), moved="translate(0,80)"), {"label on line"}),
    "a line that is cut off before it": (
        label(320, 100, "word") + trace(curve("M0,95H400"), clip="url(#plot)"),
        set(),
    ),
    "a line that is not drawn": (WORD + trace(curve("M0,95H400", "stroke: red; stroke-width: 0; fill: none")), set()),
    "a line that is transparent": (WORD + trace(curve("M0,95H400", "stroke: red; stroke-opacity: 0")), set()),
    "a broad line near it": (WORD + trace(curve("M0,70H400", "stroke: red; stroke-width: 40px")), {"label on line"}),
    "a guide through it": (WORD + '<g class="shapelayer"><path d="M120,0V300" stroke="red"/></g>', {"label on guide"}),
    "an error bar through it": (
        WORD + trace('<g class="errorbar"><path class="yerror" d="M120,60V140" stroke="red"/></g>'),
        {"label on error bar"},
    ),
    "an axis through it": (WORD + '<path class="ylines-above crisp" d="M120,0V300" stroke="red"/>', {"label on axis"}),
    # the background box of a text covers marks unless it is transparent
    "its ground over a line": (
        label(100, 100, "a word", back=BACK.format("white", 1)) + trace(curve("M0,75H400")),
        {"label on line"},
    ),
    "its empty ground over a line": (
        label(100, 100, "a word", back=BACK.format("white", 0)) + trace(curve("M0,75H400")),
        set(),
    ),
    # areas, points, bars and cells
    "an area under it": (WORD + trace(f'<g class="fills"><path d="{SOLID}" style="{EMPTY}"/></g>'), {"label on area"}),
    "an area with a hole there": (
        WORD
        + trace(
            f'<g class="fills"><path d="M0,0H400V300H0Z{SOLID}" fill-rule="evenodd" style="{EMPTY}"/></g>',
        ),
        set(),
    ),
    "a point on it": (
        WORD + trace('<g class="points"><path class="point" d="M124,95A4,4 0 1,1 120,91"/></g>'),
        {"label on point"},
    ),
    "a bar under it": (WORD + BARS.format(f'<g class="point"><path d="{SOLID}"/></g>'), {"label on bar"}),
    "a number on its own bar": (
        BARS.format(f'<g class="point"><path d="{SOLID}"/><text class="bartext" x="100" y="100">7</text></g>'),
        set(),
    ),
    "a number on another bar": (
        BARS.format(
            f'<g class="point"><path d="{SOLID}"/></g>'
            '<g class="point"><path d="M0,0H9V9H0Z"/><text class="bartext" x="100" y="100">7</text></g>'
        ),
        {"number on bar"},
    ),
    "a number in its own cell": (CELLS.format(IN_CELL), set()),
    "a label on cells": (CELLS.format("") + WORD, {"label on cells"}),
    "a number beside its own line": (
        trace(curve("M0,95H400") + '<g class="text"><g class="textpoint"><text x="100" y="100">7</text></g></g>'),
        set(),
    ),
    "a number on another line": (
        trace(curve("M0,95H400"))
        + trace('<g class="text"><g class="textpoint"><text x="100" y="100">7</text></g></g>'),
        {"number on line"},
    ),
    # other texts
    "two texts on each other": (
        WORD + '<text class="xtitle" x="120" y="105">h</text>',
        {"axis title and label collide"},
    ),
    "two texts below each other": (WORD + label(100, 126, "a word"), set()),
    "two ticks side by side": (
        '<g class="xtick"><text x="100" y="100">64</text></g><g class="xtick"><text x="130" y="100">256</text></g>',
        set(),
    ),
    "two ticks that run into each other": (
        '<g class="xtick"><text x="100" y="100">64</text></g><g class="xtick"><text x="118" y="100">256</text></g>',
        {"tick and tick collide"},
    ),
    "a turned text that another's box meets": (
        label(200, 200, "turned by an eighth", turned="rotate(-45 200 200)") + label(200, 120, "word"),
        set(),
    ),
    "a turned text on another": (
        label(200, 200, "turned by an eighth", turned="rotate(-45 200 200)") + label(240, 160, "word"),
        {"label and label collide"},
    ),
    "the short line of a long text": (
        label(100, 100, '<tspan x="100">a long first line</tspan><tspan x="100" dy="1.3em">short</tspan>')
        + label(180, 126, "beside"),
        set(),
    ),
    # edges of the drawing
    "a text within the drawing": ('<text class="gtitle" x="0" y="20">A title</text>', set()),
    "a text that leaves it": ('<text class="gtitle" x="370" y="20">A title</text>', {"title cut off"}),
    "a text that is half above it": ('<text class="gtitle" x="0" y="10">A title</text>', {"title cut off"}),
    # invisible elements
    "a hidden text": (f'<g style="display: none">{WORD}</g>' + trace(curve("M0,95H400")), set()),
    "a transparent text": (f'<g style="opacity: 0">{WORD}</g>' + trace(curve("M0,95H400")), set()),
    "what is said under the pointer": (f'<g class="hoverlayer">{WORD}</g>' + trace(curve("M0,95H400")), set()),
}


def test_crowded_texts_are_found_in_small_drawings(page):
    drawings = [DRAWING.format(name=name, drawn=drawn) for name, (drawn, _) in enumerate(KINDS.values())]
    page.set_content(STYLE + "".join(drawings))
    found = crowded(page)
    seen = {name: set() for name in KINDS}
    for (figure, kind), (depth, _) in found.items():
        assert abs(depth - TOLERANCE) > ROUNDING  # no result is close to the limit
        if depth > TOLERANCE:
            seen[list(KINDS)[int(figure)]].add(kind)
    assert seen == {name: kinds for name, (_, kinds) in KINDS.items()}
