"""Pictures of the gradient_flow lesson: rows that freeze one by one, the Jacobian of one row, the effect of dₖ."""

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.figures.ends import apart
from pages._view.figures.tables import columns_of
from pages._view.marks import Mark
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, number, percent, typed
from sattn_core.lessons import gradient_flow as core

RAW, SCALED = range(2)  # indices of the scales 1 and 1/√d_k
_WHERE = {"softmax": "the softmax", "q": "q"}
_UPRIGHT = {"softmax": "Passed on: 1 − Σp²", "q": "Gradient length at q"}
_SCALES = ("raw", "÷ √dₖ")
_IN_WORDS = ("without the scale", "with 1/√dₖ")
_FEW = ("none", *"one two three four five six seven eight nine ten eleven twelve".split())
_SYMBOLS = ("circle", "square")
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_FLOOR = -6  # log10 of the lower end of the main picture's axis: rows that pass on less are drawn there
_FLOOR_TICKS = (0, -2, -4, -6)
_FLOOR_NAMES = ("1", "0.01", "10⁻⁴", "≤ 10⁻⁶")
_ROOM = 0.35  # space below the rows that are drawn at _FLOOR, in decades
_TOP = {"softmax": _ROOM, "q": 1.8}  # log10 of the upper end: 1 − Σp² is below 1, gradients at q reach 60
_FAR = 0.1  # a median falls "far more" if its ratio (last to first) is below this share of the mean's
_NOTHING = 1e-4  # smaller numbers are called practically zero
_WITHIN = 1.96  # standard errors on both sides that hold 95 % of all draws
_FIRST_DIM = 4  # first dₖ that the sentence compares: rows of one or two components behave differently
_BRIEF = {"hardly changes": "stays"}
_PLURAL = {"falls": "fall", "grows": "grow", "hardly changes": "stay"}
_RISES, _FALLS = 1.25, 0.8  # ratios of the last mean to the first: between these, the mean counts as unchanged
_ABOVE, _ABOVE_ON_A_WALL = 4.4, 3.0  # top margin above two panels, in em of an axis title
_MEAN_ROOM = 3.0  # right margin for the means' label, in em of a tick label
_ENDS_ROOM = 7.2  # right margin for the curves' labels, in em of a tick label
_BETWEEN_ENDS = 1.35  # distance between two curve labels, in em
_CLAIM = 44  # letters per title line on a phone
_TOP_PANEL = [0.4, 1.0]  # vertical domain of the upper panel
_MOST_KEYS = 12  # keys shown of a Jacobian, at most
_MOST_NUMBERS = 4  # with more keys, a cell has no room for its number


# --- rows ------------------------------------------------------------------------------------------------


def rows(
    shown: core.FreezingRows, d_k: int, place: str, profile: Profile, found: core.GradientFlowResult | None = None
) -> Picture:
    """Return the picture of a hundred rows as dots, raw beside scaled. found: the counts for "How sure?", if any."""
    i = shown.dims.index(d_k)
    return Picture(
        "rows_freezing",
        _rows_figure(shown, i, place, profile),
        _rows_sentence(shown, i, place),
        _rows_table(shown, i),
        _rows_code(shown, d_k),
        note="Row 1 passes on least without the scale. What a row passes on is tr J = 1 − Σp², p its softmax weights.",
        alt=_rows_alt(shown, i, place),
        sure=() if found is None else _rows_sure(shown, i, found),
        marks=_rows_marks(shown, i) if place == core.PLACES[0] else (),
    )


def _rows_marks(shown, i):
    """Return marks for the frozen raw rows, and for the scaled rows that are not frozen: each kind has one colour."""
    frozen = shown.passed[0, :, i, _places(shown, i)].T < core.FROZEN_BELOW
    still, moving = (tuple(np.flatnonzero(each).tolist()) for each in (frozen[RAW], ~frozen[SCALED]))
    return (
        *([Mark("frozen without the scale", (f"{_SCALES[RAW]} rows",), still)] if still else []),
        *([Mark("With it", (f"{_SCALES[SCALED]} rows",), moving)] if moving else []),
    )


