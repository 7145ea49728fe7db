"""Pictures of the training_race lesson: curves of every scale, attention, learning rates, the equivalence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pages._view.figures.base import (
    axis,
    colour_bar,
    dashed,
    dotted,
    figure,
    heading,
    heatmap,
    label,
    line,
    solid,
    title,
)
from pages._view.picture import Picture, Table
from pages._view.theme import Profile, listed, number, percent, typed
from sattn_core.lessons.training_race import (
    EQUAL_POWERS,
    PARTED,
    PRESETS,
    SOLVED_ACCURACY,
    DoseTable,
    Equivalence,
    LearningRateSweep,
    TrainingRaceResult,
    race_outcome,
)

_NAMES = {0.0: "raw", 0.5: "÷ √d_k", 1.0: "÷ d_k"}
_IN_WORDS = {0.0: "without the scale", 0.5: "with 1/√d_k", 1.0: "with 1/d_k"}
_DASHES = {0.0: "solid", 0.5: "solid", 1.0: "longdash"}
_OUTCOMES = {
    "harm": "leaving the scale out does harm here",
    "harmless": "leaving the scale out does no harm here",
    "neither": "neither learns them all",
    "only_without": "here it is 1/√d_k that lags",
}
_GAPS = {2: 0.15, 3: 0.24}  # between two labels at the end of their curves, as a share of one of so many panels
_BETWEEN_PANELS = 0.14  # of the height of a figure
_NAMED_STEPS = (10, 100, 1_000)
_STILL = 0.01  # of the answers: a smaller gain in half of the steps is none
_POWER_NAMES = {0.5: "√d_k", 0.25: "d_k^¼"}
_METHODS = {"sgd": "SGD", "adam": "Adam"}
_METHODS_IN_WORDS = {"sgd": "Gradient descent", "adam": "Adam"}
_APART = (-17, 1)  # decades of the relative difference of two losses that are shown


@dataclass(frozen=True)
class _Panel:
    """One quantity of all runs against the steps; its axis is logarithmic where it has decades."""

    quantity: str
    text: str
    span: tuple[float, float]
    ticks: tuple[float, ...] | None = None
    decades: tuple[int, ...] = ()


def pictures(
    result: TrainingRaceResult, sweep: LearningRateSweep | None, profile: Profile
) -> tuple[tuple[Picture, ...], ...]:
    """The pictures of a race in rows: the sweep where there is one, the curves side by side, attention."""
    of_the_sweep = ((rates(sweep, profile),),) if sweep else ()
    return (*of_the_sweep, (learning(result, profile), state(result, profile)), (attention(result, profile),))


def learning(result: TrainingRaceResult, profile: Profile) -> Picture:
    """Loss above the gradient that reaches the median row, against the steps."""
    panels = (
        _loss_panel(result),
        _Panel("median_row_gradient", "Gradient of the median row", (-12.5, 1), decades=(-12, -9, -6, -3, 0)),
    )
    fig = _panels(result, panels, profile, level=result.uniform_loss)
    fig.layout.shapes = [_level(result, result.uniform_loss, profile)]
    return Picture("race_learning", fig, _learning_sentence(result), _curves_table(result), _curve_code(result, panels))


def _loss_panel(result):
    if result.params.loss == "output":
        return _Panel("loss", "Loss", (0, 1.12), (0, 0.5, 1))
    top = 1.05 * max(_largest(result.loss.high[:, 0]), 2 * result.uniform_loss)
    return _Panel("loss", "Loss, −ln(weight)", (0, top))


def _largest(values):
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else 1.0


def state(result: TrainingRaceResult, profile: Profile) -> Picture:
    """Accuracy, attention entropy and total gradient norm, against the steps."""
    most = float(np.log(result.params.n_keys))
    panels = (
        _Panel("accuracy", "Right answers", (0, 1.05), (0, 0.5, 1)),
        _Panel("entropy_nats", "Entropy of attention, nats", (0, 1.05 * most), tuple(range(int(most) + 1))),
        _Panel("gradient_norm", "Total gradient", (-5.5, 2.5), decades=(-5, -3, -1, 1)),
    )
    fig = _panels(result, panels, profile)
    return Picture("race_state", fig, _state_sentence(result), _curves_table(result), _curve_code(result, panels))


def _panels(result, panels, profile, level=None):
    """One panel a quantity, one below the other; level is a line across the first that has a name too."""
    n, traces, notes, axes = len(panels), [], [], {}
    height = (1 - _BETWEEN_PANELS * (n - 1)) / n
    for i, panel in enumerate(panels):
        at, top = "" if i == 0 else str(i + 1), 1 - i * (height + _BETWEEN_PANELS)
        curve = getattr(result, panel.quantity)
        for run, exponent in enumerate(result.params.exponents):
            traces += _curve(result.steps, curve, run, exponent, at, profile)
        # All panels have one axis of steps, so what stands beside them is placed in heights of a panel.
        place = {"xref": "x domain", "yref": f"y{at} domain"}
        left = {"x": 0, "xanchor": "left", "bgcolor": None}
        notes.append(heading(panel.text, profile, axes=at) | place | left)
        notes += _end_labels(result, panel, _GAPS[n], place, profile, level if i == 0 else None)
        axes[f"yaxis{at}"] = _panel_axis(panel, [max(top - height, 0.0), top], profile)
    steps = axis(profile, "step", range=[0, result.params.n_steps], anchor=f"y{n}")
    fig = figure(profile, traces, height=0.9, left=3.2, xaxis=steps, annotations=notes, **axes)
    longest = max(len(_run_name(exponent)) for exponent in result.params.exponents)
    fig.layout.margin.r = round(max(4.6, 0.56 * longest) * profile.tick_size)
    fig.layout.margin.t = 2 * profile.axis_size - 4  # a panel's heading, no title
    return fig


def _panel_axis(panel, domain, profile):
    kind = {"tickvals": panel.ticks}
    if panel.decades:
        kind = {"type": "log", "tickvals": [10.0**j for j in panel.decades], "ticktext": _powers(panel.decades)}
    return axis(profile, grid=True, range=panel.span, domain=domain, anchor="x", **kind)


def _powers(decades):
    plain = {0: "1", 1: "10", -1: "0.1"}
    return [plain.get(j) or number(10.0**j, 1).replace("1 × ", "") for j in decades]


def _curve(steps, curve, run, exponent, axes, profile):
    """The band from the smallest to the largest seed and the mean of one run."""
    colour, on = _colour(exponent, profile), {"yaxis": f"y{axes}"}
    edge, mean = {"width": 0, "color": colour}, solid(profile, colour) | {"dash": _DASHES.get(exponent, "dashdot")}
    name = _run_name(exponent)
    return [
        line(steps, curve.high[run], edge, f"{name}, largest seed") | on,
        line(steps, curve.low[run], edge, f"{name}, smallest seed")
        | {"fill": "tonexty", "fillcolor": _faint(colour)}
        | on,
        line(steps, curve.mean[run], mean, name) | on,
    ]


def _end_labels(result, panel, gap, place, profile, level):
    """The name of every curve beside its end, and that of the level."""
    curve, is_log = getattr(result, panel.quantity), bool(panel.decades)
    ends = [_height(values, panel.span, is_log) for values in curve.mean]
    names = [_run_name(exponent) for exponent in result.params.exponents]
    colours = [_colour(exponent, profile) for exponent in result.params.exponents]
    if level is not None:
        ends = [*ends, _height([level], panel.span, is_log)]
        names, colours = [*names, "uniform"], [*colours, profile.text]
    return _names_at(ends, names, colours, gap, place, profile)


def _names_at(ends, names, colours, gap, place, profile):
    """Names beside the ends of curves, pushed apart where the ends are close."""
    order, free, notes = np.argsort(ends, kind="stable"), 0.4 * gap, []
    for i, each in enumerate(order):
        above = 1 - gap * (len(order) - 1 - i)
        free = min(max(ends[each], free), above)
        where = place | {"x": 1.01, "xanchor": "left", "y": free, "yanchor": "middle", "bgcolor": None}
        note = label(f"<b>{names[each]}</b>", profile, **where)
        notes.append(note | {"font": {"size": profile.tick_size, "color": colours[each]}})
        free += gap
    return notes


def _height(values, span, is_log):
    """Where a curve ends, as a share of its panel; a run that has diverged ends at the top."""
    last = values[-1]
    if not np.isfinite(last):
        return 1.0
    last = np.log10(max(last, 1e-300)) if is_log else last
    return float(np.clip((last - span[0]) / (span[1] - span[0]), 0, 1))


def _level(result, value, profile):
    place = {"xref": "x", "x0": 0, "x1": result.params.n_steps, "yref": "y", "y0": value, "y1": value}
    return {"type": "line", **place, "line": dashed(profile)}


def _colour(exponent, profile):
    return {0.0: profile.raw, 0.5: profile.scaled, 1.0: profile.third}.get(exponent, profile.band)


def _faint(colour, share=0.2):
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"


def _run_name(exponent):
    """A run's name beside its curve."""
    return _NAMES.get(exponent) or f"÷ d_k^{typed(exponent)}"


