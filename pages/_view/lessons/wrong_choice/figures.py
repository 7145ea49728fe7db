"""Pictures of the wrong_choice lesson: a hundred rows as cells, above one row as bars."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pages._view.figures import base, rows
from pages._view.figures.code import code
from pages._view.marks import Mark, readable
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, listed, number, percent, so_many
from sattn_core.example import key_words
from sattn_core.lessons import wrong_choice as core

NAMES = ("raw", "÷ √dₖ", "÷ dₖ")
COLOURS = ("raw", "scaled", "third")
DIVIDED = ("with raw scores", "with ÷ √dₖ", "with ÷ dₖ")
SAID = {"raw scores": "raw", "÷ √dₖ": "÷ √dₖ", "÷ dₖ": "÷ dₖ"}  # words of a sentence -> the trace that they name
_SIDE = 10  # cells in a line
_DOMAINS = ([0.0, 0.307], [0.3465, 0.6535], [0.693, 1.0])
_CELLS, _BARS = [0.33, 1.0], [0.0, 0.22]  # vertical domains
_PHONE, _CELLS_BESIDE, _BARS_BESIDE = 1.25, [0.63, 1.0], [0.27, 0.59]  # on a phone: height factor, then x domains
_BARS_LOW, _BARS_HIGH = 0.2, 0.6  # ends of the bars on a phone, as shares of a row
_EDGE = 0.55  # distance between an outermost cell's middle and the end of its axis, in cells
_PALE, _GREY = 0.08, 0.3  # shares of the text's colour in the shades of a row that is not put right, and of a wrong key
_ARROW = 0.8  # width of an arrow, in em
_LINE = 1.3  # height of a line above a panel, in em
_LARGE = 1.42  # size of a panel's number, relative to a title
_NEARLY = 0.995  # from here on a percentage without decimals is 100 %
_STAYS = ": with −ln the gradient does not vanish"  # why the other loss corrects a row that is nearly certain
_SLOPES = (
    "Where the right key has the weight p, −ln p has the slope 1 − p in its score: nearly 1 where p is nearly 0. The "
    "slope of the loss on the output has the factor p, and vanishes there."
)


# --- a hundred rows as cells ----------------------------------------------------------------------------


def choices(
    result: core.WrongChoiceResult, followed: core.RowResult, step: int, profile: Profile, phones: int = 0
) -> Picture:
    """Return the picture of the rows put right after this step, without the scale, with ÷ √d_k and with ÷ d_k.

    followed: the row whose weights are drawn below as bars. phones: the number of rows, from the first
    on, that belong to a class; if it is not 0, the picture is about these rows.
    """
    sentence = _sentence_of_class(result, step, phones) if phones else _choices_sentence(result, step)
    return Picture(
        "matrix_choices",
        _choices_figure(result.right_weight[:, step], followed, step, phones, profile),
        sentence,
        {"row": list(range(1, core.N_ROWS + 1))}
        | {name: result.right_weight[i, step].tolist() for i, name in enumerate(NAMES)},
        code(core.measure_wrong_choices, result.params, show=f"result.right_weight[:, {step}]")
        + code(core.follow_row, followed.params, followed.row, name="row", show=f"row.weights[:, {step}]"),
        note=f"The weight on the right key of each row after {step} steps.",
        bins=_weights_table(followed, step),
        bins_name=f"the weights of row {followed.row + 1}",
        alt=_alt(followed, step, sentence, profile),
        sure=(*_choices_sure(result, step), *_weights_sure(followed, step)),
        marks=[Mark(word, _lit(name, profile)) for word, name in SAID.items()],
    )


def start(followed: core.RowResult, profile: Profile) -> Picture:
    """Return the picture while a bet waits: the rows before the first step, none put right."""
    none = np.zeros((len(NAMES), core.N_ROWS), dtype=np.float32)
    figure = _choices_figure(none, followed, 0, 0, profile)
    rows = {"row": list(range(1, core.N_ROWS + 1))}
    return Picture("matrix_choices", figure, "Every row starts with a wrong key on top.", rows, "")


def _alt(followed, step, sentence, profile):
    cells = "Three squares of a hundred cells, one cell a row, filled where it is put right, at"
    below = "" if base.on_a_wall(profile) else f" Below, the weights of row {followed.row + 1}, key by key."
    return f"{cells} dₖ = {followed.params.d_k:,} after {step} steps. {sentence}{below}"


def _choices_figure(right, followed, step, phones, profile):
    traces, axes, notes, frames = [], {}, [], []
    counted = np.count_nonzero(right[:, : phones or None] > core.PUT_RIGHT, axis=1).tolist()
    for i, count in enumerate(counted):
        at = _axis(i)
        traces.append(_cells(right[i], i, at, profile))
        axes |= _cell_axes(i, at, profile)
        notes += _heading(NAMES[i], count, phones or core.N_ROWS, i, at, profile)
        frames += _around(phones, at, profile) if phones else _frame(followed.row, at, profile)
    if base.on_a_wall(profile):
        fig = base.figure(profile, traces, height=0.7, left=0, annotations=notes, shapes=frames, **axes)
    else:
        what = {"xref": "paper", "yref": "paper", "x": 0, "y": _BARS[1]}
        notes += _names_of_bars(followed, what, profile)
        bars = _weights_below(followed, step, profile)
        layout = {"annotations": notes, "shapes": frames, **axes, **_bar_axes(profile)}
        fig = base.figure(profile, [*traces, *bars], height=1.1, left=0, **layout)
        fig = _on_a_phone(fig, counted, followed, phones or core.N_ROWS, profile)
    fig.layout["margin"] |= _room_around(profile)
    return fig


def _axis(i):
    """Return Plotly's suffix for the axes of a panel's cells; the suffixes for bars come after those for cells."""
    return str(i + 1) if i else ""


def _bar_axis(i):
    return str(len(NAMES) + i + 1)


def _on_a_phone(fig, counted, followed, of, profile):
    """Return the figure with a layout for a phone: three rows, each with its words, its bars and its cells."""
    notes: list[Part] = []
    places: dict[str, Part] = {}
    for i, count in enumerate(counted):
        ink = readable(getattr(profile, COLOURS[i]), profile.ground, profile.text)
        notes += rows.words(i, NAMES[i], str(count), (f"of {of}", "put right"), ink, profile)
        low, high = rows.down(i)
        bars = [low + share * (high - low) for share in (_BARS_LOW, _BARS_HIGH)]
        places[f"xaxis{_axis(i)}"] = {"domain": _CELLS_BESIDE, "constraintoward": "right"}
        places[f"yaxis{_axis(i)}"] = {"domain": [low, high]}
        places[f"xaxis{_bar_axis(i)}"] = {"domain": _BARS_BESIDE, "scaleanchor": False}
        places[f"yaxis{_bar_axis(i)}"] = {"domain": bars}
    at = _bar_axis(0)
    above = {"xref": f"x{at} domain", "yref": f"y{at} domain", "x": 1, "y": 1, "xanchor": "right", "align": "right"}
    notes += _names_of_bars(followed, above, profile, "<br>")
    return rows.on_a_phone(fig, profile, height=round(_PHONE * profile.height), annotations=notes, **places)


def _cells(right, i, at, profile):
    """Return the cells of a panel: in its colour if put right, pale if not."""
    pale, full = base.shade(profile, profile.text, _PALE), getattr(profile, COLOURS[i])
    cells = base.heatmap(profile, right.reshape(_SIDE, _SIDE).astype(float), 1.0, name=NAMES[i])
    gap = profile.tick_size // 4
    look = {"zmin": 0, "colorscale": [[0, pale], [core.PUT_RIGHT, pale], [core.PUT_RIGHT, full], [1, full]]}
    look |= {"xgap": gap, "ygap": gap, "xaxis": f"x{at}", "yaxis": f"y{at}"}
    if base.on_a_wall(profile):
        return cells | look | {"hoverinfo": "skip"}
    rows = np.arange(1, core.N_ROWS + 1).reshape(_SIDE, _SIDE).tolist()
    return cells | look | {"text": rows, "hovertemplate": "Query %{text}: click to see its weights<extra></extra>"}


def _cell_axes(i, at, profile):
    """Return the axes of a panel, on which a cell is a square at any size of the picture."""
    bare = {"showticklabels": False, "ticks": "", "showline": False, "constrain": "domain"}
    across = {
        "range": [-_EDGE, _SIDE - 1 + _EDGE],
        "domain": _DOMAINS[i],
        "anchor": f"y{at}",
        "constraintoward": "left",
    }
    down = {"range": [_SIDE - 1 + _EDGE, -_EDGE], "domain": [0, 1] if base.on_a_wall(profile) else _CELLS}
    down |= {"anchor": f"x{at}", "scaleanchor": f"x{at}", "constraintoward": "top"}
    return {f"xaxis{at}": base.axis(profile, **bare | across), f"yaxis{at}": base.axis(profile, **bare | down)}


def _sizes(profile):
    """Return the font sizes of a panel's name, its number and its unit."""
    return profile.axis_size, round(_LARGE * profile.title_size), profile.tick_size


