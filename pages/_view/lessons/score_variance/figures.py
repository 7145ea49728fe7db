"""Pictures of the score_variance lesson: histograms, variance against d_k, random walks."""

from collections.abc import Mapping
from typing import Any

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
from pages._view.picture import Picture, Table
from pages._view.theme import Profile, number, percent, typed
from sattn_core.lessons.score_variance import ExampleDots, RandomWalks, ScoreVarianceResult, VarianceCurve

_D_TICKS = (1, 4, 16, 64, 256, 1024)
_TOP = 1.15


# --- histograms ------------------------------------------------------------------------------------------


def histograms(result: ScoreVarianceResult, score_axis: str, profile: Profile) -> Picture:
    """Raw above scaled, each bar as a share of its panel's tallest, on one axis or each on its own."""
    return Picture(
        "score_histograms",
        _histogram_figure(result, score_axis == "shared", profile),
        _histogram_sentence(result),
        _histogram_table(result),
        _histogram_code(result.params),
        sure=(f"Var(cX) = c² Var(X). {scaling_rule_sentence(result)}",),
        checks=moment_table(result),
    )


def _histogram_figure(result, shared, profile):
    raw_span, scaled_span = _spans(result, shared)
    tall = 0.43 if shared else 0.4  # the raw panel's own numbers stand above the title of the scaled one
    heights = axis(profile, grid=True, range=[0, _TOP], tickvals=[0, 0.5, 1])
    key = f"heights: share<br>of the tallest bar<br>dashed: {_predicted_by(result)}<br>distribution"
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
            corner(key, profile, axes="2", align="right"),
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
    predicted = np.minimum(getattr(result, f"{side}_law") / tallest, _TOP)
    name = f"{_predicted_by(result)} distribution"
    return [bars | on, line(getattr(result, f"{side}_grid"), predicted, dashed(profile), name) | on]


def _predicted_by(result):
    return "exact" if result.law_is_exact else "normal"


def _histogram_sentence(result):
    """The measured variances, each beside its prediction and its band."""
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


def _histogram_table(result):
    """Bins of both histograms and their common counts."""
    return {
        "raw from": result.raw_edges[:-1].tolist(),
        "raw to": result.raw_edges[1:].tolist(),
        "scaled from": result.scaled_edges[:-1].tolist(),
        "scaled to": result.scaled_edges[1:].tolist(),
        "count": result.counts.tolist(),
    }


def _histogram_code(params):
    return (
        "from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance\n\n"
        f"result = measure_score_variance({params!r})\n"
        "for row in result.rows:\n"
        "    print(row.name, row.measured, row.predicted, row.low, row.high)\n"
    )


# --- predicted and measured ------------------------------------------------------------------------------


def moment_table(result: ScoreVarianceResult) -> Table:
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


def scaling_rule_sentence(result: ScoreVarianceResult) -> str:
    """Var(cX) = c² Var(X) with the numbers of the moment."""
    rule = result.scaling_rule
    return (
        f"Here c = 1/√{result.params.d_k:,} = {number(rule.scale, 4)}, so c² Var(X) = {number(rule.scale, 4)}² × "
        f"{number(rule.raw_variance, 4)} = {number(rule.scale_squared_times_raw_variance, 4)}; "
        f"measured on the scaled scores: {number(rule.scaled_variance, 4)}."
    )


def _against(row):
    kind = "rough band" if row.is_rough else "95 % band"
    return f"{number(row.measured, 4)} (predicted {number(row.predicted, 4)}, {kind} {_band(row)}: {_verdict(row)})"


def _band(row):
    return "none" if row.inside is None else f"{number(row.low, 4)} to {number(row.high, 4)}"


def _verdict(row):
    return {True: "inside", False: "outside", None: "nothing to compare"}[row.inside]


# --- variance against d_k --------------------------------------------------------------------------------


def variance_against_dimension(curve: VarianceCurve, options: Mapping[str, Any], profile: Profile) -> Picture:
    """Raw, ÷ √d_k and ÷ d_k on log–log axes; options are those that `variance_curve` was given."""
    return Picture(
        "variance_curve",
        _curve_figure(curve, profile),
        _curve_sentence(curve, options["n_samples"]),
        _curve_table(curve),
        _curve_code(curve, options),
    )


