"""Pictures of the gradient_flow lesson: their data are the result's, their words are its numbers."""

from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.gradient_flow import figures
from pages._view.theme import LIGHT, number
from sattn_core.lessons.gradient_flow import (
    PLACES,
    GradientFlowParams,
    crossover_curve,
    gradient_curve,
    measure_gradient_flow,
    measure_row_jacobian,
    row_sensitivity,
)
from tests.figures.drawing import PROFILES, check, run, texts, trace_of, traces_of

OPTIONS = {"n_keys": 8, "n_rows": 200, "seed": 3}


@pytest.fixture(scope="module")
def result():
    return measure_gradient_flow(GradientFlowParams(64, **OPTIONS))


@pytest.fixture(scope="module")
def curve():
    return gradient_curve((1, 4, 64, 1024), **OPTIONS)


@pytest.fixture(scope="module")
def crossing():
    return crossover_curve(16)


@pytest.fixture(scope="module")
def row():
    return measure_row_jacobian([1.0, 10.0], 4)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("place", PLACES)
def test_every_picture_is_whole(result, curve, crossing, row, place, profile):
    check(figures.histograms(result, place, profile))
    check(figures.curves(curve, place, profile))
    check(figures.crossover(crossing, profile))
    check(figures.jacobians(row, "Row 1", 4, profile))


# --- histograms ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("place", PLACES)
def test_the_histograms_show_the_counts_of_both_scales_on_one_axis(result, profile, place):
    fig = figures.histograms(result, place, profile).figure
    i = PLACES.index(place)
    for j, (axes, name, colour) in enumerate((("", "raw", profile.raw), ("2", "÷ √d_k", profile.scaled))):
        bars = trace_of(fig, name)
        counts = result.counts[i, j]
        np.testing.assert_array_equal(bars.x, result.log10_edges)
        np.testing.assert_array_equal(bars.y, [*(counts / counts.max()), 0])
        assert (bars.fillcolor, bars.yaxis, bars.xaxis) == (colour, f"y{axes}", None)
        middle, mean = (traces_of(fig, line)[j] for line in ("median", "mean"))
        assert middle.x[0] == pytest.approx(np.log10(result.statistics.median[i, j]))
        assert mean.x[0] == pytest.approx(np.log10(result.statistics.mean[i, j]))
        assert (middle.line.dash, mean.line.dash) == (None, "dash")
    assert tuple(fig.layout.xaxis.range) == (-12, 2)


def test_the_panels_are_titled_with_the_share_of_frozen_rows_then_median_and_mean(result):
    found = result.statistics
    said = texts(figures.histograms(result, "raw_scores", LIGHT).figure)
    for j, name in enumerate(("Raw", "Scaled")):
        share = f"{name}: {100 * result.frozen_share[j]:.1f} % of the rows frozen"
        assert f"{share}<br>solid: median {number(found.median[1, j])}, dashed: mean {number(found.mean[1, j])}" in said


def test_the_dotted_line_is_the_threshold_of_freezing_and_moves_with_the_factor_c(result):
    for place, factor in (("scores", 1.0), ("raw_scores", 1 / 8)):
        fig = figures.histograms(result, place, LIGHT).figure
        lines = traces_of(fig, "frozen below")
        assert [line.x[0] for line in lines] == pytest.approx(np.log10([0.01, 0.01 * factor]))
        assert {line.line.dash for line in lines} == {"dot"}
        assert fig.layout.xaxis.title.text.endswith("left of the dotted line: frozen")
        i = PLACES.index(place)
        for j, line in enumerate(lines):  # the rows left of it are the frozen ones
            assert np.mean(np.log10(row_sensitivity(result.params)[i, j]) < line.x[0]) == pytest.approx(
                result.frozen_share[j]
            )
    at_q = figures.histograms(result, "q", LIGHT).figure
    assert not traces_of(at_q, "frozen below")
    assert at_q.layout.xaxis.title.text == "sensitivity of a row"


def test_rows_left_of_the_axis_are_counted_in_words():
    result = measure_gradient_flow(GradientFlowParams(1024, 2, n_rows=200))
    below = int(result.below[1, 0])
    assert below > 0
    assert f"{below / 2:.1f} % below 10⁻¹²" in texts(figures.histograms(result, "raw_scores", LIGHT).figure)


def test_a_median_left_of_the_axis_stands_at_its_edge(result):
    gone = replace(result, statistics=replace(result.statistics, median=np.zeros((3, 3))))
    assert traces_of(figures.histograms(gone, "scores", LIGHT).figure, "median")[0].x[0] == -12


