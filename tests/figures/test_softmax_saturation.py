"""Pictures of the softmax_saturation lesson: their data are the result's, their words are its numbers."""

import re
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from pages._view.lessons import LESSONS
from pages._view.lessons.softmax_saturation import figures
from pages._view.shared import SHARED
from pages._view.theme import LIGHT, number
from sattn_core.components import COMPONENT_LAWS
from sattn_core.lessons.softmax_saturation import (
    RowsParams,
    SaturationParams,
    compare_lists,
    expected_largest,
    measure_rows,
    measure_saturation,
    overflow_study,
)
from tests.figures.drawing import plotted, run, texts
from tests.pages.opening import too_much

NOTES = ((4.0, 5.0), (1.0, 10.0))
FOUR = (*NOTES, (0.0, 0.0, 1.0), tuple(float(i) for i in range(64)))
PARAMS = SaturationParams(16, (1, 8, 64, 1024), n_rows=40)
ROWS = RowsParams(16, (4, 64, 1024))
KEYS = "xaxis2", "xaxis3", "xaxis4"


@pytest.fixture(scope="module")
def result():
    return measure_saturation(PARAMS)


@pytest.fixture(scope="module")
def study():
    return overflow_study()


def weights(lists=NOTES, d_k=64, profile=LIGHT, exponent=0.0, params=ROWS, expected=None, **options):
    comparison = compare_lists(lists, **options) if lists else None
    rows = measure_rows(params).divided(exponent)
    return figures.weights(rows, params, comparison, d_k, profile, expected)


def said(max_weight, spread, exponent=0.3):
    """The sentence of rows with these largest weights and spreads."""
    rows = measure_rows(ROWS).divided(exponent)
    found = {"max_weight": np.array(max_weight), "spread": np.array(spread), "ratio": max(spread) / min(spread)}
    return figures.weights(replace(rows, **found), ROWS, None, 64, LIGHT).sentence


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


@pytest.mark.parametrize(
    ("exponent", "name", "colour"),
    [
        (0.0, "raw", LIGHT.raw),
        (0.48, "÷ dₖ^0.48", LIGHT.band),
        (0.5, "÷ √dₖ", LIGHT.scaled),
        (1.0, "÷ dₖ", LIGHT.third),
    ],
)
def test_three_rows_stand_beside_them_on_the_same_scale(exponent, name, colour):
    params = RowsParams(16, (1, 4, 1024), n_rows=40)
    rows, fig = measure_rows(params).divided(exponent), plotted(weights(d_k=1, params=params, exponent=exponent))
    for trace, at, panel in zip(fig.data[2:], (1, 0, 2), ("x2", "x3", "x4"), strict=True):
        corners = np.reshape(trace.y, (-1, 4))
        np.testing.assert_array_equal(corners[:, [1, 2]].T, [rows.weights[at]] * 2)
        np.testing.assert_array_equal(corners[:, [0, 3]], 0)
        np.testing.assert_allclose(np.reshape(trace.x, (-1, 4)).mean(axis=1), np.arange(16), atol=1e-12)
        assert (trace.xaxis, trace.yaxis, trace.line.color, trace.fillcolor) == (panel, "y", colour, colour)
        assert (trace.name, trace.fill) == (f"{name}, dₖ = {rows.dims[at]:,}", "tozeroy")
    vertical = fig.layout.yaxis
    assert tuple(vertical.range) == (0, 1.17)
    assert tuple(vertical.ticktext) == ("0 %", "50 %", "100 %")
    assert fig.layout.xaxis3.title.text.startswith("16 keys, strongest first<br>")
    assert fig.layout.title.text == "Attention weights"
    assert fig.layout.title.subtitle.text == figures.TASK


def test_words_that_name_rows_light_them_up():
    named = {exponent: weights(exponent=exponent).drawn()["marks"] for exponent in (0.0, 0.5)}
    found = [(each["word"], each["curves"], each["colour"]) for marks in named.values() for each in marks]
    assert found == [("the largest dₖ", [4], LIGHT.raw), ("three rows", [2, 3, 4], LIGHT.scaled)]


def test_where_d_k_is_that_of_another_row_both_are_drawn():
    params = RowsParams(16, (4, 1024), n_rows=40)
    first, middle, _ = plotted(weights(d_k=4, params=params)).data[2:]
    np.testing.assert_array_equal(first.y, middle.y)
    assert weights(d_k=4, params=params).table["row"].count("raw, dₖ = 4") == 16


