"""Pictures of the training_race lesson: curves of every scale, attention, learning rates, the equivalence."""

import numpy as np

from pages._view.figures.base import axis, dashed, dotted, figure, heading, heatmap, label, line, solid, title
from pages._view.theme import number, percent, typed
from sattn_core.lessons.training_race import PRESETS, SOLVED_ACCURACY, race_outcome

_NAMES = {0.0: "raw", 0.5: "÷ √d_k", 1.0: "÷ d_k"}
_IN_WORDS = {0.0: "without the scale", 0.5: "with 1/√d_k", 1.0: "with 1/d_k"}
_DASHES = {0.0: "solid", 0.5: "solid", 1.0: "longdash"}
_OUTCOMES = {
    "harm": "leaving the scale out does harm here",
    "harmless": "leaving the scale out does no harm here",
    "neither": "neither learns them all",
    "only_without": "here it is 1/√d_k that lags",
}
_CROSSES = ("x-thin", "cross-thin", "asterisk", "y-up")  # told apart where they lie on each other
_GAPS = {2: 0.15, 3: 0.24}  # between two labels at the end of their curves, as a share of one of so many panels
_TIGHT = 1e-9
_LEARNING = ("loss", "median_row_gradient")
_STATE = ("accuracy", "entropy_nats", "gradient_norm")


def learning(result, profile):
    """Loss above the gradient that reaches the median row, against the steps."""
    loss = result.params.loss
    top = 1.12 if loss == "output" else 1.05 * max(_largest(result.loss.high[:, 0]), 2 * result.uniform_loss)
    panels = (
        (
            "loss",
            "Loss" if loss == "output" else "Loss, −ln(weight)",
            [0, top],
            None,
            [0, 0.5, 1] if loss == "output" else None,
        ),
        ("median_row_gradient", "Gradient of the median row", [-12.5, 1], (-12, -9, -6, -3, 0), None),
    )
    fig = _panels(result, panels, profile)
    place = {
        "x": result.params.n_steps,
        "xanchor": "right",
        "y": result.uniform_loss,
        "yanchor": "bottom",
        "xref": "x",
        "yref": "y",
    }
    fig.layout.annotations += (label("uniform attention", profile, **place) | {"bgcolor": None},)
    fig.layout.shapes = [_level(result, result.uniform_loss, profile)]
    return fig


def state(result, profile):
    """Accuracy, attention entropy and total gradient norm, against the steps."""
    most = float(np.log(result.params.n_keys))
    panels = (
        ("accuracy", "Right answers", [0, 1.05], None, [0, 0.5, 1]),
        ("entropy_nats", "Entropy of attention, nats", [0, 1.05 * most], None, list(range(int(most) + 1))),
        ("gradient_norm", "Total gradient", [-5.5, 2.5], (-5, -3, -1, 1), None),
    )
    return _panels(result, panels, profile)


def _largest(values):
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else 1.0


def _panels(result, panels, profile):
    n, traces, notes, axes = len(panels), [], [], {}
    room = 0.1 if n == 2 else 0.11
    height = (1 - room * (n - 1)) / n
    for i, (name, text, span, decades, ticks) in enumerate(panels):
        at, top = "" if i == 0 else str(i + 1), 1 - i * (height + room)
        curve = getattr(result, name)
        for run, exponent in enumerate(result.params.exponents):
            traces += _curve(result.steps, curve, run, exponent, at, profile)
        # Both panels have one axis of steps, so what stands beside them is placed in heights of a panel.
        place = {"xref": "x domain", "yref": f"y{at} domain"}
        notes.append(heading(text, profile, axes=at) | place | {"x": 0, "xanchor": "left"})
        notes += _end_labels(result, curve, (span, decades is not None, _GAPS[n]), place, profile)
        kind = (
            {"type": "log", "tickvals": [10.0**j for j in decades], "ticktext": _powers(decades)}
            if decades
            else {"tickvals": ticks}
        )
        axes[f"yaxis{at}"] = axis(
            profile, grid=True, range=span, domain=[max(top - height, 0.0), top], anchor="x", **kind
        )
    steps = axis(profile, "step", range=[0, result.params.n_steps], anchor=f"y{n}")
    fig = figure(profile, traces, height=0.9, left=3.2, xaxis=steps, annotations=notes, **axes)
    longest = max(len(run_name(exponent)) for exponent in result.params.exponents)
    fig.layout.margin.r = round(max(4.6, 0.56 * longest) * profile.tick_size)
    fig.layout.margin.t = 2 * profile.axis_size - 4  # a panel's heading, no title
    return fig


