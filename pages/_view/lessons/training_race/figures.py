"""Pictures of the training_race lesson: attention, the curves of every scale, learning rates, the equivalence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pages._view.figures import base, rows
from pages._view.figures.code import code, printed
from pages._view.figures.tables import columns_of
from pages._view.marks import Mark, readable
from pages._view.picture import Part, Picture, Table
from pages._view.theme import Profile, listed, number, percent, typed
from sattn_core.lessons import training_race as core
from sattn_core.training.equal_training import EQUAL_POWERS, PARTED, Equivalence, measure_equivalence

_NAMES = {0.0: "raw", 0.5: "÷ √dₖ", 1.0: "÷ dₖ"}
_RAISED = str.maketrans("0123456789.", "⁰¹²³⁴⁵⁶⁷⁸⁹·")
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_IN_WORDS = {
    "loss": "loss",
    "accuracy": "right answers",
    "entropy_nats": "entropy in nats",
    "gradient_norm": "total gradient",
    "median_row_gradient": "gradient of the median row",
}
_OUTCOMES = {
    "harm": "Leaving the scale out does harm here",
    "harmless": "Leaving the scale out does no harm here",
    "neither": "Neither raw nor ÷ √dₖ learns all pairs",
    "only_without": "Here it is ÷ √dₖ that lags",
}
_DASHES = {0.0: "solid", 0.5: "solid", 1.0: "longdash"}
_GAP, _WALL_GAP = 0.15, 0.26  # between two labels at the end of their curves, as a share of a panel
_ABOVE, _ASIDE = 0.18, 0.2  # between panels, as a share of a figure's height and width
_NAMED_STEPS = (10, 100, 1_000)
_STILL = 0.01  # of the answers: a smaller gain in half of the steps is none
_POWER_NAMES = {0.5: "√dₖ", 0.25: "⁴√dₖ"}
_METHODS = {"sgd": "SGD", "adam": "Adam"}
_METHODS_IN_WORDS = {"sgd": "Gradient descent", "adam": "Adam"}
_APART = (-17, 1)  # decades of the relative difference of two losses that are shown
_EARLY = 10  # the step at which the gradients are compared
_GONE = 0.01  # of what reaches the scores with the scale: a gradient below it has vanished
_ALIKE = (0.5, 2.0)  # two gradients with such a ratio are about as large
_APART_COLUMNS, _MARGIN = 0.05, 0.025  # between maps, and of a map's width: half the room for marks at its right
_MAPS, _CURVES = [0.3, 1.0], [0.0, 0.22]  # of the height
_PHONE, _MAP_BESIDE, _RACE_BESIDE = 1.25, [0.65, 1.0], [0.29, 0.61]  # on a phone: of the usual height; of the width
_RACE_HIGH = 0.75  # of a row there
_LARGE, _LINE = 1.42, 1.3  # of a title, the number of a map; of letters, the height of a line
_PALE = 0.05  # of the text's ink: the ground of a map
_NEARLY_ALL, _MOST, _FEW = 0.9, 0.5, 0.125  # of the queries
_SHADES = 8
_ROOT, _WALL_ROOT = 2, 4  # of a weight, which its colour goes by
_NEARLY = 0.995  # of the weight
_ROUNDING = 1e-6  # a relative difference of two losses that is practically nothing
_ZERO = 5e-4  # a loss that two digits after the point would not show


@dataclass(frozen=True)
class _Panel:
    """One quantity of all runs against the steps; its axis is logarithmic where it has decades."""

    quantity: str
    text: str
    span: tuple[float, float]
    ticks: tuple[float, ...] | None = None
    decades: tuple[int, ...] = ()


def attention(
    shown: core.RaceStart | core.TrainingRaceResult, profile: Profile, *, preset: str = "", elsewhere: bool = False
) -> Picture:
    """Attention of every training on one scale of colours: before the first step, or at the last step of a race.

    elsewhere: whether the slider stands at another d_k than that of the race.
    """
    began = isinstance(shown, core.TrainingRaceResult)
    sentence = _race_sentence(shown, elsewhere) if began else _start_sentence(shown)
    return Picture(
        "race_attention",
        _matrices(shown, profile),
        sentence,
        _attention_table(shown),
        _code(shown, "attention_weights") if began else _start_code(shown),
        alt=f"Attention of {_count(shown)} trainings: queries down, keys across, the right key on the diagonal. "
        f"{sentence}",
        sure=_race_sure(shown, preset) if began else _start_sure(shown),
        marks=[Mark(name, (f"{name}, right queries", name)) for name in map(run_name, shown.params.exponents)],
    )


def _matrices(shown, profile):
    n, wall = len(shown.params.exponents), base.on_a_wall(profile)
    traces, axes, notes = [], {}, []
    for run in range(n):
        at, place = "" if run == 0 else str(run + 1), _column(run, n)
        traces += [each | {"xaxis": f"x{at}", "yaxis": f"y{at}"} for each in _one_map(shown, run, profile)]
        axes |= _map_axes(shown.params.n_keys, place, at, profile)
        notes += _map_heading(shown, run, at, profile)
        if not wall:  # which has no room below the maps
            below = str(n + run + 1)
            traces += [each | {"xaxis": f"x{below}", "yaxis": f"y{below}"} for each in _race(shown, run, profile)]
            axes |= _race_axes(shown.params, place, below, profile)
    all_right = [] if wall else [_all_right(shown.params.n_keys, n + 1, profile)]
    height, bottom = (0.8, 0.4) if wall else (1.15, 2.0)
    fig = base.figure(profile, traces, height=height, left=0.2, bottom=bottom, annotations=[*notes, *all_right], **axes)
    fig.layout["margin"]["t"] = round(sum(_heights(profile)))
    return fig if wall or n > rows.MOST else _on_a_phone(fig, shown, profile)


def _on_a_phone(fig, shown, profile):
    """Rows: the words of each run, its race, and its map at the right."""
    n, notes, places = len(shown.params.exponents), [], {}
    for run in range(n):
        at, beside = "" if run == 0 else str(run + 1), str(n + run + 1)
        name, count, unit, ink = _told(shown, run, profile)
        notes += rows.words(run, name, count, (unit,), ink, profile)
        low, high = rows.down(run)
        places[f"xaxis{at}"] = {"domain": _MAP_BESIDE, "constraintoward": "right"}
        places[f"yaxis{at}"] = {"domain": [low, high]}
        last = {} if run == n - 1 else {"showticklabels": False, "title": {"text": None}}
        places[f"xaxis{beside}"] = {"domain": _RACE_BESIDE, **last}
        places[f"yaxis{beside}"] = {"domain": [low, low + _RACE_HIGH * (high - low)]}
    notes.append(_all_right(shown.params.n_keys, n + 1, profile))
    room = {"height": round(_PHONE * profile.height), "margin": {"l": 2, "r": 2, "t": 2, "b": 2 * profile.axis_size}}
    return rows.on_a_phone(fig, profile, annotations=notes, **room, **places)


def _column(run, n):
    """The ends of one of n columns."""
    width = (1 - _APART_COLUMNS * (n - 1)) / n
    left = run * (width + _APART_COLUMNS)
    return [left, min(left + width, 1.0)]


def _map_axes(n_keys, place, at, profile):
    """The axes of a square map, with a margin for the marks of the right queries."""
    bare = {"showticklabels": False, "ticks": "", "showline": False, "constrain": "domain"}
    across = {"domain": place, "anchor": f"y{at}", "range": [0.5, 0.5 + (1 + 2 * _MARGIN) * n_keys]}
    down = {"domain": [0, 1] if base.on_a_wall(profile) else _MAPS, "range": [n_keys + 0.5, 0.5], "anchor": f"x{at}"}
    down |= {"scaleanchor": f"x{at}", "constraintoward": "top"}
    return {
        f"xaxis{at}": base.axis(profile, **bare | across, constraintoward="left"),
        f"yaxis{at}": base.axis(profile, **bare | down),
    }


def _one_map(shown, run, profile):
    """The weights of one run, the outline of the right keys, and a mark beside each right query."""
    name, n = run_name(shown.params.exponents[run]), shown.params.n_keys
    colour, weights = _colour(shown.params.exponents[run], profile), shown.attention_weights[run]
    cells = base.heatmap(profile, weights, 1.0, name=name)
    shades = {"zmin": 0, "colorscale": _shades(profile, colour)}
    hover = {"hovertemplate": "query %{y}, key %{x}: %{z:.3f}<extra></extra>", "x0": 1, "y0": 1}
    outline = base.line(*_diagonal(n), base.thin(profile), f"{name}, right keys") | {"hoverinfo": "skip"}
    right = np.flatnonzero((weights.argmax(axis=-1) == np.arange(n)) & np.isfinite(weights).all(axis=-1)) + 1
    marks = {"x": [0.5 + (1 + _MARGIN) * n] * len(right), "y": right.tolist(), "name": f"{name}, right queries"}
    marks |= {"type": "scatter", "mode": "markers", "hoverinfo": "skip"}
    marker = {"color": colour, "symbol": "circle", "size": 0.6 * profile.marker_size}
    return cells | shades | hover | {"xgap": 0, "ygap": 0}, outline, marks | {"marker": marker}


def _shades(profile, full):
    """From a pale ground to the full colour by a root of the weight, so that an even spread is not blank.

    In a classroom where the lights are on, what is nearly the ground is not seen at all.
    """
    root = _WALL_ROOT if base.on_a_wall(profile) else _ROOT
    shares = np.linspace(0, 1, _SHADES + 1).tolist()
    found = [[share**root, base.shade(profile, full, share)] for share in shares]
    return [[0.0, base.shade(profile, profile.text, _PALE)], *found[1:]]


def _heights(profile):
    """Of the lines above a map: the name, the number, and on a screen what is counted; and a gap."""
    named, large, small = profile.axis_size, _LARGE * profile.title_size, profile.tick_size
    lines = (named, large) if base.on_a_wall(profile) else (named, large, small)
    return (*(_LINE * each for each in lines), 0.4 * small)


def _map_heading(shown, run, at, profile):
    """The name of a run in its colour, and how many of its queries are right."""
    small, (name, count, unit, ink) = profile.tick_size, _told(shown, run, profile)
    count, lines = f"<b>{count}</b>", [(unit, small, profile.text)]
    if base.on_a_wall(profile):
        count, lines = f'{count} <span style="font-size:{small}px;color:{profile.text}">{unit}</span>', []
    lines += [
        (count, round(_LARGE * profile.title_size), ink),
        (f"<b>{name}</b>", profile.axis_size, ink),
    ]
    notes, height = [], 0.2 * small
    for text, size, colour in lines:
        place = {"yshift": round(height), "xshift": -1, "borderpad": 0, "font": {"size": size, "color": colour}}
        notes.append(base.heading(text, profile, axes=at) | place)
        height += _LINE * size
    return notes[::-1]


def _told(shown, run, profile):
    """The name of a run, its count with what is counted, and their colour."""
    exponent = shown.params.exponents[run]
    ink = readable(_colour(exponent, profile), profile.ground, profile.text)
    if not np.isfinite(shown.attention_weights[run]).all():
        return run_name(exponent), "–", "overflowed", ink
    return run_name(exponent), str(_right_now(shown)[run]), f"of {shown.params.n_keys} right", ink


def _right_now(shown):
    """Return of each run how many of the first seed's queries are right."""
    if isinstance(shown, core.TrainingRaceResult):
        return core.right_in_map(shown)
    return [round(shown.right * shown.params.n_keys)] * len(shown.params.exponents)


