"""Pictures of the training_race lesson (attention and learning rates), and the tables in its folds."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pages._view.figures import base, rows
from pages._view.figures.code import code, printed
from pages._view.figures.tables import columns_of
from pages._view.marks import Mark, readable
from pages._view.picture import Picture, Table
from pages._view.theme import Profile, listed, number, percent, typed
from sattn_core.lessons import training_race as core
from sattn_core.training.equal_training import EQUAL_POWERS, PARTED, Equivalence

_NAMES = {0.0: "raw", 0.5: "÷ √dₖ", 1.0: "÷ dₖ"}
_RAISED = str.maketrans("0123456789.", "⁰¹²³⁴⁵⁶⁷⁸⁹·")
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_IN_WORDS = {
    "loss": "loss",
    "accuracy": "right answers",
    "entropy_nats": "entropy in nats",
    "gradient_norm": "total gradient",
    "median_row_gradient": "gradient of the median row",
}
_OUTCOMES = {
    "harm": "Raw has not learnt; ÷ √dₖ has, by step {root:,}.",
    "harmless": "Raw has learnt by step {raw:,}, ÷ √dₖ by step {root:,}.",
    "neither": "Neither raw nor ÷ √dₖ has learnt.",
    "only_without": "Raw has learnt by step {raw:,}; ÷ √dₖ has not.",
}
_STILL = 0.01  # a smaller gain of right answers (as a share of all) counts as none
_POWER_NAMES = {0.5: "√dₖ", 0.25: "⁴√dₖ"}
_METHODS_IN_WORDS = {"sgd": "Gradient descent", "adam": "Adam"}
_APART_COLUMNS, _MARGIN = 0.05, 0.025  # gap between maps; half the room for marks at a map's right
_MAPS, _CURVES = [0.3, 1.0], [0.0, 0.22]  # vertical domains
_PHONE, _MAP_BESIDE, _RACE_BESIDE = 1.25, [0.65, 1.0], [0.29, 0.61]  # on a phone: height factor, then x domains
_RACE_HIGH = 0.75  # height of the race on a phone, as a share of its row
_LARGE, _LINE = 1.42, 1.3  # size of a map's number, relative to a title; height of a line, in em
_PALE = 0.05  # share of the text's colour in the shade behind a map
_NEARLY_ALL, _MOST, _FEW = 0.9, 0.5, 0.125  # shares of the queries
_SHADES = 8
_ROOT, _WALL_ROOT = 2, 4  # degree of the root that makes a weight's shade: on a screen, on a wall
_NEARLY = 0.995  # a larger share of the weight is called nearly all
_RISE = 1 / 16  # a curve visibly rises if it gains this share of all queries
_NEEDS_A_SMALLER_RATE = (2, 3, 4)  # d_k at which raw does as well as the others at a smaller rate
SMALLER_RATE = "At a smaller rate raw does about as well"
_HARMS = 64  # a d_k at which leaving out the scale does harm with the default settings
_OVER, _BAR, _NOT_LEARNT = 1.08, 0.86, 0.4  # axis end, relative to all queries; bar's width; opacity if not learnt


def attention(
    shown: core.RaceStart | core.TrainingRaceResult,
    profile: Profile,
    *,
    preset: str = "",
    elsewhere: bool = False,
    takes: str = "",
) -> Picture:
    """Return the picture of every run's attention, before the first step or at the step that a race has reached.

    elsewhere: True if the slider is at another d_k than the race. takes: the time of the race as text, if a Train
    button is beside the picture.
    """
    began = isinstance(shown, core.TrainingRaceResult)
    sentence = _race_sentence(shown, elsewhere) if began else _start_sentence(shown, takes)
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
        bins=_steps_table(shown) if began else None,
        bins_name="the race step by step",
    )


def _matrices(shown, profile):
    n, wall = len(shown.params.exponents), base.on_a_wall(profile)
    traces, axes, notes = [], {}, []
    for run in range(n):
        at, place = "" if run == 0 else str(run + 1), _column(run, n)
        traces += [each | {"xaxis": f"x{at}", "yaxis": f"y{at}"} for each in _one_map(shown, run, profile)]
        axes |= _map_axes(shown.params.n_keys, place, at, profile)
        notes += _map_heading(shown, run, at, profile)
        if not wall:  # a wall has no room below the maps
            below = str(n + run + 1)
            traces += [each | {"xaxis": f"x{below}", "yaxis": f"y{below}"} for each in _race(shown, run, profile)]
            axes |= _race_axes(shown.params, place, below, profile)
    all_right = [] if wall else [_all_right(shown.params.n_keys, n + 1, profile)]
    height, bottom = (0.8, 0.4) if wall else (1.15, 2.0)
    fig = base.figure(profile, traces, height=height, left=0.2, bottom=bottom, annotations=[*notes, *all_right], **axes)
    fig.layout["margin"]["t"] = round(sum(_heights(profile)))
    return fig if wall or n > rows.MOST else _on_a_phone(fig, shown, profile)


def _on_a_phone(fig, shown, profile):
    """Return the figure with a layout for a phone: a row for each run, with its words, race and map."""
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
    """Return the left and the right end of one of n columns."""
    width = (1 - _APART_COLUMNS * (n - 1)) / n
    left = run * (width + _APART_COLUMNS)
    return [left, min(left + width, 1.0)]


def _map_axes(n_keys, place, at, profile):
    """Return the axes of a square map, with a margin for the marks of the right queries."""
    bare = {"showticklabels": False, "ticks": "", "showline": False, "constrain": "domain"}
    across = {"domain": place, "anchor": f"y{at}", "range": [0.5, 0.5 + (1 + 2 * _MARGIN) * n_keys]}
    down = {"domain": [0, 1] if base.on_a_wall(profile) else _MAPS, "range": [n_keys + 0.5, 0.5], "anchor": f"x{at}"}
    down |= {"scaleanchor": f"x{at}", "constraintoward": "top"}
    return {
        f"xaxis{at}": base.axis(profile, **bare | across, constraintoward="left"),
        f"yaxis{at}": base.axis(profile, **bare | down),
    }


def _one_map(shown, run, profile):
    """Return the weights of one run, the outline of the right keys, and a mark beside each right query."""
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
    """Return a colour scale for a root of the weight: small weights become visible.

    In a classroom with its lights on, a shade close to the background cannot be seen at all.
    """
    root = _WALL_ROOT if base.on_a_wall(profile) else _ROOT
    shares = np.linspace(0, 1, _SHADES + 1).tolist()
    found = [[share**root, base.shade(profile, full, share)] for share in shares]
    return [[0.0, base.shade(profile, profile.text, _PALE)], *found[1:]]


def _heights(profile):
    """Return the heights of the lines above a map (name, number and, on a screen, unit), and of a gap."""
    named, large, small = profile.axis_size, _LARGE * profile.title_size, profile.tick_size
    lines = (named, large) if base.on_a_wall(profile) else (named, large, small)
    return (*(_LINE * each for each in lines), 0.4 * small)


def _map_heading(shown, run, at, profile):
    """Return a run's heading: its name in its colour, and the number of its right queries."""
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
    """Return the name of a run, its count with the unit, and their colour."""
    exponent = shown.params.exponents[run]
    ink = readable(_colour(exponent, profile), profile.ground, profile.text)
    if not np.isfinite(shown.attention_weights[run]).all():
        return run_name(exponent), "–", "overflowed", ink
    return run_name(exponent), str(_right_now(shown)[run]), f"of {shown.params.n_keys} right", ink


