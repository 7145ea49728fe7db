"""Pictures of the score_variance lesson: their data are the result's, their words are its numbers."""

import re
from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.score_variance import figures
from pages._view.lessons.score_variance.work import CURVE_DIMS, CURVE_SAMPLES, N_WALKS
from pages._view.theme import LIGHT, number
from sattn_core.lessons.score_variance import (
    ScoreVarianceParams,
    hand_made_example,
    measure_score_variance,
    random_walks,
    variance_curve,
)
from tests.figures.drawing import PROFILES, check, run, texts

DRAW = {"law": "normal", "mean_q": 0.0, "mean_k": 0.0, "correlation": 0.0, "seed": 0}
CONSTANT = {"law": "rademacher", "mean_q": 0.0, "mean_k": 0.0, "correlation": 1.0, "seed": 0}
CURVE = {"n_samples": 200, **DRAW}
WALKS = {"n_walks": 3, **DRAW}


@pytest.fixture(scope="module")
def result():
    return measure_score_variance(ScoreVarianceParams(64, 2_000))


@pytest.fixture(scope="module")
def curve():
    return variance_curve((1, 4, 64, 1024), **CURVE)


@pytest.fixture(scope="module")
def walks():
    return random_walks(16, **WALKS)


def histograms(result, axis="shared", profile=LIGHT):
    return figures.histograms(result, axis, profile)


def variances(curve, options=CURVE, profile=LIGHT):
    return figures.variance_against_dimension(curve, options, profile)


def score_walks(walks, options=WALKS, profile=LIGHT):
    return figures.score_walks(walks, options, profile)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_picture_is_whole(result, curve, walks, profile):
    for axis in ("shared", "own"):
        check(histograms(result, axis, profile))
    check(variances(curve, CURVE, profile))
    check(score_walks(walks, WALKS, profile))


# --- histograms ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("score_axis", ["shared", "own"])
def test_histograms_show_the_densities_and_the_laws_as_shares_of_the_tallest_bar(result, profile, score_axis):
    fig = histograms(result, score_axis, profile).figure
    for side, axes, (bars, law) in (("raw", "", fig.data[:2]), ("scaled", "2", fig.data[2:])):
        edges, density = getattr(result, f"{side}_edges"), getattr(result, f"{side}_density")
        np.testing.assert_array_equal(bars.x, edges)
        np.testing.assert_array_equal(bars.y, [*(density / density.max()), 0])
        assert (bars.line.shape, bars.fillcolor, bars.name) == ("hv", getattr(profile, side), f"{side}, 2,000 scores")
        np.testing.assert_array_equal(law.x, getattr(result, f"{side}_grid"))
        cut = np.minimum(getattr(result, f"{side}_law") / density.max(), 1.15)
        np.testing.assert_array_equal(law.y, cut)
        assert (law.line.dash, law.line.color, law.line.width) == ("dash", profile.text, profile.line_width)
        assert {bars.xaxis, law.xaxis} == {f"x{axes}"}
        assert {bars.yaxis, law.yaxis} == {f"y{axes}"}


@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_the_shared_axis_is_the_same_for_both_panels_and_for_every_dimension(d_k):
    layout = histograms(measure_score_variance(ScoreVarianceParams(d_k, 100))).figure.layout
    assert tuple(layout.xaxis.range) == tuple(layout.xaxis2.range) == (-80, 80)
    assert tuple(layout.yaxis.range) == tuple(layout.yaxis2.range) == (0, 1.15)
    assert (layout.xaxis.showticklabels, layout.xaxis2.title.text) == (False, "score")


def test_a_shifted_mean_widens_the_shared_axis_and_never_narrows_it():
    for mean, low, high in ((2.0, -80, None), (0.5, -80, 80)):
        shifted = measure_score_variance(ScoreVarianceParams(64, 100, mean_q=mean, mean_k=mean))
        layout = histograms(shifted).figure.layout
        high = high or shifted.raw_edges[-1]
        assert tuple(layout.xaxis.range) == tuple(layout.xaxis2.range) == (low, high)


@pytest.mark.parametrize("d_k", [1, 64])
def test_each_panel_on_its_own_axis_spans_its_own_bins(d_k):
    result = measure_score_variance(ScoreVarianceParams(d_k, 100))
    layout = histograms(result, "own").figure.layout
    assert tuple(layout.xaxis.range) == (-5 * d_k**0.5, 5 * d_k**0.5)
    assert tuple(layout.xaxis2.range) == (-5, 5)
    assert layout.xaxis.showticklabels


def drawn_with(**fields):
    result = measure_score_variance(ScoreVarianceParams(64, 100))
    return lambda axis: texts(histograms(replace(result, **fields), axis).figure)


