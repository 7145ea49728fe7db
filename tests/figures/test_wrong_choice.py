"""Pictures of the wrong_choice lesson: their data are the result's, their words are its numbers."""

from dataclasses import replace

import numpy as np
import pytest

from pages._view import compute
from pages._view.lessons.wrong_choice import figures, work
from pages._view.lessons.wrong_choice.declaration import LESSON
from pages._view.theme import DARK, LIGHT, PROJECTOR
from sattn_core.lessons import wrong_choice as core
from tests.figures.drawing import PROFILES, contrast, plotted, texts, trace_of, traces_of, whole

P = core.WrongChoiceParams
DIMS = (16, 64, 1024)
FIRST = core.follow_row(P(64), 0)


def choices(result, step, row=0, profile=LIGHT, phones=0):
    """The picture of the rows with the weights of one of them."""
    followed = core.follow_row(result.params, row) if row else replace(FIRST, params=result.params)
    return figures.choices(result, followed, step, profile, phones)


@pytest.fixture(scope="module")
def result():
    return core.measure_wrong_choices(P(64))


@pytest.fixture(scope="module")
def curves():
    return tuple(core.measure_learning_rates(P(d_k)) for d_k in DIMS)


def curves_with(smallest, dims=DIMS):
    """Curves of which rule i puts all right from rate number smallest[i][j] on at dims[j], or never if that is None."""
    made = []
    for j, d_k in enumerate(dims):
        counts = np.zeros((3, len(core.LEARNING_RATES), core.N_STEPS + 1), dtype=np.uint8)
        for i, each in enumerate(smallest):
            if each[j] is not None:
                counts[i, each[j] :] = 100
        made.append(core.RateCurves(P(d_k), counts))
    return tuple(made)


# --- the cells -----------------------------------------------------------------------------------------


def test_a_cell_is_the_weight_on_the_right_key_of_its_row_at_the_step(result):
    for step in (0, 7, 200):
        shown = plotted(choices(result, step))
        for i, name in enumerate(figures.NAMES):
            cells = np.array(trace_of(shown, name).z)
            np.testing.assert_array_equal(cells.ravel(), result.right_weight[i, step])
            counted = f"{name}<br>{(cells > 0.5).sum()} of 100"
            assert counted in texts(shown)


def test_all_panels_have_one_scale_of_colours_at_every_step(result):
    for step in (0, 200):
        found = [each for each in plotted(choices(result, step)).data if each.type == "heatmap"]
        assert {(each.zmin, each.zmax, each.colorscale) for each in found} == {(0, 1, found[0].colorscale)}


@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_put_right_is_told_apart_without_colour(result, profile):
    places, colours = zip(*plotted(choices(result, 200, 0, profile)).data[0].colorscale, strict=True)
    assert places == (0, 0.5, 0.5, 1)
    _, below, above, _ = colours
    assert contrast(below, above) > 2.5  # the least of two greys that stand side by side
    assert contrast(profile.ground, below) < contrast(profile.ground, above)


def test_the_chosen_row_is_framed_in_every_panel_and_a_click_on_it_chooses_it(result):
    shown = plotted(choices(result, 200, 41))
    places = {(each.x0, each.x1, each.y0, each.y1) for each in shown.layout.shapes}
    assert places == {(0.5, 1.5, 3.5, 4.5)}
    assert {each.xref for each in shown.layout.shapes} == {"x", "x2", "x3"}
    assert figures.clicked({"chart": "raw", "line": 4, "place": 1}) == {"row": 42}
    assert figures.clicked({"chart": "raw", "line": -1, "place": 99}) == {"row": 10}
    assert figures.clicked({"chart": "raw, weights", "line": 0, "place": 3}) == {}


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((12, 100, 86), "Of a hundred wrong choices 12 come right with raw scores, all with ÷ √dₖ and 86 with ÷ dₖ."),
        ((0, 99, 1), "Of a hundred wrong choices none come right with raw scores, 99 with ÷ √dₖ and 1 with ÷ dₖ."),
        ((100, 100, 100), "Of a hundred wrong choices all come right, whatever divides the scores."),
        ((1, 1, 1), "Of a hundred wrong choices 1 comes right, whatever divides the scores."),
    ],
)
def test_the_sentence_says_the_counts(result, counts, said):
    put_right = result.put_right.copy()
    put_right[:, 90] = counts
    shown = choices(replace(result, put_right=put_right), 90)
    assert shown.sentence == said
    whole(shown)


