"""Pictures of the score_variance lesson: walks beside histograms, spreads against d_k."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pages._view.figures import base
from pages._view.figures.code import code, printed
from pages._view.figures.spreads import HIGH, LOOKS, LOW, End, at_mark, spread_figure
from pages._view.figures.tables import columns_of
from pages._view.lessons.score_variance.declaration import SMALLEST
from pages._view.marks import Mark
from pages._view.picture import Part, Picture, Table
from pages._view.theme import Profile, number, percent, typed
from sattn_core.lessons import score_variance as core

_TOP = 1.15
_STEPS = {"linear": (0, 256, 512, 1024), "root": (0, 64, 256, 1024)}  # ticks of the walks' axis
_BEYOND = 1.025  # the axis ends at this multiple of the last step
_MOST_POINTS, _ENVELOPE_POINTS = 150, 33  # points of a walk, and of an envelope line, at most
_PALE = 0.35  # opacity of the walks beyond d_k
_SAME = 0.05  # a scaled spread this close to 1 is called "the root"
_APART = 4  # from this d_k on, each of the three marks has room for a number beside it
_FEW = {12: "Twelve"}
_TO_COME = "walks to come"
_OFF = 1 / 7  # distance between a dashed line and its label, in em
_TAIL, _HIGHEST = 2.6, 0.9  # height of a distribution's label: so many σ above the mean, at most this share of the axis


# --- walks beside histograms -----------------------------------------------------------------------------


def walks_and_histograms(
    result: core.ScoreVarianceResult,
    walks: core.RandomWalks,
    options: Mapping[str, Any],
    profile: Profile,
    *,
    score_axis: str = "shared",
    products_axis: str = "linear",
) -> Picture:
    """Return the picture of random walks up to d_k beside histograms of raw and scaled scores with horizontal bars.

    score_axis: "shared" is the same for every d_k, "own" follows the spread. products_axis: "linear", or "root" for an
    axis of square roots. options: those given to `random_walks`.
    """
    d_k = result.params.d_k
    drawn = _main_figure(result, walks, score_axis == "shared", products_axis, profile)
    return Picture(
        "score_histograms",
        drawn,
        _main_sentence(result),
        _histogram_table(result),
        _main_code(result.params, walks, options),
        bins=_walks_table(walks, d_k),
        bins_name="the walks",
        alt=_main_alt(result, walks),
        sure=_main_sure(result, walks, score_axis),
        checks=moment_table(result),
        marks=_main_marks(drawn),
    )


def _main_marks(drawn):
    names = [each["name"] for each in drawn.data]
    raw, scaled = (tuple(name for name in names if name.startswith(each)) for each in ("raw,", "scaled,"))
    return (
        Mark("raw scores", raw),
        Mark("Divided by √dₖ", scaled),
        Mark("divided by √dₖ", scaled),
        Mark("root of dₖ", ("mean ± 1 σ",)),
    )


def before_drawing(shown: Picture, walks: core.RandomWalks, d_k: int, profile: Profile) -> Picture:
    """Return the part of the picture that is shown before the learner draws, on a linear axis of products.

    d_k: the last product shown, which the title names; the slider's d_k may be larger.
    """
    said = f"After {_products(d_k)} these sums spread by {_spread(walks.std[d_k])}."
    if not base.on_a_wall(profile):  # on a wall nobody draws: arrow keys turn the pages there
        said += " Draw how they go on: sweep over the picture, or move its points with the arrow keys."
    keep = [each["name"] for each in shown.figure.data if not each["name"].startswith(("scaled", _TO_COME))]
    known = shown.partly(said, keep=keep, words=(title := _title_of(walks), "Raw", "Scaled"), last=d_k)
    for each in known.figure.layout["annotations"]:
        if each["text"] == title:
            each["text"] = _two_lines(title, f"up to {_products(d_k)}", profile)
    return known


def _products(count):
    return "one product" if count == 1 else f"{count:,} products"


def on_products_axis(steps: ArrayLike, products_axis: str) -> NDArray[np.float64]:
    """Return the positions of these numbers of products on the walks' axis."""
    return np.sqrt(steps) if products_axis == "root" else np.asarray(steps, dtype=float)


