"""Pictures of the scaling_rules lesson: exponents against d_k, every rule on the same scores, and real bugs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.figures.ends import name_ends
from pages._view.literal import written
from pages._view.marks import Mark
from pages._view.picture import Picture
from pages._view.theme import Profile, listed, number, percent, typed
from sattn_core.draws.short_answers import D_K, GROUP, KEY_SIZE, LATENT_SIZE, N_KEYS, ShortAnswers
from sattn_core.layers.rules import SCALING_RULES
from sattn_core.lessons import scaling_rules as core

_D_TICKS = (1, 4, 16, 64, 256, 1024)
_ENTROPY_TICKS = {"d_k": (4, 32, 256), "n_keys": (4, 64, 1024)}
_COLUMNS = ([0.0, 0.16], [0.42, 0.58], [0.84, 1.0])  # horizontal domains of the columns on a wall
_ENTROPY_PANELS = ([0.0, 0.44], [0.56, 1.0])  # horizontal domains of the panels
_NAMED = {0.0: "α = 0, raw", 0.5: "½, ÷ √dₖ", 1.0: "1, ÷ dₖ"}
_SYMBOLS = {0.0: "circle", 0.5: "square", 1.0: "diamond"}
_SHORT = {
    "mup": "muP 1/dₖ",
    "granite": "Granite",
    "swin_v2": "Swin v2",
    "soft_cap": "Soft-cap",
    "ssmax": "SSMax",
    "llama_4": "Llama 4",
    "t5": "T5",
    "qk_clip": "QK-Clip",
    "adaptive_temperature": "Adaptive temp.",
    "key_length_sum": "Key lengths",
}
_SAID = {"mup": "muP", "gemma_2_27b": "Gemma 27B", "no_scale": "no scale"}  # names in a sentence: one number at most
_LANDMARKS = ("vaswani", "no_scale", "mup")
_LANDMARK_WORDS = {"vaswani": "1/√dₖ", "no_scale": "no scale", "mup": "muP 1/dₖ"}
UPRIGHT = {"variance": "<b>Variance of the scores</b>", "mean": "<b>Mean of the scores</b>"}  # y axis titles
_RANGES = {"variance": (-3.6, 4.1), "mean": (-2.2, 3.5)}  # axis ranges in log10
_AXES = {"d_k": "dₖ", "n_keys": "number of keys"}
_NEARLY_UNCHANGED = 0.1  # error of the output that counts as none, as a share of its length
_SAME = 0.02  # two numbers that differ by a smaller share are called the same
_SAME_NATS = 0.1  # an entropy that changes by less stays almost the same
_SURE = 3  # points of a curve that differ by fewer standard errors may be equal
_WITHIN = 1.96  # standard errors on both sides that hold 95 % of all draws
_LETTER = 0.56  # width of a letter, as a share of its size
_USUAL_REACH, _USUAL_HIGH = 0.2, 0.7  # the outline's label: width as a share of the keys; highest place on the axis
_USUAL_PLACES = 33  # places tried for the outline's label


# --- exponents -------------------------------------------------------------------------------------------


def exponents(result: core.ExponentResult, d_k: int, profile: Profile) -> Picture:
    """Return the picture of the variance of q·k / d_k^α against d_k: points, dashed theory, and a line at d_k."""
    i = result.dims.index(d_k)
    return Picture(
        "exponents",
        _exponent_figure(result, "variance", profile, d_k=d_k),
        _exponent_sentence(result, i),
        _exponent_table(result),
        _exponent_code(result),
        sure=_exponent_sure(result, "variance", i),
        marks=_exponent_marks(result),
        checks=_exponent_checks(result, "variance", i),
    )


def means(result: core.ExponentResult, profile: Profile) -> Picture:
    """Return the picture of the mean of q·k / d_k^α against d_k, which is 0 unless pairs are correlated."""
    return Picture(
        "exponent_means",
        _exponent_figure(result, "mean", profile),
        _mean_sentence(result),
        _exponent_table(result),
        _exponent_code(result),
        sure=_exponent_sure(result, "mean", -1),
        marks=_mean_marks(result),
        checks=_exponent_checks(result, "mean", -1),
    )


def _exponent_figure(result, what, profile, d_k=None):
    drawn = [(curve, abs(getattr(curve, f"{what}_theory"))) for curve in reversed(result.curves)]
    drawn = [pair for pair in drawn if pair[1].any()]
    names = [(_exponent_name(curve.exponent), np.log10(theory[-1])) for curve, theory in drawn]
    low, high = _RANGES[what]
    fig = base.figure(
        profile,
        [trace for pair in drawn for trace in _exponent_traces(result.dims, d_k, what, *pair, profile)],
        left=3.2,
        title=base.title(UPRIGHT[what], profile, size=profile.axis_size),
        xaxis=base.axis(profile, "dₖ", type="log", tickvals=_D_TICKS, tickangle=0, range=[-0.12, 3.13]),
        yaxis=base.axis(profile, **_decades(low, high), **_fewer(profile)),
        shapes=[] if d_k is None else [base.upright(d_k, base.dotted(profile)) | {"layer": "below"}],
    )
    if names:
        colours = [_exponent_colour(curve, profile) for curve, _ in drawn]
        return name_ends(fig, names, profile, low=low, high=high, colours=colours)
    words = "The mean is 0 at every dₖ:<br>turn ρ up."
    place = {"xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5}
    fig.layout["annotations"] = [base.label(words, profile, size=profile.axis_size, **place)]
    return fig


def _exponent_traces(dims, d_k, what, curve, theory, profile):
    """Return one exponent's traces: its theory, and the measured points with their standard errors."""
    few = [i for i, each in enumerate(dims) if each in core.EXPONENT_DIMS or each == d_k]  # points at some stops only
    name, x = _exponent_name(curve.exponent), np.array(dims)[few]
    measured, error = (each[few] for each in (abs(getattr(curve, what)), getattr(curve, f"{what}_error")))
    below = np.minimum(error, 0.9 * measured)  # a log axis has no room for a bar down to 0
    return [
        base.line(dims, theory, base.dashed(profile), f"{name}, theory"),
        _larger(
            base.points(profile, _exponent_colour(curve, profile), _symbol(curve), x, measured, error, below, name), d_k
        ),
    ]