def _powers(decades):
    plain = {0: "1", 1: "10", -1: "0.1"}
    return [plain.get(j) or number(10.0**j, 1).replace("1 × ", "") for j in decades]


def _curve(steps, curve, run, exponent, axes, profile):
    """The band from the smallest to the largest seed and the mean of one run."""
    colour, on = _colour(exponent, profile), {"yaxis": f"y{axes}"}
    edge, mean = {"width": 0, "color": colour}, solid(profile, colour) | {"dash": _DASHES.get(exponent, "dashdot")}
    name = run_name(exponent)
    return [
        line(steps, curve.high[run], edge, f"{name}, largest seed") | on,
        line(steps, curve.low[run], edge, f"{name}, smallest seed")
        | {"fill": "tonexty", "fillcolor": _faint(colour)}
        | on,
        line(steps, curve.mean[run], mean, name) | on,
    ]


def _end_labels(result, curve, panel, place, profile):
    """The name of every curve beside its end, pushed apart where the ends are close."""
    span, is_log, gap = panel
    ends = np.array([_height(values, span, is_log) for values in curve.mean])
    order = np.argsort(ends)
    free = 0.0
    notes = []
    for i, run in enumerate(order):
        above = 1 - gap * (len(order) - 1 - i)
        free = min(max(ends[run], free), above)
        exponent = result.params.exponents[run]
        text = f"<b>{run_name(exponent)}</b>"
        where = place | {"x": 1.01, "xanchor": "left", "y": free, "yanchor": "middle", "bgcolor": None}
        notes.append(
            label(text, profile, **where) | {"font": {"size": profile.tick_size, "color": _colour(exponent, profile)}}
        )
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


def _faint(colour):
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.2)"


def run_name(exponent):
    """A run's name beside its curve."""
    return _NAMES.get(exponent) or f"÷ d_k^{typed(exponent)}"


def in_words(exponent):
    """A run's scale in a sentence."""
    return _IN_WORDS.get(exponent) or f"with 1/d_k^{typed(exponent)}"


def _each(result, say):
    names = [run_name(exponent).replace(" ", "\u00a0") for exponent in result.params.exponents]  # on one line
    return ", ".join(f"{name} {say(run)}" for run, name in enumerate(names))


def _with_error(curve, run, as_text=number):
    error = curve.standard_error[run, -1]
    return as_text(curve.mean[run, -1]) + ("" if np.isnan(error) else f" ± {number(error, 1)}")


def outcome(result, preset):
    """What the finished race shows of leaving the scale out, and why, where the preset has a reason for it."""
    params, found = result.params, race_outcome(result)
    without, scaled = (percent(result.accuracy.mean[params.exponents.index(each), -1], 1) for each in (0.0, 0.5))
    reason = PRESETS[preset].because.get(found, "") if preset in PRESETS else ""
    return (
        f"At d_k = {params.d_k:,} without the scale {without} of the answers are right, with 1/√d_k {scaled}: "
        f"{_OUTCOMES[found]}. {reason}"
    ).strip()


def learning_sentence(result):
    """Loss and median row of every run at this step, beside uniform attention."""
    params = result.params
    seeds = "one seed" if params.n_seeds == 1 else f"mean of {params.n_seeds} seeds ± standard error"
    lost = " A run that left the range of numbers is said to be undefined." if result.diverged.any() else ""
    rows = _each(result, lambda run: number(result.median_row_gradient.mean[run, -1], 2))
    return (
        f"Step {result.step:,} of {params.n_steps:,} at d_k = {params.d_k:,}, {seeds}. Loss: "
        f"{_each(result, lambda run: _with_error(result.loss, run))}; uniform attention {number(result.uniform_loss)}. "
        f"Median row's gradient: {rows}.{lost}"
    )


