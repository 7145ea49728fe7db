"""Pictures of the trained_heads lesson: plotted data and stated numbers equal those of the record."""

import numpy as np
import pytest

from pages._view.lessons.trained_heads import figures
from pages._view.theme import LIGHT, PROJECTOR
from sattn_core.lessons.trained_heads import HeadParams, TrainedHeadsParams, measure_head, measure_trained_heads
from sattn_core.training.encoder_record import EXPONENTS

PLACE = figures.Place(2, 9, 8)


@pytest.fixture(scope="module")
def heads():
    return measure_trained_heads(TrainedHeadsParams("cat"))


def trace(shown, name):
    (found,) = [each for each in shown.figure.data if each["name"] == name]
    return found


@pytest.mark.parametrize("exponent", [0.0, 0.37, 0.5, 1.0])
def test_dots_are_the_values_of_all_heads(heads, exponent):
    found = heads.scaled(exponent)
    shown = figures.spread(heads, exponent, LIGHT)
    for name, values in (("σ", found.score_std), ("effective keys", found.effective_keys)):
        np.testing.assert_array_equal(trace(shown, f"heads, {name}")["y"], values.ravel())
        assert trace(shown, f"median, {name}")["y"][0] == np.median(values)
    assert len(set(trace(shown, "heads, σ")["x"])) == 72


@pytest.mark.parametrize(
    ("exponent", "start"),
    [
        (0.0, "Not divided, all heads lie above the dashed line"),
        (0.5, "As trained, most heads lie above the dashed line"),
        (0.9, "Divided by dₖ to the power 0.9, one head lies above the dashed line"),
        (1.0, "Divided by dₖ, one head lies above the dashed line"),
    ],
)
def test_sentence_counts_the_heads_with_a_spread_above_1(heads, exponent, start):
    found = heads.scaled(exponent)
    sentence = figures.spread(heads, exponent, LIGHT).sentence
    assert sentence.startswith(start)
    wider = int((found.score_std > 1).sum())
    assert wider == 72 if "all heads" in start else wider == 1 if "one head" in start else 36 < wider < 72
    assert f"{found.median_keys:.2g}" in sentence
    assert "of 13 words" in sentence


def test_counts_of_heads_are_written_as_no_head_or_some_heads():
    assert figures._above_the_line(0, 72) == "no head lies above the dashed line"
    assert figures._above_the_line(36, 72) == "some heads lie above the dashed line"


def test_matrix_and_bars_are_the_weights_of_the_head(heads):
    shown = figures.attention(heads, PLACE, 0.3, LIGHT)
    weights = heads.weights(2, 9, 0.3)
    cells, bars = shown.figure.data
    np.testing.assert_array_equal(cells["z"], weights)
    assert list(bars["x"]) == sorted(weights[7], reverse=True)[: len(bars["x"])]
    assert len(shown.table["weight"]) == 13**2
    names = shown.figure.layout["yaxis2"]["ticktext"]
    assert names[0] == heads.tokens[int(weights[7].argmax())]


def test_sentence_mentions_a_word_that_looks_most_at_itself():
    found = measure_trained_heads(TrainedHeadsParams("cat"))
    own = next(
        (layer, head, word)
        for layer in range(1, 7)
        for head in range(1, 13)
        for word in range(1, 14)
        if found.weights(layer, head, 0.5)[word - 1].argmax() == word - 1
    )
    assert "looks most at itself" in figures.attention(found, figures.Place(*own), 0.5, LIGHT).sentence


def test_pieces_of_a_word_begin_with_an_ellipsis():
    shown = figures.attention(measure_trained_heads(TrainedHeadsParams("list")), PLACE, 0.5, LIGHT)
    assert "…s" in shown.table["from"]


def test_axis_of_a_long_text_shows_at_most_12_words():
    found = measure_trained_heads(TrainedHeadsParams())
    for profile, most in ((LIGHT, 12), (PROJECTOR, 6)):
        ticks = figures.attention(found, PLACE, 0.5, profile).figure.layout["yaxis"]
        assert len(ticks["tickvals"]) == len(ticks["ticktext"]) <= most
        assert [ticks["ticktext"][1]] == [found.tokens[ticks["tickvals"][1]]]


def test_curves_are_the_cosines_after_each_layer(heads):
    shown = figures.downstream(heads, 0.0, LIGHT)
    np.testing.assert_array_equal(trace(shown, "after layer 6")["y"], heads.cosines[:, 5])
    assert heads.cosines.min() > shown.figure.layout["yaxis"]["range"][0]
    assert f"cosine {heads.cosines[0, 5]:.2g}" in shown.sentence
    assert figures.downstream(heads, 0.504, LIGHT).sentence.endswith("a cosine of 1.")
    assert EXPONENTS[25] == 0.5


def test_table_of_a_head_gives_the_numbers_of_its_report():
    head = measure_head(HeadParams("paragraph", 3, 5))
    table = figures.head_table(head)
    assert table["q"][1] == f"{head.report.query.variance:.3g}"
    assert table["k"][1] == f"{head.report.key.variance:.3g}"
    assert table["quantity"][3] == "directions that the scores use"
    assert (table["q"][3], table["ideal"][3]) == (f"{head.effective_dimension:.3g}", "32")
    assert table["q"][4].endswith("above the others")
    assert {len(column) for column in table.values()} == {5}


def test_verdict_says_that_it_judges_a_start_of_training():
    head = measure_head(HeadParams())
    verdict, trained = figures.head_verdict(head)
    assert verdict == head.report.verdict
    assert trained.startswith("That is how a start of training is judged. This head was trained with ÷ √dₖ")


@pytest.mark.parametrize("word", [1, 2, 4, 38, 76])
def test_axis_always_shows_the_chosen_word(word):
    found = measure_trained_heads(TrainedHeadsParams())
    for profile in (LIGHT, PROJECTOR):
        shown = figures.attention(found, figures.Place(6, 12, word), 0.5, profile)
        ticks = shown.figure.layout["yaxis"]
        named = dict(zip(ticks["tickvals"], ticks["ticktext"], strict=True))
        assert named[word - 1] == found.tokens[word - 1]
        assert np.diff(ticks["tickvals"]).min() >= 76 / (6 if profile is PROJECTOR else 12)