def test_scores_beyond_the_axis_are_counted_in_words():
    shown = drawn_with(beyond_shared=0.0123, beyond_own=0.0005)
    assert shown("shared")[-1] == "1.2 % beyond<br>the axis"
    assert shown("own")[-1] in ("0.1 % beyond<br>the axis", "0.0 % beyond<br>the axis")
    few = drawn_with(beyond_shared=0.0004, beyond_own=0.0)
    assert len(few("shared")) == len(few("own")) == 3


def test_there_is_room_between_the_panels_for_the_numbers_of_their_own_axes(result):
    for axis, gap in (("shared", 0.14), ("own", 0.2)):
        layout = histograms(result, axis).figure.layout
        assert (layout.yaxis.domain[1], layout.yaxis2.domain[0]) == (1, 0)
        assert layout.yaxis.domain[0] - layout.yaxis2.domain[1] == pytest.approx(gap)


def test_the_panels_are_titled_with_the_measured_variances(result):
    raw, scaled, key = texts(histograms(result).figure)
    assert raw == f"Raw scores: variance {number(result.rows[1].measured, 4)}"
    assert scaled == f"Scaled scores: variance {number(result.rows[4].measured, 4)}"
    assert key.endswith("dashed: exact<br>distribution")
    key = histograms(result).figure.layout.annotations[2]
    assert (key.yref, key.y, key.yanchor) == ("y2 domain", 1, "top")  # where no peak is wide on a phone
    other = measure_score_variance(ScoreVarianceParams(64, 100, law="uniform"))
    assert texts(histograms(other).figure)[2].endswith("dashed: normal<br>distribution")


def test_the_infinite_density_at_one_dimension_is_cut_at_the_panel_s_top():
    fig = histograms(measure_score_variance(ScoreVarianceParams(1, 1_000))).figure
    assert max(fig.data[1].y) == max(fig.data[3].y) == 1.15


def test_constant_scores_are_one_bar_without_a_law():
    shown = histograms(measure_score_variance(ScoreVarianceParams(2, 100, **CONSTANT)))
    check(shown)
    fig = shown.figure
    assert sum(fig.data[0].y) == 1
    assert np.isnan(fig.data[1].y).all()


def row_saying(result, place, **values):
    """The result with the fields of one moment replaced."""
    rows = list(result.rows)
    rows[place] = replace(rows[place], **values)
    return replace(result, rows=tuple(rows))


def test_the_sentence_has_the_numbers_of_the_moment_and_says_inside_or_outside(result):
    said = row_saying(result, 1, measured=66.5, predicted=64.0, low=60.25, high=67.75, inside=True)
    said = row_saying(said, 4, measured=1.25, predicted=1.0, low=0.9, high=1.1, inside=False)
    assert histograms(said).sentence == (
        "At d_k = 64, over 2,000 independent pairs, raw scores have variance 66.50 (predicted 64.00, "
        "95 % band 60.25 to 67.75: inside); divided by √64 they have 1.250 (predicted 1.000, "
        "95 % band 0.9000 to 1.100: outside)."
    )


def test_a_rough_band_is_never_called_one_of_95_percent(result):
    rough = "exact, rough gamma approximation"
    said = row_saying(result, 1, measured=66.5, predicted=64.0, low=60.25, high=67.75, inside=True, error_source=rough)
    assert "variance 66.50 (predicted 64.00, rough band 60.25 to 67.75: inside)" in histograms(said).sentence
    assert figures.moment_table(said)["95 % band"][1] == "roughly 60.25 to 67.75"


def test_the_sentence_of_a_matrix_names_its_shape():
    params = ScoreVarianceParams(1024, sampling="matrix", n_queries=8, n_keys=16)
    sentence = histograms(measure_score_variance(params)).sentence
    assert sentence.startswith("At d_k = 1,024, over the 8 × 16 entries of one Q Kᵀ, raw scores have variance ")
    assert "divided by √1,024 they have" in sentence


def test_the_sentence_agrees_with_the_measured_variance(result):
    row = result.rows[1]
    verdict = "inside" if row.low <= row.measured <= row.high else "outside"
    assert f"variance {number(row.measured, 4)} (predicted 64.00" in histograms(result).sentence
    assert verdict in histograms(result).sentence


def test_the_histogram_table_is_the_data(result):
    table = histograms(result).table
    assert table["raw from"] == result.raw_edges[:-1].tolist()
    assert table["raw to"] == result.raw_edges[1:].tolist()
    assert table["scaled from"] == result.scaled_edges[:-1].tolist()
    assert table["scaled to"] == result.scaled_edges[1:].tolist()
    assert table["count"] == result.counts.tolist()
    assert sum(table["count"]) + result.below + result.above == 2_000