def _heading(name, count, of, i, at, profile):
    """Return a panel's name, number and unit, each on a line, to fit a third of a phone; a wall has two lines."""
    named, large, small = _sizes(profile)
    ink = readable(getattr(profile, COLOURS[i]), profile.ground, profile.text)
    unit, number = f"of {of} put right", (f"<b>{count}</b>", large, ink)
    if base.on_a_wall(profile):
        beside = f'<span style="font-size:{small}px;color:{profile.text}">{unit}</span>'
        number, lines = (f"<b>{count}</b> {beside}", large, ink), []
    else:
        lines = [(unit, small, profile.text)]
    notes, height = [], 0.2 * small
    for text, size, colour in (*lines, number, (f"<b>{name}</b>", named, ink)):
        place = {"yshift": round(height), "xshift": -1, "borderpad": 0}
        notes.append(base.heading(text, profile, axes=at) | {"font": {"size": size, "color": colour}} | place)
        height += _LINE * size
    return notes[::-1]


def _frame(row, at, profile):
    """Return a frame around the chosen row's cell, visible on light cells and on dark ones."""
    down, across = divmod(row, _SIDE)
    place = {"x0": across - 0.5, "x1": across + 0.5, "y0": down - 0.5, "y1": down + 0.5}
    lines = ((3.5, profile.ground), (1.5, profile.text))
    return [
        {"type": "rect", "xref": f"x{at}", "yref": f"y{at}", **place}
        | {"line": {"width": width * profile.line_width, "color": colour}}
        for width, colour in lines
    ]