def _main_figure(result, walks, shared, products_axis, profile):
    raw_span, scaled_span = _spans(result, shared)
    scores = base.axis(profile, grid=True, range=raw_span, anchor="x2", showticklabels=False, ticks="")
    own = {"range": scaled_span, "anchor": "x3"} | ({} if shared else {"side": "right", "showticklabels": True})
    fig = base.figure(
        profile,
        [
            *_walks(walks, result.params.d_k, products_axis, profile),
            *_histogram(result, "raw", "2", profile),
            *_histogram(result, "scaled", "3", profile),
        ],
        left=4.2,
        bottom=2.6,
        xaxis=_step_axis(walks, products_axis, profile),
        yaxis=base.axis(profile, "score", grid=True, range=raw_span, anchor="x"),
        xaxis2=_share_axis(profile, [0.61, 0.785], "y2"),
        yaxis2=scores,
        xaxis3=_share_axis(profile, [0.825, 1], "y3"),
        yaxis3=scores | own,
        annotations=[*_headings(result, walks, profile), *_names(result, walks, profile)],
    )
    right = 10 if shared else 2.5 * profile.axis_size
    fig.layout["margin"] |= {"t": 3 * profile.axis_size, "r": right}
    return fig


def _spans(result, shared):
    if shared:
        return [list(result.shared_span)] * 2
    return [[edges[0], edges[-1]] for edges in (result.raw_edges, result.scaled_edges)]


def _step_axis(walks, products_axis, profile):
    """Return the axis of the walks' steps or of their square roots; on the latter a square root is a straight line."""
    steps, end = _STEPS[products_axis], _BEYOND * on_products_axis(walks.steps[-1], products_axis)
    ticks = {"tickvals": on_products_axis(steps, products_axis), "ticktext": [f"{step:,}" for step in steps]}
    text = "products added (√ axis)" if products_axis == "root" else "products added"
    return base.axis(profile, text, near=True, domain=[0, 0.51], anchor="y", range=[0, float(end)], **ticks)


def _share_axis(profile, domain, anchor):
    return base.axis(profile, domain=domain, anchor=anchor, range=[0, _TOP], showticklabels=False, ticks="")


def _walks(walks, d_k, products_axis, profile):
    """Return the walks up to d_k and their ends, their continuation, and ± one standard deviation at all steps."""
    some, rest = walks.thinned(d_k, _MOST_POINTS), walks.thinned_from(d_k, _MOST_POINTS)
    bounds = walks.thinned(int(walks.steps[-1]), _ENVELOPE_POINTS)
    here = [float(on_products_axis(d_k, products_axis))] * len(walks.walks)
    marker = {"color": profile.raw, "size": profile.marker_size}
    style = base.solid(profile, profile.raw, 0.5)
    return [
        _many(rest, rest.walks, products_axis, style, _TO_COME) | {"opacity": _PALE},
        _many(some, some.walks, products_axis, style, "walks"),
        _many(bounds, (bounds.low, bounds.high), products_axis, base.dashed(profile), "mean ± 1 σ"),
        base.line(here, some.walks[:, -1], {}, f"walks at {d_k:,}") | {"mode": "markers", "marker": marker},
    ]


def _many(walks, heights, products_axis, style, name):
    """Return lines over the same steps as one trace with gaps, which the browser redraws faster than several traces."""
    gap = [np.nan]
    steps_and_gap = np.append(on_products_axis(walks.steps, products_axis), gap)
    return base.line(
        np.tile(steps_and_gap, len(heights)), np.concatenate([[*each, *gap] for each in heights]), style, name
    )


def _histogram(result, side, axes, profile):
    edges, density = getattr(result, f"{side}_edges"), getattr(result, f"{side}_density")
    tallest = density.max()
    on = {"xaxis": f"x{axes}", "yaxis": f"y{axes}"}
    shares = np.append(density / tallest, 0.0)
    outline = {"shape": "vh", "width": 0, "color": getattr(profile, side)}
    bars = base.line(shares, edges, outline, f"{side}, {result.n_scores:,} scores")
    predicted = np.minimum(getattr(result, f"{side}_law") / tallest, _TOP)
    name = f"{side}, {_predicted_by(result)} distribution"
    return [
        bars | on | {"fill": "tozerox", "fillcolor": getattr(profile, side)},
        base.line(predicted, getattr(result, f"{side}_grid"), base.dashed(profile), name) | on,
    ]


def _predicted_by(result):
    return "exact" if result.law_is_exact else "normal"


def _headings(result, walks, profile):
    """Return a heading for each panel: its name and current spread."""
    panels = (
        ("", _title_of(walks), "q₁k₁ + q₂k₂ + …"),
        ("2", "Raw", f"σ = {_spread(result.raw_std)}"),
        ("3", "Scaled", f"σ = {_spread(result.scaled_std)}"),
    )
    return [
        base.heading(_two_lines(name, said, profile), profile, axes=axes) | {"align": "left"}
        for axes, name, said in panels
    ]


def _two_lines(name, said, profile):
    """Return a heading with an explanation in small letters below it."""
    return f'{name}<br><span style="font-size: {profile.tick_size}px">{said}</span>'


