"""The story as one picture: three lines from one point, one into each end and one between them."""

from dataclasses import replace

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.figures.spreads import D_TICKS, HIGH, LOOKS, LOW, End, spread_figure
from pages._view.lessons.recap.declaration import STORY
from pages._view.marks import Mark, readable
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, number, percent
from sattn_core.laws.saturation import own_share_limit
from sattn_core.lessons import recap as core
from sattn_core.lessons.wrong_choice import N_ROWS

CLAIM = "Why √dₖ, not nothing, not dₖ? Only it keeps σ at 1."
ENDS = "the two ends"
_EDGES = np.geomspace(LOW / 2, 1.5 * HIGH, 121)  # of the shades, as far as the axis goes
_DARK = 0.3  # of the text's ink: the darkest shade
_ACROSS = 10**-0.08, 10**3.12
_BARS, _BARS_BELOW = (6.5, 3.2), (3.6, 2.0)  # letters: width and height of the weights at the end of a line; on a phone
_TOO_SPREAD, _TOO_FLAT = ("one key wins", "hard to correct"), ("all outputs alike", "all keys too")
_PAST = -0.075  # decades: where the words at the two ends begin


def story(result: core.StoryResult, profile: Profile) -> Picture:
    """The spread of what softmax gets, over what cannot be corrected and what is the same for every token."""
    sentence = _sentence(result)
    return Picture(
        STORY,
        _figure(result, profile),
        sentence,
        {"key": list(range(1, core.N_KEYS + 1))}
        | {name: each.tolist() for name, each in zip(LOOKS, result.weights, strict=True)},
        code(core.tell_story, result.seed, show=("result.weights.tolist()", "result.corrected, result.own_share")),
        note=f"Mean weights at dₖ = {core.STORY_D_K:,}, from the largest of a query to its smallest.",
        bins=_shades(),
        bins_name="the shades",
        alt=f"Three lines start in one point: raw rises into a dark end, ÷ dₖ falls into another, ÷ √dₖ stays in the "
        f"light between them. {sentence}",
        claim=CLAIM,
        marks=[Mark(word, (name,)) for word, name in zip(("Raw", *list(LOOKS)[1:]), LOOKS, strict=True)],
        sure=_sure(result),
    )


def _sentence(result):
    return (
        f"Raw at the largest dₖ: {result.corrected[0]} of 100 can be corrected. ÷ dₖ: "
        f"{percent(result.own_share[2], 1)} is a token’s own. ÷ √dₖ keeps both."
    )


def _shades():
    """Return how dark each height is, with what says so."""
    middles = np.sqrt(_EDGES[1:] * _EDGES[:-1])
    columns = (middles, core.uncorrected_share(middles), core.flatness(middles))
    return dict(zip(("spread", "not corrected", "not a token’s own"), (each.tolist() for each in columns), strict=True))


def _sure(result):
    share, error = result.own_share, result.standard_error
    kept = [f"{percent(each, 1)} ± {percent(off, 1)}" for each, off in zip(share[:2], error[:2], strict=True)]
    return (
        f"The upper end is recorded: {core.STORY_ROWS} wrong choices among {core.N_KEYS} keys, each spread at the best "
        f"of 19 learning rates. At dₖ = {core.STORY_D_K:,} raw, {result.corrected[0]} of {N_ROWS} others are put "
        f"right, with 95 % confidence {percent(result.low[0], 0)} to {percent(result.high[0], 0)}.",
        "The lower end is a limit, of many keys and dimensions: a token’s own is 1 − exp(−σ²), shown beside that at "
        "σ = 1.",
        f"Drawn with {core.N_KEYS} keys, raw {kept[0]} of an output is its token’s own, with ÷ √dₖ {kept[1]}, with "
        f"÷ dₖ {number(100 * share[2], 2)} % ± {number(100 * error[2], 1)} %. The limit says "
        f"{', '.join(percent(own_share_limit(float(each)), 1) for each in result.spread)}.",
    )


# --- the figure ------------------------------------------------------------------------------------------