# --- the race below the maps ---------------------------------------------------------------------------


def _race(shown, run, profile):
    """Return how many queries are right, step by step as far as the race has come, and its end as a mark."""
    name, colour = run_name(shown.params.exponents[run]), _colour(shown.params.exponents[run], profile)
    began = isinstance(shown, core.TrainingRaceResult)
    steps = shown.steps.tolist() if began else [0]
    right = core.right_by_step(shown)[run].tolist() if began else [_right_now(shown)[run]]
    end = {"type": "scatter", "mode": "markers", "x": steps[-1:], "y": right[-1:], "cliponaxis": False}
    marker = {"color": colour, "symbol": "circle", "size": 1.4 * profile.marker_size}
    curve = base.line(steps, right, base.solid(profile, colour), f"{name}, race") | {"cliponaxis": False}
    return curve, end | {"marker": marker, "name": f"{name}, now", "hoverinfo": "skip"}


def _race_axes(params, place, at, profile):
    """The same for every run, and while the race runs."""
    ends = [0, params.n_steps]
    across = {"domain": place, "anchor": f"y{at}", "range": [0, params.n_steps * (1 + 2 * _MARGIN)]}
    down = {"domain": _CURVES, "anchor": f"x{at}", "range": [0, 1.04 * params.n_keys], "tickvals": [params.n_keys]}
    text = base.axis(profile, "step", tickvals=ends, ticktext=[f"{each:,}" for each in ends], near=True, **across)
    text["title"]["font"] = {"size": profile.tick_size}
    bare = {"showticklabels": False, "ticks": "", "showline": False}
    return {f"xaxis{at}": text, f"yaxis{at}": base.axis(profile, grid=True, **down, **bare)}