def _title_of(walks):
    return f"{_FEW.get(len(walks.walks), len(walks.walks))} walks"


def _names(result, walks, profile):
    """Return the labels at the dashed lines' ends: one σ above and below the mean, and the predicted distribution."""
    ends = (("+σ", walks.high[-1], "bottom"), ("−σ", walks.low[-1], "top"))
    place: Part = {"xref": "x domain", "yref": "y", "x": 1}
    apart = walks.high[-1] > walks.low[-1]
    return [
        *(_name(text if apart else "", profile, y=float(y), yanchor=side, **place) for text, y, side in ends),
        _name_of_law(result, profile),
    ]


def _name(text, profile, **place):
    """Return a label to the right of this place."""
    return base.label(text, profile, xanchor="left", xshift=_OFF * profile.tick_size, bgcolor=None, **place)


def _name_of_law(result, profile):
    """Return the label of the predicted distribution of raw scores, beside its upper tail; empty if off the axis."""
    theory = result.theory
    y = theory.mean + _TAIL * theory.variance**0.5
    seen = theory.variance > 0 and y < _HIGHEST * result.shared_span[1]
    x = np.interp(y, result.raw_grid, result.raw_law) / result.raw_density.max() if seen else 0.0
    place: Part = {"xref": "x2", "yref": "y2", "x": min(float(x), _TOP), "y": y if seen else 0.0, "yanchor": "bottom"}
    return _name(_predicted_by(result) if seen else "", profile, **place)


def _spread(std):
    return number(std, 2)


def _main_sentence(result):
    """Return the sentence: the spread of raw and scaled scores, or their mean if it is larger."""
    d_k, theory, (raw, _, _, scaled, _, _) = result.params.d_k, result.theory, result.rows
    start = f"At dₖ = {d_k:,}"
    if result.raw_std == 0:
        return f"{start}, all raw scores are {number(raw.measured)}; divided by √dₖ, all are {number(scaled.measured)}."
    if theory.mean**2 > theory.variance:
        averages = f"raw scores average {number(raw.measured)}; divided by √dₖ, still {number(scaled.measured)}"
        return f"{start}, {averages}. The root of dₖ only tames the spread."
    return (
        f"{start}, raw scores spread by about {_spread(result.raw_std)}, {_beside_the_root(result)}. Divided by √dₖ, "
        f"they spread by about {_spread(result.scaled_std)}."
    )


def _beside_the_root(result):
    """Return a phrase that compares the measured spread with √d_k."""
    if abs(result.scaled_std - 1) < _SAME:
        return "the root of dₖ"
    return f"{'more' if result.scaled_std > 1 else 'less'} than the root of dₖ"


def _drawn(result):
    params = result.params
    if params.sampling == "pairs":
        return f"{params.n_samples:,} independent pairs"
    return f"the {params.n_queries} × {params.n_keys} entries of one Q Kᵀ"


def _main_alt(result, walks):
    """Return the picture in words, for people who do not see it."""
    return (
        f"{_main_sentence(result)} On the left {len(walks.walks)} sums of products walk up to step "
        f"{result.params.d_k:,}, and pale beyond it, between dashed lines one standard deviation above and below their "
        f"mean. On the right, histograms of {_drawn(result)}, raw and scaled."
    )


def _main_sure(result, walks, score_axis):
    """Return sentences on the rule behind the division, and on the scores and walks in the picture."""
    beyond = result.beyond_shared if score_axis == "shared" else result.beyond_own
    left_out = [f"{percent(beyond, 1)} of the raw scores lie beyond the axis."] if beyond >= 0.0005 else []
    return (
        f"Var(cX) = c² Var(X). {scaling_rule_sentence(result)}",
        f"The histograms show {_drawn(result)}. The {len(walks.walks)} walks are further pairs, drawn one product at a "
        f"time: a larger dₖ only adds products. Each is drawn at up to {_MOST_POINTS} of its steps.",
        *left_out,
    )


def _histogram_table(result):
    """Return a table of both histograms' bins, which have the same counts."""
    return {
        "raw from": result.raw_edges[:-1].tolist(),
        "raw to": result.raw_edges[1:].tolist(),
        "scaled from": result.scaled_edges[:-1].tolist(),
        "scaled to": result.scaled_edges[1:].tolist(),
        "count": result.counts.tolist(),
    }


def _walks_table(walks, d_k):
    """Return steps up to d_k, walks and envelope as columns."""
    far = slice(d_k + 1)
    columns = {"step": walks.steps[far].tolist()}
    for i, walk in enumerate(walks.walks, start=1):
        columns[f"walk {i}"] = walk[far].tolist()
    return columns | {"low": walks.low[far].tolist(), "high": walks.high[far].tolist()}