def _larger(dots, d_k):
    """Return the points with the one at the current d_k enlarged."""
    size = dots["marker"]["size"]
    sizes = {"size": np.where(dots["x"] == d_k, 1.7 * size, size), "line": {"width": 0}}
    return dots | {"marker": dots["marker"] | sizes}


def _decades(low, high):
    return {"grid": True, "type": "log", "range": [low, high], "exponentformat": "power"}


def _fewer(profile):
    """Return ticks at every power of ten or, on a wall, which is low, at every second one."""
    return {"dtick": 2 if base.on_a_wall(profile) else 1}


def _exponent_colour(curve, profile):
    return {0.0: profile.raw, 0.5: profile.scaled, 1.0: profile.third}.get(curve.exponent, profile.text)


def _symbol(curve):
    return _SYMBOLS.get(curve.exponent, "star")


def _exponent_name(exponent):
    return _NAMED.get(exponent, f"yours, {typed(exponent)}")


def _exponent_sentence(result, i):
    """Return the sentence on the variance at this d_k, and on its change with d_k."""
    curve, d_k, variance = result.curves[0], result.dims[i], _by_exponent(result, "variance", i)
    start, here, half = f"At dₖ = {d_k:,}", number(curve.variance[i], 2), number(variance[0.5], 2)
    if d_k == 1:
        return f"{start} the variance is {here} whatever the exponent is: there is nothing to divide by yet."
    if curve.exponent == 0.0:
        return f"{start} the raw scores have variance {here}, which grows with dₖ; divided by √dₖ it stays near {half}."
    if curve.variance_is_flat:
        raw = number(variance[0.0], 2)
        return (
            f"{start} the scores have variance {raw} without the scale and {half} divided by √dₖ, about the same at "
            f"every dₖ."
        )
    name = "dividing by dₖ" if curve.exponent == 1 else f"α = {typed(curve.exponent)}"
    moves = "grows" if curve.exponent < 0.5 else "shrinks"
    return f"{start}, {name} leaves a variance of {here}, which {moves} with dₖ; only √dₖ keeps it flat."


def _exponent_marks(result):
    own = result.curves[0].exponent
    named = {"raw scores": 0.0, "without the scale": 0.0, "by √dₖ": 0.5, "only √dₖ": 0.5, "dividing by dₖ": 1.0}
    named |= {f"α = {typed(own)}": own, "the variance": own}
    return [_curve_mark(word, exponent) for word, exponent in named.items()]


def _mean_marks(result):
    """Return the marks of the means; without correlation there is no mean to draw."""
    named = {"Divided by dₖ": 1.0, "divided by √dₖ": 0.5} if result.params.correlation else {}
    return [_curve_mark(word, exponent) for word, exponent in named.items()]


def _curve_mark(word, exponent):
    name = _exponent_name(exponent)
    return Mark(word, (name, f"{name}, theory"))


def _by_exponent(result, what, i):
    return {curve.exponent: getattr(curve, what)[i] for curve in result.curves}


def _mean_sentence(result):
    """Return the sentence: the means at the largest d_k, for the exponents ½ and 1."""
    if result.params.correlation == 0:
        return "The scores of independent pairs scatter around 0, whatever they are divided by."
    mean = _by_exponent(result, "mean", -1)
    return (
        f"Divided by dₖ the mean stays near {number(mean[1.0], 2)}; divided by √dₖ it runs off, to "
        f"{number(mean[0.5], 2)} at dₖ = {result.dims[-1]:,}."
    )


def _exponent_sure(result, what, i):
    """Return sentences on the first and last value at the learner's exponent, and on the table of checks."""
    params, curve = result.params, result.curves[0]
    first, *_, last = values = getattr(curve, what)
    error, predicted = (getattr(curve, f"{what}_{each}") for each in ("error", "theory"))
    return (
        f"Measured are scores q·k ÷ dₖ to the power {typed(curve.exponent)} of {params.n_samples:,} pairs with "
        f"ρ = {typed(params.correlation)}. From dₖ = {result.dims[0]} to {result.dims[-1]:,} their {what} goes from "
        f"{number(first)} to {number(last)} ± {number(error[-1], 1)} (predicted {number(predicted[-1])}). "
        f"{_flat(curve, params.correlation)}",
        f"The table is for dₖ = {result.dims[i]:,}. Bars and ± are one standard error; z is the difference in standard "
        f"errors, and ± {_WITHIN} holds 95 % of all draws. All {len(values)} dimensions share one draw.",
    )


