"""Pictures of the one_query lesson: their data are the result's, their words are its numbers."""

import re

import numpy as np
import pytest

from pages._view.lessons.one_query import figures
from pages._view.theme import LIGHT
from sattn_core.example import KEY_WORDS
from sattn_core.lessons.one_query import STEPS, OneQueryParams, measure_one_query
from tests.figures.drawing import plotted, texts, trace_of, traces_of

DIMENSIONS = (1, 2, 3, 4, 5, 64, 1024)


def measured(d_k, seed=0):
    return measure_one_query(OneQueryParams(d_k, seed))


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


def test_the_lines_are_the_sums_and_the_dashed_ones_the_theory(result):
    fig = plotted(shown(result, "wander"))
    for word, sums in zip(KEY_WORDS, result.walk.sums, strict=True):
        drawn = trace_of(fig, word)
        assert (list(drawn.y), drawn.line.color) == (sums.tolist(), LIGHT.raw)
        np.testing.assert_allclose(np.square(drawn.x), np.arange(65), rtol=1e-15)  # an axis of roots
    above, below = traces_of(fig, "theory")
    assert above.line.dash == below.line.dash == "dash"
    assert list(above.x) == list(below.x) == [0, 8]
    assert above.y[-1] == -below.y[-1] == 8
    places = dict(zip(fig.layout.xaxis.ticktext, fig.layout.xaxis.tickvals, strict=True))
    assert places == {"0": 0, "16": 4, "64": 8, "256": 16, "1,024": 32}
    assert texts(fig) == ["slept −6", "tired 6", "mat 13", "cat 20"]


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
    colours = [trace.marker.color for trace in scaled.data]
    assert colours == [LIGHT.raw, LIGHT.scaled]


def test_the_steps_of_softmax_say_what_is_so_where_it_is_so(result):
    assert plotted(shown(result, "softmax")).layout.title.text == "“cat” takes nearly all"
    assert shown(result, "softmax").sentence.endswith("at dₖ = 64 “cat” gets 99.9 %.")
    assert shown(result, "divide").sentence == (
        "Divided by √dₖ = 8, the scores spread the weight again: “cat” gets 61 % instead of 99.9 %."
    )
    assert ticks(shown(result, "divide"))[:2] == [
        ["mat", "13 ÷ 8", "= 1.625", "26 %"],
        ["cat", "20 ÷ 8", "= 2.5", "61 %"],
    ]
    few, tie = measured(4), measured(3)
    assert plotted(shown(few, "softmax")).layout.title.text == "Softmax gives weights"
    assert plotted(shown(few, "divide")).layout.title.text == "Divided by √dₖ"
    assert "more evenly: “cat” gets 47 % instead of 66 %" in shown(few, "divide").sentence
    assert shown(measured(1), "divide").sentence.endswith("the scores stay as they are: “cat” keeps 53 %.")
    assert len(tie.raw.largest) == 2
    assert "“mat” and “cat” get 47 % each." in shown(tie, "softmax").sentence


def test_the_tables_by_hand_are_worked_out_and_have_a_true_title(result):
    table = figures.by_hand(result, "wander")
    assert [column[1] for column in table.values()] == ["cat", "2", "39 × 1", "21 × 1", "20"]
    raw, scaled = (figures.by_hand(result, step) for step in ("softmax", "divide"))
    assert list(scaled) == ["key", "score ÷ √64", "− the largest", "e to that power", "÷ 1.62941 = weight"]
    assert [column[1] for column in scaled.values()] == ["cat", "20 ÷ 8 = 2.5", "0", "1", "0.613719"]
    assert [column[0] for column in raw.values()] == ["mat", "13", "−7", "0.000911882", "0.000911050"]
    assert figures.claim(result, "wander") == "A score counts its steps up and down"
    assert figures.claim(measured(4), "wander") == "Nothing is drawn yet: the score is invented"
    assert figures.claim(result, "divide") == "Smaller differences, more even weights"
    assert figures.claim(measured(1), "divide") == "Divided by 1, every score stays"


def test_wandering_is_compared_with_theory_once_something_is_drawn(result):
    picture = shown(result, "wander")
    assert picture.sure == ("In theory the sum of 60 random signs has mean 0 and standard deviation √60 = 7.75.",)
    assert [column[1] for column in picture.checks.values()] == ["cat", "18", "0 ± 7.75", "2.3"]
    for none in (shown(measured(4), "wander"), shown(result, "divide")):
        assert (none.sure, none.checks) == ((), None)
    assert shown(measured(4), "wander").sentence.startswith("So far all products are invented")
    assert shown(result, "wander").sentence.endswith("after dₖ = 64 products the four sums lie between −6 and 20.")


def test_the_sentence_marks_the_words_of_the_step():
    assert re.findall(r"<b[^>]*>(\w+)</b>", figures.words("add", LIGHT)) == ["mat", "cat", "slept", "it", "tired"]
    assert re.findall(r"<b[^>]*>(\w+)</b>", figures.words("multiply", LIGHT)) == ["cat", "it"]
