"""Pictures of the derivation lesson: its three lines (equations) above a plot of variances, or of spreads and means."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.figures.spreads import D_TICKS, End, spread_figure
from pages._view.marks import Mark
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, listed, number, typed
from sattn_core.lessons import derivation as core

_MEANS, _VARIANCES = 3, 6  # indices of E[s] = 0 and Var(s) = d_k among the nine lines
VARIANCE = "<b>Variance</b>"  # y axis title of the plot below the three lines
_NO_BAR = "without a usable error bar"
_SECOND = 0.35, 78  # left edge of the three lines' second column: share of the plot, plus pixels
_ON_A_WALL = 110  # letters per title line on a wall
_TITLE = 32  # letters per title line on a phone
_LOWER = 40  # pixels taken off the height on a phone
_LOW = 0.84  # height factor: many words and controls are above this plot
_REACH, _STEP = (0.25, 1024), 16  # axis range of spreads and means; factor by which the range is widened
_NEAR = 2.0  # a prediction fits within so many standard errors
_SHORT = {  # line -> its formula and its subject
    "mean_zero": ("E[q·k] = 0", "mean of q·k"),
    "variance_d_k": ("Var(q·k) = dₖ", "variance of q·k"),
    "scaled_variance_one": ("Var(q·k/√dₖ) = 1", "variance of q·k/√dₖ"),
}
_USED = {  # line -> assumption -> its wording
    "mean_zero": {"means": "means 0", "alignment": "qᵢ and kᵢ independent"},
    "variance_d_k": {"variances": "variances 1", "components": "components independent"},
    "scaled_variance_one": {"tails": "a finite variance"},
}
_MARKS = {"holds": "✓", "fails": "✗", "cannot be checked": "?"}
_USES = {
    "definition": "the definition",
    "means_exist": "means exist",
    "q_and_k_uncorrelated": "qᵢ and kᵢ uncorrelated",
    "means_zero": "means 0",
    "terms_uncorrelated": "terms uncorrelated",
    "q_and_k_independent": "qᵢ and kᵢ independent",
    "means_zero_variances_one": "means 0, variances 1",
    "variance_exists": "variance exists",
    "all_of_them": "all of them",
}
_LINES = {
    "sum": "s = Σ qᵢ kᵢ",
    "linearity": "E[s] = Σ E[qᵢ kᵢ]",
    "product_of_means": "E[qᵢ kᵢ] = E[qᵢ] E[kᵢ]",
    "zero_mean": "E[s] = 0",
    "variance_of_sum": "Var(s) = Σ Var(qᵢ kᵢ)",
    "variance_of_product": "the rule for Var(qᵢ kᵢ)",
    "variance_d_k": "Var(s) = dₖ",
    "scaling": "Var(c s) = c² Var(s)",
    "unit_variance": "Var(s/√dₖ) = 1",
}
_RULES = {
    "sqrt_d_k": "√dₖ",
    "component_variances": "√(dₖ Var(qᵢ) Var(kᵢ))",
    "within_row": "√(dₖ Var(kᵢ) (Var(qᵢ) + E[qᵢ]²))",
    "effective_dimension": "dₖ/√(effective dimension)",
    "d_k": "dₖ",
    "tail_power": "the ν-th root of dₖ",
}
_WHY = {  # rule -> a short reason for its divisor
    "sqrt_d_k": "the root of the variance, dₖ",
    "component_variances": "the root of dₖ Var(qᵢ) Var(kᵢ)",
    "within_row": "all that softmax sees is the spread within a row",
    "effective_dimension": "components move together",
    "d_k": "for a key that agrees with q; of others it is 0",
    "tail_power": "no variance: the ν-th root of dₖ",
}
_REASONS = {
    "sqrt_d_k": "",
    "component_variances": "",
    "within_row": ", the standard deviation within a row, because softmax does not see what all keys share",
    "effective_dimension": ", because correlated components add up like fewer, larger ones",
    "d_k": ", because the mean of an aligned pair grows like dₖ",
    "tail_power": ", up to a power of its logarithm, because there is no variance",
}


# --- the three lines, and the figure that follows d_k ------------------------------------------------------


def three_lines(
    growth: core.ScoreGrowth, d_k: int, profile: Profile, result: core.DerivationResult | None = None
) -> Picture:
    """Return the picture of the three lines, above a plot of raw and scaled variances up to this d_k.

    result: the nine lines at this d_k, for the folds below the picture.
    """
    shown = Picture(
        "three_lines",
        _with_lines(
            _variance_figure(growth, d_k, profile),
            _counted(VARIANCE, "dashed: predicted", profile),
            growth,
            d_k,
            profile,
        ),
        _point(growth, d_k),
        _variance_table(growth, d_k),
        _variance_code(growth.params, d_k),
        alt=_variance_alt(growth, d_k),
        sure=_sure(growth, d_k),
        marks=_marks(),
    )
    return shown if result is None else _with_nine(shown, result)


def broken_lines(
    growth: core.ScoreGrowth, d_k: int, profile: Profile, result: core.DerivationResult | None = None
) -> Picture:
    """Return the picture of the three lines, above a plot of raw and scaled spreads, and of means unless they are 0."""
    shown = Picture(
        "broken_lines",
        _lower_on_a_phone(
            _with_lines(_spread_figure(growth, d_k, profile), _heading(growth, profile), growth, d_k, profile),
            growth,
            profile,
        ),
        _point(growth, d_k),
        _spread_table(growth, d_k),
        _spread_code(growth.params, d_k),
        alt=_spread_alt(growth, d_k),
        sure=_sure(growth, d_k),
        marks=_marks(),
    )
    return shown if result is None else _with_nine(shown, result)


def _lower_on_a_phone(fig, growth, profile):
    """Return the figure with a lower layout for a phone, where one more dial takes room.

    If means are drawn too, each label is the line's name alone.
    """
    if base.on_a_wall(profile):
        return fig
    layout, notes = fig.layout, fig.layout["annotations"]
    if _has_mean(growth):
        names = [each.name for each in _spread_ends(growth, profile)]
        notes = [each | {"text": _name_alone(each["text"], names)} for each in notes]
    return replace(fig, narrow={"height": layout["height"] - _LOWER, "margin": layout["margin"], "annotations": notes})


def _name_alone(text, names):
    first = text.partition("<br>")[0]
    return first if any(f">{each}<" in first for each in names) else text


def _marks():
    raw, scaled = ("raw", "predicted, raw"), ("scaled", "predicted, scaled")
    words = {"raw variance": raw, "raw scores": raw, "divided by √dₖ": scaled, "Divided by √dₖ": scaled}
    return [Mark(word, names) for word, names in words.items()]


def _variance_figure(growth, d_k, profile):
    largest = growth.params.d_k
    ends = (
        End("raw", ("each product", "adds 1"), largest, profile.raw),
        End("÷ √dₖ", ("stays at 1",), 1, profile.scaled),
    )
    traces = [*_predicted(largest, largest, profile), *_measured_points(growth, d_k, profile, power=1.0)]
    low = min(0.5, float((growth.variance / np.arange(1, largest + 1)).min()))
    reach = low, max(float(largest), float(growth.variance.max()))
    fig = spread_figure(profile, traces, ends, reach=reach, title={}, shapes=here(d_k, profile))
    fig.layout["yaxis"] |= {"tickvals": D_TICKS, "ticktext": [f"{each:,}" for each in D_TICKS]}
    return fig


def _spread_figure(growth, d_k, profile):
    largest = growth.params.d_k
    traces = [
        *_predicted(largest, largest**0.5, profile),
        *_exact_lines(growth, profile),
        *_measured_points(growth, d_k, profile, power=0.5),
        *_mean_points(growth, d_k, profile),
    ]
    ends, shapes = _spread_ends(growth, profile), here(d_k, profile)
    look = {"title": _title(growth, d_k, profile), "shapes": shapes}
    return spread_figure(profile, traces, ends, reach=_reach(growth), height=_LOW, **look)


def _title(growth, d_k, profile):
    """Return the title: the right divisor, and on a wall the reason for it."""
    headline, why = _divisor(growth, d_k)
    if base.on_a_wall(profile):
        return base.title(f"<b>{headline}</b>, {why}", profile, size=profile.tick_size, letters=_ON_A_WALL)
    return base.title(f"<b>{headline}</b>", profile, size=profile.axis_size, letters=_TITLE)


def here(d_k: int, profile: Profile) -> list[Part]:
    """Return the vertical line at this d_k."""
    return [base.upright(d_k, base.thin(profile)) | {"layer": "below"}]


def _predicted(largest, height, profile):
    return [
        base.line((1, largest), (1, height), base.dashed(profile), "predicted, raw"),
        base.line((1, largest), (1, 1), base.dashed(profile), "predicted, scaled"),
    ]


def _with_lines(fig, heading, growth, d_k, profile):
    """Return the figure with the three lines in rows above the plot, and below them the axis title, if any."""
    row, head = _row_height(profile), (1.5 if heading else 0.5) * profile.axis_size
    place: Part = {"xref": "paper", "yref": "paper", "y": 1, "xanchor": "left", "yanchor": "top", "align": "left"}
    out = -fig.layout["margin"]["l"]
    head_place = place | {"x": 0, "xshift": out, "yshift": head, "bgcolor": None}  # no background: may overlap a label
    words = [base.label(heading, profile, size=profile.axis_size, **head_place)]
    for i, each in enumerate(growth.at(d_k)):
        up = round(head + (len(core.SCORE_LINES) - i) * row)
        sides = zip((_measured(each), _used(each, growth.params)), ((0, out), _SECOND), strict=True)
        for parts, (x, shift) in sides:
            words.append(base.label(_in_row(parts, profile), profile, x=x, xshift=shift, yshift=up, **place))
    room = round(head + len(core.SCORE_LINES) * row) - _free_above(fig, profile)
    fig.layout["annotations"] = [*fig.layout["annotations"], *words]
    fig.layout["height"] += room
    fig.layout["margin"]["t"] += room
    return fig


def _free_above(fig, profile):
    """Return the height above the plot that the title leaves free."""
    title = fig.layout["title"]
    return fig.layout["margin"]["t"] - (round(1.6 * title["font"]["size"]) if title else 0)


def _row_height(profile):
    """Return the height of a row in pixels: on a wall a row is one line, elsewhere two."""
    return profile.tick_size * (1.4 if base.on_a_wall(profile) else 2.9)


def _in_row(parts, profile):
    return ("\u2002" if base.on_a_wall(profile) else "<br>").join(parts)


def _measured(each):
    written, _ = _SHORT[each.name]
    return f"<b>{_MARKS[each.check]} {written}</b>", _so(each)


def _so(each):
    """Return the measured value with its error bar, and a verdict on the prediction."""
    if not each.reliable:
        return f"{number(each.measured)}, {'no variance exists' if np.isinf(each.exact) else 'no usable error'}"
    said, predicted, off = _with_error(each), f"{each.predicted:,.0f}", abs(each.z)
    if each.holds:
        return f"{said}, so {predicted} fits" if off <= _NEAR else f"{said}, {predicted} is near"
    if each.seen_to_fail:
        return f"{said}, not {predicted}"
    return f"{said}, hard to tell"


def _with_error(each):
    """Return a measured number ± _NEAR standard errors, the second with two digits."""
    around = _NEAR * each.standard_error
    places = max(0, 1 - int(np.floor(np.log10(around))))
    return f"{each.measured:,.{places}f} ± {around:,.{places}f}".replace("-", "−")


def _used(each, params):
    """Return texts with the assumptions that a line adds to those above it; a broken one is struck out."""
    broken = {name for name, words in _broken_ones(params).items() if words}
    if params.nu is not None and params.nu > 2:
        broken.discard("tails")
    first, *more = (f"<s>{words}</s>" if name in broken else words for name, words in _USED[each.name].items())
    start = "uses" if each.name == "mean_zero" else "uses also"
    return (f"{start} {first},", *more) if more else (f"{start} {first}",)


def _divisor(growth, d_k):
    """Return the right divisor for these settings, beside √d_k if they differ, and the reason."""
    exact, root = core.exact_scores(replace(growth.params, d_k=d_k)), np.sqrt(d_k)
    rule, divisor = exact.right_rule, _short(exact.right_divisor)
    if np.isclose(exact.right_divisor, root):
        return f"Divide by √dₖ = {divisor}", _WHY[rule]
    if rule == "d_k":  # only the aligned key's mean grows: no divisor suits a whole row
        return "The mean grows like dₖ", _WHY[rule]
    named = {"tail_power": "about"}.get(rule, f"√{_short(exact.right_divisor**2)} =")
    return f"Then divide by {named} {divisor}, not √dₖ = {_short(root)}", _WHY[rule]


def _short(value):
    """Return a number as text without trailing zeros."""
    text = number(value)
    return text.rstrip("0").rstrip(".") if "." in text and "×" not in text else text


def _has_mean(growth):
    return growth.exact_mean[0] != 0


def _heading(growth, profile):
    """Return the axis title; none on a wall, where height is short and the lines have labels."""
    if base.on_a_wall(profile):
        return ""
    what = "<b>Mean (hollow) and spread</b>" if _has_mean(growth) else "<b>Spread σ</b>"
    return _counted(what, "dashed: if all hold", profile)


def _counted(what, dashed, profile):
    return f'{what}\u2002<span style="font-size: {profile.tick_size}px">{dashed}</span>'


def _exact_lines(growth, profile):
    """Return lines at the exact spreads, if these differ from the predicted ones, and at the exact means, unless 0."""
    dims, none = _dims(growth.params.d_k), np.full(growth.params.d_k, np.nan)
    differs = not growth.at(growth.params.d_k)[1].holds and np.isfinite(growth.exact_variance[0])
    found = (
        ("", np.sqrt(growth.exact_variance) if differs else none),
        (" mean", np.abs(growth.exact_mean) if _has_mean(growth) else none),
    )
    return [
        base.line(dims, sizes[dims - 1] / divisor, base.dotted(profile), f"exact, {name}{what}")
        for what, sizes in found
        for name, divisor in (("raw", 1), ("scaled", np.sqrt(dims)))
    ]


def _measured_points(growth, d_k, profile, *, power):
    """Return marks at variances (power 1) or spreads (½), larger at this d_k, with bands of two standard errors."""
    values, errors = (growth.variance, growth.variance_error) if power == 1 else (growth.spread, growth.spread_error)
    return _points(values, errors if growth.at(d_k)[1].reliable else np.zeros_like(errors), d_k, profile, power=power)


def _mean_points(growth, d_k, profile):
    """Return hollow marks at the absolute means; none if the true mean is 0 or the mark would be below the axis."""
    sizes, roots = np.abs(growth.mean), np.sqrt(np.arange(1, len(growth.mean) + 1))
    shown = np.where(_has_mean(growth) & (sizes / roots > _reach(growth)[0]), sizes, np.nan)
    return _points(shown, growth.mean_error, d_k, profile, power=0.5, hollow=True)


def _points(values, errors, d_k, profile, *, power, hollow=False):
    traces = []
    for dims, size in ((_dims(d_k)[:-1], 1.0), (np.array([d_k]), 2.0)):
        for name, colour, symbol, divisor in (
            ("raw", profile.raw, "circle", 1),
            ("scaled", profile.scaled, "square", dims**power),
        ):
            called, shape = (f"{name} mean", f"{symbol}-open") if hollow else (name, symbol)
            error = 2 * errors[dims - 1] / divisor
            mark = base.points(profile, colour, shape, dims, values[dims - 1] / divisor, error, error, called)
            line = {"line": {"width": profile.line_width}} if hollow else {}
            look = {"marker": mark["marker"] | line | {"size": size * profile.marker_size}}
            traces.append(mark | look | {"error_y": mark["error_y"] | {"width": 0}})
    return traces


def _dims(d_k):
    """Return the powers of two up to d_k, and d_k itself."""
    return np.array(sorted({2**power for power in range(d_k.bit_length())} | {d_k}))


def _reach(growth):
    """Return the axis range: _REACH, widened by powers of _STEP if values lie beyond it."""
    roots = np.sqrt(np.arange(1, growth.params.d_k + 1))
    exact = np.abs(growth.exact_mean) if _has_mean(growth) else growth.spread
    low, high = min((growth.spread / roots).min(), (exact / roots).min() / 2), max(growth.spread.max(), exact.max())
    beyond = np.log([_REACH[0] / low, high / _REACH[1]]) / np.log(_STEP)
    fewer, more = _STEP ** np.ceil(np.maximum(beyond, 0))
    return float(_REACH[0] / fewer), float(_REACH[1] * more)


def _spread_ends(growth, profile):
    """Return labels at the lines' ends, which say how spread and mean grow; a mean of 0 has no label."""
    spread, mean, root = growth.exact_variance, np.abs(growth.exact_mean), growth.params.d_k**0.5
    spread = growth.spread if np.isinf(spread[0]) else np.sqrt(spread)
    does, shown = _what_spreads_do(growth), _has_mean(growth)
    ends = (
        ("raw spread", does[0], spread[-1], profile.raw),
        ("÷ √dₖ: spread", does[1], spread[-1] / root, profile.scaled),
        ("raw mean" if shown else "", "grows like dₖ" if shown else "", mean[-1], profile.raw),
        ("÷ √dₖ: mean" if shown else "", "grows like √dₖ" if shown else "", mean[-1] / root, profile.scaled),
    )
    return [End(name, (words,), float(height), colour) for name, words, height, colour in ends]


