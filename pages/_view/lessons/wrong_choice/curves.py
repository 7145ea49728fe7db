"""Pictures of the wrong_choice lesson: the effect of each learning rate, and the smallest one that works."""

from collections.abc import Sequence

import numpy as np

from pages._view.figures import base
from pages._view.figures.code import Name, code
from pages._view.lessons.wrong_choice.figures import COLOURS, DIVIDED, NAMES, SAID
from pages._view.marks import Mark, readable
from pages._view.picture import Part, Picture, Table
from pages._view.theme import Profile, listed, so_many
from sattn_core.lessons import wrong_choice as core

_SYMBOLS = ("circle", "square", "triangle-up")
_APART = (0.94, 1.0, 1.06)  # factors on x, so that marks of equal height are side by side
_RATES = (1e-4, 1e-2, 1.0, 100.0, 1e4)  # learning rates that have a tick
_LETTERS = 27  # letters per title line on a phone
_NAME_LETTERS, _WALL_LETTERS = 8.2, 10.5  # right margin for the labels of lines, in em of a tick label
_LINE = 1.25  # height of a line of text, in em
_SEEN = 0.55  # share of a plot's height that fits on a wall or a phone


# --- at every learning rate -----------------------------------------------------------------------------


def rates(curves: core.RateCurves, rate: float, step: int, profile: Profile) -> Picture:
    """Return the picture of the rows put right at each learning rate, with a line at the slider's rate."""
    counts = curves.put_right[:, :, step]
    low, high = core.interval(counts)
    columns: Table = {"learning rate": list(curves.learning_rates)}
    for i, name in enumerate(NAMES):
        columns |= {name: counts[i].tolist(), f"{name}: low": low[i].tolist(), f"{name}: high": high[i].tolist()}
    return Picture(
        "choice_rates",
        _rates_figure(curves, rate, step, profile),
        _rates_sentence(curves, step),
        columns,
        code(core.measure_learning_rates, curves.params, name="curves", show=f"curves.put_right[:, :, {step}]")
        + code(core.interval, Name(f"curves.put_right[:, :, {step}]"), name="low_and_high", show="low_and_high"),
        sure=(
            f"{_rates_claim(curves.best(step))}. {core.NEARLY_ALL} of a hundred right after {step} steps are enough.",
            "Bars are exact 95 % intervals for other rows (Clopper and Pearson).",
        ),
        marks=[Mark(word, (name, f"{name}, joined")) for word, name in SAID.items()],
    )


def _rates_figure(curves, rate, step, profile):
    counts, traces = curves.put_right[:, :, step].astype(float), []
    for i, each in enumerate(counts):
        traces += _curve(i, np.array(curves.learning_rates), each, profile)
    ticks: Part = {"tickvals": _RATES, "ticktext": [f"{each:,g}" for each in _RATES], "range": [-4.3, 5.3]}
    fig = base.figure(
        profile,
        traces,
        height=0.7 if base.on_a_wall(profile) else 1.0,
        left=2.4,
        title=_claim(_rates_claim(curves.best(step)), profile),
        xaxis=base.axis(profile, "learning rate", type="log", **ticks),
        yaxis=base.axis(profile, grid=True, tickvals=[0, 50, 100], range=[-4, 104]),
        shapes=[base.upright(rate, base.thin(profile)) | {"layer": "below"}],
    )
    what = _what(f"queries put right, of {core.N_ROWS}", fig, profile)
    ends = [(i, counts[i, -1], _works(i, curves, step)) for i in range(len(NAMES))]
    return _named(fig, [what], ends, (-4, 104), profile)


def _works(i, curves, step):
    """Return a phrase: the rates that put nearly all rows right, or the most rows that any rate puts right."""
    works = curves.put_right[i, :, step] >= core.NEARLY_ALL
    at = np.flatnonzero(works)
    if not at.size:
        return f"at most {curves.best(step)[i]}"
    first, last = (f"{curves.learning_rates[j]:,g}" for j in at[[0, -1]])
    if np.ptp(at) >= at.size:  # gaps: some rate between the first and the last does not work
        return f"at {at.size} rates"
    return f"from rate {first}" if works[-1] else f"at rate {first}" if first == last else f"at {first} to {last}"


def _curve(i, x, counts, profile):
    """Return counts with their intervals, and a line that joins them."""
    low, high = core.interval(counts)
    colour = getattr(profile, COLOURS[i])
    marks = base.points(profile, colour, _SYMBOLS[i], _APART[i] * x, counts, high - counts, counts - low, NAMES[i])
    marks["error_y"] |= {"thickness": profile.line_width / 2, "width": 0}
    joined = base.line(_APART[i] * x, counts, base.solid(profile, colour, 0.75), f"{NAMES[i]}, joined")
    return [joined | {"hoverinfo": "skip"}, marks]