def _all_right(n_keys, panel, profile):
    """The name of the line that a race ends at, in the first panel."""
    place = {"xref": f"x{panel} domain", "yref": f"y{panel}", "x": 0, "y": n_keys, "xanchor": "left"}
    return base.label(f"{n_keys} right", profile, yanchor="bottom", bgcolor=None, borderpad=0, **place)


def _diagonal(n):
    """The outline of the cells of the right keys: a staircase on either side of them."""
    corners = np.repeat(np.arange(n + 1) + 0.5, 2)
    there, back = corners, corners[::-1]
    return np.concatenate([there[:-1], back[:-1]]), np.concatenate([there[1:], back[1:]])


def _start_sentence(start):
    """What the trainings start from: whether attention has committed itself before anything is learnt."""
    place, wrong = f"Untrained at dₖ = {start.params.d_k:,}", ", usually a wrong one" if start.right < 0.5 else ""
    weights = dict(zip(start.params.exponents, map(_share, start.largest_weight), strict=True))
    if start.same:
        return f"{place}, every training starts from the same attention: a row puts {weights[0.0]} on one key{wrong}."
    return f"{place}, raw rows put {weights[0.0]} on one key{wrong}; divided by √dₖ, {weights[0.5]}."


def _share(share):
    return "nearly all their weight" if share > _NEARLY else percent(share, 0)


def _start_sure(start):
    n = start.params.n_keys
    largest = _each(start, lambda run: percent(start.largest_weight[run], 1))
    return (
        f"This is the attention of the first seed before the first step, with {n} queries and {n} keys. The keys are "
        "sorted so that the right one is on the diagonal.",
        f"The largest weight of a row, on average over the rows: {largest}. If attention were uniform it would be "
        f"{percent(1 / n, 1)}.",
        f"The largest weight lies on the right key in {round(start.right * n)} of {n} rows; guessing finds one. "
        f"The scores differ between the trainings in their size only, so this is the same for all {_count(start)}.",
        "As dₖ moves, components are appended to the same weights, and the inputs stay the same.",
    )


def _race_sentence(result, elsewhere):
    """Return how many queries of the maps each training has right by this step."""
    params, when = result.params, f"After {result.step:,} steps at dₖ = {result.params.d_k:,}, "
    if result.progress < 1:
        when = f"Step {result.step:,} of {params.n_steps:,} at dₖ = {params.d_k:,}: "
    counts, lost = core.right_in_map(result), ~np.isfinite(result.attention_weights).all(axis=(1, 2))
    if min(counts) == params.n_keys:
        said = f"all {_count(result)} get all queries right"
    else:
        said = _so_many_each(result, counts, lost)
    return f"{when}{said}.{' The slider stands elsewhere.' if elsewhere and result.progress < 1 else ''}"


def _so_many_each(result, counts, lost):
    """Return what each training gets right, in a word; then those that have overflowed."""
    names, of, trends = [run_name(each) for each in result.params.exponents], result.params.n_keys, core.trend(result)
    said = []
    for i in (i for i, gone in enumerate(lost) if not gone):
        open_end = result.progress == 1 and trends[i] == "rising" and counts[i] < of
        rises = " (still rising)" if open_end else ""
        word = _so_many(counts[i], of)
        said.append(f"{names[i]} {word}{rises}" if said else f"{names[i]} gets {word} right{rises}")
    gone = [names[i] for i, each in enumerate(lost) if each]
    verb = "have" if len(gone) > 1 else "has"
    return "; ".join([*([listed(said)] if said else []), *([f"{listed(gone)} {verb} overflowed"] if gone else [])])


def _so_many(count, of):
    """A count of queries in a word; the number stands above the map."""
    exact = {0: "none", of / 2: "half", of: "all"}
    words = ((_NEARLY_ALL, "nearly all"), (_MOST, "most"), (_FEW, "some"))
    return exact.get(count) or next((word for share, word in words if count > share * of), "few")


def _who(result):
    """Which of the trainings have done it: all, none, only one, or some by name."""
    done = core.learnt(result)
    names = [run_name(exponent) for exponent, has in zip(result.params.exponents, done, strict=True) if has]
    if not names:
        return f"none of the {_count(result)} has"
    if all(done):
        return f"all {_count(result)} have"
    return f"only {names[0]} has" if len(names) == 1 else f"{listed(names)} have"


def _count(shown):
    return _COUNTS[len(shown.params.exponents)]


