"""Pictures of the softmax_saturation lesson: their data are the result's, their words are its numbers."""

import re
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from pages._view.lessons.softmax_saturation import figures
from pages._view.shared import SHARED
from pages._view.theme import LIGHT, number
from sattn_core import effective_keys, softmax
from sattn_core.components import COMPONENT_LAWS
from sattn_core.lessons.softmax_saturation import (
    RowParams,
    SaturationParams,
    compare_lists,
    measure_row,
    measure_saturation,
    overflow_study,
)
from tests.figures.drawing import plotted, run, texts

NOTES = ((4.0, 5.0), (1.0, 10.0))
FOUR = (*NOTES, (0.0, 0.0, 1.0), tuple(float(i) for i in range(64)))
PARAMS = SaturationParams(16, (1, 8, 64, 1024), n_rows=40)
ROW = RowParams(16, (1, 2, 64, 1024))
KEYS = "xaxis2", "xaxis3"


@pytest.fixture(scope="module")
def result():
    return measure_saturation(PARAMS)


@pytest.fixture(scope="module")
def study():
    return overflow_study()


def weights(lists=NOTES, d_k=64, profile=LIGHT, params=ROW, **options):
    comparison = compare_lists(lists, **options) if lists else None
    return figures.weights(measure_row(params), params, comparison, d_k, profile)


def row_of(raw, scaled, d_k=64):
    """A row with these weights, as the figure gets it."""
    n_keys, fields = len(raw), {}
    for side, found in (("raw", raw), ("scaled", scaled)):
        found = np.array([found], dtype=float)
        scores = np.log(np.maximum(found, 1e-300))
        fields |= {f"{side}_scores": scores, f"{side}_weights": found, f"{side}_max_weight": found.max(axis=-1)}
        fields |= {f"{side}_effective_keys": effective_keys(scores)}
    row = measure_row(RowParams(n_keys, (d_k,)))
    return replace(row, **fields, largest_key=np.array([np.argmax(raw)]))


def said(raw, scaled, d_k=64):
    """The sentence of a row with these weights."""
    row = row_of(raw, scaled, d_k)
    return figures.weights(row, RowParams(len(raw), (d_k,)), None, d_k, LIGHT).sentence


def averages(result, d_k=64, profile=LIGHT, params=PARAMS):
    return figures.averages(result, params, d_k, profile)


def average(result, quantity, profile=LIGHT):
    return plotted(averages(result, profile=profile))[f"average_{quantity}"]


# --- lists, and one row as d_k grows --------------------------------------------------------------------


@pytest.mark.parametrize("lists", [NOTES, FOUR])
def test_bars_are_the_weights_of_the_lists(lists):
    fig = plotted(weights(lists, profile=LIGHT))
    bars = [trace for trace in fig.data if trace.type == "bar"]
    assert len(bars) == len(lists)
    for trace, found in zip(bars, compare_lists(lists).attention_weights, strict=True):
        np.testing.assert_array_equal(trace.y, found)
        assert trace.marker.color == LIGHT.band
    for before, after in pairwise(bars):
        assert after.x[0] - before.x[-1] == pytest.approx(1.4)  # a gap between two lists
    for trace in bars:
        np.testing.assert_allclose(np.diff(trace.x), 1)


def test_the_row_stands_beside_them_raw_and_scaled_on_the_same_scale():
    for d_k, at in ((2, 1), (1024, 3)):
        row, fig = measure_row(ROW), plotted(weights(d_k=d_k, profile=LIGHT))
        for trace, side, panel in zip(fig.data[2:], ("raw", "scaled"), ("x2", "x3"), strict=True):
            corners = np.reshape(trace.y, (-1, 4))
            np.testing.assert_array_equal(corners[:, [1, 2]].T, [getattr(row, f"{side}_weights")[at]] * 2)
            np.testing.assert_array_equal(corners[:, [0, 3]], 0)
            np.testing.assert_allclose(np.reshape(trace.x, (-1, 4)).mean(axis=1), np.arange(16), atol=1e-12)
            colour = getattr(LIGHT, side)
            assert (trace.xaxis, trace.yaxis, trace.line.color, trace.fillcolor) == (panel, "y", colour, colour)
            assert (trace.name, trace.fill) == (side, "tozeroy")
    vertical = fig.layout.yaxis
    assert tuple(vertical.range) == (0, 1.17)
    assert tuple(vertical.ticktext) == ("0 %", "50 %", "100 %")
    assert [fig.layout[name].title.text for name in KEYS] == ["16 keys", "16 keys"]
    assert fig.layout.title.text == "Attention weights"


