"""Pictures of the one_query lesson: plotted data and stated numbers equal those of the result."""

import re

import numpy as np
import pytest

from pages._view.lessons.one_query import figures
from pages._view.marks import found
from pages._view.theme import LIGHT, PROJECTOR
from sattn_core.example import KEY_WORDS
from sattn_core.lessons.one_query import STEPS, OneQueryParams, measure_one_query
from tests.figures.drawing import PROFILES, plotted, trace_of

DIMENSIONS = (1, 2, 3, 4, 5, 64, 1024)
BY_HAND = STEPS[:3]
AT = [(step, d_k) for step in STEPS for d_k in (DIMENSIONS if step not in BY_HAND else (4,))]


def measured(d_k, seed=0, emphasis=1):
    return measure_one_query(OneQueryParams(d_k, seed, emphasis))


@pytest.fixture(scope="module")
def result():
    return measured(64)


def shown(result, step):
    return figures.one_step(result, step, LIGHT)


@pytest.mark.parametrize("step", STEPS[3:])
def test_axes_are_the_same_at_every_d_k(step):
    layouts = [plotted(shown(measured(d_k), step)).layout for d_k in DIMENSIONS]
    assert len({(layout.xaxis.range, layout.yaxis.range, layout.height) for layout in layouts}) == 1
    often = {str(measured(d_k).sentences.on_top) for d_k in DIMENSIONS}  # up to dₖ = 4 all are equal: nothing is random
    seen = {plotted(shown(measured(d_k), step)).to_json() for d_k in DIMENSIONS}
    assert len(seen) == (len(often) if step == "grow" else len(DIMENSIONS))


def test_matrix_has_the_query_above_the_keys_and_colours_two_rows(result):
    picture = shown(measured(4), "ask")
    cells = trace_of(plotted(picture), "components")
    assert list(cells.text[0]) == ["+1", "+1", "−1", "+0.5"]
    assert list(cells.text[3]) == ["+1.5", "+0.5", "+0.5", "+1"]  # the row of “cat”
    assert [row[0] for row in cells.z] == [1, None, 0, 1, 0, 0]
    columns = shown(result, "ask").bins
    assert columns["product with cat"] == result.products[1].tolist()
    assert len(columns["component"]) == 64


@pytest.mark.parametrize("profile", PROFILES)
def test_the_word_cat_has_one_colour_in_all_steps(profile):
    def drawn(step):
        return figures.one_step(measured(4 if step in BY_HAND else 64), step, profile)

    draw = {step: plotted(drawn(step)) for step in STEPS}
    colours = {
        trace_of(draw["multiply"], "products").marker.color,
        trace_of(draw["add"], "scores").marker.color[1],
        trace_of(draw["wander"], "cat").line.color,
        trace_of(draw["wander"], "“cat” on top").marker.color,
        trace_of(draw["grow"], "on top").marker.color[1],
    }
    assert colours == {profile.text}
    marks = {each["word"]: each["colour"] for step in STEPS for each in told(drawn(step))}
    assert marks["“cat”"] == profile.text


def told(picture):
    """Return the marks of a picture's sentence."""
    figure = picture.figure
    return found(picture.sentence, picture.marks, figure.data, figure.layout)


def test_lines_are_the_partial_sums_on_a_logarithmic_axis(result):
    fig = plotted(shown(result, "wander"))
    for word, sums in zip(KEY_WORDS, result.walk.sums, strict=True):
        drawn = trace_of(fig, word)
        assert (list(drawn.y), drawn.line.color) == (sums.tolist(), LIGHT.text if word == "cat" else LIGHT.band)
        np.testing.assert_allclose(np.exp2(drawn.x), np.arange(1, 65), rtol=1e-14)
    places = dict(zip(fig.layout.xaxis.ticktext, fig.layout.xaxis.tickvals, strict=True))
    assert places == {"1": 0, "4": 2, "16": 4, "64": 6, "256": 8, "1,024": 10}
    (end,) = fig.layout.shapes
    assert end.x0 == end.x1 == 2  # after four products


