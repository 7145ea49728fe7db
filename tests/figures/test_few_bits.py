"""Pictures of the few_bits lesson: their data are the result's, their words are its numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.few_bits import figures
from pages._view.theme import LIGHT, PROJECTOR
from sattn_core.lessons.few_bits import (
    FORMATS,
    N_KEYS,
    FewBitsParams,
    few_bits_curves,
    large_sum,
    measure_few_bits,
    predicted_errors,
)
from tests.figures.drawing import plotted, texts, trace_of

PARAMS = FewBitsParams(64)
DOTS = figures.SHOWN_ROWS * N_KEYS


@pytest.fixture(scope="module")
def result():
    return measure_few_bits(PARAMS)


@pytest.fixture(scope="module")
def overflowed():
    return measure_few_bits(FewBitsParams(512, "float16", size=40.0))


# --- scores ----------------------------------------------------------------------------------------------


def test_a_dot_is_a_score_by_its_size_and_its_error_on_one_axis_for_both(result):
    shown = plotted(figures.errors(result, LIGHT))
    for name, one in (("raw", result.raw), ("scaled", result.scaled)):
        dots = trace_of(shown, name)
        exact = one.exact[: figures.SHOWN_ROWS].ravel()
        off = np.abs(one.found[: figures.SHOWN_ROWS].ravel() - exact)
        np.testing.assert_allclose(dots.x, np.maximum(np.log10(np.abs(exact)), -2), rtol=1e-12)
        np.testing.assert_allclose(dots.y, np.log10(np.maximum(off, 1e-6)), rtol=1e-12)
        assert not np.size(trace_of(shown, f"overflow, {name}").x)
    assert shown.layout.yaxis.range == shown.layout.yaxis2.range


def test_the_dashed_steps_are_half_the_spacing_and_no_dot_of_32_bits_lies_above_them(result):
    shown = plotted(figures.errors(result, LIGHT))
    steps, dots = trace_of(shown, "half the spacing, exact"), trace_of(shown, "raw")
    assert steps.line.shape == "hv"
    at = np.searchsorted(steps.x, dots.x + 1e-12) - 1
    assert (dots.y <= steps.y[at] + 1e-6).all()
    assert steps.y[np.searchsorted(steps.x, math.log10(64))] == pytest.approx(math.log10(1 / 4))


def test_the_right_axis_says_what_the_left_one_means_for_a_weight(result):
    layout = plotted(figures.errors(result, LIGHT)).layout
    assert layout.yaxis.ticktext == ("0", "0.0001", "0.01", "1", "100")
    assert layout.yaxis2.ticktext == ("", "0.01 %", "1 %", "× 2.7", "× 10<sup>43</sup>")
    assert (layout.yaxis2.overlaying, layout.yaxis2.side) == ("y", "right")


def test_what_overflows_stands_at_the_top_beyond_the_largest_number(overflowed):
    shown = plotted(figures.errors(overflowed, LIGHT))
    crosses, dots = trace_of(shown, "overflow, raw"), trace_of(shown, "raw")
    assert crosses.marker.symbol == "x"
    assert len(crosses.x) + len(dots.x) == DOTS
    assert crosses.x.min() > math.log10(65_500) > dots.x.max() - 1e-3
    assert [line.x0 for line in shown.layout.shapes] == [math.log10(65_504)]
    assert "65,504, the largest number" in texts(shown)[-1]


def test_the_names_of_both_clouds_never_meet(result):
    for found in (result, measure_few_bits(FewBitsParams(1))):
        for profile in (LIGHT, PROJECTOR):
            raw, scaled = plotted(figures.errors(found, profile)).layout.annotations[:2]
            assert (raw.text, raw.xanchor, scaled.text, scaled.xanchor) == ("raw", "left", "÷ √dₖ", "right")
            assert raw.x >= scaled.x


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "At dₖ = 64 rounding typically changes a weight by 1.8 % without the scale, and by 0.13 % with it."),
        ({"d_k": 1}, "At dₖ = 1 rounding typically changes a weight by 0.13 %, with the scale or without it."),
        ({"d_k": 1024, "format": "float8_e4m3fn", "sums": "same"},
         "At dₖ = 1,024 rounding typically changes a weight by a factor over 1,000 without the scale, and by 45 % with "
         "it."),
        ({"d_k": 64, "format": "float8_e4m3fn", "size": 64.0},
         "At dₖ = 64 a score overflows in every row, divided or not: no weight is left."),
    ],
)  # fmt: skip
def test_the_sentence_says_how_much_a_weight_changes(changes, said):
    assert figures.errors(measure_few_bits(replace(PARAMS, **changes)), LIGHT).sentence == said


def test_the_sentence_counts_the_rows_that_overflow_and_says_what_dividing_does(overflowed):
    lost = int(overflowed.raw.lost.sum())
    start = f"At dₖ = 512 a score overflows in {lost} of 64 rows without the scale."
    assert figures.errors(overflowed, LIGHT).sentence == f"{start} Divided after that, they stay lost."
    before = measure_few_bits(replace(overflowed.params, order="before"))
    assert figures.errors(before, LIGHT).sentence == f"{start} With q divided before, none does."


def test_how_sure_has_the_measured_errors_the_predicted_ones_and_the_spacing(result):
    sure = " ".join(figures.errors(result, LIGHT, predicted_errors(PARAMS)).sure)
    assert "Raw scores are off by 0.0135 ± 0.00045 (root mean square). Predicted: 0.0133." in sure
    assert "lie 0.5 apart" in sure
    assert "at most 0.25, and multiplies its weight by at most e to the power 0.25, 1.28." in sure
    nothing = " ".join(figures.errors(result, LIGHT, (math.nan, math.nan)).sure)
    assert nothing.count("No formula says here what to expect.") == 2


def test_rows_that_are_lost_are_the_larger_ones_so_that_the_others_have_no_prediction(overflowed):
    sure = " ".join(figures.errors(overflowed, LIGHT, predicted_errors(overflowed.params)).sure)
    assert sure.count("No formula says here what to expect.") == 2
    assert f"{int(overflowed.raw.lost.sum())} raw and" in sure


def test_the_picture_names_the_format_and_that_of_the_sums(result):
    same = measure_few_bits(replace(PARAMS, sums="same"))
    assert texts(plotted(figures.errors(result, LIGHT)))[-1] == (
        "dots: scores, added up in 32 bits; ×: overflow<br>dashed: half the spacing of bfloat16"
    )
    assert "added up in bfloat16" in texts(plotted(figures.errors(same, PROJECTOR)))[-1]


# --- curves ----------------------------------------------------------------------------------------------


def test_every_line_is_the_mean_change_of_its_format_and_the_chosen_one_is_wide():
    found = few_bits_curves((1, 16, 64), PARAMS)
    shown = plotted(figures.curves(found, PARAMS, LIGHT))
    for i, name in enumerate(FORMATS):
        for j, side in enumerate(("raw", "scaled")):
            points = trace_of(shown, f"{side}, {figures.CALLED[name]}")
            np.testing.assert_allclose(points.y, np.log10(found.change[i, j]), rtol=1e-12)
            np.testing.assert_allclose(10**points.x, [1, 16, 64], rtol=1e-12)
            width = trace_of(shown, f"{side}, {figures.CALLED[name]}, line").line.width
            assert (width > LIGHT.line_width) == (name == PARAMS.format)
    assert shown.layout.shapes[0].x0 == math.log10(64)


def test_the_claim_of_the_curves_is_that_of_the_chosen_format():
    found = few_bits_curves((1, 16, 64), PARAMS)
    said = figures.curves(found, PARAMS, LIGHT)
    assert said.claim == "Without the scale, weights change ever more; with it, they do not"
    raw, scaled = found.change[FORMATS.index("bfloat16"), :, -1] / found.change[FORMATS.index("bfloat16"), :, 0]
    ratios = f"becomes {figures.number(raw, 2)} times as large without the scale, and {figures.number(scaled, 2)} times"
    assert ratios in said.sentence
    params = replace(PARAMS, sums="same")
    few = figures.curves(few_bits_curves((1, 1024), params), params, LIGHT)
    assert few.claim == "Added up in few bits, even scaled scores get worse"
    assert "becomes 1,100 times as large" in few.sentence


def test_where_every_row_overflows_there_is_a_gap_and_it_is_said():
    params = replace(PARAMS, size=64.0, format="float8_e4m3fn")
    said = figures.curves(few_bits_curves((1, 64), params), params, LIGHT)
    assert np.isnan(trace_of(plotted(said), "raw, float8").y[1])
    assert said.claim == "Where every row overflows, no weight is left"
    assert "100 % of the rows overflow at dₖ = 64" in " ".join(said.sure)


# --- a large sum -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d_k", "sums", "crosses", "said"),
    [
        (64, "same", [41], "The sum overflows at product 41 of 64; with q divided first, it comes to 12,800."),
        (64, "float32", [64], "The sum, 102,400, is too large to be kept; with q divided first, it comes to 12,800."),
        (16, "same", [], "The sum comes to 25,600, which the format holds; with q divided first, it comes to 6,400."),
    ],
)  # fmt: skip
def test_a_sum_is_drawn_up_to_where_it_overflows(d_k, sums, crosses, said):
    picture = figures.large(large_sum(d_k, "float16", sums), LIGHT)
    shown = plotted(picture)
    assert picture.sentence == said
    assert ("saves" in picture.claim) == bool(crosses)
    np.testing.assert_allclose(np.power(10, trace_of(shown, "overflow, raw").x), crosses)
    last = crosses[0] - (sums == "same") if crosses else d_k
    np.testing.assert_allclose(np.power(10, trace_of(shown, "raw").y), 1600 * np.arange(1, last + 1), rtol=1e-12)
    assert len(trace_of(shown, "scaled").x) == d_k
    assert not np.size(trace_of(shown, "overflow, scaled").x)