def _around(phones, at, profile):
    """Return a frame around the cells of a class, which may end in the middle of a line."""
    down, across = divmod(phones, _SIDE)
    right, end = (_SIDE if down else across) - 0.5, across - 0.5
    low, lowest = max(down, 1) - 0.5, down + (0.5 if across else -0.5)
    corners = [(-0.5, -0.5), (right, -0.5), (right, low), *[(end, low), (end, lowest)] * bool(across), (-0.5, lowest)]
    path = "M" + "L".join(f"{x},{y}" for x, y in corners) + "Z"
    line = {"width": 2 * profile.line_width, "color": profile.text}
    return [{"type": "path", "xref": f"x{at}", "yref": f"y{at}", "path": path, "line": line}]


def _room_around(profile):
    """Return the margins for the words above the cells and below the bars."""
    named, large, small = _sizes(profile)
    if base.on_a_wall(profile):
        return {"t": round(0.4 * small + _LINE * (named + large)), "b": round(0.3 * small)}
    return {"t": round(0.4 * small + _LINE * (named + large + small)), "b": round(1.7 * small)}


def clicked(click: Mapping[str, Any]) -> dict[str, int]:
    """Return the row whose cell was clicked, counted from 1, as a control's value; empty for a bar."""
    if click["chart"] not in NAMES:
        return {}
    down, across = (min(max(click[each], 0), _SIDE - 1) for each in ("line", "place"))
    return {"row": _SIDE * down + across + 1}


