"""The picture of a small transformer, trained with raw scores, ÷ √d_k and ÷ d_k; the fold adds a fourth way.

All sentences are built from the record, and would fit other results too.
"""

from dataclasses import replace

import numpy as np

from pages._view.figures.base import axis, dashed, figure, heading, label, line, on_a_wall, solid, thin, upright
from pages._view.figures.code import code
from pages._view.figures.tables import columns_of
from pages._view.lessons.training_race.figures import COUNTS, faint
from pages._view.marks import Mark
from pages._view.picture import Part, Picture
from pages._view.theme import Profile, listed, number, percent, typed
from sattn_core.lessons.training_race import TransformersResult, compare_transformers
from sattn_core.training.trained_transformers import RATES, WAYS

NAMES = {"raw": "raw", "root": "÷ √dₖ", "whole": "÷ dₖ", "qk_norm": "QK-norm"}
_RAW, _ROOT, _WHOLE = map(WAYS.index, ("raw", "root", "whole"))
_DRAWN = (_RAW, _ROOT, _WHOLE)
_DASHES = {"whole": "longdash"}
_SYMBOLS = {"raw": "circle", "root": "square", "whole": "triangle-up"}
_LOSSES = (2.3, 3.7)  # range of the loss axis, in nats
_GAP, _WALL_GAP = 0.075, 0.11  # distance between two labels beside the panel, as a share of its height
_NAMED = [NAMES[WAYS[way]] for way in _DRAWN]
_LEFT_OF_LAST = 0.96  # right end of a label, as a share of the width: left of the vertical line at the last rate
_SEEDS = ("largest seed", "smallest seed")
_RATE, _FAINT = "at the rate", 0.15  # part of a dot's name; opacity of a band


def _level(value, profile):
    place = {"xref": "x domain", "x0": 0, "x1": 1, "yref": "y", "y0": value, "y1": value}
    return {"type": "line", **place, "line": dashed(profile)}


def _band(curve, way, profile):
    """Return the mean loss of one way to scale, and the band from the smallest to the largest loss of its seeds."""
    name, colour = NAMES[WAYS[way]], _colour(WAYS[way], profile)
    edge, mean = {"width": 0, "color": colour}, solid(profile, colour) | {"dash": _DASHES.get(WAYS[way], "solid")}
    return [
        line(RATES, curve.high[way], edge, f"{name}, {_SEEDS[0]}"),
        line(RATES, curve.low[way], edge, f"{name}, {_SEEDS[1]}")
        | {"fill": "tonexty", "fillcolor": faint(colour, _FAINT)},
        line(RATES, curve.mean[way], mean, name),
    ]


def _dot(result, way, profile):
    """Return a dot at the loss of one way at the chosen rate."""
    at, colour = RATES.index(result.params.rate), _colour(WAYS[way], profile)
    marker = {"color": colour, "symbol": _SYMBOLS[WAYS[way]], "size": 1.4 * profile.marker_size}
    place = {"x": [RATES[at]], "y": [result.last_loss.mean[way, at]], "name": f"{NAMES[WAYS[way]]}, {_RATE}"}
    return {"type": "scatter", "mode": "markers", "marker": marker, "hoverinfo": "skip", **place}


def _colour(way, profile):
    colours = {"raw": profile.raw, "root": profile.scaled, "whole": profile.third}
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
        f"Raw against ÷ √dₖ, each at its best rate: {_apart(result, _RAW, 'without the scale')}. "
        f"÷ dₖ against ÷ √dₖ: {_apart(result, _WHOLE, 'with ÷ dₖ')}.",
        f"A rate works where every seed is below the dashed line, {number(result.bigram_loss, 4)}: the loss of a table "
        f"that has counted which character follows which. Rates that work: {_each(lambda way: _working(result, way))}. "
        f"{_closest_call(result)}",
        "The record was made once and is kept. One short training each is no law: larger models, longer trainings and "
        "other starts are not measured here.",
    )


def _each(say):
    names = [name.replace(" ", "\u00a0") for name in NAMES.values()]  # one-line names
    return ", ".join(f"{name} {say(way)}" for way, name in enumerate(names))


def _best(result, way):
    at, curve = result.best[way], result.last_loss
    return f"{number(curve.mean[way, at])} ± {number(curve.standard_error[way, at], 1)} at {typed(RATES[at])}"


def _working(result, way):
    return listed([typed(rate) for rate in np.array(RATES)[result.works[way]]]) if result.works[way].any() else "none"


def _closest_call(result):
    """Return a sentence on the rate at which the worst seed's loss is closest to the threshold of learning."""
    high = result.last_loss.high
    way, at = np.unravel_index(np.nanargmin(abs(high - result.bigram_loss)), high.shape)
    name = [*NAMES.values()][way]
    return f"The closest call is {name} at {typed(RATES[at])}: its largest seed is at {number(high[way, at], 4)}."


def _seeds_at_best(result, way):
    """Return the smallest and the largest loss of a way's seeds, at the way's best rate."""
    at = result.best[way]
    return result.last_loss.low[way, at], result.last_loss.high[way, at]


def _apart(result, way, name):
    """Return a phrase that compares the losses of a way's seeds with those of ÷ √dₖ, each at its best rate."""
    other, root = _seeds_at_best(result, way), _seeds_at_best(result, _ROOT)
    if root[1] < other[0]:
        return f"every seed with ÷ √dₖ has a smaller loss than any {name}"
    if other[1] < root[0]:
        return f"every seed {name} has a smaller loss than any with ÷ √dₖ"
    return "the losses of their seeds overlap"