def _figure(result, profile):
    fig = spread_figure(
        profile,
        [_ends_shade(profile), *(_line(i, name, profile) for i, name in enumerate(LOOKS)), _start(profile)],
        [End(name, does, high, _colour(name, profile)) for name, does, high in _said(result)],
        height=0.95,
    )
    named = fig.layout["annotations"]
    if not base.on_a_wall(profile):  # which has no room for them
        fig.layout["shapes"] = [_bars(i, name, named[i]["y"], result, profile) for i, name in enumerate(LOOKS)]
    fig.layout["annotations"] = [*named, *_words(profile), _where(profile)]
    return fig if base.on_a_wall(profile) else _on_a_phone(fig, named, result, profile)


def _on_a_phone(fig, named, result, profile):
    """The figure with a plot as wide as a phone has room for: at the ends stand names, and the weights below them."""
    short = [each | {"text": each["text"].split("<br>")[0]} for each in named]
    bars = [_bars(i, name, short[i]["y"], result, profile, _BARS_BELOW, 0) for i, name in enumerate(LOOKS)]
    margin = fig.layout["margin"] | {"r": round((1 + _BARS_BELOW[0]) * profile.tick_size)}
    return replace(fig, narrow={"margin": margin, "shapes": bars, "annotations": [*short, *_words(profile)]})


def _colour(name, profile):
    return getattr(profile, LOOKS[name][0])


def _said(result):
    """Each line's name, what becomes of it, and its height."""
    own = [percent(each, 1 if each < 0.01 else 0) for each in result.own_share]
    does = (
        (f"{result.corrected[0]} of 100 are", "corrected"),
        (f"{_so_many(result.corrected[1])} corrected,", f"{own[1]} its own"),
        (f"{own[2]} is a", "token’s own"),
    )
    return [(name, text, float(height)) for name, text, height in zip(LOOKS, does, result.spread, strict=True)]


def _so_many(count: int) -> str:
    """Return a count of the rows in a word."""
    return "all" if count == N_ROWS else str(count)


def _ends_shade(profile):
    """The darker, the fewer can be corrected, or the less is a token's own."""
    middles = np.sqrt(_EDGES[1:] * _EDGES[:-1])
    dark = np.maximum(core.uncorrected_share(middles), core.flatness(middles))
    return {
        "type": "heatmap",
        "x": [*_ACROSS],
        "y": _EDGES.tolist(),
        "z": dark[:, None].tolist(),
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, profile.ground], [1, base.shade(profile, profile.text, _DARK)]],
        "showscale": False,
        "hoverinfo": "skip",
        "name": ENDS,
    }


def _line(i, name, profile):
    colour, symbol = _colour(name, profile), LOOKS[name][1]
    heights = [float(each) ** (0.5 - core.EXPONENTS[i]) for each in D_TICKS]
    edge = {"width": profile.line_width / 2, "color": profile.ground}
    marker = {"color": colour, "symbol": symbol, "size": 1.6 * profile.marker_size, "line": edge}
    line = base.line(list(D_TICKS), heights, base.solid(profile, colour, 2), name)
    return line | {"mode": "lines+markers", "marker": marker, "cliponaxis": False}


def _start(profile):
    marker = {"color": profile.text, "symbol": "circle", "size": 1.8 * profile.marker_size}
    return {"type": "scatter", "mode": "markers", "x": [1], "y": [1], "marker": marker, "name": "one start"}


def _words(profile):
    """Return what each end is, and what is between them."""
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
        base.label(_end("too spread", *_TOO_SPREAD, profile), profile, y=1, yanchor="top", **place),
        base.label(_end("too flat", *_TOO_FLAT, profile), profile, y=0, yanchor="bottom", **place),
        base.label(said, profile, bgcolor=None, yshift=profile.marker_size, **between),
    ]


def _end(name, first, then, profile):
    """The name of an end and what is so there; a wall has room for one line."""
    return f"<b>{name}:</b> {first}" if base.on_a_wall(profile) else f"<b>{name}</b><br>{first},<br>{then}"


def _where(profile):
    """The size at which the lines end, above what stands there."""
    place: Part = {"xref": "paper", "yref": "paper", "x": 1, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return base.label(
        f"dₖ = {core.STORY_D_K:,}", profile, xshift=profile.tick_size / 2, yshift=profile.tick_size / 4, **place
    )


def _bars(i, name, y, result, profile, size=_BARS, lines=2):
    """The mean weights of a line's end, below its name: one outline, in pixels, since the margin has no axes."""
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
