"""Pictures of the softmax_saturation lesson: typed lists, and rows with a divisor to choose."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pages._view.figures import base
from pages._view.figures.code import code
from pages._view.lessons.softmax_saturation.declaration import MOST_ADDED
from pages._view.marks import Mark
from pages._view.picture import Part, Picture, Table
from pages._view.theme import Profile, listed, number, number_of_log10, percent, typed
from sattn_core.laws.saturation import critical_score_std
from sattn_core.lessons import softmax_saturation as core

DIMS = (4, 64, 1024)  # d_k of the rows; the bet is on the middle one
NAMED = {0.0: "raw", 0.5: "÷ √dₖ", 1.0: "÷ dₖ"}  # exponents that have a name
COLOURS = {0.0: "raw", 0.5: "scaled", 1.0: "third"}
COLUMNS = ([0.0, 0.3], [0.35, 0.65], [0.7, 1.0])  # horizontal domains of the panels
NUMBERS = ("", "2", "3", "4")  # Plotly's suffixes for the panels' axes
LARGE = 1.25  # size of a panel's large number, relative to a title
_CLOSE = 0.1  # an exponent closer to ½ than this is called close to √dₖ
_SPELLED = 8  # scores of a list that are written in full, at most
_FEW = 3  # scores of a list that are written in a heading, at most
_REACH, _MOST_DIVIDED = 4.7, 10  # room on either side for numbers added to a list; largest divisor of a list
_HARDLY_ANY = 0.001  # a smaller gradient (weight moved ÷ number added) is called hardly any
_NAMED_BEFORE = 0.25  # room for a label left of the smallest score, as a share of the lists' width
_EVEN = 24  # longest axis, in scores, that has a tick at each even number
_APART = 0.11  # width of a number on a phone, as a share of an axis
_WIDEST, _THINNEST = 0.04, 0.003  # widths of the bars, as shares of an axis
_PLACES = ("first", "second", "third", "fourth")
_HEIGHT = 0.87  # height factor: one more dial is above the figure, which must still fit on a wall
_BRACKET, _OVER = 1.45, 1.95  # height of a list's bracket and upper end of its axis, in weights
_MORE = 0.05  # height of a line of small letters between two panels, as a share of the figure's
_TOP = 1.04  # upper end of the axis of the rows' weights
_MANY_KEYS = 16
_NEARLY_ALL = 0.995  # from here on a percentage without decimals is 100 %


# --- lists -----------------------------------------------------------------------------------------------


def lists(
    comparison: core.ListComparison | None,
    profile: Profile,
    study: core.OverflowStudy | None = None,
    unmoved: Sequence[ArrayLike] = (),
) -> Picture:
    """Return the picture of the typed lists' softmax weights, at their scores; empty while a list cannot be read.

    study : the scores at which softmax overflows, for "How sure?". unmoved : the lists as typed, which set the axis
    range.
    """
    said = _list_sentences(comparison) if comparison else ()
    return Picture(
        "list_weights",
        _lists_figure(comparison, profile, _span(comparison.scores, unmoved) if comparison else _NO_SPAN),
        _lists_sentence(comparison),
        _lists_table(comparison),
        _lists_code(comparison, study),
        alt=" ".join((*said[:-1], _lists_sentence(comparison))),
        sure=(*_ON_LISTS, *said, *(_overflow_sentences(study) if study else ())),
        checks=list_table(comparison) if comparison else None,
        marks=_lists_marks(comparison),
    )


def _lists_table(comparison):
    found = comparison.attention_weights if comparison else ()
    return {
        "list": [f"list {place}" for place, each in enumerate(found, start=1) for _ in each],
        "key": [key for each in found for key in range(1, len(each) + 1)],
        "weight": [weight for each in found for weight in each.tolist()],
    }


def _lists_marks(comparison):
    names = _PLACES[: len(comparison.scores)] if comparison else ()
    return tuple(Mark(f"{name} list", (f"list {i}",)) for i, name in enumerate(names, start=1))


_ON_LISTS = (
    "A number added to every score cancels in softmax, so no weight changes. A divisor shrinks the differences, as the "
    "scale does.",
)


def nudged(nudge: core.ListNudge | None, added: float, profile: Profile) -> Picture:
    """Return the picture of softmax weights after a number is added to each list's smallest score.

    Outlines are the weights before. The axes are empty while a list cannot be read.
    """
    if nudge is None:
        return replace(lists(None, profile), key="nudged_weights")
    before, said = nudge.before, _nudge_sentence(nudge.moved, added)
    return Picture(
        "nudged_weights",
        _lists_figure(nudge.after, profile, _room_to_add(before.scores), nudge),
        said,
        _lists_table(nudge.after) | {"weight before": np.concatenate(before.attention_weights).tolist()},
        code(core.nudge_lists, [each.tolist() for each in before.scores], added, name="nudge", show="nudge.moved"),
        alt=said,
        sure=(_ON_NUDGES, *_list_sentences(before)),
        checks=list_table(before),
        marks=_lists_marks(before),
    )


_ON_NUDGES = (
    "The gradient, or derivative, says how much a small change does. Where the key has the weight p, a small number "
    "added to its score moves p (1 − p) times that number: hardly any where p is nearly 0 or nearly 1. Training then "
    "has hardly anything to learn from."
)


def _lists_figure(comparison, profile, reach, nudge=None):
    """Return a panel for each list, one below the other, on one axis of scores. nudge: the lists before the change."""
    scores, found = (comparison.scores, comparison.attention_weights) if comparison else ((), ())
    low, high = reach
    width, top = _width(scores, high - low), round(1.5 * profile.axis_size) + (_line_of(profile) if nudge else 0)
    apart = _APART * (high - low) * (len(scores) / 2 if base.on_a_wall(profile) and len(scores) > 2 else 1)
    panels = [(NUMBERS[i], *each) for i, each in enumerate(zip(scores, found, strict=True))]
    return base.figure(
        profile,
        [
            *(_list_bars(i, _places(each, width), weights, profile) for i, (_, each, weights) in enumerate(panels)),
            *(_bracket(axis, each, profile) for axis, each, _ in panels),
            *(_before(nudge, i, width, profile) for i in range(len(panels) if nudge else 0)),
        ],
        height=_HEIGHT if base.on_a_wall(profile) else _HEIGHT + 0.2 * max(0, len(panels) - 2),
        margin={"l": round(2.9 * profile.axis_size), "r": 10, "t": top, "b": round(2.6 * profile.axis_size)},
        annotations=[
            name for i in range(len(panels)) for name in _names_in(i, panels[i], width, apart, profile, nudge)
        ],
        **_list_axes(max(1, len(panels)), [low, high], profile, more=nudge is not None),
    )


def _names_in(i, panel, width, apart, profile, nudge):
    """Yield the labels of a panel."""
    axis, scores, weights = panel
    yield from _names_of_list(axis, _places(scores, width), scores, weights, apart, profile, _nudge_of(nudge, i))
    yield from _name_of_before(nudge, i, axis, width, profile)
    yield from _name_of_gradient(nudge, i, axis, profile)


def _span(scores, unmoved):
    """Return the axis range: the lists as typed, and room for changes by the sliders or the address."""
    unmoved = unmoved or scores
    usual, found = _ends([*unmoved, *(np.asarray(each) / _MOST_DIVIDED for each in unmoved)]), _ends(scores)
    room = max(_REACH, 0.1 * (usual[1] - usual[0]))
    if usual[0] - room < found[0] and found[1] < usual[1] + room:
        return usual[0] - room, usual[1] + room
    beyond = 0.1 * (found[1] - found[0]) or 1.0
    return found[0] - beyond, found[1] + beyond


_NO_SPAN = (-1.0, 1.0)


def _room_to_add(scores):
    """Return the axis range: the lists as typed, and room for the number added to their smallest scores."""
    low, high = _ends([*scores, *(each.min() + MOST_ADDED for each in scores)])
    return low - _NAMED_BEFORE * (high - low), high + _APART * (high - low)


def _before(nudge, i, width, profile):
    """Return the outline of the bar before a number was added to its score."""
    low, high = _places(nudge.before.scores[i], width)[nudge.smallest[i]]
    weight = nudge.before.attention_weights[i][nudge.smallest[i]]
    x, y = np.array([low, low, high, high, low]), np.array([0.0, weight, weight, 0.0, 0.0])
    drawn = base.line(x, y, base.solid(profile, profile.text, 0.8), "before")
    return drawn | {"xaxis": f"x{NUMBERS[i]}", "yaxis": f"y{NUMBERS[i]}", "hoverinfo": "skip"}


def _name_of_before(nudge, i, axis, width, profile):
    """Yield the label "before", to the left of the outline, where no bars are."""
    if nudge is None or nudge.after.scores[i][nudge.smallest[i]] == nudge.before.scores[i][nudge.smallest[i]]:
        return
    left = _places(nudge.before.scores[i], width)[nudge.smallest[i]][0]
    place = {"xref": f"x{axis}", "yref": f"y{axis}", "x": left, "y": 0, "xshift": -profile.tick_size // 3}
    yield base.label("before", profile, bgcolor=None, xanchor="right", yanchor="bottom", **place)


def _name_of_gradient(nudge, i, axis, profile):
    """Yield the gradient of a nudged list as a label, under its heading."""
    if nudge:
        p = number(100 * nudge.before.attention_weights[i][nudge.smallest[i]], 2)
        said = f"gradient p (1 − p) = {number(nudge.gradient[i], 2)} at p = {p} %"
        name = base.heading(said, profile, axes=axis)
        name["font"]["size"] = profile.tick_size
        yield name


def _line_of(profile):
    """Return the height of a line of small letters."""
    return round(1.4 * profile.tick_size)


def _nudge_of(nudge, i):
    """Return a list's heading with the weight that moved; empty if nothing is added."""
    return f"{_heading(nudge.before.scores[i])}: {_moved(nudge.moved[i])} moves" if nudge else ""