def _main_code(params, walks, options):
    """Return Python code that repeats the measurement and the random walks."""
    rows = "row.name, row.measured, row.predicted, row.low, row.high for row in result.rows"
    ends = f"walks.walks[:, {params.d_k}]"
    measured = code(core.measure_score_variance, params, show=rows)
    return measured + code(core.random_walks, walks.steps[-1], **options, name="walks", show=ends)


# --- predicted and measured ------------------------------------------------------------------------------


def moment_table(result: core.ScoreVarianceResult) -> Table:
    """Return mean, variance and excess kurtosis: predicted, measured, band, z and a verdict in words."""
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


def scaling_rule_sentence(result: core.ScoreVarianceResult) -> str:
    """Return the rule Var(cX) = c² Var(X) as a sentence with the current numbers."""
    rule = result.scaling_rule
    return (
        f"Here c = 1/√{result.params.d_k:,} = {number(rule.scale, 4)}, so c² Var(X) = {number(rule.scale, 4)}² × "
        f"{number(rule.raw_variance, 4)} = {number(rule.scale_squared_times_raw_variance, 4)}; "
        f"measured on the scaled scores: {number(rule.scaled_variance, 4)}."
    )


def _band(row):
    return "none" if row.inside is None else f"{number(row.low, 4)} to {number(row.high, 4)}"


def _verdict(row):
    return {True: "inside", False: "outside", None: "nothing to compare"}[row.inside]


# --- spread against d_k ----------------------------------------------------------------------------------


def spread_against_dimension(
    curve: core.VarianceCurve, d_k: int, options: Mapping[str, Any], profile: Profile
) -> Picture:
    """Return the picture of the spreads of raw scores, ÷ √d_k and ÷ d_k: measured marks, and their theory.

    options: those given to `variance_curve`.
    """
    return Picture(
        "variance_curve",
        _curve_figure(curve, d_k, profile, _reach(curve)),
        _curve_sentence(curve, d_k),
        _curve_table(curve),
        _curve_code(curve, options),
        alt=_curve_alt(curve, d_k, _curve_sentence(curve, d_k)),
        sure=_curve_sure(curve, d_k, options["n_samples"]),
        marks=[
            Mark(word, (name, f"{name}, theory"))
            for word, name in zip(("raw scores", "divided by √dₖ", "divided by dₖ"), LOOKS, strict=True)
        ],
    )


_SPREADS = ("measured", "theory", "low", "high")


def small_start(
    drawn: core.VarianceCurve, d_k: int, size: float, options: Mapping[str, Any], profile: Profile
) -> Picture:
    """Return the picture of spreads against d_k, with the drawn numbers of q and k multiplied by size."""
    curve = drawn.of_smaller(size)
    said = _small_sentence(curve, d_k, size)
    made = code(core.variance_curve, curve.dims, **options, name="drawn")
    return Picture(
        "small_start",
        _curve_figure(curve, d_k, profile, _reach(drawn, SMALLEST), numbers=1),
        said,
        _curve_table(curve),
        f"{made}curve = drawn.of_smaller({size!r})\n{printed(_CURVE_ROWS)}",
        alt=_curve_alt(curve, d_k, said),
        sure=(
            _SMALLER.format(size=typed(size), product=number(size**2)),
            *_curve_sure(curve, d_k, options["n_samples"]),
        ),
        marks=[Mark("raw scores", ("raw", "raw, theory"))] if "raw scores" in said else [],
    )


_SMALLER = (
    "Each number of q and k is {size} times what was drawn, each product and each score {product} times. Training may "
    "let the numbers grow again."
)
_CLOSE = 1.25  # a spread within this factor of 1 needs no division


def _small_sentence(curve, d_k, size):
    """Return the sentence on the spread of raw scores from numbers of this size, and on the need for a division."""
    raw = curve.spread("measured")[0][curve.dims.index(d_k)]
    if curve.theory[0][-1] == 0:
        return _curve_sentence(curve, d_k)
    than = ", still more than one" if raw > 1 else ", less than one"
    than = ": no division is needed" if 1 / _CLOSE <= raw <= _CLOSE else than
    start = f"At dₖ = {d_k:,}, numbers that spread by {typed(size)}"
    return f"{start} give raw scores that spread by about {_spread(raw)}{than}."


def _curve_table(curve):
    spreads = {what: curve.spread(what) for what in _SPREADS}
    return {"d_k": list(curve.dims)} | columns_of(("raw", "divided by √d_k", "divided by d_k"), spreads)


