"""Pictures of a whole transformer: their data are the record's, and their words say whatever it says."""

from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.training_race import transformer
from pages._view.theme import LIGHT, number
from sattn_core.lessons.training_race import TransformerParams, compare_transformers
from sattn_core.training.trained_transformers import RATES, WAYS, trained_transformers
from tests.figures.drawing import PROFILES, plotted, traces_of

NAMES = ["raw", "÷ √dₖ", "÷ dₖ", "QK-norm"]
AXES = [f"{across}axis{at}" for across in "xy" for at in ("", "2", "3")]


@pytest.fixture(scope="module")
def result():
    return compare_transformers(TransformerParams(0.01))


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
    pairs, chosen, one = fig.layout.shapes
    assert (one.y0, one.y1, one.yref, one.line.dash) == (1, 1, "y3", "dash")
    assert (pairs.y0, pairs.y1, pairs.line.dash) == (result.bigram_loss, result.bigram_loss, "dash")
    assert (chosen.x0, chosen.x1) == (0.01, 0.01)


def test_loss_and_spread_at_the_rate_are_lines_over_the_steps(result):
    fig = plotted(transformer.learning(result, LIGHT))
    for way, name in enumerate(NAMES):
        _, loss, spread = traces_of(fig, name)
        np.testing.assert_array_equal(loss.x, result.steps)
        np.testing.assert_array_equal(loss.y, result.loss.mean[way])
        np.testing.assert_array_equal(spread.y, result.score_std.mean[way])
        (largest,) = traces_of(fig, f"{name}, largest head")
        np.testing.assert_array_equal(largest.y, result.score_std.high[way])
        assert (loss.yaxis, spread.yaxis) == ("y2", "y3")


@pytest.mark.parametrize("profile", PROFILES)
def test_axes_are_the_same_at_every_rate_and_hold_what_is_drawn(profile):
    axes = set()
    for rate in RATES:
        result = compare_transformers(TransformerParams(rate))
        layout = transformer.learning(result, profile).figure.layout
        panels = [layout[name] for name in AXES if name in layout]
        axes.add(str([(axis["range"], axis.get("domain")) for axis in panels]))
        low, high = 10.0 ** np.array(layout["yaxis3"]["range"])
        assert low < result.score_std.low.min() < result.score_std.high.max() < high
    assert len(axes) == 1


@pytest.mark.parametrize(
    ("raw", "root", "said", "sure"),
    [
        (3.0, 2.5, "Each at its best rate, ÷ √dₖ learns more than raw",
         "every seed with ÷ √dₖ has a smaller loss than any without the scale"),
        (2.5, 3.0, "Each at its best rate, ÷ √dₖ learns less than raw",
         "every seed without the scale has a smaller loss than any with ÷ √dₖ"),
        (2.6, 2.5, "At their best rates raw and ÷ √dₖ learn alike", "the losses of their seeds overlap"),
        (2.5, 2.6, "At their best rates raw and ÷ √dₖ learn alike", "the losses of their seeds overlap"),
    ],
)  # fmt: skip
def test_the_words_say_which_learns_more_whichever_it_is(result, raw, root, said, sure):
    losses, spreads = np.array([raw, root, 2.6, 2.6])[:, None], np.array([380, 24, 2, 1.2])[:, None]
    changed = {"last_loss": curve(result.last_loss, losses, 0.1), "score_std": curve(result.score_std, spreads)}
    shown = transformer.learning(replace(result, **changed), LIGHT)
    assert shown.sentence == f"{said}. At 0.01 the mean σ ends at 380 raw, at 24 with ÷ √dₖ."
    assert f"Raw against ÷ √dₖ, each at its best rate: {sure}." in shown.sure


def test_the_rates_that_work_are_named(result):
    works = np.zeros_like(result.works)
    works[1, 2], works[0, :2] = True, True
    shown = transformer.learning(replace(result, works=works), LIGHT)
    assert "Rates that work: raw 0.0003 and 0.001, ÷\u00a0√dₖ 0.003, ÷\u00a0dₖ none, QK-norm none." in shown.sure[5]


def test_the_words_say_how_wide_heads_are_and_what_is_read(result):
    kept = trained_transformers()
    about, said = kept.about, " ".join(transformer.learning(result, LIGHT).sure)
    assert (about["n_heads"] * about["d_k"], about["d_model"]) == (256, 128)
    assert "A head is 64 numbers wide (dₖ = 64), the heads of a layer 256, in a model of 128 " in said
    assert about["windows_read"] * about["context"] == 1_536
    assert "The loss is read on 24 × 64 = 1,536 characters, the same for every seed." in said


@pytest.mark.parametrize("rate", RATES)
def test_the_words_give_the_smallest_and_the_largest_head(rate):
    kept = trained_transformers().score_std[:, RATES.index(rate), :, -1].reshape(len(WAYS), -1)
    said = " ".join(transformer.learning(compare_transformers(TransformerParams(rate)), LIGHT).sure)
    for word, found in (("the smallest", kept.min(axis=1)), ("The largest", kept.max(axis=1))):
        named = [f"{name} {number(value, 2)}" for name, value in zip(NAMES, found, strict=True)]
        assert f"{word}: {', '.join(named)}." in said.replace("÷\u00a0", "÷ ")