def right_answers(result: core.TrainingRaceResult, run: int) -> str:
    """Right answers of a run; not rounded to what would count as learnt."""
    share = result.accuracy.mean[run, -1]
    return percent(share, 1 if abs(share - core.SOLVED_ACCURACY) < 0.01 else 0)


def _race_sure(result, preset):
    params, seeds = result.params, _seeds(result)
    weight = _each(result, lambda run: percent(np.diagonal(result.attention_weights[run]).mean(), 1))
    answers = _each(result, lambda run: _with_error(result.accuracy, run, *[lambda share: percent(share, 1)] * 2))
    return (
        f"This is the attention of the first seed at step {result.step:,}. The keys are sorted so that the right one "
        f"is on the diagonal. Mean weight on the right key: {weight}.",
        "A query is right where its largest weight is on the diagonal. Maps, numbers, curves and sentence are of the "
        "first seed. Still rising: over the last third of the steps so far more came right, or the mean weight on the "
        "right key grew by more than 0.01.",
        f"A training has learnt where at least {percent(core.SOLVED_ACCURACY, 0)} of its answers are right. Right "
        f"answers at step {result.step:,} of {params.n_steps:,}, {seeds}: {answers}.",
        *([outcome(result, preset)] if result.progress == 1 else []),
    )


def _seeds(result):
    n = result.params.n_seeds
    return "one seed" if n == 1 else f"mean of {n} seeds ± standard error"


def _attention_table(shown):
    """Weight on the right key, query by query."""
    names = list(map(run_name, shown.params.exponents))
    right = {"weight on the right key": np.diagonal(shown.attention_weights, axis1=1, axis2=2)}
    return {"query": list(range(1, shown.params.n_keys + 1))} | columns_of(names, right)


def _start_code(start):
    """The Python that draws the start again and prints the matrices."""
    return code(core.measure_race_start, start.params, show=_lists(["attention_weights"]))


def curves(result: core.TrainingRaceResult, profile: Profile) -> Picture:
    """Loss above entropy, right answers above the gradient that reaches the median row, all against the steps."""
    panels = _panels_of(result)
    return Picture(
        "race_curves",
        _curves(result, panels, profile),
        _curves_sentence(result),
        _curves_table(result),
        _curve_code(result, panels),
        sure=(*_learning_sure(result), *_state_sure(result)),
        marks=_CURVES_SAID,
    )


def _panels_of(result):
    """The left column, then the right one."""
    most = float(np.log(result.params.n_keys))
    return (
        _loss_panel(result),
        _Panel("entropy_nats", "Entropy, nats", (0, 1.05 * most), tuple(range(int(most) + 1))),
        _Panel("accuracy", "Right answers", (0, 1.05), (0, 0.5, 1)),
        _Panel("median_row_gradient", "Median gradient", (-12.5, 1), decades=(-12, -9, -6, -3, 0)),
    )


def _curves_sentence(result):
    """Return which trainings have learnt, and what becomes of the median row's gradient without the scale."""
    several = 1 < sum(core.learnt(result)) < len(result.params.exponents)
    who = f"{_COUNTS[sum(core.learnt(result))]} of {_count(result)} have" if several else _who(result)
    learnt = f"{who.replace('of the', 'of')} learnt by step {result.step:,}"
    return f"At dₖ = {result.params.d_k:,}, {learnt}; {_gradient_in_words(result)}."


def _learning_sure(result):
    losses = [_loss_in_words(result.loss.mean[run, -1]) for run in (0, 1)]
    return (
        f"At step {result.step:,} the loss is {losses[0]} without the scale and {losses[1]} with ÷ √dₖ. "
        "The dashed line is uniform attention.",
        f"Loss at step {result.step:,} of {result.params.n_steps:,} at dₖ = {result.params.d_k:,}, {_seeds(result)}: "
        f"{_each(result, lambda run: _with_error(result.loss, run))}. Uniform attention has "
        f"{number(result.uniform_loss)}.",
        f"Learnt by step: {_each(result, lambda run: _learnt_by(result, run))}. "
        "The band runs from the smallest to the largest seed.",
        *(["“Undefined” means that the numbers of a run overflowed."] if result.diverged.any() else []),
    )


def _loss_in_words(value):
    return "practically zero" if value < _ZERO else number(value, 2)


def _learnt_by(result, run):
    """The first of the measured steps at which a run has learnt."""
    learnt_at = result.steps[result.accuracy.mean[run] >= core.SOLVED_ACCURACY]
    return f"{learnt_at[0]:,}" if learnt_at.size else "not yet" if result.progress < 1 else "none"


def _loss_panel(result):
    if result.params.loss == "output":
        return _Panel("loss", "Loss", (0, 1.12), (0, 0.5, 1))
    top = 1.05 * max(_largest(result.loss.high[:, 0]), 2 * result.uniform_loss)
    return _Panel("loss", "Loss, −ln(weight)", (0, top))


def _largest(values):
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else 1.0


# What the sentences say of the runs.
_CURVES_SAID = [
    Mark(word, tuple(f"{name}{of}" for of in ("", ", largest seed", ", smallest seed")))
    for word, name in {"without the scale": "raw", "raw": "raw", "÷ √dₖ": "÷ √dₖ"}.items()
]


def _gradient_in_words(result):
    """What is left of the median row's gradient without the scale, early in the race."""
    at = min(int(np.searchsorted(result.steps, _EARLY)), len(result.steps) - 1)
    raw, scaled = result.median_row_gradient.mean[:2, at]
    step = f"step {result.steps[at]:,}"
    if not (np.isfinite(raw) and np.isfinite(scaled)):
        return f"a training has overflowed by {step}"
    if raw < _GONE * scaled:
        return f"the typical raw gradient vanishes by {step}"
    if _ALIKE[0] * scaled <= raw <= _ALIKE[1] * scaled:
        return f"at {step}, raw and scaled gradients are alike"
    return f"at {step}, the typical raw gradient is {'smaller' if raw < scaled else 'larger'}"


