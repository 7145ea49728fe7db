"""Pictures of the one_query lesson: their data are the result's, their words are its numbers."""

import re

import numpy as np
import pytest

from pages._view.lessons.one_query import figures
from pages._view.theme import LIGHT, PROJECTOR
from sattn_core.example import KEY_WORDS
from sattn_core.lessons.one_query import STEPS, OneQueryParams, measure_one_query
from tests.figures.drawing import PROFILES, plotted, texts, trace_of

DIMENSIONS = (1, 2, 3, 4, 5, 64, 1024)


def measured(d_k, seed=0, emphasis=1):
    return measure_one_query(OneQueryParams(d_k, seed, emphasis))


@pytest.fixture(scope="module")
def result():
    return measured(64)


def shown(result, step):
    return figures.one_step(result, step, LIGHT)


def ticks(picture):
    """The words under the bars, line by line."""
    return [re.sub("<b>|</b>", "", text).split("<br>") for text in plotted(picture).layout.xaxis.ticktext]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("d_k", DIMENSIONS)
def test_a_description_says_d_k_and_a_claim_is_short(d_k, step):
    for seed in (0, 1, 3):
        picture = shown(measured(d_k, seed), step)
        assert f"d_k = {d_k:,}" in picture.spoken()
        assert len(figures.claim(measured(d_k, seed), step).split()) <= 12


@pytest.mark.parametrize("step", STEPS)
def test_the_axes_stand_still_while_d_k_moves_and_the_picture_does_not(step):
    layouts = [plotted(shown(measured(d_k), step)).layout for d_k in DIMENSIONS]
    assert len({(layout.xaxis.range, layout.yaxis.range, layout.height) for layout in layouts}) == 1
    assert len({plotted(shown(measured(d_k), step)).to_json() for d_k in DIMENSIONS}) == len(DIMENSIONS)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("d_k", DIMENSIONS)
def test_the_arithmetic_is_a_table_of_texts(d_k, step):
    table = figures.by_hand(measured(d_k), step)
    assert len({len(column) for column in table.values()}) == 1
    assert all(isinstance(text, str) for column in table.values() for text in column)


def test_all_steps_are_of_one_height(result):
    assert len({plotted(shown(result, step)).layout.height for step in STEPS}) == 1


def test_the_matrix_has_the_query_above_the_keys_and_the_first_of_the_others_beside(result):
    picture = shown(result, "ask")
    z = trace_of(plotted(picture), "components").z
    assert list(z[0][:4]) == [1, 1, -1, 0.5]
    assert list(z[1]) == [None] * 5
    assert [list(row[:4]) for row in z[2:]] == result.keys[:, :4].tolist()
    rest = "the first 4 are invented, the others drawn at random."
    assert picture.sentence.endswith(f"each with dₖ = 64 components: {rest}")
    assert shown(measured(4), "ask").sentence.endswith("each with dₖ = 4 invented components.")
    last = [row[-1] for row in trace_of(plotted(shown(result, "ask")), "components").text]
    drawn = [f"{a:.0f}, …".replace("-", "−") for a in result.keys[:, 4]]
    assert last[2:] == drawn
    assert ticks(shown(result, "ask"))[-1] == ["60", "more, +1", "or −1"]
    for d_k, said in ((3, ""), (4, ""), (5, "−1"), (6, "−1, …")):
        assert trace_of(plotted(shown(measured(d_k), "ask")), "components").text[0][-1] == said
    assert ticks(shown(measured(4), "ask"))[-1] == [""]
    assert [text for (text,) in ticks(shown(measured(2), "ask"))] == ["living", "thing", ""]
    columns = shown(result, "ask").bins
    assert columns["product with cat"] == result.products[1].tolist()
    assert len(columns["component"]) == 64


def test_each_product_and_each_addition_stand_under_their_bars(result):
    picture = shown(result, "multiply")
    assert list(trace_of(plotted(picture), "products").y) == [1.5, 0.5, -0.5, 0.5]
    assert ticks(picture)[2] == ["action", "(−1) × 0.5", "= −0.5"]
    assert "1 × 1.5 = 1.5 for “living”" in picture.sentence
    assert ticks(picture)[4] == ["60", "more, +1", "or −1"]
    picture = shown(result, "add")
    assert list(trace_of(plotted(picture), "scores").y) == [1, 2, -2, 0]
    assert ticks(picture)[1] == ["cat", "1.5 + 0.5", "− 0.5 + 0.5", "= 2"]
    assert picture.sentence.endswith("after 4 of them “cat” is highest with 2, “slept” lowest with −2.")
    assert shown(measured(3), "add").sentence.endswith(
        "after 3 of them “mat” and “cat” are highest with 1.5, “slept” lowest with −2."
    )


