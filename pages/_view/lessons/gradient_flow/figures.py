"""Pictures of the gradient_flow lesson: what reaches the rows, against d_k, where the medians cross, one Jacobian."""

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
)
from pages._view.picture import Picture
from pages._view.theme import Profile, number, percent, typed
from sattn_core.lessons.gradient_flow import (
    FROZEN_BELOW,
    PLACES,
    CrossoverCurve,
    GradientCurve,
    GradientFlowResult,
    RowJacobian,
)

RAW, SCALED, THIRD = range(3)  # places of the scales 1, 1/√d_k and 1/d_k
_WHERE = {"scores": "the scores", "raw_scores": "the raw scores", "q": "q"}
_SCALES = ("raw", "÷ √d_k", "÷ d_k")
_IN_WORDS = ("without the scale", "with 1/√d_k", "with 1/d_k")
_SYMBOLS = ("circle", "square", "diamond")
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_DECADES = (-12, -9, -6, -3, 0)
_DECADE_NAMES = ("10⁻¹²", "10⁻⁹", "10⁻⁶", "0.001", "1")
_TOP = 1.3
_FIRST_DIM = 4  # the sentence compares from here: rows of one or two components behave differently
_RISES, _FALLS = 1.25, 0.8  # a mean that changes by less stays where it is
_MOST_KEYS = 12  # in a Jacobian
_MOST_NUMBERS = 4  # keys up to which every cell has room for its number


# --- histograms ------------------------------------------------------------------------------------------


def histograms(result: GradientFlowResult, place: str, profile: Profile) -> Picture:
    """How much the rows pass on, raw above scaled on one axis."""
    return Picture(
        "gradient_histograms",
        _histogram_figure(result, place, profile),
        _histogram_sentence(result, place),
        _histogram_table(result, place),
        _histogram_code(result),
    )


def _histogram_figure(result, place, profile):
    """log10 sensitivity of the rows, bars as shares of their panel's tallest."""
    heights = axis(profile, grid=True, range=[0, _TOP], tickvals=[0, 0.5, 1])
    fig = figure(
        profile,
        _histogram(result, place, RAW, "", profile) + _histogram(result, place, SCALED, "2", profile),
        xaxis=_sensitivity_axis(result, place, profile),
        yaxis=heights | {"domain": [0.61, 1], "anchor": "x"},
        yaxis2=heights | {"domain": [0, 0.39], "anchor": "x"},
        annotations=[
            *_histogram_words(result, place, RAW, "", "Raw", profile),
            *_histogram_words(result, place, SCALED, "2", "Scaled", profile),
        ],
    )
    fig.layout.margin.t, fig.layout.margin.b = 3 * profile.axis_size, 4.2 * profile.axis_size  # two lines each
    return fig


def _sensitivity_axis(result, place, profile):
    words = "sensitivity of a row" + ("" if place == "q" else "<br>left of the dotted line: frozen")
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
    text = f"{name}: {percent(result.frozen_share[scale], 1)} of the rows frozen<br>{small}"
    above = heading(text, profile, axes=axes) | {"xref": "x domain", "align": "left"}
    words = [above | {"xshift": -2 * profile.axis_size}]
    if result.below[i, scale]:
        outside = percent(result.below[i, scale] / result.params.n_rows, 1)
        words.append(corner(f"{outside} below 10⁻¹²", profile, side="left", axes=axes) | {"xref": "x domain"})
    return words


def _histogram_sentence(result, place):
    """The truth of the moment: the share of frozen rows, then medians and means, without the scale and with it."""
    i, found, params = PLACES.index(place), result.statistics, result.params
    raw, scaled = (percent(result.frozen_share[scale], 1) for scale in (RAW, SCALED))
    return (
        f"At d_k = {params.d_k:,} with {params.n_keys} keys, {raw} of the rows are frozen without the scale and "
        f"{scaled} with it: their softmax passes on less than {FROZEN_BELOW}. The median row passes "
        f"{number(found.median[i, RAW])} to {_WHERE[place]} without the scale and {number(found.median[i, SCALED])} "
        f"with it, {_times(result.median_ratio[i])} without it; the mean row {_mean(found, i, RAW)} and "
        f"{_mean(found, i, SCALED)}, {_times(result.mean_ratio[i])}."
    )


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
        "rows, 1/sqrt(d_k)": result.counts[i, SCALED].tolist(),
    }