def test_the_sentence_has_the_numbers_of_the_moment(result):
    def table(raw, scaled):
        return np.array([[0, 0, 0], [raw, scaled, 0], [raw, scaled, 0]], dtype=float)

    statistics = replace(
        result.statistics,
        mean=table(0.1053, 0.04247),
        standard_error=table(0.0039, 0.00001),
        exact_mean=np.array([[0, 0, 0], [0.10355, 0.04248, 0], [np.nan] * 3]),
        median=table(0.00369, 0.0426),
    )
    said = replace(result, statistics=statistics, mean_ratio=np.full(3, 2.48), median_ratio=np.full(3, 0.0865))
    said = replace(said, params=GradientFlowParams(512, 64), frozen_share=np.array([0.5555, 0.0, 0.0]))
    assert figures.histograms(said, "raw_scores", LIGHT).sentence == (
        "At d_k = 512 with 64 keys, 55.5 % of the rows are frozen without the scale and 0.0 % with it: their softmax "
        "passes on less than 0.01. The median row passes 0.00369 to the raw scores without the scale and 0.0426 with "
        "it, 0.0865 times as much without it; the mean row 0.105 ± 0.0039 (exact 0.104) and 0.0425 ± 1.0 × 10⁻⁵ (exact "
        "0.0425), 2.48 times as much."
    )
    assert "exact" not in figures.histograms(said, "q", LIGHT).sentence


@pytest.mark.parametrize("place", PLACES)
def test_the_share_of_frozen_rows_is_said_to_be_the_same_at_every_place(result, place):
    start = figures.histograms(result, place, LIGHT).sentence.split(":")[0]
    assert start == figures.histograms(result, "scores", LIGHT).sentence.split(":")[0]


def test_the_histogram_table_is_the_data(result):
    table = figures.histograms(result, "q", LIGHT).table
    assert table["rows, no scale"] == result.counts[2, 0].tolist()
    assert table["rows, 1/sqrt(d_k)"] == result.counts[2, 1].tolist()
    assert {len(column) for column in table.values()} == {len(result.log10_edges) - 1}


def test_the_code_gives_the_statistics_that_are_shown(result):
    names, _ = run(figures.histograms(result, "q", LIGHT).code)
    np.testing.assert_array_equal(names["found"].mean, result.statistics.mean)


# --- curves ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("place", PLACES)
def test_the_curves_show_means_medians_bands_exact_means_and_shares(curve, profile, place):
    fig = figures.curves(curve, place, profile).figure
    i, found = PLACES.index(place), curve.statistics
    for j, (name, colour) in enumerate(
        zip(("raw", "÷ √d_k", "÷ d_k"), (profile.raw, profile.scaled, profile.third), strict=True)
    ):
        shown = {
            "mean": found.mean,
            "median": found.median,
            "exact mean": found.exact_mean,
            "10th percentile": found.low,
            "90th percentile": found.high,
        }
        for what, values in shown.items():
            trace = trace_of(fig, f"{name}, {what}")
            np.testing.assert_array_equal(trace.x, curve.dims)
            np.testing.assert_array_equal(trace.y, values[i, j])
        frozen = trace_of(fig, f"{name}, share frozen")
        np.testing.assert_array_equal(frozen.y, curve.frozen_share[j])
        mean = trace_of(fig, f"{name}, mean")
        assert mean.marker.color == colour
        np.testing.assert_array_equal(mean.error_y.array, found.standard_error[i, j])
        assert trace_of(fig, f"{name}, exact mean").line.dash == "dash"
        assert frozen.yaxis == "y2"
        assert trace_of(fig, f"{name}, 90th percentile").fill == "tonexty"


def test_the_rate_is_dotted_and_left_out_at_q(curve):
    for place in ("scores", "raw_scores"):
        rate = trace_of(figures.curves(curve, place, LIGHT).figure, "rate of the mean without the scale")
        np.testing.assert_array_equal(rate.y, curve.rate)
        assert rate.line.dash == "dot"
    assert not traces_of(figures.curves(curve, "q", LIGHT).figure, "rate of the mean without the scale")
    assert "dotted" not in texts(figures.curves(curve, "q", LIGHT).figure)[-1]


def test_two_keys_have_the_rate_by_its_own_name():
    curve = gradient_curve((1, 64), n_keys=2, n_rows=50)
    assert texts(figures.curves(curve, "scores", LIGHT).figure)[-1].endswith("dotted: 1/√(π d_k)")
    assert "The rate 1/√(π d_k) says 0.0705 without the scale." not in figures.curves(curve, "scores", LIGHT).sentence
    assert "The rate 1/√(π d_k) says 0.0705." in figures.curves(curve, "scores", LIGHT).sentence  # 1/√(64 π)