def test_the_panels_share_the_width_and_are_named_above_them():
    for lists in (NOTES, None):
        fig = plotted(weights(lists))
        domains = [fig.layout[name].domain for name in ("xaxis", *KEYS)]
        assert (domains[0][0], domains[-1][1]) == (0, 1)
        assert all(left[1] < right[0] for left, right in pairwise(domains))
    fig = plotted(weights(d_k=64))
    assert texts(fig) == ["dₖ = 64", "lists", "raw", "÷ √dₖ", "94 %", "30 %"]
    row = measure_row(ROW)
    for note, side in zip(fig.layout.annotations[-2:], ("raw", "scaled"), strict=True):
        assert note.y == getattr(row, f"{side}_max_weight")[2]
        assert (note.x, note.yanchor) == (row.raw_scores[2].argmax(), "bottom")
    assert texts(plotted(weights(None)))[1] == "no lists"
    assert [trace.name for trace in plotted(weights(None)).data] == ["raw", "scaled"]
    fig = plotted(weights())
    assert [list(trace.text) for trace in fig.data[:2]] == [["27 %", "73 %"], ["&lt;1 %", "&gt;99 %"]]
    assert all(trace.text is None for trace in plotted(weights((NOTES[0], (1.0, 2.0, 3.0)))).data[:2])


@pytest.mark.parametrize(("key", "anchor"), [(0, "left"), (7, "center"), (15, "right")])
def test_the_number_of_the_largest_weight_stays_within_its_panel(key, anchor):
    found = np.full(16, 0.01)
    found[key] = 0.85
    fig = plotted(figures.weights(row_of(found, found), RowParams(16, (64,)), None, 64, LIGHT))
    assert [(note.x, note.xanchor) for note in fig.layout.annotations[-2:]] == [(key, anchor)] * 2


@pytest.mark.parametrize(
    ("lists", "name", "ticks"),
    [
        (NOTES, "score", ["4", "5", "1", "10"]),
        (((104.0, 105.0), (-96.0, 110.0)), "score", ["104", "105", "−96", "110"]),
        ((*NOTES, (0.0, 1.0)), "score", ["4", "5", "1", "10", "0", "1"]),
        (((0.0625, 1.0), (2.0, 3.0)), "list", ["1", "2"]),
        (FOUR, "list", ["1", "2", "3", "4"]),
    ],
)
def test_scores_stand_under_their_bars_where_a_phone_has_room(lists, name, ticks):
    axis = plotted(weights(lists)).layout.xaxis
    assert (axis.title.text, list(axis.ticktext)) == (name, ticks)
    assert all(axis.range[0] < place < axis.range[1] for place in axis.tickvals)


def test_the_sentence_of_the_row_at_the_defaults_and_of_equal_scores():
    assert weights().sentence == (
        "At this dₖ one key takes 94 % of the weight; divided by √dₖ, about 9 of 16 keys share it."
    )
    assert weights(d_k=1024).sentence == (
        "At this dₖ one key takes practically all the weight; divided by √dₖ, about 9 of 16 keys share it."
    )
    assert weights(d_k=1).sentence == "At dₖ = 1 the scale changes nothing: about 8 of 16 keys share the weight."
    quarter = [0.25] * 4
    assert said(quarter, quarter) == (
        "At this dₖ all scores are equal: all 4 keys share the weight evenly, with and without the scale."
    )
    assert said([0.5, 0.5], [0.5, 0.5], 1) == (
        "At dₖ = 1 the scale changes nothing: both keys share the weight evenly."
    )


