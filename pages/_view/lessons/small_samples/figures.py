"""Pictures of the small_samples lesson: many small experiments, their band against size, and the large one."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.figures.ends import apart
from pages._view.marks import Mark, readable
from pages._view.picture import Part, Picture, Table
from pages._view.theme import Profile, number
from sattn_core.lessons import small_samples as core

Named = tuple[str, float, Part]  # a mark: its name, its value and its line style
_ASKED_SIZE = 2  # size and d_k of the experiment in the question
TOP = 1.75  # axis end relative to the highest bar: room for the marks' labels
_OUTLINE = slice(18, 40)  # bins under the outline's label
_OVER, _LEAST_OVER = 0.02, 0.1  # in shares of the height: the label's distance from the curve, and its lowest place
_HIGHEST_RATIO = 4
_ROOM = 40  # letters per title line on a phone
_END = 6.6  # right margin for labels, in em of a tick label
_LINE, _SEEN = 1.3, 0.75  # height of a line, in em; share of the plot that a small window shows
_ABOVE_RUNS = 3.4  # upper end of the line at the exact mean; the runs are at 2 and 3
_SIZE_TICKS = (2, 4, 8, 16, 32, 64)
_SMALL = 0.5
_NAIVE = ("as if independent, low", "as if independent, high")
_NARROW = 0.9  # a band of less than this share of the exact width is called too narrow
_ROW_NAMES = {"A": "A", "B": "B", "product": "A B", "scaled product": "A B / √dₖ"}
_CHECK_NAMES = {
    "mean": "mean",
    "median": "median",
    "below 1.6": "below 1.6, %",
    "near d_k": "within 10 % of dₖ, %",
}


# --- the draws -------------------------------------------------------------------------------------------


def draws(
    asked: core.SmallSamplesResult,
    sweep: core.DrawSweep,
    d_k: int,
    profile: Profile,
) -> Picture:
    """Return the picture of draws of the question's experiment, beside draws at the current size and d_k."""
    i, counted = sweep.dims.index(d_k), sweep.first(asked.params.n_draws)
    sentence = _draws_sentence(asked, counted, i)
    return Picture(
        "small_samples",
        _draws_figure(asked, sweep, counted, i, profile),
        sentence,
        _draws_table(asked, sweep, counted, i),
        _draws_code(asked.params, sweep, i),
        alt=_draws_alt(asked, sweep, i, sentence),
        sure=_draws_sure(asked, sweep, counted, i),
        checks=check_table(asked, sweep, counted, i),
        marks=(
            Mark(f"average {number(asked.mean_theory, 2)}", (_mean_name(asked),)),
            Mark(f"{asked.value}", (_value_name(asked),)),
            *(Mark(word, ("draws",)) for word in ("the draws", "the one draw", "every draw", "no draw")),
            Mark("dₖ", ("dₖ",)),
        ),
    )


def _draws_figure(asked, sweep, counted, i, profile):
    """Return two histograms: the question's experiment, which stays, and the current one in units of d_k."""
    tops = [TOP * max(asked.counts.max(), asked.expected.max()), TOP * counted.counts.max()]
    left, asked_names = _asked_side(asked, tops[0], profile)
    right, names = _side_of_the_moment(sweep, counted, i, tops[1], profile)
    heights = base.axis(profile, showticklabels=False, ticks="")
    fig = base.figure(
        profile,
        [*left, *right],
        height=0.75 if base.on_a_wall(profile) else 1.0,
        left=0.6,
        xaxis=_values(profile, "variance", asked.edges[-1], [0, 0.48], "y"),
        xaxis2=_values(profile, "variance ÷ dₖ", sweep.edges[-1], [0.52, 1], "y2"),
        yaxis=heights | {"range": [0, tops[0]], "anchor": "x"},
        yaxis2=heights | {"range": [0, tops[1]], "anchor": "x2"},
        annotations=[*asked_names, *names, *_headings(asked, sweep, counted, i, profile)],
    )
    fig.layout["margin"]["t"] = round((1.7 if base.on_a_wall(profile) else 4.3) * profile.axis_size)
    return fig


def _asked_side(asked, top, profile):
    """Return traces and labels of the left-hand histogram."""
    lines, names = marked(asked_marks(asked, profile), top, "", profile)
    outline = base.line(asked.edges, [*asked.expected, 0], base.dashed(profile) | {"shape": "hv"}, "expected")
    bars = base.steps(asked.edges, asked.counts, profile.raw, "draws")
    last = _last_draw(min(asked.variances.flat[-1], asked.edges[-1]), top, profile)
    return [bars, outline, *lines, last], [*names, outline_name(asked, top, profile)]