def _moved(weight):
    """Return a weight that moved, as text with two digits."""
    return "nothing" if weight == 0 else f"{number(100 * weight, 2)} %"


def _nudge_sentence(moved, added):
    """Return the sentence on the weight moved in two lists; of three or four lists, the two extremes."""
    if added == 0:
        return "Nothing is added, and no weight moves."
    shown = (0, 1) if len(moved) == 2 or np.ptp(moved) == 0 else (moved.argmax(), moved.argmin())
    first, other = (f"{_moved(moved[i])} of the weight moves in the {_PLACES[i]} list" for i in shown)
    least = ", which passes on hardly any gradient" if moved[shown[1]] < _HARDLY_ANY * added else ""
    return f"Added {_short(added)}: {first}, {other.replace(' of the weight moves', '')}{least}."


def _ends(lists):
    return min(float(np.min(each)) for each in lists), max(float(np.max(each)) for each in lists)


def _width(scores, span):
    """Return the bars' width, as large as possible without overlaps inside a list."""
    gaps = [gap for each in scores for gap in np.diff(np.unique(each))]
    return min(_WIDEST * span, max(_THINNEST * span, 0.8 * min(gaps, default=span)))


def _places(scores, width):
    """Return the left and right ends (n, 2) of the bars; equal scores share the width of one bar."""
    _, group, count = np.unique(scores, return_inverse=True, return_counts=True)
    within = np.array([np.sum(group[:i] == each) for i, each in enumerate(group)])
    part = width / count[group]
    left = scores - width / 2 + within * part
    return np.stack([left, left + part], axis=-1)


