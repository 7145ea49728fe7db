"""Pictures of the softmax_saturation lesson: typed lists beside one row of scores, averages against dₖ, overflow."""

from dataclasses import replace

import numpy as np

from pages._view.figures.base import (
    axis,
    dashed,
    dotted,
    figure,
    label,
    line,
    points,
    solid,
    thin,
    title,
    upright,
)
from pages._view.figures.code import code
from pages._view.picture import Picture, Table
from pages._view.theme import Profile, listed, number, number_of_log10, percent, typed
from sattn_core.lessons.softmax_saturation import (
    ListComparison,
    OverflowStudy,
    RowParams,
    RowResult,
    SaturationParams,
    SaturationResult,
    compare_lists,
    measure_row,
    measure_saturation,
    overflow_study,
)

QUANTITIES = {"max_weight": "Largest weight", "effective_keys": "Effective keys", "entropy_nats": "Entropy (nats)"}
SIDES = {"raw": "raw", "scaled": "÷ √dₖ"}  # the panels of the row, and their names
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_POWERS = tuple(2**j for j in range(10))
_SPELLED = 8  # scores of a list that are written out
_FEW = 4  # bars that have room for their numbers on a phone, over all lists
_DIGITS = 19  # that fit side by side under the lists on a phone
_BETWEEN = 0.4  # of a bar: the room between two lists
_DOMAINS = {"lists": [0.0, 0.46], "raw": [0.50, 0.73], "scaled": [0.77, 1.0]}  # of the width
_BESIDE = sum(_DOMAINS["raw"] + _DOMAINS["scaled"]) / 4  # the middle of the row's two panels
_TOP = 1.17  # of the axis of the weights: room for a number above a weight of 1
_NEARLY_ALL = 0.995  # from here a percentage without decimals says 100 %
_EVEN = 1.1  # times the share of each key: a largest weight up to here is nearly the smallest


# --- lists, and one row as d_k grows --------------------------------------------------------------------


def weights(
    row: RowResult, params: RowParams, comparison: ListComparison | None, d_k: int, profile: Profile
) -> Picture:
    """Softmax weights of the typed lists, unless one cannot be read, and of one row without and with the scale."""
    i = row.dims.index(d_k)
    sentence = _row_sentence(row, i)
    lists = _list_sentences(comparison) if comparison else ()
    return Picture(
        "softmax_weights",
        _weights_figure(row, i, comparison, profile),
        sentence,
        _weights_table(row, i, comparison),
        _weights_code(params, comparison, d_k),
        note=f"The row is that of dₖ = {d_k:,}.",
        alt=" ".join((*lists[:-1], f"One row at dₖ = {d_k:,}.", sentence)),
        sure=(*_row_sentences(row, i), *lists),
    )


def _weights_figure(row, i, comparison, profile):
    """Three panels on one scale: the lists, the row, and the row with the scale."""
    size, scores = profile.axis_size, comparison.scores if comparison else ()
    return figure(
        profile,
        [*_list_bars(comparison, profile), *(_row_bars(row, i, side, profile) for side in SIDES)],
        title=title("Attention weights", profile, size=size),
        margin={"l": round(2.9 * size), "r": 10, "t": round(3.2 * size), "b": 3 * size},
        xaxis=_list_axis(scores, profile),
        **{f"xaxis{n}": _key_axis(row, side, profile) for n, side in enumerate(SIDES, start=2)},
        yaxis=_weight_axis(profile),
        annotations=[
            _above(f"dₖ = {row.dims[i]:,}", _BESIDE, profile, yshift=1.75 * size),
            _above("lists" if scores else "no lists", sum(_DOMAINS["lists"]) / 2, profile),
            *(_above(name, sum(_DOMAINS[side]) / 2, profile) for side, name in SIDES.items()),
            *(_largest(row, i, side, profile) for side in SIDES),
        ],
    )


