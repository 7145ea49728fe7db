"""Pictures of the gradient_flow lesson: what reaches the rows, against d_k, and one row's Jacobian."""

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
from pages._view.theme import number, percent, typed
from sattn_core.lessons.gradient_flow import DEAD_BELOW, DEFAULT_DIMS, PLACES

RAW, SCALED, THIRD = range(3)  # places of the scales 1, 1/√d_k and 1/d_k
_WHERE = {"scores": "the scores", "raw_scores": "the raw scores", "q": "q"}
_SCALES = ("raw", "÷ √d_k", "÷ d_k")
_IN_WORDS = ("without the scale", "with 1/√d_k", "with 1/d_k")
_SYMBOLS = ("circle", "square", "diamond")
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_DECADES = (-12, -9, -6, -3, 0)
_DECADE_NAMES = ("10⁻¹²", "10⁻⁹", "10⁻⁶", "0.001", "1")
_TOP = 1.3
_MOST_KEYS = 12
_MOST_NUMBERS = 4  # keys up to which every cell has room for its number


def histograms(result, place, profile):
    """log10 sensitivity of the rows, raw above scaled on one axis, bars as shares of their panel's tallest."""
    heights = axis(profile, grid=True, range=[0, _TOP], tickvals=[0, 0.5, 1])
    edges = result.log10_edges
    return figure(
        profile,
        _histogram(result, place, RAW, "", profile) + _histogram(result, place, SCALED, "2", profile),
        height=0.9,
        xaxis=axis(
            profile,
            "sensitivity of a row",
            range=[edges[0], edges[-1]],
            tickvals=_DECADES,
            ticktext=_DECADE_NAMES,
            anchor="y2",
        ),
        yaxis=heights | {"domain": [0.57, 1], "anchor": "x"},
        yaxis2=heights | {"domain": [0, 0.43], "anchor": "x"},
        annotations=[
            *_histogram_words(result, place, RAW, "", "Raw", profile),
            *_histogram_words(result, place, SCALED, "2", "Scaled", profile),
        ],
    )


def _histogram(result, place, scale, axes, profile):
    i, found = PLACES.index(place), result.statistics
    counts, on = result.counts[i, scale], {"yaxis": f"y{axes}"}
    colour = (profile.raw, profile.scaled)[scale]
    bars = steps(result.log10_edges, counts / max(counts.max(), 1), colour, _SCALES[scale])
    middle, mean = (_on_axis(values[i, scale], result) for values in (found.median, found.mean))
    return [
        bars | on,
        line([middle, middle], [0, 1.12], solid(profile, profile.text), "median") | on,
        line([mean, mean], [0, 1.12], dashed(profile), "mean") | on,
    ]


def _on_axis(value, result):
    return float(np.log10(max(value, 10 ** result.log10_edges[0])))


def _histogram_words(result, place, scale, axes, name, profile):
    i, found = PLACES.index(place), result.statistics
    mean, median = number(found.mean[i, scale]), number(found.median[i, scale])
    words = [_panel_title(f"{name}: mean {mean}, median {median}", profile, axes)]
    for text, value, side in (("median ", found.median, "right"), (" mean", found.mean, "left")):
        x = _on_axis(value[i, scale], result)
        place_of = {"yref": f"y{axes}", "x": x, "y": 1.0, "xanchor": side, "yanchor": "bottom", "bgcolor": None}
        words.append(label(text, profile, **place_of))
    if result.below[i, scale]:
        outside = percent(result.below[i, scale] / result.params.n_rows, 1)
        words.append(corner(f"{outside} below 10⁻¹²", profile, side="left", axes=axes) | {"xref": "x domain"})
    return words


def _panel_title(text, profile, axes):
    return heading(text, profile, axes=axes) | {"xref": "x domain"}


def histogram_sentence(result, place):
    """The truth of the moment: mean beside median, without the scale and with it."""
    i, found, params = PLACES.index(place), result.statistics, result.params
    return (
        f"At n_keys = {params.n_keys} and d_k = {params.d_k:,}, the mean row passes {_mean(found, i, RAW)} to "
        f"{_WHERE[place]} without the scale and {_mean(found, i, SCALED)} with it: {_times(result.mean_ratio[i])} "
        f"without it. The median row passes {number(found.median[i, RAW])} and {number(found.median[i, SCALED])}: "
        f"{_times(result.median_ratio[i])}. Without the scale {percent(found.share_below[i, RAW], 1)} of the rows are "
        f"below {DEAD_BELOW} (with it {percent(found.share_below[i, SCALED], 1)}), and the top tenth holds "
        f"{percent(found.top_tenth_share[i, RAW], 0)} of the total."
    )