def _keys(effective):
    return f"{number(effective, 2)} key{'' if number(effective, 2) == '1.0' else 's'}"


def _state_sure(result):
    ratio, most = result.first_gradient_ratio, float(np.log(result.params.n_keys))
    raw, scaled = (_keys(np.exp(entropy)) for entropy in result.entropy_nats.mean[:2, 0])
    rows = _each(result, lambda run: number(result.median_row_gradient.mean[run, -1], 2))
    return (
        f"Entropy at step {result.step:,}: "
        f"{_each(result, lambda run: number(result.entropy_nats.mean[run, -1], 2))}, at most {number(most)}. The "
        f"number of keys is e to the power of the entropy: before the first step, a raw row attends to about {raw}; "
        f"with ÷ √dₖ, to about {scaled}.",
        f"Median row's gradient at step {result.step:,}, {_seeds(result).removesuffix(' ± standard error')}: {rows}.",
        f"At step 0 the total gradient without the scale is {number(ratio)} times that with ÷ √dₖ. "
        "The total hides what becomes of the median row.",
    )


def _curves(result, panels, profile):
    """Two columns of panels; what is named beside its end is named in the right one."""
    traces, notes, axes, high, wide = [], [], {}, (1 - _ABOVE) / 2, (1 - _ASIDE) / 2
    for i, panel in enumerate(panels):
        at, is_low, is_right = "" if i == 0 else str(i + 1), i % 2, i > 1
        curve = getattr(result, panel.quantity)
        for run, exponent in enumerate(result.params.exponents):
            traces += _curve(result.steps, curve, run, exponent, at, profile)
        # What stands beside a panel is placed in heights of that panel.
        place = {"xref": f"x{at} domain", "yref": f"y{at} domain"}
        notes.append(base.heading(panel.text, profile, axes=at) | place | {"bgcolor": None})
        notes += _end_labels(result, panel, place, profile) if is_right else []
        axes[f"yaxis{at}"] = _panel_axis(panel, [0, high] if is_low else [1 - high, 1], profile, f"x{at}")
        span = {"range": [0, result.params.n_steps], "domain": [1 - wide, 1] if is_right else [0, wide]}
        bare = {} if is_low else {"showticklabels": False}
        axes[f"xaxis{at}"] = base.axis(profile, "step" if is_low else None, anchor=f"y{at}", nticks=4, **span, **bare)
    notes.append(_uniform(result, profile))
    shapes = [_level(result, result.uniform_loss, profile)]
    fig = base.figure(profile, traces, height=1.1, left=2.8, annotations=notes, shapes=shapes, **axes)
    longest = max(len(run_name(exponent)) for exponent in result.params.exponents)
    fig.layout["margin"]["r"] = round(max(3.4, 0.56 * longest) * profile.tick_size)
    fig.layout["margin"]["t"] = 2 * profile.axis_size - 4  # a panel's heading, no title
    return fig


def _uniform(result, profile):
    """The name of the dashed line of the loss, above its end."""
    place = {"xref": "x domain", "x": 1, "xanchor": "right", "yref": "y", "y": result.uniform_loss, "yanchor": "bottom"}
    return base.label("uniform", profile, **place) | {"bgcolor": None}


def _panel_axis(panel, domain, profile, anchor):
    kind = {"tickvals": panel.ticks}
    if panel.decades:
        kind = {"type": "log", "tickvals": [10.0**j for j in panel.decades], "ticktext": _powers(panel.decades)}
    return base.axis(profile, grid=True, range=panel.span, domain=domain, anchor=anchor, **kind)


def _powers(decades):
    plain = {0: "1", 1: "10", -1: "0.1"}
    return [plain.get(j) or number(10.0**j, 1).replace("1 × ", "") for j in decades]


def _curve(steps, curve, run, exponent, axes, profile):
    """The band from the smallest to the largest seed and the mean of one run."""
    colour, on = _colour(exponent, profile), {"xaxis": f"x{axes}", "yaxis": f"y{axes}"}
    edge, mean = {"width": 0, "color": colour}, base.solid(profile, colour) | {"dash": _DASHES.get(exponent, "dashdot")}
    name = run_name(exponent)
    return [
        base.line(steps, curve.high[run], edge, f"{name}, largest seed") | on,
        base.line(steps, curve.low[run], edge, f"{name}, smallest seed")
        | {"fill": "tonexty", "fillcolor": faint(colour)}
        | on,
        base.line(steps, curve.mean[run], mean, name) | on,
    ]


def _end_labels(result, panel, place, profile):
    """The name of every curve beside its end."""
    curve, is_log = getattr(result, panel.quantity), bool(panel.decades)
    gap = _WALL_GAP if base.on_a_wall(profile) else _GAP
    ends = [height_of(values, panel.span, is_log) for values in curve.mean]
    names = [run_name(exponent) for exponent in result.params.exponents]
    return names_at(ends, names, [_colour(each, profile) for each in result.params.exponents], gap, place, profile)


def names_at(
    ends: Sequence[float], names: Sequence[str], colours: Sequence[str], gap: float, place: Part, profile: Profile
) -> list[Part]:
    """Names beside the ends of curves, pushed apart where the ends are close."""
    order, free, notes = np.argsort(ends, kind="stable"), 0.4 * gap, []
    for i, each in enumerate(order):
        above = 1 - gap * (len(order) - 1 - i)
        free = min(max(ends[each], free), above)
        where = place | {"x": 1.01, "xanchor": "left", "y": free, "yanchor": "middle", "bgcolor": None}
        note = base.label(f"<b>{names[each]}</b>", profile, **where)
        notes.append(note | {"font": {"size": profile.tick_size, "color": colours[each]}})
        free += gap
    return notes