def _histogram_code(result):
    """The Python that computes the numbers of the moment again."""
    return (
        "from sattn_core.lessons.gradient_flow import GradientFlowParams, measure_gradient_flow\n\n"
        f"result = measure_gradient_flow({result.params!r})\n"
        "found = result.statistics  # axes: scores, raw_scores, q; scale 1, 1/sqrt(d_k), 1/d_k\n"
        "print(result.frozen_share, result.frozen_error)\n"
        "print(found.median, found.mean, found.exact_mean, found.top_tenth_share)\n"
    )


# --- curves ----------------------------------------------------------------------------------------------


def curves(curve: GradientCurve, place: str, profile: Profile) -> Picture:
    """What the rows pass on, and the share of them that is frozen, against d_k."""
    return Picture(
        "gradient_curves",
        _curve_figure(curve, place, profile),
        _curve_sentence(curve, place),
        _curve_table(curve, place),
        _curve_code(curve),
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
        annotations=[*(_scale_name(curve, j, place, profile) for j in range(3)), _key(curve, place, profile)],
    )
    fig.layout.margin.b = 3 * profile.axis_size + 4.5 * profile.tick_size  # room for the key under the axis
    fig.layout.xaxis.title.standoff = profile.tick_size / 2  # without it the title goes to the bottom of the room
    return fig