def _in_words(exponent):
    """A run's scale in a sentence."""
    return _IN_WORDS.get(exponent) or f"with 1/d_k^{typed(exponent)}"


def _each(result, say):
    names = [_run_name(exponent).replace(" ", "\u00a0") for exponent in result.params.exponents]  # on one line
    return ", ".join(f"{name} {say(run)}" for run, name in enumerate(names))


def _with_error(curve, run, as_text=number):
    error = curve.standard_error[run, -1]
    return as_text(curve.mean[run, -1]) + ("" if np.isnan(error) else f" ± {number(error, 1)}")


def _learning_sentence(result):
    """Loss and median row of every run at this step, beside uniform attention."""
    params = result.params
    seeds = "one seed" if params.n_seeds == 1 else f"mean of {params.n_seeds} seeds ± standard error"
    lost = " “Undefined” means that the numbers of a run overflowed." if result.diverged.any() else ""
    rows = _each(result, lambda run: number(result.median_row_gradient.mean[run, -1], 2))
    return (
        f"Step {result.step:,} of {params.n_steps:,} at d_k = {params.d_k:,}, {seeds}. Loss: "
        f"{_each(result, lambda run: _with_error(result.loss, run))}; uniform attention {number(result.uniform_loss)}. "
        f"Median row's gradient: {rows}.{lost}"
    )