@pytest.mark.parametrize(
    ("raw", "scaled", "sentence"),
    [
        ([0.999, 0.001], [0.998, 0.002], "one key takes practically all the weight; divided by √dₖ, it still does."),
        ([0.999, 0.001], [0.8, 0.2], "one key takes practically all the weight; divided by √dₖ, it takes 80 %."),
        ([0.7, 0.3], [0.6, 0.4], "one key takes 70 % of the weight; divided by √dₖ, it takes 60 %."),
        ([0.701, 0.299], [0.7, 0.3], "one key takes 70 % of the weight; divided by √dₖ, it takes hardly less."),
        ([0.7, 0.3], [0.52, 0.48],
         "one key takes 70 % of the weight; divided by √dₖ, both keys share it almost evenly."),
        ([0.55, 0.45], [0.52, 0.48],
         "both keys share the weight almost evenly; divided by √dₖ, they share it more evenly still."),
        ([0.6, 0.2, 0.1, 0.1], [0.3, 0.3, 0.2, 0.2],
         "one key takes 60 % of the weight; divided by √dₖ, all 4 keys share it."),
        ([0.48, 0.48, 0.02, 0.02], [0.45, 0.45, 0.05, 0.05],
         "about 2 of 4 keys share the weight; divided by √dₖ, about 3 do."),
        ([0.46, 0.46, 0.04, 0.04], [0.45, 0.45, 0.05, 0.05],
         "about 3 of 4 keys share the weight; divided by √dₖ, about as many do."),
        ([0.48, 0.48, 0.02, 0.02], [0.3, 0.3, 0.2, 0.2],
         "about 2 of 4 keys share the weight; divided by √dₖ, all of them do."),
        ([0.48, 0.48, 0.02, 0.02], [0.26, 0.25, 0.25, 0.24],
         "about 2 of 4 keys share the weight; divided by √dₖ, all of them do, almost evenly."),
        ([0.33, 0.27, 0.2, 0.2], [0.3, 0.3, 0.2, 0.2],
         "all 4 keys share the weight; divided by √dₖ, they share it more evenly still."),
        ([0.33, 0.27, 0.2, 0.2], [0.26, 0.25, 0.25, 0.24],
         "all 4 keys share the weight; divided by √dₖ, all of them do, almost evenly."),
    ],
)  # fmt: skip
def test_every_case_of_the_sentence(raw, scaled, sentence):
    assert said(raw, scaled) == f"At this dₖ {sentence}"


@pytest.mark.parametrize(("n_keys", "law"), list(product((2, 16, 512), COMPONENT_LAWS)))
def test_the_sentence_is_short_and_true_at_every_stop(n_keys, law):
    params = RowParams(n_keys, tuple(SHARED["d_k"].stops), law, seed=3)
    row = measure_row(params)
    for i, d_k in enumerate(row.dims):
        sentence = figures.weights(row, params, None, d_k, LIGHT).sentence
        raw, scaled = softmax(row.raw_scores[i]), softmax(row.scaled_scores[i])
        if "practically all the weight" in sentence:
            assert raw.max() >= 0.995
        if found := re.search("one key takes ([0-9]+) %", sentence):
            assert 0.5 <= raw.max() < 0.995
            assert float(found[1]) == pytest.approx(100 * raw.max(), abs=0.5 + 1e-9)
        if found := re.search("about ([0-9]+) of [0-9]+ keys share it", sentence):
            assert float(found[1]) == pytest.approx(effective_keys(row.scaled_scores[i]), abs=0.5)
        if "it takes hardly less" in sentence:
            assert raw.max() - scaled.max() <= 0.01
        if "about as many do" in sentence:
            assert effective_keys(row.scaled_scores[i]) - effective_keys(row.raw_scores[i]) <= 1
        if "evenly" in sentence and "more evenly" not in sentence:
            assert scaled.max() <= 1.1 / n_keys


def test_the_careful_words_and_the_alt_have_the_numbers_of_the_row_and_of_the_lists():
    assert weights().sure == (
        "At dₖ = 64, without the scale the largest weight is 93.50 % and 1.273 keys are in effective use; divided by "
        "√dₖ, the largest weight is 30.01 % and 8.900 keys are in effective use.",
        "Effective keys are e to the power of the entropy of the weights: 1 if one key has everything, 16 if all keys "
        "have the same.",
        "This is one query and one draw of its keys. Another seed gives another row; the averages over many rows are "
        "in the next figure. A larger dₖ appends components to the same query and the same keys.",
        "Softmax turns [4, 5] into [26.89 %, 73.11 %]; the gap is 1.",
        "Softmax turns [1, 10] into [0.01 %, 99.99 %]; the gap is 9.",
        "Only differences count. The Jacobian of softmax, which carries the gradient, has norm 0.393224 and "
        "0.000246759. The first list passes 1,593.56 times as much as the second.",
    )
    assert len(weights(None).sure) == 3
    assert weights().alt == (
        "Softmax turns [4, 5] into [26.89 %, 73.11 %]; the gap is 1. Softmax turns [1, 10] into [0.01 %, 99.99 %]; "
        f"the gap is 9. One row at dₖ = 64. {weights().sentence}"
    )
    *_, third, fourth, norms = weights((*NOTES, (5.0, 5.0), tuple(0.0 for _ in range(64)))).sure
    assert third == "Softmax turns [5, 5] into [50.00 %, 50.00 %]; the gap is 0."
    assert fourth == "In list 4, of 64 scores, the largest weight is 1.56 %; the gap is 0."
    assert "has norm 0.393224, 0.000246759, 0.500000 and 0.124020." in norms  # 64 equal weights: √63 / 64
    assert "Softmax turns [−8, −7.5] into [37.75 %, 62.25 %]; the gap is 0.5." in (
        weights(multiplier=0.5, shift=-10).sure
    )  # 1 / (1 + e**0.5)
    # 2 e^-744 is three or four of the smallest steps of a float, and 2 e^-1000 is less than one.
    # mpmath: 2*e**-744, 2*e**-1000; 2*e**-1000 / (2*p*(1-p)), p = 1/(1+e)
    assert "norm 1.53439 × 10⁻³²³ and" in weights(((0, 744), (0, 1))).sure[-1]
    sentence = weights(((0, 1000), (0, 1))).sure[-1]
    assert "norm 1.01519 × 10⁻⁴³⁴ and" in sentence
    assert "passes 2.58171 × 10⁻⁴³⁴ times" in sentence
    assert figures.list_table(compare_lists(((0, 1000), (0, 1))))["Jacobian norm"][0] == "1.01519 × 10⁻⁴³⁴"