def _exponent_checks(result, what, i):
    """Return a table of measured and predicted values, exponent by exponent."""
    rows = [
        (each, *(getattr(each, f"{what}{name}")[i] for name in ("", "_error", "_theory"))) for each in result.curves
    ]
    z = [(found - predicted) / error for _, found, error, predicted in rows]
    return {
        "exponent": [_exponent_name(curve.exponent) for curve, *_ in rows],
        f"{what}, measured": [f"{number(found)} ± {number(error, 2)}" for _, found, error, _ in rows],
        "predicted": [number(predicted) for *_, predicted in rows],
        "z": [number(each, 2) for each in z],
        "verdict": [f"{'inside' if abs(each) <= _WITHIN else 'outside'} ± {_WITHIN}" for each in z],
    }


def _flat(curve, correlation):
    """Return a sentence that says which of variance and mean stays the same; a mean of 0 always does."""
    if correlation == 0:
        said = "stays the same: ½ is right" if curve.variance_is_flat else "does not stay the same: only ½ is right"
        return f"The variance {said} for independent q and k."
    if curve.variance_is_flat:
        return "The variance stays and the mean runs off."
    if curve.mean_is_flat:
        return "The mean stays and the variance shrinks."
    return "Neither stays the same, for the variance needs ½ and the mean 1."


def _exponent_table(result):
    """Return a table of all points with their theory and standard error."""
    columns: dict[str, Sequence[Any]] = {"d_k": list(result.dims)}
    for curve in result.curves:
        for what in ("variance", "variance_theory", "variance_error", "mean", "mean_theory", "mean_error"):
            name = f"exponent {curve.exponent:g}: {what.replace('_', ', ')}"
            columns[name] = getattr(curve, what).tolist()
    return columns


def _exponent_code(result):
    """Return Python code that measures the exponents."""
    shown = "curve.exponent, curve.variance, curve.variance_theory for curve in result.curves"
    return code(core.measure_exponents, result.params, result.dims, show=shown)


# --- the rules -------------------------------------------------------------------------------------------


def rules(result: core.RulesResult, name: str, profile: Profile) -> Picture:
    """Return the picture of all rules with the number of keys that they use; the chosen one is highlighted."""
    return Picture(
        "rules",
        _comparison(result, name, profile),
        _rule_sentence(result, name),
        _rule_table(result),
        _rule_code(result.params),
        sure=_rule_sure(result, name),
        marks=_rule_marks(result, name),
    )


def one_rule(result: core.RulesResult, name: str, profile: Profile) -> Picture:
    """Return the picture of the chosen rule on one query, from raw score to weight."""
    return Picture(
        "rule_scores",
        _one_rule(result, name, profile),
        _one_rule_sentence(result, name),
        _one_rule_table(result, name),
        _rule_code(result.params),
        sure=(_one_rule_compared(result, name),),
        marks=(Mark("largest weight", ("weights",)), Mark("÷ √dₖ", ("weights with 1/√dₖ",))),
    )


def _chosen(result, name):
    """Return the result of one rule."""
    return next(rule for rule in result.rules if rule.name == name)


def _comparison(result, name, profile):
    """Return the figure with one row per rule: its name, a point at its keys in use and, on the right, their number."""
    wall = base.on_a_wall(profile)
    columns = _in_columns(result.rules, len(_COLUMNS) if wall else 1)  # a wall is wide and low
    traces, numbers, axes = [], [], {}
    for i, rules in enumerate(columns, start=1):
        on = {"xaxis": f"x{i}", "yaxis": f"y{i}"}
        traces += [_dot(each, name, profile) | on for each in rules]
        numbers += [_keys_in_use(each, name, i, profile) for each in rules]
        axes |= _rows_axes(i, columns, result.params.n_keys, profile)
    fig = base.figure(
        profile,
        traces,
        left=7 if wall else 8.5,
        height=_rows_height(len(columns[0]), profile),
        bottom=1.6 if wall else 3,
        title=base.title(f"<b>Keys in use, of {result.params.n_keys}</b>", profile, size=profile.axis_size),
        annotations=numbers,
        shapes=[_all_keys(i, result.params.n_keys, profile) for i in range(1, len(columns) + 1)],
        **axes,
    )
    fig.layout["margin"]["r"] = round(5 * _LETTER * profile.tick_size + profile.tick_size)
    return fig


