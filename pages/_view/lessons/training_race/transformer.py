"""The picture of a whole transformer, trained with four ways to scale its scores.

The record says what came out; so do the sentences, whatever that is.
"""

from typing import Any

import numpy as np

from pages._view.figures.base import axis, dashed, figure, heading, label, line, on_a_wall, solid, thin, upright
from pages._view.figures.code import code
from pages._view.figures.tables import columns_of
from pages._view.lessons.training_race.figures import faint
from pages._view.marks import Mark
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, listed, number, percent, typed
from sattn_core.lessons.training_race import TransformersResult, compare_transformers
from sattn_core.training.trained_transformers import RATES, WAYS

NAMES = {"raw": "raw", "root": "÷ √dₖ", "whole": "÷ dₖ", "qk_norm": "QK-norm"}
_RAW, _ROOT = WAYS.index("raw"), WAYS.index("root")
_DASHES = {"whole": "longdash", "qk_norm": "dashdot"}
_LOSSES = (2.3, 3.7)  # nats that are shown; what stands above them at the first steps is the start
_SIGMAS = {0.01: "0.01", 1: "1", 100: "100", 1e4: "10⁴", 1e6: "10⁶"}
_SPAN_OF_SIGMAS = (-2, 6)  # decades
_TENTHS = [typed(rate) if abs(np.log10(rate) % 1) < 1e-9 else "" for rate in RATES]  # all would not fit side by side
_GAP = 0.13  # between two names beside a panel, as a share of it
_BETWEEN, _ASIDE = 0.2, 0.2  # between panels, as a share of a figure's height and width


_EDGES = {"": "seed", "2": "seed", "3": "head"}  # of the bands in a panel, the largest and the smallest
_SAID = [
    Mark(word, (name, *(f"{name}, {edge} {of}" for of in ("seed", "head") for edge in ("largest", "smallest"))))
    for word, name in {"raw": "raw", "÷ √dₖ": "÷ √dₖ"}.items()
]


def _with_names(fig, profile):
    """Room at the right for names, and above for the heading of a panel, but for no title."""
    fig.layout["margin"]["r"] = round(4.9 * profile.tick_size)
    fig.layout["margin"]["t"] = 2 * profile.axis_size - 4
    return fig


def _level(value, profile, at=""):
    place = {"xref": f"x{at} domain", "x0": 0, "x1": 1, "yref": f"y{at}", "y0": value, "y1": value}
    return {"type": "line", **place, "line": dashed(profile)}


def _band(x, curve, way, profile, at=""):
    """The band from the smallest to the largest seed and the mean of one way to scale."""
    name, colour, on = NAMES[WAYS[way]], _colour(WAYS[way], profile), {"xaxis": f"x{at}", "yaxis": f"y{at}"}
    edge, mean = {"width": 0, "color": colour}, solid(profile, colour) | {"dash": _DASHES.get(WAYS[way], "solid")}
    filled = {"fill": "tonexty", "fillcolor": faint(colour)}
    return [
        line(x, curve.high[way], edge, f"{name}, largest {_EDGES[at]}") | on,
        line(x, curve.low[way], edge, f"{name}, smallest {_EDGES[at]}") | filled | on,
        line(x, curve.mean[way], mean, name) | on,
    ]


def _colour(way, profile):
    colours = {"raw": profile.raw, "root": profile.scaled, "whole": profile.third, "qk_norm": profile.band}
    return colours[way]