def _right_now(shown):
    """Return the number of right queries of each run, for the first seed."""
    if isinstance(shown, core.TrainingRaceResult):
        return core.right_in_map(shown)
    return [round(shown.right * shown.params.n_keys)] * len(shown.params.exponents)


# --- the race below the maps ---------------------------------------------------------------------------


def _race(shown, run, profile):
    """Return the curve of right queries, up to the current step of the race, and a mark at its end."""
    name, colour = run_name(shown.params.exponents[run]), _colour(shown.params.exponents[run], profile)
    began = isinstance(shown, core.TrainingRaceResult)
    steps = shown.steps.tolist() if began else [0]
    right = core.right_by_step(shown)[run].tolist() if began else [_right_now(shown)[run]]
    end = {"type": "scatter", "mode": "markers", "x": steps[-1:], "y": right[-1:], "cliponaxis": False}
    marker = {"color": colour, "symbol": "circle", "size": 1.4 * profile.marker_size}
    curve = base.line(steps, right, base.solid(profile, colour), f"{name}, race") | {"cliponaxis": False}
    return curve, end | {"marker": marker, "name": f"{name}, now", "hoverinfo": "skip"}


def _race_axes(params, place, at, profile):
    """Return the axes of the race, the same for every run and at every step."""
    ends = [0, params.n_steps]
    across = {"domain": place, "anchor": f"y{at}", "range": [0, params.n_steps * (1 + 2 * _MARGIN)]}
    down = {"domain": _CURVES, "anchor": f"x{at}", "range": [0, 1.04 * params.n_keys], "tickvals": [params.n_keys]}
    text = base.axis(profile, "step", tickvals=ends, ticktext=[f"{each:,}" for each in ends], near=True, **across)
    text["title"]["font"] = {"size": profile.tick_size}
    bare = {"showticklabels": False, "ticks": "", "showline": False}
    return {f"xaxis{at}": text, f"yaxis{at}": base.axis(profile, grid=True, **down, **bare)}