def _state_sentence(result):
    """Accuracy and entropy of every run, and what the total gradient was before the first step."""
    ratio, most = result.first_gradient_ratio, float(np.log(result.params.n_keys))
    return (
        f"Right answers: {_each(result, lambda run: percent(result.accuracy.mean[run, -1], 1))}. Entropy: "
        f"{_each(result, lambda run: number(result.entropy_nats.mean[run, -1], 2))}, at most {number(most)}. "
        f"At step 0 the total gradient without the scale is {number(ratio)} times that with 1/√d_k: "
        f"look at the median row, not at the total."
    )


def _curves_table(result):
    """Every checkpoint of every run, mean and standard error over the seeds."""
    columns = {"step": result.steps.tolist()}
    for run, exponent in enumerate(result.params.exponents):
        for name in ("loss", "accuracy", "entropy_nats", "gradient_norm", "median_row_gradient"):
            curve = getattr(result, name)
            columns[f"{_run_name(exponent)}: {name}"] = curve.mean[run].tolist()
            columns[f"{_run_name(exponent)}: {name}, standard error"] = curve.standard_error[run].tolist()
    return columns


def _curve_code(result, panels):
    """Curves are drawn as a mean with its band."""
    names = (f"{panel.quantity}.{part}" for panel in panels for part in ("mean", "low", "high"))
    return _code(result, "steps", *names)


