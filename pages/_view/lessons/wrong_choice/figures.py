"""Pictures of the wrong_choice lesson: a hundred rows as cells over one row as bars, and what each rate does."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import Name, code
from pages._view.marks import Mark
from pages._view.picture import Figure, Picture
from pages._view.theme import Profile, listed, number, percent
from sattn_core.example import key_words
from sattn_core.lessons import wrong_choice as core

NAMES = ("raw", "÷ √dₖ", "÷ dₖ")
_DIVIDED = ("with raw scores", "with ÷ √dₖ", "with ÷ dₖ")
_COLOURS, _SYMBOLS = ("raw", "scaled", "third"), ("circle", "square", "diamond")
_MARKS = ("●", "■", "◆")  # the same as letters
_SIDE = 10  # cells
_DOMAINS = ([0.0, 0.32], [0.34, 0.66], [0.68, 1.0])
_CELLS, _BARS = [0.34, 1.0], [0.0, 0.22]  # of the height
_NAMED, _UPRIGHT = 1.7, 3.8  # letters of a tick: the room for the name of the right key, and for words that stand
_OVER = {"domain": [0, 1]}, {"domain": [0.56, 1]}, {"domain": [0, 1]}, {"domain": [0, 0.44]}  # of x, y, x2 and y2
_SIDE_BY_SIDE = {"domain": [0, 0.44]}, {"domain": [0, 1]}, {"domain": [0.56, 1]}, {"domain": [0, 1]}
_APART = (0.94, 1.0, 1.06)  # times the place of a point: marks of one height stand side by side
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_STEADY = 5  # times: less is one step of the rates, which are half a decade apart
_NEARLY = 0.995  # from here a percentage without decimals says 100 %
_GREYS, _GREENS = (0.07, 0.2), (0.9, 1.0)  # of the colours of cells: the step between them is seen without colour
_SAID = {"raw scores": "raw", "÷ √dₖ": "÷ √dₖ", "÷ dₖ": "÷ dₖ"}  # what a sentence says of a trace


# --- a hundred rows as cells ----------------------------------------------------------------------------


def choices(
    result: core.WrongChoiceResult, followed: core.RowResult, step: int, profile: Profile, phones: int = 0
) -> Picture:
    """The weight on the right key of every row after this step, without the scale, with ÷ √d_k and ÷ d_k.

    followed: the row whose weights are drawn below as bars. phones: how many of the rows, from the first on, are those
    of a class; then it is about these.
    """
    sentence = _sentence_of_class(result, step, phones) if phones else _choices_sentence(result, step)
    return Picture(
        "matrix_choices",
        _choices_figure(result, followed, step, phones, profile),
        sentence,
        {"row": list(range(1, core.N_ROWS + 1))}
        | {name: result.right_weight[i, step].tolist() for i, name in enumerate(NAMES)},
        code(core.measure_wrong_choices, result.params, show=f"result.right_weight[:, {step}]")
        + code(core.follow_row, followed.params, followed.row, name="row", show=f"row.weights[:, {step}]"),
        note=f"The weight on the right key of each row after {step} steps.",
        bins=_weights_table(followed, step),
        bins_name=f"the weights of row {followed.row + 1}",
        alt=f"Three squares of a hundred cells, one cell a row, at dₖ = {result.params.d_k:,} after {step} steps. "
        f"{sentence}{'' if base.on_a_wall(profile) else f' Below, the weights of row {followed.row + 1}, key by key.'}",
        sure=(*_choices_sure(result, step), *_weights_sure(followed, step)),
        marks=[Mark(word, _lit(name, profile)) for word, name in _SAID.items()],
    )


def _choices_figure(result, followed, step, phones, profile):
    wall, of = base.on_a_wall(profile), phones or core.N_ROWS
    traces, axes, notes, frames = [], {}, [], []
    for i, (name, domain) in enumerate(zip(NAMES, _DOMAINS, strict=True)):
        at = str(i + 1) if i else ""
        cells = base.heatmap(profile, result.right_weight[i, step].reshape(_SIDE, _SIDE).astype(float), 1.0, name=name)
        look = {"zmin": 0, "colorscale": _shades(profile, cells), "hoverinfo": "skip"}
        traces.append(cells | look | {"xaxis": f"x{at}", "yaxis": f"y{at}"})
        axes[f"xaxis{at}"] = _cell_axis(profile, f"y{at}", [-0.55, _SIDE - 0.45]) | {"domain": domain}
        height = [0, 1] if wall else _CELLS
        axes[f"yaxis{at}"] = _cell_axis(profile, f"x{at}", [_SIDE - 0.45, -0.55]) | {"domain": height}
        count = f"{result.first(of)[i, step]} of {of}"
        notes.append(base.heading(f"{name}{': ' if wall else '<br>'}{count}", profile, axes=at) | {"align": "left"})
        frames += _around(phones, at, profile) if phones else _frame(followed.row, at, profile)
    traces[0] |= _key(profile)
    bars, bar_axes, names = ([], {}, []) if wall else _weights_below(followed, step, profile)
    layout = {"annotations": [*notes, *names], "shapes": frames, **axes, **bar_axes}
    fig = base.figure(profile, [*traces, *bars], height=0.7 if wall else 1.1, left=0.6, bottom=1.0, **layout)
    fig.layout["margin"] |= _room_around(followed.params.n_keys, profile)
    return fig


def _shades(profile, cells):
    """Greys up to half of the weight, and from there the green of what is right."""
    green = cells["colorscale"][-1][1]
    low, half = (base.shade(profile, profile.text, each) for each in _GREYS)
    more, high = (base.shade(profile, green, each) for each in _GREENS)
    return [[0, low], [0.5, half], [0.5, more], [1, high]]


def _cell_axis(profile, anchor, span):
    return base.axis(profile, showticklabels=False, ticks="", showline=False, anchor=anchor, range=span)


def _frame(row, at, profile):
    """A frame around the chosen row's cell, seen on light cells and on dark ones."""
    down, across = divmod(row, _SIDE)
    place = {"x0": across - 0.5, "x1": across + 0.5, "y0": down - 0.5, "y1": down + 0.5}
    lines = ((3.5, profile.ground), (1.5, profile.text))
    return [
        {"type": "rect", "xref": f"x{at}", "yref": f"y{at}", **place}
        | {"line": {"width": width * profile.line_width, "color": colour}}
        for width, colour in lines
    ]


