"""The picture of a token's own share: the outputs of tokens among the values that they mix."""

from itertools import product

import numpy as np

from pages._view.figures import base, rows
from pages._view.figures.code import code, printed
from pages._view.lessons.softmax_saturation.figures import (
    COLOURS,
    COLUMNS,
    NAMED,
    NUMBERS,
    called,
    heads,
    room_above,
)
from pages._view.marks import Mark, readable
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, number, percent, small_percent
from sattn_core.bands.band import student_quantile
from sattn_core.lessons import softmax_saturation as core

SHOWN = 12  # number of tokens in the picture
_SYMBOLS = {0.0: "circle", 0.5: "square", 1.0: "triangle-up"}
_OWN = "its token’s own"
_SAME, _CERTAIN = 0.1, 0.75  # outputs are "nearly the same" up to this own share, "one value" from this weight on
# Sizes as shares of a panel's width or height: letter, half a line, distance of a label, half a ring.
_ON_A_SCREEN = (0.058, 0.04, (0.08, 0.03), (0.06, 0.025))
_ON_A_WALL = (0.034, 0.07, (0.05, 0.05), (0.03, 0.045))
_IN_A_ROW = (0.045, 0.08, (0.06, 0.08), (0.04, 0.06))
_SIDES: dict[tuple[int, int], Part] = {
    (1, 0): {"xanchor": "left"},
    (-1, 0): {"xanchor": "right"},
    (0, 1): {"yanchor": "bottom"},
    (0, -1): {"yanchor": "top"},
}
_GROUND = 0.08  # share of the text's colour in the shade behind a panel


def outputs(
    found: core.TokenOutputs,
    exponent: float,
    params: core.OutputsParams,
    profile: Profile,
    expected: tuple[float, ...] | None = None,
) -> Picture:
    """Return the picture of tokens' outputs: raw, with scores divided by d_k^exponent, and with scores divided by d_k.

    expected : the own shares if the tokens' scores were independent, for "How sure?".
    """
    panels = tuple(found.divided(each) for each in (0.0, exponent, 1.0))
    sentence = _sentence(found.d_k, panels)
    return Picture(
        "token_outputs",
        _figure(panels, profile),
        sentence,
        _table(panels),
        _code(params, [each.exponent for each in panels]),
        note=f"Two of the {core.D_V} numbers of each value and of each output, in the first draw.",
        alt=f"The outputs of {SHOWN} tokens at dₖ = {found.d_k:,}, among the values that they mix. {sentence}",
        sure=_sure(found, panels, params),
        checks=None if expected is None else _checks(panels, expected, len(found.scores)),
        marks=_marks(panels),
    )


def without_flat(found: core.TokenOutputs, exponent: float, shown: Picture, profile: Profile) -> Picture:
    """Return the picture without the outputs of scores divided by d_k, and without the words on them."""
    raw, middle, flat = panels = tuple(found.divided(each) for each in (0.0, exponent, 1.0))
    fig = shown.figure
    if fig is None:
        raise ValueError("the outputs must be a figure of their own")
    texts = {_first_line(each) for layout in (fig.layout, fig.narrow) for each in layout.get("annotations", ())}
    _, large, _, below = _names(2, flat, profile)
    tells = {_first_line(each) for each in (large, below, _row(2, flat, profile)[1])}
    keep = [f"values {i + 1}" for i in range(len(panels))]
    keep += [name for i, each in enumerate(panels[:2]) for name in _traces_of(i, each)]
    own = f"{share(raw)} of an output is {_OWN} without a scale; {_said(middle.exponent)} leaves {share(middle)}."
    grounds = [_ground(each, profile) for each in NUMBERS]
    return shown.partly(f"At dₖ = {found.d_k:,}, {own}", keep=keep, words=texts - tells - {""}, shapes=grounds)


def _first_line(name):
    return name["text"].partition("<br>")[0]


def _code(params, exponents):
    """Return Python code that computes the percentages and the places of the dots."""
    panels = f"panels = [outputs.divided(exponent) for exponent in ({', '.join(map(str, exponents))})]\n"
    drawn = code(core.measure_outputs, params, name="outputs")
    return drawn + panels + printed("each.own_share, each.standard_error for each in panels")