def _in_columns(rules, count):
    size = -(-len(rules) // count)
    return [rules[first : first + size] for first in range(0, len(rules), size)]


def _rows_axes(i, columns, n_keys, profile):
    """Return a column's axes, with as many rows as the first column, so that rows line up."""
    order = {"categoryorder": "array", "categoryarray": [_short(each) for each in columns[i - 1]], "dtick": 1}
    rows = {"type": "category", "range": [len(columns[0]) - 0.4, -0.6], **order}
    domain, title = ({"domain": _COLUMNS[i - 1]}, None) if len(columns) > 1 else ({}, "effective keys")
    return {
        f"xaxis{i}": base.axis(profile, title, range=[0, 1.06 * n_keys], nticks=5, tickangle=0, anchor=f"y{i}")
        | domain,
        f"yaxis{i}": base.axis(profile, grid=True, ticks="", anchor=f"x{i}", **rows),
    }


def _all_keys(i, n_keys, profile):
    place = {"xref": f"x{_nth(i)}", "yref": f"y{_nth(i)} domain", "layer": "below"}
    return base.upright(n_keys, base.dotted(profile)) | place


def _rows_height(count, profile):
    """Return the height factor for so many rows of text, with the room above and below them."""
    return (count * 1.2 * profile.tick_size + 1.6 * profile.title_size + 3 * profile.axis_size) / profile.height


def _keys_in_use(rule, name, i, profile):
    words = number(rule.effective_keys)
    at = _nth(i)
    place = {"xref": f"x{at} domain", "x": 1, "xanchor": "left", "xshift": profile.tick_size / 3, "bgcolor": None}
    bold = f"<b>{words}</b>" if rule.name == name else words
    return base.label(bold, profile, y=_short(rule), yref=f"y{at}", **place)


def _dot(rule, name, profile):
    here = rule.name == name
    marker = {"color": _rule_colour(rule.name, name, profile), "size": profile.marker_size * (2 if here else 1.3)}
    marker |= {"symbol": "triangle-up" if rule.name == "mup" else "circle"}
    return {"type": "scatter", "mode": "markers", "x": [rule.effective_keys], "y": [_short(rule)], "name": rule.title,
            "marker": marker, "cliponaxis": False}  # fmt: skip


def _short(rule):
    return _SHORT.get(rule.name, written(rule.title))


def _rule_colour(name, here, profile):
    landmarks = dict(zip(_LANDMARKS, (profile.scaled, profile.raw, profile.third), strict=True))
    return landmarks.get(name, profile.text if name == here else profile.band)


def _one_rule(result, name, profile):
    here, wall = _chosen(result, name), base.on_a_wall(profile)
    limit = 1.1 * max(abs(result.raw_scores).max(), abs(here.scores).max())
    scores = base.axis(profile, grid=True, range=[-limit, limit], nticks=5)
    weights = base.axis(profile, grid=True, range=[0, 1.02], tickvals=[0, 0.5, 1])
    colour = _after_colour(here, profile)
    after = "After the rule" if wall else "After the rule, same axis"
    words = (("Raw scores", profile.raw), (after, colour), ("Weights", colour))
    keys = base.axis(profile, "key", range=[0, result.params.n_keys + 1])
    headings = [
        base.heading(base.in_colour(said, ink, profile), profile, axes=_nth(i))
        for i, (said, ink) in enumerate(words, start=1)
    ]
    usual = [] if name == "vaswani" else [_usual_name(result, here, profile)]
    return base.figure(
        profile,
        _rule_traces(result, here, profile),
        height=1.0 if wall else 1.25,
        left=3.4,
        annotations=[*headings, *usual],
        **(_beside_each_other if wall else _below_each_other)(keys, scores, scores, weights),
    )


def _after_colour(here, profile):
    return profile.raw if here.name == "no_scale" else profile.scaled


def _usual_name(result, here, profile):
    """Return the dotted outline's label, above its highest key or at the nearest place where keys leave room."""
    usual = _chosen(result, "vaswani").attention_weights
    high, n = np.maximum(usual, here.attention_weights), len(usual)
    half, peak = _USUAL_REACH * n / 2, int(np.argmax(usual)) + 1
    places = np.clip([peak, *np.linspace(1, n, _USUAL_PLACES)], 0.5 + half, n + 0.5 - half)
    tops = [float(high[abs(np.arange(1, n + 1) - x) < half + 0.5].max()) for x in places]
    x, y = min(zip(places, tops, strict=True), key=lambda each: (each[1] > _USUAL_HIGH, abs(each[0] - peak)))
    return base.label(
        "÷ √dₖ", profile, xref="x3", yref="y3", bgcolor=None, x=float(x), y=min(y, _USUAL_HIGH), yanchor="bottom"
    )


def _below_each_other(keys, *heights):
    """Return the axes of three panels, from top to bottom; only the lowest has labels for the keys."""
    rows = ([0.72, 0.94], [0.38, 0.60], [0, 0.26])
    found = {f"yaxis{i}": each | {"domain": rows[i - 1], "anchor": f"x{i}"} for i, each in enumerate(heights, start=1)}
    silent = {"showticklabels": False, "ticks": "", "title": {"text": None}}
    return found | {f"xaxis{i}": keys | {"anchor": f"y{i}"} | (silent if i < len(rows) else {}) for i in (1, 2, 3)}


def _beside_each_other(keys, *heights):
    """Return the axes of three panels, from left to right."""
    columns = ([0, 0.28], [0.36, 0.64], [0.72, 1])
    found = {f"xaxis{i}": keys | {"domain": each, "anchor": f"y{i}"} for i, each in enumerate(columns, start=1)}
    return found | {f"yaxis{i}": each | {"anchor": f"x{i}"} for i, each in enumerate(heights, start=1)}


def _rule_traces(result, here, profile):
    """Return the traces of one query: raw scores, scores and weights after the rule, and weights after 1/√d_k."""
    edges = np.arange(0.5, result.params.n_keys + 1)
    colour = _after_colour(here, profile)
    traces = [
        base.steps(edges, result.raw_scores, profile.raw, "raw scores") | _on(1),
        base.steps(edges, here.scores, colour, "after the rule") | _on(2),
        base.steps(edges, here.attention_weights, colour, "weights") | _on(3),
    ]
    if here.name == "vaswani":
        return traces
    usual, outline = _chosen(result, "vaswani").attention_weights, base.dotted(profile) | {"shape": "hv"}
    return [*traces, base.line(edges, [*usual, usual[-1]], outline, "weights with 1/√dₖ") | _on(3)]


def _nth(panel):
    """Return the number of a panel's axes as Plotly writes it: nothing for the first."""
    return "" if panel == 1 else str(panel)


def _on(panel):
    return {"xaxis": f"x{_nth(panel)}", "yaxis": f"y{_nth(panel)}"}


def _rule_sentence(result, name):
    """Return the sentence: the number of keys that the chosen rule uses, beside 1/√d_k or no scale."""
    here, usual, none = (_chosen(result, each).effective_keys for each in (name, "vaswani", "no_scale"))
    start = f"At dₖ = {result.params.d_k:,} about {_keys(here)} in use with"
    if name == "vaswani":
        same = abs(none / here - 1) < _SAME
        return f"{start} ÷ √dₖ, and {'as many' if same else f'about {number(none, 2)}'} without the scale."
    compared = "as many as" if abs(here / usual - 1) < _SAME else "more than" if here > usual else "fewer than"
    return f"{start} {_in_sentence(result, name)}, {compared} with ÷ √dₖ."


def _in_sentence(result, name):
    return _SAID.get(name, _short(_chosen(result, name)))


def _rule_marks(result, name):
    named = {_in_sentence(result, name): name} if name != "vaswani" else {}
    named |= {"÷ √dₖ": "vaswani", "without the scale": "no_scale"}
    return [Mark(word, (_chosen(result, each).title,)) for word, each in named.items()]


def _keys(count):
    return "one key is" if count < 1.05 else f"{number(count, 2)} keys are"


def _rule_sure(result, name):
    """Return sentences on the chosen rule's spread, entropy and keys, beside 1/√d_k and no scale."""
    here, params = _chosen(result, name), result.params
    usual, none = (_chosen(result, other) for other in ("vaswani", "no_scale"))
    drawn = f"correlation {typed(params.correlation)} of query i with key i" if params.correlation else "independent"
    return (
        f"At dₖ = {params.d_k:,} with {params.n_keys} keys ({drawn}), {_short(here)} leaves scores with standard "
        f"deviation {number(here.score_std)} in a row, entropy {number(here.entropy_nats)} nats and "
        f"{number(here.effective_keys)} keys in use, 1/√dₖ {number(usual.effective_keys)} and no scale "
        f"{number(none.effective_keys)}.",
        f"Keys in use are e to the power of the entropy. All are means over {params.n_queries} queries, and all rules "
        f"get the same scores.",
    )


def _one_rule_compared(result, name):
    """Return a sentence: on this query, the chosen rule is sharper or flatter than 1/√d_k, or as sharp."""
    usual, here = (_chosen(result, each).attention_weights.max() for each in ("vaswani", name))
    if name == "vaswani":
        return "÷ √dₖ brings every score nearer to 0." if result.params.d_k > 1 else "At dₖ = 1 nothing is divided."
    compared = "as sharp as" if abs(here / usual - 1) < _SAME else "sharper than" if here > usual else "flatter than"
    return f"On this query {_short(_chosen(result, name))} is {compared} 1/√dₖ."


def _one_rule_sentence(result, name):
    usual, here = (number(_chosen(result, each).attention_weights.max(), 2) for each in ("vaswani", name))
    if name == "vaswani":
        return f"On this query the largest weight is {usual}."
    return f"On this query the largest weight is {here} with {_in_sentence(result, name)} and {usual} with ÷ √dₖ."


def _one_rule_table(result, name):
    """Return a table with every key's score and weight."""
    here = _chosen(result, name)
    return {
        "key": list(range(1, result.params.n_keys + 1)),
        "raw score": result.raw_scores.tolist(),
        "after the rule": here.scores.tolist(),
        "weight": here.attention_weights.tolist(),
        "weight with 1/√dₖ": _chosen(result, "vaswani").attention_weights.tolist(),
    }


def _rule_table(result):
    """Return a table with every rule's results on the same scores."""
    rules = result.rules
    return {
        "rule": [written(each.title) for each in rules],
        "standard deviation": [each.score_std for each in rules],
        "entropy (nats)": [each.entropy_nats for each in rules],
        "effective keys": [each.effective_keys for each in rules],
        "largest weight": [each.max_weight for each in rules],
    }


def _rule_code(params):
    """Return Python code that applies every rule."""
    return code(
        core.compare_rules, params, show="rule.name, rule.score_std, rule.entropy_nats for rule in result.rules"
    )


def formula(name: str) -> tuple[str, str]:
    """Return the chosen rule's formula in LaTeX, and the problem that the rule solves."""
    here = SCALING_RULES[name]
    return here.formula, here.fixes


def cards(result: core.RulesResult) -> list[tuple[str, str, tuple[str, str, str]]]:
    """Return every rule as a card: title, formula, and lines of text."""
    return [(each.title, each.formula, _card_lines(each)) for each in result.rules]


def _card_lines(each):
    return (
        each.fixes,
        f"{each.check_text}: {typed(float(f'{each.check_value:.6g}'))}",
        f"{each.source}.",
    )


# --- entropy curves --------------------------------------------------------------------------------------


def curves(result: core.RuleCurves, name: str, profile: Profile) -> Picture:
    """Return the picture of mean entropy against d_k and n_keys; the chosen rule and three landmarks stand out."""
    return Picture(
        "rule_curves",
        _curve_figure(result, name, profile),
        _curve_sentence(result, name),
        _curve_table(result),
        _curve_code(result),
        sure=_curve_sure(result, name),
    )


def _curve_figure(result, name, profile):
    """Return two panels side by side: against d_k, and against the number of keys, with labels at the lines' ends."""
    largest = np.full(len(result.dims), np.log(min(result.params.n_keys, 256)))
    sides = (
        ("d_k", result.dims, result.against_d_k, largest),
        ("n_keys", result.n_keys, result.against_n_keys, result.uniform),
    )
    traces, axes = [], {}
    for i, (what, x, values, equal) in enumerate(sides, start=1):
        on = {"xaxis": f"x{i}", "yaxis": f"y{i}"}
        lines = _entropies(x, values, equal, name, result, profile)
        traces += [each | on for each in lines]
        axes |= _entropy_axes(i, what, x, equal, profile)
    upright = base.title("<b>Entropy, nats</b>", profile, size=profile.axis_size)
    fig = base.figure(profile, traces, left=2.2, title=upright, **axes)
    named = _on_top(result, result.against_n_keys, name)
    ends = [(_curve_name(rule), each[-1]) for rule, each in named]
    colours = [_rule_colour(rule, name, profile) for rule, _ in named]
    fig = name_ends(fig, ends, profile, low=0, high=axes["yaxis2"]["range"][1], colours=colours)
    fig.layout["annotations"] = [each | {"yref": "y2"} for each in fig.layout["annotations"]]
    return fig


def _entropies(x, values, equal, name, result, profile):
    """Return the lines of a panel; highlighted ones are drawn on top."""
    few = {rule for rule, _ in _on_top(result, values, name)}
    rules = sorted(zip(result.names, values, strict=True), key=lambda each: (each[0] == name, each[0] in few))
    lines = [base.line(x, entropy, _curve_style(rule, name, profile), rule) for rule, entropy in rules]
    return [base.line(x, equal, base.dotted(profile), "equal weights: ln n"), *lines]


def _on_top(result, values, name):
    """Return the highlighted rules, with their entropies."""
    return [(rule, each) for rule, each in zip(result.names, values, strict=True) if _stands_out(rule, name)]


def _entropy_axes(panel, what, x, equal, profile):
    ticks = {"tickvals": _ENTROPY_TICKS[what], "tickangle": 0, "range": _span(x)}
    across = {"domain": _ENTROPY_PANELS[panel - 1], "anchor": f"y{panel}", **ticks}
    return {
        f"xaxis{panel}": base.axis(profile, _AXES[what], type="log", **across),
        f"yaxis{panel}": base.axis(profile, grid=True, range=[0, 1.05 * equal.max()], anchor=f"x{panel}"),
    }


def _stands_out(rule, name):
    return rule in (*_LANDMARKS, name)


def _curve_style(rule, name, profile):
    colour = _rule_colour(rule, name, profile)
    if _stands_out(rule, name):
        style = base.solid(profile, colour, 2 if rule == name else 1.2)
        return style | {"dash": "dashdot"} if rule == "mup" else style
    return base.thin(profile) | {"color": colour}


def _curve_name(rule):
    return _LANDMARK_WORDS.get(rule, _SHORT.get(rule, written(SCALING_RULES[rule].title)))


def _span(x):
    """Return a log axis's range, from the first point to the last, with a little room."""
    return [np.log10(x[0]) - 0.05, np.log10(x[-1]) + 0.05]


def _curve_trends(result, name):
    d_k, keys = (_trend(*_curve(result, name, what)) for what in _AXES)
    keys = " and" if keys == d_k else f", {keys}"
    return f"Under {_SAID.get(name, _curve_name(name))} entropy {d_k} with dₖ{keys} with more keys."


def _curve(result, name, what):
    """Return entropies of one rule against d_k or against n_keys, and their standard errors."""
    return tuple(getattr(result, f"against_{what}{part}")[result.names.index(name)] for part in ("", "_error"))


def _trend(entropies, errors):
    """Return a curve's trend in words; changes that are too small or may be chance are ignored."""
    change = np.triu(entropies - entropies[:, None])  # axes: from, to
    error = np.nan_to_num(np.hypot(errors, errors[:, None]))
    rises, falls = ((sign * change > np.maximum(_SAME_NATS, _SURE * error)).any() for sign in (1, -1))
    if rises and falls:
        ends = entropies[[0, -1]]
        return "peaks" if entropies.max() - ends.max() >= ends.min() - entropies.min() else "dips"
    return "grows" if rises else "falls" if falls else "hardly changes"


def _curve_sentence(result, name):
    """Return the sentence on the change of the chosen rule's entropy with d_k."""
    entropies, errors = _curve(result, name, "d_k")
    word = _SAID.get(name, _curve_name(name)).replace("1/√dₖ", "÷ √dₖ")
    first, last = (number(entropies[end], 2) for end in (0, -1))
    moves = {
        "hardly changes": f"stays near {number(entropies.mean(), 2)} nats",
        "peaks": f"peaks at {number(entropies.max(), 2)} nats and ends at {last}",
        "dips": f"dips to {number(entropies.min(), 2)} nats and ends at {last}",
    }
    move = moves.get(_trend(entropies, errors), f"goes from {first} to {last} nats")
    return f"With {word} the entropy {move} as dₖ grows; the dotted line is equal weights."


def _curve_sure(result, name):
    """Return sentences on the first and last entropy of the chosen rule, beside 1/√d_k."""
    params, word = result.params, _SHORT.get(name, written(SCALING_RULES[name].title))
    dims, keys = (" to ".join(_with_error(*_curve(result, name, what), end) for end in (0, -1)) for what in _AXES)
    usual_d_k, usual_keys = (_with_error(*_curve(result, "vaswani", what), -1) for what in _AXES)
    return (
        _curve_trends(result, name),
        f"Entropy in nats with {word}: from dₖ = {result.dims[0]} to {result.dims[-1]} with "
        f"{min(params.n_keys, 256)} keys {dims}; from {result.n_keys[0]} to {result.n_keys[-1]:,} keys at "
        f"dₖ = {params.d_k:,} {keys}. 1/√dₖ ends at {usual_d_k} and {usual_keys}. Behind ± stands one standard error. "
        f"Dotted: equal weights, the logarithm of the number of keys.",
        f"A change below {_SAME_NATS} nats, or within {_SURE} of its standard errors, counts as none.",
    )


def _with_error(entropies, errors, end):
    """Return a mean entropy as text, with its standard error if there were several draws."""
    return number(entropies[end]) + ("" if np.isnan(errors[end]) else f" ± {number(errors[end], 1)}")


def _curve_table(result):
    """Return every rule's entropy at every point: first against d_k, then against n_keys."""
    columns = {"against": ["d_k"] * len(result.dims) + ["n_keys"] * len(result.n_keys)}
    columns |= {"value": [*result.dims, *result.n_keys]}
    for i, rule in enumerate(result.names):
        columns[rule] = [*result.against_d_k[i].tolist(), *result.against_n_keys[i].tolist()]
    return columns


def _curve_code(result):
    """Return Python code that computes the curves."""
    shown = "curves.names, curves.against_d_k, curves.against_n_keys"
    return code(core.rule_curves, result.params, dims=result.dims, n_keys=result.n_keys, name="curves", show=shown)


# --- bugs ------------------------------------------------------------------------------------------------


def bug(results: Sequence[core.BugResult], name: str, profile: Profile) -> Picture:
    """Return the picture of the first head's weights for the first query, without the bug and with it."""
    result = next(each for each in results if each.bug.name == name)
    return Picture(
        "bug_weights",
        _bug_figure(result, profile),
        _bug_sentence(result),
        _bug_weights(result),
        _bug_code(result.params),
        sure=(_bug_sure(result), _museum_sentence(results)),
        checks=_bug_checks(result),
        marks=(Mark("The scores", ("wrong",)),),
    )


def _bug_figure(result, profile):
    right, wrong = result.right.attention_weights[0], result.wrong.attention_weights[0]
    edges, wall = np.arange(0.5, len(right) + 1), base.on_a_wall(profile)
    heights = base.axis(profile, grid=True, range=[0, 1.12 * max(right.max(), wrong.max())], nticks=4)
    keys = base.axis(profile, "key", range=[0, edges[-1] + 0.5])
    title, letters = f"<b>{written(result.bug.title)}</b>", 60 if wall else base.LETTERS
    return base.figure(
        profile,
        [
            base.steps(edges, right, profile.scaled, "right") | _on(1),
            base.steps(edges, wrong, profile.band, "wrong") | _on(2),
        ],
        left=3.8,
        title=base.title(title, profile, size=profile.axis_size, letters=letters),
        annotations=[base.heading(each, profile, axes=_nth(i)) for i, each in enumerate(_sides(result, profile), 1)],
        **_bug_axes(keys, heights, wall),
    )


def _sides(result, profile):
    """Return the headings of the two panels."""
    sides = (("Right", result.right, profile.scaled), ("Wrong", result.wrong, profile.band))
    return [f"{base.in_colour(name, ink, profile)}: score spread {number(each.score_std)}" for name, each, ink in sides]


def _bug_axes(keys, heights, wall):
    """Return the axes of two panels: one below the other or, on a wall, which is wide and low, side by side."""
    domains = ([0, 0.46], [0.54, 1]) if wall else ([0.57, 0.9], [0, 0.35])
    silent = {"showticklabels": False, "ticks": "", "title": {"text": None}}
    found = {}
    for i, domain in enumerate(domains, start=1):
        across, up = ({"domain": domain}, {"domain": [0, 0.85]}) if wall else ({}, {"domain": domain})
        found[f"xaxis{i}"] = keys | across | {"anchor": f"y{i}"} | (silent if i == 1 and not wall else {})
        found[f"yaxis{i}"] = heights | up | {"anchor": f"x{i}"}
    return found


def _bug_sentence(result):
    """Return the sentence: how far the scores spread, and the effect on the output."""
    ratio = result.wrong.score_std / result.right.score_std
    said = f"{number(ratio, 2)} times too far" if ratio > 1 else f"{number(1 / ratio, 2)} times too little"
    error = result.output_error
    off = f"{number(error, 2)} times its length" if error >= 1 else f"{percent(error, 0)} of its length"
    too = "sharp" if result.wrong.entropy_nats < result.right.entropy_nats else "flat"
    return f"The scores spread {said}: attention is too {too}, and the output is off by {off}."


def _bug_sure(result):
    """Return a sentence with the predicted and measured spread, the entropy and the error of the output."""
    params, right, wrong = result.params, result.right, result.wrong
    return (
        f"{written(result.bug.title)}, in {params.n_heads} heads of {result.d_k} dimensions: the scores have root mean "
        f"square {number(wrong.score_std)} (predicted {number(wrong.predicted_std)}) in place of "
        f"{number(right.score_std)} (predicted {number(right.predicted_std)}), the entropy is "
        f"{number(wrong.entropy_nats)} in place of {number(right.entropy_nats)} nats, and the output is off by "
        f"{percent(result.output_error, 0)} of its length (cosine {number(result.output_cosine)})."
    )


def _bug_weights(result):
    """Return a table of the weights in the picture."""
    right, wrong = (side.attention_weights[0].tolist() for side in (result.right, result.wrong))
    return {"key": list(range(1, len(right) + 1)), "right": right, "wrong": wrong}


def _bug_code(params):
    """Return Python code that runs the bug."""
    return code(core.measure_bug, params, show="result.right, result.wrong, result.output_error")


def bug_lines(name: str) -> tuple[str, str, str, str, str]:
    """Return the description of a bug: (title, cause, link text, URL, note)."""
    here = core.BUGS[name]
    return here.title, here.cause, here.issue, here.url, here.note


def _bug_checks(result):
    """Return a table of numbers without the bug, beside those with it."""
    sides = result.right, result.wrong
    rows = {
        "multiplier of the raw scores": "multiplier",
        "score spread, measured": "score_std",
        "score spread, predicted": "predicted_std",
        "entropy (nats)": "entropy_nats",
        "largest weight": "max_weight",
    }
    columns = {name: [number(getattr(side, field)) for field in rows.values()] for name, side in
               zip(("right", "wrong"), sides, strict=True)}  # fmt: skip
    return {"quantity": list(rows)} | columns


def _museum_sentence(results: Sequence[core.BugResult]) -> str:
    """Return a sentence on the bugs that leave the output nearly unchanged, and on how far the others move it."""
    least, *_, most = ordered = sorted(results, key=lambda each: each.output_error)
    near = [written(each.bug.title) for each in ordered if each.output_error < _NEARLY_UNCHANGED]
    share = percent(_NEARLY_UNCHANGED, 0)
    found = (
        f"{listed(near)} leave{'s' if len(near) == 1 else ''} the output"
        if near
        else f"None of the {len(results)} bugs leaves the output"
    )
    least, most = (
        f"{percent(each.output_error, 0)} of its length ({written(each.bug.title)})" for each in (least, most)
    )
    return f"{found} within {share} of what it should be: it is off by {least} to {most}."


# --- short answers ---------------------------------------------------------------------------------------


ANSWERED_ON = (
    f"Measured on one draw of {N_KEYS} queries and keys at dₖ = {D_K}; σ is the spread of the scores after 1/√dₖ.",
)


def answers(found: ShortAnswers) -> list[tuple[str, str]]:
    """Return a name and a one-line answer with a number for each variant of attention."""
    return [(f"**{name}**", said) for name, said in (_answers_on_spreads(found) | _other_answers(found)).items()]


def _answers_on_spreads(found):
    spread, norm = f"σ = {number(found.plain)}", number(found.normed)
    return {
        "Causal mask": f"It leaves scores out and changes none: {spread} of all, {number(found.causal)} of those left.",
        "Rotary positions": f"A rotation keeps lengths, and so the spread: {spread} before, "
        f"{number(found.rotary)} after.",
        "Grouped queries": f"Sharing keys changes no product: {spread}, and {number(found.grouped)} where {GROUP} "
        "heads share them.",
        "RMSNorm, QK-norm": f"σ = {norm}, whatever the lengths were; with a gain of 1 no score exceeds √dₖ = "
        f"{number(found.bound, 1)}.",
        "MLA": f"It scales by the size of a key, {KEY_SIZE}; by that of its cache, {LATENT_SIZE}, scores are "
        f"{number(found.latent, 2)} times what they should be.",
    }


def _other_answers(found):
    few, many = percent(found.sink[0], 1), f"{number(100 * found.sink[1], 2)} %"
    return {
        "FlashAttention": f"The same numbers, read tile by tile: the largest difference is {number(found.tiled, 2)}.",
        "Linear attention": "It has no softmax to saturate: with queries eight times as long the largest change of a "
        f"weight is {number(found.linear, 2)}.",
        "Attention sinks": f"A sink of score 0 gets {few} beside 16 keys, {many} beside a million. What a model "
        "learns is not measured here.",
    }