def _around(phones, at, profile):
    """A frame around the cells of a class, which end in the middle of a line."""
    down, across = divmod(phones, _SIDE)
    right, end = (_SIDE if down else across) - 0.5, across - 0.5
    low, lowest = max(down, 1) - 0.5, down + (0.5 if across else -0.5)
    corners = [(-0.5, -0.5), (right, -0.5), (right, low), *[(end, low), (end, lowest)] * bool(across), (-0.5, lowest)]
    path = "M" + "L".join(f"{x},{y}" for x, y in corners) + "Z"
    line = {"width": 2 * profile.line_width, "color": profile.text}
    return [{"type": "path", "xref": f"x{at}", "yref": f"y{at}", "path": path, "line": line}]


def _key(profile):
    wall = base.on_a_wall(profile)
    key, end = base.colour_bar(profile, [0.25, 0.75], beside=wall), "<br>" if wall else " "
    key["colorbar"] |= {"ticktext": [f"right key{end}below ½", f"above ½:{end}put right"], "ticks": ""}
    return key


def _room_around(n_keys, profile):
    """The margins for the counts, the names of the keys, and what the colours mean."""
    if base.on_a_wall(profile):
        room = {"t": 1.6 * profile.axis_size, "r": 6.2 * profile.tick_size, "b": 0.5 * profile.tick_size}
    else:
        names = _UPRIGHT if key_words(n_keys) else _NAMED
        room = {"t": 2.9 * profile.axis_size, "b": (names + 3.2) * profile.tick_size}
    return {side: round(each) for side, each in room.items()}


def clicked(click: Mapping[str, Any]) -> dict[str, int]:
    """The row that a click on a cell chooses, counted from 1; none of one on a bar."""
    if click["chart"] not in NAMES:
        return {}
    down, across = (min(max(click[each], 0), _SIDE - 1) for each in ("line", "place"))
    return {"row": _SIDE * down + across + 1}


