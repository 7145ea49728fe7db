"""A figure as plain HTML, for the moments of something that runs.

Streamlit takes a chart away and mounts a new one at every change, so a chart that changes several times a
second is mostly not there. HTML is changed in place. What rests is drawn by Plotly again, in the same place.
"""

from html import escape
from math import isfinite, log10
from urllib.parse import quote

_ANCHORS = {"left": 0, "center": -50, "right": -100, "top": 0, "middle": -50, "bottom": -100}
_SEEN = 0.03  # weights below it are not worth a cell while they pass


def html(fig, sentence):
    """Lines, cells, words and axes of a figure whose axes have their ranges, and its sentence."""
    layout = fig.layout.to_plotly_json()  # plain dictionaries: Plotly checks every property it is asked for
    margin, font = layout["margin"], layout["font"]
    panels = "".join(_panel(layout, traces, at) for at, traces in _by_panel(fig).items())
    words = "".join(_note(layout, note) for note in layout["annotations"]) + _title(layout)
    area = f"position:absolute;left:{margin['l']}px;right:{margin['r']}px;top:{margin['t']}px;bottom:{margin['b']}px"
    look = f"position:relative;height:{layout['height']}px;overflow:hidden;background:{layout['paper_bgcolor']}"
    text = f"color:{font['color']};font-size:{font['size']}px;line-height:1.2"
    picture = f'<div role="img" aria-label="{escape(sentence)}" style="{look};{text}">'
    said = f'<p style="font-size:1.125rem;margin:1rem 0">{escape(sentence)}</p>'
    return f'{picture}<div style="{area}">{panels}{words}</div></div>{said}'


def _by_panel(fig):
    panels = {}
    for trace in fig.data:
        plain = trace.to_plotly_json()
        panels.setdefault((plain.get("xaxis", "x"), plain.get("yaxis", "y")), []).append(plain)
    return panels


def _axis(layout, name):
    return layout[f"{name[0]}axis{name[1:]}"]


def _panel(layout, traces, at):
    x_axis, y_axis = (_axis(layout, name) for name in at)
    left, right = x_axis.get("domain", (0, 1))
    bottom, top = y_axis.get("domain", (0, 1))
    place = f"left:{100 * left:.2f}%;width:{100 * (right - left):.2f}%;top:{100 * (1 - top):.2f}%"
    edge = f"border-left:1px solid {x_axis['linecolor']};border-bottom:1px solid {x_axis['linecolor']}"
    box = f"position:absolute;{place};height:{100 * (top - bottom):.2f}%;{edge}"
    drawn = "".join(_cells(trace) if trace["type"] == "heatmap" else _line(trace, x_axis, y_axis) for trace in traces)
    drawn += "".join(_guide(shape, x_axis, y_axis) for shape in layout.get("shapes", ()) if _stands_on(shape, at))
    view = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" preserveAspectRatio="none"'
    image = "data:image/svg+xml," + quote(f"<svg {view}>{drawn}</svg>")  # Streamlit removes an <svg> of its own
    shown = f'<img alt="" src="{image}" style="position:absolute;width:100%;height:100%">'
    ticks = "".join(_tick(value, text, y_axis) for value, text in _ticks(y_axis)) + _y_name(y_axis)
    if x_axis.get("anchor", "y") == at[1]:  # panels with one x axis have it below the last
        ticks += "".join(_x_tick(value, text, x_axis) for value, text in _ticks(x_axis)) + _x_name(x_axis)
    ticks += "".join(_marks(trace, x_axis, y_axis) for trace in traces if trace.get("mode") == "markers")
    return f'<div style="{box}">{shown}{ticks}</div>'


def _share(value, axis):
    """Where a number stands on an axis, from 0 to 100, or None where it has no place."""
    if not isfinite(value):
        return None
    if axis.get("type") == "log":
        value = log10(value) if value > 0 else -400.0
    low, high = axis["range"]
    return min(max(100 * (value - low) / (high - low), -20), 120)


def _line(trace, x_axis, y_axis):
    """A line; the invisible edges of a band are left out."""
    style = trace["line"]
    if trace["mode"] != "lines" or not style["width"]:
        return ""
    points = [(_share(x, x_axis), _share(y, y_axis)) for x, y in zip(trace["x"], trace["y"], strict=True)]
    path = " ".join(f"{x:.2f},{100 - y:.2f}" for x, y in points if x is not None and y is not None)
    dash = f' stroke-dasharray="{4 * style["width"]:.0f}"' if style.get("dash", "solid") != "solid" else ""
    look = f'fill="none" stroke="{style["color"]}" stroke-width="{style["width"]}"{dash}'
    return f'<polyline points="{path}" {look} vector-effect="non-scaling-stroke"/>'


