"""Pictures of the few_bits lesson: the rounding errors of scores, their effect at every dₖ, and a large sum."""

import math
from operator import itemgetter

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.figures.ends import apart
from pages._view.figures.tables import columns_of
from pages._view.marks import Mark
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, number, percent, typed
from sattn_core.lessons import few_bits as core

RAW, SCALED = range(2)  # indices of the raw and of the scaled scores
SHOWN_ROWS = 9
CALLED = {"float16": "float16", "bfloat16": "bfloat16", "float8_e4m3fn": "float8"}
UPRIGHTS = "<b>Score off by</b>", "<b>Weight changes by</b>"
_SIDES = ("raw", "scaled")
_SYMBOLS = ("circle", "square")
_SIZES, _ERRORS = (-2.0, 2.5), (-6.0, 3.0)  # axis ranges in log10, for components of size 1
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_UNDER = 0.3  # distance of overflow marks from the axis's top, in log10
_TOO_FAR = 4  # log10 of the first error whose tick has no factor: the factor would be too large
_CHANGES = (-4.5, 1.8)  # axis range of the curves in log10, for components of size 1
_UNDER_THE_TOP = (0.2, 0.55)  # distances of raw and scaled overflow marks from the curves' top, in log10
_LONG = 1000  # a larger factor is not written in full
_WITHIN = 1.96  # standard errors on both sides that hold 95 % of all draws
_ROOM = 40  # letters per title line on a phone
_DIM_ENDS, _SUM_ENDS = (-0.1, 3.1), (1.0, 7.0)  # axis ranges of the sums in log10
_STEP = 64.0  # a number whose distance to the next one is given under "How sure?"
_BITS_AT = 64  # the dₖ at which "How sure?" says how much a bit is worth
_ABOVE, _ABOVE_ON_A_WALL = 3.0, 2.1  # top margin for the axis titles; on a screen the camera button is above them
_LEFT, _RIGHT = 3.2, 3.4  # margins for tick labels, in em of an axis title
_PHONE, _WALL = (215, 220), (1500, 300)  # width and height of the clouds' smallest plot, in pixels
_LETTER, _LINE = 0.56, 1.5  # width and height of a letter, as shares of its size
_END = 5.2  # right margin for the sums' labels, in em of a tick label


# --- scores ----------------------------------------------------------------------------------------------


def errors(result: core.FewBitsResult, profile: Profile, predicted: tuple[float, float] | None = None) -> Picture:
    """Return the picture of each score's rounding error against its size. predicted: errors for "How sure?", if any."""
    return Picture(
        "rounded_scores",
        _errors_figure(result, profile),
        _errors_sentence(result),
        _errors_table(result),
        code(core.measure_few_bits, result.params, show="result.raw.change, result.scaled.change"),
        note=f"The scores of the first {SHOWN_ROWS} of {core.N_ROWS} rows, beside those of float64 "
        "from the same q and k.",
        alt=_errors_alt(result),
        sure=() if predicted is None else _errors_sure(result, predicted),
        marks=(Mark("without the scale", ("raw",)), Mark("with it", ("scaled",))),
    )


def _errors_figure(result, profile):
    """Return raw and scaled errors as clouds of dots, half the format's spacing as steps, and overflows at the top."""
    params = result.params
    moved = 2 * math.log10(params.size)
    left, right = _SIZES[0] + moved, _SIZES[1] + moved
    clouds = [_cloud(result, side, profile) for side in (SCALED, RAW)]
    traces = [
        _steps(params, (left, right), profile),
        *(_lost(result, side, profile) for side in (SCALED, RAW)),
        *clouds,
    ]
    fig = base.figure(
        profile,
        traces,
        left=_LEFT,
        xaxis=base.axis(profile, "size of a score", range=[left, right], **_powers(left, right)),
        **_error_axes(moved, profile),
        shapes=_limits(params, right, profile),
        annotations=[*_uprights(profile), *_names(result, traces, (left, right), profile)],
    )
    above = _ABOVE_ON_A_WALL if base.on_a_wall(profile) else _ABOVE
    fig.layout["margin"] |= {"t": round(above * profile.axis_size), "r": round(_RIGHT * profile.axis_size)}
    return fig