def test_the_sentence_is_true_at_the_ends(result):
    assert choices(result, 0).sentence.startswith("Before the first step every right key has less")
    one = core.measure_wrong_choices(P(1))
    assert choices(one, 200).sentence.startswith("At dₖ = 1 nothing is divided: ")
    for each in (choices(one, 200, 0, PROJECTOR), choices(result, 0, 99, DARK)):
        whole(each)


def test_what_has_overflowed_is_said():
    found = core.measure_wrong_choices(P(64, learning_rate=1e5, loss="weights", learns="both"))
    gone = np.isnan(found.right_weight[:, 200]).sum(axis=-1).max()
    assert gone > 0
    sure = " ".join(choices(found, 200).sure)
    assert f"numbers have overflowed in {gone} rows" in sure
    assert "overflowed" not in " ".join(choices(found, 0).sure)


# --- one row -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_keys", [4, 16])
def test_the_bars_are_the_weights_of_the_row_and_the_right_key_is_outlined(n_keys):
    row = core.follow_row(P(64, n_keys), 8)
    picture = choices(core.measure_wrong_choices(P(64, n_keys)), 30, 8)
    shown = plotted(picture)
    assert f"Row 9: {n_keys} weights, right key outlined" in texts(shown)
    for i, name in enumerate(figures.NAMES):
        assert picture.bins[name] == row.weights[i, 30].tolist()
        bars = trace_of(shown, f"{name}, weights")
        np.testing.assert_array_equal(bars.y[1::4], row.weights[i, 30])
        np.testing.assert_allclose(np.add(bars.x[1::4], bars.x[2::4]) / 2, range(n_keys), atol=1e-12)
    for outline in traces_of(shown, "right key"):
        assert (min(outline.x) + max(outline.x)) / 2 == pytest.approx(row.right_key)
    words = list(shown.layout.xaxis4.ticktext)
    assert words == (["mat", "cat", "slept", "tired"] if n_keys == 4 else ["right"])


def test_the_three_weights_of_a_row_are_said(result):
    row = core.follow_row(P(64), 8)
    set_ = row.weights.copy()
    set_[:, 200, row.right_key] = 0.0004, 0.9996, 0.5
    said = " ".join(figures.choices(result, replace(row, weights=set_), 200, LIGHT).sure)
    assert (
        "Row 9: The right key has under 1 % of the weight with raw scores, over 99 % with ÷ √dₖ, 50 % with ÷ dₖ" in said
    )


# --- the curves ----------------------------------------------------------------------------------------


def test_the_points_of_the_rates_are_the_counts_and_the_line_is_the_slider(curves):
    shown = plotted(figures.rates(curves[1], 31.6, 200, LIGHT))
    for i, name in enumerate(figures.NAMES):
        marks = trace_of(shown, name)
        np.testing.assert_array_equal(marks.y, curves[1].put_right[i, :, 200])
        np.testing.assert_allclose(np.log10(marks.x), np.log10(core.LEARNING_RATES), atol=0.03)
        assert (np.array(marks.y) - marks.error_y.arrayminus >= 0).all()
    (line,) = shown.layout.shapes
    assert (line.x0, line.x1, line.line.dash) == (31.6, 31.6, "dash")


@pytest.mark.parametrize(
    ("works", "claim"),
    [
        ((True, True, True), "Some learning rate puts nearly all right, scale or no scale"),
        ((False, True, True), "Without the scale no learning rate puts nearly all right"),
        ((False, False, False), "Here no learning rate puts nearly all right"),
        ((True, False, True), "Nearly all come right only with raw scores and with ÷ dₖ"),
    ],
)
def test_the_first_line_on_the_rates_is_what_they_show(works, claim):
    (made,) = curves_with([[5] if each else [None] for each in works], (64,))
    shown = figures.rates(made, 1.0, 200, LIGHT)
    assert shown.sure[0] == f"{claim}."
    whole(shown)


