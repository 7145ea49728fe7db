"""Pictures of the small_samples lesson: their data are the result's, their words are its numbers."""

import numpy as np
import pytest

from pages._view.lessons.small_samples import figures
from pages._view.theme import LIGHT, number
from sattn_core.lessons.small_samples import (
    SmallSamplesParams,
    band_curve,
    measure_large_experiment,
    measure_small_samples,
)
from tests.figures.drawing import PROFILES, check, run, texts, trace_of

BAND = {"d_k": 16, "ddof": 0, "seed": 0, "n_draws": 5}


@pytest.fixture(scope="module")
def result():
    return measure_small_samples(SmallSamplesParams(n_draws=50))


@pytest.fixture(scope="module")
def wide():
    return measure_small_samples(SmallSamplesParams(4, 64, ddof=1, n_draws=50))


@pytest.fixture(scope="module")
def curve():
    return band_curve((2, 8, 64), **BAND)


@pytest.fixture(scope="module")
def experiment():
    return measure_large_experiment()


def histogram(result, profile=LIGHT):
    return figures.histogram(result, profile)


def band(curve, profile=LIGHT):
    return figures.band(curve, BAND, profile)


def large(experiment, profile=LIGHT):
    return figures.large_experiment(experiment, profile)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_picture_is_whole(result, wide, curve, experiment, profile):
    for shown in (result, wide):
        check(histogram(shown, profile))
    check(band(curve, profile))
    check(large(experiment, profile))


@pytest.mark.parametrize("profile", PROFILES)
def test_the_histogram_shows_the_draws_and_the_counts_expected(result, profile):
    fig = histogram(result, profile).figure
    draws, expected = trace_of(fig, "draws"), trace_of(fig, "expected")
    np.testing.assert_array_equal(draws.x, result.edges)
    np.testing.assert_array_equal(draws.y, [*result.counts, 0])
    np.testing.assert_array_equal(expected.y, [*result.expected, 0])
    assert (draws.fillcolor, expected.line.dash) == (profile.raw, "dash")
    assert trace_of(fig, "last draw").x[0] == result.variances[-1]


def test_mean_median_d_k_and_the_asked_number_are_marked(result):
    fig = histogram(result).figure
    marks = {"mean 1.50": 1.5, "dₖ = 2": 2, f"median {number(result.median)}": result.median}
    marks[f"1.6: percentile {result.percentile:.1f}"] = 1.6
    for name, value in marks.items():
        assert set(trace_of(fig, name).x) == {value}
        assert name in texts(fig)


def test_no_name_of_a_mark_lies_over_a_later_mark_or_over_a_bar(result, wide):
    for shown in (result, wide):
        fig = histogram(shown).figure
        names = sorted((note for note in fig.layout.annotations if note.yanchor == "top"), key=lambda note: note.x)
        names = [note for note in names if note.yref != "paper"]
        assert len(names) >= 3
        top = fig.layout.yaxis.range[1]
        heights = [note.y for note in names]
        falling = np.diff(heights) if names[0].xanchor == "left" else -np.diff(heights)
        assert max(falling) <= -0.1 * top  # each lower than the one on its name's side by more than a line of text
        assert {note.xanchor for note in names} == {names[0].xanchor}
        assert [max(trace_of(fig, note.text).y) for note in names] == heights
        assert max(shown.counts.max(), shown.expected.max()) <= 0.67 * top  # three names above the highest bar


def test_the_names_stand_where_the_axis_has_room():
    # 64 × 64 scatter so little that the marks stand near the right end; at 2 × 2 they stand near the left one.
    for size, side in ((2, "left"), (64, "right")):
        fig = histogram(measure_small_samples(SmallSamplesParams(size, size, n_draws=2))).figure
        marks = [note for note in fig.layout.annotations if note.yref != "paper"]
        assert {note.xanchor for note in marks} == {side}
        middle = fig.layout.xaxis.range[1] / 2
        assert all((note.x < middle) == (side == "left") for note in marks)
        heights = np.diff([note.y for note in sorted(marks, key=lambda note: note.x)])
        assert (heights < 0).all() if side == "left" else (heights > 0).all()  # so no name lies over another mark