def _rows_figure(shown, i, place, profile):
    """Return the figure of what each row passes on, or of its gradient at q; rows in the grey zone are frozen."""
    span = {"range": [_FLOOR - _ROOM, _TOP[place]], "tickvals": _FLOOR_TICKS, "ticktext": _FLOOR_NAMES}
    heights = base.axis(profile, grid=True, **span)
    sides = ((RAW, ""), (SCALED, "2"))
    fig = base.figure(
        profile,
        [trace for j, axes in sides for trace in _dots(shown, i, core.PLACES.index(place), j, axes, profile)],
        left=3.2,
        title=base.title(f"<b>{_UPRIGHT[place]}</b>", profile, size=profile.axis_size),
        xaxis=_row_axis(profile, [0, 0.48], "y"),
        xaxis2=_row_axis(profile, [0.52, 1], "y2"),
        yaxis=heights | {"anchor": "x"},
        yaxis2=heights | {"anchor": "x2", "matches": "y", "showticklabels": False, "ticks": ""},
        shapes=[_frozen_zone(profile, axes) for _, axes in sides] if place == "softmax" else [],
        annotations=[
            *(_count(shown, i, *side, profile) for side in sides),
            _mean_name(shown.mean[core.PLACES.index(place), SCALED, i], profile),
        ],
    )
    above = _ABOVE_ON_A_WALL if base.on_a_wall(profile) else _ABOVE
    fig.layout["margin"] |= {"t": round(above * profile.axis_size), "r": round(_MEAN_ROOM * profile.tick_size)}
    return fig


def _mean_name(mean, profile):
    """Return the label of the means, at the right end of the second panel's line."""
    place: Part = {"xref": "paper", "x": 1, "xanchor": "left", "yref": "y2", "y": float(_on_floor(mean))}
    return base.label("mean", profile, bgcolor=None, **place)