def _rates_sure(result):
    about = result.about
    return (
        f"A decoder of {about['n_layers']} layers with {about['n_heads']} heads. A head is {about['d_k']} numbers wide "
        f"(dₖ = {about['d_k']}), the heads of a layer {about['n_heads'] * about['d_k']}, in a model of "
        f"{about['d_model']} with {about['n_parameters']:,} weights.",
        f"LayerNorm before each part, PyTorch’s usual start, and Adam with {about['n_warm_up']} steps of warm-up. It "
        f"reads {about['batch']} × {about['context']} characters a step, of the {about['n_characters']:,} of the "
        "documentation of PyTorch’s functions.",
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
    """Held-out loss after the last step against the learning rate; beside it loss and spread of scores at one rate."""
    names = ("last_loss.mean", "works", "loss.mean", "score_std.mean", "accuracy.mean", "gradient_norm.mean")
    return Picture(
        "transformer_learning",
        _learning(result, profile),
        _learning_sentence(result),
        {"step": result.steps.tolist()} | columns_of(NAMES.values(), _at_the_rate(result)),
        code(compare_transformers, result.params, show=[f"result.{name}.tolist()" for name in names]),
        bins={"learning rate": list(RATES)} | columns_of(NAMES.values(), _at_every_rate(result)),
        bins_name="the loss at every rate",
        sure=(*_rates_sure(result), *_learning_sure(result), *_heads_sure(result)),
        marks=_SAID,
    )


def _at_the_rate(result):
    return {
        "held-out loss": result.loss.mean,
        "held-out loss, standard error": result.loss.standard_error,
        "σ of scaled scores": result.score_std.mean,
        "entropy in nats": result.entropy_nats.mean,
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
    last, loss, spread, steps = result.last_loss, result.loss, result.score_std, result.steps
    panels = ((RATES, last, ""), (steps, loss, "2"), (steps, spread, "3"))
    traces = [each for x, curve, at in panels for way in range(len(WAYS)) for each in _band(x, curve, way, profile, at)]
    chosen = upright(result.params.rate, thin(profile)) | {"yref": "y domain"}
    shapes = [_level(result.bigram_loss, profile), chosen, _level(1, profile, "3")]
    words = {"annotations": _words_of_learning(result, profile), "shapes": shapes}
    tall = 1.0 if on_a_wall(profile) else 1.1
    fig = figure(profile, traces, height=tall, left=2.6, **words, **_axes_of_learning(steps[-1], profile))
    return _with_names(fig, profile)


def _names_at(ends, names, colours, gap, place, profile):
    """Return names beside the ends of curves, pushed apart where the ends are close."""
    order, free, notes = np.argsort(ends, kind="stable"), 0.4 * gap, []
    for i, each in enumerate(order):
        above = 1 - gap * (len(order) - 1 - i)
        free = min(max(ends[each], free), above)
        where = place | {"x": 1.01, "xanchor": "left", "y": free, "yanchor": "middle", "bgcolor": None}
        note = label(f"<b>{names[each]}</b>", profile, **where)
        notes.append(note | {"font": {"size": profile.tick_size, "color": colours[each]}})
        free += gap
    return notes


def _height_of(values, span):
    """Return where a curve ends, as a share of its panel; a run that has diverged ends at the top."""
    last = values[-1] if np.isfinite(values[-1]) else span[1]
    return float(np.clip((last - span[0]) / (span[1] - span[0]), 0, 1))


def _axes_of_learning(end: int, profile: Profile) -> dict[str, Any]:
    high, wide = (1 - _BETWEEN) / 2, (1 - _ASIDE) / 2
    rates: Part = {"type": "log", "range": np.log10([RATES[0] / 1.2, RATES[-1] * 1.2]), "domain": [0, wide]}
    steps: Part = {"range": [0, end], "nticks": 4, "domain": [1 - wide, 1]}
    losses: Part = {"grid": True, "range": _LOSSES, "tickvals": (2.5, 3, 3.5)}
    sigmas: Part = {"tickvals": [*_SIGMAS], "ticktext": [*_SIGMAS.values()], "domain": [0, high]}
    return {
        "xaxis": axis(profile, "learning rate", anchor="y", tickvals=RATES, ticktext=_TENTHS, **rates),
        "yaxis": axis(profile, anchor="x", **losses),
        "xaxis2": axis(profile, anchor="y2", showticklabels=False, **steps),
        "yaxis2": axis(profile, anchor="x2", domain=[1 - high, 1], **losses),
        "xaxis3": axis(profile, "step", anchor="y3", **steps),
        "yaxis3": axis(profile, anchor="x3", grid=True, type="log", range=_SPAN_OF_SIGMAS, **sigmas),
    }


def _words_of_learning(result, profile):
    """The names of the panels, of the dashed line, and once of the ways, beside the ends of their losses."""
    headings = ("Loss by rate", f"Loss at {typed(result.params.rate)}", "Spread σ of scores")
    notes = [heading(text, profile, axes="" if i == 0 else str(i + 1)) for i, text in enumerate(headings)]
    place: Part = {"xref": "x domain", "x": 1, "xanchor": "right", "yref": "y", "yanchor": "top"}
    notes.append(label("pairs", profile, y=result.bigram_loss, **place))
    high, gap = (1 - _BETWEEN) / 2, _GAP if on_a_wall(profile) else _GAP / 2
    ends = [1 - high + high * _height_of(each, _LOSSES) for each in result.loss.mean]
    beside, colours = {"xref": "paper", "yref": "paper"}, [_colour(way, profile) for way in WAYS]
    notes += _names_at(ends, [*NAMES.values()], colours, gap, beside, profile)
    return [each | {"bgcolor": None} for each in notes]


def _learning_sentence(result):
    spread = (number(result.score_std.mean[way, -1], 2) for way in (_RAW, _ROOT))
    ended = "at {} raw, at {} with ÷ √dₖ".format(*spread)
    return f"{_at_best_rates(result)}. At {typed(result.params.rate)} the mean σ ends {ended}."


def _at_best_rates(result):
    raw, root = _at_best(result)
    if raw[0] <= root[1] and root[0] <= raw[1]:
        return "At their best rates raw and ÷ √dₖ learn alike"
    return f"Each at its best rate, ÷ √dₖ learns {'more' if root < raw else 'less'} than raw"


def _learning_sure(result):
    right = _each(lambda way: percent(result.accuracy.mean[way, -1], 1))
    losses = _each(lambda way: f"{number(result.loss.mean[way, -1])} ± {_error(result.loss.standard_error[way, -1])}")
    norms, about = _each(lambda way: number(result.gradient_norm.mean[way, 0], 2)), result.about
    read = f"{about['windows_read']} × {about['context']} = {about['windows_read'] * about['context']:,} characters"
    return (
        f"Held-out loss at step {result.steps[-1]:,} and learning rate {typed(result.params.rate)}, mean ± standard "
        f"error: {losses}. The band runs from the smallest to the largest seed.",
        f"The loss is read on {read}, the same for every seed. So the errors leave out which characters these are.",
        f"Characters guessed right: {right}.",
        f"Gradient of all weights together before the first step: {norms}.",
        "Every way to scale has the same weights at the start and reads the same characters, seed by seed.",
    )


def _error(value):
    return number(value, 1)


def _heads_sure(result):
    about, last, spread = result.about, result.steps[-1], result.score_std
    low, high = (_each(lambda way, edge=edge: number(edge[way, -1], 2)) for edge in (spread.low, spread.high))
    entropy = _each(lambda way: number(result.entropy_nats.mean[way, -1], 2))
    return (
        "σ is the spread of the scaled scores of a row: the mean over "
        f"{about['n_layers'] * about['n_heads']} heads and {len(about['seeds'])} seeds, in a band from the smallest to "
        "the largest head of any seed.",
        f"At step {last:,} and rate {typed(result.params.rate)} the smallest: {low}. The largest: {high}.",
        "σ = 1 is a promise for queries and keys of variance 1, which PyTorch’s usual start does not make. Before the "
        f"first step: {_each(lambda way: number(result.first_std[way]))}. How the weights are drawn predicts "
        f"{_each(lambda way: number(result.predicted_std[way]))}, for long rows of independent tokens.",
        f"Entropy of the heads at step {last:,}: {entropy} nats. Rows that spread their weight evenly have "
        f"{number(result.most_entropy)}. A row sees its own position and those before; rows with fewer than "
        f"{about['fewest_keys']} keys are left out.",
    )