def test_the_keys_stand_below_the_plots(result, curve):
    for fig in (histogram(result).figure, band(curve).figure):
        (key,) = [note for note in fig.layout.annotations if note.yref == "paper"]
        lines = key.text.count("<br>") + 1
        below = -key.yshift
        assert key.y == 0
        assert below >= 2.5 * LIGHT.axis_size  # the axis title stands above
        assert below + lines * 1.3 * LIGHT.tick_size <= fig.layout.margin.b  # the last line is inside


def test_other_matrices_have_no_asked_number(wide):
    assert not [text for text in texts(histogram(wide).figure) if "1.6" in text]
    assert "1.6" not in histogram(wide).sentence
    assert "below 1.6, %" not in figures.check_table(wide)["of the variances"]
    assert figures.first_draw(wide) == ()


def test_a_last_draw_beyond_the_edge_stands_on_it(result):
    far = SmallSamplesParams(n_draws=int(np.argmax(measure_small_samples(SmallSamplesParams()).variances)) + 1)
    far = measure_small_samples(far)
    assert far.variances[-1] > far.edges[-1]
    assert trace_of(histogram(far).figure, "last draw").x[0] == far.edges[-1]


def test_the_sentence_has_the_numbers_of_the_moment(result, wide):
    said = histogram(result).sentence
    assert said.startswith("50 draws of two normal 2 × 2 matrices: the variance of the 4 entries (ddof = 0) is on ")
    assert f"{number(result.mean_measured)} ± 0.31, where 1.50 is predicted, not dₖ = 2." in said  # √(4.75/50)
    assert f"The last draw gave {number(result.variances[-1])}." in said
    assert said.endswith(f"The 1.6 of the question is at percentile {result.percentile:.1f}: an ordinary result.")
    said = histogram(wide).sentence
    assert said.startswith("50 draws of (4 × 64) @ (64 × 4) normal matrices")
    assert "where 64.0 is predicted, which is dₖ." in said


@pytest.mark.parametrize(("size", "d_k", "shown"), [(64, 1024, "1,023.8"), (64, 1, "0.9998"), (2, 2, "1.50")])
def test_a_mean_that_is_not_d_k_does_not_read_like_it(size, d_k, shown):
    found = measure_small_samples(SmallSamplesParams(size, d_k, n_draws=2))
    assert f"where {shown} is predicted, not dₖ = {d_k:,}." in histogram(found).sentence
    assert figures.check_table(found)["predicted"][0] == shown
    assert f"mean {d_k:,}" not in texts(histogram(found).figure)


def test_with_ddof_1_mean_and_scatter_grow_by_the_same_factor(result):
    unbiased = measure_small_samples(SmallSamplesParams(n_draws=50, ddof=1))
    assert unbiased.std_theory / result.std_theory == pytest.approx(4 / 3)
    assert unbiased.mean_theory / result.mean_theory == pytest.approx(4 / 3)


def test_one_draw_is_one_draw():
    one = measure_small_samples(SmallSamplesParams(n_draws=1))
    assert histogram(one).sentence.startswith("1 draw of ")


def test_the_tables_are_the_data(result):
    table = histogram(result).table
    assert table["draws"] == result.counts.tolist()
    assert table["expected"] == result.expected.tolist()
    checks = figures.check_table(result)
    assert checks["measured"] == [number(each.measured) for each in result.checks]
    assert checks["predicted"][0] == "1.50"
    assert checks["z"] == [number(each.z) for each in result.checks]