def _uprights(profile):
    """Return the titles of both y axes, above the axes."""
    place: Part = {"xref": "paper", "yref": "paper", "y": 1, "yanchor": "bottom", "bgcolor": None, "borderpad": 0}
    over = round(0.7 * profile.tick_size)  # clear of the top ticks
    ends = (UPRIGHTS[0], "left", 0, -_LEFT), (UPRIGHTS[1], "right", 1, _RIGHT)
    return [
        base.label(text, profile, x=x, xanchor=side, xshift=round(off * profile.axis_size), yshift=over, **place)
        for text, side, x, off in ends
    ]


def _error_axes(moved, profile):
    """Return two y axes: a score's error and, on the right-hand side, the factor by which it changes a weight."""
    ends = [each + moved for each in _ERRORS]
    powers = [power for power in range(math.ceil(ends[0]), math.floor(ends[1]) + 1) if power % 2 == 0]
    left = ["0" if power <= ends[0] else _power_of_ten(power) for power in powers]
    right = [change(10.0**power) if ends[0] < power < _TOO_FAR else "" for power in powers]
    common = {"range": ends, "tickvals": powers}
    return {
        "yaxis": base.axis(profile, grid=True, ticktext=left, **common),
        "yaxis2": base.axis(profile, ticktext=right, overlaying="y", side="right", **common),
    }


def _powers(low, high):
    powers = [power for power in range(math.ceil(low), math.floor(high) + 1)]
    return {"tickvals": powers, "ticktext": [_power_of_ten(power) for power in powers]}


def _power_of_ten(power):
    return f"{10.0**power:,.{max(0, -power)}f}" if -4 <= power < 6 else f"10<sup>{power}</sup>".replace("-", "−")


def change(off: float) -> str:
    """Return, as text, the factor by which a weight changes if the difference of two scores has this error."""
    factor = math.exp(min(off, 700.0))
    if factor < 2:
        return f"{100 * math.expm1(off):.2g} %"
    return f"× {number(factor, 2)}" if factor < _LONG else f"× 10<sup>{off / math.log(10):.0f}</sup>"


def _drawn(result, side):
    """Return sizes and errors of the scores in the picture, flattened; the error is NaN if a score overflows."""
    one = getattr(result, _SIDES[side])
    exact, found = one.exact[:SHOWN_ROWS].ravel(), one.found[:SHOWN_ROWS].ravel()
    return np.abs(exact), np.abs(np.where(np.isfinite(found), found, np.nan) - exact)


def _on_axes(sizes, off, params):
    """Return log10 of sizes and errors, clipped to the axes; an error of 0 is drawn at the lower end."""
    moved = 2 * math.log10(params.size)
    low, high = (10.0 ** (each + moved) for each in (_SIZES[0], _SIZES[1]))
    floor, top = (10.0 ** (each + moved) for each in _ERRORS)
    return np.log10(np.clip(sizes, low, high)), np.log10(np.clip(off, floor, top))


def _cloud(result, side, profile):
    sizes, off = _drawn(result, side)
    kept = ~np.isnan(off)
    x, y = _on_axes(sizes[kept], off[kept], result.params)
    return _dots(x, y, side, _SIDES[side], profile) | ({"yaxis": "y2"} if side == SCALED else {})


def _dots(x, y, side, name, profile, symbol=None):
    colour = (profile.raw, profile.scaled)[side]
    marker = {"size": 0.75 * profile.marker_size, "symbol": symbol or _SYMBOLS[side], "color": colour, "opacity": 0.75}
    return base.line(x, y, {}, name) | {"mode": "markers", "marker": marker, "hoverinfo": "skip"}


def _lost(result, side, profile):
    """Return marks at the top for scores that overflow, at their size in float64."""
    sizes, off = _drawn(result, side)
    x, _ = _on_axes(sizes[np.isnan(off)], 1.0, result.params)
    y = np.full(x.size, _ERRORS[1] + 2 * math.log10(result.params.size) - _UNDER)
    return _dots(x, y, side, f"overflow, {_SIDES[side]}", profile, "x")


def _steps(params, ends, profile):
    """Return half the spacing between numbers of the format, from one power of two to the next."""
    powers = 2.0 ** np.arange(math.floor(ends[0] / math.log10(2)), math.ceil(ends[1] / math.log10(2)) + 1)
    x = np.clip(np.log10(powers), *ends)
    style = base.dashed(profile) | {"shape": "hv"}
    return base.line(x, np.log10(params.to.spacing(powers) / 2), style, "half the spacing, exact") | {
        "hoverinfo": "skip"
    }


