"""Pictures of the gradient_flow lesson: their data are the result's, their words are its numbers."""

import contextlib
import io
import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from pages._view.figures import gradient_flow as figures
from pages._view.theme import DARK, LIGHT, PROJECTOR, number
from sattn_core.lessons.gradient_flow import (
    DEFAULT_DIMS,
    PLACES,
    GradientFlowParams,
    gradient_curve,
    measure_gradient_flow,
    measure_row_jacobian,
)

PROFILES = [pytest.param(each, id=name) for name, each in (("light", LIGHT), ("dark", DARK), ("projector", PROJECTOR))]
OPTIONS = {"n_keys": 8, "n_rows": 200, "seed": 3}


@pytest.fixture(scope="module")
def result():
    return measure_gradient_flow(GradientFlowParams(64, **OPTIONS))


@pytest.fixture(scope="module")
def curve():
    return gradient_curve((1, 4, 64, 1024), **OPTIONS)


@pytest.fixture(scope="module")
def row():
    return measure_row_jacobian([1.0, 10.0], 4)


def run(code):
    """What a piece of code defines, and what it prints."""
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return names, printed.getvalue()


def texts(fig):
    return [note.text for note in fig.layout.annotations]


def traces_of(fig, name):
    return [trace for trace in fig.data if trace.name == name]


# --- histograms ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("place", PLACES)
def test_the_histograms_show_the_counts_of_both_scales_on_one_axis(result, profile, place):
    fig = figures.histograms(result, place, profile)
    go.Figure(fig.to_dict())  # Plotly validates every property
    i = PLACES.index(place)
    for j, (axes, name, colour) in enumerate((("", "raw", profile.raw), ("2", "÷ √d_k", profile.scaled))):
        (bars,) = traces_of(fig, name)
        counts = result.counts[i, j]
        np.testing.assert_array_equal(bars.x, result.log10_edges)
        np.testing.assert_array_equal(bars.y, [*(counts / counts.max()), 0])
        assert (bars.fillcolor, bars.yaxis, bars.xaxis) == (colour, f"y{axes}", None)
        middle, mean = (traces_of(fig, line)[j] for line in ("median", "mean"))
        assert middle.x[0] == pytest.approx(np.log10(result.statistics.median[i, j]))
        assert mean.x[0] == pytest.approx(np.log10(result.statistics.mean[i, j]))
        assert (middle.line.dash, mean.line.dash) == (None, "dash")
    assert tuple(fig.layout.xaxis.range) == (-12, 2)


def test_the_panels_are_titled_with_mean_and_median(result):
    found = result.statistics
    said = texts(figures.histograms(result, "raw_scores", LIGHT))
    for j, name in enumerate(("Raw", "Scaled")):
        assert f"{name}: mean {number(found.mean[1, j])}, median {number(found.median[1, j])}" in said


def test_rows_left_of_the_axis_are_counted_in_words():
    result = measure_gradient_flow(GradientFlowParams(1024, 2, n_rows=200))
    below = int(result.below[1, 0])
    assert below > 0
    assert f"{below / 2:.1f} % below 10⁻¹²" in texts(figures.histograms(result, "raw_scores", LIGHT))


def test_a_median_left_of_the_axis_stands_at_its_edge(result):
    gone = replace(result, statistics=replace(result.statistics, median=np.zeros((3, 3))))
    assert traces_of(figures.histograms(gone, "scores", LIGHT), "median")[0].x[0] == -12


def test_the_sentence_has_the_numbers_of_the_moment(result):
    def table(raw, scaled):
        return np.array([[0, 0, 0], [raw, scaled, 0], [raw, scaled, 0]], dtype=float)

    statistics = replace(
        result.statistics,
        mean=table(0.1053, 0.04247),
        standard_error=table(0.0039, 0.00001),
        exact_mean=np.array([[0, 0, 0], [0.10355, 0.04248, 0], [np.nan] * 3]),
        median=table(0.00369, 0.0426),
        share_below=table(0.5555, 0.0),
        top_tenth_share=table(0.4997, 0.1013),
    )
    said = replace(result, statistics=statistics, mean_ratio=np.full(3, 2.48), median_ratio=np.full(3, 0.0865))
    said = replace(said, params=GradientFlowParams(512, 64))
    assert figures.histogram_sentence(said, "raw_scores") == (
        "At n_keys = 64 and d_k = 512, the mean row passes 0.105 ± 0.004 (exact 0.104) to the raw scores without the "
        "scale and 0.0425 ± 1 × 10⁻⁵ (exact 0.0425) with it: 2.48 times as much without it. The median row passes "
        "0.00369 and 0.0426: 0.0865 times as much. Without the scale 55.5 % of the rows are below 0.01 (with it "
        "0.0 %), and the top tenth holds 50 % of the total."
    )
    assert "exact" not in figures.histogram_sentence(said, "q")


def test_the_histogram_table_is_the_data(result):
    table = figures.histogram_table(result, "q")
    assert table["rows, no scale"] == result.counts[2, 0].tolist()
    assert table["rows, 1/sqrt(d_k)"] == result.counts[2, 1].tolist()
    assert {len(column) for column in table.values()} == {len(result.log10_edges) - 1}


def test_the_code_gives_the_statistics_that_are_shown(result):
    names, printed = run(figures.code(result.params))
    np.testing.assert_array_equal(names["found"].mean, result.statistics.mean)
    assert printed.strip()