def outline_name(asked: core.SmallSamplesResult | core.ClassDraws, top: float, profile: Profile) -> Part:
    """Return the label of the outline, above its tail."""
    under = max(each[_OUTLINE].max() for each in (asked.counts, asked.expected))
    place: Part = {"x": float(asked.edges[_OUTLINE].mean()), "y": max(under + _OVER * top, _LEAST_OVER * top)}
    return base.label("exact", profile, yanchor="bottom", bgcolor=None, borderpad=0, **place)


def _side_of_the_moment(sweep, counted, i, top, profile):
    """Return traces and labels of the right-hand histogram; its axis has room for the highest bar at any d_k."""
    lines, names = marked(_marks(sweep, profile), top, "2", profile)
    bars = base.steps(sweep.edges, counted.counts[i], profile.raw, "draws")
    last = _last_draw(min(counted.ratios[i, -1], sweep.edges[-1]), top, profile)
    return [part | {"xaxis": "x2", "yaxis": "y2"} for part in (bars, *lines, last)], names


def _values(profile, text, highest, domain, anchor):
    return base.axis(profile, text, domain=domain, range=[0, highest], nticks=5, anchor=anchor)


def _headings(asked, sweep, counted, i, profile):
    size = sweep.size
    return [
        _heading("The question", _ASKED_SIZE, asked.variances.flat[-1], "", profile),
        _heading(f"dₖ = {sweep.dims[i]:,}", size, counted.ratios[i, -1], "2", profile),
    ]


def _heading(name, size, last, axes, profile):
    """Return a histogram's heading with its last draw; on a wall in one line, since pictures are low there."""
    wall = base.on_a_wall(profile)
    small = f"{size} × {size} products{', ' if wall else '<br>'}last ▲ {number(last, 2)}"
    written = f'<span style="font-size: {profile.tick_size}px">{small}</span>'
    return base.heading(f"{name}{', ' if wall else '<br>'}{written}", profile, axes=axes) | {"align": "left"}


def _last_draw(place, top, profile):
    """Return a triangle under the bars at the last draw, or at the last edge if the draw is beyond it."""
    marker = {"symbol": "triangle-up", "size": profile.marker_size * 2, "color": profile.text}
    return base.line([place], [0.02 * top], {}, "last draw") | {"mode": "markers", "marker": marker}


def marked(marks: Iterable[Named], top: float, axes: str, profile: Profile) -> tuple[list[Part], list[Part]]:
    """Return the marks and their labels, each lower than the one before it, so that no label covers a mark."""
    lines, names = [], []
    for row, (name, value, style) in enumerate(sorted(marks, key=lambda mark: mark[1])):
        height = top * (0.98 - 0.18 * row)
        lines.append(base.line([value, value], [0, height], style, name))
        place = {"x": value, "y": height, "xref": f"x{axes}", "yref": f"y{axes}"}
        names.append(base.label(name, profile, xanchor="left", yanchor="top", xshift=4, **place))
    return lines, names


def _mean_name(asked):
    return f"mean {number(asked.mean_theory)}"


def _value_name(asked):
    return f"{asked.value} found"


def asked_marks(asked: core.SmallSamplesResult | core.ClassDraws, profile: Profile) -> tuple[Named, ...]:
    """Return the left-hand marks (name, value and line style), the exact mean first."""
    return (
        (_mean_name(asked), asked.mean_theory, base.dashed(profile)),
        (_value_name(asked), asked.value, base.solid(profile, profile.text, 1.5)),
        (f"{_ASKED_SIZE} expected", _ASKED_SIZE, base.dotted(profile)),
    )


def _marks(sweep, profile):
    return (f"mean {_mean(sweep)}", sweep.mean_theory, base.dashed(profile)), ("dₖ", 1, base.dotted(profile))


def _mean(sweep):
    """Return the exact mean in units of d_k, with enough digits to tell it from 1, unless it is 1."""
    digits = 3
    while sweep.ddof == 0 and number(sweep.mean_theory, digits) == number(1, digits):
        digits += 1
    return number(sweep.mean_theory, digits)