def test_the_lines_are_the_sums_on_an_axis_of_doublings(result):
    fig = plotted(shown(result, "wander"))
    for word, sums in zip(KEY_WORDS, result.walk.sums, strict=True):
        drawn = trace_of(fig, word)
        assert (list(drawn.y), drawn.line.color) == (sums.tolist(), LIGHT.raw)
        np.testing.assert_allclose(np.exp2(drawn.x), np.arange(1, 65), rtol=1e-14)
    places = dict(zip(fig.layout.xaxis.ticktext, fig.layout.xaxis.tickvals, strict=True))
    assert places == {"1": 0, "4": 2, "16": 4, "64": 6, "256": 8, "1,024": 10}
    (end,) = fig.layout.shapes
    assert end.x0 == end.x1 == 2  # after four products
    assert texts(fig) == ["random →", "cat 0", "tired 2", "slept 8", "mat 13", "1,000 such sentences"]


@pytest.mark.parametrize(("step", "n_bars"), [("wander", 1), ("softmax", 2), ("divide", 3), ("grow", 3)])
@pytest.mark.parametrize("profile", PROFILES)
def test_the_strip_counts_the_sentences_of_the_moment(step, n_bars, profile):
    result = measured(64, emphasis=8 if step == "grow" else 1)
    many = result.sentences
    fig = plotted(figures.one_step(result, step, profile))
    bars = [trace for trace in fig.data if trace.xaxis == "x2"]
    shares = (many.on_top[1], many.raw_top_weight, many.scaled_top_weight)[:n_bars]
    assert [bar.x[0] for bar in bars] == [100 * share for share in shares]
    assert [bar.text[0] for bar in bars] == [f"{100 * share:.0f} %" for share in shares]
    assert [bar.marker.color for bar in bars] == [profile.band, profile.raw, profile.scaled][:n_bars]
    assert list(fig.layout.yaxis2.ticktext) == [bar.name for bar in bars]
    own, strip = fig.layout.yaxis.domain, fig.layout.yaxis2.domain
    beside = fig.layout.xaxis2.domain[0] > fig.layout.xaxis.domain[1]
    assert beside == (profile is PROJECTOR)
    assert beside or strip[1] < own[0]


def test_names_at_the_ends_keep_apart_and_stay_near():
    assert figures._apart(np.array([0.0, 10.0, 20.0]), 5) == [0, 10, 20]
    assert figures._apart(np.array([0.0, 0.0, 20.0]), 5) == [-2.5, 2.5, 20]
    places = figures._apart(np.array([0.0, 1.0, 2.0, 2.0]), 4)
    assert np.diff(places).min() >= 4 - 1e-12
    assert np.mean(places) == pytest.approx(1.25)


def test_both_softmax_steps_have_the_same_axes_and_the_raw_bars_stay(result):
    raw, scaled = plotted(shown(result, "softmax")), plotted(shown(result, "divide"))
    assert raw.layout.yaxis == scaled.layout.yaxis
    assert raw.layout.xaxis.range == scaled.layout.xaxis.range
    assert raw.layout.margin == scaled.layout.margin
    assert raw.data[0] == scaled.data[0] == trace_of(scaled, "raw")
    assert list(trace_of(scaled, "raw").y) == result.raw.weights.tolist()
    assert list(trace_of(scaled, "÷ √dₖ").y) == result.scaled.weights.tolist()
    assert [trace.marker.color for trace in scaled.data[:2]] == [LIGHT.raw, LIGHT.scaled]


def test_the_steps_tell_how_chance_outvotes_the_meaning(result):
    few, tie, lucky = measured(4), measured(3), measured(64, seed=1)
    assert title_of(result, "wander") == "Chance outvotes meaning"
    assert shown(result, "wander").sentence == (
        "60 random products put “mat” on top; “cat” is on top in 35 % of 1,000 such sentences."
    )
    assert title_of(lucky, "wander") == "The sums wander"
    assert shown(lucky, "wander").sentence == (
        "After 60 random products “cat” is on top, as in 36 % of 1,000 such sentences."
    )
    assert shown(measured(5), "wander").sentence.startswith("1 random product put ")
    assert shown(few, "wander").sentence == "So far all products are invented, and “cat” is on top."
    assert shown(tie, "wander").sentence.endswith("“mat” and “cat” are on top.")
    assert title_of(result, "softmax") == "“mat” takes nearly all"
    assert shown(result, "softmax").sentence == (
        "Softmax turns scores into weights: “mat” gets 99.3 %; the top word, whichever it is, gets 91 % on average."
    )
    assert title_of(few, "softmax") == "Softmax gives weights"
    assert shown(few, "softmax").sentence.endswith("weights that add up to 100 %: “cat” gets 66 %.")
    assert len(tie.raw.largest) == 2
    assert "“mat” and “cat” get 47 % each." in shown(tie, "softmax").sentence