def state_sentence(result):
    """Accuracy and entropy of every run, and what the total gradient was before the first step."""
    ratio, most = result.first_gradient_ratio, float(np.log(result.params.n_keys))
    return (
        f"Right answers: {_each(result, lambda run: percent(result.accuracy.mean[run, -1], 1))}. Entropy: "
        f"{_each(result, lambda run: number(result.entropy_nats.mean[run, -1], 2))}, at most {number(most)}. "
        f"At step 0 the total gradient without the scale is {number(ratio)} times that with 1/√d_k: "
        f"look at the median row, not at the total."
    )


def curves_table(result):
    """Every checkpoint of every run, mean and standard error over the seeds."""
    columns = {"step": result.steps.tolist()}
    for run, exponent in enumerate(result.params.exponents):
        for name in ("loss", "accuracy", "entropy_nats", "gradient_norm", "median_row_gradient"):
            curve = getattr(result, name)
            columns[f"{run_name(exponent)}: {name}"] = curve.mean[run].tolist()
            columns[f"{run_name(exponent)}: {name}, standard error"] = curve.standard_error[run].tolist()
    return columns


def attention(result, profile):
    """Attention weights of every run at this step, on one colour domain from 0 to 1."""
    n, traces, axes, notes = len(result.params.exponents), [], {}, []
    width = (1 - 0.04 * (n - 1)) / n
    for run, exponent in enumerate(result.params.exponents):
        at, left = "" if run == 0 else str(run + 1), run * (width + 0.04)
        cells = heatmap(profile, result.attention_weights[run], 1.0, name=run_name(exponent))
        traces.append(cells | {"xgap": 0, "ygap": 0, "xaxis": f"x{at}", "yaxis": f"y{at}"})
        bare = {"showticklabels": False, "ticks": "", "mirror": True}
        axes[f"xaxis{at}"] = axis(profile, "key", domain=[left, left + width], anchor=f"y{at}", **bare)
        name = "query" if run == 0 else None
        axes[f"yaxis{at}"] = axis(profile, name, anchor=f"x{at}", autorange="reversed", **bare)
        notes.append(heading(run_name(exponent), profile, axes=at))
    return figure(profile, traces, height=0.8, left=2.0, annotations=notes, **axes)


def attention_sentence(result):
    """How much weight the right keys have."""

    def right(run):
        return percent(np.diagonal(result.attention_weights[run]).mean(), 1)

    return (
        f"Attention of the first seed at step {result.step:,}, keys sorted so that the right one is on the diagonal; "
        f"white is 0, full colour 1. Mean weight on the right key: {_each(result, right)}."
    ).replace("white is 0", "the ground is 0")


def attention_table(result):
    """Weight on the right key, query by query."""
    columns = {"query": list(range(1, result.params.n_keys + 1))}
    for run, exponent in enumerate(result.params.exponents):
        columns[f"{run_name(exponent)}: weight on the right key"] = np.diagonal(result.attention_weights[run]).tolist()
    return columns


def rates(sweep, profile):
    """Final loss of every scale against the learning rate, the best one marked; crosses at the top have diverged."""
    traces, notes = [], []
    exponents = sweep.params.exponents
    kept = np.where(sweep.diverged, np.nan, sweep.loss)
    top = max(1.2, 1.1 * _largest(kept))
    for run, exponent in enumerate(exponents):
        colour, name = _colour(exponent, profile), run_name(exponent)
        style = solid(profile, colour) | {"dash": _DASHES.get(exponent, "dashdot")}
        traces.append(line(sweep.rates, kept[run], style, name))
        lost = np.array(sweep.rates)[sweep.diverged[run]]
        cross = {"color": colour, "size": 1.4 * profile.marker_size, "symbol": _CROSSES[run % len(_CROSSES)]}
        gone = line(lost, np.full(len(lost), 0.97 * top), style, f"{name}, diverged")
        traces.append(gone | {"mode": "markers", "marker": cross | {"line": {"width": 2, "color": colour}}})
        best = line([sweep.best_rates[run]], [sweep.best_loss[run]], style, f"{name}, best")
        mark = {"color": colour, "size": 1.6 * profile.marker_size, "symbol": "star"}
        traces.append(best | {"mode": "markers", "marker": mark})
        place = {"xref": "x domain", "yref": "y domain", "x": 0.01, "xanchor": "left", "y": 1 - 0.09 * run}
        note = label(f"<b>{name}</b>", profile, yanchor="top", **place)
        notes.append(note | {"font": {"size": profile.tick_size, "color": colour}})
    powers = [round(np.log10(rate)) for rate in sweep.rates]
    ticks = {"tickvals": list(sweep.rates), "ticktext": _powers(powers)}
    across = [powers[0] - 0.1, powers[-1] + 0.1]
    return figure(
        profile,
        traces,
        left=3.2,
        title=title("Which learning rate?", profile),
        xaxis=axis(profile, "learning rate", type="log", range=across, **ticks),
        yaxis=axis(profile, "final loss", grid=True, range=[0, top]),
        annotations=notes,
    )


