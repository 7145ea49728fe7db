"""Pictures of the gradient_flow lesson: their data are the result's, their words are its numbers."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pages._view.lessons.gradient_flow import figures
from pages._view.lessons.gradient_flow.work import curve_options
from pages._view.theme import LIGHT, number
from sattn_core.lessons.gradient_flow import (
    FROZEN_BELOW,
    PLACES,
    GradientFlowParams,
    crossover_curve,
    freezing_rows,
    gradient_curve,
    measure_gradient_flow,
    measure_row_jacobian,
)
from tests.figures.drawing import plotted, run, texts, trace_of, traces_of

CLAIM = Path(figures.__file__).with_name("claim.md")
OPTIONS = {"n_keys": 8, "n_rows": 200, "seed": 3}


@pytest.fixture(scope="module")
def result():
    return measure_gradient_flow(GradientFlowParams(64, **OPTIONS))


@pytest.fixture(scope="module")
def shown():
    return freezing_rows((1, 4, 64, 512), n_keys=16)


@pytest.fixture(scope="module")
def curve():
    return gradient_curve((1, 4, 64, 1024), **OPTIONS)


@pytest.fixture(scope="module")
def crossing():
    return crossover_curve(16)


@pytest.fixture(scope="module")
def row():
    return measure_row_jacobian([1.0, 10.0], 4)


DIMS = (1, 2, 4, 16, 64, 320, 1024)


# --- rows ------------------------------------------------------------------------------------------------


def test_a_row_is_one_dot_in_its_place_on_both_sides(shown):
    for d_k in (1, 512):
        i, fig = shown.dims.index(d_k), plotted(figures.rows(shown, d_k, LIGHT))
        for j, (axes, name, colour) in enumerate((("", "raw", LIGHT.raw), ("2", "÷ √dₖ", LIGHT.scaled))):
            dots, middle = trace_of(fig, f"{name} rows"), traces_of(fig, "mean")[j]
            passed = shown.passed[j, i, np.argsort(shown.passed[0, i])]
            assert list(dots.x) == list(range(1, 101))
            np.testing.assert_allclose(dots.y, np.maximum(np.log10(passed), -6), rtol=1e-13)
            assert (dots.xaxis, dots.yaxis) == (middle.xaxis, middle.yaxis) == (f"x{axes}", f"y{axes}")
            assert list(middle.y) == pytest.approx([np.log10(shown.mean[j, i])] * 2)
            # Another shape and another colour where a row is frozen.
            frozen = passed < FROZEN_BELOW
            assert frozen.sum() == shown.frozen[j, i]
            assert list(dots.marker.symbol) == list(np.where(frozen, "asterisk-open", "circle"))
            assert list(dots.marker.color) == list(np.where(frozen, LIGHT.text, colour))


def test_both_sides_have_one_axis_that_stays_a_zone_for_the_frozen_and_their_counts(shown):
    figs = [plotted(figures.rows(shown, d_k, LIGHT)) for d_k in shown.dims]
    assert {fig.layout.yaxis.range for fig in figs} == {fig.layout.yaxis2.range for fig in figs}
    assert {fig.layout.yaxis2.matches for fig in figs} == {"y"}
    for fig in figs:
        assert [(zone.y1, zone.layer, zone.yref) for zone in fig.layout.shapes] == [
            (-2, "below", "y"),
            (-2, "below", "y2"),
        ]
        assert fig.layout.yaxis.ticktext[-1] == "≤ 10⁻⁶"
        assert 380 <= fig.layout.height <= 420
        assert fig.layout.yaxis.title.text == "gradient passed on"
    said = texts(plotted(figures.rows(shown, 512, LIGHT)))
    assert said[:2] == [f"Raw<br>{shown.frozen[0, 3]} of 100 frozen", "Scaled<br>none frozen"]
    before, after = (json.loads(plotted(figures.rows(shown, d_k, LIGHT)).to_json()) for d_k in (64, 512))
    assert before["layout"].keys() == after["layout"].keys()
    still = [name for name in before["layout"] if name != "annotations"]
    assert [before["layout"][name] for name in still] == [after["layout"][name] for name in still]
    picture = figures.rows(shown, 512, LIGHT)
    table = picture.table
    assert table["row"] == list(range(1, 101))
    assert table["passed on, raw"] == sorted(shown.passed[0, 3])
    number = np.array(table["number in the draw"]) - 1
    assert table["passed on, scaled"] == shown.passed[1, 3, number].tolist()


@pytest.mark.parametrize(
    ("d_k", "raw", "scaled", "said"),
    [
        (4, 0, 0, "At dₖ = 4 none of the hundred rows is frozen, with the scale or without it."),
        (1, 3, 3, "At dₖ = 1, three of the hundred rows are frozen, without the scale as with it."),
        (1, 100, 100, "At dₖ = 1, all of the hundred rows are frozen, without the scale as with it."),
        (64, 25, 0,
         "At dₖ = 64, 25 of the hundred rows are frozen without the scale: they pass on next to nothing. With it, "
         "none is."),
        (64, 1, 0,
         "At dₖ = 64, one of the hundred rows is frozen without the scale: it passes on next to nothing. With it, "
         "none is."),
        (512, 70, 2, "At dₖ = 512, 70 of the hundred rows are frozen without the scale, and two with it."),
        (512, 100, 13, "At dₖ = 512, all of the hundred rows are frozen without the scale, and 13 with it."),
    ],
)  # fmt: skip
def test_the_sentence_counts_the_frozen_rows_on_both_sides(shown, d_k, raw, scaled, said):
    frozen = shown.frozen.copy()
    frozen[:, shown.dims.index(d_k)] = raw, scaled
    picture = figures.rows(replace(shown, frozen=frozen), d_k, LIGHT)
    assert picture.sentence == said
    assert picture.alt.startswith(f"{said} Two panels of 100 dots")


def test_how_sure_has_shares_with_intervals_and_means_beside_exact_ones(shown, result):
    statistics = replace(
        result.statistics,
        mean=np.full((3, 3), 0.1053),
        standard_error=np.full((3, 3), 0.0039),
        exact_mean=np.full((3, 3), 0.10355),
        z=np.array([[0.449, -2.1, 0.0]] * 3),
    )
    said = replace(
        result,
        params=GradientFlowParams(512, 64),
        statistics=statistics,
        frozen_share=np.array([0.5555, 0.0, 0.0]),
        frozen_low=np.array([0.5334, 0.0, 0.0]),
        frozen_high=np.array([0.5774, 0.0018, 0.0]),
    )
    sure = " ".join(figures.rows(shown, 512, LIGHT, said).sure)
    assert "The dots are 100 rows with 64 keys each. Of 2,000 other rows," in sure
    assert "55.5 % (95 % interval 53.3 % to 57.7 %) are frozen without the scale" in sure
    assert "and 0.0 % (95 % interval 0.0 % to 0.2 %) with it" in sure
    assert "scatters by 5.0 percentage points" in sure  # √(0.5555 · 0.4445 / 100)
    assert "Without the scale the mean of tr J is 0.105 ± 0.0039." in sure
    assert "is 0.104: the difference is 0.45 standard errors, inside ± 1.96." in sure
    assert "the difference is −2.1 standard errors, outside ± 1.96." in sure
    assert figures.rows(shown, 512, LIGHT).sure == ()


def test_how_sure_counts_the_rows_that_pass_on_again(shown, result):
    raw = shown.passed[0].copy()
    raw[:, :10] = 1.0
    raw[2, :8], raw[3, :3] = 0.001, 0.001  # of eight rows that are frozen at 64 five are not at 512
    raw[2:, 10:] = 1.0
    again = replace(shown, passed=np.stack([raw, shown.passed[1]]))
    appended = "A larger dₖ appends components to the same queries and keys."
    assert figures.rows(again, 512, LIGHT, result).sure[-1] == (
        f"{appended} Of the 8 rows that are frozen at dₖ = 64 without the scale, 5 pass on again at dₖ = 512. So "
        "which rows are frozen changes; their share, over many rows, only grows."
    )
    assert figures.rows(again, 1, LIGHT, result).sure[-1] == appended  # nothing is smaller
    assert figures.rows(again, 64, LIGHT, result).sure[-1] == appended  # nothing was frozen at 4
    assert "stays frozen" not in " ".join(figures.rows(shown, 64, LIGHT, result).sure)


@pytest.mark.parametrize("n_keys", [2, 16, 512])
def test_the_share_of_frozen_rows_only_grows_with_d_k(n_keys):
    frozen = sum(freezing_rows(DIMS, n_keys=n_keys, seed=s).frozen[0] for s in range(24))
    n = 24 * 100
    for before, after in pairwise(frozen / n):
        assert after > before - 4 * np.sqrt(max(before * (1 - before), 1 / n) * 2 / n)


# What the means do in truth, from exact averages at the scores and 100,000 rows at q.
TRUE_KEYS = (2, 3, 4, 16, 64, 512)


@pytest.mark.parametrize("n_keys", TRUE_KEYS)
def test_no_seed_says_of_a_mean_what_is_false(n_keys):
    ends, i = (4, 1024), PLACES.index("q")
    truth = gradient_curve(ends, n_keys=n_keys, n_rows=100_000 if n_keys < 64 else 10_000, seed=99).statistics
    exact = np.where(np.isnan(truth.exact_mean), truth.mean, truth.exact_mean)
    change = exact[..., 1] / exact[..., 0]  # (place, scale)
    for seed in range(24):
        curve = gradient_curve(ends, **curve_options(n_keys, seed))
        for place in PLACES:
            true = change[PLACES.index(place), 0]
            picture = figures.curves(curve, place, LIGHT)
            said = f"{picture.claim} {picture.sentence.split(' without the scale')[0]}"
            assert ("falls" in said) == (true < 0.8), (seed, place, said)
            if "grows" in said:
                assert true > 1.15
            if "hardly" in said:
                assert 1 / 1.3 < true < 1.3
    assert change[i, 0] > 1.1  # "At q it does not fall", says the claim
    assert "At $q$ it does not fall" in CLAIM.read_text(encoding="utf-8")


# --- histograms ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
def test_the_histograms_show_the_counts_of_both_scales_on_one_axis(result, place):
    fig = plotted(figures.histograms(result, place, LIGHT))
    i = PLACES.index(place)
    for j, (axes, name, colour) in enumerate((("", "raw", LIGHT.raw), ("2", "÷ √dₖ", LIGHT.scaled))):
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


def test_the_panels_of_the_histograms_are_titled_and_the_threshold_is_dotted(result):
    found = result.statistics
    said = texts(plotted(figures.histograms(result, "raw_scores", LIGHT)))
    for j, name in enumerate(("Raw", "Scaled")):
        share = (
            f"{name}: {100 * result.frozen_share[j]:.1f} % frozen" if result.frozen_share[j] else f"{name}: none frozen"
        )
        assert f"{share}<br>solid: median {number(found.median[1, j])}, dashed: mean {number(found.mean[1, j])}" in said
    for place, factor in (("scores", 1.0), ("raw_scores", 1 / 8)):
        fig = plotted(figures.histograms(result, place, LIGHT))
        lines = traces_of(fig, "frozen below")
        assert [line.x[0] for line in lines] == pytest.approx(np.log10([0.01, 0.01 * factor]))
        assert {line.line.dash for line in lines} == {"dot"}
        assert fig.layout.xaxis.title.text.endswith("left of the dotted line: frozen")
    at_q = plotted(figures.histograms(result, "q", LIGHT))
    assert not traces_of(at_q, "frozen below")
    assert at_q.layout.xaxis.title.text == "passed to q"
    gone = replace(result, statistics=replace(result.statistics, median=np.zeros((3, 3))))
    assert traces_of(plotted(figures.histograms(gone, "scores", LIGHT)), "median")[0].x[0] == -12
    table = figures.histograms(result, "q", LIGHT).table
    assert table["rows, no scale"] == result.counts[2, 0].tolist()
    assert table["rows, 1/√dₖ"] == result.counts[2, 1].tolist()
    assert {len(column) for column in table.values()} == {len(result.log10_edges) - 1}
    result = measure_gradient_flow(GradientFlowParams(1024, 2, n_rows=200))
    below = int(result.below[1, 0])
    assert below > 0
    assert f"{below / 2:.1f} % below 10⁻¹²" in texts(plotted(figures.histograms(result, "raw_scores", LIGHT)))


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
    statistics = replace(
        said.statistics, median_low=table(0.00246, 0.0426), median_high=table(0.00529, 0.0427), z=table(0.45, -0.74)
    )
    picture = figures.histograms(replace(said, statistics=statistics), "raw_scores", LIGHT)
    assert picture.sentence == (
        "Without the scale the median row passes 8.6 % as much to the raw scores; on average rows pass 2.5 "
        "times as much."
    )
    assert picture.claim == "The typical row passes on less without the scale"
    sure = " ".join(picture.sure)
    assert (
        "The median row passes 0.00369 (95 % interval 0.00246 to 0.00529) to the raw scores at dₖ = 512 with 64 keys "
        "without the scale and 0.0426 (95 % interval 0.0426 to 0.0427) with it: 0.0865 times as much without it."
    ) in sure
    assert (
        "On average a row passes 0.105 ± 0.0039 (exact 0.104) without the scale and 0.0425 ± 1.0 × 10⁻⁵ (exact 0.0425) "
        "with it: 2.48 times as much without it."
    ) in sure
    assert "they differ by 0.45 and −0.74 standard errors, inside ± 1.96." in sure
    assert "55.5 % of the rows are frozen without the scale and none with it" in sure
    assert "exact" not in " ".join(figures.histograms(said, "q", LIGHT).sure)


@pytest.mark.parametrize(
    ("median", "mean", "said", "claim"),
    [
        (1.28, 2.05, "1.3 times as much", "still passes on more without the scale"),
        (1.04, 1.0, "about as much", "passes on about as much either way"),
        (0.0004, 0.5, "less than a thousandth as much", "passes on less without the scale"),
        (0.96, 0.94, "about as much", "passes on about as much either way"),
    ],
)
def test_the_sentence_and_the_claim_follow_the_ratios(result, median, mean, said, claim):
    changed = replace(result, median_ratio=np.full(3, median), mean_ratio=np.full(3, mean))
    picture = figures.histograms(changed, "q", LIGHT)
    assert picture.sentence.startswith(f"Without the scale the median row passes {said} to q")
    assert ("so do rows on average" in picture.sentence) == (mean == 1.0)
    assert picture.claim == f"The typical row {claim}"


@pytest.mark.parametrize("place", PLACES)
def test_the_share_of_frozen_rows_is_said_to_be_the_same_at_every_place(result, place):
    share, at_scores = (figures.histograms(result, each, LIGHT).sure[-2] for each in (place, "scores"))
    assert share == at_scores
    assert f"{100 * result.frozen_share[0]:.1f} % of the rows are frozen" in share


# --- curves ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
def test_the_curves_show_means_medians_bands_exact_means_and_shares(curve, place):
    fig = plotted(figures.curves(curve, place, LIGHT))
    i, found = PLACES.index(place), curve.statistics
    for j, (name, colour) in enumerate(
        zip(("raw", "÷ √dₖ", "÷ dₖ"), (LIGHT.raw, LIGHT.scaled, LIGHT.third), strict=True)
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


def test_the_rate_is_dotted_left_out_at_q_and_named_by_the_number_of_keys(curve):
    for place in ("scores", "raw_scores"):
        rate = trace_of(plotted(figures.curves(curve, place, LIGHT)), "rate of the mean without the scale")
        np.testing.assert_array_equal(rate.y, curve.rate)
        assert rate.line.dash == "dot"
    assert not traces_of(plotted(figures.curves(curve, "q", LIGHT)), "rate of the mean without the scale")
    assert "dotted" not in texts(plotted(figures.curves(curve, "q", LIGHT)))[-1]
    curve = gradient_curve((1, 64), n_keys=2, n_rows=50)
    assert texts(plotted(figures.curves(curve, "scores", LIGHT)))[-1].endswith("dotted: 1/√(π dₖ)")
    said = " ".join(figures.curves(curve, "scores", LIGHT).sure)
    assert "The rate 1/√(π dₖ) says 0.0705 without the scale." in said  # 1/√(64 π)
    assert "The rate" not in " ".join(figures.curves(curve, "q", LIGHT).sure)
    ranges = {tuple(plotted(figures.curves(curve, place, LIGHT)).layout.yaxis.range) for place in PLACES}
    assert ranges == {(-6, 1.2)}


@pytest.mark.parametrize("place", PLACES)
def test_the_key_stands_under_the_axis_where_no_mark_is(curve, place):
    fig = plotted(figures.curves(curve, place, LIGHT))
    key = fig.layout.annotations[-1]
    lines = 1 + key.text.count("<br>")
    assert (key.yref, key.y, key.yanchor) == ("paper", 0, "top")
    # Below the numbers and the title of the axis, and with room for its lines (of 1.3 times their size).
    assert -key.yshift >= LIGHT.tick_size + LIGHT.axis_size
    assert fig.layout.margin.b >= -key.yshift + 1.3 * LIGHT.tick_size * lines


def means_of(curve, place, *ends):
    """The curve with means at one place that run in equal ratios between these ends."""
    mean = curve.statistics.mean.copy()
    mean[PLACES.index(place)] = [np.geomspace(*pair, len(curve.dims)) for pair in ends]
    return replace(curve, statistics=replace(curve.statistics, mean=mean))


def test_the_curve_s_sentence_says_which_way_each_mean_moves_beyond_chance():
    curve = gradient_curve((4, 64, 1024), **OPTIONS)
    picture = figures.curves(means_of(curve, "q", (0.5, 1.25), (0.3, 0.26), (0.2, 0.01)), "q", LIGHT)
    assert picture.sentence == (
        "From dₖ = 4 to 1,024 the mean passed to q grows to 2.5 times its size without the scale; scaled, it hardly "
        "changes."
    )
    assert picture.claim == "Without the scale the mean even grows"
    errors = [number(error, 2) for error in curve.statistics.standard_error[2, :, -1]]
    assert picture.sure[0] == (
        f"From dₖ = 4 to 1,024 with 8 keys, the mean passed to q grows from 0.500 to 1.25 ± {errors[0]} without the "
        f"scale; it stays between 0.260 and 0.300 with 1/√dₖ; it falls from 0.200 to 0.0100 ± {errors[2]} with 1/dₖ."
    )
    assert picture.sure[-1].startswith("Each point is the mean of 200 rows; its bar is ± 1 standard error.")
    curve = gradient_curve((4, 64, 1024), **OPTIONS)
    half = means_of(curve, "q", (0.4, 0.2), (0.4, 0.2), (0.4, 0.2))
    for error, verb in ((0.01, "falls"), (0.2, "hardly changes")):
        each = replace(half.statistics, standard_error=np.full_like(half.statistics.mean, error))
        picture = figures.curves(replace(half, statistics=each), "q", LIGHT)
        assert f"to q {verb}" in picture.sentence
        assert f"the mean {verb}" in picture.claim


@pytest.mark.parametrize(
    ("raw", "scaled", "said", "claim"),
    [
        ((0.8, 0.08), (0.4, 0.04), "falls to 10 % without the scale; scaled, it falls too.", "but does not vanish"),
        ((0.8, 0.008), (0.4, 0.4), "falls to 1.0 % without the scale; scaled, it hardly changes.", "falls, and far"),
        ((0.8, 0.8), (0.4, 0.8), "hardly changes without the scale; scaled, it grows.", "hardly changes"),
    ],
)
def test_the_curve_s_sentence_and_claim_follow_the_means(raw, scaled, said, claim):
    curve = gradient_curve((4, 64, 1024), **OPTIONS)
    picture = figures.curves(means_of(curve, "scores", raw, scaled, (1, 1)), "scores", LIGHT)
    assert picture.sentence == f"From dₖ = 4 to 1,024 the mean passed to the scores {said}"
    assert picture.claim.endswith(claim)


def test_at_the_scores_the_mean_falls_to_its_exact_value_and_rate_and_the_table_has_all(curve):
    found = curve.statistics
    for place in ("scores", "raw_scores"):
        said = " ".join(figures.curves(curve, place, LIGHT).sure)
        i = PLACES.index(place)
        first, mean, exact = (
            number(x) for x in (found.mean[i, 0, 1], found.mean[i, 0, -1], found.exact_mean[i, 0, -1])
        )
        assert f"falls from {first} to {mean} ± " in said
        assert f"(exact {exact}) without the scale; it " in said
        assert f"with M the largest of 8 standard normals, says {number(curve.rate[-1])} without the scale." in said
    table = figures.curves(curve, "q", LIGHT).table
    assert table["dₖ"] == [1, 4, 64, 1024]
    for j, scale in enumerate(("no scale", "1/√dₖ", "1/dₖ")):
        assert table[f"{scale}: median"] == curve.statistics.median[2, j].tolist()
        assert table[f"{scale}: share frozen"] == curve.frozen_share[j].tolist()
    assert table["E[M]/√dₖ"] == curve.rate.tolist()
    assert len(table) == 1 + 3 * 7 + 1


@pytest.mark.parametrize("n_keys", [4, 16, 512])
def test_at_q_the_mean_is_said_to_rise_without_the_scale_and_to_stay_with_it(n_keys):
    curve = gradient_curve((4, 64, 1024), n_keys=n_keys, n_rows=2_000)
    picture = figures.curves(curve, "q", LIGHT)
    assert picture.claim == "Without the scale the mean even grows"
    assert "passed to q grows to" in picture.sentence
    assert picture.sentence.endswith("scaled, it hardly changes.")
    without, with_it, _ = picture.sure[0].split(";")
    assert "passed to q grows from" in without
    assert "stays between" in with_it


# --- crossover -------------------------------------------------------------------------------------------


def test_the_crossover_is_shown_with_its_interval_said_and_given_away(crossing):
    fig = plotted(figures.crossover(crossing, LIGHT))
    points, threshold, here = (trace_of(fig, name) for name in ("95 % interval", "2 ln(keys)", "16 keys"))
    np.testing.assert_array_equal(points.x, crossing.keys)
    np.testing.assert_array_equal(points.y, crossing.d_k)
    np.testing.assert_array_equal(points.y + points.error_y.array, crossing.high)
    np.testing.assert_allclose(points.y - points.error_y.arrayminus, crossing.low, rtol=1e-14)
    np.testing.assert_array_equal(threshold.y, crossing.critical_d_k)
    assert threshold.line.dash == "dot"
    assert (list(here.x), list(here.y)) == ([16], [crossing.here.d_k])
    assert (fig.layout.xaxis.title.text, fig.layout.yaxis.title.text) == ("keys", "dₖ")
    here = replace(crossing.here, d_k=78.06, low=75.14, high=81.05, critical_ratio=3.7519)
    picture = figures.crossover(replace(crossing, here=here), LIGHT)
    assert picture.sentence == (
        "With 16 keys, the median row passes less to its raw scores without the scale only beyond about dₖ = 78."
    )
    assert picture.sure == (
        "With 16 keys both medians are equal at dₖ = 78.1 (simulated, 95 % interval 75.1 to 81.0), whatever the seed "
        "of this page.",
        "There √dₖ is 3.75 times √(2 ln 16), beyond which softmax freezes in the limit of many keys.",
    )
    table = figures.crossover(crossing, LIGHT).table
    assert table["keys"] == [2, 8, 16, 32, 128, 512]
    assert table["dₖ of equal medians"] == crossing.d_k.tolist()
    assert table["2 ln(keys)"] == crossing.critical_d_k.tolist()


@pytest.mark.parametrize("n_keys", [3, 16, 200, 512])
def test_the_crossover_s_claim_is_true_of_every_number_of_keys(n_keys):
    curve = crossover_curve(n_keys)
    assert figures.crossover(curve, LIGHT).claim == "The more keys, the later the typical row suffers"
    assert (np.diff(curve.d_k) > 0).all()


# --- Jacobians -------------------------------------------------------------------------------------------


def test_both_jacobians_share_one_fixed_colour_domain_and_the_digits_of_their_traces(row):
    fig = plotted(figures.jacobians(row, "Row 1", 4, LIGHT))
    raw, scaled = fig.data
    for trace, matrix in ((raw, row.raw_jacobian), (scaled, row.scaled_jacobian)):
        np.testing.assert_array_equal(trace.z, matrix[::-1, ::-1])  # the key with the higher score comes first
        assert list(trace.x) == list(trace.y) == ["2", "1"]
        assert (trace.zmin, trace.zmax) == (-0.25, 0.25)
        assert trace.colorscale[1] == (0.5, LIGHT.ground)
        assert trace.text[0][0] == number(matrix[1, 1])
    assert (raw.showscale, scaled.showscale) == (True, False)
    picture = figures.jacobians(row, "Row 1", 4, LIGHT)
    headings = texts(plotted(picture))
    for trace, name in ((row.raw_trace, "Raw"), (row.scaled_trace, "Scaled")):
        assert f"{name}<br>tr {number(trace)}" in headings
        assert f"passes on {number(trace)}" in picture.sentence
        assert f"trace {number(trace)} and norm" in picture.sure[1]
    picture = figures.jacobians(row, "Row 1", 4, LIGHT)
    table = picture.table
    assert table["key"] == [1, 2]
    assert table["p(1 − p), raw"] == np.diagonal(row.raw_jacobian).tolist()
    assert run(picture.code)[1].split() == [str(row.raw_norm), str(row.scaled_norm)]


def test_of_many_keys_the_twelve_with_the_highest_scores_are_shown_and_how_sure_has_the_norms():
    scores = np.random.default_rng(0).standard_normal(40)
    row = measure_row_jacobian(scores, 4)
    picture = figures.jacobians(row, "Row 1", 4, LIGHT)
    raw = plotted(picture).data[0]
    best = np.argsort(-scores)[:12]
    assert list(raw.x) == [str(key + 1) for key in best]
    np.testing.assert_array_equal(raw.z, row.raw_jacobian[np.ix_(best, best)])
    assert raw.text is None
    assert "Shown are the 12 keys with the highest scores of 40." in picture.sure
    row = measure_row_jacobian([4, 5], 4)
    sure = figures.jacobians(row, "The scores [4, 5]", 4, LIGHT).sure
    # Two keys: the norm is 2p(1 − p), p = 1/(1 + e) and, divided by √4, p = 1/(1 + e^0.5).
    assert sure[1] == (
        "The scores [4, 5]: the Jacobian of the raw scores has trace 0.393 and norm 0.393224; after ÷ √4 trace 0.470 "
        "and norm 0.470007, 1.20 times as much."
    )
    assert not any("Shown" in each for each in sure)
    assert sure[-1].startswith("Both share one colour domain, −0.25 to 0.25, ")


@pytest.mark.parametrize(
    ("scores", "d_k", "said", "claim"),
    [
        ([4, 5], 4, "Raw, this row passes on 0.393; divided by √4, it passes on 0.470.", "passes on more"),
        ([4, 5], 1, "Raw or divided by √1, this row passes on 0.393.", None),
        ([9, 9], 4, "Raw or divided by √4, this row passes on 0.500.", "passes on about as much"),
        ([0, 900], 9, "Raw or divided by √9, this row passes on practically nothing.", "passes on more"),
    ],
)
def test_the_jacobian_s_sentence_and_claim(scores, d_k, said, claim):
    picture = figures.jacobians(measure_row_jacobian(scores, d_k), "", d_k, LIGHT)
    assert picture.sentence == said
    changed = f"Divided by √{d_k}, this row {claim}" if claim else "At dₖ = 1 the division changes nothing"
    assert picture.claim == changed