def _all_right(n_keys, panel, profile):
    """Return the label of the line at the top, where all queries are right, in the first panel."""
    place = {"xref": f"x{panel} domain", "yref": f"y{panel}", "x": 0, "y": n_keys, "xanchor": "left"}
    return base.label(f"{n_keys} right", profile, yanchor="bottom", bgcolor=None, borderpad=0, **place)


def _diagonal(n):
    """Return the outline of the cells of the right keys: a staircase on either side of them."""
    corners = np.repeat(np.arange(n + 1) + 0.5, 2)
    there, back = corners, corners[::-1]
    return np.concatenate([there[:-1], back[:-1]]), np.concatenate([there[1:], back[1:]])


def _start_sentence(start, takes=""):
    """Return the sentence on attention before training, and on what Train does.

    If it mentions Train, it has room for raw scores only; the maps show ÷ √dₖ.
    """
    place, wrong = f"Untrained at dₖ = {start.params.d_k:,}", ", usually a wrong one" if start.right < 0.5 else ""
    raw, scaled = (_share(start.largest_weight[start.params.exponents.index(each)], takes) for each in (0.0, 0.5))
    train = f"Train runs all {_count(start)} in {takes}."
    if start.same and takes:
        return f"{place}, all start alike: a row puts {raw} on one key. {train}"
    if start.same:
        return f"{place}, every training starts from the same attention: a row puts {raw} on one key{wrong}."
    said = f"{place}, raw rows put {raw} on one key{wrong}"
    return f"{said}. {train}" if takes else f"{said}; divided by √dₖ, {scaled}."


def _share(share, short):
    return ("nearly all" if short else "nearly all their weight") if share > _NEARLY else percent(share, 0)


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
    """Return the sentence: each run's right queries at this step, or that leaving out the scale does little harm."""
    params, when = result.params, f"After {result.step:,} steps at dₖ = {result.params.d_k:,}, "
    if result.progress < 1:
        when = f"Step {result.step:,} of {params.n_steps:,} at dₖ = {params.d_k:,}: "
    counts, lost = core.right_in_map(result), ~np.isfinite(result.attention_weights).all(axis=(1, 2))
    if _is_too_small(result):
        return f"{when}raw and ÷ √dₖ have learnt: leaving out the scale does little harm. Drag dₖ to {_HARMS}."
    if min(counts) == params.n_keys:
        said = f"all {_count(result)} get all queries right"
    else:
        said = _so_many_each(result, counts, lost)
    if rate_decides(result):
        raw, root = (_so_many(counts[result.params.exponents.index(each)], params.n_keys) for each in (0.0, 0.5))
        said = f"raw gets {raw} right, ÷ √dₖ {root}. {SMALLER_RATE}"
    return f"{when}{said}.{' The slider stands elsewhere.' if elsewhere and result.progress < 1 else ''}"