def _list_axes(count, reach, profile, more=False):
    """Return the axes of the panels, one below the other; on a wall, which is wide and low, side by side.

    more : True if there is one more line of text above each panel.
    """
    wall, axes = base.on_a_wall(profile), {}
    gap = 0.05 if wall else (0.13 if count < 3 else 0.09) + (_MORE if more else 0)
    part = (1 - gap * (count - 1)) / count
    ticks = {"dtick": 2} if reach[1] - reach[0] <= _EVEN else {"nticks": 9, "tickformat": ",~r"}
    for i, axis in enumerate(NUMBERS[:count]):
        ends = [i * (part + gap), i * (part + gap) + part]
        down = [max(0.0, 1 - ends[1]), 1 - ends[0]]
        lowest = wall or i == count - 1
        shown = {"showticklabels": lowest, "ticks": "outside" if lowest else "", **ticks}
        place = {"range": reach, "anchor": f"y{axis}", "domain": ends if wall else [0, 1], **shown}
        axes[f"xaxis{axis}"] = base.axis(profile, "score" if lowest else None, **place)
        place = {"range": [0, _OVER], "anchor": f"x{axis}", "domain": [0, 1] if wall else down}
        axes[f"yaxis{axis}"] = _weight_axis(profile) | place | {"showticklabels": not wall or i == 0}
    return axes