def _code(result, *shown):
    """The Python that trains the race again up to this step and prints what a picture shows of it."""
    name, made = "measure_training_race", f"measure_training_race({result.params!r})"
    if result.progress < 1:
        name = "race_frames"
        made = f"next(frame for frame in race_frames({result.params!r}) if frame.step == {result.step})"
    return (
        f"from sattn_core.lessons.training_race import TrainingRaceParams, {name}\n\nresult = {made}\n"
        f"{_prints('result', shown)}"
    )


def _prints(name, shown):
    return "".join(f"print({name}.{each}.tolist())\n" for each in shown)


def attention(result: TrainingRaceResult, profile: Profile) -> Picture:
    """Attention weights of every run at this step, on one colour domain from 0 to 1."""
    return Picture(
        "race_attention",
        _attention(result, profile),
        _attention_sentence(result),
        _attention_table(result),
        _code(result, "attention_weights"),
    )


def _attention(result, profile):
    n, traces, axes, notes = len(result.params.exponents), [], {}, []
    width = (1 - 0.04 * (n - 1)) / n
    for run, exponent in enumerate(result.params.exponents):
        at, left = "" if run == 0 else str(run + 1), run * (width + 0.04)
        cells = heatmap(profile, result.attention_weights[run], 1.0, name=_run_name(exponent))
        traces.append(cells | {"xgap": 0, "ygap": 0, "xaxis": f"x{at}", "yaxis": f"y{at}"})
        bare = {"showticklabels": False, "ticks": "", "mirror": True}
        axes[f"xaxis{at}"] = axis(profile, "key", domain=[left, left + width], anchor=f"y{at}", **bare)
        name = "query" if run == 0 else None
        axes[f"yaxis{at}"] = axis(profile, name, anchor=f"x{at}", autorange="reversed", **bare)
        notes.append(heading(_run_name(exponent), profile, axes=at))
    return figure(profile, traces, height=0.8, left=2.0, annotations=notes, **axes)


def _attention_sentence(result):
    """How much weight the right keys have."""

    def right(run):
        return percent(np.diagonal(result.attention_weights[run]).mean(), 1)

    return (
        f"Attention of the first seed at step {result.step:,}, keys sorted so that the right one is on the diagonal; "
        f"the background is 0, full colour 1. Mean weight on the right key: {_each(result, right)}."
    )


def _attention_table(result):
    """Weight on the right key, query by query."""
    columns = {"query": list(range(1, result.params.n_keys + 1))}
    for run, exponent in enumerate(result.params.exponents):
        columns[f"{_run_name(exponent)}: weight on the right key"] = np.diagonal(result.attention_weights[run]).tolist()
    return columns


def rates(sweep: LearningRateSweep, profile: Profile) -> Picture:
    """A map for every scale: right answers by learning rate and step, solved cells dark, diverged ones crossed."""
    return Picture("race_rates", _maps(sweep, profile), _rates_sentence(sweep), _rates_table(sweep), _rates_code(sweep))