def rate_decides(result: core.TrainingRaceResult) -> bool:
    """Return True if d_k is so small that raw scores need only a smaller learning rate, not the scale."""
    return _is_usual(result) and result.params.d_k in _NEEDS_A_SMALLER_RATE and result.progress == 1


def _is_usual(result):
    """Return True if the race has the default settings, apart from d_k, seed and number of seeds."""
    params, usual = result.params, core.TrainingRaceParams(d_k=_HARMS)
    return replace(params, d_k=_HARMS, seed=usual.seed, n_seeds=usual.n_seeds) == usual


def has_usual_seed(result: core.TrainingRaceResult) -> bool:
    """Return True for the default seed, with which sentences give means over several seeds.

    With another seed, sentences describe only the run in the maps, since a mean could contradict it.
    """
    return result.params.seed == core.TrainingRaceParams(d_k=_HARMS).seed


def _is_too_small(result):
    """Return True if a race with the default settings shows no harm at this d_k, but does at a larger one."""
    if not _is_usual(result) or result.params.d_k >= _HARMS or result.progress < 1:
        return False
    is_seen = has_usual_seed(result) or all(core.learnt_in_map(result)[:2])
    return is_seen and core.race_outcome(result) == "harmless" and not any(core.in_doubt(result)[:2])


def _so_many_each(result, counts, lost):
    """Return a phrase on how many queries each run gets right, and on the runs that have overflowed."""
    names, of, rising = [run_name(each) for each in result.params.exponents], result.params.n_keys, _rising(result)
    said = []
    for i in (i for i, gone in enumerate(lost) if not gone):
        rises = " (still rising)" if result.progress == 1 and rising[i] and counts[i] < of else ""
        word = _so_many(counts[i], of)
        said.append(f"{names[i]} {word}{rises}" if said else f"{names[i]} gets {word} right{rises}")
    gone = [names[i] for i, each in enumerate(lost) if each]
    verb = "have" if len(gone) > 1 else "has"
    return "; ".join([*([listed(said)] if said else []), *([f"{listed(gone)} {verb} overflowed"] if gone else [])])