def _choices_sentence(result, step):
    """Return the sentence: how many of the hundred rows are put right, without the scale and with each divisor."""
    counts = result.put_right[:, step].tolist()
    why = _STAYS if result.params.loss == "weights" and counts[0] >= core.NEARLY_ALL else ""
    if step == 0:
        return "Before the first step every right key has less than half of the weight."
    if result.params.d_k == 1:
        return f"At dₖ = 1 nothing is divided: {_come(counts[0])} right in all three, of a hundred wrong choices."
    if len(set(counts)) == 1:
        return f"Of a hundred wrong choices {_come(counts[0])} right in all three{why}."
    raw, root, whole = (so_many(each, core.N_ROWS) for each in counts)
    start = "This rate puts" if why else "At this rate plain gradient descent puts"
    return f"{start} {raw} right with raw scores, {root} with ÷ √dₖ and {whole} with ÷ dₖ{why}."


def _sentence_of_class(result, step, phones):
    """Return the sentence: how many of a class's rows are put right, without the scale and with each divisor."""
    raw, root, whole = (so_many(each, phones) for each in result.first(phones)[:, step].tolist())
    of = "the class’s one row" if phones == 1 else f"the class’s {phones} rows"
    comes = "comes" if raw == "1" else "come"
    return f"Of {of}, {raw} {comes} right with raw scores, {root} with ÷ √dₖ and {whole} with ÷ dₖ."


def _come(count):
    return f"{so_many(count, core.N_ROWS)} {'comes' if count == 1 else 'come'}"


def _choices_sure(result, step):
    """Return sentences on the results to expect of other rows, and on what the picture does not show."""
    low, high = core.interval(result.put_right[:, step])
    ranges = [f"{_whole(low[i])} to {_whole(high[i])} {by}" for i, by in enumerate(DIVIDED)]
    gone = [int(np.isnan(each).sum()) for each in result.right_weight[:, step]]
    lost = [f"At this rate numbers have overflowed in {max(gone)} rows; their cells are blank."] if any(gone) else []
    return (
        f"Other rows would do about as well: the 95 % intervals of a hundred are {listed(ranges)} "
        "(Clopper and Pearson).",
        "All three panels have the same hundred rows, at every dₖ: a larger dₖ adds components to them.",
        *lost,
        *([_SLOPES] if result.params.loss == "weights" else []),
    )


def _whole(value):
    return number(round(float(value)), 3)


# --- one row as bars ------------------------------------------------------------------------------------


def _bars_name(name):
    return f"{name}, right key"


def _lit(name, profile):
    """Return the traces that a word of the sentence lights up: cells and, except on a wall, bars."""
    return (name,) if base.on_a_wall(profile) else (_bars_name(name), f"wrong keys, {name}", name)


def _weights_table(followed, step):
    """Return a table of the row's weights after this step."""
    found = followed.weights[:, step]
    return {"key": _key_names(followed)} | {name: found[i].tolist() for i, name in enumerate(NAMES)}


def _weights_sure(followed, step):
    """Return sentences on the row's right key and its weight, and on the key with the largest score at the start."""
    return (
        f"Row {followed.row + 1}: {_weights_sentence(followed.weights[:, step, followed.right_key])} The largest score "
        f"at the start is that of key {followed.winner + 1}; the right key, drawn among the others, is key "
        f"{followed.right_key + 1}.",
    )


def _key_names(result):
    n_keys = result.params.n_keys
    return list(key_words(n_keys)) or list(range(1, n_keys + 1))


def _weights_below(followed, step, profile):
    """Return the traces of the weights of one row, on their own axes."""
    return [
        each | {"xaxis": f"x{_bar_axis(i)}", "yaxis": f"y{_bar_axis(i)}"}
        for i in range(len(NAMES))
        for each in _bars(followed.weights[i, step], followed.right_key, i, profile)
    ]


