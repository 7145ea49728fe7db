"""Pictures of the softmax_saturation lesson: typed lists, three rows whose divisor is turned, averages against dₖ."""

import numpy as np
from numpy.typing import NDArray

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.marks import Mark
from pages._view.picture import Picture, Table
from pages._view.theme import Profile, listed, number, number_of_log10, percent, typed
from sattn_core.lessons import softmax_saturation as core

QUANTITIES = {"max_weight": "Largest weight", "effective_keys": "Effective keys", "entropy_nats": "Entropy (nats)"}
SIDES = {"raw": "raw", "scaled": "÷ √dₖ"}  # of the averages, and what they are called
FEW, MANY = 4, 1024  # the dimensions of the first row and the last; between them stands that of the slider
_NAMED = {0.0: "raw", 0.5: "÷ √dₖ", 1.0: "÷ dₖ"}  # the exponents that have a name
_COLOURS = {0.0: "raw", 0.5: "scaled", 1.0: "third"}
_CLOSE = 0.1  # to ½: an exponent up to here
_D_TICKS = (1, 4, 16, 64, 256, 1024)
_WALL_TICKS = (1, 64, 1024)
_SPELLED = 8  # scores of a list that are written out
_FEW = 6  # bars that have room for their numbers on a phone, over all lists
_DIGITS = 40  # that fit side by side under the lists on a phone
_BETWEEN = 0.4  # of a bar: the room between two lists
_PLACES = ("first", "second", "third", "fourth")
_ROWS = ([0.0, 0.3], [0.35, 0.65], [0.7, 1.0])  # of the width
_COLUMNS = ([0.0, 0.27], [0.355, 0.625], [0.71, 0.98])  # of the width on a wall
_AVERAGES = ([0.74, 1.0], [0.37, 0.63], [0.0, 0.26])  # of the height
_HEIGHT = 0.87  # of the usual one: a dial more stands above it, and on a wall it must fit all the same
_LOW = 0.75  # the same of the lists, whose fields stand above the picture too
_TOP = 1.17  # of the axis of the weights: room for a number above a weight of 1
_NUMBERS = ("", "2", "3")  # of the axes of three panels
_MANY_KEYS = 1.3  # log10 of keys, from which their powers of two stand too close
_NEARLY_ALL = 0.995  # from here a percentage without decimals says 100 %


# --- lists -----------------------------------------------------------------------------------------------


def lists(comparison: core.ListComparison | None, profile: Profile, study: core.OverflowStudy | None = None) -> Picture:
    """Softmax weights of the typed lists; empty axes while one of them cannot be read.

    study : where softmax overflows, for "How sure?".
    """
    found = comparison.attention_weights if comparison else ()
    said = _list_sentences(comparison) if comparison else ()
    return Picture(
        "list_weights",
        _lists_figure(comparison, profile),
        _lists_sentence(comparison),
        {
            "list": [f"list {place}" for place, each in enumerate(found, start=1) for _ in each],
            "key": [key for each in found for key in range(1, len(each) + 1)],
            "weight": [weight for each in found for weight in each.tolist()],
        },
        _lists_code(comparison, study),
        alt=" ".join((*said[:-1], _lists_sentence(comparison))),
        sure=(*_ON_LISTS, *said, *(_overflow_sentences(study) if study else ())),
        checks=list_table(comparison) if comparison else None,
        marks=tuple(Mark(f"{name} list", (f"list {i}",)) for i, name in enumerate(_PLACES[: len(found)], start=1)),
    )


_ON_LISTS = (
    "A number added to every score cancels in softmax, so the shift changes nothing. The multiplier stretches the "
    "differences, as a larger dₖ does.",
)


def _lists_figure(comparison, profile):
    return base.figure(
        profile,
        _list_bars(comparison, profile),
        height=_LOW,
        title=base.title("Attention weights", profile, size=profile.axis_size),
        xaxis=_list_axis(comparison.scores if comparison else (), profile),
        yaxis=_weight_axis(profile),
    )