def _list_bars(i, ends, weights, profile):
    return bars(ends, weights, profile, profile.band, f"list {i + 1}") | {
        "xaxis": f"x{NUMBERS[i]}",
        "yaxis": f"y{NUMBERS[i]}",
    }


def _bracket(axis, scores, profile):
    """Return the difference of the two largest scores, as a bracket above the bars."""
    low, high = np.sort(scores)[-2:]
    x, y = np.array([low, low, low, high, high, high]), _BRACKET + np.array([-0.06, 0.06, 0, 0, 0.06, -0.06])
    style = base.solid(profile, profile.text)
    return base.line(x, y, style, "difference") | {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "hoverinfo": "skip"}


def _names_of_list(axis, ends, scores, weights, apart, profile, said=""):
    """Return labels: the list above its panel, the difference above its bracket, the weights above their bars."""
    refs = {"xref": f"x{axis}", "yref": f"y{axis}", "bgcolor": None, "yanchor": "bottom"}
    middle, gap = np.sort(scores)[-2:].mean(), np.diff(np.sort(scores)[-2:])[0]
    up = {"yshift": _line_of(profile)} if said else {}  # above the line of text on the gradient
    heading = base.heading(f"<b>{said or _heading(scores)}</b>", profile, axes=axis) | up
    heading["font"]["color"] = profile.band
    difference = base.label(
        f"<b>difference {_short(gap)}</b>", profile, size=profile.base_size, x=middle, y=_BRACKET + 0.06, **refs
    )
    return heading, difference, *_names_of_bars(ends, weights, apart, refs, profile)


def _heading(scores):
    if len(scores) > _FEW:
        return f"{len(scores)} scores"
    return f"scores {listed([_short(each) for each in scores])}"


def _short(score):
    """Return a score in three digits."""
    return f"{score:,.3g}".replace("-", "−") if abs(score) < 1000 else f"{score:,.0f}".replace("-", "−")


def _names_of_bars(ends, weights, apart, refs, profile):
    """Return the weights as labels: all if there is room, else the largest; two close labels are moved apart."""
    x, size = ends.mean(axis=-1), profile.base_size
    names = [base.label(f"<b>{_share(each)}</b>", profile, size=size, y=each, **refs) for each in weights]
    if len(x) == 2 and np.ptp(x) < apart:  # each label ends at its bar's inner edge, at any screen width
        first, second = np.argsort(x, kind="stable")
        gap = round(0.15 * size)
        names[first] |= {"x": ends[first, 1], "xanchor": "right", "xshift": -gap, "borderpad": 0}
        names[second] |= {"x": ends[second, 0], "xanchor": "left", "xshift": gap, "borderpad": 0}
        return names
    crowded = any(after - before < apart - 1e-9 for before, after in pairwise(np.sort(x)))
    return [names[i] | {"x": x[i]} for i in ([weights.argmax()] if crowded else range(len(x)))]