def _limits(params, right, profile):
    """Return a line at the format's largest number, if the axis reaches it."""
    largest = math.log10(params.to.largest)
    return [base.upright(largest, base.dotted(profile))] if largest < right else []


def _names(result, traces, ends, profile):
    """Return the labels of both clouds, the steps, the largest number and the overflow."""
    clouds = [_cloud_name(result, side, traces, profile) for side in (RAW, SCALED)]
    top, lost = _ERRORS[1] + 2 * math.log10(result.params.size), np.concatenate([each["x"] for each in traces[1:3]])
    limit = _limit_name(result.params, ends[1], lost.size, profile)
    corner = ends[1], top
    return [
        *clouds,
        _steps_name(traces, clouds[0], corner, profile) | ({"text": ""} if limit["text"] else {}),
        limit,
        _overflow_name(lost, corner, profile),
    ]


def _in_decades(text, size, profile):
    """Return a label's width and height in decades of the axes, for the smallest plot of the clouds."""
    across, up = _WALL if base.on_a_wall(profile) else _PHONE
    width, height = _LETTER * size * len(text) / across, _LINE * size / up
    return width * (_SIZES[1] - _SIZES[0]), height * (_ERRORS[1] - _ERRORS[0])


def _highest(traces, low, high):
    """Return the height of the highest step or dot between two sizes."""
    steps, *dots = traces
    at = np.searchsorted(steps["x"], high, side="right") - 1
    within = [each["y"][(each["x"] >= low) & (each["x"] <= high)] for each in dots]
    return max([float(steps["y"][at]), *(float(y.max()) for y in within if y.size)])


def _cloud_name(result, side, traces, profile):
    """Return the label of a cloud, above its dots: raw to the right of the cloud's middle, scaled to the left."""
    name, size = ("raw", "÷ √dₖ")[side], profile.axis_size
    sizes, _ = _drawn(result, side)
    x = float(_on_axes(np.exp(np.log(np.maximum(sizes, 1e-9)).mean()), 1.0, result.params)[0])
    width, _ = _in_decades(f"{name}  ", size, profile)
    y = _highest(_below_the_top(traces), *((x, x + width) if side == RAW else (x - width, x)))
    place: Part = {"x": x, "xanchor": ("left", "right")[side], "xshift": (6, -6)[side], "y": y, "yanchor": "bottom"}
    return _coloured(name, side, profile, size=size, **place)


def _below_the_top(traces):
    """Return the steps and the clouds, without the overflow marks at the top."""
    steps, _, _, *clouds = traces
    return [steps, *clouds]


def _coloured(text, side, profile, **place):
    """Return a label in the colour of raw or of scaled."""
    return base.label(text, profile, colour=(profile.raw, profile.scaled)[side], bgcolor=None, **place)


def _steps_name(traces, raw, corner, profile):
    """Return the label of the steps above their right end, and above the raw cloud's label if the two would overlap."""
    text, (right, top) = "half the spacing", corner
    width, height = _in_decades(text, profile.tick_size, profile)
    y = _highest(_below_the_top(traces), right - width, right)
    across, up = _in_decades("raw  ", profile.axis_size, profile)
    if raw["x"] + across > right - width:
        y = max(y, raw["y"] + up)
    place: Part = {"x": right, "xanchor": "right", "y": y, "yanchor": "bottom"}
    return base.label(text if y + height < top else "", profile, bgcolor=None, **place)


def _limit_name(params, right, lost, profile):
    """Return the label of the largest number, left of its line and below the overflow label; empty beyond the axis."""
    x, below = math.log10(params.to.largest), "\u00a0<br>" if lost else ""
    between = " " if base.on_a_wall(profile) else "<br>"
    text = f"{below}largest{between}{params.to.largest:,.0f}" if x < right else ""
    place: Part = {"x": min(x, right), "xanchor": "right", "xshift": -4, "yref": "paper", "y": 1, "yanchor": "top"}
    return base.label(text, profile, align="right", bgcolor=None, **place)