def _what_spreads_do(growth):
    exact = growth.exact_variance
    if np.isinf(exact[0]):
        return "no variance", "no variance"
    if growth.params.component_correlation:
        return "outgrows √dₖ", "still grows"
    return "grows like √dₖ", f"stays at {_short(np.sqrt(exact[0]))}"


def _point(growth, d_k):
    """Return the sentence under the picture: the three lines at this d_k, with at most three numbers."""
    mean, variance, scaled = growth.at(d_k)
    at, measured = f"At dₖ = {d_k:,}", number(variance.measured)
    if np.isinf(variance.exact):
        spread = number(growth.spread[d_k - 1])
        return f"No variance exists. {at} these pairs spread by {spread}, and other pairs by something else."
    if not variance.reliable:
        return f"{at} a variance exists, but tails this heavy leave the measured {measured} {_NO_BAR}."
    broken = [each for each in (mean, variance, scaled) if not each.holds]
    if not broken:
        divided = (
            "dividing by √dₖ changes nothing"
            if d_k == 1
            else f"divided by √dₖ, the scores have variance {number(scaled.measured)}"
        )
        return f"{at} all three lines hold. The raw variance is {measured}; {divided}."
    if not any(each.seen_to_fail for each in broken):
        first = "first" if broken[0] is mean else "second"
        return f"{at} the {first} line fails, but by too little to be seen in {growth.params.n_samples:,} pairs."
    return f"{at} {_failing(growth, d_k)}"