def _reach(curve, smallest=1.0):
    """Return an axis range for the curve at every size of components, down to the smallest."""
    theory = curve.spread("theory")
    if theory.max() == 0:
        return LOW, HIGH
    return min(LOW, smallest**2 * float(theory.min())), max(HIGH, float(theory.max()))


def _curve_figure(curve, d_k, profile, reach, numbers=3):
    theory = curve.spread("theory")
    varies = theory[0][-1] > 0  # a log axis has no room for constant scores
    traces = [each for i, name in enumerate(LOOKS) for each in _ray(curve, i, name, d_k, profile)]
    return spread_figure(
        profile,
        traces,
        _curve_ends(theory, profile) if varies else [],
        reach=reach,
        shapes=[base.upright(d_k, base.thin(profile)) | {"layer": "below"}],
        annotations=_curve_numbers(curve, d_k, profile)[:numbers] if varies else [],
    )


def _ray(curve, i, name, d_k, profile):
    """Return a rule's theory, its marks at powers of two, and its large mark at d_k."""
    measured, theory, low, high = (curve.spread(what)[i] for what in _SPREADS)
    colour, symbol = getattr(profile, LOOKS[name][0]), LOOKS[name][1]
    powers = [j for j, each in enumerate(curve.dims) if each & (each - 1) == 0]
    found = [base.line(curve.dims, theory, base.dashed(profile), f"{name}, theory")]
    for chosen, size in ((powers, 1), ([curve.dims.index(d_k)], 2)):
        bars = high[chosen] - theory[chosen], theory[chosen] - low[chosen]
        dims = np.array(curve.dims)[chosen]
        mark = base.points(profile, colour, symbol, dims, measured[chosen], *bars, name)
        look = {"marker": mark["marker"] | {"size": size * profile.marker_size}}
        found.append(mark | look | {"error_y": mark["error_y"] | {"width": 0}})
    return found


def _curve_ends(theory, profile):
    does = (
        ("spreads", "like √dₖ"),
        (f"stays at {number(theory[1][-1])}".removesuffix(".00"),),
        ("shrinks", "like 1/√dₖ"),
    )
    colours = [getattr(profile, colour) for colour, _ in LOOKS.values()]
    return [End(*each) for each in zip(LOOKS, does, theory[:, -1], colours, strict=True)]


def _curve_numbers(curve, d_k, profile):
    """Return the spread beside each large mark, if the three marks are far enough apart."""
    here = curve.spread("measured")[:, curve.dims.index(d_k)]
    told = d_k >= _APART and here[0] > 0
    texts = [_spread(each) if told else "" for each in here]
    return [at_mark(*each, d_k, height or 1, profile) for *each, height in zip(texts, LOOKS, here, strict=True)]


def _curve_sentence(curve, d_k):
    """Return the sentence on the three spreads at this d_k."""
    raw, scaled, third = (_spread(each) for each in curve.spread("measured")[:, curve.dims.index(d_k)])
    if curve.theory[0][-1] == 0:
        return "All raw scores are equal, so nothing spreads at any dₖ, divided or not."
    return f"In this draw raw scores spread by {raw}; divided by √dₖ, by {scaled}; divided by dₖ, by {third}."


def _curve_alt(curve, d_k, said):
    if curve.theory[0][-1] == 0:
        return said
    return (
        f"{said} Both axes are in powers of two. Three dashed rays start in one point: raw scores rise, those divided "
        f"by √dₖ stay level, those divided by dₖ fall. Large marks stand at dₖ = {d_k:,}."
    )


def _curve_sure(curve, d_k, n_samples):
    """Return sentences on the three spreads at this d_k, their predictions, and the bars."""
    names = ("Raw scores", "Divided by √dₖ", "Divided by dₖ")
    here = [curve.spread(what)[:, curve.dims.index(d_k)] for what in _SPREADS]
    band = "a rough band is" if curve.is_rough else "95 % of draws give"
    return (
        *(
            f"{name}: at dₖ = {d_k:,} the spread is {number(measured)}, predicted {number(theory)}; {band} "
            f"{number(low)} to {number(high)}."
            for name, measured, theory, low, high in zip(names, *here, strict=True)
        ),
        f"Each mark has {n_samples:,} pairs, the same at every dₖ: a larger dₖ only adds products to them.",
        "The spread is the standard deviation: the root of the variance.",
    )


def _curve_code(curve, options):
    return code(core.variance_curve, curve.dims, **options, name="curve", show=_CURVE_ROWS)


_CURVE_ROWS = f"curve.spread(what).tolist() for what in {_SPREADS}"