def _choices_sentence(result, step):
    """How many of the hundred come right, without the scale and with each."""
    counts = result.put_right[:, step].tolist()
    if step == 0:
        return "Before the first step every right key has less than half of the weight."
    if result.params.d_k == 1:
        return f"At dₖ = 1 nothing is divided: {_come(counts[0])} right in all three, of a hundred wrong choices."
    if len(set(counts)) == 1:
        return f"Of a hundred wrong choices {_come(counts[0])} right, whatever divides the scores."
    raw, root, whole = (_so_many(each) for each in counts)
    return f"Of a hundred wrong choices {raw} come right with raw scores, {root} with ÷ √dₖ and {whole} with ÷ dₖ."


def _sentence_of_class(result, step, phones):
    """How many of a class's rows come right, without the scale and with each."""
    raw, root, whole = (_so_many(each, phones) for each in result.first(phones)[:, step].tolist())
    of = "the class’s one row" if phones == 1 else f"the class’s {phones} rows"
    return f"Of {of}, {raw} come right with raw scores, {root} with ÷ √dₖ and {whole} with ÷ dₖ."


def _come(count):
    return f"{_so_many(count)} {'comes' if count == 1 else 'come'}"


def _so_many(count, of=core.N_ROWS):
    return {0: "none", of: "all"}.get(int(count), str(count))


def _choices_sure(result, step):
    """How far other rows would differ, and what is not seen."""
    low, high = core.interval(result.put_right[:, step])
    ranges = [f"{_whole(low[i])} to {_whole(high[i])} {by}" for i, by in enumerate(_DIVIDED)]
    gone = [int(np.isnan(each).sum()) for each in result.right_weight[:, step]]
    lost = [f"At this rate numbers have overflowed in {max(gone)} rows; their cells are blank."] if any(gone) else []
    return (
        f"Other rows would do about as well: the 95 % intervals of a hundred are {listed(ranges)} "
        "(Clopper and Pearson).",
        "All three panels have the same hundred rows, at every dₖ: a larger dₖ adds components to them.",
        *lost,
    )


def _whole(value):
    return number(round(float(value)), 3)


# --- one row as bars ------------------------------------------------------------------------------------


def _bars_name(name):
    return f"{name}, weights"


def _lit(name, profile):
    """Return what a word of the sentence names: cells, and where there are any bars."""
    return (name,) if base.on_a_wall(profile) else (_bars_name(name), name)


def _weights_table(followed, step):
    """The weights of the row after this step."""
    found = followed.weights[:, step]
    return {"key": _key_names(followed)} | {name: found[i].tolist() for i, name in enumerate(NAMES)}


def _weights_sure(followed, step):
    """Return what the right key of the row has, and which it is."""
    return (
        f"Row {followed.row + 1}: {_weights_sentence(followed.weights[:, step, followed.right_key])} The largest score "
        f"at the start is that of key {followed.winner + 1}; the right key, drawn among the others, is key "
        f"{followed.right_key + 1}.",
    )


def _key_names(result):
    n_keys = result.params.n_keys
    return list(key_words(n_keys)) or list(range(1, n_keys + 1))