def test_products_and_scores_are_bars_and_step_divide_also_shows_raw(result):
    assert list(trace_of(plotted(shown(measured(4), "multiply")), "products").y) == [1.5, 0.5, -0.5, 0.5]
    assert list(trace_of(plotted(shown(measured(4), "add")), "scores").y) == [1, 2, -2, 0]
    raw, scaled = plotted(shown(result, "softmax")), plotted(shown(result, "divide"))
    assert raw.layout.yaxis == scaled.layout.yaxis
    assert raw.data[0] == trace_of(scaled, "raw")
    assert list(trace_of(scaled, "raw").y) == result.raw.weights.tolist()
    assert list(trace_of(scaled, "÷ √dₖ").y) == result.scaled.weights.tolist()
    assert [trace.marker.color for trace in scaled.data[:2]] == [LIGHT.raw, LIGHT.scaled]


@pytest.mark.parametrize(
    ("step", "names"),
    [("wander", ("cat",)), ("softmax", ("raw",)), ("divide", ("raw", "scaled"))],
)
@pytest.mark.parametrize("profile", PROFILES)
def test_strip_of_bars_shows_shares_of_sentences_or_mean_weights(step, names, profile):
    result = measured(64)
    many = result.sentences
    fig = plotted(figures.one_step(result, step, profile))
    bars = [trace for trace in fig.data if trace.xaxis == "x2"]
    every = {"cat": many.on_top[1], "raw": many.raw_top_weight, "scaled": many.scaled_top_weight}
    shares = [every[name] for name in names]
    assert [bar.x[0] for bar in bars] == [100 * share for share in shares]
    assert [bar.text[0] for bar in bars] == [f"{100 * share:.0f} %" for share in shares]
    assert [bar.marker.color for bar in bars] == [
        {"cat": profile.text, "raw": profile.raw, "scaled": profile.scaled}[name] for name in names
    ]
    assert list(fig.layout.yaxis2.ticktext) == [bar.name for bar in bars]
    own, strip = fig.layout.yaxis.domain, fig.layout.yaxis2.domain
    beside = fig.layout.xaxis2.domain[0] > fig.layout.xaxis.domain[1]
    assert beside == (profile is PROJECTOR)
    assert beside or strip[1] < own[0]
    behind = 1 - 100 / fig.layout.xaxis2.range[1]  # share of the strip beyond 100 %
    assert not beside or behind * 1920 * np.ptp(fig.layout.xaxis2.domain) > 2.5 * profile.tick_size


def test_labels_at_line_ends_are_moved_apart_and_stay_near():
    assert figures._apart(np.array([0.0, 10.0, 20.0]), 5) == [0, 10, 20]
    assert figures._apart(np.array([0.0, 0.0, 20.0]), 5) == [-2.5, 2.5, 20]
    places = figures._apart(np.array([0.0, 1.0, 2.0, 2.0]), 4)
    assert np.diff(places).min() >= 4 - 1e-12
    assert np.mean(places) == pytest.approx(1.25)


@pytest.mark.parametrize("emphasis", [1, 4, 16])
@pytest.mark.parametrize("d_k", DIMENSIONS)
@pytest.mark.parametrize("profile", PROFILES)
def test_last_step_shows_frequencies_and_no_weights(d_k, emphasis, profile):
    result = measured(d_k, emphasis=emphasis)
    picture, often = figures.one_step(result, "grow", profile), result.sentences.on_top
    (bars,) = plotted(picture).data
    assert list(bars.y) == often.tolist()
    shares = [f"{100 * share:.0f} %" for share in often]
    assert [re.search(r"\d+ %$", each)[0] for each in plotted(picture).layout.xaxis.ticktext] == shares
    assert re.findall(r"\d+ %", picture.sentence) == [shares[1]]
    claim = plotted(picture).layout.title.text
    assert ("Meaning wins" in claim, "Chance wins" in claim) == (often[1] >= 0.5 and d_k != 3, often[1] < 0.5)
    assert ("A tie" in claim) == (d_k == 3)
    assert not re.search("weight|divided|√|the one shown", f"{claim} {picture.sentence} {picture.sure}", re.I)