def _above(text, x, profile, **options):
    """The name of a panel, above its middle."""
    place = {"xref": "paper", "yref": "paper", "x": x, "y": 1, "xanchor": "center", "yanchor": "bottom"}
    return label(text, profile, size=profile.axis_size, **place, **options)


def _list_places(scores):
    """Where the bars of each list stand: one after the other, a little apart."""
    starts = np.cumsum([0, *(len(each) + _BETWEEN for each in scores)])
    return [start + np.arange(len(each)) for start, each in zip(starts, scores, strict=False)]


def _list_bars(comparison, profile):
    if not comparison:
        return []
    found = comparison.attention_weights
    few = sum(map(len, found)) <= _FEW
    return [
        {
            "type": "bar",
            "x": x,
            "y": each,
            "width": 0.8,
            "name": f"list {place}",
            "marker": {"color": profile.band, "line": {"width": 0}},
            "text": [_share(weight) for weight in each] if few else None,
            "textposition": "outside",
            "textfont": {"size": profile.tick_size, "color": profile.text},
            "textangle": 0,
            "constraintext": "none",
            "cliponaxis": False,
        }
        for place, (x, each) in enumerate(zip(_list_places(comparison.scores), found, strict=True), start=1)
    ]


def _list_axis(scores, profile):
    """The scores under their bars where they fit on a phone, else the number of each list."""
    places = _list_places(scores) or [np.zeros(1)]
    every = np.concatenate(places)
    texts = [typed(score) for each in scores for score in each]
    name, ticks = "score", {"tickvals": every, "ticktext": texts}
    if (every[-1] + 1) * (max(map(len, texts), default=0) + 0.6) > _DIGITS:
        numbers = [str(place) for place in range(1, len(scores) + 1)]
        name, ticks = "list", {"tickvals": [x.mean() for x in places], "ticktext": numbers}
    around = {"domain": _DOMAINS["lists"], "range": [-0.6, every[-1] + 0.6], "anchor": "y", "tickangle": 0}
    return axis(profile, name if scores else None, **around, **ticks)


def _weight_axis(profile):
    ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"]}
    return axis(profile, grid=True, range=[0, _TOP], anchor="x", **ticks)


def _key_axis(row, side, profile):
    """The keys in their order; they have no names."""
    n_keys = row.raw_weights.shape[1]
    around = {"domain": _DOMAINS[side], "range": [-0.7, n_keys - 0.3], "anchor": "y"}
    return axis(profile, f"{n_keys} keys", showticklabels=False, **around, ticks="")


def _row_bars(row, i, side, profile):
    """Bars drawn as one outline, which is quick to redraw; its line keeps the thinnest bar visible."""
    found, colour = getattr(row, f"{side}_weights")[i], getattr(profile, side)
    x = np.arange(found.size)[:, None] + np.array([-0.4, -0.4, 0.4, 0.4])  # (key, corner)
    y = found[:, None] * np.array([0.0, 1.0, 1.0, 0.0])
    drawn = line(x.ravel(), y.ravel(), solid(profile, colour, 0.5), side)
    panel = f"x{2 + list(SIDES).index(side)}"
    return drawn | {"fill": "tozeroy", "fillcolor": colour, "xaxis": panel, "yaxis": "y", "hoverinfo": "y"}


def _largest(row, i, side, profile):
    """The largest weight in numbers, above its bar and within its panel."""
    weight, key, n_keys = getattr(row, f"{side}_max_weight")[i], row.largest_key[i], row.raw_weights.shape[1]
    anchor = ("left", "center", "right")[min(2, int(3 * key / n_keys))]
    place = {"xref": f"x{2 + list(SIDES).index(side)}", "x": key, "y": weight, "xanchor": anchor, "yanchor": "bottom"}
    return label(_share(weight), profile, **place)


def _share(weight):
    """A weight in a figure; one that is not quite 0 or 1 is not said to be."""
    if weight < 1 - _NEARLY_ALL:
        return "&lt;1 %"
    return "&gt;99 %" if weight >= _NEARLY_ALL else percent(weight, 0)


