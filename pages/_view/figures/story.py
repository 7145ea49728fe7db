"""The story as one picture: three lines from a common point, one to each extreme and one between them."""

from dataclasses import replace

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.figures.spreads import D_TICKS, HIGH, LOOKS, LOW, End, spread_figure
from pages._view.marks import Mark, readable
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, number, percent, small_percent, so_many
from sattn_core import story as core
from sattn_core.laws.saturation import own_share_limit
from sattn_core.story import N_ROWS, NEARLY_ALL

CLAIM = "Why √dₖ, not nothing, not dₖ? Only it keeps σ at 1."
_EDGES = np.geomspace(LOW / 2, 1.5 * HIGH, 65)  # edges of the background's shades, from end to end of the axis
_DARK = 0.3  # share of the text's colour in the darkest shade
_BARS, _BARS_BELOW = (6.5, 3.2), (3.6, 2.0)  # size of the weights' bars, in font sizes: on a window, on a phone
_TOO_SPREAD, _TOO_FLAT = ("one key wins,", "hard to put right"), ("all outputs alike",)
_PAST = -0.075  # left end of the texts at both extremes, in decades of d_k
_SMALL, _LARGE = 1.6, 2.2  # sizes of the marks, and of the mark at the current d_k
_PALE = 0.4  # opacity of a line beyond the current d_k
_ABOUT = 5  # rows: two counts that differ by less are taken as equal
_LEAST = 0.15  # a token's own share of its output; below this all outputs count as nearly equal


def story(name: str, result: core.StoryResult, profile: Profile) -> Picture:
    """Return the picture of the spread of scores between two extremes: rows stuck on a wrong key, and equal outputs.

    name: the picture's key.
    """
    sentence = _sentence(result)
    return Picture(
        name,
        _figure(result, profile),
        sentence,
        {"key": list(range(1, core.N_KEYS + 1))}
        | {name: each.tolist() for name, each in zip(LOOKS, result.weights, strict=True)},
        code(core.tell_story, result.params, show=("result.weights.tolist()", "result.put_right, result.own_share")),
        note=f"Mean weights at dₖ = {result.params.d_k:,}, from the largest of a query to its smallest.",
        bins=_shades(),
        bins_name="the shades",
        alt=f"Three lines start in one point: raw rises into a dark end, ÷ dₖ falls into another, ÷ √dₖ stays in the "
        f"light between them. {sentence}",
        claim=CLAIM,
        marks=[Mark(word, (name,)) for word, name in zip(("raw", *list(LOOKS)[1:]), LOOKS, strict=True)],
        sure=_sure(result),
    )


def _sentence(result):
    """Return a sentence on the lines that have reached an extreme, and on ÷ √d_k if it stays away from both."""
    d_k, (raw, root, _), flat = result.params.d_k, result.put_right, float(result.own_share[2])
    if d_k == 1:
        return "At dₖ = 1 nothing is divided: all three lines start in one point."
    if raw >= root - _ABOUT and flat > _LEAST:
        return f"At dₖ = {d_k:,} all three lie near σ = 1: it matters little, as where numbers start small."
    right, own = so_many(raw, N_ROWS), small_percent(flat)
    said = f"At dₖ = {d_k:,}, raw: {right} can be put right. ÷ dₖ: {own} is a token’s own."
    keeps = root >= NEARLY_ALL and flat <= _LEAST < result.own_share[1]
    return f"{said} ÷ √dₖ avoids both ends." if keeps else said


def _shades():
    """Return the shares that the shades show at each height, as columns of a table."""
    middles = np.sqrt(_EDGES[1:] * _EDGES[:-1])
    columns = (middles, core.uncorrected_share(middles), core.flatness(middles))
    return dict(zip(("spread", "not put right", "not a token’s own"), (each.tolist() for each in columns), strict=True))