def _curve_axes(profile):
    dims = {"type": "log", "tickvals": _D_TICKS, "range": [-0.1, 3.85], "anchor": "y2"}
    sizes = {"tickvals": [1e-6, 1e-4, 0.01, 1], "ticktext": ["10⁻⁶", "10⁻⁴", "0.01", "1"], "range": [-6, 1.2]}
    shares = {"tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"], "range": [-0.05, 1.05]}
    return {
        "xaxis": axis(profile, "d_k", **dims),
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


def _key(curve, place, profile):
    """What points, lines and bands are, under the axis, where no mark can be."""
    words = "points: mean, solid: median<br>band: 10–90 % of rows"
    if place != "q":
        words += f"<br>dashed: exact mean, dotted: {_rate_name(curve)}"
    at = {"xref": "paper", "yref": "paper", "x": 0, "y": 0, "xanchor": "left", "yanchor": "top", "align": "left"}
    return label(words, profile, yshift=-3 * profile.axis_size, **at)


def _rate_name(curve):
    return "1/√(π d_k)" if curve.n_keys == 2 else "E[M]/√d_k"


def _curve_sentence(curve, place):
    """Which way the means move, measured beside exact, and what the rate says."""
    i = PLACES.index(place)
    moves = [_move(curve, i, j) for j in range(3)]
    largest = "" if curve.n_keys == 2 else f", with M the largest of {curve.n_keys} standard normals,"
    rate = f" The rate {_rate_name(curve)}{largest} says {number(curve.rate[-1])}." if place != "q" else ""
    first, last = curve.dims[_first(curve)], curve.dims[-1]
    return (
        f"From d_k = {first} to {last:,} with {curve.n_keys} keys, the mean passed to {_WHERE[place]} {moves[RAW]}; it "
        f"{moves[SCALED]}; it {moves[THIRD]}.{rate} {curve.n_rows:,} rows per point, bars ± 1 standard error."
    )


def _first(curve):
    return int(np.searchsorted(curve.dims, _FIRST_DIM))


def _move(curve, i, j):
    """Whether a mean rises, falls or stays, by its first and last point."""
    means = curve.statistics.mean[i, j, _first(curve) :]
    if _FALLS <= means[-1] / means[0] <= _RISES:
        return f"stays between {number(means.min())} and {number(means.max())} {_IN_WORDS[j]}"
    verb = "rises" if means[-1] > means[0] else "falls"
    return f"{verb} from {number(means[0])} to {_mean(curve.statistics, i, j, (-1,))} {_IN_WORDS[j]}"


def _curve_table(curve, place):
    """Every point: mean, error, exact mean, median, band and share of frozen rows, for the three scales."""
    i, found = PLACES.index(place), curve.statistics
    columns = {"d_k": list(curve.dims)}
    names = {
        "mean": found.mean[i],
        "standard error": found.standard_error[i],
        "exact mean": found.exact_mean[i],
        "median": found.median[i],
        "10 %": found.low[i],
        "90 %": found.high[i],
        "share frozen": curve.frozen_share,
    }
    for j, scale in enumerate(("no scale", "1/sqrt(d_k)", "1/d_k")):
        for name, values in names.items():
            columns[f"{scale}: {name}"] = values[j].tolist()
    return columns | {"E[M_n]/sqrt(d_k)": curve.rate.tolist()}


def _curve_code(curve):
    """The Python that computes the curves again."""
    return (
        "from sattn_core.lessons.gradient_flow import gradient_curve\n\n"
        f"curve = gradient_curve({curve.dims!r}, n_keys={curve.n_keys}, n_rows={curve.n_rows}, seed={curve.seed})\n"
        "print(curve.statistics.mean[1], curve.statistics.median[1])\n"
    )


# --- crossover -------------------------------------------------------------------------------------------


def crossover(curve: CrossoverCurve, profile: Profile) -> Picture:
    """The d_k from which on the median row passes less without the scale, against n_keys, above 2 ln n_keys."""
    return Picture(
        "median_crossover",
        _crossover_figure(curve, profile),
        _crossover_sentence(curve),
        _crossover_table(curve),
        _crossover_code(curve.here.n_keys),
    )


def _crossover_figure(curve, profile):
    last = np.log10(curve.keys[-1])
    ends = (("equal medians", curve.d_k[-1]), ("2 ln n_keys", curve.critical_d_k[-1]))
    beside = {"x": last, "xanchor": "left", "xshift": 1.5 * profile.marker_size}
    return figure(
        profile,
        _crossover_traces(curve, profile),
        left=4.2,
        title=title("The median follows late", profile),
        xaxis=axis(profile, "n_keys", type="log", tickvals=[2, 8, 32, 128, 512], range=[0.2, 4.1]),
        yaxis=axis(profile, "d_k", grid=True, type="log", tickvals=[1, 10, 100, 1000], range=[-0.1, 3.2]),
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
        line(keys, curve.critical_d_k, dotted(profile), "2 ln n_keys"),
    ]


def _crossover_sentence(curve):
    """From which d_k on the typical row passes less, and how far beyond the threshold of freezing that is."""
    here = curve.here
    return (
        f"With {here.n_keys} keys the median row passes less to its raw scores without the scale than with it only "
        f"from d_k = {number(here.d_k)} on (simulated, 95 % interval {number(here.low)} to {number(here.high)}). There "
        f"√d_k is {number(here.critical_ratio)} times √(2 ln {here.n_keys}), beyond which softmax freezes in the limit "
        f"of many keys."
    )


def _crossover_table(curve):
    """The points of the curve and their intervals."""
    return {
        "n_keys": curve.keys.tolist(),
        "d_k of equal medians": curve.d_k.tolist(),
        "95 % from": curve.low.tolist(),
        "95 % to": curve.high.tolist(),
        "2 ln n_keys": curve.critical_d_k.tolist(),
    }


def _crossover_code(n_keys):
    """The Python that simulates the crossover again."""
    return (
        "from sattn_core.lessons.gradient_flow import crossover_curve\n\n"
        f"curve = crossover_curve({n_keys})\n"
        "print(curve.keys, curve.d_k, curve.low, curve.high)\n"
    )


# --- Jacobians -------------------------------------------------------------------------------------------


def jacobians(row: RowJacobian, name: str, d_k: int, profile: Profile) -> Picture:
    """The Jacobian raw beside scaled, for the keys with the highest scores, on one fixed colour domain."""
    return Picture(
        "row_jacobians",
        _jacobian_figure(row, profile),
        _jacobian_sentence(row, name, d_k),
        _jacobian_table(row),
        _jacobian_code(row, d_k),
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
    fig.layout.margin.t, fig.layout.margin.b = 3 * profile.axis_size, 6 * profile.axis_size  # two lines; the colours
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


def _jacobian_sentence(row, name, d_k):
    """Both Jacobians of one row in numbers."""
    n_keys, shown = len(row.raw_scores), len(_shown_keys(row))
    part = f" Shown are the {shown} keys with the highest scores of {n_keys}." if shown < n_keys else ""
    return (
        f"{name}: the Jacobian of the raw scores has trace {number(row.raw_trace)} and norm {number(row.raw_norm, 6)}; "
        f"after ÷ √{d_k:,} trace {number(row.scaled_trace)} and norm {number(row.scaled_norm, 6)}, "
        f"{number(row.norm_ratio)} times as much.{part} Both share one colour domain, "
        f"−{typed(row.colour_limit)} to {typed(row.colour_limit)}."
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
    return (
        "from sattn_core.lessons.gradient_flow import measure_row_jacobian\n\n"
        f"row = measure_row_jacobian({row.raw_scores.tolist()!r}, {d_k})\n"
        "print(row.raw_norm, row.scaled_norm)\n"
    )