def _curve_figure(curve, profile):
    """Points in their bands around the theory."""
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
    vertical: dict[str, Any] = {"type": "log", "range": [-3.9, 4.2], "dtick": 1, "exponentformat": "power"}
    return figure(
        profile,
        traces,
        left=4.5,
        title=title("Only ÷ √d_k is flat", profile, key="points: measured, dashed: theory"),
        xaxis=axis(profile, "d_k", type="log", tickvals=_D_TICKS, range=[-0.1, 3.15]),
        yaxis=axis(profile, "variance of the scores", grid=True, **vertical),
        annotations=names,
    )


def _at_the_end(name, profile, dims, values):
    """The name of a line on log–log axes, near its end: on the side from which the line does not come."""
    above = values[-2] >= values[0]
    side = {"yanchor": "bottom" if above else "top", "yshift": profile.marker_size * (1 if above else -1)}
    return label(name, profile, x=np.log10(dims[-2]), y=np.log10(values[-2]), xanchor="right", **side)


def _curve_sentence(curve, n_samples):
    """The last point of each line, measured beside predicted."""
    first, last = curve.dims[0], curve.dims[-1]
    raw, scaled, third = (number(row[-1]) for row in curve.measured)
    t_raw, t_scaled, t_third = (number(row[-1]) for row in curve.theory)
    goes = "climbs to" if curve.theory[0][-1] > curve.theory[0][0] else "stays at"
    return (
        f"From d_k = {first} to {last:,} the raw variance {goes} {raw} (predicted {t_raw}); divided by √d_k it is "
        f"{scaled} (predicted {t_scaled}), divided by d_k only {third} (predicted {t_third}). "
        f"Each point has {n_samples:,} pairs; bars are {'rough bands' if curve.is_rough else '95 % bands'}."
    )


def _curve_table(curve):
    """Every point with its theory and band."""
    names = ("raw", "divided by sqrt(d_k)", "divided by d_k")
    columns = {"d_k": list(curve.dims)}
    for i, name in enumerate(names):
        for what in ("measured", "theory", "low", "high"):
            columns[f"{name}: {what}"] = getattr(curve, what)[i].tolist()
    return columns


def _curve_code(curve, options):
    return (
        "from sattn_core.lessons.score_variance import variance_curve\n\n"
        f"curve = variance_curve({curve.dims!r}, **{options!r})\n"
        "print(curve.measured)\n"
    )


# --- random walks ----------------------------------------------------------------------------------------


def score_walks(walks: RandomWalks, options: Mapping[str, Any], profile: Profile) -> Picture:
    """The dot product as a random walk; options are those that `random_walks` was given."""
    return Picture(
        "random_walks",
        _walks_figure(walks, profile),
        _walks_sentence(walks),
        _walks_table(walks),
        _walks_code(walks, options),
    )


def _walks_figure(walks, profile):
    """The walks inside ± one standard deviation."""
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


def _walks_sentence(walks):
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


def _walks_table(walks):
    """Steps, walks and envelope as columns."""
    columns = {"step": walks.steps.tolist()}
    for i, walk in enumerate(walks.walks, start=1):
        columns[f"walk {i}"] = walk.tolist()
    return columns | {"low": walks.low.tolist(), "high": walks.high.tolist()}


def _walks_code(walks, options):
    return (
        "from sattn_core.lessons.score_variance import random_walks\n\n"
        f"walks = random_walks({walks.steps[-1]}, **{options!r})\n"
        "print(walks.walks[:, -1])\n"
    )


# --- the example made by hand ----------------------------------------------------------------------------


def example_sentence(example: ExampleDots) -> str:
    """Dot products of vectors typed by hand, with their mean and variance."""
    dots = ", ".join(typed(dot) for dot in example.dots)
    return f"Dot products {dots}; mean {number(example.mean, 6)}, variance {number(example.variance, 6)} (ddof = 0)."