# --- the figure ------------------------------------------------------------------------------------------


def _figure(panels, profile):
    """Return three panels on the same axes: rings are values, dots outputs, lines join dots and their mean."""
    wall = base.on_a_wall(profile)
    fig = base.figure(
        profile,
        [trace for i, each in enumerate(panels) for trace in _traces(i, each, profile)],
        margin={"l": 0, "r": 0, "t": room_above(profile), "b": _room_below(profile)},
        annotations=[
            *(name for i, each in enumerate(panels) for name in _names(i, each, profile)),
            *_names_of_marks(panels, _ON_A_WALL if wall else _ON_A_SCREEN, profile),
        ],
        shapes=[_ground(NUMBERS[i], profile) for i in range(len(panels))],
        **_axes(panels[0].values[:, :2], profile),
    )
    return fig if wall else _on_a_phone(fig, panels, profile)


def _on_a_phone(fig, panels, profile):
    """Return the figure with a layout for a phone: three rows, the words of each beside its panel."""
    named = [_row(i, each, profile) for i, each in enumerate(panels)]
    places = {f"xaxis{at}": {"domain": [*rows.PICTURE]} for at in NUMBERS[: len(panels)]}
    places |= {f"yaxis{NUMBERS[i]}": {"domain": rows.down(i)} for i in range(len(panels))}
    marks = _names_of_marks(panels, _IN_A_ROW, profile)
    return rows.on_a_phone(fig, profile, annotations=[*(each for row in named for each in row), *marks], **places)


def _row(i, found, profile):
    words = _OWN, *_what_it_is(found)
    return rows.words(i, _title(found.exponent), share(found), words, _ink(found, profile), profile)


def _traces(i, found, profile):
    colour, (name, rays_name) = _colour(found, profile), _traces_of(i, found)
    dots, middle = found.output[:SHOWN, :2], found.output[:, :2].mean(axis=0)
    rays = np.stack([np.broadcast_to(middle, dots.shape), dots], axis=1).reshape(-1, 2)
    around = {"width": profile.line_width / 2, "color": profile.ground}
    ring = {"color": profile.band, "symbol": "circle-open", "size": 1.9 * profile.marker_size}
    disc = {"color": colour, "symbol": _SYMBOLS.get(found.exponent, "circle"), "size": 1.25 * profile.marker_size}
    drawn = (
        {"mode": "markers", "marker": ring | {"line": {"width": profile.line_width * 0.7}}, "name": f"values {i + 1}"},
        base.line([], [], base.solid(profile, colour, 0.6), rays_name) | {"opacity": 0.6},
        {"mode": "markers", "marker": disc | {"line": around}, "name": name},
    )
    refs = {"type": "scatter", "xaxis": f"x{NUMBERS[i]}", "yaxis": f"y{NUMBERS[i]}", "hoverinfo": "skip"}
    places = (found.values[:, :2], rays, dots)
    return [each | refs | {"x": at[:, 0], "y": at[:, 1]} for each, at in zip(drawn, places, strict=True)]


def _traces_of(i, found):
    """Return the names of a panel's two traces: the dots, and the lines to them."""
    name = f"{called(found.exponent)}, panel {i + 1}"
    return name, f"{name}: rays"


def _colour(found, profile):
    return getattr(profile, COLOURS.get(found.exponent, "band"))


def _ink(found, profile):
    return readable(_colour(found, profile), profile.ground, profile.text)


def _axes(values, profile):
    """Return the axes of the values' numbers, without ticks."""
    reach = _reach(values).tolist()
    plain: Part = {"showticklabels": False, "ticks": "", "showline": False}
    axes: Part = {}
    for i, domain in enumerate(COLUMNS):
        axes[f"xaxis{NUMBERS[i]}"] = base.axis(profile, range=reach[0], domain=domain, anchor=f"y{NUMBERS[i]}", **plain)
        axes[f"yaxis{NUMBERS[i]}"] = base.axis(profile, range=reach[1], anchor=f"x{NUMBERS[i]}", **plain)
    return axes