def rates_sentence(sweep):
    """The best rate of every scale and what it reaches."""

    def best(run):
        edge = ", the edge of those tried" if sweep.best_at_edge[run] else ""
        return f"at {typed(sweep.best_rates[run])} (loss {number(sweep.best_loss[run])}{edge})"

    done = "" if sweep.progress == 1 else f" So far {percent(sweep.progress, 0)} of the steps."
    solved = ", ".join(
        f"{len(rates)} {in_words(exponent)}"
        for exponent, rates in zip(sweep.params.exponents, sweep.solved_rates, strict=True)
    )
    return (
        f"At d_k = {sweep.params.d_k:,} the best of {len(sweep.rates)} learning rates: {_each(sweep, best)}. "
        f"Rates with at least {percent(SOLVED_ACCURACY, 0)} right answers: {solved}. "
        f"{_diverged(sweep)}Seeds in the sweep: {sweep.params.n_seeds}.{done}"
    )


def _diverged(sweep):
    """Which rates lost the race, where some did."""
    lost = [
        f"{in_words(exponent)} at {', '.join(typed(rate) for rate in np.array(sweep.rates)[rates])}"
        for exponent, rates in zip(sweep.params.exponents, sweep.diverged, strict=True)
        if rates.any()
    ]
    if not lost:
        return ""
    return f"Diverged, a cross at the top (beyond ten times the loss of the start): {'; '.join(lost)}. "


def rates_table(sweep):
    """Final loss and accuracy at every rate."""
    columns = {"learning rate": list(sweep.rates)}
    for run, exponent in enumerate(sweep.params.exponents):
        columns[f"{run_name(exponent)}: loss"] = sweep.loss[run].tolist()
        columns[f"{run_name(exponent)}: accuracy"] = sweep.accuracy[run].tolist()
    return columns


def equivalence(found, profile):
    """How far two trainings that are equal in exact arithmetic part, step by step."""
    seen = np.maximum(found.relative_difference, 1e-17)
    words = label("allowed: 10⁻⁹", profile, x=0.01, xref="paper", xanchor="left", y=-9, yanchor="bottom")
    guide = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y", "y0": _TIGHT, "y1": _TIGHT}
    decades = (-16, -12, -9, -6)
    return figure(
        profile,
        [line(found.steps, seen, solid(profile, profile.scaled), "relative difference")],
        height=0.75,
        left=3.6,
        title=title("The same training, twice", profile),
        xaxis=axis(profile, "step", range=[0, found.n_steps]),
        yaxis=axis(
            profile,
            "relative difference",
            grid=True,
            type="log",
            range=[-17, -5.5],
            tickvals=[10.0**j for j in decades],
            ticktext=_powers(decades),
        ),
        shapes=[guide | {"line": dotted(profile)}],
        annotations=[words],
    )


def equivalence_sentence(found):
    """The two trainings and the largest difference between them."""
    verdict = "below" if found.largest_difference < _TIGHT else "not below"
    return (
        f"At d_k = {found.d_k}, {found.n_steps} steps without the scale, beside {found.n_steps} steps with 1/√d_k, "
        f"the start multiplied by d_k^¼ and the learning rate by √d_k: the loss goes from {number(found.loss[0, 0])} "
        f"to {number(found.loss[0, -1])} in the one and to {number(found.loss[1, -1])} in the other. Loss and "
        f"gradient differ by at most {number(found.largest_difference, 2)} of their size, {verdict} 10⁻⁹."
    )