def _sure(result):
    share, error = result.own_share, result.standard_error
    kept = [f"{percent(each, 1)} ± {percent(off, 1)}" for each, off in zip(share[:2], error[:2], strict=True)]
    return (
        f"The upper end is recorded: {core.STORY_ROWS} wrong choices among {core.N_KEYS} keys, each spread at the best "
        f"of 19 learning rates. At dₖ = {result.params.d_k:,} raw, {result.put_right[0]} of {N_ROWS} others are "
        f"put right, with 95 % confidence {percent(result.low[0], 0)} to {percent(result.high[0], 0)}.",
        "The lower end is a limit, of many keys and dimensions: a token’s own is 1 − exp(−σ²), shown beside that at "
        "σ = 1.",
        f"Drawn with {core.N_KEYS} keys, raw {kept[0]} of an output is its token’s own, with ÷ √dₖ {kept[1]}, with "
        f"÷ dₖ {number(100 * share[2], 2)} % ± {number(100 * error[2], 1)} %. The limit says "
        f"{', '.join(percent(own_share_limit(float(each)), 1) for each in result.spread)}.",
    )


# --- the figure ------------------------------------------------------------------------------------------


def _figure(result, profile):
    d_k = result.params.d_k
    lines = [each for i, name in enumerate(LOOKS) for each in _line(i, name, d_k, profile)]
    fig = spread_figure(
        profile,
        [*lines, _start(profile)],
        [End(name, does, high, _colour(name, profile)) for name, does, high in _said(result)],
        height=0.95,
    )
    named = fig.layout["annotations"]
    here = _ends_shade(profile)
    if not base.on_a_wall(profile):  # a wall has no room for the bars
        here += [_bars(i, name, named[i]["y"], result, profile) for i, name in enumerate(LOOKS)]
    fig.layout["shapes"] = here
    fig.layout["annotations"] = [*named, *_words(profile), _where(d_k, profile)]
    return fig if base.on_a_wall(profile) else _on_a_phone(fig, named, result, profile)


def _on_a_phone(fig, named, result, profile):
    """Return the figure with a layout for phones: names at the ends of the lines, and the weights below them."""
    short = [each | {"text": each["text"].split("<br>")[0]} for each in named]
    bars = [_bars(i, name, short[i]["y"], result, profile, _BARS_BELOW, 0) for i, name in enumerate(LOOKS)]
    bars = [each for each in fig.layout["shapes"] if each["type"] != "path"] + bars
    margin = fig.layout["margin"] | {"r": round((1 + _BARS_BELOW[0]) * profile.tick_size)}
    return replace(fig, narrow={"margin": margin, "shapes": bars, "annotations": [*short, *_words(profile)]})


def _colour(name, profile):
    return getattr(profile, LOOKS[name][0])


def _said(result):
    """Return each line's name, its result in words, and its height at the right edge."""
    own = [small_percent(float(each)) for each in result.own_share]
    right = [so_many(each, N_ROWS) for each in result.put_right]
    does = (
        (f"{right[0]} of 100 are" if result.put_right[0] < N_ROWS else "all are", "put right"),
        (f"{right[1]} put right,", f"{own[1]} its own"),
        (f"{own[2]} is a", "token’s own"),
    )
    heights = (core.STORY_D_K ** (0.5 - each) for each in core.EXPONENTS)
    return [(name, text, float(height)) for name, text, height in zip(LOOKS, does, heights, strict=True)]


def _ends_shade(profile):
    """Return the shades behind the lines: darker where more rows stay on a wrong key, or outputs are more alike."""
    middles = np.sqrt(_EDGES[1:] * _EDGES[:-1])
    dark = np.maximum(core.uncorrected_share(middles), core.flatness(middles))
    place: Part = {"type": "rect", "xref": "x domain", "x0": 0, "x1": 1, "layer": "below", "line": {"width": 0}}
    return [  # each shade reaches to the top and covers the one before, so that no seams show
        place | {"y0": low, "y1": float(_EDGES[-1]), "fillcolor": base.shade(profile, profile.text, _DARK * each)}
        for low, each in zip(_EDGES[:-1].tolist(), dark.tolist(), strict=True)
    ]