def test_the_tables_have_every_list_score_and_weight():
    table = figures.list_table(compare_lists((*NOTES, (0.0, 0.0, 0.0, 0.0))))
    assert table == {
        "list": ["[4, 5]", "[1, 10]", "[0, 0, 0, 0]"],
        "gap": ["1", "9", "0"],
        "largest weight": ["73.11 %", "99.99 %", "25.00 %"],
        "entropy (nats)": ["0.582203", "0.00123395", "1.38629"],
        "effective keys": ["1.78998", "1.00123", "4.00000"],
        "Jacobian norm": ["0.393224", "0.000246759", "0.433013"],  # √3 / 4 for four equal weights
    }
    lists, options = (*NOTES, (0.1, 0.2, 0.7)), {"multiplier": 3.0, "shift": 1.0}
    comparison, row, data = compare_lists(lists, **options), measure_row(ROW), weights(lists, **options).table
    assert data["row"] == ["list 1"] * 2 + ["list 2"] * 2 + ["list 3"] * 3 + ["raw"] * 16 + ["scaled"] * 16
    scores = (*comparison.scores, row.raw_scores[2], row.scaled_scores[2])
    assert data["score"] == np.concatenate(scores).tolist()
    found = (*comparison.attention_weights, row.raw_weights[2], row.scaled_weights[2])
    assert data["weight"] == np.concatenate(found).tolist()
    assert weights(None).table["row"] == ["raw"] * 16 + ["scaled"] * 16


def test_the_code_gives_the_weights_of_row_and_lists():
    params = RowParams(4, (1, 8), "laplace", 5)
    wanted, row = compare_lists(NOTES, multiplier=2.0, shift=-10.0), measure_row(params)
    names, printed = run(weights(d_k=8, params=params, multiplier=2.0, shift=-10.0).code)
    for found, each in zip(names["lists"].attention_weights, wanted.attention_weights, strict=True):
        np.testing.assert_array_equal(found, each)
    np.testing.assert_array_equal(names["row"].raw_weights, row.raw_weights[1:])
    np.testing.assert_array_equal(names["row"].scaled_weights, row.scaled_weights[1:])
    assert str(row.raw_weights[1:]) in printed
    assert "lists" not in run(weights(None).code)[0]


# --- averages --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quantity", figures.QUANTITIES)
def test_averages_show_exact_curves_and_measured_points_with_their_bands(result, quantity):
    fig = average(result, quantity, LIGHT)
    for side, symbol, (curve, points) in (("raw", "circle", fig.data[:2]), ("scaled", "square", fig.data[2:])):
        np.testing.assert_array_equal(curve.x, result.dims)
        np.testing.assert_array_equal(curve.y, getattr(getattr(result, side), quantity))
        assert (curve.line.dash, curve.line.color, curve.line.width) == ("dash", LIGHT.text, LIGHT.line_width)
        found = getattr(getattr(result, f"{side}_measured"), quantity)
        np.testing.assert_array_equal(points.x, result.measured_dims)
        np.testing.assert_array_equal(points.y, found.measured)
        np.testing.assert_array_equal(points.error_y.array, found.high - found.predicted)
        np.testing.assert_array_equal(points.error_y.arrayminus, found.predicted - found.low)
        assert (points.marker.color, points.marker.symbol) == (getattr(LIGHT, side), symbol)
    assert texts(fig) == ["raw", "scaled"]
    assert fig.layout.title.text == figures.QUANTITIES[quantity]