def height_of(values: Sequence[float], span: tuple[float, float], is_log: bool) -> float:
    """Where a curve ends, as a share of its panel; a run that has diverged ends at the top."""
    last = values[-1]
    if not np.isfinite(last):
        return 1.0
    last = np.log10(max(last, 1e-300)) if is_log else last
    return float(np.clip((last - span[0]) / (span[1] - span[0]), 0, 1))


def _level(result, value, profile):
    place = {"xref": "x", "x0": 0, "x1": result.params.n_steps, "yref": "y", "y0": value, "y1": value}
    return {"type": "line", **place, "line": base.dashed(profile)}


def _colour(exponent, profile):
    return {0.0: profile.raw, 0.5: profile.scaled, 1.0: profile.third}.get(exponent, profile.band)


def faint(colour: str, share: float = 0.2) -> str:
    """Return a colour #rrggbb with this opacity."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"


def run_name(exponent: float) -> str:
    """A run's name, beside its curve and in a sentence."""
    return _NAMES.get(exponent) or f"÷ dₖ{typed(exponent).translate(_RAISED)}"


def _each(result, say):
    names = [run_name(exponent).replace(" ", "\u00a0") for exponent in result.params.exponents]  # on one line
    return ", ".join(f"{name} {say(run)}" for run, name in enumerate(names))


def _with_error(curve, run, mean=number, error=lambda value: number(value, 1)):
    value, its_error = curve.mean[run, -1], curve.standard_error[run, -1]
    return mean(value) + ("" if np.isnan(its_error) else f" ± {error(its_error)}")


def _curves_table(result):
    """Every checkpoint of every run, mean and standard error over the seeds."""
    fields = {}
    for quantity, words in _IN_WORDS.items():
        curve = getattr(result, quantity)
        fields |= {words: curve.mean, f"{words}, standard error": curve.standard_error}
    return {"step": result.steps.tolist()} | columns_of(list(map(run_name, result.params.exponents)), fields)


def _curve_code(result, panels):
    """Curves are drawn as a mean with its band."""
    names = (f"{panel.quantity}.{part}" for panel in panels for part in ("mean", "low", "high"))
    return _code(result, "steps", *names)


def _code(result, *shown):
    """The Python that trains the race again up to this step and prints what a picture shows of it."""
    if result.progress == 1:
        return code(core.measure_training_race, result.params, show=_lists(shown))
    at_step = f"result = next(frame for frame in frames if frame.step == {result.step})\n"
    return code(core.race_frames, result.params, name="frames") + at_step + printed(_lists(shown))


def _lists(shown):
    return [f"result.{each}.tolist()" for each in shown]


def rates(sweep: core.LearningRateSweep, profile: Profile) -> Picture:
    """A map for every scale: right answers by learning rate and step, solved cells dark, diverged ones crossed."""
    table, python, sure = _rates_table(sweep), _rates_code(sweep), _rates_sure(sweep)
    return Picture("race_rates", _maps(sweep, profile), _rates_sentence(sweep), table, python, sure=sure)


def _rates_sentence(sweep):
    """At how many rates the task is solved with the second scale and with the first."""
    raw, scaled = (len(rates) for rates in sweep.solved_rates[:2])
    works = f"÷ √dₖ works at {scaled or 'no'} rate{'' if scaled == 1 else 's'}, raw at {raw or 'none'}"
    crosses = " A cross marks a training that diverged." if sweep.diverged.any() else ""
    return f"At dₖ = {sweep.params.d_k:,}, dark cells are solved: {works}.{crosses}"


def _maps(sweep, profile):
    n, n_steps, traces, notes, axes = len(sweep.params.exponents), len(sweep.steps), [], [], {}
    wall = base.on_a_wall(profile)
    room = (0.46 if wall else 0.36) / n
    height = (1 - room * (n - 1)) / n
    rows = [i for i, step in enumerate(sweep.steps[:-2]) if step in _NAMED_STEPS[: 1 if wall else None]] + [n_steps - 1]
    ticks = {"tickvals": [n_steps - 1 - row for row in rows], "ticktext": [f"{sweep.steps[row]:,}" for row in rows]}
    for run, exponent in enumerate(sweep.params.exponents):
        at, top = "" if run == 0 else str(run + 1), 1 - run * (height + room)
        traces.append(_map(sweep, run, profile) | {"yaxis": f"y{at}"})
        span = {"range": [n_steps - 0.5, -0.5], "domain": [max(top - height, 0.0), top]}  # the last step on top
        axes[f"yaxis{at}"] = base.axis(profile, "step", anchor="x", **span, **ticks)
        notes.append(base.heading(f"Right answers, {run_name(exponent)}", profile, axes=at) | {"xref": "x domain"})
    traces[0] |= _key(profile)
    named = [i for i, rate in enumerate(sweep.rates) if abs(np.log10(rate) % 1) < 1e-9]
    powers = _powers([round(np.log10(sweep.rates[i])) for i in named])
    span = {"range": [-0.5, len(sweep.rates) - 0.5], "tickvals": named, "ticktext": powers}
    axes["xaxis"] = base.axis(profile, "learning rate", anchor=f"y{n}" if n > 1 else "y", **span)
    return _with_key(base.figure(profile, traces, height=1.5, left=3.8, annotations=notes, **axes), profile)


def _with_key(fig, profile):
    """Room for the key to the colours: under the maps, or on a wall beside them, where they are lower."""
    fig.layout["margin"]["t"] = 2 * profile.axis_size - 4  # the heading of the first map, no title
    if base.on_a_wall(profile):
        fig.layout["height"] = round(1.1 * profile.height)
        fig.layout["margin"]["r"] = round(5.5 * profile.tick_size)
    else:
        fig.layout["margin"]["b"] += 4 * profile.tick_size
    fig.layout["xaxis"]["title"]["standoff"] = profile.tick_size // 2
    return fig


def _key(profile):
    """The key to the colours of the maps."""
    shares = [0, 0.5, core.SOLVED_ACCURACY]
    key = base.colour_bar(profile, shares, beside=base.on_a_wall(profile))
    key["colorbar"]["ticktext"] = [percent(share, 0) for share in shares]
    return key