def test_the_panels_share_the_width_and_are_named_above_them():
    for lists in (NOTES, None):
        fig = plotted(weights(lists))
        domains = [fig.layout[name].domain for name in ("xaxis", *KEYS)]
        assert (domains[0][0], domains[-1][1]) == (0, 1)
        assert all(left[1] < right[0] for left, right in pairwise(domains))
    fig = plotted(weights())
    assert texts(fig) == [
        "raw, ÷ dₖ<sup>0</sup>", "lists",
        "dₖ = 4", "σ 1.9", "39 %", "64", "σ 7.8", "84 %", "1,024", "σ 32", "96 %",
    ]  # fmt: skip
    rows = measure_rows(ROWS).divided(0.0)
    for note, largest in zip(fig.layout.annotations[4::3], rows.max_weight, strict=True):
        assert (note.x, note.y, note.xanchor, note.yanchor) == (-0.4, largest, "left", "bottom")
    heads = {exponent: texts(plotted(weights(exponent=exponent)))[0] for exponent in (0.48, 0.5, 1.0)}
    assert heads == {0.48: "÷ dₖ<sup>0.48</sup>", 0.5: "÷ dₖ<sup>0.5</sup> = √dₖ", 1.0: "÷ dₖ"}
    assert texts(plotted(weights(None)))[1] == "no lists"
    assert len(plotted(weights(None)).data) == 3
    fig = plotted(weights())
    assert [list(trace.text) for trace in fig.data[:2]] == [["27 %", "73 %"], ["&lt;1 %", "&gt;99 %"]]
    assert all(trace.text is None for trace in plotted(weights((NOTES[0], (1.0, 2.0, 3.0)))).data[:2])


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


def test_the_sentences_at_the_defaults():
    assert weights().sentence == (
        "Not divided: the strongest key takes 39 %, 84 % and 96 % of the weight on average, the most at the largest dₖ."
    )
    assert weights(exponent=0.48).sentence == (
        "Found, close to √dₖ: the three rows look alike; on average the strongest key takes 22 %, 26 % and 29 % of the "
        "weight."
    )
    assert weights(exponent=0.5).sentence == (
        "Found: divided by √dₖ, the three rows look alike; on average the strongest key takes 22 %, 24 % and 25 % of "
        "the weight."
    )
    assert weights(exponent=1.0).sentence == (
        "Divided by dₖ: the strongest key takes 13 %, 7.7 % and 6.6 % of the weight on average, the least at the "
        "largest dₖ."
    )


@pytest.mark.parametrize(
    ("max_weight", "spread", "exponent", "takes", "end"),
    [
        ((0.4, 0.6, 0.996), (1.0, 2.0, 4.0), 0.3, "40 %, 60 % and >99 %", "most at the largest"),
        ((0.6, 0.5, 0.4), (1.0, 1.2, 1.3), 0.44, "60 %, 50 % and 40 %", "most at the smallest"),
        ((0.5, 0.6, 0.4), (1.0, 1.2, 1.3), 0.44, "50 %, 60 % and 40 %", "most at the middle"),
        ((0.4, 0.3, 0.002), (4.0, 2.0, 1.0), 0.7, "40 %, 30 % and 0.20 %", "least at the largest"),
    ],
)
def test_which_row_stands_out(max_weight, spread, exponent, takes, end):
    assert said(max_weight, spread, exponent) == (
        f"Not alike: the strongest key takes {takes} of the weight on average, the {end} dₖ."
    )


@pytest.mark.parametrize(("exponent", "where"), [(0.42, ", close to √dₖ:"), (0.58, ", close to √dₖ:"), (0.62, ":")])
def test_rows_that_look_alike_are_said_to_be_close_to_the_root_only_where_they_are(exponent, where):
    assert said((0.4, 0.4, 0.4), (1.0, 1.0, 1.24), exponent) == (
        f"Found{where} the three rows look alike; on average the strongest key takes 40 %, 40 % and 40 % of the weight."
    )