def uprights(fig):
    return [(shape.x0, shape.x1, shape.line.dash) for shape in fig.layout.shapes]


def test_each_average_spans_all_the_values_it_can_take_and_freezing_is_dotted(result):
    layouts = {name: average(result, name).layout for name in figures.QUANTITIES}
    assert tuple(layouts["max_weight"].yaxis.range) == (0, 1.08)
    assert tuple(layouts["entropy_nats"].yaxis.range) == (0, pytest.approx(1.12 * np.log(16)))
    low, high = layouts["effective_keys"].yaxis.range
    assert low < 0 < np.log10(16) < high
    assert layouts["effective_keys"].yaxis.type == "log"
    for layout in layouts.values():
        assert (layout.xaxis.type, layout.xaxis.title.text) == ("log", "dₖ")
        assert layout.xaxis.range[0] < 0 < np.log10(1024) < layout.xaxis.range[1]
    fig = average(result, "max_weight")
    threshold = 2 * np.log(16)
    assert (threshold, threshold, "dot") in [
        (pytest.approx(x0), pytest.approx(x1), dash) for x0, x1, dash in uprights(fig)
    ]
    table = averages(result).table
    assert table["d_k"] == result.measured_dims.tolist()
    for side in ("raw", "scaled"):
        for quantity, name in figures.QUANTITIES.items():
            points = getattr(getattr(result, f"{side}_measured"), quantity)
            assert table[f"{side}: {name}, measured"] == points.measured.tolist()
            assert table[f"{side}: {name}, predicted"] == points.predicted.tolist()
            assert table[f"{side}: {name}, standard error"] == points.standard_error.tolist()
    assert len(table) == 1 + 2 * 3 * 3


def test_the_words_have_the_averages_at_the_chosen_dimension(result):
    curve = replace(
        result.raw, max_weight=np.array([0.2, 0.5, 0.876, 0.98]), effective_keys=np.array([9.0, 3.0, 1.412, 1.1])
    )
    scaled = replace(
        result.scaled, max_weight=np.array([0.2, 0.2, 0.2542, 0.2]), effective_keys=np.array([9.0, 9.0, 9.876, 9.0])
    )
    points = result.raw_measured.max_weight
    at = result.measured_dims.tolist().index(64)
    numbers = {"measured": 0.8812, "standard_error": 0.0134, "predicted": 0.876}
    points = replace(points, **{name: np.full(len(points.measured), -1.0) for name in numbers})
    for name, value in numbers.items():
        getattr(points, name)[at] = value
    shown = averages(
        replace(result, raw=curve, scaled=scaled, raw_measured=replace(result.raw_measured, max_weight=points))
    )
    assert shown.sentence == (
        "Over many queries the largest weight is 88 % on average at this dₖ; divided by √dₖ, it is 25 %."
    )
    predicted, raw, _, how, threshold = shown.sure
    assert predicted == (
        "Predicted at dₖ = 64 for 16 keys: without the scale the largest weight is 87.6 % on average and 1.41 keys "
        "are in effective use; with the scale 25.4 % and 9.88 keys."
    )
    assert raw == (
        "Measured at dₖ = 64 without the scale: a largest weight of 88.1 % ± 1.3 %. Predicted: 87.6 %. The "
        "measurement lies inside the 95 % band around the prediction."
    )
    assert how.endswith("takes 40 rows in 20 independent draws; its error is that of the 20 means.")
    assert threshold == (
        "With very many keys, n of them, softmax freezes where the scores spread wider than √(2 ln n). Here "
        "√(2 ln 16) = 2.35; there the largest weight is 52.4 % on average and 4.22 keys are in effective use. Raw "
        "scores pass it at dₖ = 5.55 (dotted line), scaled ones never."
    )


