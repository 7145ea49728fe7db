"""Pictures of the small_samples lesson: many small experiments, their band against size, and the large one."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pages._view.figures.base import (
    axis,
    dashed,
    dotted,
    figure,
    label,
    line,
    solid,
    steps,
    title,
    under,
)
from pages._view.picture import Picture, Table
from pages._view.theme import Profile, number
from sattn_core.lessons.small_samples import BandCurve, LargeExperiment, SmallSamplesResult

_ASKED_SIZE = 2  # size and d_k of the experiment in the question
_TOP = 1.5  # the marks are named above the highest bar
_HIGHEST_RATIO = 4
_SIZE_TICKS = (2, 4, 8, 16, 32, 64)
_SMALL = 0.5
_ROW_NAMES = {"A": "A", "B": "B", "product": "A B", "scaled product": "A B / √dₖ"}
_CHECK_NAMES = {
    "mean": "mean",
    "median": "median",
    "below 1.6": "below 1.6, %",
    "near d_k": "within 10 % of dₖ, %",
}


# --- the draws -------------------------------------------------------------------------------------------


def histogram(result: SmallSamplesResult, profile: Profile) -> Picture:
    """Variances of the draws so far, the counts expected, and where mean, median, d_k and 1.6 lie."""
    return Picture(
        "small_samples",
        _histogram_figure(result, profile),
        _histogram_sentence(result),
        _histogram_table(result),
        _histogram_code(result.params),
    )


def _histogram_figure(result, profile):
    params = result.params
    top = _TOP * max(result.counts.max(), result.expected.max())
    lines, names = _marked(result, top, profile)
    return figure(
        profile,
        [*_bars(result, profile), *lines, _last_draw(result, top, profile)],
        left=4.2,
        bottom=4.2,
        title=title(f"Variance of the {params.size**2:,} entries", profile),
        xaxis=axis(profile, f"variance (ddof = {params.ddof})", near=True, range=[0, result.edges[-1]]),
        yaxis=axis(profile, "draws", grid=True, range=[0, top]),
        annotations=[*names, under(["▲ last draw, dashed outline: expected"], profile)],
    )


def _bars(result, profile):
    outline = dashed(profile) | {"shape": "hv"}
    return [
        steps(result.edges, result.counts, profile.raw, "draws"),
        line(result.edges, [*result.expected, 0], outline, "expected"),
    ]


def _last_draw(result, top, profile):
    """A triangle under the bars; beyond the last edge it stands on it."""
    place = min(result.variances[-1], result.edges[-1])
    marker = {"symbol": "triangle-up", "size": profile.marker_size * 2, "color": profile.text}
    return line([place], [0.02 * top], {}, "last draw") | {"mode": "markers", "marker": marker}


def _marked(result, top, profile):
    """The marks and their names, which stand where the axis has room.

    Each mark is lower than the one before it on its names' side, so that no name lies over a mark.
    """
    marks = _marks(result, profile)
    side = "left" if 2 * marks[-1][1] < result.edges[-1] else "right"  # of its name that stands at the mark
    lines, names = [], []
    for row, (name, value, style) in enumerate(marks if side == "left" else marks[::-1]):
        height = top * (0.98 - 0.11 * row)
        lines.append(line([value, value], [0, height], style, name))
        place = {"x": value, "y": height, "xanchor": side, "yanchor": "top", "xshift": 4 if side == "left" else -4}
        names.append(label(name, profile, **place))
    return lines, names


def _marks(result, profile):
    """What is marked, from left to right: name, value and line style."""
    marks = [
        (f"mean {_mean(result)}", result.mean_theory, dashed(profile)),
        (f"dₖ = {result.params.d_k:,}", result.params.d_k, dotted(profile)),
        (f"median {number(result.median)}", result.median, solid(profile, profile.text)),
    ]
    if _asked(result.params):
        marks.append((f"1.6: {_percentile(result)}", result.value, solid(profile, profile.third, 1.5)))
    return sorted(marks, key=lambda mark: mark[1])


def _mean(result):
    """The predicted mean, with as many digits as it takes to tell it from d_k where it is not d_k."""
    params, mean, digits = result.params, result.mean_theory, 3
    while params.ddof == 0 and number(mean, digits) == number(params.d_k, digits):
        digits += 1
    return number(mean, digits)


def _asked(params):
    """Whether these are the matrices of the question."""
    return params.size == params.d_k == _ASKED_SIZE


def _percentile(result):
    return f"percentile {result.percentile:.1f}"


def _histogram_sentence(result):
    """The draws beside their exact mean; for the matrices of the question also the place of 1.6 among them."""
    params = result.params
    low, middle, high = (number(each) for each in (result.low, result.median, result.high))
    return (
        f"{_draws(params.n_draws)} of {_matrices(params)}: the variance of the {params.size**2:,} entries "
        f"(ddof = {params.ddof}) is on average {number(result.mean_measured)} ± {number(result.standard_error, 2)}, "
        f"where {_mean(result)} is predicted{_not_d_k(result)}. The last draw gave "
        f"{number(result.variances[-1])}. Half of all draws lie below {middle}, nine in ten between {low} and {high}."
        f"{_answer(result)}"
    )


def _draws(n):
    return "1 draw" if n == 1 else f"{n:,} draws"


def _matrices(params):
    if params.size == params.d_k:
        return f"two normal {params.size} × {params.size} matrices"
    return f"({params.size} × {params.d_k:,}) @ ({params.d_k:,} × {params.size}) normal matrices"


def _not_d_k(result):
    return f", not dₖ = {result.params.d_k:,}" if result.params.ddof == 0 else ", which is dₖ"


def _answer(result):
    if not _asked(result.params):
        return ""
    return f" The 1.6 of the question is at {_percentile(result)}: an ordinary result."


def _histogram_table(result):
    """Bins of the variance, the draws in them and the counts expected."""
    return {
        "variance from": result.edges[:-1].tolist(),
        "variance to": result.edges[1:].tolist(),
        "draws": result.counts.tolist(),
        "expected": result.expected.tolist(),
    }


def _histogram_code(params):
    return (
        "from sattn_core.lessons.small_samples import SmallSamplesParams, measure_small_samples\n\n"
        f"result = measure_small_samples({params!r})\n"
        "print(result.mean_measured, result.mean_theory, result.median, result.percentile)\n"
    )


# --- predicted and measured ------------------------------------------------------------------------------


def check_table(result: SmallSamplesResult) -> Table:
    """Every number of the draws beside its prediction and the sampling error."""
    checks = [each for each in result.checks if each.name != "below 1.6" or _asked(result.params)]
    return {
        "of the variances": [_CHECK_NAMES[each.name] for each in checks],
        "predicted": [
            _mean(result) if each.name == "mean" else _value(each.predicted, each.predicted_error) for each in checks
        ],
        "measured": [number(each.measured) for each in checks],
        "standard error": [number(each.standard_error, 2) for each in checks],
        "z": ["none" if np.isnan(each.z) else number(each.z) for each in checks],
    }


def _value(value, error):
    return f"{number(value)} ± {number(error, 2)}" if error else number(value)


def first_draw(result: SmallSamplesResult) -> Iterable[tuple[str, str]]:
    """The first draw as a formula with its variance, while its matrices are small enough to read."""
    params = result.params
    if not _asked(params):
        return ()
    A, B, C = (_latex(each) for each in (result.first_A, result.first_B, result.first_product))
    said = f"The first draw: its four entries have variance {number(result.variances[0])} (ddof = {params.ddof})."
    return ((f"{A}\\,{B} = {C}", said),)


def _latex(matrix):
    rows = "\\\\".join("&".join(f"{value:.2f}" for value in row) for row in matrix)
    return f"\\begin{{pmatrix}}{rows}\\end{{pmatrix}}"


# --- the band against the size ---------------------------------------------------------------------------


def band(curve: BandCurve, options: Mapping[str, Any], profile: Profile) -> Picture:
    """Variance over d_k against the size of the matrix; options are those that `band_curve` was given."""
    return Picture(
        "sample_band",
        _band_figure(curve, profile),
        _band_sentence(curve),
        _band_table(curve),
        _band_code(curve, options),
    )


def _band_figure(curve, profile):
    """The exact band, the one for independent entries, and measured points."""
    sizes, d = np.array(curve.sizes), curve.d_k
    none, fill = {"width": 0, "color": profile.band}, {"fill": "tonexty", "fillcolor": f"{profile.band}40"}
    return figure(
        profile,
        [
            line(sizes, curve.low / d, none, "exact band, low"),
            line(sizes, curve.high / d, none, "exact band, high") | fill,
            _measured_points(curve, profile),
            line(sizes, curve.mean / d, dashed(profile), "exact mean"),
            line(sizes, curve.naive_low / d, dotted(profile), "as if independent, low"),
            line(sizes, curve.naive_high / d, dotted(profile), "as if independent, high"),
        ],
        left=3.6,
        bottom=5.5,
        title=title("The band narrows with size", profile),
        xaxis=axis(profile, "size of the matrix", near=True, type="log", tickvals=_SIZE_TICKS, range=[0.25, 1.86]),
        yaxis=axis(profile, "variance ÷ dₖ", grid=True, range=[0, _HIGHEST_RATIO]),
        annotations=[under(["grey: 95 % band, dashed: exact mean", "dotted: as if independent"], profile)],
    )


def _measured_points(curve, profile):
    sizes = np.repeat(curve.sizes, curve.measured.shape[1])
    marker = {"color": profile.raw, "symbol": "circle", "size": profile.marker_size * _SMALL}
    return line(sizes, curve.measured.ravel() / curve.d_k, {}, "measured") | {"mode": "markers", "marker": marker}


def _band_sentence(curve):
    """How narrow the band is at the last size, and how often each band is right."""
    size, n = curve.sizes[-1], curve.measured.size
    inside, naive = (f"{100 * share.mean():.0f} %" for share in (curve.share_inside, curve.naive_share_inside))
    return (
        f"At dₖ = {curve.d_k:,} the 95 % band of the variance goes from {number(curve.low[0])} to "
        f"{number(curve.high[0])} at 2 × 2 to {number(curve.low[-1])} to {number(curve.high[-1])} at {size} × {size}. "
        f"Of {n} measured points {inside} lie inside it, but only {naive} inside the dotted band, which treats "
        "the entries as independent."
    )


def _band_table(curve):
    """Every size with both bands and the shares inside."""
    return {
        "size": list(curve.sizes),
        "mean": curve.mean.tolist(),
        "standard deviation": curve.std.tolist(),
        "low": curve.low.tolist(),
        "high": curve.high.tolist(),
        "naive low": curve.naive_low.tolist(),
        "naive high": curve.naive_high.tolist(),
        "share inside": curve.share_inside.tolist(),
        "share inside the naive band": curve.naive_share_inside.tolist(),
    }


def _band_code(curve, options):
    return (
        "from sattn_core.lessons.small_samples import band_curve\n\n"
        f"curve = band_curve({curve.sizes!r}, **{options!r})\n"
        "print(curve.low, curve.high)\n"
    )


# --- the large experiment --------------------------------------------------------------------------------


def large_experiment(experiment: LargeExperiment, profile: Profile) -> Picture:
    """The variance of the large product, now and as published, on the exact band and on the false one."""
    return Picture(
        "large_experiment",
        _large_figure(experiment, profile),
        _large_sentence(experiment),
        _large_table(experiment),
        _large_code(experiment),
    )


def _large_figure(experiment, profile):
    row = experiment.rows[2]
    runs = (
        ("this run", row.measured, row.z, "circle", profile.raw),
        ("published", row.published, row.published_z, "square", profile.text),
    )
    names = ("naive band", "exact band", "published", "this run")
    half = 4 * row.std
    places = {"type": "category", "categoryorder": "array", "categoryarray": names, "range": [-0.6, 3.6]}
    return figure(
        profile,
        [
            *_large_bands(experiment, names, profile),
            *(_run(name, value, symbol, colour, profile) for name, value, _, symbol, colour in runs),
        ],
        height=0.7,
        left=5.2,
        title=title("Now and as published", profile),
        xaxis=axis(profile, "variance of A B", grid=True, range=[row.mean - half, row.mean + half]),
        yaxis=axis(profile, showline=False, **places),
        annotations=[_z_of_a_run(name, value, z, profile) for name, value, z, *_ in runs],
    )


def _large_bands(experiment, names, profile):
    mean = experiment.rows[2].mean
    bar = {"width": profile.line_width * 5}
    return [
        line(experiment.naive_band, [names[0]] * 2, bar | {"color": profile.grid}, "as if independent"),
        line(experiment.band, [names[1]] * 2, bar | {"color": profile.band}, "exact"),
        line([mean, mean], [names[0], names[-1]], dashed(profile), "mean"),
    ]


def _run(name, value, symbol, colour, profile):
    marker = {"symbol": symbol, "size": profile.marker_size * 1.8, "color": colour}
    return line([value], [name], {}, name) | {"mode": "markers", "marker": marker}


def _z_of_a_run(name, value, z, profile):
    place = {"x": value, "y": name, "xanchor": "left", "xshift": profile.marker_size * 1.4}
    return label(f"z = {number(z)}", profile, **place)


def _large_sentence(experiment):
    """The run of this moment and the published one, each with its z, and the false alarm."""
    product, scaled = experiment.rows[2:]
    low, high = (number(each, 5) for each in experiment.band)
    n, d = f"{experiment.n_rows:,}", experiment.d_k
    return (
        f"({n}, {d}) @ ({d}, {n}) with seed {experiment.seed}: variance {number(product.measured, 6)}, predicted "
        f"{number(product.mean, 6)} ± {number(product.std)}, z = {number(product.z)}; divided by √{d} it is "
        f"{number(scaled.measured, 6)}, with the same z. The published run gave {_printed(product.published)} and "
        f"{_printed(scaled.published)}: z = {number(product.published_z)}, well inside the 95 % band {low} to {high}. "
        f"Treating the entries as independent would give a standard deviation of {number(experiment.naive_std)} and "
        f"z = {number(experiment.published_naive_z)}: a false alarm."
    )


def _large_table(experiment):
    """The four variances in full precision."""
    rows = experiment.rows
    fields = ("name", "measured", "mean", "std", "z", "published", "published_z")
    return {field: [getattr(row, field) for row in rows] for field in fields}


def _large_code(experiment):
    return (
        "from sattn_core.lessons.small_samples import measure_large_experiment\n\n"
        f"experiment = measure_large_experiment({experiment.n_rows}, {experiment.d_k}, seed={experiment.seed})\n"
        "for row in experiment.rows:\n"
        "    print(row.name, row.measured, row.z, row.published, row.published_z)\n"
    )


def large_rows(experiment: LargeExperiment) -> Table:
    """The four variances, this run and the published one beside the exact mean and standard deviation."""
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
    """A published number with every digit that was printed."""
    return repr(published)


def large_lines(experiment: LargeExperiment) -> Iterable[tuple[str, str]]:
    """Where a shortfall comes from, and whether dot and matmul differ, in numbers."""
    d, published = experiment.d_k, number(experiment.published_from_factors, 6)
    same = "agree" if experiment.dot_equals_matmul else "differ"
    return (
        (
            "**Where it comes from**",
            f"the luck of A and B explains {100 * experiment.explained_share:.1f} % of the scatter. Given them, "
            f"{d} · var(A) · var(B) = {number(experiment.from_factors, 6)} is expected here and {published} in the "
            f"published run, each ± {number(experiment.residual_std)}; what is left has z = "
            f"{number(experiment.residual_z)} and {number(experiment.published_residual_z)}.",
        ),
        (
            "**dot and matmul**",
            f"np.dot(A, B) and A @ B {same} in two dimensions: their largest difference is "
            f"{number(experiment.largest_difference)}.",
        ),
    )