def _overflow_name(lost, corner, profile):
    """Return the label of the overflow crosses, to the left of the first one."""
    x, y = (float(lost.min()), corner[1] - _UNDER) if lost.size else corner
    place: Part = {"x": x, "xanchor": "right", "xshift": -profile.marker_size, "y": y, "yanchor": "middle"}
    return base.label("overflow" if lost.size else "", profile, bgcolor=None, **place)


def _errors_sentence(result):
    """Return the sentence: how much a weight changes, raw and scaled, or how many rows overflow."""
    start, raw, scaled = f"At dₖ = {result.params.d_k:,}", *(_lost_rows(result, side) for side in _SIDES)
    if raw == core.N_ROWS and scaled == core.N_ROWS:
        return f"{start} a score overflows in every row, divided or not: no weight is left."
    if raw:
        return (
            f"{start} a score overflows in {_rows(raw)} without the scale. {_what_dividing_saves(result, raw, scaled)}"
        )
    if scaled:
        return f"{start} a score overflows in {_rows(scaled)} with the scale, and in none without it."
    changes = [_in_words(getattr(result, side).change[0]) for side in _SIDES]
    if changes[0] == changes[1]:
        return f"{start} rounding typically changes a weight by {changes[0]}, with the scale or without it."
    return (
        f"{start} rounding typically changes a weight by {changes[0]} without the scale, and by {changes[1]} with it."
    )


def _what_dividing_saves(result, raw, scaled):
    """Return a sentence on rows that overflow: dividing their scores comes too late, dividing q first may help."""
    if result.params.order == "before":
        how_many = "none does" if not scaled else "as many do" if scaled == raw else "fewer do"
        return f"With q divided before, {how_many if scaled <= raw else 'more do'}."
    return "Divided after that, they stay lost."


def _lost_rows(result, side):
    return int(getattr(result, side).lost.sum())


def _rows(count):
    return "every row" if count == core.N_ROWS else f"{count} of {core.N_ROWS} rows"


def _in_words(off):
    """Return the factor by which a weight changes, worded for a sentence."""
    factor = math.exp(min(off, 700.0))
    if factor < 2:
        return f"{number(100 * math.expm1(off), 2)} %"
    return f"a factor of {number(factor, 2)}" if factor < _LONG else f"a factor over {_LONG:,}"


def _errors_alt(result):
    """Return the picture's text alternative, for people who cannot see it."""
    off = [_drawn(result, side)[1] for side in (RAW, SCALED)]
    raw, scaled = (number(np.nanmedian(each), 2) if (each >= 0).any() else "infinity" for each in off)
    return (
        f"{_errors_sentence(result)} Two clouds of dots, one dot a score, by its size and by how far rounding to "
        f"{CALLED[result.params.format]} puts it off: half of the raw scores by more than {raw}, half of "
        f"the scaled ones by more than {scaled}."
    )


def _errors_sure(result, predicted):
    """Return sentences on the scores' errors and their predictions, the weights' changes, and the measurement."""
    params, name = result.params, CALLED[result.params.format]
    gap = float(params.to.spacing(_STEP))
    lost = [_lost_rows(result, side) for side in _SIDES]
    gone = [f"{lost[0]} raw and {lost[1]} scaled rows have a score that overflows; the means are over the others."]
    return (
        f"Each of {core.N_ROWS} rows has a query and {core.N_KEYS} keys of its own, numbers of {name}. A larger dₖ "
        "appends components to them. float64 takes the same numbers.",
        *(gone if any(lost) else ()),
        *(
            _side_sure(result, side, math.nan if lost[side] else predicted[side])
            for side in (RAW, SCALED)
            if lost[side] < core.N_ROWS
        ),
        f"Between 64 and 128 the numbers of {name} lie {typed(gap)} apart. Rounded once, a score there is off by at "
        f"most {typed(gap / 2)}, and the difference of two scores, neither larger, by at most {typed(gap)}: one weight "
        f"over the other changes by at most {_factor(gap)}.",
        _farthest_sure(result),
    )


def _farthest_sure(result):
    """Return a sentence on the largest errors of this draw's scores."""
    raw, scaled = (number(float(np.nanmax(each, initial=0.0)), 2) for each in (_off(result, side) for side in _SIDES))
    sums = "32 bits" if result.params.sums == "float32" else CALLED[result.params.format]
    return f"In this draw, added up in {sums}, the farthest raw score is off by {raw}, the farthest scaled by {scaled}."