def _failing(growth, d_k):
    """Return the consequence of a line that visibly fails."""
    mean = growth.at(d_k)[0]
    exact = core.exact_scores(replace(growth.params, d_k=d_k))
    if mean.seen_to_fail and not mean.holds and exact.right_rule == "within_row":
        spread = _short(exact.right_divisor)
        return (
            f"the mean is {number(mean.measured)}, not zero. All keys share it; within a row scores spread by {spread}."
        )
    if mean.seen_to_fail and not mean.holds:
        still = number(mean.measured / np.sqrt(d_k))
        return (
            f"the mean is {number(mean.measured)}, not zero. Divided by √dₖ it is {still}, and its size grows with dₖ."
        )
    raw = number(growth.spread[d_k - 1])
    left = number(growth.spread[d_k - 1] / np.sqrt(d_k))
    if growth.params.component_correlation:
        return f"raw scores spread by {raw}, not √dₖ. Divided by √dₖ they spread by {left}, and more as dₖ grows."
    return f"raw scores spread by {raw}, not √dₖ. Divided by √dₖ they spread by about {left}, whatever dₖ is."


def _variance_alt(growth, d_k):
    largest = growth.params.d_k
    return (
        f"{_point(growth, d_k)} {_lines_in_words(growth, d_k)} Both axes are in powers of four. Two dashed lines show "
        f"what is predicted: a raw variance that rises from 1 to {largest:,} as dₖ does, and a scaled variance that "
        f"stays 1. The marks up to dₖ = {d_k:,} are measured."
    )


