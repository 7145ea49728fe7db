"""Pictures of the long_context lesson: the weight of one key against the number of keys, and along a text."""

from typing import Any

import numpy as np

from pages._view.figures.base import axis, dotted, figure, line, on_a_wall, points, solid, title, upright
from pages._view.figures.code import code
from pages._view.figures.ends import name_ends
from pages._view.literal import written
from pages._view.marks import Mark
from pages._view.picture import Picture
from pages._view.theme import Profile, number, percent, typed
from sattn_core.lessons import long_context as core

UPRIGHT = "<b>Weight of the key</b>"  # y axis title, above the axis
_LEFT = 2.6  # left margin for tick labels, in em of an axis title
_HEIGHT, _HEIGHT_ON_A_WALL = 0.87, 0.92  # height factors: one more dial is above the plot
_TICKS = {16: "16", 100: "100", 1_000: "1,000", 10_000: "10⁴", 100_000: "10⁵", 1_000_000: "10⁶"}
_FAR = 64  # far fewer keys are at most n / 64: the weight there does not reveal the answer
_TOP = 1.06  # upper end of the weight axis: room for a mark at 1
_ABOVE, _ABOVE_ON_A_WALL = 2.2, 1.5  # top margin, in em of an axis title; a screen has the camera button there
_LOOKS: dict[str, tuple[str, float, str]] = {  # colour, width and dash of each line
    "vaswani": ("scaled", 2.0, "solid"),
    "softmax1": ("text", 0.8, "dot"),
    "log_n": ("third", 1.2, "solid"),
    "ssmax": ("third", 1.2, "dash"),
    "yarn": ("band", 1.2, "dashdot"),
    "no_scale": ("raw", 1.2, "solid"),
}
_ORDER = ("no_scale", "yarn", "ssmax", "log_n", "vaswani", "softmax1")  # the last is drawn on top
_CHECKED = ("vaswani", "log_n")  # rules whose simulation is checked under "How sure?"


def share(weight: float) -> str:
    """Return a weight as a percentage that never rounds to 0 or to 100."""
    if weight < 0.005:
        return "less than 1 %"
    return "more than 99 %" if weight > 0.995 else percent(weight, 0)


def far_fewer(n: int) -> int:
    """Return the last stop of the slider with far fewer keys; 0 if there is none."""
    return max((stop for stop in core.STOPS if _FAR * stop <= n), default=0)


def weights(
    found: core.FadingResult, n: int, profile: Profile, simulated: core.SimulatedFading | None = None
) -> Picture:
    """Return the picture of the key's weight against the number of keys, with one line per rule.

    simulated : means of simulated rows, for the points and "How sure?".
    """
    sentence = _sentence(found, n)
    score, d_k = typed(found.params.score), found.params.d_k
    return Picture(
        "key_weights",
        _weights_figure(found, n, simulated, profile),
        sentence,
        _table(found),
        _code(found),
        note="Exact averages over the scores of the other keys.",
        alt=f"{sentence} The key has score {score}, the others spread by 1; without the scale, dₖ = {d_k:,} counts.",
        sure=_sure(found, n, simulated),
        checks=_checks(simulated) if simulated else None,
        marks=(Mark("÷ √dₖ", ("1/√dₖ",)), Mark("log n", ("log n",))),
    )


def _weights_figure(found, n, simulated, profile):
    first = found.lengths.index(core.STOPS[0])
    fig = figure(
        profile,
        [
            *_lines(found, profile, first),
            *([_simulated(simulated, profile)] if simulated else []),
            _here(found, n, profile),
        ],
        left=_LEFT,
        height=_HEIGHT_ON_A_WALL if on_a_wall(profile) else _HEIGHT,
        title=_upright(profile),
        xaxis=axis(
            profile, "number of keys n", type="log", tickvals=[*_TICKS], ticktext=[*_TICKS.values()], tickangle=0
        )
        | {"range": [np.log10(core.STOPS[0]) - 0.08, np.log10(core.STOPS[-1]) + 0.08]},
        yaxis=_weight_axis(profile),
        shapes=[upright(n, dotted(profile)) | {"layer": "below"}],
    )
    return _named(fig, found, core.STOPS[-1], profile)


