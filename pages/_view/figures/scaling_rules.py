"""Pictures of the scaling_rules lesson: exponents against d_k, every rule on the same scores, and real bugs."""

import numpy as np

from pages._view.figures.base import (
    axis,
    dashed,
    dotted,
    figure,
    heading,
    label,
    line,
    points,
    solid,
    steps,
    thin,
    title,
)
from pages._view.theme import number, percent, typed
from sattn_core.scaling_rules import SCALING_RULES

_D_TICKS = (1, 4, 16, 64, 256, 1024)
_ENTROPY_TICKS = (4, 16, 64, 256, 1024)
_NAMED = {0.0: "α = 0, raw", 0.5: "½, ÷ √d_k", 1.0: "1, ÷ d_k"}
_SYMBOLS = {0.0: "circle", 0.5: "square", 1.0: "diamond"}
_SHORT = {
    "mup": "muP 1/d_k",
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
_LANDMARKS = ("vaswani", "no_scale", "mup")


# --- exponents -------------------------------------------------------------------------------------------


def exponents(result, profile):
    """Variance and mean of q·k / d_k^α against d_k, log–log: points on their dashed theory."""
    means = [abs(curve.mean_theory) for curve in result.curves]
    variance = _exponent_figure(result, "variance", [c.variance_theory for c in result.curves], profile)
    mean = _exponent_figure(result, "mean", means, profile)
    if not result.params.correlation:
        words = "The mean is 0 at every d_k:<br>turn ρ up."
        place = {"xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5}
        mean.layout.annotations = [label(words, profile, size=profile.axis_size, **place)]
    return {"exponent_variance": variance, "exponent_mean": mean}


def _exponent_figure(result, what, theories, profile):
    dims, traces, names = np.array(result.dims), [], []
    for curve, theory in zip(reversed(result.curves), reversed(theories), strict=True):
        if not theory.any():
            continue
        colour, measured = _exponent_colour(curve, profile), abs(getattr(curve, what))
        error = getattr(curve, f"{what}_error")
        below = np.minimum(error, 0.9 * measured)  # a bar down to 0 has no place on a log axis
        style = points(profile, colour, _symbol(curve), dims, measured, error, below, _exponent_name(curve))
        traces += [line(dims, theory, dashed(profile), f"{_exponent_name(curve)}, theory"), style]
        names.append(_exponent_word(curve, dims, theory, profile))
    flat = {"variance": "Variance: ½ is flat", "mean": "Mean of pairs: 1 is flat"}[what]
    return figure(
        profile,
        traces,
        left=4.2,
        height=0.95,
        title=title(flat, profile),
        xaxis=axis(profile, "d_k", type="log", tickvals=_D_TICKS, range=[-0.1, 4.3]),
        yaxis=axis(profile, f"{what} of the scores", **_decades(-3.6, 4.1)),
        annotations=names,
    )


def _exponent_word(curve, dims, theory, profile):
    """At the right end of its line; the learner's keeps clear of a named one that ends near it."""
    near = min(_NAMED, key=lambda exponent: abs(exponent - curve.exponent))
    away = np.sign(near - curve.exponent) if abs(near - curve.exponent) < 0.15 else 0
    shift = {"xshift": profile.marker_size, "yshift": float(away) * 0.7 * profile.tick_size}
    place = {"x": np.log10(dims[-1]), "y": np.log10(theory[-1]), "xanchor": "left", "bgcolor": None}
    return label(_exponent_name(curve), profile, **place, **shift)


def _decades(low, high):
    return {"grid": True, "type": "log", "range": [low, high], "dtick": 1, "exponentformat": "power"}


def _exponent_colour(curve, profile):
    return {0.0: profile.raw, 0.5: profile.scaled, 1.0: profile.third}.get(curve.exponent, profile.text)


def _symbol(curve):
    return _SYMBOLS.get(curve.exponent, "star")


def _exponent_name(curve):
    return _NAMED.get(curve.exponent, f"yours, {typed(curve.exponent)}")


def exponent_sentence(result):
    """The learner's exponent in numbers, and which exponent is flat."""
    curve, rho, last = result.curves[0], typed(result.params.correlation), result.dims[-1]
    measured = f"{number(curve.variance[-1])} ± {number(curve.variance_error[-1], 1)}"
    mean = f"{number(curve.mean[-1])} ± {number(curve.mean_error[-1], 1)}"
    return (
        f"Scores q·k / d_k^{typed(curve.exponent)} of {result.params.n_samples:,} pairs with ρ = {rho}: from d_k = 1 "
        f"to {last:,} the variance goes from {number(curve.variance[0])} to {measured} (predicted "
        f"{number(curve.variance_theory[-1])}), the mean from {number(curve.mean[0])} to {mean} (predicted "
        f"{number(curve.mean_theory[-1])}). {_flat(curve, result.params.correlation)}"
    )


def _flat(curve, correlation):
    """Which of the two stays; a mean of 0 stays whatever the exponent is."""
    if correlation == 0:
        known = "It stays: ½ is the exponent" if curve.variance_is_flat else "It does not stay: only ½ is the exponent"
        return f"{known} for independent q and k."
    if curve.variance_is_flat:
        return "The variance stays and the mean grows."
    if curve.mean_is_flat:
        return "The mean stays and the variance shrinks."
    return "Neither stays: the variance needs ½, the mean 1."


def exponent_table(result):
    """Every point with its theory and standard error."""
    columns = {"d_k": list(result.dims)}
    for curve in result.curves:
        for what in ("variance", "variance_theory", "variance_error", "mean", "mean_theory", "mean_error"):
            name = f"exponent {curve.exponent:g}: {what.replace('_', ', ')}"
            columns[name] = getattr(curve, what).tolist()
    return columns


def exponent_code(params):
    """The Python that measures the exponents again."""
    return (
        "from sattn_core.lessons.scaling_rules import ExponentParams, measure_exponents\n\n"
        f"result = measure_exponents({params!r})\n"
        "for curve in result.curves:\n    print(curve.exponent, curve.variance, curve.variance_theory)\n"
    )


# --- the rules -------------------------------------------------------------------------------------------


def chosen(result, name):
    """The result of one rule."""
    return next(rule for rule in result.rules if rule.name == name)


def rule(result, name, profile):
    """All rules by how many keys they use, and the chosen one from raw score to weight."""
    return {"rule_comparison": _comparison(result, name, profile), "rule_scores": _one_rule(result, name, profile)}


def _comparison(result, name, profile):
    rules, n_keys = result.rules, result.params.n_keys
    words = [_short(each) for each in rules]
    traces = [
        _dot(each, _short(each), _rule_colour(each.name, name, profile), each.name == name, profile) for each in rules
    ]
    here = chosen(result, name)
    fig = figure(
        profile,
        traces,
        left=8.5,
        height=1.55,
        title=title(f"Keys in use, of {n_keys}", profile),
        xaxis=axis(profile, "effective keys<br>○ formula not confirmed at source", range=[0, 1.08 * n_keys]),
        yaxis=axis(
            profile,
            grid=True,
            type="category",
            categoryorder="array",
            categoryarray=words,
            range=[len(rules) - 0.4, -0.9],
            ticks="",
        ),
        annotations=[
            label(
                number(here.effective_keys),
                profile,
                x=here.effective_keys,
                y=_short(here),
                yshift=1.6 * profile.tick_size,
                bgcolor=None,
            )
        ],
        shapes=[
            {"type": "line", "x0": n_keys, "x1": n_keys, "yref": "paper", "y0": 0, "y1": 1, "line": dotted(profile)}
        ],
    )
    fig.layout.margin.b = 5 * profile.axis_size
    return fig


def _dot(rule, word, colour, here, profile):
    symbol = "circle" if rule.confirmed else "circle-open"
    size = profile.marker_size * (2 if here else 1.3)
    marker = {"color": colour, "symbol": symbol, "size": size, "line": {"width": profile.line_width, "color": colour}}
    return {"type": "scatter", "mode": "markers", "x": [rule.effective_keys], "y": [word], "name": rule.title,
            "marker": marker}  # fmt: skip


def _short(rule):
    return _SHORT.get(rule.name, rule.title)


def _rule_colour(name, here, profile):
    landmarks = dict(zip(_LANDMARKS, (profile.scaled, profile.raw, profile.third), strict=True))
    return landmarks.get(name, profile.text if name == here else profile.band)


def _one_rule(result, name, profile):
    here, keys = chosen(result, name), np.arange(0.5, result.params.n_keys + 1)
    limit = 1.1 * max(abs(result.raw_scores).max(), abs(here.scores).max())
    colour = profile.raw if name == "no_scale" else profile.scaled
    traces = [
        steps(keys, result.raw_scores, profile.raw, "raw scores"),
        steps(keys, here.scores, colour, "after the rule") | {"yaxis": "y2"},
        steps(keys, here.attention_weights, colour, "weights") | {"yaxis": "y3"},
    ]
    usual = chosen(result, "vaswani").attention_weights
    outline = dotted(profile) | {"shape": "hv"}
    if name != "vaswani":
        traces.append(line(keys, [*usual, usual[-1]], outline, "weights with 1/√d_k") | {"yaxis": "y3"})
    heights = axis(profile, grid=True, range=[-limit, limit], nticks=5, anchor="x")
    across = {"xref": "x domain"}
    return figure(
        profile,
        traces,
        height=1.55,
        left=3.4,
        title=title(f"One query under {_short(here)}", profile),
        xaxis=axis(profile, "key", range=[0, keys[-1] + 0.5], anchor="y3"),
        yaxis=heights | {"domain": [0.72, 0.94]},
        yaxis2=heights | {"domain": [0.38, 0.60]},
        yaxis3=axis(profile, grid=True, range=[0, 1.02], tickvals=[0, 0.5, 1], domain=[0, 0.26], anchor="x"),
        annotations=[
            heading("Raw scores", profile) | across,
            heading("After the rule, same axis", profile, axes="2") | across,
            heading("Weights" if name == "vaswani" else "Weights (dotted: 1/√d_k)", profile, axes="3") | across,
        ],
    )


def rule_sentence(result, name):
    """The chosen rule beside 1/√d_k and no scale, on the same scores."""
    here, params = chosen(result, name), result.params
    usual, none = (chosen(result, other) for other in ("vaswani", "no_scale"))
    drawn = f"correlation {typed(params.correlation)} of query i with key i" if params.correlation else "independent"
    return (
        f"At d_k = {params.d_k:,} with {params.n_keys} keys ({drawn}), {_short(here)} leaves scores with standard "
        f"deviation {number(here.score_std)} in a row, entropy {number(here.entropy_nats)} nats and "
        f"{number(here.effective_keys)} keys in use; 1/√d_k {number(usual.effective_keys)}, no scale "
        f"{number(none.effective_keys)}. Means over {params.n_queries} queries."
    )


def rule_table(result):
    """Every rule on the same scores."""
    rules = result.rules
    return {
        "rule": [each.title for each in rules],
        "standard deviation": [each.score_std for each in rules],
        "entropy (nats)": [each.entropy_nats for each in rules],
        "effective keys": [each.effective_keys for each in rules],
        "largest weight": [each.max_weight for each in rules],
        "formula confirmed": [str(each.confirmed) for each in rules],
    }


def rule_code(params):
    """The Python that applies every rule again."""
    return (
        "from sattn_core.lessons.scaling_rules import RulesParams, compare_rules\n\n"
        f"result = compare_rules({params!r})\n"
        "for rule in result.rules:\n    print(rule.name, rule.score_std, rule.entropy_nats)\n"
    )


def formula(name):
    """Formula of the chosen rule in LaTeX, and what it fixes."""
    here = SCALING_RULES[name]
    return here.formula, here.fixes


def cards(result):
    """Every rule as a card: title, formula, and lines of text."""
    return [(each.title, each.formula, _card_lines(each)) for each in result.rules]


def _card_lines(each):
    return (
        each.fixes,
        f"{each.check_text}: {typed(float(f'{each.check_value:.6g}'))}",
        f"{each.source}. {each.status_text}",
    )


def unread(result):
    """The rules that are known by name only."""
    none = "No formula was read, so none is applied."
    return [(f"**{name}**", f"{said} {source}. {none}") for name, said, source in result.unread]


# --- entropy curves --------------------------------------------------------------------------------------


def curves(result, name, profile):
    """Mean entropy against d_k and against n_keys; the chosen rule and three landmarks stand out."""
    largest = np.full(len(result.dims), np.log(min(result.params.n_keys, 256)))
    return {
        "rule_entropy_d_k": _entropies("d_k", result.dims, result.against_d_k, largest, name, result, profile),
        "rule_entropy_n_keys": _entropies(
            "n_keys", result.n_keys, result.against_n_keys, result.uniform, name, result, profile
        ),
    }


def _entropies(what, x, values, largest, name, result, profile):
    traces, names = [line(x, largest, dotted(profile), "all keys alike: ln n_keys")], []
    order = sorted(range(len(values)), key=lambda i: (result.names[i] == name, result.names[i] in _LANDMARKS))
    for i in order:
        rule, stands_out = result.names[i], result.names[i] in (*_LANDMARKS, name)
        colour = _rule_colour(rule, name, profile)
        style = solid(profile, colour, 2 if rule == name else 1.2) if stands_out else thin(profile) | {"color": colour}
        traces.append(line(x, values[i], style, rule))
        if stands_out:
            names.append(_end_name(rule, x, values[i], name, profile))
    return figure(
        profile,
        traces,
        left=3.2,
        title=title(f"Entropy against {what}", profile),
        xaxis=axis(profile, what, type="log", tickvals=_ENTROPY_TICKS, range=_span(x)),
        yaxis=axis(profile, "mean entropy, nats", grid=True, range=[0, 1.12 * largest.max()]),
        annotations=names,
    )


def _span(x):
    """Room for the names at the right end."""
    low, high = np.log10(x[0]), np.log10(x[-1])
    return [low - 0.05, high + 0.42 * (high - low)]


def _end_name(rule, x, y, name, profile):
    """The name of a line: a landmark's at its end, another's over its middle."""
    if rule in _LANDMARKS:
        word = {"vaswani": "1/√d_k", "no_scale": "no scale", "mup": "muP 1/d_k"}[rule]
        place = {"x": np.log10(x[-1]), "y": y[-1], "xanchor": "left", "xshift": profile.tick_size / 2}
        return label(word, profile, **place)
    middle = len(x) // 2
    word = _SHORT.get(rule, SCALING_RULES[rule].title)
    return label(word, profile, x=np.log10(x[middle]), y=y[middle], yanchor="bottom", yshift=profile.tick_size / 3)


def curve_sentence(result, name):
    """Where the chosen rule's entropy begins and ends, beside 1/√d_k."""
    here, usual = result.names.index(name), result.names.index("vaswani")
    params, word = result.params, _SHORT.get(name, SCALING_RULES[name].title)
    keys = f"{number(result.against_n_keys[here, 0])} to {number(result.against_n_keys[here, -1])}"
    dims = f"{number(result.against_d_k[here, 0])} to {number(result.against_d_k[here, -1])}"
    return (
        f"Entropy in nats under {word}: from d_k = {result.dims[0]} to {result.dims[-1]} with "
        f"{min(params.n_keys, 256)} keys {dims}; from {result.n_keys[0]} to {result.n_keys[-1]:,} keys at "
        f"d_k = {params.d_k} {keys}. 1/√d_k ends at {number(result.against_d_k[usual, -1])} and "
        f"{number(result.against_n_keys[usual, -1])}. Dotted: all keys alike, ln n_keys."
    )


def curve_table(result):
    """Every rule's entropy at every point: first against d_k, then against n_keys."""
    columns = {"against": ["d_k"] * len(result.dims) + ["n_keys"] * len(result.n_keys)}
    columns |= {"value": [*result.dims, *result.n_keys]}
    for i, rule in enumerate(result.names):
        columns[rule] = [*result.against_d_k[i].tolist(), *result.against_n_keys[i].tolist()]
    return columns


def curve_code(result):
    """The Python that computes the curves again."""
    return (
        "from sattn_core.lessons.scaling_rules import RulesParams, rule_curves\n\n"
        f"curves = rule_curves({result.params!r}, dims={result.dims!r}, n_keys={result.n_keys!r})\n"
        "print(curves.names, curves.against_d_k, curves.against_n_keys)\n"
    )


# --- bugs ------------------------------------------------------------------------------------------------


def bug(result, profile):
    """Attention weights of the first query in the first head: right above wrong, on one axis."""
    right, wrong = result.right.attention_weights[0], result.wrong.attention_weights[0]
    edges = np.arange(0.5, len(right) + 1)
    top = 1.12 * max(right.max(), wrong.max())
    heights = axis(profile, grid=True, range=[0, top], nticks=4, anchor="x")
    across = {"xref": "x domain"}
    return figure(
        profile,
        [
            steps(edges, right, profile.scaled, "right"),
            steps(edges, wrong, profile.band, "wrong") | {"yaxis": "y2"},
        ],
        left=3.8,
        height=0.9,
        xaxis=axis(profile, "key", range=[0, edges[-1] + 0.5], anchor="y2"),
        yaxis=heights | {"domain": [0.57, 1]},
        yaxis2=heights | {"domain": [0, 0.43]},
        annotations=[
            heading(f"Right: scores of spread {number(result.right.score_std)}", profile) | across,
            heading(f"Wrong: scores of spread {number(result.wrong.score_std)}", profile, axes="2") | across,
        ],
    )


def bug_lines(result):
    """What went wrong, and where it was seen: (title, cause, link text, link, what to know)."""
    here = result.bug
    return here.title, here.cause, here.issue, here.url, here.note


def bug_sentence(result):
    """The bug in numbers: spread predicted and measured, entropy and the error of the output."""
    params, right, wrong = result.params, result.right, result.wrong
    return (
        f"{result.bug.title}, in {params.n_heads} heads of {result.d_k} dimensions: the scores have root mean square "
        f"{number(wrong.score_std)} (predicted {number(wrong.predicted_std)}) in place of {number(right.score_std)} "
        f"(predicted {number(right.predicted_std)}), the entropy is {number(wrong.entropy_nats)} in place of "
        f"{number(right.entropy_nats)} nats, and the output is off by {percent(result.output_error, 0)} of its length "
        f"(cosine {number(result.output_cosine)})."
    )


def bug_table(result):
    """Right beside wrong."""
    sides = result.right, result.wrong
    rows = {
        "multiplier of the raw scores": "multiplier",
        "score spread, measured": "score_std",
        "score spread, predicted": "predicted_std",
        "entropy (nats)": "entropy_nats",
        "largest weight": "max_weight",
    }
    columns = {name: [number(getattr(side, field), 4) for field in rows.values()] for name, side in
               zip(("right", "wrong"), sides, strict=True)}  # fmt: skip
    return {"quantity": list(rows)} | columns


def bug_weights(result):
    """The weights of the picture."""
    right, wrong = (side.attention_weights[0].tolist() for side in (result.right, result.wrong))
    return {"key": list(range(1, len(right) + 1)), "right": right, "wrong": wrong}


def bug_code(params):
    """The Python that runs the bug again."""
    return (
        "from sattn_core.lessons.scaling_rules import BugParams, measure_bug\n\n"
        f"result = measure_bug({params!r})\n"
        "print(result.right, result.wrong, result.output_error)\n"
    )
