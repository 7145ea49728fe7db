"""Pictures of a whole transformer, trained with four ways to scale its scores: a record, and a part of it to look at.

The record says what came out; so do the sentences, whatever that is.
"""

from typing import Any

import numpy as np

from pages._view.figures.base import axis, dashed, figure, heading, label, line, on_a_wall, solid, thin, upright
from pages._view.figures.code import code
from pages._view.figures.tables import columns_of
from pages._view.lessons.training_race.figures import faint, height_of, names_at
from pages._view.marks import Mark
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, listed, number, percent, typed
from sattn_core.lessons.training_race import TransformersResult, compare_transformers
from sattn_core.training.trained_transformers import RATES, WAYS

NAMES = {"raw": "raw", "root": "÷ √dₖ", "whole": "÷ dₖ", "qk_norm": "QK-norm"}
_RAW, _ROOT = WAYS.index("raw"), WAYS.index("root")
_DASHES = {"whole": "longdash", "qk_norm": "dashdot"}
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_LOSSES = (2.3, 3.7)  # nats that are shown; what stands above them at the first steps is the start
_SIGMAS = {0.01: "0.01", 1: "1", 100: "100", 1e4: "10⁴", 1e6: "10⁶"}
_NORMS = {0.1: "0.1", 1: "1", 10: "10"}  # of the gradient
_SPAN_OF_NORMS = (-1, 1.3)  # decades
_TENTHS = [typed(rate) if abs(np.log10(rate) % 1) < 1e-9 else "" for rate in RATES]  # all would not fit side by side
_GAP = 0.13  # between two names beside a panel, as a share of it
_BETWEEN, _ASIDE = 0.2, 0.2  # between panels, as a share of a figure's height and width


_SAID = [
    Mark(word, tuple(f"{name}{of}" for of in ("", ", largest seed", ", smallest seed")))
    for word, name in {"without the scale": "raw", "with ÷ √dₖ": "÷ √dₖ"}.items()  # wide enough for a finger
]


def _with_names(fig, profile):
    """Room at the right for names, and above for the heading of a panel, but for no title."""
    fig.layout["margin"]["r"] = round(4.9 * profile.tick_size)
    fig.layout["margin"]["t"] = 2 * profile.axis_size - 4
    return fig


def _level(value, profile, at=""):
    place = {"xref": "x domain", "x0": 0, "x1": 1, "yref": f"y{at}", "y0": value, "y1": value}
    return {"type": "line", **place, "line": dashed(profile)}


def _band(x, curve, way, profile, at=""):
    """The band from the smallest to the largest seed and the mean of one way to scale."""
    name, colour, on = NAMES[WAYS[way]], _colour(WAYS[way], profile), {"xaxis": f"x{at}", "yaxis": f"y{at}"}
    edge, mean = {"width": 0, "color": colour}, solid(profile, colour) | {"dash": _DASHES.get(WAYS[way], "solid")}
    filled = {"fill": "tonexty", "fillcolor": faint(colour)}
    return [
        line(x, curve.high[way], edge, f"{name}, largest seed") | on,
        line(x, curve.low[way], edge, f"{name}, smallest seed") | filled | on,
        line(x, curve.mean[way], mean, name) | on,
    ]


def _colour(way, profile):
    colours = {"raw": profile.raw, "root": profile.scaled, "whole": profile.third, "qk_norm": profile.band}
    return colours[way]


def _rates_sure(result):
    about = result.about
    return (
        f"A decoder of {about['n_layers']} layers with {about['n_heads']} heads of dₖ = {about['d_k']} each, "
        f"{about['n_parameters']:,} weights in all, LayerNorm before each part, PyTorch’s usual start, and Adam with "
        f"{about['n_warm_up']} steps of warm-up. It reads {about['batch']} × {about['context']} characters a step, of "
        f"the {about['n_characters']:,} of the documentation of PyTorch’s functions.",
        "With QK-norm queries and keys are layer-normalised, and their scores divided by √dₖ; that adds "
        f"{4 * about['n_layers'] * about['d_k']} weights.",
        f"Held-out loss after {result.steps[-1]:,} steps at the best rate, mean of {len(about['seeds'])} seeds ± "
        f"standard error: {_each(lambda way: _best(result, way))}.",
        f"Raw against ÷ √dₖ, each at its best rate: {_apart(*_at_best(result))}.",
        f"A rate works where every seed is below the dashed line, {number(result.bigram_loss, 4)}: the loss of a table "
        f"that has counted which character follows which. Rates that work: {_each(lambda way: _working(result, way))}. "
        f"{_closest_call(result)}",
        "The record was made once and is kept. One short training each is no law: larger models, longer trainings and "
        "other starts are not measured here.",
    )