def _off(result, side):
    """Return the error of each score; NaN where it overflows."""
    one = getattr(result, side)
    return np.abs(np.where(np.isfinite(one.found), one.found, np.nan) - one.exact)


def _factor(off):
    return f"e to the power {typed(off)}, {number(math.exp(off))}"


def _side_sure(result, side, predicted):
    """Return sentences on raw or scaled scores: their error, the weights' change, and the weight on wrong keys."""
    one, what = getattr(result, _SIDES[side]), ("Raw", "Scaled")[side]
    found, error = math.sqrt(one.mean_square[0]), one.mean_square[1] / (2 * math.sqrt(one.mean_square[0] or 1.0))
    z = (found - predicted) / error if error else math.nan
    beside = "No formula says here what to expect." if math.isnan(predicted) else f"Predicted: {number(predicted)}."
    if not math.isnan(z):
        beside += (
            f" The difference is {number(z, 2)} standard errors, {'in' if abs(z) < _WITHIN else 'out'}side ± {_WITHIN}."
        )
    return (
        f"{what} scores are off by {number(found)} ± {number(error, 2)} (root mean square). {beside} The logarithm of "
        f"a weight is off by {number(one.change[0])} ± {number(one.change[1], 2)} on average, and {_moved(one)} of a "
        "row’s weight stands on other keys than it should."
    )


def _moved(one):
    return f"{number(100 * one.moved[0], 2)} ± {number(100 * one.moved[1], 2)} %"


def _errors_table(result):
    """Return a table of the scores in the picture, in full precision."""
    columns = {}
    for name in _SIDES:
        one = getattr(result, name)
        columns[f"{name}, float64"] = one.exact[:SHOWN_ROWS].ravel().tolist()
        columns[f"{name}, rounded"] = one.found[:SHOWN_ROWS].ravel().tolist()
    row, key = np.divmod(np.arange(SHOWN_ROWS * core.N_KEYS), core.N_KEYS)
    return {"row": (row + 1).tolist(), "key": (key + 1).tolist(), **columns}


# --- curves ----------------------------------------------------------------------------------------------


def curves(found: core.FewBitsCurves, params: core.FewBitsParams, profile: Profile) -> Picture:
    """Return the picture of a weight's change by dₖ, for each format, raw and scaled. params: of the first step."""
    return Picture(
        "few_bits_curves",
        _curves_figure(found, params, profile),
        _curves_sentence(found, params),
        _curves_table(found),
        code(core.few_bits_curves, found.dims, found.params, show="result.change"),
        sure=(f"{_curves_claim(found, params)}.", *_curves_sure(found)),
    )


def _curves_figure(found, params, profile):
    moved = 2 * math.log10(params.size)
    ends = [each + moved for each in _CHANGES]
    powers = [power for power in range(math.ceil(ends[0]), _TOO_FAR) if power % 2 == 0 and power <= ends[1]]
    ticks = {"range": ends, "tickvals": powers, "ticktext": [change(10.0**each) for each in powers]}
    wide = {name: 1.8 if name == params.format else 0.8 for name in core.FORMATS}
    traces = [trace for i, name in enumerate(core.FORMATS) for side in (SCALED, RAW)
              for trace in _curve(found, i, side, wide[name], ends[1], profile)]  # fmt: skip
    dims = {"tickvals": np.log10(_D_TICKS), "ticktext": [f"{each:,}" for each in _D_TICKS], "range": [-1.3, 3.1]}
    fig = base.figure(
        profile,
        traces,
        height=0.9,
        left=4.6,
        title=base.title("<b>A weight changes by</b>", profile, size=profile.axis_size),
        xaxis=base.axis(profile, "dₖ", **dims),
        yaxis=base.axis(profile, grid=True, **ticks),
        shapes=[base.upright(math.log10(params.d_k), base.thin(profile))],
    )
    fig.layout["margin"]["r"] = round(_LETTER * 6 * profile.tick_size + profile.marker_size)
    lost = _lost_name(traces, ends[1], profile)
    fig.layout["annotations"] = [*_format_names(found, fig, ends, profile), *_side_names(found, profile), lost]
    return fig