# What a sentence says of one row of weights.
_ALL, _ONE, _SOME, _EVERY, _EVENLY = "practically all", "one", "some", "every", "evenly"


def _kind(row, i, side):
    """How the keys of the row hold the weight."""
    n_keys, largest = row.raw_weights.shape[1], getattr(row, f"{side}_max_weight")[i]
    if largest <= _EVEN / n_keys:
        return _EVENLY
    if largest >= 0.5:
        return _ALL if largest >= _NEARLY_ALL else _ONE
    return _SOME if _keys(row, i, side) < n_keys else _EVERY


def _keys(row, i, side):
    return round(getattr(row, f"{side}_effective_keys")[i])


def _row_sentence(row, i):
    """Who holds the weight, without the scale and with it."""
    held = _held(row, i, "raw", "the weight")
    if row.dims[i] == 1:
        return f"At dₖ = 1 the scale changes nothing: {held}."
    if np.ptp(row.raw_scores[i]) == 0:
        return f"At this dₖ all scores are equal: {held}, with and without the scale."
    return f"At this dₖ {held}; divided by √dₖ, {_after(row, i)}."


def _held(row, i, side, weight):
    """A clause: which keys have the weight."""
    n_keys, kind = row.raw_weights.shape[1], _kind(row, i, side)
    every = "both keys share" if n_keys == 2 else f"all {n_keys} keys share"
    evenly = "evenly" if np.ptp(row.raw_scores[i]) == 0 else "almost evenly"
    return {
        _ALL: f"one key takes practically all {weight}",
        _ONE: f"one key takes {percent(getattr(row, f'{side}_max_weight')[i], 0)} of {weight}",
        _SOME: f"about {_keys(row, i, side)} of {n_keys} keys share {weight}",
        _EVERY: f"{every} {weight}",
        _EVENLY: f"{every} {weight} {evenly}",
    }[kind]


def _after(row, i):
    """The same clause once the scores are divided, after that of the raw ones."""
    before, after = _kind(row, i, "raw"), _kind(row, i, "scaled")
    if before in (_ALL, _ONE):
        if after == _ALL:
            return "it still does"
        if after == _ONE:
            raw, scaled = (percent(getattr(row, f"{side}_max_weight")[i], 0) for side in SIDES)
            return "it takes hardly less" if raw == scaled else f"it takes {scaled}"
        return _held(row, i, "scaled", "it")
    if before == after != _SOME:
        return "they share it more evenly still"
    if after == _SOME:
        raw, scaled = (_keys(row, i, side) for side in SIDES)
        return "about as many do" if raw == scaled else f"about {scaled} do"
    return "all of them do" if after == _EVERY else "all of them do, almost evenly"


def _row_sentences(row, i):
    """The row in more digits, and where it comes from."""
    said = [
        f"the largest weight is {percent(getattr(row, f'{side}_max_weight')[i])} and "
        f"{number(getattr(row, f'{side}_effective_keys')[i], 4)} keys are in effective use"
        for side in SIDES
    ]
    return (
        f"At dₖ = {row.dims[i]:,}, without the scale {said[0]}; divided by √dₖ, {said[1]}.",
        "Effective keys are e to the power of the entropy of the weights: 1 if one key has everything, "
        f"{row.raw_weights.shape[1]} if all keys have the same.",
        "This is one query and one draw of its keys. Another seed gives another row; the averages over many rows are "
        "in the next figure. A larger dₖ appends components to the same query and the same keys.",
    )


def _list_sentences(comparison):
    """What softmax does with each list, in numbers."""
    norms = [number_of_log10(log10, 6) for log10 in comparison.log10_jacobian_norm]
    return (
        *(_becomes(comparison, i) for i in range(len(norms))),
        f"Only differences count. The Jacobian of softmax, which carries the gradient, has norm {listed(norms)}. The "
        f"first list passes {number_of_log10(comparison.log10_jacobian_norm_ratio, 6)} times as much as the second.",
    )