def _upright(profile):
    """Return the y axis title, above the axis."""
    return title(UPRIGHT, profile, size=profile.axis_size)


def _weight_axis(profile):
    return axis(profile, grid=True, range=[-0.02, _TOP], tickvals=[0, 0.25, 0.5, 0.75, 1])


def _lines(found, profile, first=0, last=None):
    """Return a line for each rule, over lengths[first:last]."""
    x = np.array(found.lengths[first:last], dtype=float)
    return [
        line(x, found.weights[found.names.index(name), first:last], _style(name, profile), _title(name))
        for name in _ORDER
    ]


def _style(name, profile):
    _, width, dash = _LOOKS[name]
    return solid(profile, _colour(name, profile), width) | {"dash": dash}


def _colour(name, profile):
    return getattr(profile, _LOOKS[name][0])


def _title(name):
    return written(core.RULES[name].title)


def _named(fig, found, n, profile):
    """Return the figure with the rules' labels at the ends of their lines."""
    names = [(_title(name), found.weight(name, n)) for name in core.RULES]
    above = _ABOVE_ON_A_WALL if on_a_wall(profile) else _ABOVE
    fig.layout["margin"]["t"] = round(above * profile.axis_size)
    colours = [_colour(name, profile) for name in core.RULES]
    return name_ends(fig, names, profile, low=-0.02, high=_TOP, colours=colours, off=1.1)  # room for a bet's mark


def _simulated(simulated, profile):
    """Return points with error bars: mean weights of simulated rows after 1/√d_k."""
    i = simulated.names.index("vaswani")
    error = simulated.standard_error[i]
    below = np.minimum(error, simulated.measured[i])
    colour = profile.scaled
    return points(profile, colour, "circle", simulated.lengths, simulated.measured[i], error, below, "simulated rows")


def _here(found, n, profile):
    """Return a mark on every line at the slider's value."""
    names = [*reversed(core.RULES)]  # the last is drawn on top
    colours = [_colour(name, profile) for name in names]
    marker = {"color": colours, "symbol": "diamond", "size": 1.5 * profile.marker_size, "line": {"width": 0}}
    y = [found.weight(name, n) for name in names]
    return {"type": "scatter", "mode": "markers", "x": [n] * len(y), "y": y, "name": "at this n", "marker": marker}


def _sentence(found, n):
    usual, longer = (share(found.weight(name, n)) for name in ("vaswani", "log_n"))
    ours = "" if n >= found.params.n_train else ", which is continued below n₀"
    return f"Among {n:,} keys the chosen one keeps {usual} with ÷ √dₖ, and {longer} with log n{ours}."


def _sure(found, n, simulated):
    """Return sentences on the length that halves the weight, the weight of the other keys, and the computation."""
    score, half, above = typed(found.params.score), found.half_length, core.expected_above(n, found.params.score)
    drawn = "" if simulated is None else f" In the table up to {max(simulated.n_rows):,} drawn rows stand beside it."
    return (
        f"After 1/√dₖ a key of score {score} keeps less than half from {half:,} keys on; e to the power of the score "
        f"less ½, plus 1, is {number(found.predicted_half, 4)}.",
        f"At n = {n:,} the others together weigh on average like one key of score {number(core.crowd_score(n))}. "
        f"On average {number(above) if above >= 0.01 else 'fewer than 0.01'} of them score higher by chance.",
        f"Below n₀ = {found.params.n_train:,} keys log n is continued here. Qwen’s code has no factor there, as ÷ √dₖ; "
        "ln n alone, without n₀, sharpens at any n from 3 on.",
        "YaRN’s factor belongs to one extension of a model: each n is a model extended that far.",
        f"Every line is an average over the scores of the others, computed by quadrature.{drawn}",
    )


def _checks(simulated):
    """Return a table of simulated means beside exact averages, for two of the rules."""
    rows = [(simulated.names.index(name), j) for name in _CHECKED for j in range(len(simulated.lengths))]
    inside = [simulated.low[at] <= simulated.measured[at] <= simulated.high[at] for at in rows]
    return {
        "rule": [_title(simulated.names[i]) for i, _ in rows],
        "keys": [f"{simulated.lengths[j]:,}" for _, j in rows],
        "measured": [f"{number(simulated.measured[at])} ± {number(simulated.standard_error[at], 2)}" for at in rows],
        "exact": [number(simulated.predicted[at]) for at in rows],
        "95 % band": [f"{number(simulated.low[at])} to {number(simulated.high[at])}" for at in rows],
        "inside": ["yes" if each else "no" for each in inside],
    }