def _rising(result):
    """Return, for each run, True if its curve visibly rises over the last third of the steps.

    With fresh data the queries change at every step, so the weight on the right keys must have grown too.
    """
    before = core.right_in_map(core.race_at(result, 2 * result.step // 3))
    gained = [after - then for after, then in zip(core.right_in_map(result), before, strict=True)]
    trends, least = core.trend(result), _seen_rise(result.params)
    return [trend == "rising" and more >= least for trend, more in zip(trends, gained, strict=True)]


def _seen_rise(params):
    """Return the smallest gain in right queries that is visible as a rise of the curve."""
    return math.ceil(_RISE * params.n_keys)


def _so_many(count, of):
    """Return a count of queries as a word, such as "most"; the exact number is above the map."""
    exact = {0: "none", of / 2: "half", of: "all"}
    words = ((_NEARLY_ALL, "nearly all"), (_MOST, "most"), (_FEW, "some"))
    return exact.get(count) or next((word for share, word in words if count > share * of), "few")


def _count(shown):
    return COUNTS[len(shown.params.exponents)]


def right_answers(result: core.TrainingRaceResult, run: int) -> str:
    """Return the right answers of a run as text, never rounded up to the share that counts as learnt."""
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
        f"first seed. Still rising: over the last third of the steps at least {_seen_rise(params)} more came right"
        f"{', and the mean weight on the right key grew by more than 0.01' if params.fresh_data else ''}.",
        f"A training has learnt where at least {percent(core.SOLVED_ACCURACY, 0)} of its answers are right. Right "
        f"answers at step {result.step:,} of {params.n_steps:,}, {seeds}: {answers}.",
        *([outcome(result, preset)] if result.progress == 1 else []),
        *_learning_sure(result),
        *_state_sure(result),
    )


def _seeds(result):
    n = result.params.n_seeds
    return "one seed" if n == 1 else f"mean of {n} seeds ± standard error"


def _attention_table(shown):
    """Return a table of the weight on the right key, query by query."""
    names = list(map(run_name, shown.params.exponents))
    right = {"weight on the right key": np.diagonal(shown.attention_weights, axis1=1, axis2=2)}
    return {"query": list(range(1, shown.params.n_keys + 1))} | columns_of(names, right)


def _start_code(start):
    """Return Python code that draws the start and prints its matrices."""
    return code(core.measure_race_start, start.params, show=_lists(["attention_weights"]))


def _learning_sure(result):
    return (
        f"Loss at step {result.step:,} of {result.params.n_steps:,}, {_seeds(result)}: "
        f"{_each(result, lambda run: _with_error(result.loss, run))}. Uniform attention has "
        f"{number(result.uniform_loss)}.",
        f"Learnt by step: {_each(result, lambda run: _learnt_by(result, run))}.",
        *(["“Undefined” means that the numbers of a run overflowed."] if result.diverged.any() else []),
    )


def _learnt_by(result, run):
    """Return the first measured step at which a run has learnt, as text."""
    step = core.learnt_by(result)[run]
    return f"{step:,}" if step is not None else "not yet" if result.progress < 1 else "none"


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


def _colour(exponent, profile):
    return {0.0: profile.raw, 0.5: profile.scaled, 1.0: profile.third}.get(exponent, profile.band)


def faint(colour: str, share: float = 0.2) -> str:
    """Return a colour #rrggbb with this opacity."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"


def run_name(exponent: float) -> str:
    """Return a run's name, beside its curve and in a sentence."""
    return _NAMES.get(exponent) or f"÷ dₖ{typed(exponent).translate(_RAISED)}"


def _each(result, say):
    names = [run_name(exponent).replace(" ", "\u00a0") for exponent in result.params.exponents]  # one-line names
    return ", ".join(f"{name} {say(run)}" for run, name in enumerate(names))


def _with_error(curve, run, mean=number, error=lambda value: number(value, 1)):
    value, its_error = curve.mean[run, -1], curve.standard_error[run, -1]
    return mean(value) + ("" if np.isnan(its_error) else f" ± {error(its_error)}")


def _steps_table(result):
    """Return a table of every checkpoint of every run: mean and standard error over the seeds."""
    fields = {}
    for quantity, words in _IN_WORDS.items():
        curve = getattr(result, quantity)
        fields |= {words: curve.mean, f"{words}, standard error": curve.standard_error}
    return {"step": result.steps.tolist()} | columns_of(list(map(run_name, result.params.exponents)), fields)


def _code(result, *shown):
    """Return Python code that trains the race up to this step and prints the numbers of a picture."""
    if result.progress == 1:
        return code(core.measure_training_race, result.params, show=_lists(shown))
    at_step = f"result = next(frame for frame in frames if frame.step == {result.step})\n"
    return code(core.race_frames, result.params, name="frames") + at_step + printed(_lists(shown))


def _lists(shown):
    return [f"result.{each}.tolist()" for each in shown]


def rates(sweep: core.LearningRateSweep, profile: Profile) -> Picture:
    """Return the picture of right answers after the last step: a bar for each scale and rate, faint unless learnt."""
    table, python, sure = _rates_table(sweep), _rates_code(sweep), _rates_sure(sweep)
    marks = [Mark(name, (name,)) for name in map(run_name, (0.0, 0.5, 1.0))]  # scales that the sentence names
    return Picture("race_rates", _bars(sweep, profile), _rates_sentence(sweep), table, python, sure=sure, marks=marks)


def rates_start(sweep: core.LearningRateSweep, right: float, takes: str, profile: Profile) -> Picture:
    """Return the picture of `rates` before the first step. right: share of right answers; takes: time as text."""
    begun, n = replace(sweep, accuracy=np.full(sweep.accuracy.shape, right)), sweep.params.n_keys
    many = _so_many(round(right * n), n)
    place = f"Untrained at dₖ = {sweep.params.d_k:,}, a bar has {many} of the queries right."
    table = {"scale": list(map(run_name, sweep.params.exponents)), "right": [right] * len(sweep.params.exponents)}
    said = f"{place} Compute trains each in turn, {takes}."
    return Picture("race_rates", _bars(begun, profile), said, table, _rates_code(sweep))


def _rates_sentence(sweep):
    """Return the sentence: at how many rates each scale has learnt, or that hardly any rate works."""
    counts = dict(zip(map(run_name, sweep.params.exponents), map(len, sweep.solved_rates), strict=True))
    raw, root, whole = (counts[run_name(each)] for each in (0.0, 0.5, 1.0))
    works = f"÷ √dₖ learns at {COUNTS[root]} rate{'' if root == 1 else 's'}, "
    works += f"÷ dₖ at {COUNTS[whole] if whole else 'none'}, raw at {COUNTS[raw] if raw else 'none'}"
    if max(map(len, sweep.solved_rates)) <= 1:
        works = f"hardly any rate puts {_least(sweep)} of {sweep.params.n_keys} right, whichever divides"
    crosses = " A cross marks a training that diverged." if sweep.diverged[..., -1].any() else ""
    return f"At dₖ = {sweep.params.d_k:,}, {works}.{crosses}"


def _least(sweep):
    """Return the number of right queries that counts as learnt."""
    return math.ceil(round(core.SOLVED_ACCURACY * sweep.params.n_keys, 9))


def _bars(sweep, profile):
    n, wall, traces, notes, axes = len(sweep.params.exponents), base.on_a_wall(profile), [], [], {}
    room = (0.46 if wall else 0.36) / n
    height = (1 - room * (n - 1)) / n
    most = sweep.params.n_keys
    for run in range(n):
        at, top = "" if run == 0 else str(run + 1), 1 - run * (height + room)
        traces.append(_bars_of(sweep, run, profile) | {"yaxis": f"y{at}"})
        span = {"range": [0, _OVER * most], "domain": [max(top - height, 0.0), top]}
        ticks = {"tickvals": [0, most], "ticktext": ["0", f"{most} right"]}
        axes[f"yaxis{at}"] = base.axis(profile, anchor="x", **span, **ticks)
        notes.append(_rates_heading(sweep, run, at, profile))
    named = [i for i, rate in enumerate(sweep.rates) if abs(np.log10(rate) % 1) < 1e-9]
    powers = _powers([round(np.log10(sweep.rates[i])) for i in named])
    span = {"range": [-0.5, len(sweep.rates) - 0.5], "tickvals": named, "ticktext": powers}
    axes["xaxis"] = base.axis(profile, "learning rate", anchor=f"y{n}" if n > 1 else "y", **span)
    lines = [_learnt_from(most, "" if run == 0 else str(run + 1), profile) for run in range(n)]
    words = {"annotations": [*notes, _learnt_name(sweep, profile)], "shapes": lines}
    fig = base.figure(profile, traces, height=1.1 if wall else 1.5, left=4.2, **words, **axes)
    fig.layout["margin"] |= {"t": 2 * profile.axis_size - 4, "r": round(5.6 * profile.tick_size)}  # headings; a label
    return fig


def _learnt_from(most, at, profile):
    """Return the line above which a bar has learnt."""
    height = core.SOLVED_ACCURACY * most
    place = {"xref": "x domain", "x0": 0, "x1": 1, "yref": f"y{at}", "y0": height, "y1": height}
    return {"type": "line", **place, "line": base.dotted(profile) | {"width": profile.line_width / 2}}


def _learnt_name(sweep, profile):
    """Return the label of the line that `_learnt_from` draws, at its end in the first panel."""
    text = f"<b>learnt:</b><br>{_least(sweep)} right by<br>step {sweep.steps[-1]:,}"
    place = {"xref": "x domain", "x": 1, "xanchor": "left", "yref": "y", "yanchor": "top", "align": "left"}
    look = {"bgcolor": None, "borderpad": 0, "xshift": profile.tick_size // 2, "yshift": round(0.7 * profile.tick_size)}
    return base.label(text, profile, y=core.SOLVED_ACCURACY * sweep.params.n_keys, **place, **look)


def _powers(decades):
    plain = {0: "1", 1: "10", -1: "0.1"}
    return [plain.get(j) or number(10.0**j, 1).replace("1 × ", "") for j in decades]


def _rates_heading(sweep, run, at, profile):
    """Return a heading: the name of a scale in its colour, and the number of rates at which it has learnt."""
    exponent = sweep.params.exponents[run]
    ink = readable(_colour(exponent, profile), profile.ground, profile.text)
    counted = f"learns at {len(sweep.solved_rates[run])} of {len(sweep.rates)} rates" if sweep.progress else ""
    named = f'<b>{run_name(exponent)}</b> <span style="color:{profile.text}">{counted}</span>'
    return base.heading(named, profile, axes=at) | {
        "xref": "x domain",
        "font": {"size": profile.axis_size, "color": ink},
    }


def _bars_of(sweep, run, profile):
    """Return the bars of one scale, one for each rate, with a cross above runs that diverged."""
    full, n = _colour(sweep.params.exponents[run], profile), sweep.params.n_keys
    shades = np.where(sweep.solved[run, :, -1], 1.0, _NOT_LEARNT).tolist()
    return {
        "type": "bar",
        "x": list(range(len(sweep.rates))),
        "y": sweep.accuracy[run, :, -1] * n,
        "name": run_name(sweep.params.exponents[run]),
        "width": _BAR,
        "marker": {"color": full, "opacity": shades, "line": {"width": 0}},
        "text": np.where(sweep.diverged[run, :, -1], "×", "").tolist(),
        "textposition": "outside",
        "textfont": {"size": profile.tick_size, "color": profile.text},
        "cliponaxis": False,
        "customdata": list(map(typed, sweep.rates)),
        "hovertemplate": f"rate %{{customdata}}: %{{y:.3~g}} of {n} queries right<extra></extra>",
    }


def _rates_sure(sweep):
    """Return sentences on the bars, on the rates at which each scale has learnt, on the best and on diverged ones."""
    n, last = len(sweep.rates), sweep.steps[-1]
    seeds = "one seed" if sweep.params.n_seeds == 1 else f"mean of {sweep.params.n_seeds} seeds"
    tried = f"all {n} learning rates" if sweep.n_tried == n else f"{sweep.n_tried} of {n} learning rates so far"
    said = (
        f"At dₖ = {sweep.params.d_k:,}, {tried}, two a decade, {seeds}. A bar is how many queries are right "
        f"after step {last:,}; in full colour it has learnt: at least {percent(core.SOLVED_ACCURACY, 0)} are right.",
        f"Rates that have learnt by step {last:,}: {_each(sweep, lambda run: _solved(sweep, run))}.",
        _best(sweep),
        _diverged(sweep),
    )
    return tuple(filter(None, said))


def _solved(sweep, run):
    soonest = sweep.soonest[run]
    return f"{len(sweep.solved_rates[run])}" + (f" (the first by step {soonest:,})" if soonest else "")


def _best(sweep):
    """Return a sentence with every scale's best rate; empty until a rate has been trained to the end."""
    if not sweep.n_tried:
        return ""

    def best(run):
        edge = ", the edge of those tried" if sweep.best_at_edge[run] else ""
        return f"{number(sweep.best_loss[run])} at {typed(sweep.best_rates[run])}{edge}"

    return f"Smallest final loss: {_each(sweep, best)}."


def _diverged(sweep):
    """Return a sentence with the rates at which a run diverged; empty if there are none."""
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
    """Return a table of loss and accuracy at every rate and step."""
    places = [(rate, step) for rate in sweep.rates for step in sweep.steps]
    names = list(map(run_name, sweep.params.exponents))
    found = columns_of(names, {"loss": sweep.loss, "accuracy": sweep.accuracy})
    return {"learning rate": [rate for rate, _ in places], "step": [step for _, step in places]} | found


def _rates_code(sweep):
    """Return Python code that sweeps the learning rates to the end and prints the curves."""
    shown = ("result.rates", "result.steps", *_lists(("accuracy", "diverged")))
    return code(core.sweep_learning_rates, sweep.params, show=shown)


def twin_table(pairs: Sequence[Equivalence]) -> Table:
    """Return a table of pairs of trainings, without the scale and with it, and the difference of their losses."""
    return {
        "optimizer": [f"{_METHODS_IN_WORDS[each.optimizer]}, rate {typed(each.learning_rate)}" for each in pairs],
        "rate with ÷ √dₖ": [f"× {_POWER_NAMES[each.power]}{_whether_wrong(each)}" for each in pairs],
        "the two losses": [_differ(each) for each in pairs],
    }


def twin_line(pairs: Sequence[Equivalence]) -> str:
    """Return a sentence on the two trainings that each pair compares."""
    first, *_ = pairs
    return (
        f"{first.n_steps} steps at dₖ = {first.d_k:,} without the scale, beside {first.n_steps} with ÷ √dₖ from a "
        "start ⁴√dₖ times as large, at a rate multiplied by a power of dₖ."
    )


def _whether_wrong(found):
    return "" if found.power == EQUAL_POWERS[found.optimizer] else " (the wrong power)"


def _differ(found):
    if found.parted is not None:
        return f"more than {percent(PARTED, 0)} apart from step {found.parted} on"
    if not found.largest_difference:
        return "exactly equal"
    return f"at most {number(found.largest_difference, 2)} apart, relative to their size"


def outcome(result: core.TrainingRaceResult, preset: str) -> str:
    """Return sentences: when raw and ÷ √dₖ had learnt, if raw was still learning, and if other seeds may differ."""
    params, found = result.params, core.race_outcome(result)
    raw, scaled = (params.exponents.index(each) for each in (0.0, 0.5))
    steps = core.learnt_by(result)
    said = [_OUTCOMES[found].format(raw=steps[raw], root=steps[scaled])]
    if found == "harm":
        said.append(_half_way(result, raw))
    if found == "harmless" and preset in core.PRESETS:
        said.append(core.PRESETS[preset].harmless)
    if params.train_values:
        losses = [number(result.loss.mean[run, -1]) for run in (raw, scaled)]
        said.append(f"The loss is {losses[0]} without the scale and {losses[1]} with ÷ √dₖ.")
    said += [_doubt(result, run) for run in (raw, scaled) if core.in_doubt(result)[run]]
    return " ".join(filter(None, said))


def _doubt(result, run):
    """Return a sentence: other seeds may decide otherwise."""
    right = _with_error(result.accuracy, run, *[lambda share: percent(share, 1)] * 2)
    name, least = run_name(result.params.exponents[run]), percent(core.SOLVED_ACCURACY, 0)
    return f"Other seeds may decide otherwise: {name} has {right} right, and {least} count as learnt."


def _half_way(result, run):
    """Return a sentence that says if the raw run gained anything in the second half of its steps."""
    right = result.accuracy.mean[run]
    middle = int(np.searchsorted(result.steps, result.step / 2))
    before = f"At step {result.steps[middle]:,} the raw training was {percent(right[middle], 1)} right"
    if right[-1] - right[middle] >= _STILL:
        return f"{before}, so in the second half it was still learning."
    return f"{before}, so the second half gained nothing."


def dose_table(table: core.DoseTable) -> Table:
    """Return the dose table, by d_k: right answers at the best rate, that rate, and the number of rates that work."""
    columns = {"dₖ": [f"{row.d_k:,}" for row in table.rows]}
    for run, name in enumerate(_NAMES.values()):
        columns[f"{name}: right"] = [percent(row.accuracy[run], 0) for row in table.rows]
        columns[f"{name}: best rate"] = [typed(row.best_rates[run]) for row in table.rows]
        columns[f"{name}: rates that solve it"] = [f"{row.n_solved[run]} of {row.n_rates}" for row in table.rows]
    return columns


def dose_claim(table: core.DoseTable) -> str:
    """Return the claim that a finished table supports; before that, the question."""
    if table.progress < 1:
        return "Which learning rates work at which dₖ?"
    raw, scaled = (sum(row.n_solved[run] for row in table.rows) for run in (0, 1))
    if raw == scaled:
        return "As many learning rates work with the scale as without"
    return f"{'Fewer' if raw < scaled else 'More'} learning rates work without the scale"


def dose_lines(table: core.DoseTable, origin: str) -> list[tuple[str, str]]:
    """Return sentences on the table, and on when and how it was computed, with a heading for each."""
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