@pytest.mark.parametrize("d_k", DIMENSIONS)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_leader_line_connects_each_end_with_its_label(d_k, profile):
    result = measured(d_k)
    fig = plotted(figures.one_step(result, "wander", profile))
    dots = trace_of(fig, figures.ENDS)
    np.testing.assert_array_equal(dots.y, result.walk.sums[:, -1])
    names = {each.text.split()[0].removeprefix("<b>"): each for each in fig.layout.annotations if each.showarrow}
    assert {word: (each.x, each.y) for word, each in names.items()} == {
        word: (np.log2(d_k), end) for word, end in zip(KEY_WORDS, dots.y, strict=True)
    }
    places = sorted(each.ay for each in names.values())
    assert np.diff(places).min() > 0
    assert all(each.ayref == "y" and each.ax > profile.tick_size for each in names.values())


def test_labels_are_further_from_the_line_ends_on_a_phone(result):
    drawn = shown(result, "wander").figure
    usual, narrow = (
        [each.get("ax") for each in words] for words in (drawn.layout["annotations"], drawn.narrow["annotations"])
    )
    assert all(one is other is None or other > one for one, other in zip(usual, narrow, strict=True))


def test_how_sure_fold_gives_counts_with_standard_errors_and_predictions(result):
    assert (shown(result, "wander").sure[0], *shown(result, "divide").sure[:2]) == (
        "“cat” is on top in 35.3 ± 1.5 % of 1,000 sentences; 35.2 % are predicted.",
        "The top word gets 90.9 ± 0.47 % of the weight on average without the division.",
        "Divided by √dₖ, it gets 50.8 ± 0.42 %.",
    )
    for step, n_counts in (("wander", 1), ("softmax", 1), ("divide", 2), ("grow", 1)):
        assert len(shown(result, step).sure) == n_counts + 2
    assert shown(result, "add").sure == ()


def test_table_shows_the_calculation_for_every_word(result):
    rows = {step: list(zip(*shown(result, step).checks.values(), strict=True)) for step in STEPS}
    assert rows["ask"][0] == ("it", "1", "1", "−1", "0.5")
    assert rows["multiply"][2] == ("action", "(−1) × 0.5", "−0.5")
    assert rows["add"][1] == ("cat", "1.5 + 0.5 − 0.5 + 0.5", "2")
    assert rows["wander"][0][-1] == "13"
    by_word = ("add", "wander", "softmax", "divide", "grow")
    assert all([row[0] for row in rows[step]] == [*KEY_WORDS] for step in by_word)


@pytest.mark.parametrize("emphasis", [1, 3, 16])
@pytest.mark.parametrize(("step", "d_k"), AT)
def test_sentence_of_every_step_is_short_and_true(step, d_k, emphasis):
    result = measured(d_k, 3, emphasis if step == "grow" else 1)
    said = shown(result, step).sentence
    assert len(said.split()) <= 25
    assert len(re.findall(r"\d[\d,.]*", said.replace("√dₖ", ""))) <= 3
    if "no better choice" in said:
        assert result.raw.top_weight >= 0.9 > result.scaled.top_weight
    title = plotted(shown(result, step)).layout.title.text.removeprefix("<b>").removesuffix("</b>")
    top = [KEY_WORDS[each] for each in result.raw.largest]
    if step == "wander":
        assert (title == "Chance outvotes meaning") == ("cat" not in top)
        assert all(f"“{word}”" in said for word in top)