def bars(ends: NDArray[np.float64], heights: NDArray[np.float64], profile: Profile, colour: str, name: str) -> Part:
    """Return bars drawn as one outline, which is quick to redraw; its line keeps the thinnest bar visible."""
    x = ends[:, [0, 0, 1, 1]]  # (bar, corner)
    y = heights[:, None] * np.array([0.0, 1.0, 1.0, 0.0])
    drawn = base.line(x.ravel(), y.ravel(), base.solid(profile, colour, 0.5), name)
    return drawn | {"fill": "tozeroy", "fillcolor": colour}


def _lists_sentence(comparison):
    """Return the sentence on the largest weight in two lists; of three or four lists, the two extremes."""
    if comparison is None:
        return "One of the lists cannot be read."
    largest = comparison.max_weight
    shown = (0, 1) if len(largest) == 2 or np.ptp(largest) == 0 else (largest.argmin(), largest.argmax())
    first, other = ((_said(largest[i]), f"in the {_PLACES[i]} list") for i in shown)
    return f"The largest score takes {first[0]} of the weight {first[1]}, and {other[0]} {other[1]}."


def _lists_code(comparison, study):
    """Return Python code that compares the lists, and finds the scores at which softmax overflows."""
    lists = [scores.tolist() for scores in comparison.scores] if comparison else []
    compared = code(core.compare_lists, lists, name="lists", show="lists.attention_weights") if comparison else ""
    shown = "curve.dtype, curve.first_failing_score, curve.largest_exponent for curve in result.curves"
    return compared + (code(core.overflow_study, show=shown) if study else "")


def _weight_axis(profile):
    ticks = {"tickvals": [0, 0.5, 1], "ticktext": ["0 %", "50 %", "100 %"]}
    return base.axis(profile, grid=True, range=[0, _TOP], **ticks) | {"showline": False, "ticks": ""}


def _share(weight):
    """Return a weight for a label: whole percent, or "<1 %" or ">99 %" near the ends."""
    if weight < 1 - _NEARLY_ALL:
        return "&lt;1 %"
    return "&gt;99 %" if weight >= _NEARLY_ALL else percent(weight, 0)


def _list_sentences(comparison):
    """Return sentences on what softmax does with each list, in numbers."""
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
    """Return a table with a row for each list: its gap and its softmax in numbers."""
    return {
        "list": [_shown(scores) for scores in comparison.scores],
        "gap": [typed(x) for x in comparison.gap],
        "largest weight": [percent(x) for x in comparison.max_weight],
        "entropy (nats)": [number(x, 6) for x in comparison.entropy_nats],
        "effective keys": [number(x, 6) for x in comparison.effective_keys],
        "Jacobian norm": [number_of_log10(x, 6) for x in comparison.log10_jacobian_norm],
    }


def _overflow_sentences(study):
    """Return sentences on overflow: scores at which softmax breaks in each float type, the remedy, the errors left."""
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


# --- rows with a divisor to change ------------------------------------------------------------------------


def weights(
    rows: core.DividedRows,
    params: core.RowsParams,
    profile: Profile,
    expected: NDArray[np.float64] | None = None,
) -> Picture:
    """Return the picture of softmax weights of rows at three d_k.

    expected : exact means of the largest weights, for "How sure?".
    """
    sentence = _rows_sentence(rows)
    return Picture(
        "softmax_weights",
        _weights_figure(rows, profile),
        sentence,
        _weights_table(rows),
        code(core.measure_rows, params, name="rows", show=f"rows.divided({rows.exponent}).weights"),
        note="Each weight of a row is a mean over many rows, the keys of each in the order of their scores.",
        alt=f"Rows at {listed([_at(d_k) for d_k in rows.dims])}. {sentence}",
        sure=_rows_sentences(rows, params),
        checks=None if expected is None else _rows_checks(rows, expected),
        marks=_rows_marks(rows, sentence),
    )


