"""The parts that all Plotly figures share: fonts, axes and colours, taken from a profile.

Figures stay plain dictionaries until they are sent. Plotly's own figure objects validate and copy every property, which
takes longer than the rest of a page; the tests have Plotly validate every figure instead.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from pages._view.marks import readable
from pages._view.picture import Figure, Part
from pages._view.theme import DARK, LIGHT, Profile

LETTERS = 25  # letters of a title that fit above a figure as wide as half a page, or as a phone
THIRD = 16  # letters of a title that fit above a figure as wide as a third of a page
_LINE = 1.3  # line height, in font sizes
_BETWEEN = "\u2002\u2002"  # space between two entries of a key

# Colours at the ends of every heatmap: safe for colour-blind readers, and unlike the colours of raw and scaled.
_STRENGTH = 0.55  # share of the colour in the strongest shade, low enough to read numbers on it
_NEGATIVE, _POSITIVE = "#7b3294", "#1b7837"
_NEGATIVE_ON_DARK, _POSITIVE_ON_DARK = "#d3a4e3", "#7fd68a"


def inks(profile: Profile) -> list[tuple[str, str]]:
    """Return pairs of a dark theme's colour and its counterpart on paper, the ground first; [] for other themes."""
    if profile is not DARK:
        return []
    names = ("ground", "text", "grid", "raw", "scaled", "third", "band")
    own = [(getattr(DARK, name), getattr(LIGHT, name)) for name in names]
    return [*own, (_NEGATIVE_ON_DARK, _NEGATIVE), (_POSITIVE_ON_DARK, _POSITIVE)]


def figure(
    profile: Profile,
    traces: Sequence[Part],
    *,
    height: float = 1.0,
    left: float = 3.0,
    bottom: float = 3.0,
    **layout: Any,
) -> Figure:
    """Return a figure of plain trace dictionaries in the profile's sizes and colours.

    left and bottom are the margins for the axes, in font sizes of an axis title: with automatic margins Plotly would
    draw the figure twice.
    """
    side, top, bottom = (
        round(room) for room in (left * profile.axis_size, profile.title_size * 1.6, bottom * profile.axis_size)
    )
    more = _more_lines(profile, layout.get("title", {}))  # added to the figure's height, so that the plot keeps its own
    common = {
        "height": round(profile.height * height) + more,
        "paper_bgcolor": profile.ground,
        "plot_bgcolor": profile.ground,
        "font": {"color": profile.text, "size": profile.tick_size, "family": "Source Sans, sans-serif"},
        "margin": {"l": side, "r": 10, "t": top + more, "b": bottom},
        "showlegend": False,
        "hovermode": "closest",
        "hoverlabel": {"font": {"size": profile.tick_size}},
        "bargap": 0,
        "dragmode": False,
    }
    return Figure([_calm(each) for each in traces], common | layout)


def _calm(trace):
    """Return a trace without a hover label, unless it has its own text for one."""
    return trace if {"hoverinfo", "hovertemplate"} & {*trace} else {**trace, "hoverinfo": "skip"}


