"""Pictures of the gradient_flow lesson: plotted data and stated numbers equal those of the result."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pages._view.lessons.gradient_flow import figures
from pages._view.lessons.gradient_flow.declaration import LESSON
from pages._view.lessons.gradient_flow.work import curve_options
from pages._view.marks import readable
from pages._view.theme import LIGHT, number
from sattn_core.lessons import gradient_flow as core
from tests.figures.drawing import plotted, run, texts, trace_of, traces_of

OPTIONS = {"n_keys": 8, "n_rows": 200, "seed": 3}
INKS = tuple(readable(colour, LIGHT.ground, LIGHT.text) for colour in (LIGHT.raw, LIGHT.scaled))


@pytest.fixture(scope="module")
def result():
    return core.measure_gradient_flow(core.GradientFlowParams(64, **OPTIONS))


@pytest.fixture(scope="module")
def shown():
    return core.freezing_rows((1, 4, 64, 512), n_keys=16)


@pytest.fixture(scope="module")
def curve():
    return core.gradient_curve((1, 4, 64, 1024), **OPTIONS)


@pytest.fixture(scope="module")
def row():
    return core.measure_row_jacobian([1.0, 10.0], 4)


DIMS = (1, 2, 4, 16, 64, 320, 1024)


# --- rows ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", core.PLACES)
def test_a_row_is_a_dot_at_the_same_position_on_both_sides(shown, place):
    for d_k in (1, 512):
        i, fig = shown.dims.index(d_k), plotted(figures.rows(shown, d_k, place, LIGHT))
        at, order = core.PLACES.index(place), np.argsort(shown.passed[0, 0, shown.dims.index(d_k)])
        for j, (axes, name, colour) in enumerate((("", "raw", LIGHT.raw), ("2", "÷ √dₖ", LIGHT.scaled))):
            dots, middle = trace_of(fig, f"{name} rows"), traces_of(fig, "mean")[j]
            passed = shown.passed[at, j, i, order]
            assert list(dots.x) == list(range(1, 101))
            np.testing.assert_allclose(dots.y, np.maximum(np.log10(passed), -6), rtol=1e-13)
            assert {(trace.xaxis, trace.yaxis) for trace in (dots, middle)} == {(f"x{axes}", f"y{axes}")}
            assert list(middle.y) == pytest.approx([np.log10(shown.mean[at, j, i])] * 2)
            # Rows frozen at their softmax have their own symbol and colour, also in the picture at q.
            frozen = shown.passed[0, j, i, order] < core.FROZEN_BELOW
            assert frozen.sum() == shown.frozen[j, i]
            assert list(dots.marker.symbol) == list(np.where(frozen, "asterisk-open", "circle"))
            assert list(dots.marker.color) == list(np.where(frozen, LIGHT.text, colour))
        # The frozen zone is drawn only for the gradient at the softmax. Both sides share one axis.
        assert [zone.y1 for zone in fig.layout.shapes] == ([-2, -2] if place == "softmax" else [])
        assert (fig.layout.yaxis2.matches, fig.layout.yaxis2.range) == ("y", fig.layout.yaxis.range)


def test_table_has_both_sides_of_each_row(shown):
    table = figures.rows(shown, 512, "q", LIGHT).table
    number = np.array(table["number in the draw"]) - 1
    assert table["passed on, raw"] == sorted(shown.passed[0, 0, 3])
    assert figures.row_at(shown, 512, 7) == number[6]
    for j, name in enumerate(("raw", "scaled")):
        assert table[f"passed on, {name}"] == shown.passed[0, j, 3, number].tolist()
        assert table[f"gradient at q, {name}"] == shown.passed[1, j, 3, number].tolist()


@pytest.mark.parametrize(
    ("more", "less", "said"),
    [(59, 41, "59 of the hundred rows get more gradient at q without the scale, and 41 less:"),
     (100, 0, "all of the hundred rows get more gradient at q without the scale:"),
     (1, 99, "one of the hundred rows gets more gradient at q without the scale, and 99 less:")],
)  # fmt: skip
def test_sentence_at_q_counts_the_rows_with_more_and_less_gradient(shown, more, less, said):
    passed = shown.passed.copy()
    passed[1, :, shown.dims.index(64)] = 1.0
    passed[1, 0, shown.dims.index(64), :more] = 2.0
    passed[1, 0, shown.dims.index(64), more : more + less] = 0.5
    assert said in figures.rows(replace(shown, passed=passed), 64, "q", LIGHT).sentence


@pytest.mark.parametrize(
    ("raw", "scaled", "said"),
    [(0, 0, "none of the hundred rows is frozen, with the scale or without it."),
     (3, 3, "three of the hundred rows are frozen, without the scale as with it."),
     (1, 0, "one of the hundred rows is frozen without the scale: it passes on next to nothing. With it, none is."),
     (70, 2, "70 of the hundred rows are frozen without the scale, and two with it."),
     (100, 13, "all of the hundred rows are frozen without the scale, and 13 with it.")],
)  # fmt: skip
def test_sentence_counts_the_frozen_rows_with_and_without_the_scale(shown, raw, scaled, said):
    frozen = shown.frozen.copy()
    frozen[:, shown.dims.index(64)] = raw, scaled
    assert figures.rows(replace(shown, frozen=frozen), 64, "softmax", LIGHT).sentence.endswith(said)


def test_how_sure_fold_compares_both_means_with_their_predictions(shown, result):
    z = np.array([[0.449, -2.1]] * 2)
    said = replace(result, statistics=replace(result.statistics, z=z), frozen_share=np.array([0.5555, 0.0]))
    sure = " ".join(figures.rows(shown, 512, "softmax", LIGHT, said).sure)
    for j, word in enumerate(("Without the scale", "With 1/√dₖ")):
        assert f"{word} the mean of tr J is {number(result.statistics.mean[0, j])} ± " in sure
    assert "the difference is 0.45 standard errors, inside ± 1.96." in sure
    assert "the difference is −2.1 standard errors, outside ± 1.96." in sure
    assert "scatters by 5.0 percentage points" in sure  # 5.0 % = √(0.5555 · 0.4445 / 100)


def test_how_sure_fold_counts_rows_that_are_no_longer_frozen_at_larger_d_k(shown, result):
    raw = shown.passed[0, 0].copy()
    raw[:, :10] = 1.0
    raw[2, :8], raw[3, :3] = 0.001, 0.001  # of eight rows frozen at 64, five are not frozen at 512
    raw[2:, 10:] = 1.0
    again = replace(shown, passed=np.stack([np.stack([raw, shown.passed[0, 1]]), shown.passed[1]]))

    def last(rows, d_k):
        return figures.rows(rows, d_k, "softmax", LIGHT, result).sure[-1]

    appended = "A larger dₖ appends components to the same queries and keys."
    assert last(again, 512) == (
        f"{appended} Of the 8 rows that are frozen at dₖ = 64 without the scale, 5 pass on again at dₖ = 512. So "
        "which rows are frozen changes; their share, over many rows, only grows."
    )
    assert last(again, 1) == appended  # there is no smaller dₖ
    assert last(again, 64) == appended  # no row is frozen at dₖ = 4


@pytest.mark.parametrize("n_keys", [2, 16, 512])
def test_share_of_frozen_rows_grows_with_d_k(n_keys):
    frozen = sum(core.freezing_rows(DIMS, n_keys=n_keys, seed=s).frozen[0] for s in range(24))
    n = 24 * 100
    for before, after in pairwise(frozen / n):
        assert after > before - 4 * np.sqrt(max(before * (1 - before), 1 / n) * 2 / n)


# Numbers of keys. Means at the scores are compared with exact averages, means at q with averages over many rows.
TRUE_KEYS = (2, 3, 4, 16, 64, 512)


@pytest.mark.parametrize("n_keys", TRUE_KEYS)
def test_sentence_on_the_means_is_true_for_every_seed(n_keys):
    ends, i = (4, 1024), core.PLACES.index("q")
    truth = core.gradient_curve(ends, n_keys=n_keys, n_rows=100_000 if n_keys < 64 else 10_000, seed=99).statistics
    exact = np.where(np.isnan(truth.exact_mean), truth.mean, truth.exact_mean)
    change = exact[..., 1] / exact[..., 0]  # axes: place, scale
    for seed in range(24):
        curve = core.gradient_curve(ends, **curve_options(n_keys, seed))
        for place in core.PLACES:
            true = change[core.PLACES.index(place), 0]
            picture = figures.curves(curve, place, LIGHT)
            said = picture.sentence.split(" without the scale")[0]
            assert ("falls" in said) == (true < 0.8), (seed, place, said)
            if "grows" in said:
                assert true > 1.15
            if "hardly" in said:
                assert 1 / 1.3 < true < 1.3
    assert change[i, 0] > 1.1  # the lesson says that the mean at q does not fall
    assert "At $q$ it does not fall" in LESSON.assumed


# --- curves ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", core.PLACES)
def test_curves_show_means_medians_and_frozen_shares(curve, place):
    fig = plotted(figures.curves(curve, place, LIGHT))
    i, found = core.PLACES.index(place), curve.statistics
    for j, name in enumerate(("raw", "÷ √dₖ")):
        mean, median, frozen = (trace_of(fig, f"{name}, {what}") for what in ("mean", "median", "share frozen"))
        for trace, values in ((mean, found.mean[i, j]), (median, found.median[i, j]), (frozen, curve.frozen_share[j])):
            np.testing.assert_array_equal(trace.x, curve.dims)
            np.testing.assert_array_equal(trace.y, values)
        np.testing.assert_array_equal(mean.error_y.array, found.standard_error[i, j])
        assert frozen.yaxis == "y2"
    table = figures.curves(curve, place, LIGHT).table
    for j, scale in enumerate(("no scale", "1/√dₖ")):
        assert table[f"{scale}: median"] == found.median[i, j].tolist()
        assert table[f"{scale}: share frozen"] == curve.frozen_share[j].tolist()
    assert table["E[M]/√dₖ"] == curve.rate.tolist()


def test_each_line_has_one_label_at_its_end_in_its_colour(shown, curve):
    fig = plotted(figures.rows(shown, 512, "q", LIGHT))
    assert [text for text in texts(fig) if "mean" in text] == ["mean"]
    assert fig.layout.annotations[2].y == pytest.approx(traces_of(fig, "mean")[1].y[-1])
    assert [note.text.count(colour) for note, colour in zip(fig.layout.annotations, INKS, strict=False)] == [1, 1]
    fig = plotted(figures.curves(curve, "softmax", LIGHT))
    names = {text: note for text, note in zip(texts(fig), fig.layout.annotations, strict=True) if "<b>" in text}
    assert [*names] == ["<b>÷ √dₖ</b>", "<b>raw</b>, mean", "<b>raw</b>, median"]
    ends = [trace_of(fig, each).y[-1] for each in ("÷ √dₖ, mean", "raw, mean", "raw, median")]
    for note, end, colour in zip(names.values(), ends, (INKS[1], INKS[0], INKS[0]), strict=True):
        assert note.y == pytest.approx(np.log10(end), abs=0.7)  # about the height of a line of text
        assert colour in note.text
    assert [axis.title.text for axis in (fig.layout.yaxis, fig.layout.yaxis2)] == [None, None]


def with_ends(curve, place, **ends):
    """Return a curve whose statistics at one place run geometrically between given ends, raw and scaled."""
    changed = {name: getattr(curve.statistics, name).copy() for name in ends}
    for name, pairs in ends.items():
        changed[name][core.PLACES.index(place)] = [np.geomspace(*pair, len(curve.dims)) for pair in pairs]
    return replace(curve, statistics=replace(curve.statistics, **changed))


def test_sentence_says_that_a_mean_falls_only_beyond_chance():
    curve = core.gradient_curve((4, 64, 1024), **OPTIONS)
    half = with_ends(curve, "q", mean=((0.4, 0.2), (0.4, 0.2)))
    for error, verb in ((0.01, "falls"), (0.2, "hardly changes")):
        each = replace(half.statistics, standard_error=np.full_like(half.statistics.mean, error))
        assert f"at q {verb}" in figures.curves(replace(half, statistics=each), "q", LIGHT).sentence


@pytest.mark.parametrize(
    ("mean", "median", "off", "claim"),
    [
        ((0.5, 1.25), (0.5, 0.01), 1.1, "mean grows, median falls"),
        ((0.5, 0.5), (0.5, 0.7), 1.1, "mean stays, median grows"),
        ((0.5, 0.25), (0.5, 0.2), 1.1, "mean and median fall"),
        ((0.5, 0.25), (0.5, 0.02), 1.1, "mean falls, median far more"),
        ((0.5, 1.25), (0.5, 0.2), 2.0, "mean grows, median stays"),  # within the interval of the median
        ((0.5, 1.25), (0.5, 1.0), 1.1, "mean and median grow"),
        ((0.5, 0.45), (0.5, 0.45), 1.01, "mean and median stay"),
    ],
)
def test_title_of_the_curves_follows_from_mean_and_median(mean, median, off, claim):
    curve = core.gradient_curve((4, 64, 1024), n_keys=8)
    low, high = (tuple(end * factor for end in median) for factor in (1 / off, off))
    ends = {"mean": mean, "median": median, "median_low": low, "median_high": high}
    curve = with_ends(curve, "q", **{name: (pair, pair) for name, pair in ends.items()})
    said = figures.curves(curve, "q", LIGHT).figure.layout["title"]["text"]
    assert said == f"<b>Raw {claim}</b>"
    assert len(said) <= len("<b></b>") + 31  # one line on a phone


# --- Jacobians -------------------------------------------------------------------------------------------


def test_both_jacobians_share_one_fixed_colour_range(row):
    fig = plotted(figures.jacobians(row, "Row 1", 4, LIGHT))
    raw, scaled = fig.data
    for trace, matrix in ((raw, row.raw_jacobian), (scaled, row.scaled_jacobian)):
        np.testing.assert_array_equal(trace.z, matrix[::-1, ::-1])  # keys are sorted by score
        assert list(trace.x) == list(trace.y) == ["2", "1"]
        assert (trace.zmin, trace.zmax) == (-0.25, 0.25)
        assert trace.colorscale[1] == (0.5, LIGHT.ground)
        assert trace.text[0][0] == number(matrix[1, 1])
    assert (raw.showscale, scaled.showscale) == (True, False)
    picture = figures.jacobians(row, "Row 1", 4, LIGHT)
    for trace, name in ((row.raw_trace, "Raw"), (row.scaled_trace, "Scaled")):
        assert f"{name}<br>tr {number(trace)}" in texts(plotted(picture))
        assert f"passes on {number(trace)}" in picture.sentence
        assert f"trace {number(trace)} and norm" in picture.sure[1]
    assert picture.table["p(1 − p), raw"] == np.diagonal(row.raw_jacobian).tolist()
    assert run(picture.code)[1].split() == [str(row.raw_norm), str(row.scaled_norm)]


def test_only_the_twelve_keys_with_the_highest_scores_are_drawn():
    scores = np.random.default_rng(0).standard_normal(40)
    row = core.measure_row_jacobian(scores, 4)
    raw = plotted(figures.jacobians(row, "Row 1", 4, LIGHT)).data[0]
    best = np.argsort(-scores)[:12]
    assert list(raw.x) == [str(key + 1) for key in best]
    np.testing.assert_array_equal(raw.z, row.raw_jacobian[np.ix_(best, best)])


@pytest.mark.parametrize(
    ("scores", "d_k", "said"),
    [
        ([4, 5], 4, "Raw, this row passes on 0.393; divided by √4, it passes on 0.470."),
        ([4, 5], 1, "Raw or divided by √1, this row passes on 0.393."),
        ([9, 9], 4, "Raw or divided by √4, this row passes on 0.500."),
        ([0, 900], 9, "Raw or divided by √9, this row passes on practically nothing."),
    ],
)
def test_sentence_on_the_jacobians_is_right(scores, d_k, said):
    assert figures.jacobians(core.measure_row_jacobian(scores, d_k), "Row 7", d_k, LIGHT).sentence == said


@pytest.mark.parametrize("n_keys", [2, 16, 512])
@pytest.mark.parametrize("d_k", [1, 4, 64, 1024])
def test_hardly_any_row_is_frozen_with_the_scale(d_k, n_keys):
    """Count new draws: the scores of a query of given length are independent normal numbers."""
    rng = np.random.default_rng(0)
    scores = np.sqrt(rng.chisquare(d_k, size=(4_000, 1)) / d_k) * rng.standard_normal((4_000, n_keys))
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    assert np.mean(1 - np.sum(weights**2, axis=1) < 0.01) < 0.02