def _each(say):
    names = [name.replace(" ", "\u00a0") for name in NAMES.values()]  # on one line
    return ", ".join(f"{name} {say(way)}" for way, name in enumerate(names))


def _best(result, way):
    at, curve = result.best[way], result.last_loss
    return f"{number(curve.mean[way, at])} ± {number(curve.standard_error[way, at], 1)} at {typed(RATES[at])}"


def _working(result, way):
    return listed([typed(rate) for rate in np.array(RATES)[result.works[way]]]) if result.works[way].any() else "none"


def _closest_call(result):
    """Where the largest seed is nearest to the line that a rate must stay below."""
    high = result.last_loss.high
    way, at = np.unravel_index(np.nanargmin(abs(high - result.bigram_loss)), high.shape)
    name = [*NAMES.values()][way]
    return f"The closest call is {name} at {typed(RATES[at])}: its largest seed is at {number(high[way, at], 4)}."


def _at_best(result):
    """Smallest and largest seed of raw, then of ÷ √dₖ, each at its best rate."""
    return [(result.last_loss.low[way, at], result.last_loss.high[way, at]) for way, at in _best_of_both(result)]


def _best_of_both(result):
    return [(way, result.best[way]) for way in (_RAW, _ROOT)]


def _apart(raw, root):
    """Whether the seeds of two ways keep apart: each is (smallest, largest)."""
    if root[1] < raw[0]:
        return "every seed with ÷ √dₖ has a smaller loss than any without the scale"
    if raw[1] < root[0]:
        return "every seed without the scale has a smaller loss than any with ÷ √dₖ"
    return "the losses of their seeds overlap"


def learning(result: TransformersResult, profile: Profile) -> Picture:
    """Held-out loss after the last step against the learning rate; beside it loss and gradient at one rate."""
    names = ("last_loss.mean", "works", "loss.mean", "accuracy.mean", "gradient_norm.mean")
    return Picture(
        "transformer_learning",
        _learning(result, profile),
        _learning_sentence(result),
        {"step": result.steps.tolist()} | columns_of(NAMES.values(), _at_the_rate(result)),
        code(compare_transformers, result.params, show=[f"result.{name}.tolist()" for name in names]),
        bins={"learning rate": list(RATES)} | columns_of(NAMES.values(), _at_every_rate(result)),
        bins_name="the loss at every rate",
        sure=(*_rates_sure(result), *_learning_sure(result)),
        marks=_SAID,
    )


def _at_the_rate(result):
    return {
        "held-out loss": result.loss.mean,
        "held-out loss, standard error": result.loss.standard_error,
        "guessed right": result.accuracy.mean,
        "gradient": result.gradient_norm.mean,
    }


def _at_every_rate(result):
    return {
        "held-out loss": result.last_loss.mean,
        "held-out loss, standard error": result.last_loss.standard_error,
    }


def _learning(result, profile):
    """The loss at every rate, as high as the two panels over the steps beside it."""
    last, loss, norm, steps = result.last_loss, result.loss, result.gradient_norm, result.steps
    panels = ((RATES, last, ""), (steps, loss, "2"), (steps, norm, "3"))
    traces = [each for x, curve, at in panels for way in range(len(WAYS)) for each in _band(x, curve, way, profile, at)]
    shapes = [_level(result.bigram_loss, profile), upright(result.params.rate, thin(profile)) | {"yref": "y domain"}]
    words = {"annotations": _words_of_learning(result, profile), "shapes": shapes}
    tall = 1.0 if on_a_wall(profile) else 1.1
    fig = figure(profile, traces, height=tall, left=2.6, **words, **_axes_of_learning(steps[-1], profile))
    return _with_names(fig, profile)