# --- curves ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("place", PLACES)
def test_the_curves_show_means_medians_bands_exact_means_and_shares(curve, profile, place):
    fig = figures.curves(curve, place, profile)
    go.Figure(fig.to_dict())  # Plotly validates every property
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
            "share below 0.01": found.share_below,
        }
        for what, values in shown.items():
            (trace,) = traces_of(fig, f"{name}, {what}")
            np.testing.assert_array_equal(trace.x, curve.dims)
            np.testing.assert_array_equal(trace.y, values[i, j])
        (mean,) = traces_of(fig, f"{name}, mean")
        assert mean.marker.color == colour
        np.testing.assert_array_equal(mean.error_y.array, found.standard_error[i, j])
        assert traces_of(fig, f"{name}, exact mean")[0].line.dash == "dash"
        assert traces_of(fig, f"{name}, share below 0.01")[0].yaxis == "y2"
        assert traces_of(fig, f"{name}, 90th percentile")[0].fill == "tonexty"


def test_the_rate_is_dotted_and_left_out_at_q(curve):
    for place in ("scores", "raw_scores"):
        (rate,) = traces_of(figures.curves(curve, place, LIGHT), "rate of the mean without the scale")
        np.testing.assert_array_equal(rate.y, curve.rate)
        assert rate.line.dash == "dot"
    assert not traces_of(figures.curves(curve, "q", LIGHT), "rate of the mean without the scale")
    assert "dotted" not in texts(figures.curves(curve, "q", LIGHT))[-1]


def test_two_keys_have_the_rate_by_its_own_name():
    curve = gradient_curve((1, 64), n_keys=2, n_rows=50)
    assert texts(figures.curves(curve, "scores", LIGHT))[-1].endswith("dotted: 1/√(π d_k)")
    assert "The rate 1/√(π d_k) says 0.0705 without the scale." not in figures.curve_sentence(curve, "scores")
    assert "The rate 1/√(π d_k) says 0.0705." in figures.curve_sentence(curve, "scores")  # 1/√(64 π)


def test_the_axis_is_the_same_at_every_place(curve):
    ranges = {tuple(figures.curves(curve, place, LIGHT).layout.yaxis.range) for place in PLACES}
    assert ranges == {(-6, 1.2)}


def test_the_curve_s_sentence_has_the_last_numbers(curve):
    found = curve.statistics
    said = figures.curve_sentence(curve, "raw_scores")
    assert said.startswith("With 8 keys and d_k = 1,024 the mean row passes to the raw scores: ")
    for j, words in enumerate(("without the scale", "with 1/√d_k", "with 1/d_k")):
        mean, exact, median = (number(each[1, j, -1]) for each in (found.mean, found.exact_mean, found.median))
        assert re.search(rf"{re.escape(mean)} ± \S.*? \(exact {re.escape(exact)}\) {words}, median {median}", said)
    assert f"with M the largest of 8 standard normals, says {number(curve.rate[-1])}." in said
    assert "200 rows a point" in said


def test_the_curve_s_table_is_the_data(curve):
    table = figures.curve_table(curve, "q")
    assert table["d_k"] == [1, 4, 64, 1024]
    for j, scale in enumerate(("no scale", "1/sqrt(d_k)", "1/d_k")):
        assert table[f"{scale}: median"] == curve.statistics.median[2, j].tolist()
        assert table[f"{scale}: share below 0.01"] == curve.statistics.share_below[2, j].tolist()
    assert table["E[M_n]/sqrt(d_k)"] == curve.rate.tolist()
    assert len(table) == 1 + 3 * 7 + 1


def test_the_curve_s_code_gives_the_curve():
    names, _ = run(figures.curve_code({"n_keys": 4, "n_rows": 20, "seed": 1}))
    wanted = gradient_curve(DEFAULT_DIMS, n_keys=4, n_rows=20, seed=1)
    np.testing.assert_array_equal(names["curve"].statistics.mean, wanted.statistics.mean)


# --- Jacobians -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_both_jacobians_share_one_fixed_colour_domain(row, profile):
    fig = figures.jacobians(row, profile)
    go.Figure(fig.to_dict())  # Plotly validates every property
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
    raw = figures.jacobians(row, LIGHT).data[0]
    best = np.argsort(-scores)[:12]
    assert list(raw.x) == [str(key + 1) for key in best]
    np.testing.assert_array_equal(raw.z, row.raw_jacobian[np.ix_(best, best)])
    assert raw.text is None
    assert "Shown are the 12 keys with the highest scores of 40." in figures.jacobian_sentence(row, 4, "Row 1")


def test_the_sentence_of_the_lists_has_the_norms():
    row = measure_row_jacobian([4, 5], 4)
    said = figures.jacobian_sentence(row, 4, "The scores [4, 5]")
    # Two keys: the norm is 2p(1 − p), p = 1/(1 + e) and, divided by √4, p = 1/(1 + e^0.5).
    assert said.startswith(
        "The scores [4, 5]: the Jacobian of the raw scores has trace 0.393 and norm 0.393224; after ÷ √4 trace 0.470 "
        "and norm 0.470007, 1.20 times as much. Both "
    )
    assert "Shown" not in said
    assert said.endswith("Both share one colour domain, −0.25 to 0.25.")


def test_the_jacobian_s_table_and_code(row):
    table = figures.jacobian_table(row)
    assert table["key"] == [1, 2]
    assert table["p(1 − p), raw"] == np.diagonal(row.raw_jacobian).tolist()
    names, printed = run(figures.jacobian_code(row, 4))
    assert names["row"].raw_norm == row.raw_norm
    assert printed.split() == [str(row.raw_norm), str(row.scaled_norm)]
