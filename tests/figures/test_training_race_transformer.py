"""Pictures of the trained transformers: plotted data equal the record's, and sentences are right for any record."""

from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.training_race import transformer
from pages._view.theme import LIGHT, number, typed
from sattn_core.lessons.training_race import TransformerParams, compare_transformers
from sattn_core.training.trained_transformers import RATES, WAYS, trained_transformers
from tests.figures.drawing import PROFILES, plotted, traces_of

DRAWN = ["raw", "÷ √dₖ", "÷ dₖ"]
NAMES = [*DRAWN, "QK-norm"]  # all variants in the record


@pytest.fixture(scope="module")
def result():
    return compare_transformers(TransformerParams(0.01))


def curve(old, values, spread=0.0):
    """Return a curve with new mean values; its lowest and highest seeds are `spread` away."""
    values = np.broadcast_to(values, old.mean.shape)
    return replace(old, mean=values, low=values - spread, high=values + spread, standard_error=np.zeros_like(values))


def test_every_scale_has_a_line_of_mean_losses_in_the_band_of_its_seeds(result):
    fig = plotted(transformer.learning(result, LIGHT))
    assert not any("QK-norm" in each.name for each in fig.data)
    for way, name in enumerate(DRAWN):
        mean, high, low, dot = (
            traces_of(fig, f"{name}{of}")[0] for of in ("", ", largest seed", ", smallest seed", ", at the rate")
        )
        np.testing.assert_array_equal(mean.x, RATES)
        np.testing.assert_array_equal(mean.y, result.last_loss.mean[way])
        np.testing.assert_array_equal(high.y, result.last_loss.high[way])
        np.testing.assert_array_equal(low.y, result.last_loss.low[way])
        assert (dot.x[0], dot.y[0]) == (0.01, result.last_loss.mean[way, RATES.index(0.01)])
    line, chosen = fig.layout.shapes
    assert (line.y0, line.y1, line.line.dash) == (result.bigram_loss, result.bigram_loss, "dash")
    assert (chosen.x0, chosen.x1) == (0.01, 0.01)


@pytest.mark.parametrize("profile", PROFILES)
def test_axes_are_the_same_at_every_rate_and_contain_all_points(profile):
    axes = set()
    for rate in RATES:
        result = compare_transformers(TransformerParams(rate))
        layout = transformer.learning(result, profile).figure.layout
        axes.add(str([layout[name]["range"] for name in ("xaxis", "yaxis")]))
        low, high = layout["yaxis"]["range"]
        assert low < result.last_loss.low.min() < result.last_loss.high.max() < high
    assert len(axes) == 1


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("profile", PROFILES)
def test_every_line_has_one_label(result, profile, narrow):
    figure = transformer.learning(result, profile).figure
    layout = figure.layout | (figure.narrow if narrow else {})
    said = [note["text"].replace("<br>", " ") for note in layout["annotations"]]
    bold = [f"<b>{name}</b>" for name in DRAWN]
    assert said == ["Loss on new text after 300 steps", *bold, "guess from the last character alone"]
    assert layout["annotations"][-1]["y"] == result.bigram_loss


def test_vertical_line_at_the_chosen_rate_crosses_no_label(result):
    layout = transformer.learning(result, LIGHT).figure.layout
    low, high = layout["xaxis"]["range"]
    *_, before, last = (np.log10(RATES) - low) / (high - low)
    name = layout["annotations"][-1]
    assert name["xanchor"] == "right"
    assert before + 0.17 < name["x"] < last  # a label takes at most a sixth of the width


def test_overlapping_labels_are_moved_apart_around_their_line_ends():
    heights = transformer._apart_by(0.1, [0.7, 0.2, 0.72, 0.71])
    np.testing.assert_allclose(heights, [0.61, 0.2, 0.81, 0.71])
    assert transformer._apart_by(0.1, [0.1, 0.5, 0.3, 0.9]) == pytest.approx([0.1, 0.5, 0.3, 0.9])


def at_the_rate(result, *works):
    """Return a result with new values of `works` at its rate; in all, raw learns at one rate and ÷ √dₖ at two."""
    found = np.zeros_like(result.works)
    found[:, RATES.index(result.params.rate)] = works
    for way, wanted in enumerate((1, 2)):
        found[way, : wanted - found[way].sum()] = True
    return replace(result, works=found)