def _draws_sentence(asked, counted, i):
    """Return sentences that say if the question's number is ordinary, and how many current draws are close to d_k."""
    ordinary = asked.low <= asked.value <= asked.high
    is_it = f"so {asked.value} is ordinary" if ordinary else f"yet {asked.value} is still not ordinary"
    return (
        f"Variances of two-by-two products average {number(asked.mean_theory, 2)}, {is_it}. "
        f"On the right, {_near(counted, i)} within a tenth of dₖ."
    )


def _near(counted, i):
    """Return a phrase on the share of draws close to d_k."""
    n, near = counted.ratios.shape[1], counted.near[i]
    if n == 1:
        return "the one draw comes" if near else "the one draw does not come"
    if near in (0, n):
        return "every draw comes" if near else "no draw comes"
    share = min(max(round(100 * near / n), 1), 99)
    return f"about {share} % of the draws come"


def _draws_alt(asked, sweep, i, sentence):
    size = sweep.size
    return (
        f"{sentence} Two histograms, the left one of {draws_of(asked.variances.size)}. Left: the variance of the four "
        f"entries of a product of two 2 × 2 matrices, with lines at the exact mean {number(asked.mean_theory)}, at "
        f"{asked.value} and at 2. "
        f"Right: the same divided by dₖ for {size} × {size} products at dₖ = {sweep.dims[i]:,}, with lines at the "
        f"exact mean {_mean(sweep)} and at 1."
    )


def draws_of(n: int) -> str:
    """Return a number of draws as text."""
    return "1 draw" if n == 1 else f"{n:,} draws"


def _draws_sure(asked, sweep, counted, i):
    """Return sentences on the draws and their exact means, the percentile of 1.6, and the method."""
    low, middle, high = (number(each) for each in (asked.low, asked.median, asked.high))
    return (
        f"{draws_of(asked.params.n_draws)} of two normal 2 × 2 matrices: the variance of the four entries "
        f"(ddof = {sweep.ddof}) is on average {number(asked.mean_measured)} ± {number(asked.standard_error, 2)}, where "
        f"{number(asked.mean_theory)} is predicted{_not_d_k(asked)}. The last draw gave {number(asked.variances[-1])}.",
        f"Half of all draws lie below {middle}, nine in ten between {low} and {high}. The {asked.value} of the "
        f"question is at percentile {asked.percentile:.1f} ± {number(asked.percentile_error, 2)}: "
        f"{'an ordinary' if asked.low <= asked.value <= asked.high else 'a rare'} result.",
        f"{_matrices(sweep, i)}: the last draw gave {number(counted.ratios[i, -1])} times dₖ, and "
        f"{counted.near[i]:,} of {draws_of(asked.params.n_draws)} lie within a tenth of dₖ. "
        f"{_beyond(counted.above[i])} beyond the axis.",
        "The right histogram keeps its draws when dₖ moves: a larger dₖ only adds to them. The first draw at the left "
        "multiplies its two matrices; all other variances are drawn from their exact distribution.",
    )


def _not_d_k(asked):
    return f", not dₖ = {asked.params.d_k}" if asked.params.ddof == 0 else ", which is dₖ"


def _matrices(sweep, i):
    size, d_k = sweep.size, f"{sweep.dims[i]:,}"
    return f"Normal matrices of {size} × {d_k} times {d_k} × {size}"


def _beyond(above):
    return "None lies" if above == 0 else "1 lies" if above == 1 else f"{above:,} lie"


def _draws_table(asked, sweep, counted, i):
    """Return a table of both histograms: bins, draws in them and, for the left-hand one, expected counts."""
    return {
        "variance from, 2 × 2": asked.edges[:-1].tolist(),
        "to, 2 × 2": asked.edges[1:].tolist(),
        "draws, 2 × 2": asked.counts.tolist(),
        "expected, 2 × 2": asked.expected.tolist(),
        "variance ÷ d_k from": sweep.edges[:-1].tolist(),
        "to": sweep.edges[1:].tolist(),
        "draws": counted.counts[i].tolist(),
    }


def _draws_code(params, sweep, i):
    options = {"size": sweep.size, "ddof": sweep.ddof, "n_draws": params.n_draws, "seed": sweep.seed, "name": "sweep"}
    shown = "result.mean_measured, result.mean_theory, result.median, result.percentile"
    ratios = "sweep.ratios[-1].mean(), sweep.mean_theory"
    asked = code(core.measure_small_samples, params, show=shown)
    return asked + code(core.draw_sweep, sweep.dims[: i + 1], **options, show=ratios)


# --- predicted and measured ------------------------------------------------------------------------------