def test_the_axis_is_the_same_at_every_place(curve):
    ranges = {tuple(figures.curves(curve, place, LIGHT).figure.layout.yaxis.range) for place in PLACES}
    assert ranges == {(-6, 1.2)}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("place", PLACES)
def test_the_key_stands_under_the_axis_where_no_mark_is(curve, place, profile):
    fig = figures.curves(curve, place, profile).figure
    key = fig.layout.annotations[-1]
    lines = 1 + key.text.count("<br>")
    assert (key.yref, key.y, key.yanchor) == ("paper", 0, "top")
    # Below the numbers and the title of the axis, and with room for its lines (of 1.3 times their size).
    assert -key.yshift >= profile.tick_size + profile.axis_size
    assert fig.layout.margin.b >= -key.yshift + 1.3 * profile.tick_size * lines


def means_of(curve, place, *ends):
    """The curve with means at one place that run in equal ratios between these ends."""
    mean = curve.statistics.mean.copy()
    mean[PLACES.index(place)] = [np.geomspace(*pair, len(curve.dims)) for pair in ends]
    return replace(curve, statistics=replace(curve.statistics, mean=mean))


def test_the_curve_s_sentence_says_which_way_each_mean_moves():
    curve = gradient_curve((4, 64, 1024), **OPTIONS)
    said = figures.curves(means_of(curve, "q", (0.5, 1.25), (0.3, 0.26), (0.2, 0.01)), "q", LIGHT).sentence
    errors = [number(error, 2) for error in curve.statistics.standard_error[2, :, -1]]
    assert said == (
        f"From d_k = 4 to 1,024 with 8 keys, the mean passed to q rises from 0.500 to 1.25 ± {errors[0]} without the "
        f"scale; it stays between 0.260 and 0.300 with 1/√d_k; it falls from 0.200 to 0.0100 ± {errors[2]} with "
        "1/d_k. 200 rows per point, bars ± 1 standard error."
    )


def test_at_the_scores_the_mean_falls_to_its_exact_value_and_rate(curve):
    found = curve.statistics
    for place in ("scores", "raw_scores"):
        said = figures.curves(curve, place, LIGHT).sentence
        i = PLACES.index(place)
        first, mean, exact = (
            number(x) for x in (found.mean[i, 0, 1], found.mean[i, 0, -1], found.exact_mean[i, 0, -1])
        )
        assert f"falls from {first} to {mean} ± " in said
        assert f"(exact {exact}) without the scale; it " in said
        assert f"with M the largest of 8 standard normals, says {number(curve.rate[-1])}." in said


@pytest.mark.parametrize("n_keys", [4, 16, 512])
def test_at_q_the_mean_is_said_to_rise_without_the_scale_and_to_stay_with_it(n_keys):
    curve = gradient_curve((4, 64, 1024), n_keys=n_keys, n_rows=2_000)
    without, with_it, _ = figures.curves(curve, "q", LIGHT).sentence.split(";")
    assert "passed to q rises from" in without
    assert "stays between" in with_it


def test_the_curve_s_table_is_the_data(curve):
    table = figures.curves(curve, "q", LIGHT).table
    assert table["d_k"] == [1, 4, 64, 1024]
    for j, scale in enumerate(("no scale", "1/sqrt(d_k)", "1/d_k")):
        assert table[f"{scale}: median"] == curve.statistics.median[2, j].tolist()
        assert table[f"{scale}: share frozen"] == curve.frozen_share[j].tolist()
    assert table["E[M_n]/sqrt(d_k)"] == curve.rate.tolist()
    assert len(table) == 1 + 3 * 7 + 1


def test_the_curve_s_code_gives_the_curve():
    wanted = gradient_curve(n_keys=4, n_rows=20, seed=1)
    names, _ = run(figures.curves(wanted, "q", LIGHT).code)
    assert names["curve"].dims == wanted.dims
    np.testing.assert_array_equal(names["curve"].statistics.mean, wanted.statistics.mean)