def _spread_alt(growth, d_k):
    mean = "Hollow marks are sizes of the mean, filled ones spreads." if _has_mean(growth) else "Marks are spreads."
    return (
        f"{_point(growth, d_k)} {_divisor(growth, d_k)[0]}. {_lines_in_words(growth, d_k)} Both axes are in powers of "
        f"two. {mean} Dashed lines show the spreads if all lines hold: √dₖ, and 1 after ÷ √dₖ."
    )


def _lines_in_words(growth, d_k):
    said = (f"{_SHORT[each.name][0]}, measured {_so(each)}" for each in growth.at(d_k))
    return f"The three lines: {'; '.join(said)}."


def _sure(growth, d_k):
    """Return sentences on each line with its standard error, and on the measurement."""
    n, *lines = growth.params.n_samples, *growth.at(d_k)
    return (
        *(_measured_line(each) for each in lines),
        f"Each ± here is one standard error over {n:,} independent pairs of q and k; in the figure it is two. z is the "
        "distance from the prediction in standard errors. A number fits within two of them.",
        "All dimensions use the same pairs: a larger dₖ appends components, so neighbouring marks err the same way.",
    )


def _measured_line(each: core.ScoreLine) -> str:
    name = _SHORT[each.name][1].capitalize()
    exact = "" if each.holds else f" For these settings the exact value is {number(each.exact)}."
    if np.isinf(each.exact):
        exact = " For these settings no variance exists."
    if not each.reliable:
        return f"{name}: measured {number(each.measured)}, {_NO_BAR}, predicted {number(each.predicted)}.{exact}"
    measured = f"{number(each.measured)} ± {number(each.standard_error, 2)}"
    return f"{name}: measured {measured}, predicted {number(each.predicted)}, z = {number(each.z)}.{exact}"