@pytest.mark.parametrize(
    ("works", "said"),
    [
        ((0, 1, 1, 1), "all but raw learn"),
        ((1, 0, 1, 1), "all but ÷ √dₖ learn"),
        ((0, 0, 1, 1), "÷ dₖ learns"),
        ((0, 1, 0, 1), "÷ √dₖ learns"),
        ((1, 1, 1, 0), "each scale learns"),
        ((0, 0, 0, 1), "no scale learns"),
    ],
)
def test_sentence_names_the_scales_that_learn_and_counts_their_rates(result, works, said):
    shown = transformer.learning(at_the_rate(result, *works), LIGHT)
    flat = (
        f"{'It' if sum(works[:3]) == 1 else '÷ dₖ'} starts flat: its scores first grow, from a spread of 0.04 to 2.0."
    )
    counts = "Of six rates, raw learns at one, ÷ √dₖ at two, ÷ dₖ at none."
    assert shown.sentence == f"At rate 0.01, {said}. {flat if works[2] else counts}"


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        (0.0003, "no scale learns"),
        (0.001, "each scale learns"),
        (0.003, "all but raw learn"),
        (0.01, "÷ dₖ learns"),
        (0.03, "no scale learns"),
        (0.1, "no scale learns"),
    ],
)
def test_sentence_is_true_of_the_record_at_each_rate(rate, said):
    kept = trained_transformers()
    works = (kept.held_out_loss[..., -1] < kept.about["bigram_loss"]).all(axis=-1)
    learn = {"no": [], "each": DRAWN, "all": DRAWN[1:], "÷": ["÷ dₖ"]}[said.split()[0]]
    assert [name for name, each in zip(DRAWN, works[:3, RATES.index(rate)], strict=True) if each] == learn
    assert works.sum(axis=1)[:3].tolist() == [1, 2, 3]
    sentence = transformer.learning(compare_transformers(TransformerParams(rate)), LIGHT).sentence
    stds = kept.score_std[WAYS.index("whole"), RATES.index(rate)]  # (n_seeds, n_steps, n_layers, n_heads)
    first, last = np.sqrt((stds[:, 0] ** 2).mean()), stds[:, -1].mean()
    end = "Of six rates, raw learns at one, ÷ √dₖ at two, ÷ dₖ at three."
    if "÷ dₖ" in learn:
        assert last > 20 * first  # so "flat" and "grow" are true
        name = "It" if len(learn) == 1 else "÷ dₖ"
        end = f"{name} starts flat: its scores first grow, from a spread of {number(first, 1)} to {number(last, 2)}."
    sentence = transformer.learning(compare_transformers(TransformerParams(rate)), LIGHT).sentence
    assert sentence == f"At rate {typed(rate)}, {said}. {end}"
    assert sum(any(map(str.isalnum, word)) for word in sentence.split()) <= 25


@pytest.mark.parametrize(("whole", "overlap"), [(2.5, True), (2.59, True), (3.0, False)])
def test_how_sure_fold_compares_both_divisors_at_their_best_rates(result, whole, overlap):
    losses = np.array([3.0, 2.5, whole, 2.6])[:, None]
    shown = transformer.learning(replace(result, last_loss=curve(result.last_loss, losses, 0.1)), LIGHT)
    apart = "every seed with ÷ √dₖ has a smaller loss than any with ÷ dₖ"
    said = "the losses of their seeds overlap" if overlap else apart
    assert f" ÷ dₖ against ÷ √dₖ: {said}." in shown.sure[4]


@pytest.mark.parametrize(
    ("raw", "root", "sure"),
    [
        (3.0, 2.5, "every seed with ÷ √dₖ has a smaller loss than any without the scale"),
        (2.5, 3.0, "every seed without the scale has a smaller loss than any with ÷ √dₖ"),
        (2.6, 2.5, "the losses of their seeds overlap"),
        (2.5, 2.6, "the losses of their seeds overlap"),
    ],
)
def test_how_sure_fold_says_if_raw_or_sqrt_d_k_has_the_smaller_loss(result, raw, root, sure):
    losses = np.array([raw, root, 2.6, 2.6])[:, None]
    shown = transformer.learning(replace(result, last_loss=curve(result.last_loss, losses, 0.1)), LIGHT)
    assert f"Raw against ÷ √dₖ, each at its best rate: {sure}." in shown.sure[4]


def test_how_sure_fold_lists_the_rates_that_work(result):
    works = np.zeros_like(result.works)
    works[1, 2], works[0, :2] = True, True
    shown = transformer.learning(replace(result, works=works), LIGHT)
    assert "Rates that work: raw 0.0003 and 0.001, ÷\u00a0√dₖ 0.003, ÷\u00a0dₖ none, QK-norm none." in shown.sure[5]


def test_how_sure_fold_gives_the_heads_width_and_the_amount_of_text(result):
    kept = trained_transformers()
    about, said = kept.about, " ".join(transformer.learning(result, LIGHT).sure)
    assert (about["n_heads"] * about["d_k"], about["d_model"]) == (256, 128)
    assert "A head is 64 numbers wide (dₖ = 64), the heads of a layer 256, in a model of 128 " in said
    assert about["windows_read"] * about["context"] == 1_536
    assert "The loss is read on 24 × 64 = 1,536 characters, the same for every seed." in said


@pytest.mark.parametrize("rate", RATES)
def test_how_sure_fold_gives_the_spreads_of_the_smallest_and_largest_head(rate):
    kept = trained_transformers().score_std[:, RATES.index(rate), :, -1].reshape(len(WAYS), -1)
    said = " ".join(transformer.learning(compare_transformers(TransformerParams(rate)), LIGHT).sure)
    for word, found in (("the smallest", kept.min(axis=1)), ("The largest", kept.max(axis=1))):
        named = [f"{name} {number(value, 2)}" for name, value in zip(NAMES, found, strict=True)]
        assert f"{word}: {', '.join(named)}." in said.replace("÷\u00a0", "÷ ")
