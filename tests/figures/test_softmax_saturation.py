"""Pictures of the softmax_saturation lesson: their data are the result's, their words are its numbers."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pages._view.lessons.softmax_saturation import figures
from pages._view.theme import LIGHT, number
from sattn_core.lessons.softmax_saturation import (
    SaturationParams,
    compare_lists,
    measure_saturation,
    overflow_study,
)
from tests.figures.drawing import PROFILES, check, run, texts

NOTES = ((4.0, 5.0), (1.0, 10.0))
FOUR = (*NOTES, (0.0, 0.0, 1.0), tuple(float(i) for i in range(64)))
PARAMS = SaturationParams(16, (1, 8, 64, 1024), n_rows=40)


@pytest.fixture(scope="module")
def result():
    return measure_saturation(PARAMS)


@pytest.fixture(scope="module")
def study():
    return overflow_study()


def list_bars(lists, profile=LIGHT, *, multiplier=1.0, shift=0.0):
    options = {"multiplier": multiplier, "shift": shift}
    return figures.list_bars(compare_lists(lists, **options), lists, options, profile)


def averages(result, d_k=64, profile=LIGHT, params=PARAMS):
    return figures.averages(result, params, d_k, profile)


def average(result, quantity, profile=LIGHT):
    return averages(result, profile=profile).figure[f"average_{quantity}"]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_picture_is_whole(result, study, profile):
    for lists in (NOTES, FOUR):
        check(list_bars(lists, profile))
    check(averages(result, profile=profile))
    check(figures.overflow(study, profile))


# --- lists -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("lists", [NOTES, FOUR])
def test_bars_are_the_weights_on_one_scale(lists, profile):
    fig = list_bars(lists, profile).figure
    assert len(fig.data) == len(lists)
    for i, (trace, weights) in enumerate(zip(fig.data, compare_lists(lists).attention_weights, strict=True)):
        np.testing.assert_array_equal(trace.y, weights)
        assert trace.marker.color == profile.band
        axes = str(i + 1) if i else ""
        assert (trace.xaxis, trace.yaxis) == (f"x{axes}", f"y{axes}")
        vertical, horizontal = fig.layout[f"yaxis{axes}"], fig.layout[f"xaxis{axes}"]
        assert tuple(vertical.range) == (0, 1.15)
        assert tuple(vertical.ticktext) == ("0 %", "50 %", "100 %")
        assert vertical.showticklabels == (i == 0)
        assert horizontal.title.text == ("score" if len(lists[i]) <= 8 else "place in the list")
    domains = [fig.layout[f"xaxis{i + 1 if i else ''}"].domain for i in range(len(lists))]
    assert domains[0][0] == 0
    assert domains[-1][1] == pytest.approx(1, abs=1e-12)
    assert all(left[1] < right[0] for left, right in pairwise(domains))


def test_few_bars_carry_their_numbers_and_many_do_not():
    fig = list_bars((NOTES[0], tuple(float(i) for i in range(9)))).figure
    assert list(fig.data[0].text) == ["26.89 %", "73.11 %"]
    assert list(fig.layout.xaxis.ticktext) == ["4", "5"]
    assert fig.data[1].text is None
    assert texts(fig) == ["softmax of [4, 5]", "List 2: 9 scores"]
    assert fig.layout.yaxis.title.text == "attention weight"


@pytest.mark.parametrize(
    ("more", "titles"),
    [
        ((), ["softmax of [4, 5]", "softmax of [1, 10]"]),
        (((-1e6, 1e6),), ["[4, 5]", "[1, 10]", "List 3"]),
        (((1.0, 2.0, 3.0), (5.0, 5.0)), ["[4, 5]", "[1, 10]", "List 3", "[5, 5]"]),
    ],
)
def test_a_panel_s_title_is_as_long_as_the_panel_is_wide(more, titles):
    assert texts(list_bars((*NOTES, *more)).figure) == titles


def test_a_longer_list_is_named_without_a_word_before_it():
    assert texts(list_bars(NOTES, shift=100.0).figure) == ["[104, 105]", "[101, 110]"]


def test_the_sentence_has_the_numbers_of_the_notes():
    assert list_bars(NOTES).sentence == (
        "[4, 5] becomes [26.89 %, 73.11 %] (gap 1); [1, 10] becomes [0.01 %, 99.99 %] (gap 9). Only differences "
        "count. The Jacobian, which carries the gradient, has norm 0.393224 and 0.000246759: the first list passes "
        "1,593.56 times as much."
    )


def test_the_sentence_speaks_of_every_list_and_spells_out_the_short_ones():
    sentence = list_bars((*NOTES, (5.0, 5.0), tuple(0.0 for _ in range(64)))).sentence
    assert sentence == (
        "[4, 5] becomes [26.89 %, 73.11 %] (gap 1); [1, 10] becomes [0.01 %, 99.99 %] (gap 9); [5, 5] becomes "
        "[50.00 %, 50.00 %] (gap 0); List 4 (64 scores) gives one key 1.56 % (gap 0). Only differences count. The "
        "Jacobian, which carries the gradient, has norm 0.393224, 0.000246759, 0.500000 and 0.124020: the first list "
        "passes 1,593.56 times as much as the second."
    )  # 64 equal weights: √63 / 64


def test_the_sentence_follows_multiplier_and_shift():
    sentence = list_bars(NOTES, multiplier=0.5, shift=-10).sentence
    assert sentence.startswith("[−8, −7.5] becomes [37.75 %, 62.25 %] (gap 0.5); ")  # 1 / (1 + e**0.5)


def test_a_gap_at_the_end_of_the_floats_has_its_numbers():
    # 2 e^-744 is three or four of the smallest steps of a float, and 2 e^-1000 is less than one.
    # mpmath: 2*e**-744, 2*e**-1000; 2*e**-1000 / (2*p*(1-p)), p = 1/(1+e)
    assert "norm 1.53439 × 10⁻³²³ and" in list_bars(((0, 744), (0, 1))).sentence
    sentence = list_bars(((0, 1000), (0, 1))).sentence
    assert "norm 1.01519 × 10⁻⁴³⁴ and" in sentence
    assert "passes 2.58171 × 10⁻⁴³⁴ times" in sentence
    assert figures.list_table(compare_lists(((0, 1000), (0, 1))))["Jacobian norm"][0] == "1.01519 × 10⁻⁴³⁴"


def test_the_table_has_a_row_for_each_list():
    table = figures.list_table(compare_lists((*NOTES, (0.0, 0.0, 0.0, 0.0))))
    assert table == {
        "list": ["[4, 5]", "[1, 10]", "[0, 0, 0, 0]"],
        "gap": ["1", "9", "0"],
        "largest weight": ["73.11 %", "99.99 %", "25.00 %"],
        "entropy (nats)": ["0.582203", "0.00123395", "1.38629"],
        "effective keys": ["1.78998", "1.00123", "4.00000"],
        "Jacobian norm": ["0.393224", "0.000246759", "0.433013"],  # √3 / 4 for four equal weights
    }


def test_the_data_are_every_score_and_weight_in_full_precision():
    lists, options = (*NOTES, (0.1, 0.2, 0.7)), {"multiplier": 3.0, "shift": 1.0}
    comparison, data = compare_lists(lists, **options), list_bars(lists, **options).table
    assert data["list"] == [1, 1, 2, 2, 3, 3, 3]
    assert data["score"] == np.concatenate(comparison.scores).tolist()
    assert data["weight"] == np.concatenate(comparison.attention_weights).tolist()


def test_the_code_of_the_lists_gives_their_weights():
    wanted = compare_lists(NOTES, multiplier=2.0, shift=-10.0)
    names, printed = run(list_bars(NOTES, multiplier=2.0, shift=-10.0).code)
    for found, weights in zip(names["result"].attention_weights, wanted.attention_weights, strict=True):
        np.testing.assert_array_equal(found, weights)
    assert str(wanted.jacobian_norm) in printed


# --- averages --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("quantity", figures.QUANTITIES)
def test_averages_show_exact_curves_and_measured_points_with_their_bands(result, quantity, profile):
    fig = average(result, quantity, profile)
    for side, symbol, (curve, points) in (("raw", "circle", fig.data[:2]), ("scaled", "square", fig.data[2:])):
        np.testing.assert_array_equal(curve.x, result.dims)
        np.testing.assert_array_equal(curve.y, getattr(getattr(result, side), quantity))
        assert (curve.line.dash, curve.line.color, curve.line.width) == ("dash", profile.text, profile.line_width)
        found = getattr(getattr(result, f"{side}_measured"), quantity)
        np.testing.assert_array_equal(points.x, result.measured_dims)
        np.testing.assert_array_equal(points.y, found.measured)
        np.testing.assert_array_equal(points.error_y.array, found.high - found.predicted)
        np.testing.assert_array_equal(points.error_y.arrayminus, found.predicted - found.low)
        assert (points.marker.color, points.marker.symbol) == (getattr(profile, side), symbol)
    assert texts(fig) == ["raw", "scaled"]
    assert fig.layout.title.text == figures.QUANTITIES[quantity]


def uprights(fig):
    return [(shape.x0, shape.x1, shape.line.dash) for shape in fig.layout.shapes]


def test_the_freezing_threshold_is_dotted(result):
    fig = average(result, "max_weight")
    threshold = 2 * np.log(16)
    assert (threshold, threshold, "dot") in [
        (pytest.approx(x0), pytest.approx(x1), dash) for x0, x1, dash in uprights(fig)
    ]


def test_each_average_spans_all_the_values_it_can_take(result):
    layouts = {name: average(result, name).layout for name in figures.QUANTITIES}
    assert tuple(layouts["max_weight"].yaxis.range) == (0, 1.08)
    assert tuple(layouts["entropy_nats"].yaxis.range) == (0, pytest.approx(1.12 * np.log(16)))
    low, high = layouts["effective_keys"].yaxis.range
    assert low < 0 < np.log10(16) < high
    assert layouts["effective_keys"].yaxis.type == "log"
    for layout in layouts.values():
        assert (layout.xaxis.type, layout.xaxis.title.text) == ("log", "d_k")
        assert layout.xaxis.range[0] < 0 < np.log10(1024) < layout.xaxis.range[1]


def test_the_sentence_has_the_averages_at_the_chosen_dimension(result):
    curve = replace(
        result.raw,
        max_weight=np.array([0.2, 0.5, 0.876, 0.98]),
        effective_keys=np.array([9.0, 3.0, 1.412, 1.1]),
    )
    scaled = replace(
        result.scaled, max_weight=np.array([0.2, 0.2, 0.2545, 0.2]), effective_keys=np.array([9.0, 9.0, 9.876, 9.0])
    )
    points = result.raw_measured.max_weight
    at = result.measured_dims.tolist().index(64)
    numbers = {"measured": 0.8812, "standard_error": 0.0134, "predicted": 0.876}
    points = replace(points, **{name: np.full(len(points.measured), -1.0) for name in numbers})
    for name, value in numbers.items():
        getattr(points, name)[at] = value
    said = replace(result, raw=curve, scaled=scaled, raw_measured=replace(result.raw_measured, max_weight=points))
    assert averages(said).sentence == (
        "Over many queries with 16 keys at d_k = 64, the largest weight is on average 87.6 % raw and 25.4 % scaled; "
        "1.41 keys are in use raw, 9.88 scaled. Measured at d_k = 64, raw: 88.1 % ± 1.3 % against 87.6 %, inside its "
        "95 % band. In the limit of many keys softmax freezes beyond a standard deviation of √(2 ln n_keys); here "
        "√(2 ln 16) = 2.35, where the largest weight is 52.4 % on average and 4.22 keys are in use. Raw scores pass it "
        "at d_k = 5.55 (dotted), scaled ones never."
    )


def test_between_measured_points_the_sentence_takes_the_one_below(result):
    params = SaturationParams(16, (1, 100), n_rows=20, law="uniform")
    sentence = averages(measure_saturation(params), 100, params=params).sentence
    assert "at d_k = 100, the largest weight, for normal components, is on average " in sentence
    assert "Measured at d_k = 64, raw: " in sentence


def test_the_table_of_averages_is_the_data(result):
    table = averages(result).table
    assert table["d_k"] == result.measured_dims.tolist()
    for side in ("raw", "scaled"):
        for quantity, name in figures.QUANTITIES.items():
            points = getattr(getattr(result, f"{side}_measured"), quantity)
            assert table[f"{side}: {name}, measured"] == points.measured.tolist()
            assert table[f"{side}: {name}, predicted"] == points.predicted.tolist()
            assert table[f"{side}: {name}, standard error"] == points.standard_error.tolist()
    assert len(table) == 1 + 2 * 3 * 3


def test_the_code_of_the_averages_gives_the_curves():
    params = SaturationParams(8, (1, 64), law="uniform", seed=2)
    wanted = measure_saturation(params)
    names, _ = run(averages(wanted, params=params).code)
    np.testing.assert_array_equal(names["result"].raw.max_weight, wanted.raw.max_weight)
    found, shown = names["result"].raw_measured.max_weight, wanted.raw_measured.max_weight
    np.testing.assert_array_equal(found.measured, shown.measured)


# --- overflow --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_overflow_shows_how_far_each_type_reaches(study, profile):
    fig = figures.overflow(study, profile).figure
    for i, curve in enumerate(study.curves):
        naive, stable, broken = fig.data[3 * i : 3 * i + 3]
        np.testing.assert_array_equal(naive.x, study.scores[study.scores <= curve.last_finite_score])
        np.testing.assert_array_equal(stable.x, study.scores)
        assert set(naive.y) == {f"{curve.dtype}, naive"}
        assert set(stable.y) == {f"{curve.dtype}, stable"}
        assert (naive.line.color, stable.line.color) == (profile.band, profile.third)
        assert (list(broken.x), broken.marker.symbol) == ([curve.first_failing_score], "x")
        assert broken.textposition == "bottom center"
        assert list(broken.text) == [f"NaN from {number(curve.first_failing_score, 5)}"]
    assert (fig.layout.xaxis.type, fig.layout.xaxis.title.text) == ("log", "score s in softmax([0, s])")
    assert fig.layout.xaxis.range[1] > np.log10(study.scores[-1])
    assert fig.layout.title.text == "Naive softmax breaks"


def test_the_overflow_sentence_names_the_limits(study):
    sentence = figures.overflow(study, LIGHT).sentence
    for part in ("float16 from 11.", "(predicted 11.090)", "(predicted 88.723)", "(predicted 709.78)"):
        assert part in sentence
    assert "every type is right up to s = 2,000, scaled or not" in sentence
    broken = replace(study, curves=(replace(study.curves[0], stable_is_finite=False), *study.curves[1:]))
    assert "every type is wrong up to" in figures.overflow(broken, LIGHT).sentence


def test_the_overflow_table_stands_beside_the_closed_form(study):
    table = figures.overflow(study, LIGHT).table
    assert table["type"] == ["float16", "float32", "float64"]
    assert table["naive NaN from"] == [curve.first_failing_score for curve in study.curves]
    assert table["naive finite up to"] == [curve.last_finite_score for curve in study.curves]
    assert table["ln(largest number)"] == pytest.approx([11.0899, 88.7228, 709.7827], abs=5e-5)
    assert table["stable: largest error"] == [curve.stable_largest_error for curve in study.curves]
    assert table["machine epsilon"] == [2.0**-10, 2.0**-23, 2.0**-52]


def test_the_overflow_code_gives_the_limits(study):
    _, printed = run(figures.overflow(study, LIGHT).code)
    wanted = [f"{c.dtype} {c.first_failing_score} {c.largest_exponent}" for c in study.curves]
    assert printed.splitlines() == wanted
