"""Pictures of a whole transformer: their data are the record's, and their words say whatever it says."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from pages._view.lessons.training_race import transformer
from pages._view.theme import LIGHT, number
from sattn_core.lessons.training_race import TransformerParams, compare_transformers
from sattn_core.training.trained_transformers import RATES, WAYS
from tests.figures.drawing import PROFILES, plotted, traces_of

NAMES = ["raw", "÷ √dₖ", "÷ dₖ", "QK-norm"]
AXES = [f"{across}axis{at}" for across in "xy" for at in ("", "2", "3")]
PICTURES = (transformer.learning, transformer.heads)


@pytest.fixture(scope="module")
def result():
    return compare_transformers(TransformerParams(0.01, "whole"))


def curve(old, values, spread=0.0):
    """The same curve with these values, from which its seeds differ by the spread."""
    values = np.broadcast_to(values, old.mean.shape)
    return replace(old, mean=values, low=values - spread, high=values + spread, standard_error=np.zeros_like(values))


def test_the_loss_of_every_way_at_every_rate_is_a_line_in_its_band(result):
    fig = plotted(transformer.learning(result, LIGHT))
    for way, name in enumerate(NAMES):
        mean, high, low = (traces_of(fig, f"{name}{of}")[0] for of in ("", ", largest seed", ", smallest seed"))
        np.testing.assert_array_equal(mean.x, RATES)
        np.testing.assert_array_equal(mean.y, result.last_loss.mean[way])
        np.testing.assert_array_equal(high.y, result.last_loss.high[way])
        np.testing.assert_array_equal(low.y, result.last_loss.low[way])
    pairs, chosen = fig.layout.shapes
    assert (pairs.y0, pairs.y1, pairs.line.dash) == (result.bigram_loss, result.bigram_loss, "dash")
    assert (chosen.x0, chosen.x1) == (0.01, 0.01)


def test_loss_and_gradient_at_the_rate_are_lines_over_the_steps(result):
    fig = plotted(transformer.learning(result, LIGHT))
    for way, name in enumerate(NAMES):
        _, loss, gradient = traces_of(fig, name)
        np.testing.assert_array_equal(loss.x, result.steps)
        np.testing.assert_array_equal(loss.y, result.loss.mean[way])
        np.testing.assert_array_equal(gradient.y, result.gradient_norm.mean[way])
        assert (loss.yaxis, gradient.yaxis) == ("y2", "y3")


def test_every_head_is_a_line_of_its_spread_and_one_of_its_entropy_beside_a_line_at_one(result):
    fig = plotted(transformer.heads(result, LIGHT))
    for layer, head in product((1, 2), (1, 2, 3, 4)):
        spread, entropy = traces_of(fig, f"layer {layer}, head {head}")
        at = 4 * (layer - 1) + head - 1
        np.testing.assert_array_equal(spread.y, result.score_std.mean[at])
        np.testing.assert_array_equal(entropy.y, result.entropy_nats.mean[at])
        assert (spread.line.dash, spread.line.color) == ("solid" if layer == 1 else "dot", LIGHT.third)
    (one,) = fig.layout.shapes
    assert (one.y0, one.yref, one.line.dash) == (1, "y", "dash")


@pytest.mark.parametrize("profile", PROFILES)
def test_axes_are_the_same_at_every_rate_and_of_every_way(profile):
    axes = set()
    for rate, way in product(RATES, WAYS):
        found = [draw(compare_transformers(TransformerParams(rate, way)), profile).figure.layout for draw in PICTURES]
        panels = [layout[name] for layout in found for name in AXES if name in layout]
        axes.add(str([(axis["range"], axis.get("domain")) for axis in panels]))
    assert len(axes) == 1


@pytest.mark.parametrize(
    ("raw", "root", "said", "sure"),
    [
        (3.0, 2.5, "÷ √dₖ learns more than raw", "every seed with ÷ √dₖ has a smaller loss than any without the scale"),
        (2.5, 3.0, "÷ √dₖ learns less than raw", "every seed without the scale has a smaller loss than any with ÷ √dₖ"),
        (2.6, 2.5, "the seeds of raw and ÷ √dₖ overlap", "the losses of their seeds overlap"),
        (2.5, 2.6, "the seeds of raw and ÷ √dₖ overlap", "the losses of their seeds overlap"),
    ],
)
def test_the_words_say_which_learns_more_whichever_it_is(result, raw, root, said, sure):
    losses = np.array([raw, root, 2.6, 2.6])[:, None]
    other = replace(result, loss=curve(result.loss, losses, 0.1), last_loss=curve(result.last_loss, losses, 0.1))
    shown = transformer.learning(other, LIGHT)
    best = f"At its best rate the loss is {number(raw)} without the scale and {number(root)} with ÷ √dₖ"
    assert shown.sentence == f"{best}; at rate 0.01, {said}."
    assert f"Raw against ÷ √dₖ, each at its best rate: {sure}." in shown.sure


def test_the_rates_that_work_are_named(result):
    works = np.zeros_like(result.works)
    works[1, 2], works[0, :2] = True, True
    shown = transformer.learning(replace(result, works=works), LIGHT)
    assert "Rates that work: raw 0.0003 and 0.001, ÷\u00a0√dₖ 0.003, ÷\u00a0dₖ none, QK-norm none." in shown.sure[4]


@pytest.mark.parametrize(("first", "last"), [(0.3, 1.2), (2.7, 0.4), (0.97, [0.5, 2] * 4)])
def test_the_words_of_the_heads_say_where_they_start_and_end(result, first, last):
    values = result.score_std.mean.copy()
    values[:, 0], values[:, -1] = first, last
    shown = transformer.heads(replace(result, score_std=curve(result.score_std, values)), LIGHT)
    assert shown.sentence == (
        f"With ÷ dₖ σ starts at {number(first, 2)}; after training the heads lie between "
        f"{number(np.min(last), 2)} and {number(np.max(last), 2)}."
    )