def _lists_sentence(comparison):
    """Return what the largest score takes in two of the lists: of more than two where it is the least and the most."""
    if comparison is None:
        return "One of the lists cannot be read."
    largest = comparison.max_weight
    shown = (0, 1) if len(largest) == 2 or np.ptp(largest) == 0 else (largest.argmin(), largest.argmax())
    first, other = ((_said(largest[i]), f"in the {_PLACES[i]} list") for i in shown)
    return f"The largest score takes {first[0]} of the weight {first[1]}, and {other[0]} {other[1]}."


def _lists_code(comparison, study):
    """The Python that compares the lists again, and finds again where softmax overflows."""
    lists = [scores.tolist() for scores in comparison.scores] if comparison else []
    compared = code(core.compare_lists, lists, name="lists", show="lists.attention_weights") if comparison else ""
    shown = "curve.dtype, curve.first_failing_score, curve.largest_exponent for curve in result.curves"
    return compared + (code(core.overflow_study, show=shown) if study else "")


def _list_places(scores):
    """Return where the bars of each list stand: one after the other, a little apart."""
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
    name, ticks = "score", {"tickvals": every if texts else [], "ticktext": texts}
    if (every[-1] + 1) * (max(map(len, texts), default=0) + 0.6) > _DIGITS:
        numbers = [str(place) for place in range(1, len(scores) + 1)]
        name, ticks = "list", {"tickvals": [x.mean() for x in places], "ticktext": numbers}
    return base.axis(profile, name if scores else None, range=[-0.6, every[-1] + 0.6], tickangle=0, **ticks)


def _weight_axis(profile):
    ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"]}
    return base.axis(profile, grid=True, range=[0, _TOP], anchor="x", **ticks)


def _share(weight):
    """A weight in a figure; one that is not quite 0 or 1 is not said to be."""
    if weight < 1 - _NEARLY_ALL:
        return "&lt;1 %"
    return "&gt;99 %" if weight >= _NEARLY_ALL else percent(weight, 0)


def _list_sentences(comparison):
    """Return what softmax does with each list, in numbers."""
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


def list_table(comparison: core.ListComparison) -> Table:
    """Return what softmax makes of each list, in numbers."""
    return {
        "list": [_shown(scores) for scores in comparison.scores],
        "gap": [typed(x) for x in comparison.gap],
        "largest weight": [percent(x) for x in comparison.max_weight],
        "entropy (nats)": [number(x, 6) for x in comparison.entropy_nats],
        "effective keys": [number(x, 6) for x in comparison.effective_keys],
        "Jacobian norm": [number_of_log10(x, 6) for x in comparison.log10_jacobian_norm],
    }