def test_measurements_outside_their_band_other_components_and_one_dimension_are_said(result):
    points = result.scaled_measured.max_weight
    apart = replace(points, inside=np.zeros_like(points.inside))
    shown = averages(replace(result, scaled_measured=replace(result.scaled_measured, max_weight=apart)))
    assert shown.sure[2].startswith("Measured at dₖ = 64 with the scale: a largest weight of ")
    assert "lies outside the 95 % band" in shown.sure[2]
    assert averages(result, 1).sentence == (
        "Over many queries the largest weight is 21 % on average; at dₖ = 1 the scale changes nothing."
    )
    params = SaturationParams(16, (1, 100), n_rows=20, law="uniform")
    shown = averages(measure_saturation(params), 100, params=params)
    assert shown.sentence.startswith("Over many queries with normal components the largest weight is ")
    assert shown.sure[0].startswith("Predicted at dₖ = 100 for 16 keys and normal components: ")
    assert shown.sure[1].startswith("Measured at dₖ = 64 without the scale: ")
    assert "For other components it is what the averages tend to." in shown.sure[3]


@pytest.mark.parametrize("n_keys", [2, 16, 512])
def test_the_claim_of_the_averages_holds_for_every_number_of_keys(n_keys):
    params = SaturationParams(n_keys, tuple(SHARED["d_k"].stops), n_rows=20)
    result = measure_saturation(params)
    assert averages(result, params=params).claim == (
        "Without the scale, weights sharpen as dₖ grows; with it, they settle"
    )
    assert (np.diff(result.raw.entropy_nats) < 0).all()
    assert result.raw.max_weight[-1] > 0.9
    late = result.scaled.effective_keys[result.dims >= 64]
    assert np.ptp(late) < 0.02 * late[-1]  # they settle
    assert all(averages(result, d_k, params=params).sentence for d_k in (1, 2, 64, 1024))


# --- overflow --------------------------------------------------------------------------------------------


def test_overflow_shows_how_far_each_type_reaches(study):
    fig = plotted(figures.overflow(study, LIGHT))
    for i, curve in enumerate(study.curves):
        naive, stable, broken = fig.data[3 * i : 3 * i + 3]
        np.testing.assert_array_equal(naive.x, study.scores[study.scores <= curve.last_finite_score])
        np.testing.assert_array_equal(stable.x, study.scores)
        assert set(naive.y) == {f"{curve.dtype}, naive"}
        assert set(stable.y) == {f"{curve.dtype}, stable"}
        assert (naive.line.color, stable.line.color) == (LIGHT.band, LIGHT.third)
        assert (list(broken.x), broken.marker.symbol) == ([curve.first_failing_score], "x")
        assert broken.textposition == "bottom center"
        assert list(broken.text) == [f"NaN from {number(curve.first_failing_score, 5)}"]
    assert (fig.layout.xaxis.type, fig.layout.xaxis.title.text) == ("log", "score s in softmax([0, s])")
    assert fig.layout.xaxis.range[1] > np.log10(study.scores[-1])
    assert fig.layout.title.text == "Naive softmax breaks"


def test_the_overflow_words_the_table_and_the_code_name_the_limits(study):
    table = figures.overflow(study, LIGHT).table
    assert table["type"] == ["float16", "float32", "float64"]
    assert table["naive NaN from"] == [curve.first_failing_score for curve in study.curves]
    assert table["naive finite up to"] == [curve.last_finite_score for curve in study.curves]
    assert table["ln(largest number)"] == pytest.approx([11.0899, 88.7228, 709.7827], abs=5e-5)
    assert table["stable: largest error"] == [curve.stable_largest_error for curve in study.curves]
    assert table["machine epsilon"] == [2.0**-10, 2.0**-23, 2.0**-52]
    shown = figures.overflow(study, LIGHT)
    assert shown.sentence == (
        "In float16 the bare formula breaks at scores from about 11; with the largest score subtracted first, it never "
        "breaks here."
    )
    assert shown.claim == "Subtracting the largest score cures exp’s overflow; the scale does not"
    for each, predicted in zip(shown.sure[:3], ("11.090", "88.723", "709.78"), strict=True):
        assert f"number, {predicted}." in each
        assert "the weight is finite up to s = 2,000" in each
    assert "gives NaN from s = 11.09" in shown.sure[0]
    broken = figures.overflow(replace(study, curves=(replace(study.curves[0], stable_is_finite=False),)), LIGHT)
    assert broken.sentence.endswith("subtracted first, it still breaks.")
    assert broken.claim == "Softmax overflows"
    assert "not finite everywhere" in broken.sure[0]
    _, printed = run(figures.overflow(study, LIGHT).code)
    wanted = [f"{c.dtype} {c.first_failing_score} {c.largest_exponent}" for c in study.curves]
    assert printed.splitlines() == wanted