def _row_axis(profile, domain, anchor):
    ticks = {"range": [-2, core.DOTS + 3], "tickvals": [1, core.DOTS // 2, core.DOTS]}
    return base.axis(profile, "row", domain=domain, anchor=anchor, **ticks)


def _dots(shown, i, at, scale, axes, profile):
    """Return the rows as dots in their places, and their mean as a line."""
    places = _places(shown, i)
    heights = _on_floor(shown.passed[at, scale, i, places])
    frozen, on = shown.passed[0, scale, i, places] < core.FROZEN_BELOW, {"xaxis": f"x{axes}", "yaxis": f"y{axes}"}
    marker = {
        "size": 0.9 * profile.marker_size,
        "symbol": np.where(frozen, "asterisk-open", "circle"),
        "color": np.where(frozen, profile.text, (profile.raw, profile.scaled)[scale]),
        "line": {"width": np.where(frozen, 0.6 * profile.line_width, 0.0)},
    }
    dots = base.line(np.arange(1, core.DOTS + 1), heights, {}, f"{_SCALES[scale]} rows")
    middle = base.line(
        [-2, core.DOTS + 3], [_on_floor(shown.mean[at, scale, i])] * 2, base.solid(profile, profile.text), "mean"
    )
    return [middle | on, dots | on | {"mode": "markers", "marker": marker}]


def _places(shown, i):
    """Return row indices, ordered by what they pass on without the scale: a row has the same place in both panels."""
    return np.argsort(shown.passed[0, RAW, i], kind="stable")


def row_at(shown: core.FreezingRows, d_k: int, place: int) -> int:
    """Return the index of the row at this place; places are counted from 1, from left to right."""
    return int(_places(shown, shown.dims.index(d_k))[place - 1])


def _on_floor(values):
    """Return log10 of values, at least the lower end of the axis."""
    return np.log10(np.maximum(values, 10.0**_FLOOR))


def _frozen_zone(profile, axes):
    at = {"xref": f"x{axes} domain", "yref": f"y{axes}", "x0": 0, "x1": 1, "y0": _FLOOR - _ROOM}
    zone = {"type": "rect", "layer": "below", "fillcolor": f"{profile.grid}80", "line": {"width": 0}}
    return zone | at | {"y1": np.log10(core.FROZEN_BELOW)}


def _count(shown, i, scale, axes, profile):
    """Return the title of one side: its name in its colour, and its count of frozen rows; on a wall in one line."""
    count = f"{shown.frozen[scale, i]} of {core.DOTS} frozen ✱" if shown.frozen[scale, i] else "none frozen"
    small = f'<span style="font-size: {profile.tick_size}px">{count}</span>'
    between = "\u2002" if base.on_a_wall(profile) else "<br>"
    name = _in_colour(("Raw", "Scaled")[scale], scale, profile)
    return base.heading(f"{name}{between}{small}", profile, axes=axes) | {"align": "left"}


def _in_colour(name, scale, profile):
    """Return a text in the colour of raw or of scaled."""
    return base.in_colour(name, (profile.raw, profile.scaled)[scale], profile)


def _rows_sentence(shown, i, place):
    """Return the sentence: rows frozen on both sides or, at q, rows whose gradient the scale reduces or enlarges."""
    if place == "q":
        return _at_q(shown.dims[i], shown.passed[1, RAW, i], shown.passed[1, SCALED, i])
    d_k, (raw, scaled) = shown.dims[i], shown.frozen[:, i]
    if raw == 0:
        return f"At dₖ = {d_k:,} none of the hundred rows is frozen, with the scale or without it."
    if raw == scaled:
        return f"At dₖ = {d_k:,}, {_of_the_rows(raw)} frozen, without the scale as with it."
    start = f"At dₖ = {d_k:,}, {_of_the_rows(raw)} frozen without the scale"
    if scaled == 0:
        return f"{start}: {'it passes' if raw == 1 else 'they pass'} on next to nothing. With it, none is."
    return f"{start}, and {_few(scaled)} with it."


def _at_q(d_k, raw, scaled):
    more, less = np.count_nonzero(raw > scaled), np.count_nonzero(raw < scaled)
    if not more + less:
        return f"At dₖ = {d_k:,} the scale is 1, so every row gets the same gradient at q either way."
    rows = "all of the hundred rows" if more == core.DOTS else f"{_few(more)} of the hundred rows"
    rest = "" if more == core.DOTS else f", and {_few(less)} less"
    get = "gets" if more == 1 else "get"
    return f"At dₖ = {d_k:,}, {rows} {get} more gradient at q without the scale{rest}: the scale shrinks gradients too."


def _of_the_rows(count):
    if count == core.DOTS:
        return "all of the hundred rows are"
    return f"{_few(count)} of the hundred rows {'is' if count == 1 else 'are'}"


def _few(count):
    return _FEW[count] if count < len(_FEW) else str(count)


def _rows_alt(shown, i, place):
    """Return the picture's text alternative, for people who cannot see it."""
    at = core.PLACES.index(place)
    raw, scaled = (f"{_amount(shown.mean[at, scale, i])} on average" for scale in (RAW, SCALED))
    what = "how much its softmax passes on" if place == "softmax" else "the length of its gradient at q"
    return (
        f"{_rows_sentence(shown, i, place)} Two panels of {core.DOTS} dots, one dot a row, by {what}: raw {raw}, "
        f"scaled {scaled}."
    )


def _amount(passed, digits=2):
    return "practically nothing" if passed < _NOTHING else number(passed, digits)


def _rows_sure(shown, i, result):
    """Return sentences on shares of frozen rows with intervals, means with exact values, and the rows' origin."""
    n_rows, shares = result.params.n_rows, [_share(result, scale) for scale in (RAW, SCALED)]
    one_hundred = 100 * np.sqrt(result.frozen_share[RAW] * (1 - result.frozen_share[RAW]) / core.DOTS)
    scatter = f"A share of only {core.DOTS} rows scatters by {one_hundred:.1f} percentage points (one standard error)."
    return (
        f"A row is frozen when its softmax passes on less than {core.FROZEN_BELOW}, measured by the trace of its "
        f"Jacobian, tr J = 1 − Σp².",
        f"The dots are {core.DOTS} rows with {result.params.n_keys} keys each. Of {n_rows:,} other rows, {shares[RAW]} "
        f"are frozen without the scale and {shares[SCALED]} with it. The intervals are exact (Clopper and Pearson).",
        *([scatter] if one_hundred else []),
        *(_mean_sure(result, scale) for scale in (RAW, SCALED)),
        _q_sure(result.statistics),
        _thawed(shown, i),
    )


def _thawed(shown, i):
    """Return a sentence on the rows that are frozen at half this d_k but pass gradients again at this d_k."""
    appended = "A larger dₖ appends components to the same queries and keys."
    before = int(np.searchsorted(shown.dims, shown.dims[i] / 2, side="right")) - 1
    were, are = (shown.passed[0, RAW, at] < core.FROZEN_BELOW for at in (max(before, 0), i))
    again, frozen = np.count_nonzero(were & ~are), np.count_nonzero(were)
    if before < 0 or frozen < 2 or not again:
        return appended
    return (
        f"{appended} Of the {frozen} rows that are frozen at dₖ = {shown.dims[before]:,} without the scale, {again} "
        f"pass{'es' if again == 1 else ''} on again at dₖ = {shown.dims[i]:,}. So which rows are frozen changes; their "
        f"share, over many rows, only grows."
    )


def _share(result, scale):
    share, low, high = (
        percent(each[scale], 1) for each in (result.frozen_share, result.frozen_low, result.frozen_high)
    )
    return f"{share} (95 % interval {low} to {high})"


def _mean_sure(result, scale):
    """Return sentences on the mean of tr J and its exact expectation."""
    found, at = result.statistics, (core.PLACES.index("softmax"), scale)
    inside = "inside" if abs(found.z[at]) <= _WITHIN else "outside"
    return (
        f"{_IN_WORDS[scale].capitalize()} the mean of tr J is {number(found.mean[at])} ± "
        f"{number(found.standard_error[at], 2)}. The exact expectation, an integral over normal scores, is "
        f"{number(found.exact_mean[at])}: the difference is {number(found.z[at], 2)} standard errors, {inside} ± "
        f"{_WITHIN}."
    )


def _q_sure(found):
    raw, scaled = (_mean(found, core.PLACES.index("q"), scale) for scale in (RAW, SCALED))
    return f"At q the mean length is {raw} without the scale and {scaled} with it. It has no closed form here."


def _rows_table(shown, i):
    """Return a table of what each row passes on, in the order of the picture."""
    order = _places(shown, i)
    return {
        "row": list(range(1, core.DOTS + 1)),
        "number in the draw": (order + 1).tolist(),
        "passed on, raw": shown.passed[0, RAW, i, order].tolist(),
        "passed on, scaled": shown.passed[0, SCALED, i, order].tolist(),
        "gradient at q, raw": shown.passed[1, RAW, i, order].tolist(),
        "gradient at q, scaled": shown.passed[1, SCALED, i, order].tolist(),
    }


def _rows_code(shown, d_k):
    """Return Python code that computes the rows."""
    return code(
        core.freezing_rows, (d_k,), n_keys=shown.n_keys, seed=shown.seed, name="rows", show="rows.frozen, rows.passed"
    )


# --- curves ----------------------------------------------------------------------------------------------


def curves(curve: core.GradientCurve, place: str, profile: Profile) -> Picture:
    """Return the picture of what rows pass on against d_k, and of the share of frozen rows."""
    return Picture(
        "gradient_curves",
        _curve_figure(curve, place, profile),
        _curve_sentence(curve, place),
        _curve_table(curve, place),
        _curve_code(curve),
        sure=_curve_sure(curve, place),
        marks=(
            Mark("without the scale", ("raw, mean", "raw, median")),
            Mark("scaled", ("÷ √dₖ, mean", "÷ √dₖ, median")),
        ),
    )


def _curve_figure(curve, place, profile):
    """Return means as points and medians as lines, and the share of frozen rows."""
    at, wall = core.PLACES.index(place), base.on_a_wall(profile)
    height, above = (0.9, _ABOVE_ON_A_WALL) if wall else (1.15, 2.7)
    fig = base.figure(
        profile,
        [trace for j in (RAW, SCALED) for trace in _scale_traces(curve, at, j, profile)],
        height=height,
        left=3.2,
        title=base.title(f"<b>{_curve_claim(curve, place)}</b>", profile, size=profile.axis_size, letters=_CLAIM),
        **_curve_axes(profile),
    )
    fig.layout["margin"] |= {"t": round(above * profile.axis_size), "r": round(_ENDS_ROOM * profile.tick_size)}
    panels = (_UPRIGHT[place], ""), ("Rows frozen", "2")
    names = [_panel_name(text, axes, profile) for text, axes in panels]
    fig.layout["annotations"] = [*names, *_curve_names(curve, at, fig, profile)]
    return fig


def _panel_name(text, axes, profile):
    """Return the heading of a panel, above its upper left corner."""
    return base.heading(text, profile, axes=axes) | {"xref": "paper"}


def _curve_axes(profile):
    dims = {"type": "log", "tickvals": _D_TICKS, "range": [-0.1, 3.1], "anchor": "y2"}
    sizes = {"tickvals": [1e-6, 1e-4, 0.01, 1], "ticktext": ["10⁻⁶", "10⁻⁴", "0.01", "1"], "range": [-6, 1.2]}
    shares = {"tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"], "range": [-0.05, 1.05]}
    for each in (sizes, shares) if base.on_a_wall(profile) else ():
        each |= {name: [each[name][0], each[name][-1]] for name in ("tickvals", "ticktext")}
    return {
        "xaxis": base.axis(profile, "dₖ", **dims),
        "yaxis": base.axis(profile, grid=True, type="log", domain=_TOP_PANEL, **sizes),
        "yaxis2": base.axis(profile, grid=True, domain=[0, 0.26], **shares),
    }


def _scale_traces(curve, at, j, profile):
    found, dims, name, colour = curve.statistics, curve.dims, _SCALES[j], (profile.raw, profile.scaled)[j]
    error = found.standard_error[at, j]
    frozen = base.line(dims, curve.frozen_share[j], base.solid(profile, colour), f"{name}, share frozen")
    markers = {"symbol": _SYMBOLS[j], "size": profile.marker_size, "color": colour}
    return [
        base.line(dims, found.median[at, j], base.solid(profile, colour), f"{name}, median"),
        base.points(profile, colour, _SYMBOLS[j], dims, found.mean[at, j], error, error, f"{name}, mean"),
        frozen | {"yaxis": "y2", "mode": "lines+markers", "marker": markers},
    ]


def _curve_names(curve, at, fig, profile):
    """Return labels at the ends of points and lines, without overlaps; scaled mean and median share one."""
    found, low, high = curve.statistics, *fig.layout["yaxis"]["range"]
    ends = (
        (SCALED, "", found.mean[at, SCALED, -1]),
        (RAW, ", mean", found.mean[at, RAW, -1]),
        (RAW, ", median", found.median[at, RAW, -1]),
    )
    margin, (bottom, top) = fig.layout["margin"], _TOP_PANEL
    plot = (top - bottom) * (fig.layout["height"] - margin["t"] - margin["b"])
    gap = _BETWEEN_ENDS * profile.tick_size * (high - low) / plot
    heights = apart([max(float(np.log10(value)), low) for *_, value in ends], gap, high - gap / 2)
    place: Part = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": profile.marker_size / 2, "bgcolor": None}
    return [
        base.label(f"{_in_colour(_SCALES[j], j, profile)}{what}", profile, y=float(height), **place)
        for (j, what, _), height in zip(ends, heights, strict=True)
    ]


def _rate_name(curve):
    return "1/√(π dₖ)" if curve.n_keys == 2 else "E[M]/√dₖ"


def _curve_claim(curve, place):
    """Return the title: without the scale, mean and median fall, grow or stay."""
    i = core.PLACES.index(place)
    mean, median = _verb(curve, i, RAW), _median_verb(curve, i)
    if mean != median:
        return f"Raw mean {_BRIEF.get(mean, mean)}, median {_BRIEF.get(median, median)}"
    if mean == "falls" and _median_change(curve, i) < _FAR * _change(curve, i, RAW)[0]:
        return "Raw mean falls, median far more"
    return f"Raw mean and median {_PLURAL[mean]}"


def _median_change(curve, i):
    """Return the ratio of the last median to the first, without the scale."""
    first, last = curve.statistics.median[i, RAW, [_first(curve), -1]]
    return last / first


def _median_verb(curve, i):
    low, high = (
        each[i, RAW, [_first(curve), -1]] for each in (curve.statistics.median_low, curve.statistics.median_high)
    )
    apart = low[0] > high[1] or low[1] > high[0]  # 95 % intervals do not overlap
    change = _median_change(curve, i)
    if not apart or _FALLS <= change <= _RISES:
        return "hardly changes"
    return "grows" if change > 1 else "falls"


def _curve_sentence(curve, place):
    """Return the sentence: the direction in which the means move."""
    i = core.PLACES.index(place)
    raw, scaled = (_verb(curve, i, j) for j in (RAW, SCALED))
    also = f"{scaled}{' too' if raw == scaled != 'grows' else ''}"
    return (
        f"From dₖ = {curve.dims[_first(curve)]} to {curve.dims[-1]:,} the mean at {_WHERE[place]} "
        f"{_said(curve, i, RAW)} without the scale; scaled, it {also}."
    )


def _change(curve, i, j):
    """Return the ratio of the last mean to the first, and 1.96 times its standard error."""
    means, errors = (
        each[i, j, [_first(curve), -1]] for each in (curve.statistics.mean, curve.statistics.standard_error)
    )
    return means[1] / means[0], _WITHIN * means[1] / means[0] * np.hypot(*(errors / means))


def _verb(curve, i, j):
    change, error = _change(curve, i, j)
    if _FALLS <= change <= _RISES or abs(change - 1) <= error:
        return "hardly changes"
    return "grows" if change > 1 else "falls"


def _said(curve, i, j):
    verb, change = _verb(curve, i, j), _change(curve, i, j)[0]
    if verb == "hardly changes":
        return verb
    return f"{verb} to {number(change, 2)} times its size" if change > 1 else f"{verb} to {number(100 * change, 2)} %"


def _curve_sure(curve, place):
    """Return sentences on means and medians at both ends, with exact values, and on the predicted rate."""
    i, found = core.PLACES.index(place), curve.statistics
    largest = "" if curve.n_keys == 2 else f", with M the largest of {curve.n_keys} standard normals,"
    rate = [f"The rate {_rate_name(curve)}{largest} says {number(curve.rate[-1])} for the mean without the scale."]
    first, last = curve.dims[_first(curve)], curve.dims[-1]
    medians = [_median(found, i, RAW, at) for at in (_first(curve), -1)]
    return (
        f"From dₖ = {first} to {last:,} with {curve.n_keys} keys, the mean at {_WHERE[place]} {_move(curve, i, RAW)}; "
        f"it {_move(curve, i, SCALED)}.",
        f"Without the scale the median goes from {medians[0]} to {medians[1]}.",
        *(rate if place == "softmax" else ("The mean at q has no closed form here.",)),
        f"Each point is the mean of {curve.n_rows:,} rows; its bar is ± 1 standard error. Below dₖ = {_FIRST_DIM} rows "
        f"behave differently, so the comparison starts there.",
    )


def _median(found, i, scale, at):
    """Return a median with its interval."""
    median, low, high = (each[i, scale, at] for each in (found.median, found.median_low, found.median_high))
    return f"{number(median)} (95 % interval {number(low)} to {number(high)})"


def _mean(found, i, scale, *at):
    """Return a mean with its standard error, beside the exact mean where there is one."""
    mean, error, exact = (each[i, scale, *at] for each in (found.mean, found.standard_error, found.exact_mean))
    beside = "" if np.isnan(exact) else f" (exact {number(exact)})"
    return f"{number(mean)} ± {number(error, 2)}{beside}"


def _first(curve):
    return int(np.searchsorted(curve.dims, _FIRST_DIM))


def _move(curve, i, j):
    """Return a phrase: a mean grows, falls or stays, with its first and last value."""
    means, verb = curve.statistics.mean[i, j, _first(curve) :], _verb(curve, i, j)
    if verb == "hardly changes":
        return f"stays between {number(means.min())} and {number(means.max())} {_IN_WORDS[j]}"
    return f"{verb} from {number(means[0])} to {_mean(curve.statistics, i, j, -1)} {_IN_WORDS[j]}"


def _curve_table(curve, place):
    """Return every point: mean, error, exact mean, median and share of frozen rows, for both scales."""
    i, found = core.PLACES.index(place), curve.statistics
    fields = {
        "mean": found.mean[i],
        "standard error": found.standard_error[i],
        "exact mean": found.exact_mean[i],
        "median": found.median[i],
        "share frozen": curve.frozen_share,
    }
    both = columns_of(("no scale", "1/√dₖ"), fields)
    return {"dₖ": list(curve.dims)} | both | {"E[M]/√dₖ": curve.rate.tolist()}


def _curve_code(curve):
    """Return Python code that computes the curves."""
    options = {"n_keys": curve.n_keys, "n_rows": curve.n_rows, "seed": curve.seed, "name": "curve"}
    shown = "curve.statistics.mean, curve.statistics.median"
    return code(core.gradient_curve, curve.dims, **options, show=shown)


# --- Jacobians -------------------------------------------------------------------------------------------


def jacobians(row: core.RowJacobian, name: str, d_k: int, profile: Profile) -> Picture:
    """Return the picture of the raw and the scaled Jacobian side by side, for the keys with the highest scores."""
    return Picture(
        "row_jacobians",
        _jacobian_figure(row, profile),
        _jacobian_sentence(row, d_k),
        {
            "key": list(range(1, len(row.raw_scores) + 1)),
            "raw score": row.raw_scores.tolist(),
            "scaled score": row.scaled_scores.tolist(),
            "weight, raw": row.raw_weights.tolist(),
            "weight, scaled": row.scaled_weights.tolist(),
            "p(1 − p), raw": np.diagonal(row.raw_jacobian).tolist(),
            "p(1 − p), scaled": np.diagonal(row.scaled_jacobian).tolist(),
        },
        _jacobian_code(row, d_k),
        sure=_jacobian_sure(row, name, d_k),
        marks=(Mark("Raw", ("raw",)), Mark("divided by", ("scaled",))),
    )


def _jacobian_figure(row, profile):
    limit, (across, down) = row.colour_limit, _key_axes(row, profile)
    fig = base.figure(
        profile,
        [
            _matrix(row, row.raw_jacobian, "", "raw", profile) | base.colour_bar(profile, [-limit, 0, limit]),
            _matrix(row, row.scaled_jacobian, "2", "scaled", profile),
        ],
        left=3.2,
        height=0.85 if base.on_a_wall(profile) else 1.0,
        plot_bgcolor=profile.grid,  # visible between the cells, so that cells of 0 are visible too
        xaxis=base.axis(profile, "key", domain=[0, 0.48], anchor="y", **across),
        yaxis=base.axis(profile, "key", anchor="x", **down),
        xaxis2=base.axis(profile, "key", domain=[0.52, 1], anchor="y2", **across),
        yaxis2=base.axis(profile, anchor="x2", **down | {"showticklabels": False}),
        annotations=[
            base.heading(f"Raw<br>tr {number(row.raw_trace)}", profile) | {"align": "left"},
            base.heading(f"Scaled<br>tr {number(row.scaled_trace)}", profile, axes="2") | {"align": "left"},
        ],
    )
    fig.layout["margin"] |= {
        "t": 3 * profile.axis_size,
        "b": (4.6 if base.on_a_wall(profile) else 6) * profile.axis_size,
    }  # top: two lines of text; bottom: the colour bar
    return fig


def _key_axes(row, profile):
    """Return options of both axes; if there are many keys, only the vertical one has labels, on a wall neither."""
    ticks = {"type": "category", "tickvals": _key_names(row), "showline": False, "ticks": ""}
    few = len(_key_names(row)) <= _MOST_NUMBERS
    down = {"autorange": "reversed", "showticklabels": few or not base.on_a_wall(profile)}
    return ticks | {"showticklabels": few}, ticks | down


def _key_names(row):
    return [typed(key + 1) for key in _shown_keys(row)]


def _shown_keys(row):
    return np.argsort(-row.raw_scores, kind="stable")[:_MOST_KEYS]


def _matrix(row, values, axes, name, profile):
    shown, keys = _shown_keys(row), _key_names(row)
    part = values[np.ix_(shown, shown)]
    text = [[number(value) for value in cells] for cells in part] if len(shown) <= _MOST_NUMBERS else None
    cells = base.heatmap(profile, part, row.colour_limit, text=text, name=name)
    return cells | {"x": keys, "y": keys, "xaxis": f"x{axes}", "yaxis": f"y{axes}"}


def _jacobian_sentence(row, d_k):
    """Return the sentence: how much the row passes on, raw and divided, measured by the trace."""
    raw, scaled = (_amount(trace, 3) for trace in (row.raw_trace, row.scaled_trace))
    if raw == scaled:
        return f"Raw or divided by √{d_k:,}, this row passes on {raw}."
    return f"Raw, this row passes on {raw}; divided by √{d_k:,}, it passes on {scaled}."


def _jacobian_sure(row, name, d_k):
    """Return sentences with the traces and norms of both Jacobians."""
    n_keys, shown = len(row.raw_scores), len(_shown_keys(row))
    part = [f"Shown are the {shown} keys with the highest scores of {n_keys}."] if shown < n_keys else []
    return (
        "What a row passes on is the trace of its Jacobian, the sum of the diagonal.",
        f"{name}: the Jacobian of the raw scores has trace {number(row.raw_trace)} and norm {number(row.raw_norm, 6)}; "
        f"after ÷ √{d_k:,} trace {number(row.scaled_trace)} and norm {number(row.scaled_norm, 6)}, "
        f"{number(row.norm_ratio)} times as much.",
        *part,
        f"Both share one colour domain, −{typed(row.colour_limit)} to {typed(row.colour_limit)}, the most that any "
        f"entry can be. Trace and norm are computed from the scores, so they hold where a weight rounds to 1.",
    )


def _jacobian_code(row, d_k):
    """Return Python code that computes both Jacobians."""
    return code(core.measure_row_jacobian, row.raw_scores, d_k, name="row", show="row.raw_norm, row.scaled_norm")
