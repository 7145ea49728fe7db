"""Pictures of the one_query lesson: their data are the result's, their words are its numbers."""

import re

import numpy as np
import pytest

from pages._view.lessons.one_query import figures
from pages._view.theme import LIGHT, PROJECTOR
from sattn_core.example import KEY_WORDS
from sattn_core.lessons.one_query import STEPS, OneQueryParams, measure_one_query
from tests.figures.drawing import PROFILES, plotted, trace_of

DIMENSIONS = (1, 2, 3, 4, 5, 64, 1024)


def measured(d_k, seed=0, emphasis=1):
    return measure_one_query(OneQueryParams(d_k, seed, emphasis))


@pytest.fixture(scope="module")
def result():
    return measured(64)


def shown(result, step):
    return figures.one_step(result, step, LIGHT)


@pytest.mark.parametrize("step", STEPS)
def test_the_axes_stand_still_while_d_k_moves_and_the_picture_does_not(step):
    layouts = [plotted(shown(measured(d_k), step)).layout for d_k in DIMENSIONS]
    assert len({(layout.xaxis.range, layout.yaxis.range, layout.height) for layout in layouts}) == 1
    assert len({plotted(shown(measured(d_k), step)).to_json() for d_k in DIMENSIONS}) == len(DIMENSIONS)


def test_the_matrix_has_the_query_above_the_keys_and_the_first_of_the_others_beside(result):
    picture = shown(result, "ask")
    z = trace_of(plotted(picture), "components").z
    assert list(z[0][:4]) == [1, 1, -1, 0.5]
    assert list(z[1]) == [None] * 5
    assert [list(row[:4]) for row in z[2:]] == result.keys[:, :4].tolist()
    columns = shown(result, "ask").bins
    assert columns["product with cat"] == result.products[1].tolist()
    assert len(columns["component"]) == 64


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


def test_each_product_and_each_score_is_a_bar_and_the_raw_weights_stay(result):
    assert list(trace_of(plotted(shown(result, "multiply")), "products").y) == [1.5, 0.5, -0.5, 0.5]
    assert list(trace_of(plotted(shown(result, "add")), "scores").y) == [1, 2, -2, 0]
    raw, scaled = plotted(shown(result, "softmax")), plotted(shown(result, "divide"))
    assert raw.layout.yaxis == scaled.layout.yaxis
    assert raw.data[0] == trace_of(scaled, "raw")
    assert list(trace_of(scaled, "raw").y) == result.raw.weights.tolist()
    assert list(trace_of(scaled, "÷ √dₖ").y) == result.scaled.weights.tolist()
    assert [trace.marker.color for trace in scaled.data[:2]] == [LIGHT.raw, LIGHT.scaled]


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


def test_count_stands_beside_its_exact_probability(result):
    assert shown(result, "divide").sure[:3] == (
        "“cat” is on top in 35.3 ± 1.5 % of 1,000 sentences; 35.2 % are predicted.",
        "The top word gets 90.9 ± 0.47 % of the weight on average without the division.",
        "Divided by √dₖ, it gets 50.8 ± 0.42 %.",
    )
    for step, n_counts in (("wander", 1), ("softmax", 2), ("divide", 3), ("grow", 3)):
        assert len(shown(result, step).sure) == n_counts + 2
    assert shown(result, "add").sure == ()


def test_every_word_is_worked_out_by_hand(result):
    rows = {step: list(zip(*shown(result, step).checks.values(), strict=True)) for step in STEPS}
    assert rows["ask"][0] == ("it", "1", "1", "−1", "0.5", "−1 , −1 , 1 , 1")
    assert rows["multiply"][2] == ("action", "(−1) × 0.5", "−0.5")
    assert rows["add"][1] == ("cat", "1.5 + 0.5 − 0.5 + 0.5", "2")
    assert rows["wander"][0][-1] == "13"
    by_word = ("add", "wander", "softmax", "divide", "grow")
    assert all([row[0] for row in rows[step]] == [*KEY_WORDS] for step in by_word)


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
    title = plotted(shown(result, step)).layout.title.text
    top = [KEY_WORDS[each] for each in result.raw.largest]
    if step == "wander":
        assert (title == "Chance outvotes meaning") == ("cat" not in top)
        assert all(f"“{word}”" in said for word in top)
    if step == "grow":
        assert title == {True: "The meaning wins here", False: "Chance still wins here"}.get(
            top == ["cat"] if len(top) == 1 or "cat" not in top else None, "A tie at the top"
        )