def _becomes(comparison, i):
    scores, gap = comparison.scores[i], typed(comparison.gap[i])
    if len(scores) <= _SPELLED:
        shares = ", ".join(map(percent, comparison.attention_weights[i]))
        return f"Softmax turns {_shown(scores)} into [{shares}]; the gap is {gap}."
    largest = percent(comparison.max_weight[i])
    return f"In list {i + 1}, of {len(scores)} scores, the largest weight is {largest}; the gap is {gap}."


def _shown(scores):
    return f"[{', '.join(typed(s) for s in scores[:_SPELLED])}{', …' if len(scores) > _SPELLED else ''}]"


def _weights_table(row, i, comparison):
    """Every score and weight, in full precision."""
    parts = [("raw", row.raw_scores[i], row.raw_weights[i]), ("scaled", row.scaled_scores[i], row.scaled_weights[i])]
    if comparison:
        each = zip(comparison.scores, comparison.attention_weights, strict=True)
        parts = [*((f"list {place}", *both) for place, both in enumerate(each, start=1)), *parts]
    return {
        "row": [name for name, scores, _ in parts for _ in scores],
        "score": np.concatenate([scores for _, scores, _ in parts]).tolist(),
        "weight": np.concatenate([found for *_, found in parts]).tolist(),
    }


def _weights_code(params, comparison, d_k):
    row = code(measure_row, replace(params, dims=(d_k,)), name="row", show="row.raw_weights, row.scaled_weights")
    if comparison is None:
        return row
    lists = [scores.tolist() for scores in comparison.scores]
    return row + code(compare_lists, lists, name="lists", show="lists.attention_weights")


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
        _average_sentence(result, d_k),
        _average_table(result),
        _average_code(params),
        claim="Without the scale, weights sharpen as dₖ grows; with it, they settle",
        sure=_average_sentences(result, params, d_k),
    )


def _average_figure(result, quantity, d_k, profile):
    """Raw and scaled: exact curves dashed, Monte Carlo points on them."""
    sides = (("raw", "circle"), ("scaled", "square"))
    return figure(
        profile,
        [trace for side, symbol in sides for trace in _average_traces(result, side, symbol, quantity, profile)],
        title=title(QUANTITIES[quantity], profile),
        xaxis=axis(profile, "dₖ", type="log", tickvals=_D_TICKS, range=[-0.1, 3.15]),
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
    place = {"xanchor": "right", "yanchor": "bottom", "yshift": 1.5 * profile.marker_size}
    return label(side, profile, x=np.log10(result.dims[-1]), y=height, **place)


def _range_of(quantity, result):
    """The whole range a quantity can take, whatever is drawn."""
    if quantity == "max_weight":
        return {"range": [0, 1.08], "tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"]}
    if quantity == "entropy_nats":
        return {"range": [0, 1.12 * result.uniform_entropy_nats]}
    top = result.uniform_entropy_nats / np.log(10)
    return {"type": "log", "range": [-0.06 * top, 1.12 * top], "tickvals": _POWERS}


def _average_sentence(result, d_k):
    """Where the largest weight stands on average at the chosen dimension."""
    at = int(np.searchsorted(result.dims, d_k))
    raw, scaled = (percent(getattr(result, side).max_weight[at], 0) for side in SIDES)
    many = "Over many queries" if result.prediction_is_exact else "Over many queries with normal components"
    if d_k == 1:
        return f"{many} the largest weight is {raw} on average; at dₖ = 1 the scale changes nothing."
    return f"{many} the largest weight is {raw} on average at this dₖ; divided by √dₖ, it is {scaled}."