def test_the_moment_table_says_in_words_what_lies_in_its_band(result):
    said = row_saying(result, 1, measured=66.5, predicted=64.0, low=60.25, high=65.0, z=-2.25, inside=False)
    said = row_saying(said, 2, predicted=np.inf, measured=4.5, z=np.nan, inside=None, error_source="exact")
    table = figures.moment_table(said)
    assert table["quantity"][:3] == ["raw mean", "raw variance", "raw excess kurtosis"]
    assert (table["predicted"][1], table["measured"][1]) == ("64.00", "66.50")
    assert (table["95 % band"][1], table["z"][1], table["verdict"][1]) == ("60.25 to 65.00", "−2.2", "outside")
    assert (table["predicted"][2], table["measured"][2]) == ("infinite", "4.500")
    assert (table["95 % band"][2], table["z"][2], table["verdict"][2]) == ("none", "none", "nothing to compare")
    assert table["sampling error"] == [row.error_source for row in said.rows]
    assert {len(column) for column in table.values()} == {6}


def test_the_scaling_rule_is_said_with_its_numbers(result):
    rule = replace(
        result.scaling_rule, raw_variance=66.5, scale_squared_times_raw_variance=1.0390625, scaled_variance=1.0390625
    )
    assert figures.scaling_rule_sentence(replace(result, scaling_rule=rule)) == (
        "Here c = 1/√64 = 0.1250, so c² Var(X) = 0.1250² × 66.50 = 1.039; measured on the scaled scores: 1.039."
    )


def test_the_code_gives_the_moments_that_are_shown(result):
    names, printed = run(histograms(result).code)
    assert names["result"].rows == result.rows
    assert f"raw variance {result.rows[1].measured} 64.0" in printed


# --- variance against d_k --------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_the_curve_shows_theory_points_and_bands(curve, profile):
    fig = variances(curve, CURVE, profile).figure
    colours, symbols = (profile.raw, profile.scaled, profile.third), ("circle", "square", "diamond")
    for i, (colour, symbol) in enumerate(zip(colours, symbols, strict=True)):
        theory, points = fig.data[2 * i : 2 * i + 2]
        np.testing.assert_array_equal(theory.x, curve.dims)
        np.testing.assert_array_equal(theory.y, curve.theory[i])
        assert (theory.line.dash, theory.line.color) == ("dash", profile.text)
        np.testing.assert_array_equal(points.x, curve.dims)
        np.testing.assert_array_equal(points.y, curve.measured[i])
        np.testing.assert_array_equal(points.error_y.array, curve.high[i] - curve.theory[i])
        np.testing.assert_array_equal(points.error_y.arrayminus, curve.theory[i] - curve.low[i])
        assert (points.marker.color, points.marker.symbol) == (colour, symbol)
    assert texts(fig) == ["raw", "÷ √d_k", "÷ d_k"]
    assert [note.yanchor for note in fig.layout.annotations] == ["bottom", "bottom", "top"]  # the last line falls
    assert fig.layout.title.subtitle.text == "points: measured, dashed: theory"
    assert fig.layout.title.text == "Only ÷ √d_k is flat"


def test_the_curve_has_log_axes_that_hold_every_point(curve):
    layout = variances(curve).figure.layout
    assert (layout.xaxis.type, layout.xaxis.title.text) == ("log", "d_k")
    assert (layout.yaxis.type, layout.yaxis.title.text) == ("log", "variance of the scores")
    for axis, values in ((layout.xaxis, curve.dims), (layout.yaxis, (curve.low, curve.high))):
        assert axis.range[0] < np.log10(np.min(values))
        assert np.log10(np.max(values)) < axis.range[1]


def test_a_constant_score_has_no_place_on_the_log_axis_and_no_label():
    options = {"n_samples": 50, **CONSTANT}
    shown = variances(variance_curve((1, 2, 4), **options), options)
    assert texts(shown.figure) == []


def test_the_curve_s_sentence_has_the_last_numbers(curve):
    said = replace(
        curve,
        measured=np.array([[1, 4, 64, 1010.0], [1, 1, 1, 0.986], [1, 0.25, 0.0156, 0.00096]]),
        theory=np.array([[1, 4, 64, 1024.0], [1, 1, 1, 1.0], [1, 0.25, 0.0156, 0.000977]]),
    )
    assert variances(said, {"n_samples": 4_000}).sentence == (
        "From d_k = 1 to 1,024 the raw variance climbs to 1,010 (predicted 1,024); divided by √d_k it is 0.986 "
        "(predicted 1.00), divided by d_k only 0.000960 (predicted 0.000977). Each point has 4,000 pairs; bars are "
        "95 % bands."
    )


def test_a_constant_score_does_not_climb():
    options = {"n_samples": 50, **CONSTANT}
    shown = variances(variance_curve((1, 2, 4), **options), options)
    assert shown.sentence.startswith("From d_k = 1 to 4 the raw variance stays at 0 (predicted 0); ")