def axis(profile: Profile, text: str | None = None, *, grid: bool = False, near: bool = False, **options: Any) -> Part:
    """Return one axis. text: its title; near: True to put the title close to the numbers, for a key below it."""
    standoff = {"standoff": profile.tick_size // 4} if near else {}
    return {
        "color": profile.text,
        "gridcolor": profile.grid,
        "linecolor": profile.text,
        "zeroline": False,
        "showline": True,
        "showgrid": grid,
        "ticks": "outside",
        "tickfont": {"size": profile.tick_size},
        "title": {"text": text, "font": {"size": profile.axis_size}, **standoff},
        "automargin": False,
        "fixedrange": True,
        **_with_separators(options),
    } | options


def _with_separators(options):
    """Return labels with thousands separators if an axis has ticks of 1,000 or more and no labels yet; else {}."""
    ticks = options.get("tickvals", ()) if "ticktext" not in options else ()
    is_large = any(not isinstance(each, str) and abs(each) >= 1_000 for each in ticks)
    return {"ticktext": [f"{each:,g}" for each in ticks]} if is_large else {}


def _more_lines(profile, above):
    """Return the height of a title beyond its first line: the gap below it, further lines, and a key."""
    text, size = above.get("text"), above.get("font", {}).get("size", 0)
    key = above.get("subtitle", {}).get("text")
    lines = size * (0.2 + _LINE * text.count("<br>")) if text else 0
    return round(lines + (profile.tick_size * (1.9 + _LINE * key.count("<br>")) if key else 0))


def title(
    text: str,
    profile: Profile,
    *,
    size: float | None = None,
    key: str | Sequence[str] | None = None,
    letters: int = LETTERS,
) -> Part:
    """Return a title at the figure's left edge. key: names the marks, as a sentence or as separate entries.

    Title and key are broken into lines of so many letters, since the width of the figure is not known yet. The key is
    above the plot, where it covers no mark.
    """
    size = size or profile.title_size
    # Anchor the baseline of the first line: anchored at the top, Plotly places one line and two lines differently.
    place = {"x": 0, "xref": "container", "y": 1, "yref": "container", "yanchor": "bottom", "pad": {"b": -size}}
    found = {"text": wrapped(text, letters * profile.title_size / size), "font": {"size": size}, **place}
    if key:
        room = letters * profile.title_size / profile.tick_size
        font = {"size": profile.tick_size, "color": profile.text}
        found["subtitle"] = {"text": wrapped(key, room), "font": font}
    return found


def wrapped(text: str | Sequence[str], letters: float) -> str:
    """Return a text in lines of at most so many letters; the entries of a tuple stay whole, with wide gaps between.

    A product with × stays on one line.
    """
    words, between = (re.split("(?<!×) (?!×)", text), " ") if isinstance(text, str) else (text, _BETWEEN)
    lines: list[str] = []
    for word in words:
        longer = f"{lines[-1]}{between}{word}" if lines else word
        if lines and len(re.sub("<[^>]*>", "", longer)) <= letters:
            lines[-1] = longer
        else:
            lines.append(word)
    return "<br>".join(lines)


def label(text: str, profile: Profile, *, size: float | None = None, colour: str = "", **place: Any) -> Part:
    """Return a label beside a line or in a corner, quicker to read than a legend.

    colour: the colour of the marks that it names, adjusted until it is readable as text.
    """
    ink = readable(colour, profile.ground, profile.text) if colour else profile.text
    font = {"size": size or profile.tick_size, "color": ink}
    return {"text": text, "showarrow": False, "font": font, "bgcolor": profile.ground} | place


def in_colour(text: str, colour: str, profile: Profile) -> str:
    """Return bold text in the colour of the marks that it names, adjusted until it is readable."""
    return f'<span style="color: {readable(colour, profile.ground, profile.text)}"><b>{text}</b></span>'


def over_axis(text: str, profile: Profile, left: float, *, up: float = 0.0, **look: Any) -> Part:
    """Return the title of a vertical axis, above its upper end and from the figure's left edge.

    left: the margin, in font sizes of an axis title; up: the height above the plot, in font sizes of a tick.
    """
    place: Part = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    off: Part = {"xshift": -round(left * profile.axis_size), "yshift": round(up * profile.tick_size)}
    return label(text, profile, **place, **off, **look)


def corner(text: str, profile: Profile, *, side: str = "right", axes: str = "", **options: Any) -> Part:
    """Return an annotation in an upper corner of a plot."""
    x = 1 if side == "right" else 0.02
    place: Part = {
        "xref": f"x{axes} domain",
        "yref": f"y{axes} domain",
        "x": x,
        "y": 1,
        "xanchor": side,
        "yanchor": "top",
    }
    return label(text, profile, **place, **options)


def under(lines: Sequence[str], profile: Profile) -> Part:
    """Return the key to the marks, placed below the title of the horizontal axis, where it covers no mark.

    A wall has room for the whole key in one line. `room_under` gives the margin for it.
    """
    place: Part = {"xref": "paper", "yref": "paper", "x": 0.5, "y": 0, "yanchor": "top"}
    text = "<br>".join(_lines_under(lines, profile))
    return label(text, profile, yshift=-round(2.8 * profile.axis_size), **place)


def _lines_under(lines, profile):
    return [_BETWEEN.join(lines)] if on_a_wall(profile) else list(lines)


def room_under(lines: Sequence[str], profile: Profile) -> float:
    """Return the bottom margin for an axis title and a key of these lines, in font sizes of an axis title."""
    return (2.7 if on_a_wall(profile) else 2.4) + 1.3 * len(_lines_under(lines, profile))


def letters_over(profile: Profile) -> int:
    """Return the number of letters of a title that fit above a whole figure; more on a wall, which is wide."""
    return 60 if on_a_wall(profile) else LETTERS


def on_a_wall(profile: Profile) -> bool:
    """Return True if a figure is for a wall, where it is wide and low."""
    return profile.name == "projector"


def heading(text: str, profile: Profile, *, axes: str = "", x: float = 0.0) -> Part:
    """Return the title of one panel, placed above it."""
    place: Part = {"xref": f"x{axes} domain", "yref": f"y{axes} domain", "x": x, "y": 1.0, "yanchor": "bottom"}
    return label(text, profile, size=profile.axis_size, xanchor="center" if x else "left", **place)


def upright(x: float, line: Part) -> Part:
    """Return a vertical line through the whole plot."""
    return {"type": "line", "xref": "x", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": line}


def solid(profile: Profile, colour: str, width: float = 1.0) -> Part:
    """Return the line style of a measured or computed quantity."""
    return {"color": colour, "width": profile.line_width * width}


def dashed(profile: Profile) -> Part:
    """Return the line style of a theory: dashed, in the text colour."""
    return {"color": profile.text, "width": profile.line_width, "dash": "dash"}


def dotted(profile: Profile) -> Part:
    """Return the line style of a threshold."""
    return {"color": profile.text, "width": profile.line_width, "dash": "dot"}


def thin(profile: Profile) -> Part:
    """Return the line style of a guide, which must not compete with the data."""
    return {"color": profile.text, "width": profile.line_width / 2}


def points(
    profile: Profile,
    colour: str,
    symbol: str,
    x: ArrayLike,
    y: ArrayLike,
    above: ArrayLike,
    below: ArrayLike,
    name: str,
) -> Part:
    """Return measured points with error bars."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": y,
        "name": name,
        "marker": {"color": colour, "symbol": symbol, "size": profile.marker_size},
        "error_y": {"array": above, "arrayminus": below, "thickness": profile.line_width, "color": colour},
    }


def steps(edges: ArrayLike, heights: Iterable[float], colour: str, name: str) -> Part:
    """Return a histogram as one filled outline: bars would be a hundred elements to redraw at every move."""
    outline = {"shape": "hv", "width": 0, "color": colour}
    x, y = edges, [*heights, 0]
    return line(x, y, outline, name) | {"fill": "tozeroy", "fillcolor": colour}


def line(x: ArrayLike, y: ArrayLike, style: Part, name: str) -> Part:
    """Return a line."""
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": style, "name": name}


def heatmap(
    profile: Profile, values: ArrayLike, limit: float, *, text: Sequence[Sequence[str]] | None = None, name: str = ""
) -> Part:
    """Return a matrix as a heatmap with colours from −limit to limit. text: the texts of its cells, row by row.

    Matrices to be compared share one limit, so that small numbers look small.
    """
    dark = profile is DARK
    ends = (_NEGATIVE_ON_DARK, _POSITIVE_ON_DARK) if dark else (_NEGATIVE, _POSITIVE)
    ends = ends if text is None else (shade(profile, ends[0]), shade(profile, ends[1]))
    written = {"text": text, "texttemplate": "%{text}", "textfont": {"size": profile.tick_size, "color": profile.text}}
    return {
        "type": "heatmap",
        "z": values,
        "zmin": -limit,
        "zmax": limit,
        "colorscale": [[0, ends[0]], [0.5, profile.ground], [1, ends[1]]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "name": name,
        **({} if text is None else written),
    }


def shade(profile: Profile, colour: str, strength: float = _STRENGTH) -> str:
    """Return a colour mixed with the ground; by default the strongest shade on which a number stays readable."""
    mixed = (
        round((1 - strength) * int(profile.ground[at : at + 2], 16) + strength * int(colour[at : at + 2], 16))
        for at in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)


def colour_bar(profile: Profile, ticks: Sequence[float], text: str = "", *, beside: bool = False) -> Part:
    """Return the colour bar of a heatmap, below the plot or to its right."""
    under: Part = {"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom"}
    return {
        "showscale": True,
        "colorbar": {
            **({"x": 1, "xref": "container", "xanchor": "right", "xpad": profile.tick_size / 2} if beside else under),
            "thickness": profile.tick_size,
            "tickvals": ticks,
            "tickfont": {"size": profile.tick_size},
            "outlinewidth": 0,
            "title": {"text": text, "side": "top", "font": {"size": profile.tick_size}},
        },
    }