def _variance_table(growth, d_k):
    dims = _dims(d_k)
    reliable, exact = growth.at(d_k)[1].reliable, growth.exact_variance[dims - 1]
    errors = growth.variance_error[dims - 1]
    return {
        "dₖ": dims.tolist(),
        "predicted variance": dims.astype(float).tolist(),
        "exact variance": [value if np.isfinite(value) else None for value in exact.tolist()],
        "raw variance": growth.variance[dims - 1].tolist(),
        "its error": errors.tolist() if reliable else [None] * len(dims),
        "scaled variance": (growth.variance[dims - 1] / dims).tolist(),
    }


def _spread_table(growth, d_k):
    dims, reliable = _dims(d_k), growth.at(d_k)[1].reliable
    return {
        "dₖ": dims.tolist(),
        "raw mean": growth.mean[dims - 1].tolist(),
        "exact mean": growth.exact_mean[dims - 1].tolist(),
        "error of the mean": [
            _usable(growth.at(d_k)[0].reliable, each) for each in growth.mean_error[dims - 1].tolist()
        ],
        "raw spread": growth.spread[dims - 1].tolist(),
        "error of the spread": [_usable(reliable, each) for each in growth.spread_error[dims - 1].tolist()],
    }


def _variance_code(params, d_k):
    lines = f"line.name, line.predicted, line.exact, line.measured, line.standard_error for line in result.at({d_k})"
    points = f"d_k, result.variance[d_k - 1], result.variance_error[d_k - 1] for d_k in {_dims(d_k).tolist()}"
    return code(core.measure_growth, params, show=(lines, points))