def _weights_figure(rows, profile):
    """Return three panels on one scale; the weights at the smallest d_k are an outline on the other two."""
    panels = range(len(rows.dims))
    return base.figure(
        profile,
        [*(_row_bars(rows, i, profile) for i in panels), *(_outline(rows, i, profile) for i in panels[1:])],
        height=_HEIGHT,
        margin={"l": round(2.9 * profile.axis_size), "r": 10, "t": room_above(profile), "b": 2 * profile.axis_size},
        **{f"xaxis{NUMBERS[i]}": _key_axis(rows, i, profile) for i in panels},
        yaxis=_weight_axis(profile) | {"anchor": "x"},
        annotations=[
            *(name for i in panels for name in heads(i, _at(rows.dims[i]), _said(rows.max_weight[i]), _TAKES, profile)),
            _name_of_outline(rows, profile),
        ],
    )


_TAKES = "strongest key"


def _at(d_k):
    return f"dₖ = {d_k:,}"


def room_above(profile: Profile) -> int:
    """Return the height of the words above a panel."""
    return round(sum(_lines_above(profile)) + 1.4 * profile.axis_size)


def _lines_above(profile):
    """Return the heights of the lines for the unit and for the number; on a wall the unit has no line."""
    return (0.2 if base.on_a_wall(profile) else 1.5) * profile.tick_size, 1.4 * LARGE * profile.title_size


_WIDTHS = {" ": 0.22, ".": 0.27, "%": 0.9}  # widths of bold letters, as shares of their size


def heads(
    place: int, name: str, large: str, unit: str, profile: Profile, colour: str | None = None
) -> tuple[Part, ...]:
    """Return a panel's name, large number and unit, above the panel; on a wall the unit is beside the number."""
    beside, size = base.on_a_wall(profile), LARGE * profile.title_size
    at = {"xref": "paper", "yref": "paper", "x": COLUMNS[place][0], "y": 1, "xanchor": "left", "yanchor": "bottom"}
    below, high = _lines_above(profile)
    number_at = {"xshift": size * (0.3 + sum(_WIDTHS.get(each, 0.53) for each in large))} if beside else {}
    bold = [f"<b>{each}</b>" for each in (name, large.replace(">", "&gt;"))]
    if colour:  # colour set in the text: a drag of a slider updates texts, not fonts
        bold = [f'<span style="color:{colour}">{each}</span>' for each in bold]
    return (
        base.label(bold[0], profile, size=profile.axis_size, yshift=below + high, **at),
        base.label(bold[1], profile, size=size, yshift=below, **at),
        base.label(unit, profile, yshift=below if beside else 0, **at, **number_at),
    )


def first_alone(rows: core.DividedRows, shown: Picture) -> Picture:
    """Return the picture with the first row's weights only: the last row would help to guess the middle one."""
    largest = _said(rows.max_weight[0])
    names = [f"<b>{_at(d_k)}</b>" for d_k in rows.dims]
    words = {_TAKES, _OUTLINE, *names, f"<b>{largest.replace('>', '&gt;')}</b>"}
    said = f"At {_at(rows.dims[0])} the strongest key takes {largest} of the weight on average."
    return shown.partly(said, keep=[_name_of(rows, 0), _OUTLINE], words=words)


