"""Pictures of the derivation lesson: its three lines as d_k moves, and how scores grow beside the right divisor."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.marks import Mark
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, listed, number, typed
from sattn_core.lessons import derivation as core

_MEANS, _VARIANCES = 3, 6  # places of the lines E[s] = 0 and Var(s) = d_k; their errors are those of all like them
_NO_BAR = "without a usable error bar"
_LEFT = 4.2  # letters of an axis title beside the plot
_COLUMNS = 0, 0.42  # where the words of the three lines begin, as shares of the plot; the first at the figure's edge
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_ON_A_WALL = 110  # letters of a key
_RANGE = -0.75, 3.9  # of the axis of the variances; wider where what is broken takes them further
_ABOVE = 0.4  # of a decade over the last number of that axis, at least, which stands clear of the key then
_SHORT = {  # line -> as it is written, and what it is about
    "mean_zero": ("E[q·k] = 0", "mean of q·k"),
    "variance_d_k": ("Var(q·k) = dₖ", "variance of q·k"),
    "scaled_variance_one": ("Var(q·k/√dₖ) = 1", "variance of q·k/√dₖ"),
}
_USED = {  # line -> assumption -> its words
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
_WHY = {  # rule -> why the divisor is what it is, in the few words that stand under it
    "sqrt_d_k": "the root of the variance, dₖ",
    "component_variances": "the root of dₖ Var(qᵢ) Var(kᵢ)",
    "within_row": "all that softmax sees is the spread within a row",
    "effective_dimension": "components move together",
    "d_k": "the mean grows like dₖ",
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


def growing_variance(
    growth: core.ScoreGrowth, d_k: int, profile: Profile, result: core.DerivationResult | None = None
) -> Picture:
    """The three lines, and under them the variance of raw and scaled scores up to this d_k, beside what they predict.

    result: the nine lines at this d_k, which stand behind the picture.
    """
    shown = Picture(
        "three_lines",
        _variance_figure(growth, d_k, profile),
        _point(growth, d_k),
        _variance_table(growth, d_k),
        _variance_code(growth.params, d_k),
        alt=_variance_alt(growth, d_k),
        sure=_sure(growth, d_k),
        marks=(
            Mark("raw variance", ("raw", "predicted, raw")),
            Mark("divided by √dₖ", ("scaled", "predicted, scaled")),
        ),
    )
    return shown if result is None else _with_nine(shown, result)


def _variance_figure(growth, d_k, profile):
    largest = growth.params.d_k
    traces = [
        base.line((1, largest), (1, largest), base.dashed(profile), "predicted, raw"),
        base.line((1, largest), (1, 1), base.dashed(profile), "predicted, scaled"),
        *_exact_lines(growth, profile),
        *_measured_points(growth, d_k, profile),
    ]
    dims = [-0.1, 3.7 if base.on_a_wall(profile) else 3.35]
    fig = base.figure(
        profile,
        traces,
        left=_LEFT,
        bottom=2.7,
        height=0.7 if base.on_a_wall(profile) else 0.9,
        title=_title(growth, d_k, profile, dotted=len(traces) > 6),
        shapes=[base.upright(d_k, base.thin(profile)) | {"layer": "below"}],
        annotations=[*_line_ends(largest, profile), *_three(growth, d_k, profile)],
        xaxis=base.axis(profile, "dₖ", type="log", tickvals=_D_TICKS, range=dims),
        yaxis=_sizes_axis(profile, "variance", _variance_range(growth)),
    )
    room = _room_above(profile)
    fig.layout["height"] += room
    fig.layout["margin"]["t"] += room
    return fig


def _room_above(profile):
    """The height of the three lines; less on a wall, whose title is small."""
    small = round(profile.title_size * 0.6) if base.on_a_wall(profile) else 0
    return round(len(core.SCORE_LINES) * _row_height(profile)) - small


def _sizes_axis(profile, text, ends):
    """A vertical axis on which sizes are logarithmic; a wall has little height for its numbers."""
    decades = 2 if base.on_a_wall(profile) else 1
    return base.axis(profile, text, grid=True, type="log", range=ends, dtick=decades, exponentformat="power")


def _three(growth, d_k, profile):
    """The three lines, a row each above the plot: measured, with its verdict, and beside it what it uses."""
    place: Part = {"xref": "paper", "yref": "paper", "y": 1, "xanchor": "left", "yanchor": "top", "align": "left"}
    words = []
    for i, each in enumerate(growth.at(d_k)):
        up = round((len(core.SCORE_LINES) - i) * _row_height(profile))
        for x, parts in zip(_COLUMNS, (_measured(each), _used(each, growth.params)), strict=True):
            out = 0 if x else -round(_LEFT * profile.axis_size)
            words.append(base.label(_in_row(parts, profile), profile, x=x, xshift=out, yshift=up, **place))
    return words


def _row_height(profile):
    """Pixels: on a wall a row is one line, elsewhere two."""
    return profile.tick_size * (1.4 if base.on_a_wall(profile) else 2.9)


def _in_row(parts, profile):
    return (" " if base.on_a_wall(profile) else "<br>").join(parts)


def _measured(each):
    written, _ = _SHORT[each.name]
    return f"<b>{_MARKS[each.check]} {written}</b>", f"measured {number(each.measured)}"


def _used(each, params):
    """Return what a line uses beyond those above it; what is broken is struck out."""
    broken = {name for name, words in _broken_ones(params).items() if words}
    if params.nu is not None and params.nu > 2:
        broken.discard("tails")
    first, *more = (f"<s>{words}</s>" if name in broken else words for name, words in _USED[each.name].items())
    start = "uses" if each.name == "mean_zero" else "uses also"
    return (f"{start} {first},", *more) if more else (f"{start} {first}",)


def _title(growth, d_k, profile, *, dotted):
    """The divisor, why it is this one, and what marks and lines are that have no name at their ends."""
    headline, why = _divisor(growth, d_k)
    exact = ["dotted: exact"] if dotted else []
    if base.on_a_wall(profile):  # where a row is saved, and the predictions have their names at their ends
        words = base.wrapped((f"{headline}, {why}", *exact), _ON_A_WALL)
        return base.title(words, profile, size=profile.tick_size, letters=_ON_A_WALL)
    room = base.LETTERS * profile.title_size / profile.tick_size
    marks = base.wrapped(("● raw", "■ divided by √dₖ", "dashed: predicted", *exact), room)
    return base.title(headline, profile, key=(f"{base.wrapped(why, room)}<br>{marks}",))


def _divisor(growth, d_k):
    """What to divide by at this d_k for the settings, and why: the largest words of the first view."""
    exact, root = core.exact_scores(replace(growth.params, d_k=d_k)), np.sqrt(d_k)
    rule, divisor = exact.right_rule, _short(exact.right_divisor)
    if np.isclose(exact.right_divisor, root):
        return f"Divide by √dₖ = {divisor}", _WHY[rule]
    why = f"not √dₖ = {_short(root)}: {_WHY[rule]}"
    if rule == "tail_power":
        return f"Divide by about {divisor}", why
    return f"Divide by {'dₖ' if rule == 'd_k' else f'√{_short(exact.right_divisor**2)}'} = {divisor}", why


def _short(value):
    """A number without zeros at its end."""
    text = number(value)
    return text.rstrip("0").rstrip(".") if "." in text and "×" not in text else text


def _exact_lines(growth, profile):
    """What is true for these settings, where it is not what is predicted."""
    dims, exact = _dims(growth.params.d_k), growth.exact_variance
    if growth.at(growth.params.d_k)[1].holds or not np.isfinite(exact[0]):
        return []
    exact = exact[dims - 1]
    return [
        base.line(dims, exact, base.dotted(profile), "exact, raw"),
        base.line(dims, exact / dims, base.dotted(profile), "exact, scaled"),
    ]


def _measured_points(growth, d_k, profile):
    """Small marks up to this d_k, and large ones at it; a band is two standard errors."""
    traces = []
    for dims, size in ((_dims(d_k)[:-1], 1.0), (np.array([d_k]), 2.0)):
        for name, colour, symbol, divisor in (
            ("raw", profile.raw, "circle", 1),
            ("scaled", profile.scaled, "square", dims),
        ):
            measured, error = growth.variance[dims - 1] / divisor, 2 * growth.variance_error[dims - 1] / divisor
            error = error if growth.at(d_k)[1].reliable else np.zeros_like(error)
            mark = base.points(profile, colour, symbol, dims, measured, error, error, name)
            traces.append(mark | {"marker": mark["marker"] | {"size": size * profile.marker_size}})
    return traces


def _dims(d_k):
    """1, 2, 4, … and d_k."""
    return np.array(sorted({2**power for power in range(d_k.bit_length())} | {d_k}))


def _variance_range(growth):
    """The same at every d_k: what is measured all the way to the largest fits in."""
    dims = np.arange(1, growth.params.d_k + 1)
    low, high = np.log10((growth.variance / dims).min()) - 0.1, np.log10(growth.variance.max()) + 0.1
    return [min(_RANGE[0], float(low)), max(_RANGE[1], float(high), np.floor(high) + _ABOVE)]


def _line_ends(largest, profile):
    """The names of the two predictions at the ends of their lines, and of the marks where no key names them."""
    end = {"x": np.log10(largest), "xanchor": "left", "xshift": 6}
    raw, scaled = ("raw: dₖ", "÷ √dₖ: 1") if base.on_a_wall(profile) else ("dₖ", "1")
    return [base.label(raw, profile, y=np.log10(largest), **end), base.label(scaled, profile, y=0, **end)]


def _point(growth, d_k):
    """What the three lines say at this d_k, in one sentence with three numbers at most."""
    mean, variance, scaled = growth.at(d_k)
    at, measured = f"At dₖ = {d_k:,}", number(variance.measured)
    if np.isinf(variance.exact):
        return f"No variance exists. {at} these pairs give {measured}, and other pairs would give something else."
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
    """What a line that is seen to fail comes to."""
    mean, variance, scaled = growth.at(d_k)
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
    raw, left = number(variance.measured), number(scaled.measured)
    if growth.params.component_correlation:
        return (
            f"raw scores have variance {raw}, not dₖ. Divided by √dₖ they have {left}, not one, and more as dₖ grows."
        )
    return f"raw scores have variance {raw}, not dₖ. Divided by √dₖ they have about {left}, not one, whatever dₖ is."


def _variance_alt(growth, d_k):
    largest = growth.params.d_k
    return (
        f"{_point(growth, d_k)} {_divisor(growth, d_k)[0]}. {_lines_in_words(growth, d_k)} Both "
        "axes are logarithmic. Two dashed lines show what is "
        f"predicted: a raw variance that rises from 1 to {largest:,} as dₖ does, and a scaled variance that stays 1. "
        f"The marks up to dₖ = {d_k:,} are measured."
    )


def _lines_in_words(growth, d_k):
    said = (f"{_SHORT[each.name][0]}, measured {number(each.measured)}, {each.check}" for each in growth.at(d_k))
    return f"The three lines: {'; '.join(said)}."


def _sure(growth, d_k):
    """Each line with its error, and how it was measured."""
    n, *lines = growth.params.n_samples, *growth.at(d_k)
    return (
        _why_root(d_k),
        *(_measured_line(each) for each in lines),
        f"Each ± is one standard error over {n:,} independent pairs of q and k; a band in the figure is two. z is the "
        "distance from the prediction in standard errors.",
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


def _variance_code(params, d_k):
    lines = f"line.name, line.predicted, line.exact, line.measured, line.standard_error for line in result.at({d_k})"
    points = f"d_k, result.variance[d_k - 1], result.variance_error[d_k - 1] for d_k in {_dims(d_k).tolist()}"
    return code(core.measure_growth, params, show=(lines, points))


def _why_root(d_k):
    """Why the divisor is √d_k and not d_k, in the numbers of the moment."""
    rule = "Var(cX) = c² Var(X): dividing scores by a number divides their variance by its square."
    if d_k == 1:
        return f"{rule} At dₖ = 1 there is nothing to divide: √1 is 1."
    return (
        f"{rule} To bring a variance of {d_k:,} down to {number(core.variance_after_dividing(d_k, 0.5), 1)}, that "
        f"square must be {d_k:,}, so the number is √{d_k:,} = {number(np.sqrt(d_k))}. Dividing by {d_k:,} itself would "
        f"leave a variance of 1/{d_k:,} = {number(core.variance_after_dividing(d_k, 1))}."
    )


# --- the nine lines ----------------------------------------------------------------------------------------


def _with_nine(shown, result):
    """Put the nine lines behind a picture: how sure each is, and a file of their numbers."""
    return replace(
        shown,
        sure=(*shown.sure, *_state(result), *_moments(result)),
        checks=_line_rows(result),
        bins=_line_table(result),
        bins_name="the nine lines",
        code=f"{shown.code}\n{_code(result.params)}",
    )


def _line_rows(result):
    """Each line as it is read: formula, assumption, both sides, z and verdict, that of the first that fails in bold."""
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
    """Whether the errors of the two sides are usable, also in a line whose two sides are equal by algebra."""
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
    """The state of the derivation, and the right divisor, in sentences."""
    return f"At dₖ = {result.params.d_k:,} with {_broken(result.params)}, {_first(result)}", _divisors(result)


def _broken_ones(params):
    """How each assumption is broken, in words; nothing where it holds."""
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
    """Whose two sides are compared: those of the lines that hold, where some cannot be checked."""
    whose = (
        f"the two sides of these {result.checks['holds']}" if result.checks["cannot be checked"] else "their two sides"
    )
    return f"{whose} differ by at most"


def _counts(result):
    """How many lines hold, fail and cannot be checked; those of which there are none are left out."""
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
    """The moments of the raw scores, a sentence each: predicted, measured and the sampling error."""
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
    """Every line with both sides, in full precision."""
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


# --- the right divisor -------------------------------------------------------------------------------------


def growth(result: core.DerivationResult, profile: Profile) -> Picture:
    """How the raw scores grow as components are added, beside √d_k and the right divisor."""
    return Picture(
        "score_growth",
        _growth_figure(result, profile),
        _growth_sentence(result),
        {
            "components": result.growth_dims.tolist(),
            "standard deviation": result.growth_std.tolist(),
            "median size": result.growth_typical.tolist(),
            "√dₖ": np.sqrt(result.growth_dims).tolist(),
            "right divisor": result.growth_right_divisor.tolist(),
        },
        _growth_code(result.params),
        sure=(_growth_ends(result),),
        marks=(Mark("raw scores", ("standard deviation",)),),
    )


def _verdict_on_root(result):
    """Return whether to divide by √d_k. Without a variance scores outgrow even the ν-th root of d_k."""
    exact = result.exact
    if result.params.d_k == 1 and exact.right_rule in ("d_k", "tail_power"):
        return "At dₖ = 1 every power of dₖ is 1"
    if np.isinf(exact.variance):
        return "Without a variance √dₖ is not the right divisor"
    return f"Here √dₖ is {'' if np.isclose(exact.right_divisor, result.divisor) else 'not '}the right divisor"


def _growth_figure(result, profile):
    dims = result.growth_dims
    traces = [
        _grown(dims, result.growth_std, "circle", profile.raw, "standard deviation", profile),
        _grown(dims, result.growth_typical, "diamond-open", profile.raw, "median size", profile),
        base.line(dims, np.sqrt(dims), base.dashed(profile), "√dₖ"),
        base.line(dims, result.growth_right_divisor, base.dotted(profile), "right divisor"),
    ]
    lowest = min(-2.1, np.log10(np.min([result.growth_std, result.growth_typical])) - 0.2)  # every point is inside
    lines = "dashed: √dₖ, dotted: right divisor", _RULES[result.exact.right_rule]
    key = "● standard deviation, ◇ median size", *lines
    across = {"type": "log", "tickvals": _D_TICKS, "range": [-0.1, 3.15]}
    return base.figure(
        profile,
        traces,
        left=4.2,
        bottom=4.4 if base.on_a_wall(profile) else 6.9,
        height=0.8 if base.on_a_wall(profile) else 1.1,
        title=base.title(_verdict_on_root(result), profile, letters=base.letters_over(profile)),
        annotations=[base.under(key, profile)],
        xaxis=base.axis(profile, "components added so far", near=True, **across),
        yaxis=_sizes_axis(profile, "size of s", [lowest, 5.2]),
    )


def _grown(dims, sizes, symbol, colour, name, profile):
    marker = {"symbol": symbol, "size": profile.marker_size * 1.3, "color": colour, "line": {"width": 2}}
    return base.line(dims, sizes, {}, name) | {"mode": "markers", "marker": marker}


def _growth_sentence(result):
    """What to divide by, beside √d_k."""
    exact, at = result.exact, f"At dₖ = {result.params.d_k:,}"
    divisor, right = number(result.divisor), number(exact.right_divisor)
    if np.isinf(exact.variance):
        size = number(result.growth_typical[-1])
        return f"{at} the median score has size {size}; the ν-th root of dₖ is {right}, and scores outgrow even that."
    if np.isclose(exact.right_divisor, result.divisor):
        inside = exact.right_rule == "within_row"
        what = "scores within one row" if inside else "raw scores"
        spread = np.sqrt(result.within_row_variance) if inside else result.growth_std[-1]
        return f"{at} {what} have standard deviation {number(spread)}, and √dₖ is {divisor}."
    return f"{at} the right divisor is {right}, and √dₖ is {divisor}."


def _growth_ends(result):
    std, typical, right = result.growth_std, result.growth_typical, result.growth_right_divisor
    return (
        f"From 1 component to dₖ = {result.growth_dims[-1]:,} the standard deviation of the raw scores goes from "
        f"{number(std[0])} to {number(std[-1])} and their median size from {number(typical[0])} to "
        f"{number(typical[-1])}; √dₖ goes from 1 to {number(result.divisor)}, the right divisor from "
        f"{number(right[0])} to {number(right[-1])}."
    )


def _growth_code(params):
    columns = ", ".join(f"result.growth_{name}" for name in ("dims", "std", "typical", "right_divisor"))
    return code(core.measure_derivation, params, show=f"*point for point in zip({columns})")


def _code(params):
    lines = "line.number, line.name, line.left, line.right, line.z, line.holds for line in nine.lines"
    return code(core.measure_derivation, params, show=(lines, "nine.exact"), name="nine")