def _table(found: core.FadingResult, last: int | None = None) -> dict[str, Any]:
    """Return the key's weight under each rule at every length."""
    columns = {rule: found.weights[i, :last].tolist() for i, rule in enumerate(found.names)}
    return {"n_keys": list(found.lengths[:last])} | {core.RULES[rule].title: kept for rule, kept in columns.items()}


def _code(found):
    """Return Python code that computes the weights."""
    lengths = {} if found.lengths == core.LENGTHS else {"lengths": found.lengths}
    return code(core.fading_weights, found.params, **lengths, show=("result.lengths", "result.names", "result.weights"))


# --- along a text ----------------------------------------------------------------------------------------


def rows(found: core.FadingResult, n: int, profile: Profile) -> Picture:
    """Return the picture of the weights along a causal text of n words, whose row i has i keys."""
    last = found.lengths.index(n) + 1
    early, late = (share(found.weight("vaswani", each)) for each in (core.quarter_row(n), n))
    fig = figure(
        profile,
        _lines(found, profile, 0, last),
        left=_LEFT,
        height=_HEIGHT_ON_A_WALL if on_a_wall(profile) else _HEIGHT,
        title=_upright(profile),
        xaxis=axis(profile, "row of the text", range=[0, 1.02 * n], nticks=5, tickangle=0, tickformat=",d"),
        yaxis=_weight_axis(profile),
    )
    return Picture(
        "text_rows",
        _named(fig, found, n, profile),
        f"With ÷ √dₖ the key keeps {early} of a row a quarter into this text, and {late} of the last.",
        _table(found, last),
        _code(found),
        note="Row i of a causal text sees i keys.",
        sure=(f"The numbers are those of the step before: a row {n:,} words into the text has {n:,} keys.",),
        marks=(Mark("÷ √dₖ", ("1/√dₖ",)),),
    )


# --- the rules, card by card -----------------------------------------------------------------------------


def cards(found: core.FadingResult, claims: core.LengthClaims) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return every rule as a card: title, formula, its source's claim, the check made here, and the source."""
    here = _checked_here(found, claims)
    return [
        (each.title, each.formula, (_CLAIMS[name], f"Here: {here[name]}", f"{each.source}."))
        for name, each in core.RULES.items()
    ]


_CLAIMS = {
    "vaswani": "Claim: the scores spread by 1 at every dₖ. It says nothing of n.",
    "softmax1": "Claim: a head may attend to nothing.",
    "log_n": "Claim: attention to one position need not fade with n.",
    "ssmax": "Claim, figure 1: one score of 3 among scores of −2 keeps a weight near 1.",
    "yarn": "Claim: this factor fits the perplexity of LLaMA models, which is not measured here.",
    "no_scale": "Claim: none about n.",
}


def _checked_here(found, claims):
    """Return, for each rule, a sentence with the number that checks its claim."""
    few, many = (f"{each:,}" for each in claims.lengths)
    one, trained = f"a key of score {typed(found.params.score)} keeps", f"{found.params.n_train:,}"
    quiet, first = (list(map(share, each)) for each in (claims.quiet, claims.first))
    return {
        "vaswani": f"{one} less than half from {found.half_length:,} keys on.",
        "softmax1": f"where every key has score −10, all get {quiet[0]} together at {few} keys, {quiet[1]} at {many}.",
        "log_n": f"from {trained} keys on, {one} {share(claims.lowest)} to {share(claims.highest)}.",
        "ssmax": f"at {many} keys it keeps {share(claims.ssmax[1])}, with softmax {share(claims.plain[1])}.",
        "yarn": f"√(1/t) at 16 times the length is {number(claims.yarn_root)}.",
        "no_scale": f"as dₖ grows, {one} all where no other score is larger: in {first[0]} of rows of {few} keys, "
        f"{first[1]} of {many}.",
    }