def _lost_name(traces, top, profile):
    """Return the label of the crosses, left of the highest one; empty if no row overflows."""
    crosses = [(each["y"].max(), each) for each in traces if each["name"].startswith("overflow") and np.size(each["x"])]
    y, highest = max(crosses, key=itemgetter(0), default=(top, None))
    x = 0.0 if highest is None else highest["x"][int(np.argmax(highest["y"]))]
    side = "middle" if y > top - 1 else "bottom"
    place: Part = {"x": float(x), "xanchor": "right", "xshift": -profile.marker_size, "y": float(y), "yanchor": side}
    return base.label("" if highest is None else "overflow", profile, bgcolor=None, **place)


def _curve(found, i, side, width, top, profile):
    """Yield the traces of one format: the mean change in log10 with its standard error, and crosses at overflows."""
    mean, error, lost = (each[i, side] for each in (found.change, found.standard_error, found.lost > 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(mean > 0, np.log10(mean), np.nan)
        above, below = np.log10(1 + error / mean), -np.log10(np.maximum(1 - error / mean, 0.1))
    colour, name = (profile.raw, profile.scaled)[side], f"{_SIDES[side]}, {CALLED[core.FORMATS[i]]}"
    x, whole = np.log10(found.dims), np.where(lost, np.nan, y)
    yield base.line(x, y, base.solid(profile, colour, width), f"{name}, line")
    yield base.points(profile, colour, _SYMBOLS[side], x, whole, above, below, name)
    crosses = np.where(np.isnan(y), top - _UNDER_THE_TOP[side], y)[lost]
    marker = {"symbol": "x", "color": colour, "size": 1.5 * profile.marker_size}
    yield base.line(x[lost], crosses, {}, f"overflow, {name}") | {"mode": "markers", "marker": marker}


def _format_names(found, fig, ends, profile):
    """Return the label of each format, left of its first point, without overlaps."""
    starts = {i: math.log10(each) for i, each in enumerate(found.change[:, RAW, 0]) if each > 0}
    margin = fig.layout["margin"]
    gap = 1.3 * profile.tick_size * (ends[1] - ends[0]) / (fig.layout["height"] - margin["t"] - margin["b"])
    heights = apart([*starts.values()], gap, ends[1]) if starts else ()
    place = {"xanchor": "right", "x": 0.0, "xshift": -profile.marker_size, "bgcolor": None}
    return [
        base.label(CALLED[core.FORMATS[i]], profile, y=float(y), **place) for i, y in zip(starts, heights, strict=True)
    ]


def _side_names(found, profile):
    """Yield the labels of raw and scaled, beside the outermost curve that reaches the largest dₖ."""
    for side, formats in ((RAW, (2, 1, 0)), (SCALED, (0, 1, 2))):
        last = next((end for i in formats if (end := found.change[i, side, -1]) > 0), None)
        if last is not None:
            place = {"xanchor": "left", "x": math.log10(found.dims[-1]), "xshift": profile.marker_size}
            yield _coloured(("raw", "÷ √dₖ")[side], side, profile, y=math.log10(last), **place)


def _growth(found, i, side):
    """Return the ratio of the last mean to the first."""
    first, last = found.change[i, side, [0, -1]]
    return float(last / first)


def _curves_claim(found, params):
    """Return the claim that the curves support for the chosen format."""
    raw, scaled = (found.lost[core.FORMATS.index(params.format), side, -1] for side in (RAW, SCALED))
    if scaled:
        late = params.order == "after"
        return (
            "Where raw scores overflow, dividing them comes too late" if late else "What overflows has no weight left"
        )
    if raw:
        return "Where raw scores overflow, dividing q first saves the weights"
    if _growth(found, core.FORMATS.index(params.format), SCALED) < 3:
        return "Without the scale, weights change ever more; with it, they do not"
    return "Added up in few bits, even scaled scores get worse"


def _curves_sentence(found, params):
    """Return the sentence: how the change grows with dₖ in the chosen format, or how many of its rows overflow."""
    i = core.FORMATS.index(params.format)
    if found.lost[i, :, -1].any():
        raw, scaled = (percent(share, 0) for share in found.lost[i, :, -1])
        return (
            f"At dₖ = {found.dims[-1]:,}, {raw} of the rows of the chosen format (wide lines) overflow without the "
            f"scale, and {scaled} with it."
        )
    raw, scaled = (_times(_growth(found, i, side)) for side in (RAW, SCALED))
    return (
        f"Up to dₖ = {found.dims[-1]:,} the change (wide lines) becomes {raw} times as large without the scale, and "
        f"{scaled} times with it."
    )


def _times(factor):
    """Return a factor with two significant digits, even if it is large."""
    return number(float(f"{factor:.1e}"), 2)


def _curves_sure(found):
    """Return sentences on the points, on the worth of a bit, and on rows that overflow."""
    lost = [
        f"In {CALLED[name]}, {percent(share, 0)} of the rows overflow at dₖ = {found.dims[-1]:,} "
        f"{('without', 'with')[side]} the scale; points are means over those that do not."
        for i, name in enumerate(core.FORMATS)
        for side, share in enumerate(found.lost[i, :, -1])
        if share
    ]
    return (
        f"Each point is a mean over {core.N_ROWS} rows of {core.N_KEYS} keys; its bar is ± 1 standard error. The rows "
        "are those of the first step, at every dₖ with more components.",
        "float16 has three bits more than bfloat16, and that four more than float8: a factor of 8 and of 16 is "
        "expected between their lines.",
        *_bits_sure(found),
        *lost,
    )


def _bits_sure(found):
    """Yield sentences on the worth of bits and of the scale at one dₖ; none if rows overflow there."""
    at = found.dims.index(_BITS_AT) if _BITS_AT in found.dims else len(found.dims) - 1
    (few, more, fewest), shown = found.change[:, :, at], f"At dₖ = {found.dims[at]:,}"
    if found.lost[:, :, at].any() or not found.change[:, :, at].all():
        return
    ratios = (number(float(each), 2) for each in (more[RAW] / few[RAW], fewest[RAW] / more[RAW]))
    yield f"{shown} the raw lines lie a factor of {' and of '.join(ratios)} apart."
    worth = sorted(float(each[RAW] / each[SCALED]) for each in (few, more, fewest))
    low, high = (number(each, 2) for each in (worth[0], worth[-1]))
    bits = " to ".join(dict.fromkeys(f"{math.log2(each):.1f}" for each in (worth[0], worth[-1])))
    factor = low if low == high else f"{low} to {high}"
    yield f"{shown} the scale makes the change of a weight {factor} times smaller, as {bits} bits more would."


def _curves_table(found):
    names = [f"{side}, {CALLED[name]}" for name in core.FORMATS for side in _SIDES]
    fields = {"change": found.change, "standard error": found.standard_error, "rows lost": found.lost}
    return {"d_k": list(found.dims)} | columns_of(names, fields)


# --- a large sum -----------------------------------------------------------------------------------------


def large(found: core.LargeSum, profile: Profile) -> Picture:
    """Return the picture of the running sum of dₖ products 40 · 40, and of the one with q divided first."""
    return Picture(
        "large_sum",
        _large_figure(found, profile),
        _large_sentence(found),
        {
            "product": list(range(1, found.d_k + 1)),
            "sum": found.raw.tolist(),
            "sum with q divided first": found.divided.tolist(),
        },
        code(core.large_sum, found.d_k, found.to.name, found.sums, show="result.after, result.before, result.exact"),
        sure=_large_sure(found),
        marks=(Mark("The sum", ("raw",)), Mark("q divided first", ("scaled",))),
    )


def _large_figure(found, profile):
    """Return both sums on log–log axes, where they rise in straight lines, and the format's largest number."""
    largest, size = math.log10(found.to.largest), profile.axis_size
    dims = {"tickvals": np.log10(_D_TICKS), "ticktext": [f"{each:,}" for each in _D_TICKS], "range": list(_DIM_ENDS)}
    texts = ["100", "10,000", _whole(found.to.largest), "1,000,000"]
    ticks = {"tickvals": [2, 4, largest, 6], "ticktext": texts, "range": list(_SUM_ENDS)}
    sums = [trace for side in (RAW, SCALED) for trace in _sum(found, side, profile)]
    fig = base.figure(
        profile,
        [*sums, base.line(_DIM_ENDS, [largest] * 2, base.dotted(profile), "largest number")],
        left=5.0,
        title=base.title(f"<b>40 · 40, added up for {CALLED[found.to.name]}</b>", profile, size=size, letters=_ROOM),
        xaxis=base.axis(profile, "products", **dims),
        yaxis=base.axis(profile, grid=True, **ticks),
        annotations=[*(_sum_name(found, side, profile) for side in (RAW, SCALED)), _largest_name(largest, profile)],
    )
    fig.layout["margin"]["r"] = round(_END * profile.tick_size)
    return fig


def _largest_name(largest, profile):
    """Return the label of the largest number, above the left end of its line, where no sum reaches it."""
    place: Part = {"x": _DIM_ENDS[0], "xanchor": "left", "y": largest, "yanchor": "bottom"}
    return base.label("largest number", profile, bgcolor=None, **place)


def _sum(found, side, profile):
    """Yield one sum up to its overflow, and a cross there."""
    values, kept = ((found.raw, found.after), (found.divided, found.before))[side]
    there = np.isfinite(values)
    colour = (profile.raw, profile.scaled)[side]
    x, y = np.log10(np.arange(1, found.d_k + 1)[there]), np.log10(values[there])
    yield base.line(x, y, base.solid(profile, colour, 2), _SIDES[side]) | _alone(x, colour, side, profile)
    lost = _first_lost(values, kept)
    x, y = ([], []) if lost is None else ([math.log10(lost)], [math.log10(lost * _product(found, side))])
    marker = {"symbol": "x", "color": profile.text, "size": 1.5 * profile.marker_size}
    yield base.line(x, y, {}, f"overflow, {_SIDES[side]}") | {"mode": "markers", "marker": marker}


def _alone(x, colour, side, profile):
    """Return a mark for a single product, which makes no line."""
    marker = {"symbol": _SYMBOLS[side], "color": colour, "size": 1.5 * profile.marker_size}
    return {"mode": "markers", "marker": marker} if len(x) == 1 else {}


def _product(found, side):
    """Return the value that one product adds to a sum, in float64."""
    return found.exact / (math.sqrt(found.d_k) if side == RAW else found.d_k)


def _first_lost(values, kept):
    """Return the number of the product at which the sum overflows, the last if only storing it does; else None."""
    bad = np.flatnonzero(~np.isfinite(values))
    return int(bad[0]) + 1 if bad.size else len(values) if not math.isfinite(kept) else None


def _sum_name(found, side, profile):
    """Return the label of a sum, at the end of its line or at its overflow."""
    values, kept = ((found.raw, found.after), (found.divided, found.before))[side]
    lost = _first_lost(values, kept)
    end = found.d_k if lost is None else lost
    x, y = math.log10(end), math.log10(end * _product(found, side))
    place: Part = {"x": x, "xanchor": "left", "xshift": 1.5 * profile.marker_size, "y": y, "align": "left"}
    name = f"{('raw', 'q ÷ √dₖ')[side]}{'' if lost is None else '<br>overflow'}"
    return _coloured(name, side, profile, yanchor=("bottom", "top")[side], **place)


def _large_sentence(found):
    """Return the sentence: where the sum overflows, and its value with q divided first."""
    before = f"with q divided first, it comes to {_whole(found.before)}"
    if math.isfinite(found.after):
        return f"The sum comes to {_whole(found.raw[-1])}, which the format holds; {before}."
    if np.isfinite(found.raw).all():
        return f"The sum, {_whole(found.raw[-1])}, is too large to be kept; {before}."
    return f"The sum overflows at product {_first_lost(found.raw, found.after)} of {found.d_k:,}; {before}."


def _large_sure(found):
    """Return sentences on the exact score, the stored one, and the rounding of sums."""
    of, sums = CALLED[found.to.name], "float32" if found.sums == "float32" else CALLED[found.to.name]
    return (
        f"All components are 40, so the exact scaled score is 1,600 √dₖ = {_whole(found.exact)}. Kept in {of}, "
        f"{_kept(found.after)} if the sum is divided, and {_kept(found.before)} if q is.",
        f"Each product and each sum is rounded to {sums}; the largest number of {of} is {_whole(found.to.largest)}. "
        "Each addition is rounded, and in 16 bits a long sum drifts.",
        "bfloat16 has the range of float32 and would hold these sums; float8 has no number for one of these products.",
    )


def _kept(value):
    return f"it is {_whole(value)}" if math.isfinite(value) else "it is lost"


def _whole(value):
    """Return a sum of products with all its digits (at most seven)."""
    return f"{value:,.7g}"