def _claim(text, profile):
    """Return a title that states what a picture shows."""
    return base.title(
        f"<b>{text}</b>", profile, size=profile.axis_size, letters=max(_LETTERS, base.letters_over(profile))
    )


def _what(text, fig, profile, row=0):
    """Return a line of text above the plot, such as its y axis title. row: the number of lines below this one."""
    fig.layout["margin"]["t"] += round(1.6 * profile.tick_size)
    place: Part = {"x": 0, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    aside, above = -fig.layout["margin"]["l"], (0.4 + 1.6 * row) * profile.tick_size
    return base.label(text, profile, xshift=aside, yshift=above, borderpad=0, **place)


def _named(fig, notes, ends, span, profile):
    """Add labels at the ends of lines, without overlaps. ends: (rule, height of its end, words on its line).

    The words are below the name if there is room. A line without an end has no label.
    """
    wall, ends = base.on_a_wall(profile), [each for each in ends if not np.isnan(each[1])]
    margin = fig.layout["margin"] | {"r": round((_WALL_LETTERS if wall else _NAME_LETTERS) * profile.tick_size)}
    line = (1 if wall else 2) * _LINE * profile.tick_size
    gap = line * (span[1] - span[0]) / (_SEEN * (fig.layout["height"] - margin["t"] - margin["b"]))
    place: Part = {"x": 1, "xref": "paper", "xanchor": "left", "align": "left", "borderpad": 0, "bgcolor": None}
    place["xshift"] = round(0.6 * profile.tick_size)
    named = []
    for y, group in _stacks([end for _, end, *_ in ends], gap, span[1] - gap / 4):
        for nth, at in enumerate(group):
            i, _, does = ends[at]
            up = round((nth - (len(group) - 1) / 2) * line)
            named.append(base.label(_name_of(i, does, profile), profile, y=y, yshift=up, **place))
    fig.layout.update(annotations=[*notes, *named], margin=margin)
    return fig


def _stacks(heights, gap, high):
    """Return stacks of labels that would overlap, as (height of their middle, indices from the lowest label up).

    Labels closer than a gap make a stack with lines some pixels apart, since a picture may be lower than planned. The
    topmost label is no higher than high.
    """
    stacks: list[tuple[float, list[int]]] = []
    for at in sorted(range(len(heights)), key=lambda each: (heights[each], -each)):  # raw is the topmost of equal ones
        group = [at]
        while True:
            half = (len(group) - 1) * gap / 2
            y = min(float(np.mean([heights[each] for each in group])), high - half)
            if not stacks or stacks[-1][0] + (len(stacks[-1][1]) - 1) * gap / 2 + gap <= y - half:
                break
            group = stacks.pop()[1] + group
        stacks.append((y, group))
    return stacks


def _name_of(i, does, profile):
    """Return the label of a rule: its name in its colour, and words on its line."""
    colour = readable(getattr(profile, COLOURS[i]), profile.ground, profile.text)
    between = " " if base.on_a_wall(profile) else "<br>"
    return f'<span style="color:{colour}"><b>{NAMES[i]}</b></span>{between}{does}'


def _rates_sentence(curves, step):
    best, params = curves.best(step), curves.params
    raw, root, whole = (so_many(each, core.N_ROWS) for each in best)
    start = "At the best rate plain gradient descent puts"
    if raw == root == whole:
        few = params.d_k < params.n_keys and params.learns == "q" and step == core.N_STEPS
        why = f": at dₖ = {params.d_k} some of {params.n_keys} keys lie between others"
        return f"{start} {raw} right, with each of the three{why if few and best[0] < core.NEARLY_ALL else ''}."
    return f"{start} {raw} right with raw scores, {root} with ÷ √dₖ and {whole} with ÷ dₖ."


def _rates_claim(best):
    """Return the title: the rules for which at least one rate works."""
    works = [each >= core.NEARLY_ALL for each in best]
    if all(works):
        return "All three have a rate that works"
    if not any(works):
        return "No rate puts nearly all right"
    if works == [False, True, True]:
        return f"Raw: no rate puts {core.NEARLY_ALL} right"
    return f"A rate works only {listed([by for by, does in zip(DIVIDED, works, strict=True) if does])}"


# --- against d_k ----------------------------------------------------------------------------------------

_D_TICKS = (16, 64, 256, 1024)
_SPAN, _LOW, _HIGH = [1.0, 3.1], -3.4, 3.4  # axis ranges in log10, wider if a rate is beyond
_STEADY = 5  # rates within this factor count as steady: neighbouring rates are half a decade apart
_BAND = 0.1  # share of the line's colour in the band of a rate that stays
_OPTIMIZERS = {"sgd": "With plain gradient descent", "adam": "With Adam"}
_RECORDED = {"n_keys": 16, "loss": "output", "learns": "q"}


def dimensions(curves: Sequence[core.RateCurves], optimizer: str, d_k: int, profile: Profile) -> Picture:
    """Return the picture of the smallest rate that puts nearly all rows right at each d_k, with this optimizer."""
    descent, (adam, of_seeds) = core.compare_dimensions(curves), core.compare_with_adam()
    here, there = (adam, descent) if optimizer == "adam" else (descent, adam)
    alike = all(getattr(curves[0].params, name) == each for name, each in _RECORDED.items())
    return Picture(
        "choice_dimensions",
        _dimensions_figure(here, there if alike else None, optimizer, d_k, profile, _best(curves, optimizer)),
        _dimensions_sentence(here, optimizer, alike),
        _table(here),
        _dimensions_code(curves),
        bins=_table(there),
        bins_name="the smallest rates of gradient descent" if optimizer == "adam" else "the smallest rates of Adam",
        marks=[Mark(name, (name,)) for name in NAMES[1:]],
        sure=(*_predicted(descent, adam), _recorded(of_seeds, adam.dims)),
    )


def _table(found):
    return {"d_k": list(found.dims)} | {name: found.smallest_rate[i].tolist() for i, name in enumerate(NAMES)}


def _dimensions_code(curves):
    measured = "".join(
        code(core.measure_learning_rates, each.params, name=f"curves_{i}") for i, each in enumerate(curves)
    )
    names = Name(f"[{', '.join(f'curves_{i}' for i in range(len(curves)))}]")
    compared = code(core.compare_dimensions, names, name="found", show="found.smallest_rate")
    return measured + compared + code(core.compare_with_adam, name="adam", show="adam[0].smallest_rate")


def _best(curves, optimizer):
    """Return the most rows that any rate puts right, by d_k; empty for Adam, whose record has no such counts."""
    return {each.params.d_k: each.best() for each in curves} if optimizer == "sgd" else {}


def _dimensions_figure(here, there, optimizer, d_k, profile, best):
    both = [here] if there is None else [here, there]
    title = f"Smallest rate that puts {core.NEARLY_ALL} % right"
    never, span = _never(here, best, profile), _rates_span(both)
    decades = [10.0**i for i in range(-4, 6, 2 if base.on_a_wall(profile) else 1)]
    ticks: Part = {"tickvals": decades, "ticktext": [f"{each:,g}" for each in decades]}
    fig = base.figure(
        profile,
        [_line(i, here, profile) for i in range(len(NAMES))],
        height=0.7 if base.on_a_wall(profile) else 1.1,
        left=3.2,
        title=_claim("\u2003".join([title, *never] if base.on_a_wall(profile) else [title]), profile),
        xaxis=base.axis(
            profile, "dₖ", type="log", range=_SPAN, tickvals=_D_TICKS, ticktext=[f"{d:,}" for d in _D_TICKS]
        ),
        yaxis=base.axis(profile, grid=True, type="log", range=span, **ticks),
        shapes=[*_bands(here, profile), base.upright(d_k, base.thin(profile)) | {"layer": "below"}],
    )
    ends = [(i, _end(here, i), _does(_seen(here)[1][i], profile)) for i in range(len(NAMES))]
    above = [] if base.on_a_wall(profile) else never[::-1]
    notes = [_what(text, fig, profile, row) for row, text in enumerate(above)]
    return _named(fig, notes, ends, span, profile)


def _seen(found):
    """Return every d_k from 16 (the number of keys) on, and their smallest rates."""
    shown = np.array(found.dims) >= _D_TICKS[0]
    return np.array(found.dims, dtype=float)[shown], found.smallest_rate[:, shown]


def _end(found, i):
    return np.log10(_seen(found)[1][i, -1])


def _rates_span(both):
    logs = np.log10(np.concatenate([_seen(each)[1].ravel() for each in both]))
    logs = logs[~np.isnan(logs)]
    return [min([_LOW, *(logs - 0.3)]), max([_HIGH, *(logs + 0.6)])]


def _line(i, found, profile):
    """Return the line through the smallest rates of one rule, with gaps where no rate works."""
    colour, (dims, smallest) = getattr(profile, COLOURS[i]), _seen(found)
    style = {"symbol": _SYMBOLS[i], "size": 1.6 * profile.marker_size, "color": colour}
    line = base.line(dims, smallest[i], base.solid(profile, colour), NAMES[i])
    return line | {"mode": "lines+markers", "marker": style}


def _bands(found, profile):
    """Return a horizontal band for each rule with one rate that works at every d_k."""
    bands = []
    for colour, each in zip(COLOURS, _seen(found)[1], strict=True):
        if _trend(each) == "stays":
            fill = {"fillcolor": base.shade(profile, getattr(profile, colour), _BAND), "line": {"width": 0}}
            place = {
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "yref": "y",
                "y0": np.nanmin(each) / 1.3,
                "y1": 1.3 * np.nanmax(each),
            }
            bands.append({"type": "rect", "layer": "below", **place, **fill})
    return bands


def _never(found, best, profile):
    """Return a line of text for each rule without a working rate: the first such d_k, and the most rows right there.

    A wall has no room for the number of rows.
    """
    dims, smallest = _seen(found)
    lines = []
    for i in range(len(NAMES)):
        if np.isnan(smallest[i, -1]):
            first = dims[1 + max(np.flatnonzero(~np.isnan(smallest[i])), default=-1)]
            most = f", at most {best[first][i]}" if first in best and not base.on_a_wall(profile) else ""
            words = f"{NAMES[i]}: from dₖ = {first:,.0f} no rate does it{most}"
            lines.append(base.in_colour(words, getattr(profile, COLOURS[i]), profile))
    return lines


_DOES = {"stays": ("about one rate", ""), "rises": ("rises", " as dₖ grows"), "falls": ("falls", " as dₖ grows")}


def _trend(smallest):
    """Return the trend of a rule's smallest rate with d_k: "stays", "rises", "falls" or "moves"."""
    rates = smallest[~np.isnan(smallest)]
    if rates.size < 2:
        return "moves"
    if rates.max() < _STEADY * rates.min():
        return "stays"
    grown = rates[-1] / rates[0]
    return "rises" if grown >= _STEADY else "falls" if grown * _STEADY <= 1 else "moves"


def _does(smallest, profile):
    """Return the trend of a rule's smallest rate in a few words, and in fewer on a wall, to fit beside the name."""
    does = _DOES.get(_trend(smallest), ("", ""))
    return does[0] if base.on_a_wall(profile) else "".join(does)


def _dimensions_sentence(found, optimizer, alike):
    """Return the sentence: the rates that ÷ √d_k and ÷ d_k need; with Adam, also that ÷ d_k starts flat."""
    start = _OPTIMIZERS[optimizer] + ("" if alike or optimizer == "sgd" else " as recorded")
    smallest = _seen(found)[1][1:]
    if np.isnan(_seen(found)[1]).all():
        return f"{start} no learning rate puts nearly all right with any of the three."
    both = all(_trend(each) == "stays" for each in smallest)
    needs = "; ".join(_needs(name, each, both) for name, each in zip(NAMES[1:], smallest, strict=True))
    end = ", but starts flat" if optimizer == "adam" else ""
    end += ". Rates alone do not decide" if end and alike else ""
    return f"{start}, {needs}{end}."


def _needs(name, smallest, both):
    """Return a phrase on the rates that a rule needs. both: True if both rules' rates stay, for a shorter phrase."""
    rates, trend = smallest[~np.isnan(smallest)], _trend(smallest)
    if not rates.size:
        return f"no rate works with {name}"
    low, high, last = (f"{each:,g}" for each in (rates.min(), rates.max(), rates[-1]))
    return (
        f"{name} needs "
        + {
            "stays": f"about one rate, {high if both or low == high else f'{low} to {high}'}",
            "rises": f"more as dₖ grows, up to {last}",
            "falls": f"less as dₖ grows, down to {last}",
            "moves": f"up to {high}",
        }[trend]
    )


def _predicted(descent, adam):
    """Return sentences on the predicted and the measured change of the smallest rates."""
    first, second = ([_times(found, i) for i in (1, 2)] for found in (descent, adam))
    return (
        "A step of plain gradient descent moves a scaled score by the rate times scale² times a squared length, about "
        "dₖ. From dₖ = 16 to 1,024 the smallest rate should go × 1 with ÷ √dₖ and × 64 with ÷ dₖ; it goes "
        f"{first[0]} and {first[1]}.",
        "Adam moves each coordinate by about the rate, so a scaled score by the rate times scale times dₖ. It should "
        f"go × 1/8 with ÷ √dₖ and × 1 with ÷ dₖ; it goes {second[0]} and {second[1]}. Rates are half a decade apart.",
    )


def _times(found, i):
    first, last = _seen(found)[1][i, [0, -1]]
    return "to no rate" if np.isnan(first) or np.isnan(last) else f"× {last / first:.3g}"


def _recorded(of_seeds, dims):
    """Return sentences on the record of Adam, and on the difference between its draws."""
    drawn = of_seeds[:, 1:, np.array(dims) >= _D_TICKS[0]]
    return (
        f"Adam is a record: {core.N_ROWS * len(drawn)} rows with 16 keys, {core.N_STEPS} steps, β = 0.9 and 0.999; q "
        "learns by the loss on the output. The smallest rates of its four draws of a hundred differ by at most "
        f"{(drawn.max(axis=0) / drawn.min(axis=0)).max():.3g} times."
    )
