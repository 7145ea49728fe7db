"""Pictures of the softmax_saturation lesson: their data are the result's, their words are its numbers."""

import re
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from pages._view.lessons import LESSONS
from pages._view.lessons.softmax_saturation import figures
from pages._view.shared import SHARED
from pages._view.theme import LIGHT, PROJECTOR, number
from sattn_core.laws.components import COMPONENT_LAWS
from sattn_core.lessons import softmax_saturation as core
from tests.figures.drawing import plotted
from tests.pages.opening import too_much

NOTES = ((4.0, 5.0), (1.0, 10.0))
FOUR = (*NOTES, (0.0, 0.0, 1.0), tuple(float(i) for i in range(64)))
PARAMS = core.SaturationParams(16, (1, 8, 64, 1024), n_rows=40)
ROWS = core.RowsParams(16, (4, 64, 1024))


@pytest.fixture(scope="module")
def result():
    return core.measure_saturation(PARAMS)


@pytest.fixture(scope="module")
def study():
    return core.overflow_study()


def lists_of(lists=NOTES, study=None, **options):
    return figures.lists(core.compare_lists(lists, **options), LIGHT, study)


def weights(d_k=64, profile=LIGHT, exponent=0.0, params=ROWS, expected=None):
    rows = core.measure_rows(params).divided(exponent)
    return figures.weights(rows, params, d_k, profile, expected)


def said(max_weight, spread, exponent=0.3):
    """The sentence of rows with these largest weights and spreads."""
    rows = core.measure_rows(ROWS).divided(exponent)
    found = {"max_weight": np.array(max_weight), "spread": np.array(spread), "ratio": max(spread) / min(spread)}
    return figures.weights(replace(rows, **found), ROWS, 64, LIGHT).sentence


def averages(result, d_k=64, profile=LIGHT, params=PARAMS):
    return figures.averages(result, params, d_k, profile)


def average(result, quantity, profile=LIGHT):
    """The traces of one panel."""
    axis = "y" + ("", "2", "3")[list(figures.QUANTITIES).index(quantity)]
    return [each for each in plotted(averages(result, profile=profile)).data if each.yaxis == axis]


# --- lists ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lists", [NOTES, FOUR])
def test_bars_are_the_weights_of_the_lists(lists):
    bars = plotted(lists_of(lists)).data
    assert len(bars) == len(lists)
    for trace, found in zip(bars, core.compare_lists(lists).attention_weights, strict=True):
        np.testing.assert_array_equal(trace.y, found)
        assert trace.marker.color == LIGHT.band
    for before, after in pairwise(bars):
        assert after.x[0] - before.x[-1] == pytest.approx(1.4)  # a gap between two lists
    for trace in bars:
        np.testing.assert_allclose(np.diff(trace.x), 1)


@pytest.mark.parametrize(
    ("lists", "name", "ticks"),
    [
        (NOTES, "score", ["4", "5", "1", "10"]),
        (((104.0, 105.0), (-96.0, 110.0)), "score", ["104", "105", "−96", "110"]),
        ((*NOTES, (0.0, 1.0)), "score", ["4", "5", "1", "10", "0", "1"]),
        (((0.0625, 1.0), (2.0, 3.0)), "score", ["0.0625", "1", "2", "3"]),
        (((0.0625, 1.0, 0.5), (2.0, 3.0, 0.25)), "list", ["1", "2"]),
        (FOUR, "list", ["1", "2", "3", "4"]),
    ],
)
def test_scores_stand_under_their_bars_where_a_phone_has_room(lists, name, ticks):
    axis = plotted(lists_of(lists)).layout.xaxis
    assert (axis.title.text, list(axis.ticktext)) == (name, ticks)
    assert all(axis.range[0] < place < axis.range[1] for place in axis.tickvals)


def test_scores_that_cannot_be_read_leave_the_axes_empty():
    shown = figures.lists(None, LIGHT)
    assert (shown.figure.data, shown.sentence) == ([], "One of the lists cannot be read.")
    assert [*shown.table.values()] == [[], [], []]


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        (NOTES, "73 % of the weight in the first list, and >99 % in the second list."),
        (((5, 5), (0, 0)), "50 % of the weight in the first list, and 50 % in the second list."),
        (FOUR, "58 % of the weight in the third list, and >99 % in the second list."),
        (((0, 0), (1, 1), (2, 2)), "50 % of the weight in the first list, and 50 % in the second list."),
    ],
)
def test_the_sentence_of_the_lists_names_two_of_them(lists, said):
    shown = lists_of(lists)
    assert shown.sentence == f"The largest score takes {said}"
    assert not too_much(shown.sentence)


def test_the_table_of_the_lists_has_every_weight():
    lists, options = (*NOTES, (0.1, 0.2, 0.7)), {"multiplier": 3.0, "shift": 1.0}
    data = lists_of(lists, **options).table
    assert data["list"] == ["list 1"] * 2 + ["list 2"] * 2 + ["list 3"] * 3
    assert data["key"] == [1, 2, 1, 2, 1, 2, 3]
    assert data["weight"] == np.concatenate(core.compare_lists(lists, **options).attention_weights).tolist()