def _reach(values):
    """Return the ranges (2, 2) of both axes: the values and a little room."""
    low, high = values.min(axis=0), values.max(axis=0)
    room = 0.1 * (high - low)
    return np.stack([low - room, high + room], axis=1)


def _ground(axis, profile):
    ends = {"x0": 0, "x1": 1, "y0": 0, "y1": 1, "xref": f"x{axis} domain", "yref": f"y{axis} domain"}
    filled = {"fillcolor": base.shade(profile, profile.band, _GROUND), "line": {"width": 0}}
    return {"type": "rect", "layer": "below", **ends, **filled}


def _names(i, found, profile):
    """Return the words above and below a panel."""
    ink = _ink(found, profile)
    unit = f"is {_OWN}" if base.on_a_wall(profile) else _OWN
    at: Part = {"xref": "paper", "yref": "paper", "x": COLUMNS[i][0], "y": 0, "xanchor": "left", "yanchor": "top"}
    words = _what_it_is(found)
    text = " ".join(words) if base.on_a_wall(profile) else "<br>".join(words)
    below = base.label(f"<b>{text}</b>", profile, align="left", yshift=-0.2 * profile.tick_size, **at)
    return *heads(i, _title(found.exponent), share(found), unit, profile, ink), below


def _title(exponent):
    return NAMED.get(exponent, f"÷ dₖ<sup>{exponent:.4g}</sup>")


def _room_below(profile):
    return round((1.8 if base.on_a_wall(profile) else 3.1) * profile.tick_size)


def _what_it_is(found):
    """Return two lines of text that describe the tokens' outputs."""
    if found.own_share <= _SAME:
        return "nearly the same", "for all"
    if found.max_weight >= _CERTAIN:
        return "nearly one value", "by chance"
    return "a mixture", "of its own"


def _names_of_marks(panels, room, profile):
    """Return the labels of a ring and a dot of the first panel, where there is room beside one.

    The other sides of both marks have empty labels: a drag of the slider can change texts only.
    """
    raw, ink = panels[0], _ink(panels[0], profile)
    low, high = _reach(raw.values[:, :2]).T
    named = []
    for (text, spot), colour in zip(_spots(raw, room), (profile.text, ink), strict=True):
        mark, side = spot or (np.array([0.5, 0.5]), None)
        x, y = (mark * (high - low) + low).tolist()
        for each, anchors in _SIDES.items():
            off = 1.1 * profile.marker_size
            place = {"xref": "x", "yref": "y", "x": x, "y": y, "xshift": off * each[0], "yshift": off * each[1]}
            name = base.label(text if each == side else "", profile, bgcolor=None, **place, **anchors)
            name["font"]["color"] = colour
            named.append(name)
    return named


def _spots(found, room):
    """Return the text of each label, and its spot: the place of a mark, and the side of the mark for the label."""
    low, high = _reach(found.values[:, :2]).T
    rings, dots = ((each[:, :2] - low) / (high - low) for each in (found.values, found.output[:SHOWN]))
    middle = (found.output[:, :2].mean(axis=0) - low) / (high - low)
    rays = [middle * (1 - share) + dots * share for share in np.linspace(0, 0.95, 20)]
    every, spots = np.concatenate([rings, dots, *rays]), []
    for text, marks in (("a value", rings), ("an output", dots)):
        spot = _free_spot(marks, every, len(text), room)
        spots.append((text, spot))
        if spot:
            left, right, bottom, top = _box(spot[0], spot[1], len(text), room)
            every = np.concatenate([every, [[x, (bottom + top) / 2] for x in np.linspace(left, right, 5)]])
    return spots


def _box(mark, side, letters, room):
    """Return the left, right, bottom and top of a label beside a mark."""
    letter, half, off, _ = room
    width = letter * letters
    x, y = mark[0] + side[0] * (off[0] + width / 2), mark[1] + side[1] * (off[1] + half)
    return x - width / 2, x + width / 2, y - half, y + half


