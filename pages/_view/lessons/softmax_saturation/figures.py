"""Pictures of the softmax_saturation lesson: weights of typed lists, averages against d_k, overflow."""

from collections.abc import Mapping, Sequence

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
    thin,
    title,
    upright,
)
from pages._view.picture import Picture, Table
from pages._view.theme import Profile, listed, number, number_of_log10, percent, typed
from sattn_core.lessons.softmax_saturation import ListComparison, OverflowStudy, SaturationParams, SaturationResult

QUANTITIES = {"max_weight": "Largest weight", "effective_keys": "Effective keys", "entropy_nats": "Entropy (nats)"}
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_POWERS = tuple(2**j for j in range(10))
_FEW = 8  # bars that still have room for their number
_SPELLED = 4  # scores that a sentence about several lists spells out
_LETTERS = {2: 18, 3: 9, 4: 7}  # of a title that fits over its panel on a phone, by the number of panels
_GAP = 0.04


# --- lists -----------------------------------------------------------------------------------------------


def list_bars(
    comparison: ListComparison, lists: Sequence[Sequence[float]], options: Mapping[str, float], profile: Profile
) -> Picture:
    """Softmax weights of each list, side by side; lists and options are those that `compare_lists` was given."""
    return Picture(
        "softmax_lists",
        _list_figure(comparison, profile),
        _list_sentence(comparison),
        _weights_table(comparison),
        _list_code(lists, **options),
    )


def _list_figure(comparison, profile):
    n_lists = len(comparison.scores)
    traces, layout, names = [], {}, []
    for i, (scores, weights) in enumerate(zip(comparison.scores, comparison.attention_weights, strict=True)):
        axes = str(i + 1) if i else ""
        traces.append(_bars(weights, axes, profile))
        layout[f"xaxis{axes}"] = _score_axis(scores, i, n_lists, profile) | {"anchor": f"y{axes}"}
        layout[f"yaxis{axes}"] = _weight_axis(i == 0, profile) | {"anchor": f"x{axes}"}
        names.append(heading(_panel_title(scores, i + 1, n_lists), profile, axes=axes, x=0.5))
    return figure(profile, traces, left=4.8, annotations=names, **layout)


def _score_axis(scores, i, n_lists, profile):
    """A panel's share of the width; few scores stand under their bars."""
    room = (1 + _GAP) / n_lists
    domain = [i * room, i * room + room - _GAP]
    if len(scores) > _FEW:
        return axis(profile, "place in the list", domain=domain)
    return axis(profile, "score", domain=domain, tickvals=np.arange(len(scores)), ticktext=[typed(s) for s in scores])


def _weight_axis(first, profile):
    """The same scale in every panel; the first one has its numbers."""
    ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"], "showticklabels": first}
    return axis(profile, "attention weight" if first else None, grid=True, range=[0, 1.15], **ticks)


def _panel_title(scores, place, n_lists):
    """The most telling title that fits."""
    shown = _shown(scores)
    titles = (f"softmax of {shown}", shown, f"List {place}: {len(scores)} scores", f"List {place}")
    return next(text for text in titles if len(text) <= _LETTERS[n_lists])


def _bars(weights, axes, profile):
    few = len(weights) <= _FEW
    return {
        "type": "bar",
        "x": np.arange(len(weights)),
        "y": weights,
        "width": 0.7,
        "name": f"list {axes or 1}",
        "marker": {"color": profile.band, "line": {"width": 0}},
        "text": [percent(weight) for weight in weights] if few else None,
        "textposition": "outside",
        "textfont": {"size": profile.axis_size, "color": profile.text},
        "cliponaxis": False,
        "xaxis": f"x{axes}",
        "yaxis": f"y{axes}",
    }


def _list_sentence(comparison):
    """What softmax does with each list, in numbers."""
    norms = [number_of_log10(log10, 6) for log10 in comparison.log10_jacobian_norm]
    return (
        f"{'; '.join(_becomes(comparison, i) for i in range(len(norms)))}. Only differences count. The Jacobian, "
        f"which carries the gradient, has norm {listed(norms)}: the first list passes "
        f"{number_of_log10(comparison.log10_jacobian_norm_ratio, 6)} times as much"
        f"{' as the second' if len(norms) > 2 else ''}."
    )


def _becomes(comparison, i):
    scores, weights, gap = comparison.scores[i], comparison.attention_weights[i], typed(comparison.gap[i])
    if len(scores) <= _SPELLED:
        return f"{_shown(scores)} becomes {_shown_weights(weights)} (gap {gap})"
    return f"List {i + 1} ({len(scores)} scores) gives one key {percent(comparison.max_weight[i])} (gap {gap})"


def _shown(scores):
    return f"[{', '.join(typed(s) for s in scores[:_FEW])}{', …' if len(scores) > _FEW else ''}]"