def title_of(result, step):
    return plotted(shown(result, step)).layout.title.text


def test_dividing_keeps_the_choice_open_and_does_not_better_it(result):
    assert shown(result, "divide").sentence == (
        "Divided by √dₖ = 8, “mat” gets 50 %, not 99.3 %: no better choice, but one that training can change."
    )
    assert ticks(shown(result, "divide"))[:2] == [["mat", "13 ÷ 8", "50 %"], ["cat", "0 ÷ 8", "9.9 %"]]
    assert title_of(result, "divide") == "The choice stays open"
    few = measured(4)
    assert title_of(few, "divide") == "Divided by √dₖ"
    assert "more evenly: “cat” gets 47 % instead of 66 %" in shown(few, "divide").sentence
    assert shown(measured(1), "divide").sentence.endswith("the scores stay as they are: “cat” keeps 53 %.")


def test_with_larger_invented_numbers_the_meaning_wins_again(result):
    strong = measured(64, emphasis=16)
    assert (title_of(result, "grow"), title_of(strong, "grow")) == ("Chance still wins here", "The meaning wins here")
    assert shown(strong, "grow").sentence == (
        "Invented numbers 16 times as large: “cat” is on top in 95 % of such sentences; here, divided, 55 %."
    )
    assert shown(measured(64, emphasis=2), "grow").sentence.startswith("Invented numbers twice as large: ")
    assert shown(result, "grow").sentence.startswith("Invented numbers as they are: “cat” is on top in 35 % ")
    assert title_of(measured(3), "grow") == "A tie at the top"


def test_the_tables_by_hand_are_worked_out_and_have_a_true_title(result):
    table = figures.by_hand(result, "wander")
    assert [column[0] for column in table.values()] == ["mat", "1", "36 × 1", "24 × 1", "13"]
    raw, scaled = (figures.by_hand(result, step) for step in ("softmax", "divide"))
    assert list(scaled) == ["key", "score ÷ √64", "− the largest", "e to that power", "÷ 1.98501 = weight"]
    assert [column[0] for column in scaled.values()] == ["mat", "13 ÷ 8 = 1.625", "0", "1", "0.503775"]
    assert [column[0] for column in raw.values()] == ["mat", "13", "0", "1", "0.993288"]
    assert figures.claim(result, "wander") == "A score counts its steps up and down"
    assert figures.claim(measured(4), "wander") == "Nothing is drawn yet: the score is invented"
    assert figures.claim(result, "divide") == "Smaller differences, more even weights"
    assert figures.claim(measured(1), "divide") == "Divided by 1, every score stays"


def test_the_count_is_compared_with_its_exact_probability(result):
    picture = shown(result, "divide")
    assert [column[0] for column in picture.checks.values()] == ["“cat” on top", "35.2 %", "35.3 ± 1.5 %"]
    assert [column[1] for column in picture.checks.values()] == ["top word, raw", "–", "90.9 ± 0.47 %"]
    for step, n_rows in (("wander", 1), ("softmax", 2), ("divide", 3), ("grow", 3)):
        checks = shown(result, step).checks
        assert {len(column) for column in checks.values()} == {n_rows}
        assert shown(result, step).sure
    assert (shown(result, "add").sure, shown(result, "add").checks) == ((), None)


@pytest.mark.parametrize("emphasis", [1, 3, 16])
@pytest.mark.parametrize("d_k", DIMENSIONS)
@pytest.mark.parametrize("step", STEPS)
def test_the_sentence_is_short_and_true(step, d_k, emphasis):
    result = measured(d_k, 3, emphasis if step == "grow" else 1)
    said = shown(result, step).sentence
    assert len(said.split()) <= 25
    assert len(re.findall(r"\d[\d,.]*", said.replace("√dₖ", ""))) <= 3
    if "no better choice" in said:
        assert result.raw.top_weight >= 0.9 > result.scaled.top_weight


def test_the_sentence_marks_the_words_of_the_step():
    assert re.findall(r"<b[^>]*>(\w+)</b>", figures.words("add", LIGHT)) == ["mat", "cat", "slept", "it", "tired"]
    assert re.findall(r"<b[^>]*>(\w+)</b>", figures.words("multiply", LIGHT)) == ["cat", "it"]
