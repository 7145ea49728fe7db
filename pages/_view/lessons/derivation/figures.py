"""The derivation lesson: its lines with their live checks, and how the scores grow."""

import numpy as np

from pages._view.figures.base import axis, dashed, dotted, figure, line, title, under
from pages._view.picture import Picture, Table
from pages._view.theme import Profile, listed, number, typed
from sattn_core.lessons.derivation import DerivationResult

_MEANS, _VARIANCES = 3, 6  # places of the lines E[s] = 0 and Var(s) = d_k; their errors are those of all like them
_NO_BAR = "without a usable error bar"
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_USES = {
    "definition": "the definition",
    "means_exist": "means exist",
    "q_and_k_uncorrelated": "q_i and k_i uncorrelated",
    "means_zero": "means 0",
    "terms_uncorrelated": "terms uncorrelated",
    "q_and_k_independent": "q_i and k_i independent",
    "means_zero_variances_one": "means 0, variances 1",
    "variance_exists": "variance exists",
    "all_of_them": "all of them",
}
_LINES = {
    "sum": "s = Σ q_i k_i",
    "linearity": "E[s] = Σ E[q_i k_i]",
    "product_of_means": "E[q_i k_i] = E[q_i] E[k_i]",
    "zero_mean": "E[s] = 0",
    "variance_of_sum": "Var(s) = Σ Var(q_i k_i)",
    "variance_of_product": "the rule for Var(q_i k_i)",
    "variance_d_k": "Var(s) = d_k",
    "scaling": "Var(c s) = c² Var(s)",
    "unit_variance": "Var(s/√d_k) = 1",
}
_RULES = {
    "sqrt_d_k": "√d_k",
    "component_variances": "√(d_k Var(q_i) Var(k_i))",
    "within_row": "√(d_k Var(k_i) (Var(q_i) + E[q_i]²))",
    "effective_dimension": "√(d_k²/d_eff)",
    "d_k": "d_k",
    "tail_power": "d_k^(1/ν)",
}
_REASONS = {
    "sqrt_d_k": "",
    "component_variances": "",
    "within_row": ", the standard deviation within a row, because softmax does not see what all keys share",
    "effective_dimension": ", because correlated coordinates add up like fewer, larger ones",
    "d_k": ", because the score of an aligned pair grows with its mean",
    "tail_power": ", because there is no variance; logarithms are left out",
}


def lines(result: DerivationResult) -> Picture:
    """The numbered lines as a Markdown table: formula, assumption, both sides, z and verdict."""
    return Picture(
        "derivation", _line_rows(result), _sentence(result), _line_table(result), _code(result.params), how_to_save=""
    )


def _line_rows(result):
    """The verdict of the first line that fails is bold, and the page frames the row that has bold words."""
    rows = ["| no. | line | uses | left | right | z | check |", "|-:|:--|:--|--:|--:|--:|:--|"]
    for each in result.lines:
        formula = "$" + each.formula.replace("|", "\\vert ") + "$"
        known = _known(each, result)
        sides = f"{_side(each.left, each.left_error, known)} | {_side(each.right, each.right_error, known)}"
        rows.append(
            f"| {each.number} | {formula} | {_plain(_USES[each.assumption])} | {sides} | {_z(each)} "
            f"| {_verdict(each, result)} |"
        )
    return "\n".join(rows)


def _known(each, result):
    """Whether the errors of the two sides are usable, also in a line whose two sides are equal by algebra."""
    return result.lines[_MEANS if each.number <= _MEANS + 1 else _VARIANCES].reliable


def _plain(text):
    return text.replace("_", "\\_")


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


def _sentence(result):
    """The state of the derivation, and the right divisor."""
    return f"At d_k = {result.params.d_k:,} with {_broken(result.params)}, {_first(result)} {_divisors(result)}"


def _broken(params):
    found = []
    if params.mean_q or params.mean_k:
        found.append(f"means {typed(params.mean_q)} and {typed(params.mean_k)}")
    if (params.variance_q, params.variance_k) != (1, 1):
        found.append(f"variances {typed(params.variance_q)} and {typed(params.variance_k)}")
    if params.correlation:
        found.append(f"correlation {typed(params.correlation)} of q_i with k_i")
    if params.coordinate_correlation:
        found.append(f"correlation {typed(params.coordinate_correlation)} between coordinates")
    if params.nu is not None:
        found.append(f"Student t components, ν = {typed(params.nu)}")
    return ", ".join(found) or "no assumption broken"


def _first(result):
    if result.first_failing is None:
        largest = max(abs(each.z) for each in result.lines if each.reliable)
        compared = f"In {result.params.n_samples:,} pairs {_sides(result)} {number(largest)} standard errors."
        return f"{_counts(result)} {compared}"
    each = result.lines[result.first_failing - 1]
    seen = f"z = {number(each.z)}" if each.reliable else "with tails too heavy for an error bar"
    return (
        f"line {each.number} fails first, {_LINES[each.name]}: left {number(each.left)}, right {number(each.right)}, "
        f"{seen}. Of all {len(result.lines)} lines {_counts(result)}"
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
        f"The right divisor is {_RULES[rule]} = {number(result.exact.right_divisor)}{_REASONS[rule]}: "
        f"{_right(result, rule)}."
    )