# --- crossover -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_the_crossover_is_shown_with_its_interval_above_the_threshold(crossing, profile):
    fig = figures.crossover(crossing, profile).figure
    points, threshold, here = (trace_of(fig, name) for name in ("95 % interval", "2 ln n_keys", "16 keys"))
    np.testing.assert_array_equal(points.x, crossing.keys)
    np.testing.assert_array_equal(points.y, crossing.d_k)
    np.testing.assert_array_equal(points.y + points.error_y.array, crossing.high)
    np.testing.assert_allclose(points.y - points.error_y.arrayminus, crossing.low, rtol=1e-14)
    np.testing.assert_array_equal(threshold.y, crossing.critical_d_k)
    assert threshold.line.dash == "dot"
    assert (list(here.x), list(here.y)) == ([16], [crossing.here.d_k])
    assert (fig.layout.xaxis.title.text, fig.layout.yaxis.title.text) == ("n_keys", "d_k")


def test_the_crossover_s_sentence_has_its_numbers(crossing):
    here = replace(crossing.here, d_k=78.06, low=75.14, high=81.05, critical_ratio=3.7519)
    assert figures.crossover(replace(crossing, here=here), LIGHT).sentence == (
        "With 16 keys the median row passes less to its raw scores without the scale than with it only from d_k = 78.1 "
        "on (simulated, 95 % interval 75.1 to 81.0). There √d_k is 3.75 times √(2 ln 16), beyond which softmax freezes "
        "in the limit of many keys."
    )


def test_the_crossover_s_table_and_code(crossing):
    table = figures.crossover(crossing, LIGHT).table
    assert table["n_keys"] == [2, 8, 16, 32, 128, 512]
    assert table["d_k of equal medians"] == crossing.d_k.tolist()
    assert table["2 ln n_keys"] == crossing.critical_d_k.tolist()
    names, _ = run(figures.crossover(crossing, LIGHT).code)
    np.testing.assert_array_equal(names["curve"].d_k, crossing.d_k)


# --- Jacobians -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_both_jacobians_share_one_fixed_colour_domain(row, profile):
    fig = figures.jacobians(row, "Row 1", 4, profile).figure
    raw, scaled = fig.data
    for trace, matrix in ((raw, row.raw_jacobian), (scaled, row.scaled_jacobian)):
        np.testing.assert_array_equal(trace.z, matrix[::-1, ::-1])  # the key with the higher score comes first
        assert list(trace.x) == list(trace.y) == ["2", "1"]
        assert (trace.zmin, trace.zmax) == (-0.25, 0.25)
        assert trace.colorscale[1] == (0.5, profile.ground)
        assert trace.text[0][0] == number(matrix[1, 1])
    assert (raw.showscale, scaled.showscale) == (True, False)


def test_of_many_keys_the_twelve_with_the_highest_scores_are_shown_without_numbers():
    scores = np.random.default_rng(0).standard_normal(40)
    row = measure_row_jacobian(scores, 4)
    picture = figures.jacobians(row, "Row 1", 4, LIGHT)
    raw = picture.figure.data[0]
    best = np.argsort(-scores)[:12]
    assert list(raw.x) == [str(key + 1) for key in best]
    np.testing.assert_array_equal(raw.z, row.raw_jacobian[np.ix_(best, best)])
    assert raw.text is None
    assert "Shown are the 12 keys with the highest scores of 40." in picture.sentence


def test_the_sentence_of_the_lists_has_the_norms():
    row = measure_row_jacobian([4, 5], 4)
    said = figures.jacobians(row, "The scores [4, 5]", 4, LIGHT).sentence
    # Two keys: the norm is 2p(1 − p), p = 1/(1 + e) and, divided by √4, p = 1/(1 + e^0.5).
    assert said.startswith(
        "The scores [4, 5]: the Jacobian of the raw scores has trace 0.393 and norm 0.393224; after ÷ √4 trace 0.470 "
        "and norm 0.470007, 1.20 times as much. Both "
    )
    assert "Shown" not in said
    assert said.endswith("Both share one colour domain, −0.25 to 0.25.")


def test_a_trace_has_the_same_digits_in_the_heading_and_in_the_sentence(row):
    picture = figures.jacobians(row, "Row 1", 4, LIGHT)
    said, headings = picture.sentence, texts(picture.figure)
    for trace, name in ((row.raw_trace, "Raw"), (row.scaled_trace, "Scaled")):
        assert f"{name}<br>tr {number(trace)}" in headings
        assert f"trace {number(trace)} and norm" in said


def test_the_jacobian_s_table_and_code(row):
    picture = figures.jacobians(row, "Row 1", 4, LIGHT)
    table = picture.table
    assert table["key"] == [1, 2]
    assert table["p(1 − p), raw"] == np.diagonal(row.raw_jacobian).tolist()
    names, printed = run(picture.code)
    assert names["row"].raw_norm == row.raw_norm
    assert printed.split() == [str(row.raw_norm), str(row.scaled_norm)]