def _shown_weights(weights):
    return f"[{', '.join(percent(w) for w in weights[:_FEW])}{', …' if len(weights) > _FEW else ''}]"


def _weights_table(comparison):
    """Every score and weight, in full precision."""
    columns = {"list": [], "score": [], "weight": []}
    for i, (scores, weights) in enumerate(zip(comparison.scores, comparison.attention_weights, strict=True), start=1):
        columns["list"] += [i] * len(scores)
        columns["score"] += scores.tolist()
        columns["weight"] += weights.tolist()
    return columns


def _list_code(lists, multiplier, shift):
    return (
        "from sattn_core.lessons.softmax_saturation import compare_lists\n\n"
        f"result = compare_lists({lists!r}, multiplier={multiplier!r}, shift={shift!r})\n"
        "print(result.attention_weights, result.jacobian_norm)\n"
    )


def list_table(comparison: ListComparison) -> Table:
    """What softmax makes of each list, in numbers."""
    return {
        "list": [_shown(scores) for scores in comparison.scores],
        "gap": [typed(x) for x in comparison.gap],
        "largest weight": [percent(x) for x in comparison.max_weight],
        "entropy (nats)": [number(x, 6) for x in comparison.entropy_nats],
        "effective keys": [number(x, 6) for x in comparison.effective_keys],
        "Jacobian norm": [number_of_log10(x, 6) for x in comparison.log10_jacobian_norm],
    }


# --- averages --------------------------------------------------------------------------------------------


def averages(result: SaturationResult, params: SaturationParams, d_k: int, profile: Profile) -> Picture:
    """Three averages against d_k, each in a figure of its own."""
    return Picture(
        "softmax_averages",
        {f"average_{name}": _average_figure(result, name, d_k, profile) for name in QUANTITIES},
        _average_sentence(result, d_k, params.n_keys),
        _average_table(result),
        _average_code(params),
    )


def _average_figure(result, quantity, d_k, profile):
    """Raw and scaled: exact curves dashed, Monte Carlo points on them."""
    sides = (("raw", "circle"), ("scaled", "square"))
    return figure(
        profile,
        [trace for side, symbol in sides for trace in _average_traces(result, side, symbol, quantity, profile)],
        title=title(QUANTITIES[quantity], profile),
        xaxis=axis(profile, "d_k", type="log", tickvals=_D_TICKS, range=[-0.1, 3.15]),
        yaxis=axis(profile, grid=True, **_range_of(quantity, result)),
        annotations=[_at_the_end(result, side, quantity, profile) for side, _ in sides],
        shapes=[upright(result.freezing_d_k, dotted(profile)), upright(d_k, thin(profile))],
    )


def _average_traces(result, side, symbol, quantity, profile):
    curve = getattr(getattr(result, side), quantity)
    found = getattr(getattr(result, f"{side}_measured"), quantity)
    above, below = found.high - found.predicted, found.predicted - found.low
    colour = getattr(profile, side)
    return [
        line(result.dims, curve, dashed(profile), f"{side}, predicted"),
        points(profile, colour, symbol, result.measured_dims, found.measured, above, below, side),
    ]


def _at_the_end(result, side, quantity, profile):
    """The name of a curve above its end."""
    last = getattr(getattr(result, side), quantity)[-1]
    height = np.log10(last) if quantity == "effective_keys" else last
    place = {"xanchor": "right", "yanchor": "bottom", "yshift": profile.marker_size}
    return label(side, profile, x=np.log10(result.dims[-1]), y=height, **place)


def _range_of(quantity, result):
    """The whole range a quantity can take, whatever is drawn."""
    if quantity == "max_weight":
        return {"range": [0, 1.08], "tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"]}
    if quantity == "entropy_nats":
        return {"range": [0, 1.12 * result.uniform_entropy_nats]}
    top = result.uniform_entropy_nats / np.log(10)
    return {"type": "log", "range": [-0.06 * top, 1.12 * top], "tickvals": _POWERS}


def _average_sentence(result, d_k, n_keys):
    """Where the averages stand at the chosen dimension, measured points included."""
    at = int(np.searchsorted(result.dims, d_k))
    near = int(np.searchsorted(result.measured_dims, d_k, side="right")) - 1
    weight = result.raw_measured.max_weight
    drawn = (
        f"Measured at d_k = {result.measured_dims[near]:,}, raw: {percent(weight.measured[near], 1)} ± "
        f"{number(100 * weight.standard_error[near], 2)} % against {percent(weight.predicted[near], 1)}, "
        f"{'inside' if weight.inside[near] else 'outside'} its 95 % band"
    )
    of_normal = "" if result.prediction_is_exact else ", for normal components,"
    return (
        f"Over many queries with {n_keys} keys at d_k = {d_k:,}, the largest weight{of_normal} is on average "
        f"{percent(result.raw.max_weight[at], 1)} raw and {percent(result.scaled.max_weight[at], 1)} scaled; "
        f"{number(result.raw.effective_keys[at])} keys are in use raw, "
        f"{number(result.scaled.effective_keys[at])} scaled. "
        f"{drawn}. {_threshold(result, n_keys)}"
    )