@pytest.mark.parametrize(("n_keys", "law"), list(product((2, 16, 512), COMPONENT_LAWS)))
def test_the_sentence_is_short_and_true_at_every_stop(n_keys, law):
    rows, params = {}, RowsParams(n_keys, (4, 100, 1024), law, seed=3)
    drawn, found = measure_rows(params), []
    for exponent in LESSONS["softmax_saturation"].controls["exponent"].stops:
        rows = drawn.divided(exponent)
        sentence = figures.weights(rows, params, None, 100, LIGHT).sentence
        assert not too_much(sentence), sentence
        within = drawn.scores.std(axis=-1, ddof=1) / np.array(rows.dims)[:, None, None] ** exponent
        spread = np.sqrt((within**2).mean(axis=(1, 2)))
        assert ("alike;" in sentence) == (max(spread) <= 1.25 * min(spread))
        numbers = [float(each) for each in re.findall(r"([0-9.]+) %", sentence.replace(">99 %", "100 %"))]
        np.testing.assert_allclose(numbers, 100 * rows.max_weight, rtol=0.06)
        if place := re.search(r"the (most|least) at the (smallest|middle|largest) dₖ\.", sentence):
            best = {"most": max, "least": min}[place[1]](rows.max_weight)
            assert rows.max_weight[("smallest", "middle", "largest").index(place[2])] == best
        found += [exponent] * rows.alike
    assert found == [] or found[-1] - found[0] < 0.12  # one place on the dial


def test_the_careful_words_and_the_alt_have_the_numbers_of_the_rows_and_of_the_lists():
    expected = expected_largest(16, (4, 64, 1024), 0.0)
    shown = weights(expected=expected)
    assert shown.sure == (
        "Each bar is a mean over 640 rows, the keys of each in the order of their scores. A larger dₖ appends "
        "components to the same queries and keys.",
        "σ is the spread of a row’s scores after the division. The rows count as alike where the widest σ is at most "
        "1.25 times the narrowest. Here it is 16.9 times.",
        "Predicted: raw scores spread by √dₖ, so divided ones spread by dₖ to the power ½ − 0. Only the exponent ½ "
        "makes that the same at every dₖ.",
        "The predicted weight is an exact average over normal queries and keys, found by quadrature. The error is that "
        "of the means of 20 independent draws.",
        "Softmax turns [4, 5] into [26.89 %, 73.11 %]; the gap is 1.",
        "Softmax turns [1, 10] into [0.01 %, 99.99 %]; the gap is 9.",
        "Only differences count. The Jacobian of softmax, which carries the gradient, has norm 0.393224 and "
        "0.000246759. The first list passes 1,593.56 times as much as the second.",
    )
    assert shown.checks == {
        "dₖ": ["4", "64", "1,024"],
        "σ": ["1.90", "7.85", "32.1"],
        "σ, predicted": ["2.00", "8.00", "32.0"],
        "largest weight": ["39.4 % ± 1.3 %", "84.0 % ± 0.69 %", "96.1 % ± 0.47 %"],
        "predicted": ["42.6 %", "84.4 %", "96.2 %"],
        "in its 95 % band": ["outside", "inside", "inside"],
    }
    assert weights(expected=np.array([0.4, 0.84, 0.9])).checks["in its 95 % band"] == ["inside", "inside", "outside"]
    assert "Other components tend to it" in weights(params=RowsParams(16, (4, 64, 1024), "uniform")).sure[3]
    assert len(weights(None).sure) == 4
    assert shown.alt == (
        "Softmax turns [4, 5] into [26.89 %, 73.11 %]; the gap is 1. Softmax turns [1, 10] into [0.01 %, 99.99 %]; "
        f"the gap is 9. Rows at dₖ = 4, at dₖ = 64 and at dₖ = 1,024. {shown.sentence}"
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
    comparison, rows = compare_lists(lists, **options), measure_rows(ROWS).divided(0.5)
    data = weights(lists, exponent=0.5, **options).table
    names = ["list 1"] * 2 + ["list 2"] * 2 + ["list 3"] * 3
    assert data["row"] == names + [f"÷ √dₖ, dₖ = {d_k:,}" for d_k in (4, 64, 1024) for _ in range(16)]
    assert data["key"] == [1, 2, 1, 2, 1, 2, 3, *(3 * [*range(1, 17)])]
    assert data["weight"] == np.concatenate([*comparison.attention_weights, *rows.weights]).tolist()
    assert weights(None).table["row"][0] == "raw, dₖ = 4"


def test_the_code_gives_the_weights_of_rows_and_lists():
    params = RowsParams(4, (4, 8, 1024), "laplace", 40, 5)
    wanted, rows = compare_lists(NOTES, multiplier=2.0, shift=-10.0), measure_rows(params)
    names, printed = run(weights(d_k=8, params=params, exponent=0.3, multiplier=2.0, shift=-10.0).code)
    for found, each in zip(names["lists"].attention_weights, wanted.attention_weights, strict=True):
        np.testing.assert_array_equal(found, each)
    np.testing.assert_array_equal(names["rows"].scores, rows.scores)
    assert str(rows.divided(0.3).weights) in printed
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