def _maps(sweep, profile):
    n, n_steps, traces, notes, axes = len(sweep.params.exponents), len(sweep.steps), [], [], {}
    room = 0.36 / n
    height = (1 - room * (n - 1)) / n
    rows = [i for i, step in enumerate(sweep.steps[:-2]) if step in _NAMED_STEPS] + [n_steps - 1]
    ticks = {"tickvals": [n_steps - 1 - row for row in rows], "ticktext": [f"{sweep.steps[row]:,}" for row in rows]}
    for run, exponent in enumerate(sweep.params.exponents):
        at, top = "" if run == 0 else str(run + 1), 1 - run * (height + room)
        traces.append(_map(sweep, run, profile) | {"yaxis": f"y{at}"})
        span = {"range": [n_steps - 0.5, -0.5], "domain": [max(top - height, 0.0), top]}  # the last step on top
        axes[f"yaxis{at}"] = axis(profile, "step", anchor="x", **span, **ticks)
        notes.append(heading(f"Right answers, {_run_name(exponent)}", profile, axes=at) | {"xref": "x domain"})
    traces[0] |= _key(profile)
    named = [i for i, rate in enumerate(sweep.rates) if abs(np.log10(rate) % 1) < 1e-9]
    powers = _powers([round(np.log10(sweep.rates[i])) for i in named])
    span = {"range": [-0.5, len(sweep.rates) - 0.5], "tickvals": named, "ticktext": powers}
    axes["xaxis"] = axis(profile, "learning rate", anchor=f"y{n}" if n > 1 else "y", **span)
    fig = figure(profile, traces, height=1.5, left=3.8, annotations=notes, **axes)
    fig.layout.margin.t = 2 * profile.axis_size - 4  # the heading of the first map, no title
    fig.layout.margin.b += 4 * profile.tick_size  # the key to the colours
    fig.layout.xaxis.title.standoff = profile.tick_size // 2
    return fig


def _key(profile):
    """The key to the colours of the maps."""
    shares = [0, 0.5, SOLVED_ACCURACY]
    key = colour_bar(profile, shares)
    key["colorbar"]["ticktext"] = [percent(share, 0) for share in shares]
    return key


def _map(sweep, run, profile):
    """The cells of one scale: a row for each step, the last on top, and a column for each rate."""
    cells = heatmap(profile, sweep.accuracy[run].T[::-1], 1.0, name=_run_name(sweep.params.exponents[run]))
    full = cells["colorscale"][-1][1]
    at = [[[typed(rate), f"{step:,}"] for rate in sweep.rates] for step in sweep.steps[::-1]]
    return cells | {
        "zmin": 0,
        "colorscale": [[0, profile.ground], [SOLVED_ACCURACY, _faint(full, 0.4)], [SOLVED_ACCURACY, full], [1, full]],
        "text": np.where(sweep.diverged[run].T[::-1], "×", "").tolist(),
        "texttemplate": "%{text}",
        "customdata": at,
        "hovertemplate": "rate %{customdata[0]}, step %{customdata[1]}: %{z:.0%} right<extra></extra>",
    }


def _rates_sentence(sweep):
    """How many of the rates solve the task with each scale, how soon, and the best of them."""
    n, last = len(sweep.rates), sweep.steps[-1]
    seeds = "one seed" if sweep.params.n_seeds == 1 else f"mean of {sweep.params.n_seeds} seeds"
    tried = f"all {n} learning rates" if sweep.n_tried == n else f"{sweep.n_tried} of {n} learning rates so far"
    return (
        f"At d_k = {sweep.params.d_k:,}, {tried}. Dark cells are solved: at least {percent(SOLVED_ACCURACY, 0)} right, "
        f"{seeds}. "
        f"Rates that have solved it by step {last:,}: {_each(sweep, lambda run: _solved(sweep, run))}."
        f"{_best(sweep)}{_diverged(sweep)}"
    )


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

    return f" Smallest final loss: {_each(sweep, best)}."


def _diverged(sweep):
    """The rates at which a run diverged, if any."""
    lost = [
        f"{_in_words(exponent)} at {listed([typed(rate) for rate in np.array(sweep.rates)[rates]])}"
        for exponent, rates in zip(sweep.params.exponents, sweep.diverged.any(axis=-1), strict=True)
        if rates.any()
    ]
    return (
        f" A cross marks where a run diverged (beyond ten times the loss of the start): {'; '.join(lost)}."
        if lost
        else ""
    )


def _rates_table(sweep):
    """Loss and accuracy at every rate and step."""
    places = [(rate, step) for rate in sweep.rates for step in sweep.steps]
    columns = {"learning rate": [rate for rate, _ in places], "step": [step for _, step in places]}
    for run, exponent in enumerate(sweep.params.exponents):
        columns[f"{_run_name(exponent)}: loss"] = sweep.loss[run].ravel().tolist()
        columns[f"{_run_name(exponent)}: accuracy"] = sweep.accuracy[run].ravel().tolist()
    return columns