def _free_spot(marks, every, letters, room):
    """Return the lowest mark that has a free side, and that side; None if no mark has one."""
    x, y = every.T
    for mark, side in product(marks[np.argsort(marks[:, 1])], _SIDES):
        left, right, bottom, top = _box(mark, side, letters, room)
        if not (0 <= left < right <= 1 and 0 <= bottom < top <= 1):
            continue
        clear_x, clear_y = room[-1]
        near = (x > left - clear_x) & (x < right + clear_x) & (y > bottom - clear_y) & (y < top + clear_y)
        if not (near & (np.abs(every - mark) > 1e-9).any(axis=1)).any():
            return mark, side
    return None


# --- the words -------------------------------------------------------------------------------------------


def share(found: core.DividedOutputs) -> str:
    """Return a token's own share of its output, as text."""
    return small_percent(found.own_share)


def _said(exponent):
    """Return a divisor as text for a sentence."""
    return NAMED.get(exponent, f"exponent {exponent:.4g}")


def _sentence(d_k, panels):
    """Return the sentence on a token's own share with ÷ d_k, and with the middle exponent (raw if that is 0 or 1)."""
    raw, middle, flat = panels
    if d_k == 1:
        return f"At dₖ = 1 no exponent changes anything: {share(raw)} of an output is {_OWN} in all three."
    other = raw if middle.exponent in (0.0, 1.0) else middle
    where = f"At dₖ = {d_k:,}, " if other.exponent in NAMED else ""
    return f"{where}÷ dₖ leaves {share(flat)} of an output to its token; {_said(other.exponent)} leaves {share(other)}."


def _marks(panels):
    """Return marks for the divisors that the sentence names."""
    names = {_said(each.exponent): f"{called(each.exponent)}, panel {i + 1}" for i, each in enumerate(panels)}
    return tuple(Mark(word, (name,)) for word, name in names.items())


def _sure(found, panels, params):
    """Return sentences on the percentages, on the draws they average, and on the predictions."""
    n_draws, n_tokens, n_keys = found.scores.shape
    middle = panels[1]
    of_normal = "" if params.law == "normal" else " It is for normal queries and keys."
    return (
        f"An output mixes the {n_keys} values by its token’s weights. Its own share is 1 − |mean of all outputs|² ÷ "
        "mean |output|²: 0 % where all tokens get the same.",
        f"Each percentage is a mean over {n_draws} draws of {n_tokens} tokens and of values with {core.D_V} numbers. "
        f"The picture is the first draw: {SHOWN} tokens, two of the numbers, rays from the mean of all {n_tokens}.",
        "Predicted: from the squares of the weights, averaged by quadrature, as if the scores of the tokens were "
        f"independent.{of_normal} But tokens share their keys, short or long: at small dₖ their outputs have more in "
        "common.",
        "With many keys and many dimensions the share tends to 1 − exp(−σ²), where σ is dₖ to the power ½ − α. At "
        f"α = {middle.exponent:.4g} this is {percent(middle.limit, 1)}: the limit, no prediction for {n_keys} keys.",
    )


def _checks(panels, expected, n_draws):
    """Return a table of measured shares with their predictions and their limit."""
    half = [student_quantile(n_draws) * each.standard_error for each in panels]
    inside = [abs(each.own_share - at) <= width for each, at, width in zip(panels, expected, half, strict=True)]
    return {
        "scores": [called(each.exponent) for each in panels],
        "a token’s own": [f"{share(each)} ± {number(100 * each.standard_error, 2)} %" for each in panels],
        "predicted": [f"{number(100 * each, 3)} %" for each in expected],
        "in its 95 % band": ["inside" if each else "outside" for each in inside],
        "limit of many keys and dimensions": [f"{number(100 * each.limit, 3)} %" for each in panels],
    }


def _table(panels):
    """Return a table with the place of each ring and each dot, in full precision."""
    parts = [("value", panels[0].values[:, :2])]
    parts += [(f"output, {called(each.exponent)}", each.output[:SHOWN, :2]) for each in dict.fromkeys(panels)]
    return {
        "mark": [name for name, places in parts for _ in places],
        "number in the draw": [i + 1 for _, places in parts for i in range(len(places))],
        "first number": [x for _, places in parts for x in places[:, 0].tolist()],
        "second number": [y for _, places in parts for y in places[:, 1].tolist()],
    }