def _mean(found, i, scale, at=()):
    """A mean with its standard error, beside the exact mean where there is one."""
    values = found.mean, found.standard_error, found.exact_mean
    mean, error, exact = (each[(i, scale, *at)] for each in values)
    beside = "" if np.isnan(exact) else f" (exact {number(exact)})"
    return f"{number(mean)} ± {number(error, 1)}{beside}"


def _times(ratio):
    return f"{number(ratio)} times as much"


def histogram_table(result, place):
    """Bins of log10 sensitivity and the rows in them."""
    i = PLACES.index(place)
    return {
        "log10 from": result.log10_edges[:-1].tolist(),
        "log10 to": result.log10_edges[1:].tolist(),
        "rows, no scale": result.counts[i, RAW].tolist(),
        "rows, 1/sqrt(d_k)": result.counts[i, SCALED].tolist(),
    }


def curves(curve, place, profile):
    """Against d_k: means as points on their exact lines, medians as lines, bands, and the share of dead rows."""
    i = PLACES.index(place)
    traces, names = [], []
    for j, colour in enumerate((profile.raw, profile.scaled, profile.third)):
        traces += _scale_traces(curve, i, j, colour, profile)
        names.append(_scale_name(curve, i, j, place, profile))
    if place != "q":
        traces.append(line(curve.dims, curve.rate, dotted(profile), "rate of the mean without the scale"))
    dims = {"type": "log", "tickvals": _D_TICKS, "range": [-0.1, 3.85], "anchor": "y2"}
    sizes = {"tickvals": [1e-6, 1e-4, 0.01, 1], "ticktext": ["10⁻⁶", "10⁻⁴", "0.01", "1"], "range": [-6, 1.2]}
    return figure(
        profile,
        traces,
        height=0.9,
        left=4.2,
        title=title(f"Gradient at {_WHERE[place]}", profile),
        xaxis=axis(profile, "d_k", **dims),
        yaxis=axis(profile, "per row", grid=True, type="log", domain=[0.36, 1], **sizes),
        yaxis2=axis(
            profile,
            f"< {DEAD_BELOW}",
            grid=True,
            range=[-0.05, 1.05],
            tickvals=[0, 0.5, 1],
            ticktext=["0 %", "50 %", "100 %"],
            domain=[0, 0.26],
        ),
        annotations=[*names, _key(curve, place, profile)],
    )


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
    dead = line(dims, found.share_below[i, j], solid(profile, colour), f"{name}, share below {DEAD_BELOW}")
    markers = {"symbol": _SYMBOLS[j], "size": profile.marker_size, "color": colour}
    return [*traces, dead | {"yaxis": "y2", "mode": "lines+markers", "marker": markers}]


def _scale_name(curve, i, j, place, profile):
    high = j == (THIRD if place == "scores" else RAW)  # at the scores 1/d_k has the largest mean
    at = {"x": np.log10(curve.dims[-1]), "y": np.log10(curve.statistics.mean[i, j, -1]), "xanchor": "left"}
    return label(_SCALES[j], profile, xshift=profile.marker_size, yanchor="bottom" if high else "top", **at)


def _key(curve, place, profile):
    words = "points: mean<br>solid: median<br>band: 10–90 % of rows"
    if place != "q":
        words += f"<br>dashed: exact mean<br>dotted: {_rate_name(curve)}"
    at = {"xref": "x domain", "yref": "y domain", "x": 0.02, "y": 0.02, "xanchor": "left", "yanchor": "bottom"}
    return label(words, profile, align="left", **at)


def _rate_name(curve):
    return "1/√(π d_k)" if curve.n_keys == 2 else "E[M]/√d_k"


def curve_sentence(curve, place):
    """Where the lines end, measured beside exact, and what the rate says."""
    i, found, last = PLACES.index(place), curve.statistics, (-1,)
    ends = ", ".join(
        f"{_mean(found, i, j, last)} {words}, median {number(found.median[i, j, -1])}"
        for j, words in enumerate(_IN_WORDS)
    )
    largest = "" if curve.n_keys == 2 else f", with M the largest of {curve.n_keys} standard normals,"
    rate = f" The rate {_rate_name(curve)}{largest} says {number(curve.rate[-1])}." if place != "q" else ""
    return (
        f"With {curve.n_keys} keys and d_k = {curve.dims[-1]:,} the mean row passes to {_WHERE[place]}: {ends}.{rate} "
        f"{curve.n_rows:,} rows a point, bars ± 1 standard error."
    )