def _map(sweep, run, profile):
    """The cells of one scale: a row for each step, the last on top, and a column for each rate."""
    cells = base.heatmap(profile, sweep.accuracy[run].T[::-1], 1.0, name=run_name(sweep.params.exponents[run]))
    full = cells["colorscale"][-1][1]
    at = [[[typed(rate), f"{step:,}"] for rate in sweep.rates] for step in sweep.steps[::-1]]
    return cells | {
        "zmin": 0,
        "colorscale": [
            [0, profile.ground],
            [core.SOLVED_ACCURACY, faint(full, 0.4)],
            [core.SOLVED_ACCURACY, full],
            [1, full],
        ],
        "text": np.where(sweep.diverged[run].T[::-1], "×", "").tolist(),
        "texttemplate": "%{text}",
        "customdata": at,
        "hovertemplate": "rate %{customdata[0]}, step %{customdata[1]}: %{z:.0%} right<extra></extra>",
    }


def _rates_sure(sweep):
    """How many of the rates solve the task with each scale, how soon, and the best of them."""
    n, last = len(sweep.rates), sweep.steps[-1]
    seeds = "one seed" if sweep.params.n_seeds == 1 else f"mean of {sweep.params.n_seeds} seeds"
    tried = f"all {n} learning rates" if sweep.n_tried == n else f"{sweep.n_tried} of {n} learning rates so far"
    said = (
        f"At dₖ = {sweep.params.d_k:,}, {tried}, {seeds}. Dark cells are solved: at least "
        f"{percent(core.SOLVED_ACCURACY, 0)} of the answers are right.",
        f"Rates that have solved it by step {last:,}: {_each(sweep, lambda run: _solved(sweep, run))}.",
        _best(sweep),
        _diverged(sweep),
    )
    return tuple(filter(None, said))


def _solved(sweep, run):
    soonest = sweep.soonest[run]
    return f"{len(sweep.solved_rates[run])}" + (f" (the first by step {soonest:,})" if soonest else "")


def _best(sweep):
    """Every scale's best rate, once any has been trained to the end."""
    if not sweep.n_tried:
        return ""

    def best(run):
        edge = ", the edge of those tried" if sweep.best_at_edge[run] else ""
        return f"{number(sweep.best_loss[run])} at {typed(sweep.best_rates[run])}{edge}"

    return f"Smallest final loss: {_each(sweep, best)}."


def _diverged(sweep):
    """The rates at which a run diverged, if any."""
    lost = [
        f"{run_name(exponent)} at {listed([typed(rate) for rate in np.array(sweep.rates)[rates]])}"
        for exponent, rates in zip(sweep.params.exponents, sweep.diverged.any(axis=-1), strict=True)
        if rates.any()
    ]
    return (
        f"A cross marks where a run diverged (beyond ten times the loss of the start): {'; '.join(lost)}."
        if lost
        else ""
    )


def _rates_table(sweep):
    """Loss and accuracy at every rate and step."""
    places = [(rate, step) for rate in sweep.rates for step in sweep.steps]
    names = list(map(run_name, sweep.params.exponents))
    found = columns_of(names, {"loss": sweep.loss, "accuracy": sweep.accuracy})
    return {"learning rate": [rate for rate, _ in places], "step": [step for _, step in places]} | found


def _rates_code(sweep):
    """The Python that sweeps the learning rates again to the end and prints the curves."""
    shown = ("result.rates", "result.steps", *_lists(("accuracy", "diverged")))
    return code(core.sweep_learning_rates, sweep.params, show=shown)


def equivalence(pairs: Sequence[Equivalence], profile: Profile) -> Picture:
    """How far the two losses of each pair are apart, step by step."""
    return Picture(
        "race_equivalence",
        _equivalence(pairs, profile),
        _equivalence_sentence(pairs),
        _equivalence_table(pairs),
        _equivalence_code(pairs),
        sure=_equivalence_sure(pairs),
    )


def _equivalence_sentence(pairs):
    """How far the first pair is apart: gradient descent at a small rate, with the right power."""
    first, *_ = pairs
    return (
        f"At dₖ = {first.d_k:,}, gradient descent without the scale, and with it from a matching start, has "
        f"{_how_far(first)}."
    )


def _how_far(pair):
    if pair.parted is not None:
        return f"losses that part at step {pair.parted}"
    steps = f"{pair.n_steps} steps"
    if not pair.largest_difference:
        return f"exactly the same losses for {steps}"
    if pair.largest_difference < _ROUNDING:
        return f"practically the same losses for {steps}"
    return f"losses less than {percent(PARTED, 0)} apart in {steps}"


def _equivalence(pairs, profile):
    (low, high), styles = _APART, _pair_styles(profile)
    names = [_pair_name(found) for found in pairs]
    seen = [np.clip(found.relative_difference, 10.0**low, None) for found in pairs]
    traces = [base.line(pairs[0].steps, *each) for each in zip(seen, styles, names, strict=True)]
    ends = [height_of(trace["y"], _APART, True) for trace in traces]
    place = {"xref": "x domain", "yref": "y domain"}
    notes = names_at(ends, names, [style["color"] for style in styles], 0.12, place, profile)
    guide = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "yref": "y", "y0": PARTED, "y1": PARTED}
    decades = (-16, -12, -8, -4, 0)
    ticks = {"tickvals": [10.0**j for j in decades] + [PARTED], "ticktext": [*_powers(decades), percent(PARTED, 0)]}
    axes = {
        "xaxis": base.axis(profile, "step", range=[0, pairs[0].n_steps]),
        "yaxis": base.axis(profile, "relative difference", grid=True, type="log", range=[low, high], **ticks),
    }
    drawn = {"shapes": [guide | {"line": base.dotted(profile)}]}
    fig = base.figure(profile, traces, height=0.8, left=4.6, annotations=notes, **axes, **drawn)
    fig.layout["margin"]["r"] = round(0.54 * max(map(len, names)) * profile.tick_size)
    return fig