def test_lists_are_written_out_with_their_weights_however_small():
    *_, third, fourth, norms = lists_of((*NOTES, (5.0, 5.0), tuple(0.0 for _ in range(64)))).sure
    assert third == "Softmax turns [5, 5] into [50.00 %, 50.00 %]; the gap is 0."
    assert fourth == "In list 4, of 64 scores, the largest weight is 1.56 %; the gap is 0."
    assert "has norm 0.393224, 0.000246759, 0.500000 and 0.124020." in norms  # 64 equal weights: √63 / 64
    assert "Softmax turns [−8, −7.5] into [37.75 %, 62.25 %]; the gap is 0.5." in (
        lists_of(multiplier=0.5, shift=-10).sure
    )  # 1 / (1 + e**0.5)
    # 2 e^-744 is three or four of the smallest steps of a float, and 2 e^-1000 is less than one.
    # mpmath: 2*e**-744, 2*e**-1000; 2*e**-1000 / (2*p*(1-p)), p = 1/(1+e)
    assert "norm 1.53439 × 10⁻³²³ and" in lists_of(((0, 744), (0, 1))).sure[-1]
    sentence = lists_of(((0, 1000), (0, 1))).sure[-1]
    assert "norm 1.01519 × 10⁻⁴³⁴ and" in sentence
    assert "passes 2.58171 × 10⁻⁴³⁴ times" in sentence


@pytest.mark.parametrize("place", [0, 1, 2])
def test_overflow_is_said_beside_the_lists(study, place):
    curve, sure = study.curves[place], lists_of(study=study).sure
    assert curve.largest_exponent == pytest.approx((11.0899, 88.7228, 709.7827)[place], abs=5e-5)
    assert sure[-5].endswith("with the subtraction it never breaks here.")
    said = sure[-4:-1][place]
    assert said.startswith(f"{curve.dtype}: ")
    assert f"NaN from s = {number(curve.first_failing_score, 5)}. " in said
    assert f"largest number, {number(curve.largest_exponent, 5)}. With the subtraction the weight is finite" in said
    assert lists_of().sure == sure[:-5]


def test_a_stable_softmax_that_breaks_is_said_to(study):
    broken = lists_of(study=replace(study, curves=(replace(study.curves[0], stable_is_finite=False),))).sure
    assert broken[-3].endswith("with the subtraction it still breaks.")
    assert "not finite everywhere" in broken[-2]


# --- rows whose divisor is turned -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exponent", "name", "colour"),
    [
        (0.0, "raw", LIGHT.raw),
        (0.48, "÷ dₖ^0.48", LIGHT.band),
        (0.5, "÷ √dₖ", LIGHT.scaled),
        (1.0, "÷ dₖ", LIGHT.third),
    ],
)
def test_three_rows_stand_on_the_same_scale(exponent, name, colour):
    params = core.RowsParams(16, (1, 4, 1024), n_rows=40)
    rows, fig = core.measure_rows(params).divided(exponent), plotted(weights(d_k=1, params=params, exponent=exponent))
    for trace, at, panel in zip(fig.data, (1, 0, 2), ("x", "x2", "x3"), strict=True):
        corners = np.reshape(trace.y, (-1, 4))
        np.testing.assert_array_equal(corners[:, [1, 2]].T, [rows.weights[at]] * 2)
        np.testing.assert_array_equal(corners[:, [0, 3]], 0)
        np.testing.assert_allclose(np.reshape(trace.x, (-1, 4)).mean(axis=1), np.arange(16), atol=1e-12)
        assert (trace.xaxis, trace.yaxis, trace.line.color, trace.fillcolor) == (panel, "y", colour, colour)
        assert (trace.name, trace.fill) == (f"{name}, dₖ = {rows.dims[at]:,}", "tozeroy")


def test_where_d_k_is_that_of_another_row_both_are_drawn():
    params = core.RowsParams(16, (4, 1024), n_rows=40)
    first, middle, _ = plotted(weights(d_k=4, params=params)).data
    np.testing.assert_array_equal(first.y, middle.y)
    assert weights(d_k=4, params=params).table["row"].count("raw, dₖ = 4") == 16


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
def test_rows_alike_are_said_to_be_close_to_the_root_where_they_are(exponent, where):
    assert said((0.4, 0.4, 0.4), (1.0, 1.0, 1.24), exponent) == (
        f"Found{where} the three rows look alike; on average the strongest key takes 40 %, 40 % and 40 % of the weight."
    )