def _axes_of_learning(end: int, profile: Profile) -> dict[str, Any]:
    high, wide = (1 - _BETWEEN) / 2, (1 - _ASIDE) / 2
    rates: Part = {"type": "log", "range": np.log10([RATES[0] / 1.2, RATES[-1] * 1.2]), "domain": [0, wide]}
    steps: Part = {"range": [0, end], "nticks": 4, "domain": [1 - wide, 1]}
    losses: Part = {"grid": True, "range": _LOSSES, "tickvals": (2.5, 3, 3.5)}
    norms: Part = {"tickvals": [*_NORMS], "ticktext": [*_NORMS.values()], "domain": [0, high]}
    return {
        "xaxis": axis(profile, "learning rate", anchor="y", tickvals=RATES, ticktext=_TENTHS, **rates),
        "yaxis": axis(profile, anchor="x", **losses),
        "xaxis2": axis(profile, anchor="y2", showticklabels=False, **steps),
        "yaxis2": axis(profile, anchor="x2", domain=[1 - high, 1], **losses),
        "xaxis3": axis(profile, "step", anchor="y3", **steps),
        "yaxis3": axis(profile, anchor="x3", grid=True, type="log", range=_SPAN_OF_NORMS, **norms),
    }


def _words_of_learning(result, profile):
    """The names of the panels, of the dashed line, and once of the ways, beside the ends of their losses."""
    headings = ("Loss by rate", f"Loss at {typed(result.params.rate)}", "Gradient")
    notes = [heading(text, profile, axes="" if i == 0 else str(i + 1)) for i, text in enumerate(headings)]
    place: Part = {"xref": "x domain", "x": 1, "xanchor": "right", "yref": "y", "yanchor": "top"}
    notes.append(label("pairs", profile, y=result.bigram_loss, **place))
    high, gap = (1 - _BETWEEN) / 2, _GAP if on_a_wall(profile) else _GAP / 2
    ends = [1 - high + high * height_of(each, _LOSSES, False) for each in result.loss.mean]
    beside, colours = {"xref": "paper", "yref": "paper"}, [_colour(way, profile) for way in WAYS]
    notes += names_at(ends, [*NAMES.values()], colours, gap, beside, profile)
    return [each | {"bgcolor": None} for each in notes]


def _two_panels(result, panels, traces, ends, profile, level):
    """One panel below the other over the steps, names beside the ends of their curves; level: across the first."""
    height, notes = (1 - _BETWEEN) / 2, []
    axes: dict[str, Any] = {}
    for i, ((_, text, span, ticks), (curves, names, colours)) in enumerate(zip(panels, ends, strict=True)):
        at, top = ("", 1.0) if i == 0 else ("2", height)
        span = span or tuple(np.log10([min(ticks), max(ticks)]))
        named = dict([*ticks.items()][1::2]) if on_a_wall(profile) else ticks  # a wall has little height
        kind: Part = {"type": "log", "tickvals": [*named], "ticktext": [*named.values()]} if ticks else {}
        axes[f"yaxis{at}"] = axis(
            profile, grid=True, range=span, domain=[max(top - height, 0), top], anchor="x", **kind
        )
        place = {"xref": "x domain", "yref": f"y{at} domain"}
        heights = [height_of(values, span, bool(ticks)) for values in curves]
        notes += names_at(heights, names, colours, 2 * _GAP if on_a_wall(profile) else _GAP, place, profile)
        notes.append(heading(text, profile, axes=at) | place | {"bgcolor": None})
    steps = axis(profile, "step", range=[0, result.steps[-1]], anchor="y2")
    shapes = [_level(level, profile)]
    tall = 1.0 if on_a_wall(profile) else 1.15
    fig = figure(profile, traces, height=tall, left=3.2, xaxis=steps, annotations=notes, shapes=shapes, **axes)
    return _with_names(fig, profile)


def _learning_sentence(result):
    raw, root = (number(result.last_loss.mean[way, at]) for way, at in _best_of_both(result))
    best = f"At its best rate the loss is {raw} without the scale and {root} with ÷ √dₖ"
    return f"{best}; {_at_one_rate(result)}."


def _at_one_rate(result):
    raw, root = ((result.loss.low[way, -1], result.loss.high[way, -1]) for way in (_RAW, _ROOT))
    said = "the seeds of raw and ÷ √dₖ overlap"
    if root[1] < raw[0]:
        said = "÷ √dₖ learns more than raw"
    elif raw[1] < root[0]:
        said = "÷ √dₖ learns less than raw"
    return f"at rate {typed(result.params.rate)}, {said}"