def _spread_code(params, d_k):
    lines = f"line.name, line.predicted, line.exact, line.measured, line.standard_error for line in result.at({d_k})"
    points = f"d_k, result.spread[d_k - 1], result.spread_error[d_k - 1] for d_k in {_dims(d_k).tolist()}"
    return code(core.measure_growth, params, show=(lines, points))


# --- the nine lines ----------------------------------------------------------------------------------------


def _with_nine(shown, result):
    """Return the picture with the nine lines added: their checks, their code and a file of their numbers."""
    return replace(
        shown,
        sure=(*shown.sure, *_state(result), *_moments(result)),
        checks=_line_rows(result),
        bins=_line_table(result),
        bins_name="the nine lines",
        code=f"{shown.code}\n{_code(result.params)}",
    )


def _line_rows(result):
    """Return a table of the nine lines: formula, assumption, both sides, z and verdict, the first failure in bold."""
    lines, known = result.lines, [_known(each, result) for each in result.lines]
    return {
        "no.": [str(each.number) for each in lines],
        "line": ["$" + each.formula.replace("|", "\\vert ") + "$" for each in lines],
        "uses": [_USES[each.assumption] for each in lines],
        "left": [_side(each.left, each.left_error, usable) for usable, each in zip(known, lines, strict=True)],
        "right": [_side(each.right, each.right_error, usable) for usable, each in zip(known, lines, strict=True)],
        "z": [_z(each) for each in lines],
        "check": [_verdict(each, result) for each in lines],
    }