def _weights_below(followed, step, profile):
    """The traces of the weights of one row below the cells, their axes, and their name; the right key is outlined."""
    traces, axes = [], {}
    for i, (name, domain) in enumerate(zip(NAMES, _DOMAINS, strict=True)):
        on, colour = {"xaxis": f"x{4 + i}", "yaxis": "y4"}, getattr(profile, _COLOURS[i])
        found = followed.weights[i, step]
        traces += [each | on for each in _bars(found, followed.right_key, _bars_name(name), colour, profile)]
        axes[f"xaxis{4 + i}"] = _key_axis(followed, profile) | {"domain": domain}
    ticks = {"tickvals": [0, 0.5, 1], "range": [0, 1.03], "anchor": "x4", "domain": _BARS, "showline": False}
    axes["yaxis4"] = base.axis(profile, grid=True, showticklabels=False, ticks="", **ticks)
    text = f"Row {followed.row + 1}: {followed.params.n_keys} weights, right key outlined"
    place = {"x": 0, "y": _BARS[1], "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    return traces, axes, [base.label(text, profile, yshift=round(0.3 * profile.tick_size), **place)]


def _bars(found, right, name, colour, profile):
    """The bars as one outline, which is quick to redraw, and another around the right key's."""
    corners = np.array([-0.4, -0.4, 0.4, 0.4])
    x, y = np.arange(found.size)[:, None] + corners, found[:, None] * np.array([0.0, 1.0, 1.0, 0.0])
    bars = base.line(x.ravel(), y.ravel(), base.solid(profile, colour, 0.5), name)
    around = base.line(
        right + 1.25 * corners[[0, 1, 2, 3, 0]], [0, 1, 1, 0, 0], base.solid(profile, profile.text, 0.75), "right key"
    )
    return bars | {"fill": "tozeroy", "fillcolor": colour, "hoverinfo": "y"}, around | {"hoverinfo": "skip"}


def _key_axis(result, profile):
    """The words of four keys, upright to fit on a phone; of others only the right one is named."""
    n_keys, words = result.params.n_keys, key_words(result.params.n_keys)
    around = {"range": [-0.7, n_keys - 0.3], "anchor": "y4", "ticks": ""}
    if words:
        return base.axis(profile, tickvals=list(range(n_keys)), ticktext=list(words), tickangle=-90, **around)
    return base.axis(profile, tickvals=[result.right_key], ticktext=["right"], tickangle=0, **around)


def _weights_sentence(found):
    raw, root, whole = map(_share, found)
    return f"The right key has {raw} of the weight with raw scores, {root} with ÷ √dₖ, {whole} with ÷ dₖ."


def _share(weight):
    """A weight in a sentence; one that is not quite 0 or 1 is not said to be."""
    if np.isnan(weight):
        return "an unknown part"
    if weight < 1 - _NEARLY:
        return "under 1 %"
    return "over 99 %" if weight >= _NEARLY else percent(weight, 0)


# --- at every learning rate -----------------------------------------------------------------------------


def rates(curves: core.RateCurves, rate: float, step: int, profile: Profile) -> Picture:
    """How many rows come right at each learning rate; dashed: that of the slider."""
    counts = curves.put_right[:, :, step]
    low, high = core.interval(counts)
    columns = {"learning rate": list(curves.learning_rates)}
    for i, name in enumerate(NAMES):
        columns |= {name: counts[i].tolist(), f"{name}: low": low[i].tolist(), f"{name}: high": high[i].tolist()}
    return Picture(
        "choice_rates",
        _rates_figure(curves, rate, step, profile),
        _rates_sentence(curves.best(step)),
        columns,
        code(core.measure_learning_rates, curves.params, name="curves", show=f"curves.put_right[:, :, {step}]")
        + _interval_code(f"curves.put_right[:, :, {step}]"),
        sure=(
            f"{_rates_claim(curves.best(step))}.",
            "Bars are exact 95 % intervals for other rows (Clopper and Pearson).",
        ),
        marks=[Mark(word, (name, f"{name}, joined")) for word, name in _SAID.items()],
    )


def _interval_code(counts):
    return code(core.interval, Name(counts), name="low_and_high", show="low_and_high")


def _rates_figure(curves, rate, step, profile):
    traces = []
    for i, counts in enumerate(curves.put_right[:, :, step]):
        traces += _curve(i, np.array(curves.learning_rates), counts, profile)
    above = f"Put right at dₖ = {curves.params.d_k:,} after {step} steps"
    return base.figure(
        profile,
        traces,
        height=0.7 if base.on_a_wall(profile) else 1.0,
        left=3.6,
        title=_above(above, profile),
        xaxis=base.axis(profile, "learning rate", type="log", range=[-4.3, 5.3], dtick=2, exponentformat="power"),
        yaxis=_count_axis(profile),
        shapes=[base.upright(rate, base.dashed(profile)) | {"layer": "below"}],
    )


def _curve(i, x, counts, profile, on=None):
    """Counts with their intervals, joined."""
    low, high = core.interval(counts)
    found, colour = counts.astype(float), getattr(profile, _COLOURS[i])
    marks = base.points(profile, colour, _SYMBOLS[i], _APART[i] * x, found, high - found, found - low, NAMES[i])
    joined = base.line(_APART[i] * x, found, base.solid(profile, colour, 0.5), f"{NAMES[i]}, joined") | {
        "hoverinfo": "skip"
    }
    return [each | (on or {}) for each in (joined, marks)]


def _legend(profile):
    """The marks and their names, in their colours."""
    return tuple(
        f'<span style="color:{getattr(profile, colour)}">{mark} {name}</span>'
        for mark, colour, name in zip(_MARKS, _COLOURS, NAMES, strict=True)
    )


def _above(text, profile):
    """The title with the names of the marks; on a wall, where the sliders say the rest, the names alone."""
    if base.on_a_wall(profile):
        return base.title(_legend(profile), profile, size=profile.tick_size)
    return base.title(text, profile, key=_legend(profile))


def _count_axis(profile, **options):
    ticks = {"tickvals": [0, 50, 100], "range": [-4, 104]}
    return base.axis(profile, f"of {core.N_ROWS}", grid=True, **ticks, **options)


def _rates_sentence(best):
    raw, root, whole = (_so_many(each) for each in best)
    return f"At the best of these rates {raw} come right with raw scores, {root} with ÷ √dₖ and {whole} with ÷ dₖ."


def _rates_claim(best):
    """For which of the three some rate does."""
    works = [each >= core.NEARLY_ALL for each in best]
    if all(works):
        return "Some learning rate puts nearly all right, scale or no scale"
    if not any(works):
        return "Here no learning rate puts nearly all right"
    if not works[0]:
        return "Without the scale no learning rate puts nearly all right"
    return f"Nearly all come right only {listed([by for by, does in zip(_DIVIDED, works, strict=True) if does])}"


# --- against d_k ----------------------------------------------------------------------------------------


def dimensions(curves: Sequence[core.RateCurves], step: int, profile: Profile) -> Picture:
    """The most rows that a rate puts right at each d_k, and below it the smallest rate that puts nearly all right."""
    found = core.compare_dimensions(curves, step)
    low, high = core.interval(found.best)
    columns = {"d_k": list(found.dims)}
    for i, name in enumerate(NAMES):
        columns |= {name: found.best[i].tolist(), f"{name}: low": low[i].tolist(), f"{name}: high": high[i].tolist()}
        columns[f"{name}: smallest rate"] = found.smallest_rate[i].tolist()
    return Picture(
        "choice_dimensions",
        _dimensions_figure(found, profile),
        _dimensions_sentence(found),
        columns,
        _dimensions_code(curves, step),
        marks=[Mark(word, (name, f"{name}, joined")) for word, name in _SAID.items()],
        sure=(
            f"{_dimensions_claim(found)}.",
            f"Of {len(core.LEARNING_RATES)} rates, two a decade, the best at each dₖ. Bars are exact 95 % intervals of "
            "that count for other rows; the best of many is a little better than one rate on fresh rows.",
        ),
    )


def known(curves: Sequence[core.RateCurves], profile: Profile) -> Picture:
    """The same at those d_k that are known before the bet; none of the numbers of its code or table are shown."""
    found = core.compare_dimensions(curves)
    here = (
        f"Raw, {_come(found.best[0, -1])} right at dₖ = {found.dims[-1]}." if found.dims else "Nothing is computed yet."
    )
    sentence = f"Each of a hundred queries starts with a wrong key on top; gradient descent moves it. {here}"
    drawn = _dimensions_figure(found, profile)
    shown = _upper(drawn, profile) if base.on_a_wall(profile) else drawn
    return Picture("choice_dimensions", shown, sentence, {"d_k": list(found.dims)}, "")


def _upper(drawn, profile):
    """The panel that the bet asks about: on a wall there is no room for the other."""
    layout = {name: each for name, each in drawn.layout.items() if name not in ("xaxis2", "yaxis2")}
    layout |= {
        "xaxis": drawn.layout["xaxis"] | {"domain": [0, 1]},
        "annotations": drawn.layout["annotations"][:1],
        "margin": drawn.layout["margin"] | {"t": round(3.2 * profile.tick_size)},
    }
    return Figure([each for each in drawn.data if each["xaxis"] == "x"], layout)


def _dimensions_code(curves, step):
    measured = "".join(
        code(core.measure_learning_rates, each.params, name=f"curves_{i}") for i, each in enumerate(curves)
    )
    names = Name(f"[{', '.join(f'curves_{i}' for i in range(len(curves)))}]")
    compared = code(core.compare_dimensions, names, step, name="found", show=("found.best", "found.smallest_rate"))
    return measured + compared + _interval_code("found.best")


def _dimensions_figure(found, profile):
    dims, traces = np.array(found.dims, dtype=float), []
    for i, (counts, smallest) in enumerate(zip(found.best, found.smallest_rate, strict=True)):
        traces += _curve(i, dims, counts, profile, {"xaxis": "x", "yaxis": "y"})
        traces += _smallest(i, dims, smallest, profile)
    notes = [
        _panel("most put right, at the best learning rate", "", profile),
        _panel(f"smallest rate that puts {core.NEARLY_ALL} right{_none(found)}", "2", profile),
    ]
    layout = {"title": _above(f"After {found.step} steps", profile), "annotations": notes, **_two_panels(profile)}
    fig = base.figure(profile, traces, height=0.7 if base.on_a_wall(profile) else 1.35, left=4.2, **layout)
    fig.layout["margin"]["t"] += round(1.8 * profile.tick_size)
    return fig


def _two_panels(profile):
    """The axes of the counts and of the rates: one over the other, or on a wall side by side."""
    wall = base.on_a_wall(profile)
    places = _SIDE_BY_SIDE if wall else _OVER
    across = {"type": "log", "range": [-0.15, 3.2], "tickvals": _D_TICKS, "tickformat": ","}
    rates_axis = {"type": "log", "range": [-4.3, 5.3], "dtick": 2, "exponentformat": "power"}
    return {
        "xaxis": base.axis(profile, "dₖ" if wall else None, showticklabels=wall, anchor="y", **across, **places[0]),
        "yaxis": _count_axis(profile, anchor="x", **places[1]),
        "xaxis2": base.axis(profile, "dₖ", anchor="y2", **across, **places[2]),
        "yaxis2": base.axis(profile, grid=True, anchor="x2", **rates_axis, **places[3]),
    }


def _smallest(i, dims, rates, profile):
    """The smallest rates, joined; none where no rate does."""
    colour, on = getattr(profile, _COLOURS[i]), {"xaxis": "x2", "yaxis": "y2"}
    style = {"mode": "lines+markers", "marker": {"symbol": _SYMBOLS[i], "size": profile.marker_size, "color": colour}}
    return [base.line(_APART[i] * dims, rates, base.solid(profile, colour, 0.5), NAMES[i]) | style | on]


def _panel(text, at, profile):
    """What a panel shows, above it."""
    return base.heading(text, profile, axes=at) | {"font": {"size": profile.tick_size, "color": profile.text}}


def _none(found):
    """Which of the three no rate puts right, at any of these d_k."""
    names = [name for name, each in zip(NAMES, found.smallest_rate, strict=True) if np.isnan(each).all()]
    names = names if found.dims else []
    return f"; {listed(names)}: none" if names else ""


def _dimensions_sentence(found):
    """From which rate on nearly all come right, at the largest d_k."""
    last, start = found.smallest_rate[:, -1], "At the largest dₖ"
    if np.isnan(last).all():
        return f"{start} no learning rate puts nearly all right, whatever divides the scores."
    rates = ["never" if np.isnan(rate) else f"from rate {rate:,g}" for rate in last]
    said = [f"{by} {rate}" for by, rate in zip(_DIVIDED, rates, strict=True)]
    return f"{start} nearly all come right: {listed(said)}."


def _dimensions_claim(found):
    """How the smallest rates that work compare over these d_k."""
    some = ~np.isnan(found.smallest_rate)
    if not some.any():
        return "No learning rate puts nearly all right at these dₖ"
    _, root, whole = found.smallest_rate
    steady = some[1].sum() > 1 and np.nanmax(root) < _STEADY * np.nanmin(root)
    grows = some[2].sum() > 1 and np.nanmax(whole) > _STEADY * np.nanmin(whole)
    if steady and grows:
        return "With ÷ √dₖ the rate stays; with ÷ dₖ it must grow"
    return "The second panel has the smallest learning rate that works at each dₖ"
