"""Pictures of the score_variance lesson: histograms under their law, variance against d_k, random walks."""

import numpy as np

from pages._view.figures.base import (
    axis,
    corner,
    dashed,
    figure,
    heading,
    label,
    line,
    points,
    solid,
    steps,
    title,
)
from pages._view.theme import number, percent, typed

_D_TICKS = (1, 4, 16, 64, 256, 1024)
_TOP = 1.15


def histograms(result, profile, score_axis):
    """Raw above scaled, each bar as a share of its panel's tallest, on one axis or each on its own."""
    shared = score_axis == "shared"
    raw_span, scaled_span = _spans(result, shared)
    tall = 0.43 if shared else 0.4  # the raw panel's own numbers stand above the title of the scaled one
    heights = axis(profile, grid=True, range=[0, _TOP], tickvals=[0, 0.5, 1])
    return figure(
        profile,
        _histogram(result, "raw", "", profile) + _histogram(result, "scaled", "2", profile),
        height=1.05,
        xaxis=axis(profile, range=raw_span, anchor="y", showticklabels=not shared),
        yaxis=heights | {"domain": [1 - tall, 1], "anchor": "x"},
        xaxis2=axis(profile, "score", range=scaled_span, anchor="y2"),
        yaxis2=heights | {"domain": [0, tall], "anchor": "x2"},
        annotations=[
            heading(f"Raw scores: variance {number(result.rows[1].measured, 4)}", profile),
            heading(f"Scaled scores: variance {number(result.rows[4].measured, 4)}", profile, axes="2"),
            corner(
                f"heights: share<br>of the tallest bar<br>dashed: {_law_name(result)}", profile, axes="2", align="right"
            ),
            *_beyond(result, shared, profile),
        ],
    )


def _spans(result, shared):
    if shared:
        return [list(result.shared_span)] * 2
    return [[edges[0], edges[-1]] for edges in (result.raw_edges, result.scaled_edges)]


def _beyond(result, shared, profile):
    """How many raw scores the axis leaves out."""
    share = result.beyond_shared if shared else result.beyond_own
    text = f"{percent(share, 1)} beyond<br>the axis"
    return [corner(text, profile, side="left", align="left")] if share >= 0.0005 else []


def _histogram(result, side, axes, profile):
    edges = getattr(result, f"{side}_edges")
    density = getattr(result, f"{side}_density")
    tallest = density.max()
    on = {"xaxis": f"x{axes}", "yaxis": f"y{axes}"}
    bars = steps(edges, density / tallest, getattr(profile, side), f"{side}, {result.n_scores:,} scores")
    law = np.minimum(getattr(result, f"{side}_law") / tallest, _TOP)
    return [bars | on, line(getattr(result, f"{side}_grid"), law, dashed(profile), _law_name(result)) | on]


def _law_name(result):
    return "exact law" if result.law_is_exact else "normal law"


def histogram_sentence(result):
    """What the histograms say at this moment."""
    params, (_, raw, _, _, scaled, _) = result.params, result.rows
    drawn = (
        f"{params.n_samples:,} independent pairs"
        if params.sampling == "pairs"
        else f"the {params.n_queries} × {params.n_keys} entries of one Q Kᵀ"
    )
    return (
        f"At d_k = {params.d_k:,}, over {drawn}, raw scores have variance {_against(raw)}; "
        f"divided by √{params.d_k:,} they have {_against(scaled)}."
    )


def histogram_table(result):
    """Bins of both histograms and their common counts, for the table and its file."""
    return {
        "raw from": result.raw_edges[:-1].tolist(),
        "raw to": result.raw_edges[1:].tolist(),
        "scaled from": result.scaled_edges[:-1].tolist(),
        "scaled to": result.scaled_edges[1:].tolist(),
        "count": result.counts.tolist(),
    }


def moment_table(result):
    """Mean, variance and excess kurtosis: predicted, measured, band, z and a verdict in words."""
    rows = result.rows
    return {
        "quantity": [row.name for row in rows],
        "predicted": [number(row.predicted, 4) for row in rows],
        "measured": [number(row.measured, 4) for row in rows],
        "95 % band": [f"{'roughly ' if row.is_rough else ''}{_band(row)}" for row in rows],
        "z": [number(row.z, 2) if row.inside is not None else "none" for row in rows],
        "verdict": [_verdict(row) for row in rows],
        "sampling error": [row.error_source for row in rows],
    }


def variance_against_dimension(curve, profile):
    """Variance against d_k on log–log axes: raw, ÷ √d_k, ÷ d_k, points in their bands around the theory."""
    styles = (
        ("raw", profile.raw, "circle"),
        ("÷ √d_k", profile.scaled, "square"),
        ("÷ d_k", profile.third, "diamond"),
    )
    dims = np.array(curve.dims)
    traces, names = [], []
    for i, (name, colour, symbol) in enumerate(styles):
        above, below = curve.high[i] - curve.theory[i], curve.theory[i] - curve.low[i]
        traces.append(line(dims, curve.theory[i], dashed(profile), f"{name}, theory"))
        traces.append(points(profile, colour, symbol, dims, curve.measured[i], above, below, name))
        if curve.theory[i][-2] > 0:  # constant scores have no place on a log axis
            names.append(_at_the_end(name, profile, dims, curve.theory[i]))
    return figure(
        profile,
        traces,
        left=4.5,
        title=title("Only ÷ √d_k is flat", profile, key="points: measured, dashed: theory"),
        xaxis=axis(profile, "d_k", type="log", tickvals=_D_TICKS, range=[-0.1, 3.15]),
        yaxis=axis(
            profile, "variance of the scores", grid=True, type="log", range=[-3.9, 4.2], dtick=1, exponentformat="power"
        ),
        annotations=names,
    )