def _rates_code(sweep):
    """The Python that sweeps the learning rates again to the end and prints the curves."""
    return (
        "from sattn_core.lessons.training_race import TrainingRaceParams, sweep_learning_rates\n\n"
        f"sweep = sweep_learning_rates({sweep.params!r})\nprint(sweep.rates)\nprint(sweep.steps)\n"
        f"{_prints('sweep', ('accuracy', 'diverged'))}"
    )


def equivalence(pairs: Sequence[Equivalence], profile: Profile) -> Picture:
    """How far the two losses of each pair are apart, step by step."""
    return Picture(
        "race_equivalence",
        _equivalence(pairs, profile),
        _equivalence_sentence(pairs),
        _equivalence_table(pairs),
        _equivalence_code(pairs),
    )


def _equivalence(pairs, profile):
    (low, high), styles = _APART, _pair_styles(profile)
    names = [_pair_name(found) for found in pairs]
    seen = [np.clip(found.relative_difference, 10.0**low, None) for found in pairs]
    traces = [line(pairs[0].steps, *each) for each in zip(seen, styles, names, strict=True)]
    ends = [_height(trace["y"], _APART, True) for trace in traces]
    place = {"xref": "x domain", "yref": "y domain"}
    notes = _names_at(ends, names, [style["color"] for style in styles], 0.12, place, profile)
    guide = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "yref": "y", "y0": PARTED, "y1": PARTED}
    decades = (-16, -12, -8, -4, 0)
    ticks = {"tickvals": [10.0**j for j in decades] + [PARTED], "ticktext": [*_powers(decades), percent(PARTED, 0)]}
    axes = {
        "xaxis": axis(profile, "step", range=[0, pairs[0].n_steps]),
        "yaxis": axis(profile, "relative difference", grid=True, type="log", range=[low, high], **ticks),
    }
    drawn = {"title": title("The same training, twice", profile), "shapes": [guide | {"line": dotted(profile)}]}
    fig = figure(profile, traces, height=0.8, left=4.6, annotations=notes, **axes, **drawn)
    fig.layout.margin.r = round(0.54 * max(map(len, names)) * profile.tick_size)
    return fig


def _pair_styles(profile):
    return [
        solid(profile, profile.scaled),
        solid(profile, profile.scaled) | {"dash": "dot"},
        solid(profile, profile.third),
        solid(profile, profile.band) | {"dash": "dash"},
    ]


def _pair_name(found):
    rate = f" {typed(found.learning_rate)}" if found.optimizer == "sgd" else ""
    return f"{_METHODS[found.optimizer]}{rate}, × {_POWER_NAMES[found.power]}"


def _equivalence_sentence(pairs):
    """What is changed in the second training of each pair, and how far its loss then is from that of the first."""
    first, *_ = pairs
    said = "; ".join(f"{_pair_name(found)}{_whether_wrong(found)}: {_differ(found)}" for found in pairs)
    return (
        f"At d_k = {first.d_k:,}, {first.n_steps} steps without the scale beside {first.n_steps} steps with 1/√d_k, "
        f"the start times d_k^¼ and the learning rate times a power of d_k. The two losses: {said}."
    )


def _whether_wrong(found):
    return "" if found.power == EQUAL_POWERS[found.optimizer] else " (the wrong power)"


def _differ(found):
    if found.parted is not None:
        return f"more than {percent(PARTED, 0)} apart from step {found.parted} on"
    if not found.largest_difference:
        return "equal to the last digit"
    return f"at most {number(found.largest_difference, 2)} apart, relative to their size"


def _equivalence_table(pairs):
    """Both losses and the difference of every pair at every step."""
    columns = {"step": pairs[0].steps.tolist()}
    for found in pairs:
        name = _pair_name(found)
        columns[f"{name}: loss, no scale"] = found.loss[0].tolist()
        columns[f"{name}: loss, 1/sqrt(d_k)"] = found.loss[1].tolist()
        columns[f"{name}: relative difference"] = found.relative_difference.tolist()
    return columns