def _line(i, name, d_k, profile):
    """Return a line up to d_k with a large mark there, and its pale part beyond d_k."""
    before, beyond = [each for each in D_TICKS if each < d_k], [each for each in D_TICKS if each > d_k]
    drawn = _marked(i, name, [*before, d_k], [*(_SMALL for _ in before), _LARGE], profile)
    pale = _marked(i, name, [d_k, *beyond], [0, *(_SMALL for _ in beyond)], profile)
    return [pale | {"name": f"{name}, beyond", "opacity": _PALE}, drawn] if beyond else [drawn]


def _marked(i, name, dims, sizes, profile):
    """Return a line through the spreads at these d_k, with a mark of the given size at each."""
    colour, symbol = _colour(name, profile), LOOKS[name][1]
    edge = {"width": profile.line_width / 2, "color": profile.ground}
    size = [each * profile.marker_size for each in sizes]
    marker = {"color": colour, "symbol": symbol, "size": size, "opacity": 1, "line": edge}
    line = base.line(dims, _heights(i, dims), base.solid(profile, colour, 2), name)
    return line | {"mode": "lines+markers", "marker": marker, "cliponaxis": False}


def _heights(i, dims):
    """Return the spreads of the scores that softmax gets at these d_k."""
    return [float(each) ** (0.5 - core.EXPONENTS[i]) for each in dims]


def _start(profile):
    marker = {"color": profile.text, "symbol": "circle", "size": 1.8 * profile.marker_size}
    return {"type": "scatter", "mode": "markers", "x": [1], "y": [1], "marker": marker, "name": "one start"}


def _words(profile):
    """Return the texts at both extremes and between them."""
    place: Part = {"xref": "x", "yref": "paper", "x": _PAST, "xanchor": "left", "align": "left", "bgcolor": None}
    between: Part = {
        "xref": "x",
        "yref": "y",
        "x": 3.1,
        "y": 0,
        "xanchor": "right",
        "yanchor": "bottom",
        "align": "right",
    }
    ink = readable(profile.scaled, profile.ground, profile.text)
    gap = " " if base.on_a_wall(profile) else "<br>"
    said = f'<span style="color: {ink}"><b>open and different,{gap}at every dₖ</b></span>'
    return [
        base.label(_end("too spread", _TOO_SPREAD, profile), profile, y=1, yanchor="top", **place),
        base.label(_end("too flat", _TOO_FLAT, profile), profile, y=0, yanchor="bottom", **place),
        base.label(said, profile, bgcolor=None, yshift=profile.marker_size, **between),
    ]


def _end(name, said, profile):
    """Return the name of an extreme and its consequence; on a wall in one line."""
    if base.on_a_wall(profile):
        return f"<b>{name}:</b> {said[0].removesuffix(',')}"
    return "<br>".join((f"<b>{name}</b>", *said))


def _where(d_k, profile):
    """Return the heading of the labels at the lines' ends: the d_k for which their numbers hold."""
    place: Part = {"xref": "paper", "yref": "paper", "x": 1, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return base.label(f"dₖ = {d_k:,}", profile, xshift=profile.tick_size / 2, yshift=profile.tick_size / 4, **place)


def _bars(i, name, y, result, profile, size=_BARS, lines=2):
    """Return the mean weights as bars below a line's name: one shape in pixels, since the margin has no axes."""
    width, height = (each * profile.tick_size for each in size)
    step, left = width / core.N_KEYS, 0.5 * profile.tick_size
    low = -(0.65 * (profile.axis_size + lines * profile.tick_size)) - height  # below the name and its lines
    tops = [low + max(height * float(each), 1.0) for each in result.weights[i]]
    corners = [
        f"M{left + j * step:.1f},{low:.1f}V{top:.1f}H{left + (j + 0.8) * step:.1f}V{low:.1f}Z"
        for j, top in enumerate(tops)
    ]
    place: Part = {
        "xref": "paper",
        "yref": "paper",
        "xsizemode": "pixel",
        "ysizemode": "pixel",
        "xanchor": 1,
        "yanchor": y,
    }
    return {"type": "path", "path": "".join(corners), "fillcolor": _colour(name, profile), "line": {"width": 0}} | place