def _at_the_end(name, profile, dims, values):
    """The name of a line on log–log axes, near its end: on the side from which the line does not come."""
    above = values[-2] >= values[0]
    side = {"yanchor": "bottom" if above else "top", "yshift": profile.marker_size * (1 if above else -1)}
    return label(name, profile, x=np.log10(dims[-2]), y=np.log10(values[-2]), xanchor="right", **side)


def curve_sentence(curve, n_samples):
    """What the curve says: the ends of the three lines, measured beside predicted."""
    first, last = curve.dims[0], curve.dims[-1]
    raw, scaled, third = (number(row[-1]) for row in curve.measured)
    t_raw, t_scaled, t_third = (number(row[-1]) for row in curve.theory)
    goes = "climbs to" if curve.theory[0][-1] > curve.theory[0][0] else "stays at"
    return (
        f"From d_k = {first} to {last:,} the raw variance {goes} {raw} (predicted {t_raw}); divided by √d_k it is "
        f"{scaled} (predicted {t_scaled}), divided by d_k only {third} (predicted {t_third}). "
        f"Each point has {n_samples:,} pairs; bars are {'rough bands' if curve.is_rough else '95 % bands'}."
    )


def curve_table(curve):
    """Every point of the curve with its theory and band."""
    names = ("raw", "divided by sqrt(d_k)", "divided by d_k")
    columns = {"d_k": list(curve.dims)}
    for i, name in enumerate(names):
        for what in ("measured", "theory", "low", "high"):
            columns[f"{name}: {what}"] = getattr(curve, what)[i].tolist()
    return columns


def walks_figure(walks, profile):
    """The dot product as a random walk inside ± one standard deviation."""
    style = solid(profile, profile.raw, 0.8)
    return figure(
        profile,
        [line(walks.steps, walk, style, f"walk {i}") for i, walk in enumerate(walks.walks, start=1)]
        + [line(walks.steps, bound, dashed(profile), "mean ± 1 σ") for bound in (walks.low, walks.high)],
        left=4.2,
        title=title("A score walks d_k steps", profile, key="dashed: mean ± 1 σ"),
        xaxis=axis(profile, "coordinates added so far"),
        yaxis=axis(profile, "partial sum of q·k", grid=True),
    )


def walks_sentence(walks):
    """Where the walks stand after the last step."""
    d_k = int(walks.steps[-1])
    inside = int(np.sum((walks.walks[:, -1] >= walks.low[-1]) & (walks.walks[:, -1] <= walks.high[-1])))
    stand = "stands" if inside == 1 else "stand"
    if walks.low[-1] == walks.high[-1]:
        return f"After {d_k:,} steps all walks stand at {number(walks.low[-1])}: every step is the same."
    return (
        f"After {d_k:,} steps {inside} of {len(walks.walks)} walks {stand} within one standard deviation, "
        f"{number(walks.low[-1])} to {number(walks.high[-1])}: its width grows like the square root of the steps."
    )


def walks_table(walks):
    """Steps, walks and envelope as columns."""
    columns = {"step": walks.steps.tolist()}
    for i, walk in enumerate(walks.walks, start=1):
        columns[f"walk {i}"] = walk.tolist()
    return columns | {"low": walks.low.tolist(), "high": walks.high.tolist()}


def scaling_rule_sentence(result):
    """Var(cX) = c² Var(X) with the numbers of the moment."""
    rule = result.scaling_rule
    return (
        f"Here c = 1/√{result.params.d_k:,} = {number(rule.scale, 4)}, so c² Var(X) = {number(rule.scale, 4)}² × "
        f"{number(rule.raw_variance, 4)} = {number(rule.scale_squared_times_raw_variance, 4)}; "
        f"measured on the scaled scores: {number(rule.scaled_variance, 4)}."
    )


def example_sentence(example):
    """Dot products of vectors typed by hand, with their mean and variance."""
    dots = ", ".join(typed(dot) for dot in example.dots)
    return f"Dot products {dots}; mean {number(example.mean, 6)}, variance {number(example.variance, 6)} (ddof = 0)."


def code(params):
    """The Python that computes the numbers of this page again."""
    return (
        "from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance\n\n"
        f"result = measure_score_variance({params!r})\n"
        "for row in result.rows:\n"
        "    print(row.name, row.measured, row.predicted, row.low, row.high)\n"
    )


def curve_code(dims, options):
    """The Python that computes the curve again."""
    return (
        "from sattn_core.lessons.score_variance import variance_curve\n\n"
        f"curve = variance_curve({dims!r}, **{options!r})\nprint(curve.measured)\n"
    )


def walks_code(options):
    """The Python that computes the walks again."""
    return (
        "from sattn_core.lessons.score_variance import random_walks\n\n"
        f"walks = random_walks(1024, **{options!r})\nprint(walks.walks[:, -1])\n"
    )


def _against(row):
    kind = "rough band" if row.is_rough else "95 % band"
    return f"{number(row.measured, 4)} (predicted {number(row.predicted, 4)}, {kind} {_band(row)}: {_verdict(row)})"


def _band(row):
    return "none" if row.inside is None else f"{number(row.low, 4)} to {number(row.high, 4)}"


def _verdict(row):
    return {True: "inside", False: "outside", None: "nothing to compare"}[row.inside]
