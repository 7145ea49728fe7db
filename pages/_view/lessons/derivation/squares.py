"""The picture of the square root: variance is the area of a square, spread is its side.

Each square has its own axes, with a common scale, so that a phone can draw the second one below the first.
"""

from dataclasses import replace

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.marks import Mark, readable
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, number
from sattn_core.lessons import derivation as core

_SIDE, _GAP, _WIDE_GAP = 8.0, 2.0, 7.5  # side of a square as drawn; gap between squares, wider on a wall
_BRACKET, _TICK = -0.4, 0.15  # y of the bracket under a square, and half the height of its ends
_BESIDE = 10.5  # on a wall: room for words to the right of the squares
_SECOND_BELOW = 8.5, -10.2  # on a phone: lower left corner of the second square
_EDGE = 0.05  # space between a square and the end of its axis
_HEIGHT_BELOW, _ABOVE_BELOW, _UNDER_BELOW = 1.3, 0.3, 1.6  # on a phone: height factor; lines of text above and below
_CLEAR = 16  # from this d_k on, words fit above the wedge
_PALE, _PALER = 0.4, 0.12  # shares of a colour mixed into the background
_POWERS = 0, 0.5, 1  # divisors as powers of d_k: raw, ÷ √d_k, ÷ d_k
_NAMES = "raw", "÷ √dₖ", "÷ dₖ"


def squares(growth: core.ScoreGrowth, d_k: int, profile: Profile) -> Picture:
    """Return a picture of three squares, whose areas are the variances: d_k (raw), 1 (÷ √d_k) and 1/d_k (÷ d_k)."""
    found = [growth.divided(d_k, power) for power in _POWERS]
    return Picture(
        "root",
        _figure(d_k, profile),
        _sentence(d_k),
        {
            "divided by": ["1", "√dₖ", "dₖ"],
            "c": [each.multiplier for each in found],
            "variance": [each.variance for each in found],
            "spread": [each.spread for each in found],
            "measured variance": [each.measured for each in found],
            "its error": [each.standard_error for each in found],
        },
        code(core.measure_growth, growth.params, show=f"result.divided({d_k}, power) for power in {_POWERS}"),
        alt=_alt(d_k),
        sure=(_why_root(d_k), *map(_sure, _NAMES, found), _pairs(growth)),
        marks=[Mark(name, (name,)) for name in _NAMES[1:]],
    )


def _figure(d_k, profile):
    edges = core.unit_cells(d_k) * (_SIDE / core.unit_cells(d_k)[-1])  # distances from right and bottom
    cell, wide = float(edges[1]), base.on_a_wall(profile)
    pale, small = base.shade(profile, profile.raw, _PALE), base.shade(profile, profile.scaled, 0.7)
    second = {"xaxis": "x2", "yaxis": "y2"}
    square, last = (0.0, 0.0, _SIDE, _SIDE), (_SIDE - cell, 0.0, _SIDE, cell)
    traces = [
        _box("raw", square, pale, profile.raw, profile.line_width),
        _grid("cells of raw", edges, profile.ground, profile),
        _box("÷ √dₖ, one cell", last, profile.scaled, profile.scaled, 0),
        _box("÷ √dₖ", square, profile.scaled, profile.scaled, 0) | second,
        _grid("cells of ÷ √dₖ", edges, small, profile) | second,
        _box("÷ dₖ", last, profile.third, profile.third, 0) | second,
        _bracket(profile),
        _bracket(profile) | second,
    ]
    at = _SIDE + (_WIDE_GAP if wide else _GAP), 0.0
    fig = base.figure(profile, traces, height=0.85 if wide else 1.15, **_laid(at, _BESIDE if wide else _EDGE, profile))
    above, below = (1.5, 1.5) if wide else (1.35 + 2 * 1.3, 4 * 1.35)  # lines of text
    fig.layout["margin"] = _margin(above, below, profile)
    fig.layout["shapes"] = [_enlarged(cell, at, profile)]
    fig.layout["annotations"] = (_on_a_wall if wide else _on_a_screen)(d_k, at, profile)
    return fig if wide else _below(fig, d_k, cell, profile)


def _below(fig, d_k, cell, profile):
    """Return the figure with a second layout for a phone: the second square to the lower right of the first."""
    layout = _laid(_SECOND_BELOW, _EDGE, profile, toward="right") | {"height": round(_HEIGHT_BELOW * profile.height)}
    layout["margin"] = _margin(_ABOVE_BELOW, _UNDER_BELOW, profile)
    layout["shapes"] = [_enlarged(cell, _SECOND_BELOW, profile)]
    layout["annotations"] = _on_a_phone(d_k, _SECOND_BELOW, profile)
    return replace(fig, narrow=layout)