def test_a_number_said_twice_has_the_same_digits(experiment):
    result = measure_small_samples(SmallSamplesParams(n_draws=1))
    said, table = histogram(result).sentence, figures.check_table(result)
    ((_, first),) = figures.first_draw(result)
    assert f"on average {table['measured'][0]} ± {table['standard error'][0]}, " in said
    assert f"where {table['predicted'][0]} is predicted" in said
    assert f"lie below {table['predicted'][1].split(' ± ')[0]}, " in said
    assert f"at percentile {table['predicted'][2].split(' ± ')[0]}: " in said
    assert f"The last draw gave {number(result.variances[0])}." in said
    assert f"variance {number(result.variances[0])} (" in first
    assert {f"mean {table['predicted'][0]}", f"median {table['predicted'][1].split(' ± ')[0]}"} <= set(
        texts(histogram(result).figure)
    )
    said, rows = large(experiment).sentence, figures.large_rows(experiment)
    assert f"variance {rows['this run'][2]}, predicted {rows['predicted'][2]}, z = {rows['z'][2]}; " in said
    assert f"gave {rows['published'][2]} and {rows['published'][3]}: z = {rows['z, published'][2]}, " in said
    shown = [text.removeprefix("z = ") for text in texts(large(experiment).figure)]
    assert shown == [rows["z"][2], rows["z, published"][2]]


def test_the_first_draw_is_written_out(result):
    ((latex, said),) = figures.first_draw(result)
    assert f"{result.first_product[1, 0]:.2f}&{result.first_product[1, 1]:.2f}" in latex
    first = number(result.variances[0])
    assert said.startswith(f"The first draw: its four entries have variance {first} (ddof = 0)")


@pytest.mark.parametrize("profile", PROFILES)
def test_the_band_shows_both_bands_and_every_point(curve, profile):
    fig = band(curve, profile).figure
    names = {
        "exact band, low": curve.low,
        "exact band, high": curve.high,
        "exact mean": curve.mean,
        "as if independent, low": curve.naive_low,
        "as if independent, high": curve.naive_high,
    }
    for name, values in names.items():
        np.testing.assert_array_equal(trace_of(fig, name).y, values / 16)
    points = trace_of(fig, "measured")
    np.testing.assert_array_equal(points.y, curve.measured.ravel() / 16)
    assert list(points.x) == [2] * 5 + [8] * 5 + [64] * 5


def test_the_band_s_sentence_and_table(curve):
    said = band(curve).sentence
    assert said.startswith(f"At dₖ = 16 the 95 % band of the variance goes from {number(curve.low[0])} to ")
    assert f"Of 15 measured points {100 * curve.share_inside.mean():.0f} % lie inside it" in said
    assert f"only {100 * curve.naive_share_inside.mean():.0f} % inside the dotted band" in said
    assert band(curve).table["naive low"] == curve.naive_low.tolist()


@pytest.mark.parametrize("profile", PROFILES)
def test_the_large_experiment_shows_both_runs_on_both_bands(experiment, profile):
    fig = large(experiment, profile).figure
    row = experiment.rows[2]
    assert trace_of(fig, "exact").x == experiment.band
    assert trace_of(fig, "as if independent").x == experiment.naive_band
    assert trace_of(fig, "this run").x == (row.measured,)
    assert trace_of(fig, "published").x == (110.5603610976103,)
    assert "z = −0.678" in texts(fig)


def test_the_large_sentence_has_the_published_numbers_and_the_false_alarm(experiment):
    said = large(experiment).sentence
    assert "(1,111, 111) @ (111, 1,111) with seed 0: variance 111.015, predicted 111.000 ± 0.648" in said
    assert "gave 110.5603610976103 and 0.9960392891676604: z = −0.678" in said
    assert said.endswith("a standard deviation of 0.143 and z = −3.07: a false alarm.")


def test_the_large_tables_and_lines(experiment):
    assert figures.large_rows(experiment)["z, published"] == ["−0.0400", "−1.06", "−0.678", "−0.678"]
    assert large(experiment).table["measured"] == [row.measured for row in experiment.rows]
    (_, explained), (_, same) = figures.large_lines(experiment)
    assert explained.startswith("the luck of A and B explains 95.2 % of the scatter.")
    assert "110.507 in the published run, each ± 0.142" in explained
    assert same.endswith("agree in two dimensions: their largest difference is 0.")


def test_the_code_gives_what_is_shown(result, curve, experiment):
    assert run(histogram(result).code)[0]["result"].mean_measured == result.mean_measured
    np.testing.assert_array_equal(run(band(curve).code)[0]["curve"].measured, curve.measured)
    assert run(large(experiment).code)[0]["experiment"].rows == experiment.rows