def check_table(asked: core.SmallSamplesResult, sweep: core.DrawSweep, counted: core.FirstDraws, i: int) -> Table:
    """Return a table of the draws' statistics with their predictions and standard errors."""
    checks = [*asked.checks, counted.check(sweep, i)]
    right = f"{sweep.size} × {sweep.size} at dₖ = {sweep.dims[i]:,}: mean ÷ dₖ"
    return {
        "of the variances": [*(f"2 × 2: {_CHECK_NAMES[each.name]}" for each in asked.checks), right],
        "predicted": [*(_value(each.predicted, each.predicted_error) for each in asked.checks), _mean(sweep)],
        "measured": [number(each.measured) for each in checks],
        "standard error": [number(each.standard_error, 2) for each in checks],
        "z": ["none" if np.isnan(each.z) else number(each.z) for each in checks],
    }


def _value(value, error):
    return f"{number(value)} ± {number(error, 2)}" if error else number(value)


def first_draw(result: core.SmallSamplesResult) -> Iterable[tuple[str, str]]:
    """Return the first draw of the question's experiment as a formula with its variance."""
    A, B, C = (_latex(each) for each in (result.first_A, result.first_B, result.first_product))
    ddof = result.params.ddof
    variance = number(result.variances[0])
    said = f"The four entries of the first draw have variance {variance} (ddof = {ddof})."
    return ((f"{A}\\,{B} = {C}", said),)


def _latex(matrix):
    rows = "\\\\".join("&".join(f"{value:.2f}" for value in row) for row in matrix)
    return f"\\begin{{pmatrix}}{rows}\\end{{pmatrix}}"


# --- the band against the size ---------------------------------------------------------------------------


def band(curve: core.BandCurve, options: Mapping[str, Any], profile: Profile) -> Picture:
    """Return the picture of variance ÷ d_k against the matrix size. options: those given to `band_curve`."""
    return Picture(
        "sample_band",
        _band_figure(curve, profile),
        _band_sentence(curve),
        {
            "size": list(curve.sizes),
            "mean": curve.mean.tolist(),
            "standard deviation": curve.std.tolist(),
            "low": curve.low.tolist(),
            "high": curve.high.tolist(),
            "naive low": curve.naive_low.tolist(),
            "naive high": curve.naive_high.tolist(),
            "share inside": curve.share_inside.tolist(),
            "share inside the naive band": curve.naive_share_inside.tolist(),
        },
        _band_code(curve, options),
        sure=(f"{_band_claim(curve)}.", *_band_sure(curve)),
        marks=(Mark("variance", ("exact band, high", "exact band, low")), Mark("dotted band", _NAIVE)),
    )


def _band_figure(curve, profile):
    """Return the exact band, the one for independent entries, and measured points."""
    sizes, d = np.array(curve.sizes), curve.d_k
    naive = curve.naive_low, curve.naive_high
    none, fill = {"width": 0, "color": profile.band}, {"fill": "tonexty", "fillcolor": f"{profile.band}40"}
    fig = base.figure(
        profile,
        [
            base.line(sizes, curve.low / d, none, "exact band, low"),
            base.line(sizes, curve.high / d, none, "exact band, high") | fill,
            _measured_points(curve, profile),
            base.line(sizes, curve.mean / d, base.dashed(profile), "exact mean"),
            *(base.line(sizes, each / d, base.dotted(profile), name) for each, name in zip(naive, _NAIVE, strict=True)),
        ],
        height=0.8 if base.on_a_wall(profile) else 1.0,
        left=2.0,
        title=base.title("<b>Variance ÷ dₖ of drawn products</b>", profile, size=profile.axis_size, letters=_ROOM),
        xaxis=base.axis(profile, "size of the matrix", type="log", tickvals=_SIZE_TICKS, range=[0.25, 1.84]),
        yaxis=base.axis(profile, grid=True, range=[0, _HIGHEST_RATIO]),
    )
    fig.layout["margin"]["r"] = round(_END * profile.tick_size)
    fig.layout["annotations"] = _band_names(curve, fig, profile)
    return fig