def _learning_sure(result):
    right = _each(lambda way: percent(result.accuracy.mean[way, -1], 1))
    losses = _each(lambda way: f"{number(result.loss.mean[way, -1])} ± {_error(result.loss.standard_error[way, -1])}")
    norms = _each(lambda way: number(result.gradient_norm.mean[way, 0], 2))
    return (
        f"Held-out loss at step {result.steps[-1]:,} and learning rate {typed(result.params.rate)}, mean ± standard "
        f"error: {losses}. The band runs from the smallest to the largest seed.",
        f"Characters guessed right: {right}.",
        f"Gradient of all weights together before the first step: {norms}.",
        "Every way to scale has the same weights at the start and reads the same characters, seed by seed.",
    )


def _error(value):
    return number(value, 1)


def heads(result: TransformersResult, profile: Profile) -> Picture:
    """σ of every head above the entropy of its rows, against the steps, of one way to scale at one rate."""
    shown = [f"result.{name}.mean.tolist()" for name in ("score_std", "entropy_nats")]
    return Picture(
        "transformer_heads",
        _heads(result, profile),
        _heads_sentence(result),
        {"step": result.steps.tolist()}
        | columns_of(
            [_head_name(result, head) for head in range(len(result.score_std.mean))],
            {"σ": result.score_std.mean, "entropy in nats": result.entropy_nats.mean},
        ),
        code(compare_transformers, result.params, show=shown),
        sure=_heads_sure(result),
    )


def _heads(result, profile):
    entropy = (0, 1.05 * result.most_entropy)
    panels: tuple[Any, ...] = ((result.score_std, "σ of scaled scores in a row", (), _SIGMAS),
              (result.entropy_nats, "Entropy of attention, nats", entropy, {}))  # fmt: skip
    colour, traces, ends = _colour(result.params.way, profile), [], []
    for i, (curve, *_) in enumerate(panels):
        for head, values in enumerate(curve.mean):
            style = solid(profile, colour, 0.75) | {"dash": "dot" if _layer(result, head) > 1 else "solid"}
            on = {"yaxis": "y" if i == 0 else "y2"}
            traces.append(line(result.steps, values, style, _head_name(result, head)) | on)
        layers = np.array_split(curve.mean, result.n_layers)
        ends.append(([np.median(each, axis=0) for each in layers], _layers(result), [colour] * result.n_layers))
    return _two_panels(result, panels, traces, ends, profile, level=1.0)


def _layer(result, head):
    """Of the heads in their order, the first layer's first; counted from 1."""
    return head // (len(result.score_std.mean) // result.n_layers) + 1


def _layers(result):
    return [f"layer {layer + 1}" for layer in range(result.n_layers)]


def _head_name(result, head):
    per_layer = len(result.score_std.mean) // result.n_layers
    return f"layer {_layer(result, head)}, head {head % per_layer + 1}"


def _heads_sentence(result):
    first, last = result.score_std.mean[:, 0].mean(), result.score_std.mean[:, -1]
    return (
        f"With {_said(result)} σ starts at {number(first, 2)}; after training the heads lie between "
        f"{number(last.min(), 2)} and {number(last.max(), 2)}."
    )


def _said(result):
    return "no scale" if result.params.way == "raw" else NAMES[result.params.way]


def _heads_sure(result):
    way = WAYS.index(result.params.way)
    last = result.entropy_nats.mean[:, -1]
    return (
        "σ = 1 is a promise for queries and keys of variance 1, which PyTorch’s usual start does not make. Before the "
        f"first step it is {number(result.first_std[way])}; how the weights are drawn predicts "
        f"{number(result.predicted_std[way])} for long rows of independent tokens.",
        f"After the last step, mean over heads and seeds: {_each(lambda each: number(result.last_std[each], 2))}.",
        f"Entropy of the heads after the last step: {number(last.min(), 2)} to {number(last.max(), 2)} nats. Rows that "
        f"spread their weight evenly have {number(result.most_entropy)}.",
        f"Lines are means over {len(result.about['seeds'])} seeds, solid in layer 1 and dotted in layer 2. A row sees "
        f"its own position and those before; rows with fewer than {result.about['fewest_keys']} keys are left out.",
    )