def _overflow_sentences(study):
    """Say where softmax breaks, what mends it, where each type breaks, and which errors remain."""
    reach, first = number(study.scores[-1], 4), study.curves[0]
    mended = "never breaks here" if all(each.stable_is_finite for each in study.curves) else "still breaks"
    return (
        "Subtracting the largest score keeps exp from overflowing; the scale does not. In "
        f"{first.dtype} the bare formula breaks at scores from about {number(first.first_failing_score, 2)}; with the "
        f"subtraction it {mended}.",
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


# --- rows whose divisor is turned ------------------------------------------------------------------------


def weights(
    rows: core.DividedRows,
    params: core.RowsParams,
    d_k: int,
    profile: Profile,
    expected: NDArray[np.float64] | None = None,
) -> Picture:
    """Softmax weights of rows at d_k and at two others.

    expected : exact means of the largest weights, for "How sure?".
    """
    shown = [rows.dims.index(each) for each in (FEW, d_k, MANY)]
    sentence = _rows_sentence(rows, shown)
    return Picture(
        "softmax_weights",
        _weights_figure(rows, shown, profile),
        sentence,
        _weights_table(rows, shown),
        code(core.measure_rows, params, name="rows", show=f"rows.divided({rows.exponent}).weights"),
        note="Each weight of a row is a mean over many rows, the keys of each in the order of their scores.",
        alt=f"Rows at dₖ = {FEW}, at dₖ = {d_k:,} and at dₖ = {MANY:,}. {sentence}",
        sure=_rows_sentences(rows, params),
        checks=None if expected is None else _rows_checks(rows, expected),
        marks=_rows_marks(rows, sentence),
    )


def _weights_figure(rows, shown, profile):
    """Three panels on one scale."""
    size, tick = profile.axis_size, profile.tick_size
    top = round(2.9 * size + 1.4 * tick)
    return base.figure(
        profile,
        [_row_bars(rows, *each, profile) for each in enumerate(shown)],
        title=base.title("Attention weights", profile, size=size),
        height=_HEIGHT,
        margin={"l": round(2.9 * size), "r": 10, "t": top, "b": round(2.7 * size)},
        **{f"xaxis{_NUMBERS[place]}": _key_axis(rows, place, profile) for place in range(len(shown))},
        yaxis=_weight_axis(profile),
        annotations=[
            _above(_divisor(rows), sum(_ROWS[1]) / 2, profile, yshift=top - 1.6 * size),
            *(note for each in enumerate(shown) for note in _names_of_row(rows, *each, tick, profile)),
        ],
    )


def _divisor(rows):
    """What the scores are divided by, and what that is called."""
    power = f"÷ dₖ<sup>{rows.exponent:.4g}</sup>"
    return {0.0: f"raw, {power}", 0.5: f"{power} = √dₖ", 1.0: "÷ dₖ"}.get(rows.exponent, power)


def _above(text, x, profile, **options):
    """The name of a panel, above its middle."""
    place = {"xref": "paper", "yref": "paper", "x": x, "y": 1, "xanchor": "center", "yanchor": "bottom"}
    return base.label(text, profile, **{"size": profile.axis_size, **place, **options})


def _names_of_row(rows, place, i, tick, profile):
    """Its d_k and the spread of its scores above the panel, and its largest weight above the bar."""
    middle = sum(_ROWS[place]) / 2
    largest = {
        "xref": f"x{_NUMBERS[place]}",
        "x": -0.4,
        "xanchor": "left",
        "y": rows.max_weight[i],
        "yanchor": "bottom",
    }
    return (
        _above(f"dₖ = {rows.dims[i]:,}", middle, profile, yshift=1.3 * tick),
        _above(f"σ {_short(rows.spread[i])}", middle, profile, size=tick),
        base.label(_said(rows.max_weight[i]).replace(">", "&gt;"), profile, **largest),
    )


def _short(spread):
    """A spread where there is room for four digits."""
    return f"{spread:.{2 if spread < 1 else 1 if spread < 10 else 0}f}"


def without_row(rows: core.DividedRows, d_k: int, shown: Picture) -> Picture:
    """The picture of the rows without what tells the weights at this d_k; only the other rows stay."""
    ends = {each: where for each, where in ((FEW, "first"), (MANY, "last")) if each != d_k}
    largest = {each: _said(rows.max_weight[rows.dims.index(each)]) for each in ends}
    takes = listed([f"{largest[each]} of the weight in the {where} row" for each, where in ends.items()])
    traces = [_name_of(rows, rows.dims.index(each)) for each in ends]
    dims = [f"dₖ = {each:,}" for each in (FEW, d_k, MANY)]
    names = ["Attention weights", _divisor(rows), *dims, *largest.values()]
    return shown.partly(f"On average the strongest key takes {takes}.", keep=traces, words=names)


def _key_axis(rows, place, profile):
    """The keys from the strongest to the weakest; they have no names."""
    n_keys = rows.weights.shape[1]
    around = {"domain": _ROWS[place], "range": [-0.7, n_keys - 0.3], "anchor": "y"}
    name = f"{n_keys} keys, strongest first<br>σ: spread of their scores" if place == 1 else None
    found = base.axis(profile, name, showticklabels=False, **around)
    found["title"] |= {"font": {"size": profile.tick_size}, "standoff": profile.tick_size // 2}
    return found | {"ticks": ""}


def _row_bars(rows, place, i, profile):
    """Bars drawn as one outline, which is quick to redraw; its line keeps the thinnest bar visible."""
    found, colour = rows.weights[i], getattr(profile, _COLOURS.get(rows.exponent, "band"))
    x = np.arange(found.size)[:, None] + np.array([-0.4, -0.4, 0.4, 0.4])  # (key, corner)
    y = found[:, None] * np.array([0.0, 1.0, 1.0, 0.0])
    drawn = base.line(x.ravel(), y.ravel(), base.solid(profile, colour, 0.5), _name_of(rows, i))
    return drawn | {
        "fill": "tozeroy",
        "fillcolor": colour,
        "xaxis": f"x{_NUMBERS[place]}",
        "yaxis": "y",
        "hoverinfo": "y",
    }


def _name_of(rows, i):
    """A row as the figure and its table name it."""
    return f"{_called(rows)}, dₖ = {rows.dims[i]:,}"


def _called(rows):
    """The same in the names of traces and rows of the table, which have no superscript."""
    return _NAMED.get(rows.exponent, f"÷ dₖ^{rows.exponent:.4g}")


def _rows_sentence(rows, shown):
    """Whether the rows look alike; if not, which stands out."""
    said = f"the strongest key takes {listed([_said(each) for each in rows.max_weight[shown]])} of the weight"
    if rows.alike:
        return f"Found{_where(rows.exponent)} the three rows look alike; on average {said}."
    sharpens = np.polyfit(np.log(rows.dims), np.log(rows.spread), 1)[0] > 0
    end = (rows.max_weight.argmax if sharpens else rows.max_weight.argmin)()
    where = {0: "smallest", len(rows.dims) - 1: "largest"}.get(int(end), "middle")
    how = {0.0: "Not divided", 1.0: "Divided by dₖ"}.get(rows.exponent, "Not alike")
    return f"{how}: {said} on average, the {'most' if sharpens else 'least'} at the {where} dₖ."


def _rows_marks(rows, sentence):
    """The words of the sentence that name rows."""
    names = tuple(_name_of(rows, i) for i in range(len(rows.dims)))
    named = {"three rows": names, "the smallest dₖ": names[:1], "the largest dₖ": names[-1:]}
    return tuple(Mark(word, traces) for word, traces in named.items() if word in sentence)


def _where(exponent):
    """Where the dial stands, if it is near √dₖ."""
    if exponent == 0.5:
        return ": divided by √dₖ,"
    return ", close to √dₖ:" if abs(exponent - 0.5) < _CLOSE else ":"


def _said(weight):
    """A weight in two digits."""
    return ">99 %" if weight >= _NEARLY_ALL else f"{number(100 * weight, 2)} %"


def _rows_sentences(rows, params):
    """What a bar is, when rows are alike, and where the predictions come from."""
    of_others = "" if params.law == "normal" else " Other components tend to it as dₖ grows."
    return (
        f"Each bar is a mean over {params.n_batches * params.n_queries} rows, the keys of each in the order of their "
        "scores. A larger dₖ appends components to the same queries and keys.",
        "σ is the spread of a row’s scores after the division. The rows count as alike where the widest σ is at most "
        f"{number(core.ALIKE)} times the narrowest. Here it is {number(rows.ratio)} times.",
        f"Predicted: raw scores spread by √dₖ, so divided ones spread by dₖ to the power ½ − {rows.exponent:.4g}. Only "
        "the exponent ½ makes that the same at every dₖ.",
        f"The predicted weight is an exact average over normal queries and keys, found by quadrature.{of_others} The "
        f"error is that of the means of {params.n_batches} independent draws.",
    )


def _rows_checks(rows, expected):
    """Spreads and largest weights beside what is predicted."""
    low, high = rows.band(expected)
    return {
        "dₖ": [f"{d_k:,}" for d_k in rows.dims],
        "σ": [number(each) for each in rows.spread],
        "σ, predicted": [number(each) for each in rows.spread_theory],
        "largest weight": [
            f"{percent(each, 1)} ± {number(100 * error, 2)} %"
            for each, error in zip(rows.max_weight, rows.standard_error, strict=True)
        ],
        "predicted": [percent(each, 1) for each in expected],
        "in its 95 % band": [
            "inside" if within else "outside" for within in (low <= rows.max_weight) & (rows.max_weight <= high)
        ],
    }


def _weights_table(rows, shown):
    """Every weight of a row from the largest, in full precision."""
    parts = [(_name_of(rows, i), rows.weights[i]) for i in dict.fromkeys(shown)]
    return {
        "row": [name for name, found in parts for _ in found],
        "key": [place for _, found in parts for place in range(1, len(found) + 1)],
        "weight": np.concatenate([found for _, found in parts]).tolist(),
    }


# --- averages --------------------------------------------------------------------------------------------


def averages(result: core.SaturationResult, params: core.SaturationParams, d_k: int, profile: Profile) -> Picture:
    """Three averages against d_k, one below the other."""
    return Picture(
        "softmax_averages",
        _averages_figure(result, d_k, profile),
        _average_sentence(result, d_k),
        _average_table(result),
        _average_code(params),
        sure=_average_sentences(result, params, d_k),
    )


def _averages_figure(result, d_k, profile):
    """Raw and scaled: exact curves dashed, Monte Carlo points on them; the panels share their axis of d_k."""
    panels = list(zip(_NUMBERS, QUANTITIES, strict=True))
    return base.figure(
        profile,
        [
            trace | {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}
            for axis, quantity in panels
            for side in SIDES
            for trace in _average_traces(result, side, quantity, profile)
        ],
        **_average_axes(result, panels, profile),
        annotations=[
            *(base.heading(QUANTITIES[quantity], profile, axes=axis) for axis, quantity in panels),
            *(_at_the_end(result, side, profile) for side in SIDES),
        ],
        shapes=[
            base.upright(at, line) | {"xref": f"x{axis}", "yref": f"y{axis} domain"}
            for axis, _ in panels
            for at, line in ((result.freezing_d_k, base.dotted(profile)), (d_k, base.thin(profile)))
        ],
    )


def _average_axes(result, panels, profile):
    """One panel below the other; on a wall, which is wide and low, side by side."""
    wall = base.on_a_wall(profile)
    axes = {}
    for (axis, quantity), row, column in zip(panels, _AVERAGES, _COLUMNS, strict=True):
        last = axis == _NUMBERS[-1]
        ticks = _WALL_TICKS if wall else _D_TICKS
        dims = {"tickvals": ticks, "ticktext": [f"{each:,}" for each in ticks], "showticklabels": wall or last}
        place = {"domain": column} if wall else {}
        axes[f"xaxis{axis}"] = base.axis(
            profile, "dₖ" if wall or last else None, type="log", range=[-0.1, 3.15], anchor=f"y{axis}", **dims, **place
        )
        place = {} if wall else {"domain": row}
        axes[f"yaxis{axis}"] = base.axis(profile, grid=True, anchor=f"x{axis}", **_range_of(quantity, result), **place)
    return axes


def _average_traces(result, side, quantity, profile):
    curve = getattr(getattr(result, side), quantity)
    found = getattr(getattr(result, f"{side}_measured"), quantity)
    above, below = found.high - found.predicted, found.predicted - found.low
    colour, symbol = getattr(profile, side), {"raw": "circle", "scaled": "square"}[side]
    return [
        base.line(result.dims, curve, base.dashed(profile), f"{side}, predicted"),
        base.points(profile, colour, symbol, result.measured_dims, found.measured, above, below, side),
    ]


def _at_the_end(result, side, profile):
    """The name of a curve of the first panel above its end."""
    place = {"xanchor": "right", "yanchor": "bottom", "yshift": 1.5 * profile.marker_size}
    last = getattr(result, side).max_weight[-1]
    return base.label(SIDES[side], profile, x=np.log10(result.dims[-1]), y=last, **place)


def _range_of(quantity, result):
    """The whole range a quantity can take, whatever is drawn."""
    if quantity == "max_weight":
        return {"range": [0, 1.08], "tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"]}
    if quantity == "entropy_nats":
        return {"range": [0, 1.12 * result.uniform_entropy_nats], "nticks": 4}
    top = result.uniform_entropy_nats / np.log(10)
    powers = [2**j for j in range(0, 10, 1 if top < _MANY_KEYS else 2)]
    return {"type": "log", "range": [-0.06 * top, 1.12 * top], "tickvals": powers}


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
    return code(core.measure_saturation, params, show="result.raw.max_weight, result.scaled.max_weight")