def _equivalence_code(pairs):
    """The Python that trains the pairs again and prints the curves."""
    calls = "".join(
        f"    measure_equivalence({found.d_k}, optimizer={found.optimizer!r}, learning_rate={found.learning_rate}, "
        f"power={found.power}, n_steps={found.n_steps}, n_seeds=1),\n"
        for found in pairs
    )
    return (
        "from sattn_core.lessons.training_race import measure_equivalence\n\n"
        f"pairs = [\n{calls}]\nfor found in pairs:\n    print(found.relative_difference.tolist())\n"
    )


def outcome(result: TrainingRaceResult, preset: str) -> str:
    """What the finished race shows of leaving the scale out; where that harms, whether the run was still learning."""
    params, found = result.params, race_outcome(result)
    runs = [params.exponents.index(each) for each in (0.0, 0.5)]
    without, scaled = (percent(result.accuracy.mean[run, -1], 1) for run in runs)
    said = [
        f"At d_k = {params.d_k:,} and after {result.step:,} steps without the scale {without} of the answers are "
        f"right, with 1/√d_k {scaled}: {_OUTCOMES[found]}."
    ]
    if found == "harm":
        said.append(_half_way(result, runs[0]))
    if found == "harmless" and preset in PRESETS:
        said.append(PRESETS[preset].harmless)
    if params.train_values:
        losses = [number(result.loss.mean[run, -1]) for run in runs]
        said.append(f"The loss is {losses[0]} without the scale, with 1/√d_k {losses[1]}.")
    return " ".join(filter(None, said))


def _half_way(result, run):
    """Whether the run gained anything in the second half of its steps."""
    right = result.accuracy.mean[run]
    middle = int(np.searchsorted(result.steps, result.step / 2))
    before = f"At step {result.steps[middle]:,} it was {percent(right[middle], 1)}"
    if right[-1] - right[middle] >= _STILL:
        return f"{before}, so in the second half it was still rising."
    return f"{before}, so the second half gained nothing."


def dose_table(table: DoseTable) -> Table:
    """The dose–response table as it is shown: right answers at the best rate, that rate, and how many solve it."""
    columns = {"d_k": [f"{row.d_k:,}" for row in table.rows]}
    for run, name in enumerate(_NAMES.values()):
        columns[f"{name}: right"] = [percent(row.accuracy[run], 0) for row in table.rows]
        columns[f"{name}: best rate"] = [typed(row.best_rates[run]) for row in table.rows]
        columns[f"{name}: rates that solve it"] = [f"{row.n_solved[run]} of {row.n_rates}" for row in table.rows]
    return columns


def dose_lines(table: DoseTable, origin: str) -> list[tuple[str, str]]:
    """What the table says, and when and how it was computed."""
    said = [("**What the table says**", _dose_sentence(table))] if table.rows else []
    return [*said, ("**When and how**", origin)]


def _dose_sentence(table):
    first, last = table.rows[0], table.rows[-1]
    unsolved = [f"{row.d_k:,}" for row in table.rows if not row.n_solved[0]]
    harmed = (
        f"none of the rates solves it at d_k = {listed(unsolved)}" if unsolved else "some rate solves it everywhere"
    )
    scaled = [row.n_solved[1] for row in table.rows]
    return (
        f"{_METHODS_IN_WORDS[first.optimizer]}, {first.n_steps} steps, {first.n_rates} learning rates. "
        f"Without the scale {harmed}; at its best rate {percent(first.accuracy[0], 0)} are right at "
        f"d_k = {first.d_k:,} and {percent(last.accuracy[0], 0)} at d_k = {last.d_k:,}. The number of rates that "
        f"solve it with 1/√d_k goes from {min(scaled)} to {max(scaled)}."
    )