def _key_axis(rows, i, profile):
    """Return the axis of the keys, from the strongest to the weakest, without tick labels."""
    n_keys = rows.weights.shape[1]
    around = {"domain": COLUMNS[i], "range": [-0.7, n_keys - 0.3], "anchor": "y"}
    name = f"{n_keys} keys, strongest first" if i == 1 else None
    found = base.axis(profile, name, showticklabels=False, **around)
    found["title"] |= {"font": {"size": profile.tick_size}, "standoff": profile.tick_size // 2}
    return found | {"ticks": ""}


_OUTLINE = "outline: dₖ = 4"


def _outline(rows, i, profile):
    """Return the outline of the weights at the smallest d_k, which the bars at another d_k should match."""
    n_keys = rows.weights.shape[1]
    x, y = np.repeat(np.arange(n_keys + 1) - 0.5, 2), np.repeat(rows.weights[0], 2)
    drawn = base.line(x, np.concatenate([[0.0], y, [0.0]]), base.solid(profile, profile.text, 0.8), _OUTLINE)
    return drawn | {"xaxis": f"x{NUMBERS[i]}", "yaxis": "y", "hoverinfo": "skip"}


def _name_of_outline(rows, profile):
    """Return the label of the outline, above its low part."""
    n_keys = rows.weights.shape[1]
    beside = 1 if n_keys >= _MANY_KEYS else 0  # the label may overlap the first of many bars, which is thin
    y = min(0.9, float(rows.weights[:2, beside:].max()) + 0.02)
    place = {"xref": "x2", "yref": "y", "x": n_keys - 0.4, "y": y, "xanchor": "right", "yanchor": "bottom"}
    return base.label(_OUTLINE, profile, bgcolor=None, **place)


def _row_bars(rows, i, profile):
    ends = np.arange(rows.weights.shape[1])[:, None] + np.array([-0.4, 0.4])
    colour = getattr(profile, COLOURS.get(rows.exponent, "band"))
    drawn = bars(ends, rows.weights[i], profile, colour, _name_of(rows, i))
    return drawn | {"xaxis": f"x{NUMBERS[i]}", "yaxis": "y"}


def _name_of(rows, i):
    """Return the name of a row in the figure and its table."""
    return f"{called(rows.exponent)}, {_at(rows.dims[i])}"


def called(exponent: float) -> str:
    """Return the divisor of the scores, in words."""
    return NAMED.get(exponent, f"÷ dₖ^{exponent:.4g}")


def _rows_sentence(rows):
    """Return the sentence: the rows look alike, or the strongest key's share goes up or down with dₖ."""
    said = f"the strongest key takes {listed([_said(each) for each in rows.max_weight])} of the weight"
    if rows.alike:
        return f"Found{_where(rows.exponent)} the three rows look alike; on average {said}."
    sharpens = np.polyfit(np.log(rows.dims), np.log(rows.spread), 1)[0] > 0
    end = (rows.max_weight.argmax if sharpens else rows.max_weight.argmin)()
    where = {0: "smallest", len(rows.dims) - 1: "largest"}.get(int(end), "middle")
    how = {0.0: "Not divided", 1.0: "Divided by dₖ"}.get(rows.exponent, "Not alike")
    return f"{how}: {said} on average, the {'most' if sharpens else 'least'} at the {where} dₖ."


def _rows_marks(rows, sentence):
    """Return marks for words in the sentence that name a row."""
    names = tuple(_name_of(rows, i) for i in range(len(rows.dims)))
    named = {"three rows": names, "the smallest dₖ": names[:1], "the largest dₖ": names[-1:]}
    return tuple(Mark(word, traces) for word, traces in named.items() if word in sentence)


def _where(exponent):
    """Return a phrase that says if the exponent is at √dₖ or close to it."""
    if exponent == 0.5:
        return ": divided by √dₖ,"
    return ", close to √dₖ:" if abs(exponent - 0.5) < _CLOSE else ":"


def _said(weight):
    """Return a weight as text with two digits, or ">99 %"."""
    return ">99 %" if weight >= _NEARLY_ALL else f"{number(100 * weight, 2)} %"


def _rows_sentences(rows, params):
    """Return sentences on the bars, on the criterion for rows to be alike, and on the predictions."""
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
        _threshold(params.n_keys),
    )


def _threshold(n_keys):
    """Return a sentence on the threshold of freezing, which is a limit for many keys."""
    critical = critical_score_std(n_keys)
    return (
        f"With very many keys, n of them, softmax freezes where the scores spread wider than √(2 ln n). Here "
        f"√(2 ln {n_keys}) = {number(critical)}. Raw scores pass it at dₖ = {number(critical**2)}, divided by √dₖ "
        "never."
    )


def _rows_checks(rows, expected):
    """Return a table of spreads and largest weights with their predictions."""
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


def _weights_table(rows):
    """Return a table of every row's weights, the largest first, in full precision."""
    n_dims, n_keys = rows.weights.shape
    return {
        "row": [_name_of(rows, i) for i in range(n_dims) for _ in range(n_keys)],
        "key": n_dims * [*range(1, n_keys + 1)],
        "weight": rows.weights.ravel().tolist(),
    }
