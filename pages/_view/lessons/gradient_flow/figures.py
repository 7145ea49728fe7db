"""Pictures of the gradient_flow lesson: rows that freeze one by one, what reaches them, one Jacobian."""

import numpy as np

from pages._view.figures.base import (
    axis,
    colour_bar,
    corner,
    dashed,
    dotted,
    figure,
    heading,
    heatmap,
    label,
    line,
    points,
    solid,
    steps,
    title,
    under,
)
from pages._view.figures.code import code
from pages._view.picture import Picture
from pages._view.theme import Profile, number, percent, typed
from sattn_core.lessons.gradient_flow import (
    DOTS,
    FROZEN_BELOW,
    PLACES,
    CrossoverCurve,
    FreezingRows,
    GradientCurve,
    GradientFlowResult,
    RowJacobian,
    crossover_curve,
    freezing_rows,
    gradient_curve,
    measure_gradient_flow,
    measure_row_jacobian,
)

RAW, SCALED, THIRD = range(3)  # places of the scales 1, 1/√d_k and 1/d_k
_WHERE = {"scores": "the scores", "raw_scores": "the raw scores", "q": "q"}
_SCALES = ("raw", "÷ √dₖ", "÷ dₖ")
_IN_WORDS = ("without the scale", "with 1/√dₖ", "with 1/dₖ")
_FEW = ("none", *"one two three four five six seven eight nine ten eleven twelve".split())
_SYMBOLS = ("circle", "square", "diamond")
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_DECADES = (-12, -9, -6, -3, 0)
_DECADE_NAMES = ("10⁻¹²", "10⁻⁹", "10⁻⁶", "0.001", "1")
_TOP = 1.3
_FLOOR = -6  # log10 of what the main picture's axis ends at: who passes less lies on it
_FLOOR_TICKS = (0, -2, -4, -6)
_FLOOR_NAMES = ("1", "0.01", "10⁻⁴", "≤ 10⁻⁶")
_ROOM = 0.35  # between the axis and the rows on it, in decades
_SAME = 0.05  # two numbers that differ by a smaller share are called the same
_NOTHING = 1e-4  # what is smaller is called practically nothing
_WITHIN = 1.96  # standard errors on both sides that hold 95 % of all draws
_FIRST_DIM = 4  # the sentence compares from here: rows of one or two components behave differently
_RISES, _FALLS = 1.25, 0.8  # a mean that changes by less, or by less than chance may, stays where it is
_MOST_KEYS = 12  # in a Jacobian
_MOST_NUMBERS = 4  # keys up to which every cell has room for its number


# --- rows ------------------------------------------------------------------------------------------------


def rows(shown: FreezingRows, d_k: int, profile: Profile, result: GradientFlowResult | None = None) -> Picture:
    """A hundred rows as dots, raw beside scaled on one axis; result says how sure the counts are."""
    i = shown.dims.index(d_k)
    return Picture(
        "rows_freezing",
        _rows_figure(shown, i, profile),
        _rows_sentence(shown, i),
        _rows_table(shown, i),
        _rows_code(shown, d_k),
        note="Row 1 passes on least without the scale. What a row passes on is tr J = 1 − Σp², p its softmax weights.",
        alt=_rows_alt(shown, i),
        sure=() if result is None else _rows_sure(shown, i, result),
    )


def _rows_figure(shown, i, profile):
    """What each row passes on; those in the grey zone are frozen."""
    heights = axis(profile, range=[_FLOOR - _ROOM, _ROOM], tickvals=_FLOOR_TICKS, ticktext=_FLOOR_NAMES, grid=True)
    words = {"title": {"text": "gradient passed on", "font": {"size": profile.axis_size}}}
    fig = figure(
        profile,
        [*_dots(shown, i, RAW, "", profile), *_dots(shown, i, SCALED, "2", profile)],
        left=4.0,
        xaxis=_row_axis(profile, [0, 0.48], "y"),
        xaxis2=_row_axis(profile, [0.52, 1], "y2"),
        yaxis=heights | words | {"anchor": "x"},
        yaxis2=heights | {"anchor": "x2", "matches": "y", "showticklabels": False, "ticks": ""},
        shapes=[_frozen_zone(profile, ""), _frozen_zone(profile, "2")],
        annotations=[
            *(_count(shown, i, j, axes, profile) for j, axes in ((RAW, ""), (SCALED, "2"))),
            under(_key_of_rows(), profile),
        ],
    )
    fig.layout["margin"] |= {"t": 3 * profile.axis_size, "b": 5 * profile.axis_size}  # two lines each
    return fig