def _laid(second, beside, profile, toward="left"):
    """Return the axes of both squares; the second pair overlays the first, with its origin at the second square."""
    across = np.array([-_EDGE, second[0] + _SIDE + beside])
    down = np.array([second[1] + _BRACKET - _TICK, _SIDE + _EDGE])
    hidden = base.axis(profile, visible=False, constrain="domain")
    axes: Part = {}
    for at, x, y in (("", 0, 0), ("2", *second)):
        over = ({"overlaying": "x"}, {"overlaying": "y"}) if at else ({}, {})
        wide = {"range": (across - x).tolist(), "anchor": f"y{at}", "constraintoward": toward}
        high = {"range": (down - y).tolist(), "anchor": f"x{at}", "constraintoward": "middle", "scaleanchor": f"x{at}"}
        axes |= {f"xaxis{at}": hidden | wide | over[0], f"yaxis{at}": hidden | high | over[1]}
    return axes


def _margin(above, below, profile):
    """Return margins with room for so many text lines above and below, and for one large line above."""
    size = profile.tick_size
    return {"l": 0, "r": 0, "t": round(above * size + profile.axis_size), "b": round(below * size)}


def _enlarged(cell, second, profile):
    """Return the wedge from the first square's last cell to the second square, which enlarges that cell."""
    x, y = second
    top = x, y + _SIDE
    ends = ((x + _SIDE, y + _SIDE), top) if y < 0 else (top, second)
    corners = ((_SIDE, cell), *ends, (_SIDE, 0.0))
    path = "M" + "L".join(f"{across:g},{down:.9g}" for across, down in corners) + "Z"
    look = {"fillcolor": base.shade(profile, profile.scaled, _PALER), "line": {"color": profile.scaled, "width": 1}}
    return {"type": "path", "xref": "x", "yref": "y", "layer": "below", "path": path, **look}


def _area(name, x, y, fill, colour, width):
    outline = {"color": colour, "width": width}
    return base.line([*x, x[0]], [*y, y[0]], outline, name) | {"fill": "toself", "fillcolor": fill, "hoverinfo": "skip"}


def _box(name, corners, fill, colour, width):
    left, low, right, high = corners
    return _area(name, [left, right, right, left], [low, low, high, high], fill, colour, width)


def _grid(name, edges, colour, profile):
    """Return the lines between cells, counted from the right and from below: partial cells are at the left and top."""
    inner, gap = edges[1:-1], np.full(len(edges) - 2, np.nan)
    along, side = _SIDE - inner, np.full(len(inner), _SIDE)
    x = [np.column_stack([along, along, gap]), np.column_stack([0 * side, side, gap])]
    y = [np.column_stack([0 * side, side, gap]), np.column_stack([inner, inner, gap])]
    outline = {"color": colour, "width": profile.line_width / (2 if len(edges) > 17 else 1)}
    along_x, along_y = (np.append(np.concatenate(each).ravel(), np.nan) for each in (x, y))
    return base.line(along_x, along_y, outline, name) | {"hoverinfo": "skip"}


def _bracket(profile):
    """Return the bracket under a square's side."""
    gap = np.nan
    ends = [0, 0, gap, 0, _SIDE, gap, _SIDE, _SIDE]
    low, high = _BRACKET - _TICK, _BRACKET + _TICK
    heights = [low, high, gap, _BRACKET, _BRACKET, gap, low, high]
    return base.line(np.array(ends, dtype=float), np.array(heights), base.thin(profile), "side") | {"hoverinfo": "skip"}


def _on_a_screen(d_k, second, profile):
    """Return the labels on a screen: above and below the squares."""
    raw, scaled, third = _told(d_k)
    x, right = second[0], second[0] + _SIDE
    below = {"x_side": "right", "up": False, "down": round(1.3 * profile.tick_size)}
    return [
        _word(profile, (_lead("raw", profile.raw, profile), *raw), 0, _SIDE),
        _word(profile, (_lead(_by_root(d_k), profile.scaled, profile), *scaled), x, _SIDE),
        *_lengths(d_k, second, profile),
        _word(profile, (_lead(_twice(d_k), profile.third, profile), *third), right, _BRACKET, **below),
    ]


def _on_a_phone(d_k, second, profile):
    """Return the labels on a phone: above the first square, and at the left edge beside the second."""
    raw, scaled, third = _told(d_k)
    size, left = profile.base_size, {"xref": "paper"}
    name = _lead("raw", profile.raw, profile, size)
    below = (_lead(_by_root(d_k), profile.scaled, profile, size), *scaled)
    last = (_lead(_twice(d_k), profile.third, profile, size), *third)
    return [
        _word(profile, (f"{name}\u2002{' '.join(raw)}",), 0, _SIDE),
        _word(profile, below, 0, second[1] + _SIDE, up=False) | left,
        *_lengths(d_k, second, profile),
        _word(profile, last, 0, second[1]) | left,
    ]