def _band_names(curve, fig, profile):
    """Return the labels of the bands and of the exact mean, at their right ends and without overlaps."""
    names = ("95 % band", profile.band), ("exact mean", profile.text), ("as if<br>independent", profile.text)
    ends = [each[-1] / curve.d_k for each in (curve.high, curve.mean, curve.naive_low)]
    margin = fig.layout["margin"]
    gap = _LINE * profile.tick_size * _HIGHEST_RATIO / (_SEEN * (fig.layout["height"] - margin["t"] - margin["b"]))
    ends.append(ends[-1] - 1e-9)
    placed = apart(ends, gap, _HIGHEST_RATIO)
    upper, middle, *lower = placed - placed.mean() + np.mean(ends)
    place: Part = {"xref": "paper", "x": 1, "xanchor": "left", "align": "left", "bgcolor": None}
    words = [
        base.label(text, profile, y=float(y), **place)
        for (text, _), y in zip(names, (upper, middle, np.mean(lower)), strict=True)
    ]
    for word, (_, colour) in zip(words, names, strict=True):
        word["font"]["color"] = readable(colour, profile.ground, profile.text)
    return words


def _measured_points(curve, profile):
    sizes = np.repeat(curve.sizes, curve.measured.shape[1])
    marker = {"color": profile.raw, "symbol": "circle", "size": profile.marker_size * _SMALL}
    return base.line(sizes, curve.measured.ravel() / curve.d_k, {}, "measured") | {"mode": "markers", "marker": marker}


def _band_claim(curve):
    if curve.std[-1] / curve.mean[-1] < curve.std[0] / curve.mean[0]:
        return "Larger matrices scatter less"
    return "Larger matrices scatter as much"


def _band_sentence(curve):
    """Return the sentence: the upper end of the band at the first and at the last size."""
    small, large = (high / curve.d_k for high in (curve.high[0], curve.high[-1]))
    narrow = (curve.naive_high[-1] - curve.naive_low[-1]) < _NARROW * (curve.high[-1] - curve.low[-1])
    dotted_band = (
        "Shared rows make the dotted band too narrow." if narrow else "At so large a dₖ, shared rows hardly matter."
    )
    return (
        f"The variance’s 95 % band ends at {number(small, 2)} times dₖ for small products, {number(large)} for large. "
        f"{dotted_band}"
    )


def _band_sure(curve):
    """Return sentences on the band at the first and the last size, and on the share of points in each band."""
    size, n = curve.sizes[-1], curve.measured.size
    inside, naive = (f"{100 * share.mean():.0f} %" for share in (curve.share_inside, curve.naive_share_inside))
    return (
        f"At dₖ = {curve.d_k:,} the 95 % band of the variance goes from {number(curve.low[0])} to "
        f"{number(curve.high[0])} at 2 × 2 to {number(curve.low[-1])} to {number(curve.high[-1])} at {size} × {size}.",
        f"Of {n} measured points {inside} lie inside it, and {naive} inside the dotted band, which treats the entries "
        "as independent.",
    )


def _band_code(curve, options):
    return code(core.band_curve, curve.sizes, **options, name="curve", show="curve.low, curve.high")


# --- the large experiment --------------------------------------------------------------------------------


def large_experiment(experiment: core.LargeExperiment, profile: Profile) -> Picture:
    """Return the picture of the large product's variance, measured and published, with the exact and the wrong band."""
    return Picture(
        "large_experiment",
        _large_figure(experiment, profile),
        _large_sentence(experiment),
        _large_table(experiment),
        _large_code(experiment),
        sure=_large_sure(experiment),
        checks=large_rows(experiment),
        marks=(
            Mark("published", ("published",)),
            Mark("exact band", ("exact",)),
            Mark("treats the entries as independent", ("as if independent",)),
        ),
    )


def _large_figure(experiment, profile):
    row = experiment.rows[2]
    runs = (
        ("this run", row.measured, row.z, "circle", profile.raw),
        ("published", row.published, row.published_z, "square", profile.text),
    )
    wall = base.on_a_wall(profile)
    said = [f"{name}{', ' if wall else '<br>'}z = {number(z)}" for name, _, z, *_ in runs]
    names = ["as if independent", "exact band"] if wall else ["as if<br>independent", "exact<br>band"]
    half = 4 * row.std
    places = {"tickvals": [0, 1, 2, 3], "ticktext": [*names, said[1], said[0]], "range": [-0.6, 3.9]}
    return base.figure(
        profile,
        [
            *_large_bands(experiment, profile),
            *(_run(place, *run, profile) for place, run in zip((3, 2), runs, strict=True)),
        ],
        height=0.8,
        left=10 if wall else 5.6,
        xaxis=base.axis(profile, "variance of A B", grid=True, range=[row.mean - half, row.mean + half]),
        yaxis=base.axis(profile, showline=False, **places),
        annotations=[base.label("exact mean", profile, x=row.mean, y=_ABOVE_RUNS, yanchor="bottom", bgcolor=None)],
    )