@pytest.mark.parametrize(
    ("smallest", "claim", "said"),
    [
        (([None] * 3, [8, 9, 8], [10, 11, 13]), "With ÷ √dₖ the rate stays; with ÷ dₖ it must grow",
         "with raw scores never, with ÷ √dₖ from rate 1 and with ÷ dₖ from rate 316."),
        (([None] * 3, [8, 11, 8], [10, 11, 13]),
         "The second panel has the smallest learning rate that works at each dₖ", "from rate 1 "),
        (([None] * 3, [None] * 3, [None] * 3), "No learning rate puts nearly all right at these dₖ",
         "no learning rate puts nearly all right, whatever divides"),
    ],
)  # fmt: skip
def test_the_words_over_the_dimensions_are_what_they_show(smallest, claim, said):
    shown = figures.dimensions(curves_with(smallest), 200, LIGHT)
    assert shown.sure[0] == f"{claim}."
    assert said in shown.sentence
    whole(shown)


def test_the_points_over_the_dimensions_are_the_best_and_the_smallest_rates(curves):
    shown = plotted(figures.dimensions(curves, 200, LIGHT))
    for i, name in enumerate(figures.NAMES):
        best, smallest = traces_of(shown, name)
        assert best.y.tolist() == [each.best()[i] for each in curves]
        np.testing.assert_array_equal(smallest.y, [each.smallest_rate()[i] for each in curves])
        np.testing.assert_allclose(np.log10(best.x), np.log10(DIMS), atol=0.03)
    assert any("raw: none" in each for each in texts(shown))


def test_marks_at_the_same_place_stand_side_by_side(curves):
    for shown in (figures.rates(curves[1], 1.0, 0, LIGHT), figures.dimensions(curves, 200, LIGHT)):
        found = plotted(shown)
        firsts = [tuple(trace_of_marks.x) for trace_of_marks in found.data if trace_of_marks.name in figures.NAMES]
        assert len(set(firsts)) == 3


# --- what the page asks for ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d_k", "dims"),
    [
        (64, (4, 16, 64, 256, 1024)), (1, (1, 16, 64, 256, 1024)), (100, (4, 16, 100, 256, 1024)),
        (1000, (4, 16, 64, 256, 1000)),
    ],
)  # fmt: skip
def test_the_sliders_d_k_stands_in_the_curves_in_place_of_the_nearest(d_k, dims):
    values = {"d_k": d_k, "n_keys": 16, "loss": "output", "learns": "q", "seed": 0}
    assert work.dimensions(values).dims == dims


def test_a_dial_of_rates_stops_at_every_rate_of_the_curves():
    assert set(core.LEARNING_RATES) <= set(LESSON.controls["learning_rate"].stops)


def test_nothing_known_before_the_bet_tells_its_answer():
    values = {"n_keys": 16, "loss": "output", "learns": "q", "seed": 0}
    assert max(each.params.d_k for each in work.known(values)) < work.BET_D_K
    assert work.known(values | {"n_keys": 512}) == ()
    axes = [name for name in figures.known(work.known(values), PROJECTOR).figure.layout if "axis" in name]
    assert axes == ["xaxis", "yaxis"]  # a wall has room for what is asked
    empty = figures.known((), LIGHT)
    assert empty.sentence.endswith("Nothing is computed yet.")
    assert all(len(trace.x) == 0 for trace in plotted(empty).data)


def test_a_wall_shows_the_cells_alone(result):
    shown = plotted(choices(result, 200, 0, PROJECTOR))
    assert {each.type for each in shown.data} == {"heatmap"}


@pytest.mark.parametrize("step", ["rate", "every_size"])
def test_curves_that_are_kept_cost_nothing_and_are_the_same_question(step):
    values = {"d_k": 4, "n_keys": 2, "loss": "output", "learns": "q", "seed": 77, "steps": 200, "learning_rate": 1.0}
    main = work.STEPS[step]
    before = main.params(values)
    assert before.price.numbers > 0
    main.picture(values, LIGHT)
    after = main.params(values)
    assert after.price.numbers == 0
    assert after == before
    assert main.params(values | {"seed": 78}) != before


def test_only_what_costs_less_than_a_second_is_computed_unasked():
    values = {"d_k": 64, "n_keys": 16, "loss": "output", "learns": "q", "seed": 77}
    rate, sizes = (work.STEPS[step] for step in ("rate", "every_size"))
    assert rate.is_unasked(values)
    assert not sizes.is_unasked(values)
    assert not compute.needs_button(sizes.params(values), sizes.limit)
    for dear in ({"learns": "both"}, {"n_keys": 64}):
        assert compute.needs_button(rate.params(values | dear), rate.limit)
        assert compute.needs_button(sizes.params(values | dear), sizes.limit)
    assert sizes.limit == compute.UNASKED