def _stands_on(shape, at):
    return (shape["xref"], shape["yref"]) == at


def _guide(shape, x_axis, y_axis):
    """A straight line across a panel, such as what uniform attention would give."""
    ends = {"x": [shape["x0"], shape["x1"]], "y": [shape["y0"], shape["y1"]]}
    return _line({"mode": "lines", "line": shape["line"], **ends}, x_axis, y_axis)


def _marks(trace, x_axis, y_axis):
    sign = "★" if trace["marker"]["symbol"] == "star" else "×"
    places = [(_share(x, x_axis), _share(y, y_axis)) for x, y in zip(trace["x"], trace["y"], strict=True)]
    look = f"position:absolute;transform:translate(-50%,-50%);color:{trace['marker']['color']}"
    return "".join(
        f'<span style="{look};left:{x:.2f}%;top:{100 - y:.2f}%">{sign}</span>'
        for x, y in places
        if x is not None and y is not None
    )


def _cells(trace):
    """The cells of a matrix that stand out, as strong as they are large."""
    rows = trace["z"].tolist()
    width, height, colour = 100 / len(rows[0]), 100 / len(rows), trace["colorscale"][-1][1]
    cells = [(i, j, value) for i, row in enumerate(rows) for j, value in enumerate(row) if value > _SEEN]
    size = f'width="{width:.2f}" height="{height:.2f}" fill="{colour}"'
    return "".join(
        f'<rect x="{j * width:.2f}" y="{i * height:.2f}" {size} fill-opacity="{value:.2f}"/>' for i, j, value in cells
    )


def _ticks(axis):
    """The ticks that a figure sets; else the ends of an axis that has a range."""
    values = axis.get("tickvals") or (axis.get("range", ()) if axis.get("type") != "log" else ())
    return zip(values, axis.get("ticktext") or [f"{value:g}" for value in values], strict=True)


def _tick(value, text, axis):
    place = f"position:absolute;right:100%;margin-right:8px;top:{100 - _share(value, axis):.2f}%"
    return f'<span style="{place};transform:translateY(-50%)">{text}</span>'


def _x_tick(value, text, axis):
    place = f"position:absolute;top:100%;margin-top:6px;left:{_share(value, axis):.2f}%"
    return f'<span style="{place};transform:translateX(-50%)">{text}</span>'


def _x_name(axis):
    place = f"position:absolute;top:100%;left:50%;margin-top:{1.6 * axis['tickfont']['size']:.0f}px"
    return _name(axis["title"], f"{place};transform:translateX(-50%)")


def _y_name(axis):
    place = f"position:absolute;right:100%;top:50%;margin-right:{2.2 * axis['tickfont']['size']:.0f}px"
    turned = "writing-mode:vertical-rl;transform:translateY(-50%) rotate(180deg)"
    return _name(axis["title"], f"{place};{turned}")


def _title(layout):
    place = f"position:absolute;left:-{layout['margin']['l']}px;bottom:100%"
    return _name(layout.get("title", {}), place)


def _name(title, place):
    if not title.get("text"):
        return ""
    return f'<span style="{place};font-size:{title["font"]["size"]}px">{title["text"]}</span>'


def _note(layout, note):
    x, y = (_place(layout, note[f"{name}ref"], note[name]) for name in "xy")
    moved = f"translate({_ANCHORS[note['xanchor']]}%,{_ANCHORS[note['yanchor']]}%)"
    place = f"position:absolute;left:{x:.2f}%;top:{100 - y:.2f}%;transform:{moved};white-space:nowrap"
    return (
        f'<span style="{place};font-size:{note["font"]["size"]}px;color:{note["font"]["color"]}">{note["text"]}</span>'
    )


def _place(layout, ref, value):
    """A position of a note in hundredths of the whole plot, from the left or from below."""
    name, _, domain = ref.partition(" ")
    axis = _axis(layout, name)
    low, high = axis.get("domain", (0, 1))
    share = value if domain else _share(value, axis) / 100
    return 100 * (low + share * (high - low))