def _threshold(result, n_keys):
    """The threshold of freezing is a limit; what softmax does there with this many keys."""
    there = result.at_critical
    return (
        f"In the limit of many keys softmax freezes beyond a standard deviation of √(2 ln n_keys); here "
        f"√(2 ln {n_keys}) = {number(result.critical_score_std)}, where the largest weight is "
        f"{percent(there.max_weight, 1)} on average and {number(np.exp(there.entropy_nats))} keys are in use. "
        f"Raw scores pass it at d_k = {number(result.freezing_d_k)} (dotted), scaled ones never."
    )


def _average_table(result):
    """Measured points beside their predictions, every quantity, raw and scaled."""
    columns = {"d_k": result.measured_dims.tolist()}
    for side in ("raw", "scaled"):
        for quantity, name in QUANTITIES.items():
            points = getattr(getattr(result, f"{side}_measured"), quantity)
            columns[f"{side}: {name}, measured"] = points.measured.tolist()
            columns[f"{side}: {name}, predicted"] = points.predicted.tolist()
            columns[f"{side}: {name}, standard error"] = points.standard_error.tolist()
    return columns


def _average_code(params):
    return (
        "from sattn_core.lessons.softmax_saturation import SaturationParams, measure_saturation\n\n"
        f"result = measure_saturation({params!r})\n"
        "print(result.raw.max_weight, result.scaled.max_weight)\n"
    )


# --- overflow --------------------------------------------------------------------------------------------


def overflow(study: OverflowStudy, profile: Profile) -> Picture:
    """How far naive and stable softmax reach in each floating-point type before they break."""
    return Picture(
        "overflow", _overflow_figure(study, profile), _overflow_sentence(study), _overflow_table(study), _OVERFLOW_CODE
    )


def _overflow_figure(study, profile):
    traces = []
    for curve in study.curves:
        kinds = (("naive", curve.naive_weight, profile.band), ("stable", curve.stable_weight, profile.third))
        for kind, weights, colour in kinds:
            reached = study.scores[np.isfinite(weights)]
            name = f"{curve.dtype}, {kind}"
            traces.append(line(reached, [name] * len(reached), solid(profile, colour, 4), name))
        traces.append(_breaking_point(curve, profile))
    scores = {"type": "log", "range": [0, 4.1], "tickvals": [1, 10, 100, 1000]}
    return figure(
        profile,
        traces,
        left=6.5,
        title=title("Naive softmax breaks", profile),
        xaxis=axis(profile, "score s in softmax([0, s])", **scores),
        yaxis=axis(profile, autorange="reversed"),
    )


def _breaking_point(curve, profile):
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [curve.first_failing_score],
        "y": [f"{curve.dtype}, naive"],
        "name": f"{curve.dtype} breaks",
        "text": [f"NaN from {number(curve.first_failing_score, 5)}"],
        "textposition": "bottom center",
        "textfont": {"size": profile.tick_size, "color": profile.text},
        "marker": {"symbol": "x", "color": profile.text, "size": profile.marker_size * 1.5},
    }


def _overflow_sentence(study):
    """Where each type breaks, and that the scale has no part in it."""
    breaks = ", ".join(
        f"{curve.dtype} from {number(curve.first_failing_score, 5)} (predicted {number(curve.largest_exponent, 5)})"
        for curve in study.curves
    )
    stable = all(curve.stable_is_finite for curve in study.curves)
    return (
        f"The bare exp(s) ÷ (exp(0) + exp(s)) breaks in {breaks}. With the largest score subtracted first every type "
        f"is {'right' if stable else 'wrong'} up to s = {number(study.scores[-1], 4)}, scaled or not: the scale "
        f"cures saturation, the subtraction cures overflow."
    )


def _overflow_table(study):
    """Where each type breaks, beside the closed form."""
    return {
        "type": [curve.dtype for curve in study.curves],
        "naive finite up to": [curve.last_finite_score for curve in study.curves],
        "naive NaN from": [curve.first_failing_score for curve in study.curves],
        "ln(largest number)": [curve.largest_exponent for curve in study.curves],
        "stable: largest error": [curve.stable_largest_error for curve in study.curves],
        "machine epsilon": [curve.machine_epsilon for curve in study.curves],
    }


_OVERFLOW_CODE = (
    "from sattn_core.lessons.softmax_saturation import overflow_study\n\n"
    "for curve in overflow_study().curves:\n"
    "    print(curve.dtype, curve.first_failing_score, curve.largest_exponent)\n"
)