def _large_bands(experiment, profile):
    mean = experiment.rows[2].mean
    bar = {"width": profile.line_width * 5}
    return [
        base.line(experiment.naive_band, [0, 0], bar | {"color": profile.grid}, "as if independent"),
        base.line(experiment.band, [1, 1], bar | {"color": profile.band}, "exact"),
        base.line([mean, mean], [0, _ABOVE_RUNS], base.dashed(profile), "mean"),
    ]


def _run(place, name, value, _, symbol, colour, profile):
    marker = {"symbol": symbol, "size": profile.marker_size * 1.8, "color": colour}
    return base.line([value], [place], {}, name) | {"mode": "markers", "marker": marker}


def _inside(experiment):
    low, high = experiment.band
    return low <= experiment.rows[2].published <= high


def _large_sentence(experiment):
    """Return the sentence: the published run against the exact band, and against the wrong one."""
    low, high = experiment.naive_band
    missed = not low <= experiment.rows[2].published <= high
    alarm = "raises a false alarm" if missed and _inside(experiment) else "is too narrow"
    where = "inside" if _inside(experiment) else "outside"
    return (
        f"The published {number(experiment.rows[2].published, 6)} lies {where} the exact band. The band "
        f"that treats the entries as independent {alarm}."
    )


def _large_sure(experiment):
    """Return sentences on both runs with their z, on the false alarm, and on the cause of a shortfall."""
    product, scaled = experiment.rows[2:]
    low, high = (number(each, 5) for each in experiment.band)
    n, d = f"{experiment.n_rows:,}", experiment.d_k
    return (
        f"Matrices of {n} × {d} times {d} × {n} with seed {experiment.seed}: variance "
        f"{number(product.measured, 6)}, predicted {number(product.mean, 6)} ± {number(product.std)}, "
        f"z = {number(product.z)}. Of the product divided by √{d} it is {number(scaled.measured, 6)}, with the same z.",
        f"The published run gave {_printed(product.published)} and {_printed(scaled.published)}: "
        f"z = {number(product.published_z)}, {'inside' if _inside(experiment) else 'outside'} the 95 % band {low} to "
        f"{high}. Treating the entries as independent would give a standard deviation of "
        f"{number(experiment.naive_std)} and z = {number(experiment.published_naive_z)}: a false alarm.",
        *_large_lines(experiment),
    )


def _large_table(experiment):
    """Return a table of the four variances in full precision."""
    rows = experiment.rows
    fields = ("name", "measured", "mean", "std", "z", "published", "published_z")
    return {field: [getattr(row, field) for row in rows] for field in fields}


def _large_code(experiment):
    shown = "row.name, row.measured, row.z, row.published, row.published_z for row in experiment.rows"
    asked = (experiment.n_rows, experiment.d_k)
    return code(core.measure_large_experiment, *asked, seed=experiment.seed, name="experiment", show=shown)


def large_rows(experiment: core.LargeExperiment) -> Table:
    """Return a table of the four variances: exact mean and standard deviation, this run and the published one."""
    rows = experiment.rows
    return {
        "variance of": [_ROW_NAMES[row.name] for row in rows],
        "predicted": [f"{number(row.mean, 6)} ± {number(row.std)}" for row in rows],
        "this run": [number(row.measured, 6) for row in rows],
        "z": [number(row.z) for row in rows],
        "published": [_printed(row.published) for row in rows],
        "z, published": [number(row.published_z) for row in rows],
    }


def _printed(published):
    """Return a published number with every digit that was printed."""
    return repr(published)


def _large_lines(experiment):
    """Return sentences on the cause of a shortfall, and on the difference between np.dot and matmul."""
    d, published = experiment.d_k, number(experiment.published_from_factors, 6)
    same = "agree" if experiment.dot_equals_matmul else "differ"
    return (
        f"The luck of A and B explains {100 * experiment.explained_share:.1f} % of the scatter. Given them, "
        f"{d} · var(A) · var(B) = {number(experiment.from_factors, 6)} is expected here and {published} in the "
        f"published run, each ± {number(experiment.residual_std)}; what is left has z = "
        f"{number(experiment.residual_z)} and {number(experiment.published_residual_z)}.",
        f"np.dot(A, B) and A @ B {same} in two dimensions: their largest difference is "
        f"{number(experiment.largest_difference)}.",
    )