@pytest.mark.parametrize(("n_keys", "law"), list(product((2, 16, 512), COMPONENT_LAWS)))
def test_the_sentence_is_short_and_true_at_every_stop(n_keys, law):
    rows, params = {}, core.RowsParams(n_keys, (4, 100, 1024), law, seed=3)
    drawn, found = core.measure_rows(params), []
    for exponent in LESSONS["softmax_saturation"].controls["exponent"].stops:
        rows = drawn.divided(exponent)
        sentence = figures.weights(rows, params, 100, LIGHT).sentence
        assert not too_much(sentence), sentence
        within = drawn.scores.std(axis=-1, ddof=1) / np.array(rows.dims)[:, None, None] ** exponent
        spread = np.sqrt((within**2).mean(axis=(1, 2)))
        assert ("alike;" in sentence) == (max(spread) <= 1.25 * min(spread))
        assert (", close to √dₖ:" in sentence) == ("alike;" in sentence and 1e-9 < abs(exponent - 0.5) < 0.1)
        numbers = [float(each) for each in re.findall(r"([0-9.]+) %", sentence.replace(">99 %", "100 %"))]
        np.testing.assert_allclose(numbers, 100 * rows.max_weight, rtol=0.06)
        if place := re.search(r"the (most|least) at the (smallest|middle|largest) dₖ\.", sentence):
            best = {"most": max, "least": min}[place[1]](rows.max_weight)
            assert rows.max_weight[("smallest", "middle", "largest").index(place[2])] == best
        found += [exponent] * rows.alike
    assert found == [] or found[-1] - found[0] < 0.12  # one place on the dial


def test_the_table_of_the_rows_has_every_weight():
    rows, data = core.measure_rows(ROWS).divided(0.5), weights(exponent=0.5).table
    assert data["row"] == [f"÷ √dₖ, dₖ = {d_k:,}" for d_k in (4, 64, 1024) for _ in range(16)]
    assert data["key"] == 3 * [*range(1, 17)]
    assert data["weight"] == rows.weights.ravel().tolist()


def test_a_mean_is_said_to_lie_in_its_band_only_where_it_does():
    checks = weights(expected=np.array([0.4, 0.84, 0.9])).checks
    assert checks["in its 95 % band"] == ["inside", "inside", "outside"]


# --- averages --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quantity", figures.QUANTITIES)
def test_averages_show_exact_curves_and_measured_points_with_their_bands(result, quantity):
    fig = average(result, quantity, LIGHT)
    for side, (curve, points) in (("raw", fig[:2]), ("scaled", fig[2:])):
        np.testing.assert_array_equal(curve.x, result.dims)
        np.testing.assert_array_equal(curve.y, getattr(getattr(result, side), quantity))
        found = getattr(getattr(result, f"{side}_measured"), quantity)
        np.testing.assert_array_equal(points.x, result.measured_dims)
        np.testing.assert_array_equal(points.y, found.measured)
        np.testing.assert_array_equal(points.error_y.array, found.high - found.predicted)
        np.testing.assert_array_equal(points.error_y.arrayminus, found.predicted - found.low)
        table, name = averages(result).table, f"{side}: {figures.QUANTITIES[quantity]}"
        for column in ("measured", "predicted", "standard_error"):
            assert table[f"{name}, {column.replace('_', ' ')}"] == getattr(found, column).tolist()


def test_what_is_outside_its_band_or_not_normal_is_said_so(result):
    points = result.scaled_measured.max_weight
    apart = replace(points, inside=np.zeros_like(points.inside))
    shown = averages(replace(result, scaled_measured=replace(result.scaled_measured, max_weight=apart)))
    assert ["lies outside" in each for each in shown.sure[1:3]] == [False, True]
    params = core.SaturationParams(16, (1, 100), n_rows=20, law="uniform")
    shown = averages(core.measure_saturation(params), 100, params=params)
    assert shown.sentence.startswith("Over many queries with normal components the largest weight is ")
    assert shown.sure[0].startswith("Predicted at dₖ = 100 for 16 keys and normal components: ")
    assert shown.sure[1].startswith("Measured at dₖ = 64 without the scale: ")


@pytest.mark.parametrize("n_keys", [2, 16, 512])
def test_the_line_of_the_averages_holds_for_every_number_of_keys(n_keys):
    params = core.SaturationParams(n_keys, tuple(SHARED["d_k"].stops), n_rows=20)
    result = core.measure_saturation(params)
    line = LESSONS["softmax_saturation"].step("averages").line
    assert line == "Raw weights sharpen as dₖ grows. Divided by √dₖ, they settle."
    assert (np.diff(result.raw.entropy_nats) < 0).all()
    assert result.raw.max_weight[-1] > 0.9
    late = result.scaled.effective_keys[result.dims >= 64]
    assert np.ptp(late) < 0.02 * late[-1]  # they settle
    assert all(averages(result, d_k, params=params).sentence for d_k in (1, 2, 64, 1024))


def test_averages_stand_side_by_side_on_a_wall(result):
    panels = {}
    for profile in (LIGHT, PROJECTOR):
        layout = plotted(averages(result, profile=profile)).layout
        panels[profile.name] = [(axis.domain or (0, 1)) for axis in (layout.yaxis, layout.yaxis2, layout.yaxis3)]
        sides = [(axis.domain or (0, 1)) for axis in (layout.xaxis, layout.xaxis2, layout.xaxis3)]
        rows = sides if profile is PROJECTOR else [*reversed(panels[profile.name])]
        assert all(before[1] < after[0] for before, after in pairwise(rows))
        drawn = [(line.x0, line.xref, line.yref) for line in layout.shapes]
        assert drawn == [
            (at, f"x{axis}", f"y{axis} domain") for axis in ("", "2", "3") for at in (result.freezing_d_k, 64)
        ]