def _bar_axes(profile):
    """Return the axes of the bars, as wide as the cells above them."""
    bare: Part = {"showline": False, "showticklabels": False, "ticks": ""}
    line = {"zeroline": True, "zerolinecolor": profile.text, "zerolinewidth": 1}
    axes: dict[str, Part] = {}
    for i, domain in enumerate(_DOMAINS):
        at = _bar_axis(i)
        as_wide = {"scaleanchor": f"x{_axis(i)}", "constrain": "domain", "constraintoward": "left"}
        across = {"range": [-_EDGE, _SIDE - 1 + _EDGE], "domain": domain, "anchor": f"y{at}", **as_wide}
        down = {"range": [0, 1.03], "domain": _BARS, "anchor": f"x{at}", **line}
        axes |= {f"xaxis{at}": base.axis(profile, **bare, **across), f"yaxis{at}": base.axis(profile, **bare, **down)}
    return axes


def _names_of_bars(followed, place, profile, between=" "):
    """Return the label of the bars, above the first panel, and the label of the right key in each panel."""
    text = f"{followed.params.n_keys} weights of{between}the outlined query"
    what = base.label(text, profile, **{"xshift": -1, "xanchor": "left", "yanchor": "bottom", **place})
    return [what, *(_right_key(followed, i, profile) for i in range(len(NAMES)))]


def _places(n_keys):
    """Return the middles of the bars under the cells, in units of their axis."""
    return (np.arange(n_keys) + 0.5) * _SIDE / n_keys - 0.5


def _bars(found, right, i, profile):
    """Return the wrong keys' bars as one outline, which is quick to redraw, and the right key's in colour."""
    corners = np.array([-0.42, -0.42, 0.42, 0.42]) * _SIDE / found.size
    x, y = _places(found.size)[:, None] + corners, found[:, None] * np.array([0.0, 1.0, 1.0, 0.0])
    wrong, grey = np.where(np.arange(found.size) == right, 0.0, 1.0)[:, None], base.shade(profile, profile.text, _GREY)
    parts = (
        (x.ravel(), (y * wrong).ravel(), grey, f"wrong keys, {NAMES[i]}"),
        (x[right], y[right], getattr(profile, COLOURS[i]), _bars_name(NAMES[i])),
    )
    return [
        base.line(*place, base.solid(profile, colour, 0.5), name)
        | {"fill": "tozeroy", "fillcolor": colour, "hoverinfo": "skip"}
        for *place, colour, name in parts
    ]


def _right_key(followed, i, profile):
    """Return the right key's label under its bar, inside the panel; near a side, an arrow points up at the bar."""
    n_keys, words = followed.params.n_keys, key_words(followed.params.n_keys)
    x, at = float(_places(n_keys)[followed.right_key]), _bar_axis(i)
    name = f"right key: {words[followed.right_key]}" if words else "right key"
    half = round(_ARROW * profile.tick_size / 2)
    side, shift, text = (
        ("left", -half, f"▲ {name}")
        if x < _SIDE / 3
        else ("right", half, f"{name} ▲")
        if x > 2 * _SIDE / 3
        else ("center", 0, name)
    )
    place: Part = {"x": x, "y": 0, "xref": f"x{at}", "yref": f"y{at}", "xanchor": side, "yanchor": "top"}
    return base.label(f"<b>{text}</b>", profile, borderpad=0, xshift=shift, **place)


def _weights_sentence(found):
    raw, root, whole = map(share, found)
    return f"The right key has {raw} of the weight with raw scores, {root} with ÷ √dₖ, {whole} with ÷ dₖ."


def share(weight: float) -> str:
    """Return a weight as text for a sentence; near 0, ½ and 1 with "under", "at most" or "over"."""
    if np.isnan(weight):
        return "an unknown part"
    if weight < 1 - _NEARLY:
        return "under 1 %"
    if weight >= _NEARLY:
        return "over 99 %"
    said = percent(weight, 0)
    half = "" if said != percent(core.PUT_RIGHT, 0) else "over " if weight > core.PUT_RIGHT else "at most "
    return f"{half}{said}"