def _known(each, result):
    """Return True if a line's standard errors are usable, also for lines that hold by algebra."""
    return result.lines[_MEANS if each.number <= _MEANS + 1 else _VARIANCES].reliable


def _side(value, error, known):
    return f"{number(value)} ± {number(error, 2)}" if error and known else number(value)


def _z(each):
    return number(each.z) if each.reliable else "none"


def _verdict(each, result):
    if each.number == result.first_failing:
        return f"**✗\u00a0fails\u00a0first{_unseen(each, result)}**"
    if each.check == "fails":
        return f"✗\u00a0fails{_unseen(each, result)}"
    if each.check == "cannot be checked":
        return "?\u00a0cannot be checked here"
    return "✓\u00a0holds" if not each.seen_to_fail else "✓\u00a0holds; beyond 4 errors by chance"


def _unseen(each, result):
    if np.isinf(result.exact.variance):
        return ": no variance"
    if not each.reliable:
        return ": no error bar"
    return "" if each.seen_to_fail else f", too little to be seen in {result.params.n_samples:,} pairs"


def _state(result):
    """Return two sentences: on the state of the derivation, and on the right divisor."""
    return f"At dₖ = {result.params.d_k:,} with {_broken(result.params)}, {_first(result)}", _divisors(result)


def _broken_ones(params):
    """Return, for each assumption, a phrase that says how it is broken; empty if it holds."""
    p, found = params, dict.fromkeys(("means", "variances", "alignment", "components", "tails"), "")
    if p.mean_q or p.mean_k:
        found["means"] = f"means {typed(p.mean_q)} and {typed(p.mean_k)}"
    if (p.variance_q, p.variance_k) != (1, 1):
        found["variances"] = f"variances {typed(p.variance_q)} and {typed(p.variance_k)}"
    if p.correlation:
        found["alignment"] = f"correlation {typed(p.correlation)} of qᵢ with kᵢ"
    if p.component_correlation:
        found["components"] = f"correlation {typed(p.component_correlation)} between components"
    if p.nu is not None:
        found["tails"] = f"Student t components, ν = {typed(p.nu)}"
    return found


def _broken(params):
    return ", ".join(words for words in _broken_ones(params).values() if words) or "no assumption broken"


def _first(result):
    if result.first_failing is None:
        largest = max(abs(each.z) for each in result.lines if each.reliable)
        compared = f"In {result.params.n_samples:,} pairs {_sides(result)} {number(largest)} standard errors."
        return f"{_counts(result)} {compared}"
    each = result.lines[result.first_failing - 1]
    seen = f"which makes z = {number(each.z)}" if each.reliable else "with tails too heavy for an error bar"
    return (
        f"line {each.number}, {_LINES[each.name]}, is the first to fail. Its left side is {number(each.left)} and its "
        f"right side {number(each.right)}, {seen}. Of all {len(result.lines)} lines {_counts(result)}"
    )