def _average_sentences(result, params, d_k):
    """Predicted and measured averages, the error of these, and how both were found."""
    at, n_keys = int(np.searchsorted(result.dims, d_k)), params.n_keys
    of_normal = "" if result.prediction_is_exact else " and normal components"
    of_another = "" if result.prediction_is_exact else " For other components it is what the averages tend to."
    return (
        f"Predicted at dₖ = {d_k:,} for {n_keys} keys{of_normal}: without the scale the largest weight is "
        f"{percent(result.raw.max_weight[at], 1)} on average and {number(result.raw.effective_keys[at])} keys are in "
        f"effective use; with the scale {percent(result.scaled.max_weight[at], 1)} and "
        f"{number(result.scaled.effective_keys[at])} keys.",
        *(_measured(result, side, d_k) for side in SIDES),
        f"The prediction is an exact average over queries and keys, found by quadrature.{of_another} The measurement "
        f"takes {params.n_rows} rows in 20 independent draws; its error is that of the 20 means.",
        _threshold(result, n_keys),
    )


def _measured(result, side, d_k):
    """The largest weight at the measured dimension nearest below, beside its prediction."""
    near = int(np.searchsorted(result.measured_dims, d_k, side="right")) - 1
    found = getattr(result, f"{side}_measured").max_weight
    return (
        f"Measured at dₖ = {result.measured_dims[near]:,} {'without' if side == 'raw' else 'with'} the scale: a "
        f"largest weight of {percent(found.measured[near], 1)} ± {number(100 * found.standard_error[near], 2)} %. "
        f"Predicted: {percent(found.predicted[near], 1)}. The measurement lies "
        f"{'inside' if found.inside[near] else 'outside'} the 95 % band around the prediction."
    )


def _threshold(result, n_keys):
    """The threshold of freezing is a limit; what softmax does there with this many keys."""
    there = result.at_critical
    return (
        f"With very many keys, n of them, softmax freezes where the scores spread wider than √(2 ln n). Here "
        f"√(2 ln {n_keys}) = {number(result.critical_score_std)}; there the largest weight is "
        f"{percent(there.max_weight, 1)} on average and {number(np.exp(there.entropy_nats))} keys are in effective "
        f"use. Raw scores pass it at dₖ = {number(result.freezing_d_k)} (dotted line), scaled ones never."
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
    return code(measure_saturation, params, show="result.raw.max_weight, result.scaled.max_weight")


# --- overflow --------------------------------------------------------------------------------------------


def overflow(study: OverflowStudy, profile: Profile) -> Picture:
    """How far naive and stable softmax reach in each floating-point type before they break."""
    stable = all(curve.stable_is_finite for curve in study.curves)
    shown = "curve.dtype, curve.first_failing_score, curve.largest_exponent for curve in result.curves"
    return Picture(
        "overflow",
        _overflow_figure(study, profile),
        _overflow_sentence(study, stable),
        _overflow_table(study),
        code(overflow_study, show=shown),
        claim="Subtracting the largest score cures exp’s overflow; the scale does not"
        if stable
        else "Softmax overflows",
        sure=_overflow_sentences(study),
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


def _overflow_sentence(study, stable):
    """Where the smallest type breaks, and what mends it."""
    first = study.curves[0]
    mended = "it never breaks here" if stable else "it still breaks"
    return (
        f"In {first.dtype} the bare formula breaks at scores from about {number(first.first_failing_score, 2)}; with "
        f"the largest score subtracted first, {mended}."
    )


def _overflow_sentences(study):
    """Where each type breaks, found and predicted; and the errors of the formula that does not."""
    reach = number(study.scores[-1], 4)
    return (
        *(
            f"{curve.dtype}: exp(s) ÷ (exp(0) + exp(s)) gives NaN from s = {number(curve.first_failing_score, 5)}. "
            f"Predicted: the logarithm of the type’s largest number, {number(curve.largest_exponent, 5)}. With the "
            f"subtraction the weight is {'finite' if curve.stable_is_finite else 'not finite everywhere'} up to "
            f"s = {reach}, and {_wrong(curve.stable_largest_error)}."
            for curve in study.curves
        ),
        "The scale guards against saturation, the subtraction against overflow of exp. But it comes too late for "
        "products that overflow before softmax, as they can in float16; dividing q or k first helps with these.",
    )


def _wrong(error):
    return f"off by at most {number(error, 2)}" if error else "right to the last digit"


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