def learning(result: TransformersResult, profile: Profile) -> Picture:
    """Return the picture of the loss on unseen text against the learning rate, with the chosen rate marked."""
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
        marks=[Mark(name, (name, f"{name}, {_RATE}", *(f"{name}, {seed}" for seed in _SEEDS))) for name in _NAMED],
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
    """Return the loss of every way at every rate, the line below which it has learnt, and the chosen rate."""
    bands = [each for way in _DRAWN for each in _band(result.last_loss, way, profile)]
    chosen = upright(result.params.rate, thin(profile)) | {"yref": "y domain"}
    notes, shapes = _words_of_learning(result, profile), [_level(result.bigram_loss, profile), chosen]
    words: Part = {"annotations": [*notes, _name_of_line(result, profile)], "shapes": shapes}
    rates: Part = {"type": "log", "range": np.log10([RATES[0] / 1.2, RATES[-1] * 1.2]), "tickvals": RATES}
    losses: Part = {"grid": True, "range": _LOSSES, "tickvals": (2.5, 3, 3.5)}
    axes: Part = {
        "xaxis": axis(profile, "learning rate", ticktext=[*map(typed, RATES)], **rates),
        "yaxis": axis(profile, **losses),
    }
    traces = [*bands, *(_dot(result, way, profile) for way in _DRAWN)]
    fig = figure(profile, traces, height=1.0 if on_a_wall(profile) else 1.1, left=2.6, **words, **axes)
    fig.layout["margin"] |= {"r": round(7 * profile.tick_size), "t": 2 * profile.axis_size - 4}  # labels; a heading
    return replace(fig, narrow={"annotations": [*notes, _name_of_line(result, profile, narrow=True)]})


def _words_of_learning(result, profile):
    """Return the y axis title, and the labels of the ways at the ends of their curves."""
    gap = _WALL_GAP if on_a_wall(profile) else _GAP
    ends = [_height_of(each, _LOSSES) for each in result.last_loss.mean[[*_DRAWN]]]
    return [heading(f"Loss on new text after {result.steps[-1]:,} steps", profile), *_names_at(ends, gap, profile)]


def _name_of_line(result, profile, *, narrow=False):
    """Return the label of the dashed line: below it where every curve has risen, or on a phone beside it."""
    words = ("guess from the", "last character", "alone") if narrow else ("guess from the", "last character alone")
    side: Part = (
        {"x": 1.01, "xanchor": "left", "align": "left"}
        if narrow
        else {"x": _LEFT_OF_LAST, "xanchor": "right", "align": "right"}
    )
    place: Part = {"xref": "x domain", "yref": "y", "y": result.bigram_loss, "yanchor": "top", "bgcolor": None}
    return label("<br>".join(words), profile, **place, **side)


def _names_at(ends, gap, profile):
    """Return labels beside the ends of curves, pushed apart where the ends are close."""
    notes = []
    for way, height in zip(map(WAYS.__getitem__, _DRAWN), _apart_by(gap, ends), strict=True):
        place: Part = {"xref": "x domain", "yref": "y domain", "x": 1.01, "xanchor": "left", "y": height}
        look: Part = {"align": "left", "yanchor": "top", "yshift": round(0.9 * profile.tick_size), "bgcolor": None}
        font = {"font": {"size": profile.tick_size, "color": _colour(way, profile)}}
        notes.append(label(f"<b>{NAMES[way]}</b>", profile, **place, **look) | font)
    return notes


def _apart_by(gap, ends):
    """Return heights at least a gap apart: the average of two solutions, moved only up and moved only down."""
    order = np.argsort(ends, kind="stable")
    steps = gap * np.arange(len(ends))
    sorted_ends = np.asarray(ends)[order]
    up = np.maximum.accumulate(sorted_ends - steps) + steps
    down = np.minimum.accumulate((sorted_ends - steps)[::-1])[::-1] + steps
    found = np.empty(len(ends))
    found[order] = (up + down) / 2
    return found.tolist()


def _height_of(values, span):
    """Return the height of a curve's end, as a share of its panel; a run that has diverged ends at the top."""
    last = values[-1] if np.isfinite(values[-1]) else span[1]
    return float(np.clip((last - span[0]) / (span[1] - span[0]), 0, 1))


def _learning_sentence(result):
    """Return sentences on the ways that learn at the chosen rate, and on ÷ dₖ if it learns, or on each way's rates."""
    start = f"At rate {typed(result.params.rate)}, {_who_learns(result)}"
    works = result.works[[*_DRAWN], RATES.index(result.params.rate)]
    if works[_WHOLE]:
        first, last = number(result.first_std[_WHOLE], 1), number(result.score_std.mean[_WHOLE, -1], 2)
        name = "It" if works.sum() == 1 else NAMES["whole"]
        return f"{start}. {name} starts flat: its scores first grow, from a spread of {first} to {last}."
    raw, root, whole = (_count(result.works[way]) for way in (_RAW, _ROOT, _WHOLE))
    return f"{start}. Of {COUNTS[len(RATES)]} rates, raw learns at {raw}, ÷ √dₖ at {root}, ÷ dₖ at {whole}."


def _who_learns(result):
    works = result.works[[*_DRAWN], RATES.index(result.params.rate)]
    learn, rest = ([name for name, each in zip(_NAMED, works, strict=True) if each == way] for way in (True, False))
    if not learn or not rest:
        return "each scale learns" if learn else "no scale learns"
    if len(rest) == 1:
        return f"all but {rest[0]} learn"
    return f"{listed(learn)} learn{'s' if len(learn) == 1 else ''}"


def _count(works):
    return COUNTS[n] if (n := works.sum()) else "none"


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