def _key_of_rows():
    return f"{DOTS} rows, least raw gradient at the left", f"star on grey: frozen, below {FROZEN_BELOW}; line: mean"


def _row_axis(profile, domain, anchor):
    ticks = {"range": [-2, DOTS + 3], "tickvals": [1, DOTS // 2, DOTS]}
    return axis(profile, "row", near=True, domain=domain, anchor=anchor, **ticks)


def _dots(shown, i, scale, axes, profile):
    """The rows in their places, and their mean as a line."""
    colour, passed = (profile.raw, profile.scaled)[scale], shown.passed[scale, i, _places(shown, i)]
    frozen, on = passed < FROZEN_BELOW, {"xaxis": f"x{axes}", "yaxis": f"y{axes}"}
    marker = {
        "size": 0.9 * profile.marker_size,
        "symbol": np.where(frozen, "asterisk-open", "circle"),
        "color": np.where(frozen, profile.text, colour),
        "line": {"width": np.where(frozen, 0.6 * profile.line_width, 0.0)},
    }
    dots = line(np.arange(1, DOTS + 1), _on_floor(passed), {}, f"{_SCALES[scale]} rows")
    middle = line([-2, DOTS + 3], [_on_floor(shown.mean[scale, i])] * 2, solid(profile, profile.text), "mean")
    return [middle | on, dots | on | {"mode": "markers", "marker": marker}]


def _places(shown, i):
    """The rows in the order of what they pass on without the scale: each has the same place on both sides."""
    return np.argsort(shown.passed[RAW, i], kind="stable")


def _on_floor(values):
    """log10, not below the end of the axis."""
    return np.log10(np.maximum(values, 10.0**_FLOOR))


def _frozen_zone(profile, axes):
    at = {"xref": f"x{axes} domain", "yref": f"y{axes}", "x0": 0, "x1": 1, "y0": _FLOOR - _ROOM}
    zone = {"type": "rect", "layer": "below", "fillcolor": f"{profile.grid}80", "line": {"width": 0}}
    return zone | at | {"y1": np.log10(FROZEN_BELOW)}


def _count(shown, i, scale, axes, profile):
    """The title of one side: how many of its rows are frozen."""
    count = f"{shown.frozen[scale, i]} of {DOTS}" if shown.frozen[scale, i] else "none"
    small = f'<span style="font-size: {profile.tick_size}px">{count} frozen</span>'
    name = ("Raw", "Scaled")[scale]
    return heading(f"{name}<br>{small}", profile, axes=axes) | {"align": "left"}


def _rows_sentence(shown, i):
    """How many rows are frozen on both sides."""
    d_k, (raw, scaled) = shown.dims[i], shown.frozen[:, i]
    if raw == 0:
        return f"At dₖ = {d_k:,} none of the hundred rows is frozen, with the scale or without it."
    if raw == scaled:
        return f"At dₖ = {d_k:,}, {_of_the_rows(raw)} frozen, without the scale as with it."
    start = f"At dₖ = {d_k:,}, {_of_the_rows(raw)} frozen without the scale"
    if scaled == 0:
        return f"{start}: {'it passes' if raw == 1 else 'they pass'} on next to nothing. With it, none is."
    return f"{start}, and {_few(scaled)} with it."


def _of_the_rows(count):
    if count == DOTS:
        return "all of the hundred rows are"
    return f"{_few(count)} of the hundred rows {'is' if count == 1 else 'are'}"


def _few(count):
    return _FEW[count] if count < len(_FEW) else str(count)


def _rows_alt(shown, i):
    """The picture in words, for those who do not see it."""
    raw, scaled = (f"{_amount(shown.mean[scale, i])} on average" for scale in (RAW, SCALED))
    return (
        f"{_rows_sentence(shown, i)} Two panels of {DOTS} dots, one dot a row, by how much gradient its softmax passes "
        f"on: raw {raw}, scaled {scaled}."
    )


def _amount(passed, digits=2):
    return "practically nothing" if passed < _NOTHING else number(passed, digits)


def _rows_sure(shown, i, result):
    """Shares of many rows with their intervals, means beside their exact expectations, and how they come about."""
    n_rows, shares = result.params.n_rows, [_share(result, scale) for scale in (RAW, SCALED)]
    one_hundred = 100 * np.sqrt(result.frozen_share[RAW] * (1 - result.frozen_share[RAW]) / DOTS)
    scatter = f"A share of only {DOTS} rows scatters by {one_hundred:.1f} percentage points (one standard error)."
    return (
        f"A row is frozen when its softmax passes on less than {FROZEN_BELOW}, measured by the trace of its Jacobian, "
        f"tr J = 1 − Σp².",
        f"The dots are {DOTS} rows with {result.params.n_keys} keys each. Of {n_rows:,} other rows, {shares[RAW]} are "
        f"frozen without the scale and {shares[SCALED]} with it. The intervals are exact (Clopper and Pearson).",
        *([scatter] if one_hundred else []),
        *(_mean_sure(result, scale) for scale in (RAW, SCALED)),
        _thawed(shown, i),
    )


def _thawed(shown, i):
    """How many of the rows that were frozen at half this d_k pass on again."""
    appended = "A larger dₖ appends components to the same queries and keys."
    before = int(np.searchsorted(shown.dims, shown.dims[i] / 2, side="right")) - 1
    were, are = (shown.passed[RAW, at] < FROZEN_BELOW for at in (max(before, 0), i))
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
    """The mean of tr J beside its exact expectation."""
    found, at = result.statistics, (PLACES.index("scores"), scale)
    inside = "inside" if abs(found.z[at]) <= _WITHIN else "outside"
    return (
        f"{_IN_WORDS[scale].capitalize()} the mean of tr J is {number(found.mean[at])} ± "
        f"{number(found.standard_error[at], 2)}. The exact expectation, an integral over normal scores, is "
        f"{number(found.exact_mean[at])}: the difference is {number(found.z[at], 2)} standard errors, {inside} ± "
        f"{_WITHIN}."
    )


def _rows_table(shown, i):
    """Row by row in their places: what each passes on."""
    order = _places(shown, i)
    return {
        "row": list(range(1, DOTS + 1)),
        "number in the draw": (order + 1).tolist(),
        "passed on, raw": shown.passed[RAW, i, order].tolist(),
        "passed on, scaled": shown.passed[SCALED, i, order].tolist(),
    }


def _rows_code(shown, d_k):
    """The Python that computes the rows again."""
    return code(
        freezing_rows, (d_k,), n_keys=shown.n_keys, seed=shown.seed, name="rows", show="rows.frozen, rows.passed"
    )


# --- histograms ------------------------------------------------------------------------------------------


def histograms(result: GradientFlowResult, place: str, profile: Profile) -> Picture:
    """How much the rows pass on, raw above scaled on one axis."""
    return Picture(
        "gradient_histograms",
        _histogram_figure(result, place, profile),
        _histogram_sentence(result, place),
        _histogram_table(result, place),
        _histogram_code(result),
        claim=_histogram_claim(result, place),
        sure=_histogram_sure(result, place),
    )


def _histogram_figure(result, place, profile):
    """log10 sensitivity of the rows, bars as shares of their panel's tallest."""
    heights = axis(profile, range=[0, _TOP], showticklabels=False, ticks="")
    fig = figure(
        profile,
        _histogram(result, place, RAW, "", profile) + _histogram(result, place, SCALED, "2", profile),
        left=1.0,
        xaxis=_sensitivity_axis(result, place, profile),
        yaxis=heights | {"domain": [0.61, 1], "anchor": "x"},
        yaxis2=heights | {"domain": [0, 0.39], "anchor": "x"},
        annotations=[
            *_histogram_words(result, place, RAW, "", "Raw", profile),
            *_histogram_words(result, place, SCALED, "2", "Scaled", profile),
        ],
    )
    fig.layout["margin"] |= {"t": 3 * profile.axis_size, "b": 4.2 * profile.axis_size}  # two lines each
    return fig


def _sensitivity_axis(result, place, profile):
    words = f"passed to {_WHERE[place]}" + ("" if place == "q" else "<br>left of the dotted line: frozen")
    ends = [result.log10_edges[0], result.log10_edges[-1]]
    return axis(profile, words, range=ends, tickvals=_DECADES, ticktext=_DECADE_NAMES, anchor="y2")


def _histogram(result, place, scale, axes, profile):
    i, found = PLACES.index(place), result.statistics
    counts, on = result.counts[i, scale], {"yaxis": f"y{axes}"}
    colour = (profile.raw, profile.scaled)[scale]
    lines = [("median", found.median[i, scale], solid(profile, profile.text))]
    lines += [("mean", found.mean[i, scale], dashed(profile))]
    if place != "q":  # the length of a gradient tells less of the softmax than its trace
        factor = result.scales[scale] if place == "raw_scores" else 1.0
        lines += [("frozen below", factor * FROZEN_BELOW, dotted(profile))]
    bars = steps(result.log10_edges, counts / max(counts.max(), 1), colour, _SCALES[scale])
    return [bars | on] + [line([_on_axis(x, result)] * 2, [0, 1.08], style, name) | on for name, x, style in lines]


def _on_axis(value, result):
    return float(np.log10(max(value, 10 ** result.log10_edges[0])))


def _histogram_words(result, place, scale, axes, name, profile):
    i, found = PLACES.index(place), result.statistics
    mean, median = number(found.mean[i, scale]), number(found.median[i, scale])
    small = f'<span style="font-size: {profile.tick_size}px">solid: median {median}, dashed: mean {mean}</span>'
    words = [
        heading(f"{name}: {_frozen(result, scale)} frozen<br>{small}", profile, axes=axes)
        | {"xref": "x domain", "align": "left"}
    ]
    if result.below[i, scale]:
        outside = percent(result.below[i, scale] / result.params.n_rows, 1)
        words.append(corner(f"{outside} below 10⁻¹²", profile, side="left", axes=axes) | {"xref": "x domain"})
    return words


def _histogram_claim(result, place):
    """Whether the typical row loses without the scale."""
    ratio = result.median_ratio[PLACES.index(place)]
    if abs(ratio - 1) < _SAME:
        return "The typical row passes on about as much either way"
    still = "still passes on more" if ratio > 1 else "passes on less"
    return f"The typical row {still} without the scale"


def _histogram_sentence(result, place):
    """The median and the mean row without the scale, beside those with it."""
    i = PLACES.index(place)
    median, mean = _as_much(result.median_ratio[i]), _as_much(result.mean_ratio[i])
    also = ", and so do rows on average" if mean == median else f"; on average rows pass {mean}"
    return f"Without the scale the median row passes {median} to {_WHERE[place]}{also}."


def _as_much(ratio):
    """A ratio as a person says it."""
    if ratio < 0.0005:
        return "less than a thousandth as much"
    if abs(ratio - 1) < _SAME:
        return "about as much"
    return f"{number(ratio, 2)} times as much" if ratio > 1 else f"{number(100 * ratio, 2)} % as much"


def _histogram_sure(result, place):
    """Shares, medians and means with their errors, raw and scaled."""
    i, found, params = PLACES.index(place), result.statistics, result.params
    to_it = f"to {_WHERE[place]} at dₖ = {params.d_k:,} with {params.n_keys} keys"
    medians, means = (
        [each(j) for j in (RAW, SCALED)] for each in (lambda j: _median(found, i, j), lambda j: _mean(found, i, j))
    )
    return (
        f"The median row passes {medians[RAW]} {to_it} without the scale and {medians[SCALED]} with it: "
        f"{_times(result.median_ratio[i])} without it.",
        f"On average a row passes {means[RAW]} without the scale and {means[SCALED]} with it: "
        f"{_times(result.mean_ratio[i])} without it. Each ± is one standard error.",
        *_mean_bands(found, i),
        f"{_frozen(result, RAW).capitalize()} of the rows are frozen without the scale and {_frozen(result, SCALED)} "
        f"with it. This share is the same at every place, since the factor of the scale is the same for all rows.",
        f"Without the scale the top tenth of the rows holds {percent(found.top_tenth_share[i, RAW], 0)} of the total.",
    )


def _frozen(result, scale):
    share = result.frozen_share[scale]
    return percent(share, 1) if share else "none"


def _mean_bands(found, i):
    """How far the means lie from the exact ones, where there are such."""
    if np.isnan(found.exact_mean[i, RAW]):
        return ("The mean at q has no closed form here.",)
    z, most = found.z[i, :THIRD], np.abs(found.z[i, :THIRD]).max()
    return (
        f"From the exact means they differ by {number(z[RAW], 2)} and {number(z[SCALED], 2)} standard errors, "
        f"{'inside' if most <= _WITHIN else 'not both inside'} ± {_WITHIN}.",
    )


def _median(found, i, scale):
    """A median with its interval."""
    median, low, high = (each[i, scale] for each in (found.median, found.median_low, found.median_high))
    return f"{number(median)} (95 % interval {number(low)} to {number(high)})"


def _mean(found, i, scale, at=()):
    """A mean with its standard error, beside the exact mean where there is one."""
    values = found.mean, found.standard_error, found.exact_mean
    mean, error, exact = (each[(i, scale, *at)] for each in values)
    beside = "" if np.isnan(exact) else f" (exact {number(exact)})"
    return f"{number(mean)} ± {number(error, 2)}{beside}"


def _times(ratio):
    return f"{number(ratio)} times as much"


def _histogram_table(result, place):
    """Bins of log10 sensitivity and the rows in them."""
    i = PLACES.index(place)
    return {
        "log10 from": result.log10_edges[:-1].tolist(),
        "log10 to": result.log10_edges[1:].tolist(),
        "rows, no scale": result.counts[i, RAW].tolist(),
        "rows, 1/√dₖ": result.counts[i, SCALED].tolist(),
    }


def _histogram_code(result):
    """The Python that computes the numbers of the moment again: of scores, raw scores and q, at three scales."""
    names = ("median", "mean", "exact_mean", "top_tenth_share")
    found = ", ".join(f"result.statistics.{name}" for name in names)
    return code(measure_gradient_flow, result.params, show=("result.frozen_share, result.frozen_error", found))


# --- curves ----------------------------------------------------------------------------------------------


def curves(curve: GradientCurve, place: str, profile: Profile) -> Picture:
    """What the rows pass on, and the share of them that is frozen, against d_k."""
    return Picture(
        "gradient_curves",
        _curve_figure(curve, place, profile),
        _curve_sentence(curve, place),
        _curve_table(curve, place),
        _curve_code(curve),
        claim=_curve_claim(curve, place),
        sure=_curve_sure(curve, place),
    )


def _curve_figure(curve, place, profile):
    """Means as points on their exact lines, medians as lines, bands, and the share of frozen rows."""
    fig = figure(
        profile,
        _curve_traces(curve, place, profile),
        height=1.15,
        left=4.2,
        title=title(f"At {_WHERE[place]}", profile),
        **_curve_axes(profile),
        annotations=[*(_scale_name(curve, j, place, profile) for j in range(3)), _key_of_curves(curve, place, profile)],
    )
    fig.layout["margin"]["b"] = 3 * profile.axis_size + 4.5 * profile.tick_size  # room for the key under the axis
    fig.layout["xaxis"]["title"]["standoff"] = profile.tick_size / 2  # else it goes to the bottom
    return fig


def _curve_axes(profile):
    dims = {"type": "log", "tickvals": _D_TICKS, "range": [-0.1, 3.85], "anchor": "y2"}
    sizes = {"tickvals": [1e-6, 1e-4, 0.01, 1], "ticktext": ["10⁻⁶", "10⁻⁴", "0.01", "1"], "range": [-6, 1.2]}
    shares = {"tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"], "range": [-0.05, 1.05]}
    return {
        "xaxis": axis(profile, "dₖ", **dims),
        "yaxis": axis(profile, "per row", grid=True, type="log", domain=[0.36, 1], **sizes),
        "yaxis2": axis(profile, "frozen", grid=True, domain=[0, 0.26], **shares),
    }


def _curve_traces(curve, place, profile):
    colours, i = (profile.raw, profile.scaled, profile.third), PLACES.index(place)
    traces = [trace for j, colour in enumerate(colours) for trace in _scale_traces(curve, i, j, colour, profile)]
    if place != "q":
        traces.append(line(curve.dims, curve.rate, dotted(profile), "rate of the mean without the scale"))
    return traces


def _scale_traces(curve, i, j, colour, profile):
    found, dims, name = curve.statistics, curve.dims, _SCALES[j]
    hidden = {"width": 0, "color": colour}
    error = found.standard_error[i, j]
    traces = [
        line(dims, found.low[i, j], hidden, f"{name}, 10th percentile"),
        line(dims, found.high[i, j], hidden, f"{name}, 90th percentile")
        | {"fill": "tonexty", "fillcolor": f"{colour}40"},
        line(dims, found.median[i, j], solid(profile, colour), f"{name}, median"),
        line(dims, found.exact_mean[i, j], dashed(profile), f"{name}, exact mean"),
        points(profile, colour, _SYMBOLS[j], dims, found.mean[i, j], error, error, f"{name}, mean"),
    ]
    frozen = line(dims, curve.frozen_share[j], solid(profile, colour), f"{name}, share frozen")
    markers = {"symbol": _SYMBOLS[j], "size": profile.marker_size, "color": colour}
    return [*traces, frozen | {"yaxis": "y2", "mode": "lines+markers", "marker": markers}]


def _scale_name(curve, j, place, profile):
    mean = curve.statistics.mean[PLACES.index(place), j, -1]
    high = j == (THIRD if place == "scores" else RAW)  # at the scores 1/d_k has the largest mean
    at = {"x": np.log10(curve.dims[-1]), "y": np.log10(mean), "xanchor": "left"}
    return label(_SCALES[j], profile, xshift=profile.marker_size, yanchor="bottom" if high else "top", **at)


def _key_of_curves(curve, place, profile):
    """What points, lines and bands are, under the axis, where no mark can be."""
    words = "points: mean, solid: median<br>band: 10–90 % of rows"
    if place != "q":
        words += f"<br>dashed: exact mean, dotted: {_rate_name(curve)}"
    at = {"xref": "paper", "yref": "paper", "x": 0, "y": 0, "xanchor": "left", "yanchor": "top", "align": "left"}
    return label(words, profile, yshift=-3 * profile.axis_size, **at)


def _rate_name(curve):
    return "1/√(π dₖ)" if curve.n_keys == 2 else "E[M]/√dₖ"


def _curve_claim(curve, place):
    """What becomes of the mean without the scale."""
    i = PLACES.index(place)
    verb, last = _verb(curve, i, RAW), curve.statistics.mean[i, RAW, -1]
    if verb == "falls":
        return f"Without the scale the mean falls, {'but does not vanish' if last >= FROZEN_BELOW else 'and far'}"
    return f"Without the scale the mean {'even ' if verb == 'grows' else ''}{verb}"


def _curve_sentence(curve, place):
    """Which way the means move."""
    i = PLACES.index(place)
    raw, scaled = (_verb(curve, i, j) for j in (RAW, SCALED))
    also = f"{scaled}{' too' if raw == scaled != 'grows' else ''}"
    return (
        f"From dₖ = {curve.dims[_first(curve)]} to {curve.dims[-1]:,} the mean passed to {_WHERE[place]} "
        f"{_said(curve, i, RAW)} without the scale; scaled, it {also}."
    )


def _change(curve, i, j):
    """The last mean over the first, and how far off that may be by chance (1.96 standard errors)."""
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
    """The means at both ends, measured beside exact, and what the rate says."""
    i = PLACES.index(place)
    moves = [_move(curve, i, j) for j in range(3)]
    largest = "" if curve.n_keys == 2 else f", with M the largest of {curve.n_keys} standard normals,"
    rate = [f"The rate {_rate_name(curve)}{largest} says {number(curve.rate[-1])} without the scale."]
    first, last = curve.dims[_first(curve)], curve.dims[-1]
    return (
        f"From dₖ = {first} to {last:,} with {curve.n_keys} keys, the mean passed to {_WHERE[place]} {moves[RAW]}; it "
        f"{moves[SCALED]}; it {moves[THIRD]}.",
        *(rate if place != "q" else ()),
        f"Each point is the mean of {curve.n_rows:,} rows; its bar is ± 1 standard error. Below dₖ = {_FIRST_DIM} rows "
        f"behave differently, so the comparison starts there.",
    )


def _first(curve):
    return int(np.searchsorted(curve.dims, _FIRST_DIM))


def _move(curve, i, j):
    """Whether a mean grows, falls or stays, by its first and last point."""
    means, verb = curve.statistics.mean[i, j, _first(curve) :], _verb(curve, i, j)
    if verb == "hardly changes":
        return f"stays between {number(means.min())} and {number(means.max())} {_IN_WORDS[j]}"
    return f"{verb} from {number(means[0])} to {_mean(curve.statistics, i, j, (-1,))} {_IN_WORDS[j]}"


def _curve_table(curve, place):
    """Every point: mean, error, exact mean, median, band and share of frozen rows, for the three scales."""
    i, found = PLACES.index(place), curve.statistics
    columns = {"dₖ": list(curve.dims)}
    names = {
        "mean": found.mean[i],
        "standard error": found.standard_error[i],
        "exact mean": found.exact_mean[i],
        "median": found.median[i],
        "10 %": found.low[i],
        "90 %": found.high[i],
        "share frozen": curve.frozen_share,
    }
    for j, scale in enumerate(("no scale", "1/√dₖ", "1/dₖ")):
        for name, values in names.items():
            columns[f"{scale}: {name}"] = values[j].tolist()
    return columns | {"E[M]/√dₖ": curve.rate.tolist()}


def _curve_code(curve):
    """The Python that computes the curves again."""
    options = {"n_keys": curve.n_keys, "n_rows": curve.n_rows, "seed": curve.seed, "name": "curve"}
    shown = "curve.statistics.mean[1], curve.statistics.median[1]"
    return code(gradient_curve, curve.dims, **options, show=shown)


# --- crossover -------------------------------------------------------------------------------------------


def crossover(curve: CrossoverCurve, profile: Profile) -> Picture:
    """The d_k from which on the median row passes less without the scale, against n_keys, above 2 ln n_keys."""
    return Picture(
        "median_crossover",
        _crossover_figure(curve, profile),
        _crossover_sentence(curve),
        _crossover_table(curve),
        _crossover_code(curve.here.n_keys),
        claim="The more keys, the later the typical row suffers",
        sure=_crossover_sure(curve),
    )


def _crossover_figure(curve, profile):
    last = np.log10(curve.keys[-1])
    ends = (("equal medians", curve.d_k[-1]), ("2 ln(keys)", curve.critical_d_k[-1]))
    beside = {"x": last, "xanchor": "left", "xshift": 1.5 * profile.marker_size}
    return figure(
        profile,
        _crossover_traces(curve, profile),
        left=4.2,
        xaxis=axis(profile, "keys", type="log", tickvals=[2, 8, 32, 128, 512], range=[0.2, 4.1]),
        yaxis=axis(profile, "dₖ", grid=True, type="log", tickvals=[1, 10, 100, 1000], range=[-0.1, 3.2]),
        annotations=[
            *(label(name, profile, y=np.log10(y), **beside) for name, y in ends),
            corner("above: less without the scale", profile, side="left"),
            corner("below: more without the scale", profile) | {"y": 0, "yanchor": "bottom"},
        ],
    )


def _crossover_traces(curve, profile):
    keys, here = curve.keys, curve.here
    above, below = curve.high - curve.d_k, curve.d_k - curve.low
    marker = {"symbol": "diamond", "size": 2 * profile.marker_size, "color": profile.text}
    chosen = line([here.n_keys], [here.d_k], solid(profile, profile.text), f"{here.n_keys} keys")
    return [
        line(keys, curve.d_k, solid(profile, profile.band), "equal medians"),
        points(profile, profile.band, "circle", keys, curve.d_k, above, below, "95 % interval"),
        chosen | {"mode": "markers", "marker": marker},
        line(keys, curve.critical_d_k, dotted(profile), "2 ln(keys)"),
    ]


def _crossover_sentence(curve):
    """From which d_k on the typical row passes less."""
    here = curve.here
    return (
        f"With {here.n_keys} keys, the median row passes less to its raw scores without the scale only beyond about "
        f"dₖ = {number(here.d_k, 2)}."
    )


def _crossover_sure(curve):
    """The interval, and how far beyond the threshold of freezing it lies."""
    here = curve.here
    return (
        f"With {here.n_keys} keys both medians are equal at dₖ = {number(here.d_k)} (simulated, 95 % interval "
        f"{number(here.low)} to {number(here.high)}), whatever the seed of this page.",
        f"There √dₖ is {number(here.critical_ratio)} times √(2 ln {here.n_keys}), beyond which softmax freezes in the "
        f"limit of many keys.",
    )


def _crossover_table(curve):
    """The points of the curve and their intervals."""
    return {
        "keys": curve.keys.tolist(),
        "dₖ of equal medians": curve.d_k.tolist(),
        "95 % from": curve.low.tolist(),
        "95 % to": curve.high.tolist(),
        "2 ln(keys)": curve.critical_d_k.tolist(),
    }


def _crossover_code(n_keys):
    """The Python that simulates the crossover again."""
    return code(crossover_curve, n_keys, name="curve", show="curve.keys, curve.d_k, curve.low, curve.high")


# --- Jacobians -------------------------------------------------------------------------------------------


def jacobians(row: RowJacobian, name: str, d_k: int, profile: Profile) -> Picture:
    """The Jacobian raw beside scaled, for the keys with the highest scores, on one fixed colour domain."""
    return Picture(
        "row_jacobians",
        _jacobian_figure(row, profile),
        _jacobian_sentence(row, d_k),
        _jacobian_table(row),
        _jacobian_code(row, d_k),
        claim=_jacobian_claim(row, d_k),
        sure=_jacobian_sure(row, name, d_k),
    )


def _jacobian_figure(row, profile):
    limit, (across, down) = row.colour_limit, _key_axes(row)
    fig = figure(
        profile,
        [
            _matrix(row, row.raw_jacobian, "", "raw", profile) | colour_bar(profile, [-limit, 0, limit]),
            _matrix(row, row.scaled_jacobian, "2", "scaled", profile),
        ],
        left=3.2,
        plot_bgcolor=profile.grid,  # seen between the cells, so that cells of 0 are seen too
        xaxis=axis(profile, "key", domain=[0, 0.48], anchor="y", **across),
        yaxis=axis(profile, "key", anchor="x", **down),
        xaxis2=axis(profile, "key", domain=[0.52, 1], anchor="y2", **across),
        yaxis2=axis(profile, anchor="x2", showticklabels=False, **down),
        annotations=[
            heading(f"Raw<br>tr {number(row.raw_trace)}", profile) | {"align": "left"},
            heading(f"Scaled<br>tr {number(row.scaled_trace)}", profile, axes="2") | {"align": "left"},
        ],
    )
    fig.layout["margin"] |= {"t": 3 * profile.axis_size, "b": 6 * profile.axis_size}  # two lines; the colours
    return fig


def _key_axes(row):
    """Options of the horizontal and of the vertical axis; more than a few names stand too close across."""
    ticks = {"type": "category", "tickvals": _key_names(row), "showline": False, "ticks": ""}
    return ticks | {"showticklabels": len(_key_names(row)) <= _MOST_NUMBERS}, ticks | {"autorange": "reversed"}


def _key_names(row):
    return [typed(key + 1) for key in _shown_keys(row)]


def _shown_keys(row):
    return np.argsort(-row.raw_scores, kind="stable")[:_MOST_KEYS]


def _matrix(row, values, axes, name, profile):
    shown, keys = _shown_keys(row), _key_names(row)
    part = values[np.ix_(shown, shown)]
    text = [[number(value) for value in cells] for cells in part] if len(shown) <= _MOST_NUMBERS else None
    cells = heatmap(profile, part, row.colour_limit, text=text, name=name)
    return cells | {"x": keys, "y": keys, "xaxis": f"x{axes}", "yaxis": f"y{axes}"}


def _jacobian_claim(row, d_k):
    """What the division does to this one row."""
    if d_k == 1:
        return "At dₖ = 1 the division changes nothing"
    divided = f"Divided by √{d_k:,}, this row passes on"
    if abs(row.scaled_trace - row.raw_trace) <= _SAME * row.raw_trace:
        return f"{divided} about as much"
    return f"{divided} {'more' if row.scaled_trace > row.raw_trace else 'less'}"


def _jacobian_sentence(row, d_k):
    """How much both pass on, by the trace."""
    raw, scaled = (_amount(trace, 3) for trace in (row.raw_trace, row.scaled_trace))
    if raw == scaled:
        return f"Raw or divided by √{d_k:,}, this row passes on {raw}."
    return f"Raw, this row passes on {raw}; divided by √{d_k:,}, it passes on {scaled}."


def _jacobian_sure(row, name, d_k):
    """Both Jacobians in numbers."""
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


def _jacobian_table(row):
    """Scores, weights and diagonals of both Jacobians, key by key."""
    return {
        "key": list(range(1, len(row.raw_scores) + 1)),
        "raw score": row.raw_scores.tolist(),
        "scaled score": row.scaled_scores.tolist(),
        "weight, raw": row.raw_weights.tolist(),
        "weight, scaled": row.scaled_weights.tolist(),
        "p(1 − p), raw": np.diagonal(row.raw_jacobian).tolist(),
        "p(1 − p), scaled": np.diagonal(row.scaled_jacobian).tolist(),
    }


def _jacobian_code(row, d_k):
    """The Python that computes both Jacobians again."""
    return code(measure_row_jacobian, row.raw_scores, d_k, name="row", show="row.raw_norm, row.scaled_norm")