def _pair_styles(profile):
    return [
        base.solid(profile, profile.scaled),
        base.solid(profile, profile.scaled) | {"dash": "dot"},
        base.solid(profile, profile.third) | {"dash": "dashdot"},
        base.solid(profile, profile.band) | {"dash": "dash"},
    ]


def _pair_name(found):
    rate = f" {typed(found.learning_rate)}" if found.optimizer == "sgd" else ""
    return f"{_METHODS[found.optimizer]}{rate}, × {_POWER_NAMES[found.power]}"


def _equivalence_sure(pairs):
    """What is changed in the second training of each pair, and how far its loss then is from that of the first."""
    first, *_ = pairs
    return (
        f"At dₖ = {first.d_k:,}, {first.n_steps} steps without the scale are compared with {first.n_steps} with "
        "÷ √dₖ, from a start ⁴√dₖ times as large, at a learning rate multiplied by a power of dₖ.",
        "Such pairs are trained at a few dₖ only, here at the largest that is not above the slider’s.",
        *(f"{_pair_name(found)}{_whether_wrong(found)}: the losses are {_differ(found)}." for found in pairs),
    )


def _whether_wrong(found):
    return "" if found.power == EQUAL_POWERS[found.optimizer] else " (the wrong power)"


def _differ(found):
    if found.parted is not None:
        return f"more than {percent(PARTED, 0)} apart from step {found.parted} on"
    if not found.largest_difference:
        return "exactly equal"
    return f"at most {number(found.largest_difference, 2)} apart, relative to their size"


def _equivalence_table(pairs):
    """Both losses and the difference of every pair at every step."""
    columns = {"step": pairs[0].steps.tolist()}
    for found in pairs:
        name = _pair_name(found)
        columns[f"{name}: loss without the scale"] = found.loss[0].tolist()
        columns[f"{name}: loss with ÷ √dₖ"] = found.loss[1].tolist()
        columns[f"{name}: relative difference"] = found.relative_difference.tolist()
    return columns


def _equivalence_code(pairs):
    """The Python that trains the pairs again and prints the curves."""
    return "".join(
        code(
            measure_equivalence, found.d_k, optimizer=found.optimizer, learning_rate=found.learning_rate,
            power=found.power, n_steps=found.n_steps, n_seeds=1, show=_lists(["relative_difference"]),
        )
        for found in pairs
    )  # fmt: skip


def outcome(result: core.TrainingRaceResult, preset: str) -> str:
    """What the finished race shows of leaving the scale out; where that harms, whether the run was still learning."""
    params, found = result.params, core.race_outcome(result)
    raw, scaled = (params.exponents.index(each) for each in (0.0, 0.5))
    said = [f"{_OUTCOMES[found]}."]
    if found == "harm":
        said.append(_half_way(result, raw))
    if found == "harmless" and preset in core.PRESETS:
        said.append(core.PRESETS[preset].harmless)
    if params.train_values:
        losses = [number(result.loss.mean[run, -1]) for run in (raw, scaled)]
        said.append(f"The loss is {losses[0]} without the scale and {losses[1]} with ÷ √dₖ.")
    return " ".join(filter(None, said))


def _half_way(result, run):
    """Whether the run gained anything in the second half of its steps."""
    right = result.accuracy.mean[run]
    middle = int(np.searchsorted(result.steps, result.step / 2))
    before = f"At step {result.steps[middle]:,} the raw training was {percent(right[middle], 1)} right"
    if right[-1] - right[middle] >= _STILL:
        return f"{before}, so in the second half it was still learning."
    return f"{before}, so the second half gained nothing."


def dose_table(table: core.DoseTable) -> Table:
    """The dose–response table as it is shown: right answers at the best rate, that rate, and how many solve it."""
    columns = {"dₖ": [f"{row.d_k:,}" for row in table.rows]}
    for run, name in enumerate(_NAMES.values()):
        columns[f"{name}: right"] = [percent(row.accuracy[run], 0) for row in table.rows]
        columns[f"{name}: best rate"] = [typed(row.best_rates[run]) for row in table.rows]
        columns[f"{name}: rates that solve it"] = [f"{row.n_solved[run]} of {row.n_rates}" for row in table.rows]
    return columns


def dose_claim(table: core.DoseTable) -> str:
    """What a finished table shows of the rates that work; before that the question."""
    if table.progress < 1:
        return "Which learning rates work at which dₖ?"
    raw, scaled = (sum(row.n_solved[run] for row in table.rows) for run in (0, 1))
    if raw == scaled:
        return "As many learning rates work with the scale as without"
    return f"{'Fewer' if raw < scaled else 'More'} learning rates work without the scale"


def dose_lines(table: core.DoseTable, origin: str) -> list[tuple[str, str]]:
    """What the table says, and when and how it was computed."""
    said = [("**What the table says**", _dose_sentence(table))] if table.rows else []
    return [*said, ("**When and how**", origin)]


def _dose_sentence(table):
    first, last = table.rows[0], table.rows[-1]
    unsolved = [f"{row.d_k:,}" for row in table.rows if not row.n_solved[0]]
    harmed = f"none of the rates solves it at dₖ = {listed(unsolved)}" if unsolved else "some rate solves it everywhere"
    scaled = [row.n_solved[1] for row in table.rows]
    return (
        f"{_METHODS_IN_WORDS[first.optimizer]}, {first.n_steps} steps, {first.n_rates} learning rates. "
        f"Without the scale {harmed}; at its best rate {percent(first.accuracy[0], 0)} are right at "
        f"dₖ = {first.d_k:,} and {percent(last.accuracy[0], 0)} at dₖ = {last.d_k:,}. The number of rates that "
        f"solve it with ÷ √dₖ goes from {min(scaled)} to {max(scaled)}."
    )