def equivalence_table(found):
    """Both losses and the difference at every step."""
    return {
        "step": found.steps.tolist(),
        "loss, no scale": found.loss[0].tolist(),
        "loss, 1/sqrt(d_k)": found.loss[1].tolist(),
        "relative difference": found.relative_difference.tolist(),
    }


def dose_table(table):
    """The dose–response table as it is shown: loss, right answers and best rate of the three scales."""
    columns = {"d_k": [f"{row.d_k:,}" for row in table.rows]}
    for run, name in enumerate(_NAMES.values()):
        columns[f"{name}: loss"] = [number(row.loss[run]) for row in table.rows]
        columns[f"{name}: right"] = [percent(row.accuracy[run], 0) for row in table.rows]
        columns[f"{name}: best rate"] = [typed(row.best_rates[run]) for row in table.rows]
    return columns


def dose_lines(table, origin):
    """What the table says, and when and how it was computed."""
    said = [("**What the table says**", _dose_sentence(table))] if table.rows else []
    return [*said, ("**When and how**", origin)]


def _dose_sentence(table):
    first, last = table.rows[0], table.rows[-1]
    worst = min(row.accuracy[1] for row in table.rows)
    return (
        f"Each scale at its own best learning rate ({first.optimizer}): without the scale "
        f"{percent(first.accuracy[0], 0)} right at d_k = {first.d_k:,} and {percent(last.accuracy[0], 0)} at "
        f"d_k = {last.d_k:,}; with 1/√d_k never less than {percent(worst, 0)}."
    )


def code(result, *shown):
    """The Python that trains the race again up to this step and prints what a picture shows of it."""
    name, made = "measure_training_race", f"measure_training_race({result.params!r})"
    if result.progress < 1:
        name = "race_frames"
        made = f"next(frame for frame in race_frames({result.params!r}) if frame.step == {result.step})"
    return (
        f"from sattn_core.lessons.training_race import TrainingRaceParams, {name}\n\nresult = {made}\n"
        f"{_prints('result', shown)}"
    )


def _curve_code(result, names):
    """Curves are drawn as a mean with its band."""
    return code(result, "steps", *(f"{name}.{part}" for name in names for part in ("mean", "low", "high")))


def _prints(name, shown):
    return "".join(f"print({name}.{each}.tolist())\n" for each in shown)


def rates_code(sweep):
    """The Python that sweeps the learning rates again to the end and prints the curves."""
    return (
        "from sattn_core.lessons.training_race import TrainingRaceParams, sweep_learning_rates\n\n"
        f"sweep = sweep_learning_rates({sweep.params!r})\nprint(sweep.rates)\n"
        f"{_prints('sweep', ('loss', 'diverged'))}"
    )


def equivalence_code(found):
    """The Python that checks the equivalence again and prints the curve."""
    return (
        "from sattn_core.lessons.training_race import measure_equivalence\n\n"
        f"found = measure_equivalence({found.d_k}, n_steps={found.n_steps})\n"
        f"{_prints('found', ('steps', 'relative_difference'))}"
    )


def pictures(result, sweep, profile):
    """The curves side by side, and below them attention and, where there is one, the sweep: each with its words."""
    curves = curves_table(result)
    beside = [
        _picture(
            "race_learning",
            learning(result, profile),
            learning_sentence(result),
            curves,
            _curve_code(result, _LEARNING),
        ),
        _picture("race_state", state(result, profile), state_sentence(result), curves, _curve_code(result, _STATE)),
    ]
    words = attention_sentence(result), attention_table(result), code(result, "attention_weights")
    below = [_picture("race_attention", attention(result, profile), *words)]
    if sweep:
        words = rates_sentence(sweep), rates_table(sweep), rates_code(sweep)
        below.insert(0, _picture("race_rates", rates(sweep, profile), *words))
    return beside, below


def _picture(key, fig, sentence, table, code):
    return {"key": key, "fig": fig, "sentence": sentence, "table": table, "code": code}