def curve_table(curve, place):
    """Every point: mean, error, exact mean, median, band and share, for the three scales."""
    i, found = PLACES.index(place), curve.statistics
    columns = {"d_k": list(curve.dims)}
    names = {
        "mean": found.mean,
        "standard error": found.standard_error,
        "exact mean": found.exact_mean,
        "median": found.median,
        "10 %": found.low,
        "90 %": found.high,
        f"share below {DEAD_BELOW}": found.share_below,
    }
    for j, scale in enumerate(("no scale", "1/sqrt(d_k)", "1/d_k")):
        for name, values in names.items():
            columns[f"{scale}: {name}"] = values[i, j].tolist()
    return columns | {"E[M_n]/sqrt(d_k)": curve.rate.tolist()}


def jacobians(row, profile):
    """The Jacobian raw beside scaled, for the keys with the highest scores, on one fixed colour domain."""
    shown = _shown_keys(row)
    keys = [typed(key + 1) for key in shown]
    limit = row.colour_limit
    traces = [
        _matrix(row.raw_jacobian, shown, keys, "", "raw", limit, profile) | colour_bar(profile, [-limit, 0, limit]),
        _matrix(row.scaled_jacobian, shown, keys, "2", "scaled", limit, profile),
    ]
    ticks = {"type": "category", "tickvals": keys, "showline": False, "ticks": ""}
    across, down = ticks | {"showticklabels": len(keys) <= _MOST_NUMBERS}, ticks | {"autorange": "reversed"}
    fig = figure(
        profile,
        traces,
        left=3.2,
        plot_bgcolor=profile.grid,  # seen between the cells, so that cells of 0 are seen too
        xaxis=axis(profile, "key", domain=[0, 0.48], anchor="y", **across),
        yaxis=axis(profile, "key", anchor="x", **down),
        xaxis2=axis(profile, "key", domain=[0.52, 1], anchor="y2", **across),
        yaxis2=axis(profile, anchor="x2", showticklabels=False, **down),
        annotations=[
            heading(f"Raw: tr {number(row.raw_trace, 2)}", profile),
            heading(f"Scaled: tr {number(row.scaled_trace, 2)}", profile, axes="2"),
        ],
    )
    fig.layout.margin.b = 6 * profile.axis_size  # room for the key to the colours
    return fig


def _shown_keys(row):
    return np.argsort(-row.raw_scores, kind="stable")[:_MOST_KEYS]


def _matrix(values, shown, keys, axes, name, limit, profile):
    part = values[np.ix_(shown, shown)]
    text = [[number(value) for value in cells] for cells in part] if len(shown) <= _MOST_NUMBERS else None
    cells = heatmap(profile, part, limit, text=text, name=name)
    return cells | {"x": keys, "y": keys, "xaxis": f"x{axes}", "yaxis": f"y{axes}"}


def jacobian_sentence(row, d_k, name):
    """Both Jacobians of one row in numbers."""
    n_keys, shown = len(row.raw_scores), len(_shown_keys(row))
    part = f" Shown are the {shown} keys with the highest scores of {n_keys}." if shown < n_keys else ""
    return (
        f"{name}: the Jacobian of the raw scores has trace {number(row.raw_trace)} and norm {number(row.raw_norm, 6)}; "
        f"after ÷ √{d_k:,} trace {number(row.scaled_trace)} and norm {number(row.scaled_norm, 6)}, "
        f"{number(row.norm_ratio)} times as much.{part} Both share one colour domain, "
        f"−{typed(row.colour_limit)} to {typed(row.colour_limit)}."
    )


def jacobian_table(row):
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


def code(params):
    """The Python that computes the numbers of the moment again."""
    return (
        "from sattn_core.lessons.gradient_flow import GradientFlowParams, measure_gradient_flow\n\n"
        f"result = measure_gradient_flow({params!r})\n"
        "found = result.statistics  # axes: scores, raw_scores, q; scale 1, 1/sqrt(d_k), 1/d_k\n"
        "print(found.mean, found.exact_mean, found.median, found.share_below)\n"
    )


def curve_code(options):
    """The Python that computes the curves again."""
    return (
        "from sattn_core.lessons.gradient_flow import gradient_curve\n\n"
        f"curve = gradient_curve({DEFAULT_DIMS!r}, **{options!r})\n"
        "print(curve.statistics.mean[1], curve.statistics.median[1])\n"
    )


def jacobian_code(row, d_k):
    """The Python that computes both Jacobians again."""
    return (
        "from sattn_core.lessons.gradient_flow import measure_row_jacobian\n\n"
        f"row = measure_row_jacobian({row.raw_scores.tolist()!r}, {d_k})\n"
        "print(row.raw_norm, row.scaled_norm)\n"
    )