def _spread(result, name):
    mean, std, typical = (getattr(result, f"{name}_{what}") for what in ("mean", "std", "typical"))
    if np.isinf(result.exact.variance):
        return f"median size {number(typical)}"
    return f"mean {number(mean)} and standard deviation {number(std)}"


def _right(result, rule):
    if rule == "within_row":
        return f"standard deviation within a row {number(result.right_within_row_std)}, where 1 is predicted"
    return _spread(result, "right")


def moment_table(result: DerivationResult) -> Table:
    """The moments of the raw scores: predicted, measured and the sampling error, as texts."""
    exact, none = result.exact, np.isinf(result.exact.variance)
    rows = [
        ("mean of s", exact.mean, result.mean, result.mean_error, result.lines[_MEANS].reliable),
        ("variance of s", exact.variance, result.variance, result.variance_error, result.lines[_VARIANCES].reliable),
        (
            "variance within a row",
            exact.within_row_variance,
            result.within_row_variance,
            result.within_row_error,
            result.lines[_VARIANCES].reliable,
        ),
    ]
    if not np.isnan(result.effective_dimension):
        measured, error = result.effective_dimension, result.effective_dimension_error
        rows.append(
            ("effective dimension", exact.effective_dimension, measured, error, result.lines[_VARIANCES].reliable)
        )
    return {
        "quantity": [name for name, *_ in rows],
        "predicted": ["does not exist" if none and "variance" in row[0] else number(row[1]) for row in rows],
        "measured": [number(row[2]) for row in rows],
        "standard error": [number(row[3], 2) if row[4] else _NO_BAR for row in rows],
    }


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


def growth(result: DerivationResult, profile: Profile) -> Picture:
    """How the raw scores grow as coordinates are added, beside √d_k and the right divisor."""
    fig, sentence = _growth_figure(result, profile), _growth_sentence(result)
    return Picture("score_growth", fig, sentence, _growth_table(result), _growth_code(result.params))


def _growth_figure(result, profile):
    dims = result.growth_dims
    traces = [
        _grown(dims, result.growth_std, "circle", profile.raw, "standard deviation", profile),
        _grown(dims, result.growth_typical, "diamond-open", profile.raw, "median size", profile),
        line(dims, np.sqrt(dims), dashed(profile), "√d_k"),
        line(dims, result.growth_right_divisor, dotted(profile), "right divisor"),
    ]
    lowest = min(-2.1, np.log10(np.min([result.growth_std, result.growth_typical])) - 0.2)  # every point is inside
    rule = _RULES[result.exact.right_rule]
    key = ("● standard deviation, ◇ median size", "dashed: √d_k, dotted: right divisor", rule)
    across = {"type": "log", "tickvals": _D_TICKS, "range": [-0.1, 3.15]}
    return figure(
        profile,
        traces,
        left=4.2,
        bottom=6.9,
        height=1.1,
        title=title("How raw scores grow", profile),
        annotations=[under(key, profile)],
        xaxis=axis(profile, "coordinates added so far", near=True, **across),
        yaxis=axis(profile, "size of s", grid=True, type="log", range=[lowest, 5.2], dtick=1, exponentformat="power"),
    )


def _grown(dims, sizes, symbol, colour, name, profile):
    marker = {"symbol": symbol, "size": profile.marker_size * 1.3, "color": colour, "line": {"width": 2}}
    return line(dims, sizes, {}, name) | {"mode": "markers", "marker": marker}


def _growth_sentence(result):
    std, typical, right = result.growth_std, result.growth_typical, result.growth_right_divisor
    return (
        f"From 1 coordinate to d_k = {result.growth_dims[-1]:,} the standard deviation of the raw scores goes from "
        f"{number(std[0])} to {number(std[-1])} and their median size from {number(typical[0])} to "
        f"{number(typical[-1])}; √d_k goes from 1 to {number(result.divisor)}, the right divisor from "
        f"{number(right[0])} to {number(right[-1])}."
    )


def _growth_table(result):
    return {
        "coordinates": result.growth_dims.tolist(),
        "standard deviation": result.growth_std.tolist(),
        "median size": result.growth_typical.tolist(),
        "sqrt(d_k)": np.sqrt(result.growth_dims).tolist(),
        "right divisor": result.growth_right_divisor.tolist(),
    }


def _growth_code(params):
    return _measured(params) + (
        "for point in zip(result.growth_dims, result.growth_std, result.growth_typical, result.growth_right_divisor):\n"
        "    print(*point)\n"
    )


def _code(params):
    return _measured(params) + (
        "for line in result.lines:\n"
        "    print(line.number, line.name, line.left, line.right, line.z, line.holds)\n"
        "print(result.exact)\n"
    )


def _measured(params):
    return (
        "from sattn_core.lessons.derivation import DerivationParams, measure_derivation\n\n"
        f"result = measure_derivation({params!r})\n"
    )