def test_walks_of_equal_steps_have_no_envelope_to_speak_of():
    walks = random_walks(16, n_walks=2, **CONSTANT)
    end = number(walks.low[-1])
    assert score_walks(walks, CONSTANT).sentence == f"After 16 steps all walks stand at {end}: every step is the same."


def test_the_curve_s_sentence_calls_rough_bands_rough(curve):
    rough = replace(curve, error_source="rough estimate from the draws")
    assert variances(rough).sentence.endswith("bars are rough bands.")


def test_the_curve_s_table_is_the_data(curve):
    table = variances(curve).table
    assert table["d_k"] == [1, 4, 64, 1024]
    for i, name in enumerate(("raw", "divided by sqrt(d_k)", "divided by d_k")):
        for what in ("measured", "theory", "low", "high"):
            assert table[f"{name}: {what}"] == getattr(curve, what)[i].tolist()
    assert len(table) == 13


def test_the_curve_s_code_gives_the_curve():
    options = {"n_samples": CURVE_SAMPLES, **DRAW}
    wanted = variance_curve(CURVE_DIMS, **options)
    names, printed = run(variances(wanted, options).code)
    np.testing.assert_array_equal(names["curve"].measured, wanted.measured)
    assert printed.strip() == str(wanted.measured)


# --- random walks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_the_walks_are_drawn_inside_their_envelope(walks, profile):
    fig = score_walks(walks, WALKS, profile).figure
    for trace, walk in zip(fig.data[:3], walks.walks, strict=True):
        np.testing.assert_array_equal(trace.x, walks.steps)
        np.testing.assert_array_equal(trace.y, walk)
        assert (trace.line.color, trace.line.dash) == (profile.raw, None)
    for trace, bound in zip(fig.data[3:], (walks.low, walks.high), strict=True):
        np.testing.assert_array_equal(trace.y, bound)
        assert (trace.line.color, trace.line.dash, trace.line.width) == (profile.text, "dash", profile.line_width)
    assert fig.layout.title.text == "A score walks d_k steps"
    assert fig.layout.xaxis.title.text == "coordinates added so far"
    assert fig.layout.yaxis.title.text == "partial sum of q·k"
    assert fig.layout.title.subtitle.text == "dashed: mean ± 1 σ"


def test_the_walks_sentence_counts_those_inside_the_envelope(walks):
    ends = np.array([[4.0], [4.01], [-3.9]])
    sentence = score_walks(replace(walks, walks=ends)).sentence
    assert sentence.startswith("After 16 steps 2 of 3 walks stand within one standard deviation, −4.00 to 4.00: ")
    ends = np.array([[4.0], [4.01], [-5.0]])
    sentence = score_walks(replace(walks, walks=ends)).sentence
    assert "After 16 steps 1 of 3 walks stands within" in sentence


def test_the_walks_table_is_the_data(walks):
    table = score_walks(walks).table
    assert list(table) == ["step", "walk 1", "walk 2", "walk 3", "low", "high"]
    assert table["step"] == list(range(17))
    assert [table[f"walk {i}"] for i in (1, 2, 3)] == walks.walks.tolist()
    assert (table["low"], table["high"]) == (walks.low.tolist(), walks.high.tolist())


def test_the_walks_code_gives_the_walks():
    options = {"n_walks": N_WALKS, **DRAW}
    wanted = random_walks(CURVE_DIMS[-1], **options)
    names, printed = run(score_walks(wanted, options).code)
    np.testing.assert_array_equal(names["walks"].walks, wanted.walks)
    assert printed.strip() == str(wanted.walks[:, -1])


# --- the example made by hand ----------------------------------------------------------------------------


def test_the_example_made_by_hand_is_said_with_its_variance():
    example = hand_made_example([[1, 2], [1, 4], [8, 9]], [[2, 3], [5, 6], [10, 2]])
    assert figures.example_sentence(example) == ("Dot products 8, 29, 98; mean 45.0000, variance 1,478.00 (ddof = 0).")
    example = hand_made_example([[1, 2, 3], [3, 4, 5], [10, 9, 11]], [[3, 2, 1], [6, 7, 8], [8, 7, 6]])
    assert "10, 86, 209; mean 101.667, variance 6,722.89" in figures.example_sentence(example)
    assert figures.example_sentence(hand_made_example([[-0.5]], [[1]])).startswith("Dot products −0.5; mean −0.500000")


def test_no_sentence_has_a_hyphen_for_a_minus(result):
    shifted = measure_score_variance(ScoreVarianceParams(64, 100, mean_q=-1.0, mean_k=1.0))
    said = " ".join(figures.moment_table(shifted)["predicted"]) + histograms(shifted).sentence
    assert "−64.00" in said
    assert not re.search(r"-\d", said)