def _on_a_wall(d_k, second, profile):
    """Return the labels on a wall: above and between the squares, and for ÷ d_k, to the right of the filled cell."""
    raw, scaled, third = (" ".join(each) for each in _told(d_k))
    x, right = second[0], second[0] + _SIDE
    between = (f"side ÷ {_length(d_k)}", f"area ÷ {d_k:,}") if d_k >= _CLEAR else ("",)
    return [
        _word(profile, (f"{_lead('raw', profile.raw, profile)}\u2002{raw}",), 0, _SIDE),
        _word(profile, (f"{_lead(_by_root(d_k), profile.scaled, profile)}\u2002{scaled}",), x, _SIDE),
        *_lengths(d_k, second, profile),
        _word(profile, between, _SIDE + 0.3, _SIDE, up=False),
        _word(profile, (_lead(_twice(d_k), profile.third, profile), third), right + 0.3, 0),
    ]


def _lengths(d_k, second, profile):
    """Return labels under the brackets with the squares' side lengths."""
    x, y = second[0] + _SIDE / 2, second[1] + _BRACKET
    return [
        _word(profile, (text,), *place, x_side="center", up=False)
        for text, place in ((f"side = spread = {_length(d_k)}", (_SIDE / 2, _BRACKET)), ("side 1", (x, y)))
    ]


def _word(profile, lines, x, y, *, x_side="left", up=True, down=0):
    side: Part = {"yanchor": "bottom" if up else "top", "yshift": (3 if up else -3) - down}
    place = {"x": x, "y": y, "xanchor": x_side, "align": x_side, "bgcolor": None}
    return base.label("<br>".join(lines), profile, **place, **side)


def _lead(text, colour, profile, size=None):
    ink = readable(colour, profile.ground, profile.text)
    return f'<span style="color: {ink}; font-size: {size or profile.axis_size}px"><b>{text}</b></span>'


def _told(d_k):
    """Return the labels of the three squares: number of cells and variance."""
    if d_k == 1:
        return ("one square:", "variance 1"), ("the same:", "variance 1"), ("the same:", "variance 1")
    cells = "squares:" if len(set(np.diff(core.unit_cells(d_k)))) == 1 else "squares’ area:"
    return (
        (f"{d_k:,} {cells}", f"variance {d_k:,}"),
        ("one of them:", "variance 1"),
        (f"1/{d_k:,} of that:", f"variance 1/{d_k:,}"),
    )


def _by_root(d_k):
    return f"÷ √dₖ = ÷ {_length(d_k)}"


def _twice(d_k):
    return f"÷ dₖ = ÷ {_length(d_k)} twice" if d_k > 1 else "÷ dₖ = ÷ 1"


def _length(d_k):
    text = number(core.unit_cells(d_k)[-1])
    return text.rstrip("0").rstrip(".") if "." in text else text


def _sentence(d_k):
    """Return the sentence under the picture: the area that each division leaves."""
    if d_k == 1:
        return "At dₖ = 1 there is one square: √1 is 1, and dividing changes nothing."
    return f"÷ √dₖ leaves one of {d_k:,} squares. ÷ dₖ divides by √dₖ twice, and leaves variance 1/{d_k:,}."


def _alt(d_k):
    if d_k == 1:
        return f"{_sentence(d_k)} Two squares of side 1, of the same size."
    return (
        f"{_sentence(d_k)} On the left a square of side √{d_k:,} = {_length(d_k)}, in cells of area 1; one of them is "
        "filled. On the right that cell is enlarged and divided in the same way; one cell of it is filled."
    )


def _sure(name, found):
    measured, predicted = f"{number(found.measured)} ± {number(found.standard_error, 2)}", number(found.variance)
    return f"{name[0].upper()}{name[1:]}: measured variance {measured}, predicted {predicted}."


def _pairs(growth):
    return (
        f"Each ± is one standard error over {growth.params.n_samples:,} independent pairs of q and k. The squares show "
        "what is predicted."
    )


def _why_root(d_k):
    """Return the reason to divide by √d_k and not by d_k, with the current numbers."""
    rule = "Var(cX) = c² Var(X): dividing scores by a number divides their variance by its square."
    if d_k == 1:
        return f"{rule} At dₖ = 1 there is nothing to divide: √1 is 1."
    return (
        f"{rule} To bring a variance of {d_k:,} down to {number(core.variance_after_dividing(d_k, 0.5), 1)}, that "
        f"square must be {d_k:,}, so the number is √{d_k:,} = {number(np.sqrt(d_k))}. Dividing by {d_k:,} itself would "
        f"leave a variance of 1/{d_k:,} = {number(core.variance_after_dividing(d_k, 1))}."
    )