def _sides(result):
    """Return "their two sides differ by at most", or "the two sides of these 7 …" if some lines cannot be checked."""
    whose = (
        f"the two sides of these {result.checks['holds']}" if result.checks["cannot be checked"] else "their two sides"
    )
    return f"{whose} differ by at most"


def _counts(result):
    """Return as text how many lines hold, how many fail, and how many cannot be checked."""
    checks, n = result.checks, len(result.lines)
    if checks["holds"] == n:
        return f"all {n} lines hold."
    parts = [f"{checks['holds']} {'holds' if checks['holds'] == 1 else 'hold'}"]
    parts += [f"{checks['fails']} {'fails' if checks['fails'] == 1 else 'fail'}"] if checks["fails"] else []
    if checks["cannot be checked"]:
        parts.append(f"{checks['cannot be checked']} cannot be checked here, without a usable error bar")
    return f"{listed(parts)}."


def _divisors(result):
    rule = result.exact.right_rule
    if rule == "sqrt_d_k":
        return (
            f"Divided by √{result.params.d_k:,} = {number(result.divisor)} the scores have {_spread(result, 'scaled')}."
        )
    return (
        f"Divided by √{result.params.d_k:,} = {number(result.divisor)} the scores have {_spread(result, 'scaled')}. "
        f"The right divisor is {_RULES[rule]} = {number(result.exact.right_divisor)}{_REASONS[rule]}. "
        f"Divided by it, the scores have {_right(result, rule)}."
    )


def _spread(result, name):
    mean, std, typical = (getattr(result, f"{name}_{what}") for what in ("mean", "std", "typical"))
    if np.isinf(result.exact.variance):
        return f"median size {number(typical)}"
    return f"mean {number(mean)} and standard deviation {number(std)}"


def _right(result, rule):
    if rule == "within_row":
        return f"standard deviation {number(result.right_within_row_std)} within a row, where 1 is predicted"
    return _spread(result, "right")


def _moments(result: core.DerivationResult) -> Sequence[str]:
    """Return a sentence for each moment of the raw scores: predicted, measured and its standard error."""
    exact, reliable = result.exact, result.lines[_VARIANCES].reliable
    rows = [
        ("mean of s", exact.mean, result.mean, result.mean_error, result.lines[_MEANS].reliable),
        ("variance of s", exact.variance, result.variance, result.variance_error, reliable),
        (
            "variance within a row",
            exact.within_row_variance,
            result.within_row_variance,
            result.within_row_error,
            reliable,
        ),
    ]
    if not np.isnan(result.effective_dimension):
        measured, error = result.effective_dimension, result.effective_dimension_error
        rows.append(("effective dimension", exact.effective_dimension, measured, error, reliable))
    return [_moment(*row) for row in rows]


def _moment(name, exact, measured, error, usable):
    true = "does not exist" if np.isinf(exact) else f"is {number(exact)}"
    sure = f"{number(measured)} ± {number(error, 2)}" if usable else f"{number(measured)}, {_NO_BAR}"
    return f"The {name} {true} for these settings; measured {sure}."


def _line_table(result):
    """Return a table of all lines with both sides, in full precision."""
    lines, known = result.lines, [_known(each, result) for each in result.lines]
    return {
        "line": [each.number for each in lines],
        "name": [each.name for each in lines],
        "uses": [each.assumption for each in lines],
        "left": [each.left for each in lines],
        "left error": [_usable(usable, each.left_error) for usable, each in zip(known, lines, strict=True)],
        "right": [each.right for each in lines],
        "right error": [_usable(usable, each.right_error) for usable, each in zip(known, lines, strict=True)],
        "error of the difference": [_usable(each.reliable, each.standard_error) for each in lines],
        "z": [_usable(each.reliable, each.z) for each in lines],
        "check": [each.check if each.reliable else f"{each.check}: {_NO_BAR}" for each in lines],
        "seen to fail": [str(each.seen_to_fail) for each in lines],
    }


def _usable(known, value):
    return value if known else None


def _code(params):
    lines = "line.number, line.name, line.left, line.right, line.z, line.holds for line in nine.lines"
    return code(core.measure_derivation, params, show=(lines, "nine.exact"), name="nine")
