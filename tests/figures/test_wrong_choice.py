"""Pictures of the wrong_choice lesson: plotted data and stated numbers equal those of the result."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog

from pages._view import compute
from pages._view.lessons.wrong_choice import bet, curves, figures, part, work
from pages._view.lessons.wrong_choice.declaration import LESSON
from pages._view.theme import DARK, LIGHT, PROJECTOR
from sattn_core.lessons import wrong_choice as core
from sattn_core.training.wrong_rows import draw_wrong_rows, row_blocks
from tests.figures.drawing import PROFILES, contrast, plotted, texts, trace_of, traces_of, whole

P = core.WrongChoiceParams
DIMS = work.DIMS
FIRST = core.follow_row(P(64), 0)
START = "At this rate plain gradient descent puts"


def choices(result, step, row=0, profile=LIGHT, phones=0):
    """Draw the picture of all rows, with the weights of one row below."""
    followed = core.follow_row(result.params, row) if row else replace(FIRST, params=result.params)
    return figures.choices(result, followed, step, profile, phones)


@pytest.fixture(scope="module")
def result():
    return core.measure_wrong_choices(P(64))


@pytest.fixture(scope="module")
def measured():
    return tuple(core.measure_learning_rates(P(d_k)) for d_k in DIMS)


def curves_with(smallest, dims=DIMS):
    """Return curves on which rule i puts all rows right at dims[j] from rate number smallest[i][j] on (None: never)."""
    made = []
    for j, d_k in enumerate(dims):
        counts = np.zeros((3, len(core.LEARNING_RATES), core.N_STEPS + 1), dtype=np.uint8)
        for i, each in enumerate(smallest):
            if each[j] is not None:
                counts[i, each[j] :] = 100
        made.append(core.RateCurves(P(d_k), counts))
    return tuple(made)


# --- the cells -----------------------------------------------------------------------------------------


def test_a_cell_shows_the_weight_of_its_row_on_the_right_key(result):
    for step in (0, 7, 200):
        shown = plotted(choices(result, step))
        for i, name in enumerate(figures.NAMES):
            cells = np.array(trace_of(shown, name).z)
            np.testing.assert_array_equal(cells.ravel(), result.right_weight[i, step])
            names = [each for each in texts(shown) if each in (f"<b>{name}</b>", f"<b>{(cells > 0.5).sum()}</b>")]
            assert len(names) >= 2
        assert texts(shown).count("of 100 put right") == 3


@pytest.mark.parametrize("profile", PROFILES)
def test_a_cell_gets_the_colour_of_its_panel_once_its_row_is_put_right(result, profile):
    for step in (0, 200):
        cells = [each for each in plotted(choices(result, step, 0, profile)).data if each.type == "heatmap"]
        ink = (profile.raw, profile.scaled, profile.third)
        for each, full in zip(cells, ink, strict=True):
            places, (none, below, above, most) = zip(*each.colorscale, strict=True)
            assert (each.zmin, each.zmax, places, each.showscale) == (0, 1, (0, 0.5, 0.5, 1), False)
            assert (none, above, most) == (below, full, full)
            assert contrast(below, above) > 2.5  # shades below and above one half
            assert contrast(profile.ground, below) < contrast(profile.ground, above)


@pytest.mark.parametrize("profile", PROFILES)
def test_cells_are_square_and_bars_below_are_as_wide(result, profile):
    layout = plotted(choices(result, 200, 0, profile)).layout
    for at, below in (("", "4"), ("2", "5"), ("3", "6")):
        x, y = layout[f"xaxis{at}"], layout[f"yaxis{at}"]
        assert (y.scaleanchor, x.constrain, y.constrain) == (f"x{at}", "domain", "domain")
        assert x.range[1] - x.range[0] == pytest.approx(y.range[0] - y.range[1])
        if profile is not PROJECTOR:
            bars = layout[f"xaxis{below}"]
            assert (bars.scaleanchor, bars.constrain, bars.constraintoward) == (f"x{at}", "domain", x.constraintoward)
            assert (bars.range, bars.domain) == (x.range, x.domain)
    bars = [each for each in plotted(choices(result, 200, 0, profile)).data if each.type == "scatter"]
    assert {each.xaxis for each in bars} == (set() if profile is PROJECTOR else {"x4", "x5", "x6"})


def test_hover_text_of_a_cell_says_that_it_can_be_clicked(result):
    for each in plotted(choices(result, 200)).data[:3]:
        assert "click" in each.hovertemplate
        assert each.text[4][1] == 42  # number of the row that a click chooses


def test_chosen_row_is_framed_in_every_panel_and_a_click_chooses_it(result):
    shown = plotted(choices(result, 200, 41))
    places = {(each.x0, each.x1, each.y0, each.y1) for each in shown.layout.shapes}
    assert places == {(0.5, 1.5, 3.5, 4.5)}
    assert {each.xref for each in shown.layout.shapes} == {"x", "x2", "x3"}
    assert figures.clicked({"chart": "raw", "line": 4, "place": 1}) == {"row": 42}
    assert figures.clicked({"chart": "raw", "line": -1, "place": 99}) == {"row": 10}
    assert figures.clicked({"chart": "raw, right key", "line": 0, "place": 3}) == {}


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            (12, 100, 86),
            "At this rate plain gradient descent puts 12 right with raw scores, all with ÷ √dₖ and 86 with ÷ dₖ.",
        ),
        (
            (0, 99, 1),
            "At this rate plain gradient descent puts none right with raw scores, 99 with ÷ √dₖ and 1 with ÷ dₖ.",
        ),
        ((100, 100, 100), "Of a hundred wrong choices all come right in all three."),
        ((1, 1, 1), "Of a hundred wrong choices 1 comes right in all three."),
    ],
)
def test_sentence_gives_the_counts_of_rows_put_right(result, counts, said):
    put_right = result.put_right.copy()
    put_right[:, 90] = counts
    shown = choices(replace(result, put_right=put_right), 90)
    assert shown.sentence == said
    whole(shown)


def test_sentence_is_true_before_the_first_step_and_at_d_k_1(result):
    assert choices(result, 0).sentence.startswith("Before the first step every right key has less")
    one = core.measure_wrong_choices(P(1))
    assert choices(one, 200).sentence.startswith("At dₖ = 1 nothing is divided: ")
    for each in (choices(one, 200, 0, PROJECTOR), choices(result, 0, 99, DARK)):
        whole(each)


def test_rows_whose_numbers_overflow_are_reported():
    found = core.measure_wrong_choices(P(64, learning_rate=1e5, loss="weights", learns="both"))
    gone = np.isnan(found.right_weight[:, 200]).sum(axis=-1).max()
    assert gone > 0
    sure = " ".join(choices(found, 200).sure)
    assert f"numbers have overflowed in {gone} rows" in sure
    assert "overflowed" not in " ".join(choices(found, 0).sure)


# --- one row -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_keys", [4, 16])
def test_bars_are_the_weights_of_the_row_and_the_right_key_is_coloured(n_keys):
    row = core.follow_row(P(64, n_keys), 8)
    picture = choices(core.measure_wrong_choices(P(64, n_keys)), 30, 8)
    shown, right = plotted(picture), row.right_key
    assert f"{n_keys} weights of the outlined query" in texts(shown)
    for i, name in enumerate(figures.NAMES):
        assert picture.bins[name] == row.weights[i, 30].tolist()
        wrong, one = (trace_of(shown, each) for each in (f"wrong keys, {name}", f"{name}, right key"))
        heights = np.array(wrong.y[1::4])
        heights[right] += one.y[1]
        np.testing.assert_array_equal(heights, row.weights[i, 30])
        middles = np.add(wrong.x[1::4], wrong.x[2::4]) / 2
        np.testing.assert_allclose(middles, (np.arange(n_keys) + 0.5) * 10 / n_keys - 0.5, atol=1e-12)
        assert np.add(*one.x[1:3]) / 2 == pytest.approx(middles[right])
        assert one.fillcolor != wrong.fillcolor
    word = ("mat", "cat", "slept", "tired")[right] if n_keys == 4 else ""
    name = f"right key: {word}" if word else "right key"
    assert [re.sub("<[^>]*>|[ ▲]*▲[ ▲]*", "", each) for each in texts(shown) if "right key" in each] == [name] * 3


@pytest.mark.parametrize("right", [0, 7, 15])
def test_label_of_the_right_key_stays_inside_its_panel(result, right):
    shown = figures.choices(result, replace(FIRST, right_key=right), 200, LIGHT)
    (note, *_) = [each for each in plotted(shown).layout.annotations if "right key" in each.text]
    assert note.xanchor == {0: "left", 7: "center", 15: "right"}[right]
    assert note.text == {0: "<b>▲ right key</b>", 7: "<b>right key</b>", 15: "<b>right key ▲</b>"}[right]
    assert note.x == pytest.approx((right + 0.5) * 10 / 16 - 0.5)  # the middle of its bar
    assert np.sign(note.xshift) == {0: -1, 7: 0, 15: 1}[right]


def test_picture_before_the_bet_shows_the_rows_before_training(result):
    values = {"d_k": 64, "n_keys": 16, "learning_rate": 10.0, "loss": "output", "learns": "q", "seed": 0, "row": 2}
    start, later = bet.before(values, LIGHT), choices(result, 200, 1)
    assert start.figure.layout["margin"] == later.figure.layout["margin"]
    assert [each["name"] for each in start.figure.data] == [each["name"] for each in later.figure.data]
    assert texts(plotted(start)).count("<b>0</b>") == 3
    assert (list(start.table), start.code) == (["row"], "")
    for i, name in enumerate(figures.NAMES):
        np.testing.assert_array_equal(trace_of(plotted(start), name).z, 0)
        first = core.follow_row(P(64), 1)
        assert trace_of(plotted(start), f"{name}, right key").y[1] == first.weights[i, 0, first.right_key]


@pytest.mark.parametrize(("d_k", "answer"), [(64, "10"), (16, "50"), (8, "90"), (4, "90")])
def test_outcome_of_the_bet_is_the_count_and_the_nearest_answer(d_k, answer):
    values = {"d_k": d_k, "n_keys": 16, "learning_rate": 10.0, "steps": 200, "loss": "output", "learns": "q", "seed": 0}
    found, count = bet.outcome(values), core.measure_wrong_choices(P(d_k)).put_right[0, -1]
    assert (found.truth, found.text) == (answer, str(count))
    assert ("small enough" in found.why) == (count >= core.NEARLY_ALL)
    assert ("hardly any gradient" in found.why) == (d_k != 4)
    assert ("hardly matters: 77 come right with ÷ √dₖ" in found.why) == (d_k == 4)


def test_how_sure_fold_gives_the_three_weights_of_the_row(result):
    row = core.follow_row(P(64), 8)
    set_ = row.weights.copy()
    set_[:, 200, row.right_key] = 0.0004, 0.9996, 0.5
    said = " ".join(figures.choices(result, replace(row, weights=set_), 200, LIGHT).sure)
    assert (
        "Row 9: The right key has under 1 % of the weight with raw scores, over 99 % with ÷ √dₖ, at most 50 % "
        "with ÷ dₖ" in said
    )


# --- the curves ----------------------------------------------------------------------------------------


def test_points_show_counts_by_rate_and_a_line_marks_the_chosen_rate(measured):
    shown = plotted(curves.rates(measured[1], 31.6, 200, LIGHT))
    for i, name in enumerate(figures.NAMES):
        marks = trace_of(shown, name)
        np.testing.assert_array_equal(marks.y, measured[1].put_right[i, :, 200])
        np.testing.assert_allclose(np.log10(marks.x), np.log10(core.LEARNING_RATES), atol=0.03)
        assert (np.array(marks.y) - marks.error_y.arrayminus >= 0).all()
    (line,) = shown.layout.shapes
    assert (line.x0, line.x1, line.line.dash) == (31.6, 31.6, None)


@pytest.mark.parametrize("profile", PROFILES)
def test_label_of_a_curve_says_at_which_rates_it_works(measured, profile):
    shown = plotted(curves.rates(measured[1], 31.6, 200, profile))
    best, smallest = measured[1].best(), measured[1].smallest_rate()
    between = " " if profile is PROJECTOR else "<br>"
    does = [f"at most {best[0]}", f"at {smallest[1]:g} to 100", f"from rate {smallest[2]:g}"]
    for name, each in zip(figures.NAMES, does, strict=True):
        assert f"<b>{name}</b>{between}{each}" in texts(shown)


@pytest.mark.parametrize(
    ("works", "claim"),
    [
        ((True, True, True), "All three have a rate that works"),
        ((False, True, True), "Raw: no rate puts 99 right"),
        ((False, False, False), "No rate puts nearly all right"),
        ((True, False, True), "A rate works only with raw scores and with ÷ dₖ"),
    ],
)
def test_title_of_the_rates_follows_from_the_curves(works, claim):
    (made,) = curves_with([[5] if each else [None] for each in works], (64,))
    shown = curves.rates(made, 1.0, 200, LIGHT)
    assert shown.sure[0].startswith(f"{claim}. ")
    assert plotted(shown).layout.title.text.replace("<br>", " ") == f"<b>{claim}</b>"
    whole(shown)


@pytest.mark.parametrize(
    ("smallest", "does", "said"),
    [
        (([None] * 4, [8, 9, 8, 8], [10, 11, 12, 13]), {"÷ √dₖ": "about one rate", "÷ dₖ": "rises as dₖ grows"},
         "÷ √dₖ needs about one rate, 1 to 3.16; ÷ dₖ needs more as dₖ grows, up to 316."),
        (([None] * 4, [8] * 4, [8, 9, 9, 9]), {"÷ √dₖ": "about one rate", "÷ dₖ": "about one rate"},
         "÷ √dₖ needs about one rate, 1; ÷ dₖ needs about one rate, 3.16."),
        (([3] * 4, [11, 10, 9, 8], [10, 13, 10, 10]),
         {"raw": "about one rate", "÷ √dₖ": "falls as dₖ grows", "÷ dₖ": ""},
         "÷ √dₖ needs less as dₖ grows, down to 1; ÷ dₖ needs up to 316."),
        (([None] * 4, [None] * 4, [8, None, None, None]), {}, "no rate works with ÷ √dₖ; ÷ dₖ needs up to 1."),
        (([None] * 4, [None] * 4, [None] * 4), {},
         "With plain gradient descent no learning rate puts nearly all right with any of the three."),
    ],
)  # fmt: skip
def test_words_on_the_smallest_rates_follow_from_the_curves(smallest, does, said):
    shown = curves.dimensions(curves_with(smallest), "sgd", 64, LIGHT)
    assert shown.sentence.endswith(said)
    assert shown.sentence.startswith("With plain gradient descent")
    for name, each in does.items():
        assert f"<b>{name}</b><br>{each}" in texts(plotted(shown))
    whole(shown)


def test_label_of_a_curve_says_from_which_d_k_no_rate_works():
    given = curves_with(([8, None, None, None], [None] * 4, [8] * 4))
    words = texts(plotted(curves.dimensions(given, "sgd", 64, LIGHT)))
    most = {each.params.d_k: each.best() for each in given}
    assert f"<b>raw: from dₖ = 64 no rate does it, at most {most[64][0]}</b>" in words
    assert f"<b>÷ √dₖ: from dₖ = 16 no rate does it, at most {most[16][1]}</b>" in words


@pytest.mark.parametrize("profile", [LIGHT, PROJECTOR], ids=lambda each: each.name)
@pytest.mark.parametrize("share", [0.55, 1, 2])
def test_labels_at_lines_do_not_overlap_in_lower_or_taller_pictures(measured, profile, share):
    drawn = [curves.rates(each, 10.0, 200, profile) for each in measured]
    for shown in (*drawn, curves.dimensions(measured, "sgd", 64, profile)):
        layout = plotted(shown).layout
        plot = share * (layout.height - layout.margin.t - layout.margin.b)
        low, high = layout.yaxis.range
        names = [each for each in layout.annotations if (each.xref, each.yref, each.x) == ("paper", None, 1)]
        up = sorted((plot * (each.y - low) / (high - low) + each.yshift, each.text.count("<br>") + 1) for each in names)
        for (below, lines), (above, more) in pairwise(up):
            assert above - below >= 1.2 * layout.font.size * (lines + more) / 2
        assert up[-1][0] <= plot


def test_labels_of_equal_curves_are_in_the_usual_order():
    made = curves_with([[5]] * 3, (1,))
    names = [each for each in plotted(curves.rates(made[0], 10.0, 200, LIGHT)).layout.annotations if each.x == 1]
    downwards = [re.sub("<[^>]*>", "", each.text) for each in sorted(names, key=lambda each: -each.yshift)]
    assert [next(name for name in figures.NAMES[::-1] if text.startswith(name)) for text in downwards] == [
        *figures.NAMES
    ]


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_points_are_the_smallest_rates_of_the_chosen_optimizer(measured, optimizer):
    shown = curves.dimensions(measured, optimizer, 100, LIGHT)
    adam = core.compare_with_adam()[0]
    seen = [i for i, each in enumerate(adam.dims) if each >= 16]
    dims = DIMS if optimizer == "sgd" else tuple(adam.dims[j] for j in seen)
    assert [each.name for each in plotted(shown).data] == list(figures.NAMES)
    for i, name in enumerate(figures.NAMES):
        line = trace_of(plotted(shown), name)
        rates = [each.smallest_rate()[i] for each in measured] if optimizer == "sgd" else adam.smallest_rate[i, seen]
        np.testing.assert_array_equal(line.y, rates)
        assert tuple(line.x) == dims
    assert shown.table["d_k"] == list(DIMS if optimizer == "sgd" else adam.dims)
    (line,) = [each for each in plotted(shown).layout.shapes if each.type == "line"]
    assert (line.x0, line.x1) == (100, 100)


def test_pictures_of_both_optimizers_have_the_same_axes(measured):
    descent, adam = (plotted(curves.dimensions(measured, each, 64, LIGHT)).layout for each in ("sgd", "adam"))
    assert (descent.xaxis.range, descent.yaxis.range) == (adam.xaxis.range, adam.yaxis.range)


def test_one_rate_fits_sqrt_d_k_with_descent_and_d_k_with_adam(measured):
    descent, adam = (curves.dimensions(measured, each, 64, LIGHT) for each in ("sgd", "adam"))
    assert "÷ √dₖ needs about one rate, " in descent.sentence
    assert "÷ dₖ needs more as dₖ grows" in descent.sentence
    root, whole = "÷ √dₖ needs less as dₖ grows, down to 0.001", "÷ dₖ needs about one rate, 0.0316, but starts flat"
    assert adam.sentence == f"With Adam, {root}; {whole}. Rates alone do not decide."
    (band,) = [each for each in plotted(adam).layout.shapes if each.type == "rect"]
    assert band.y0 < 0.0316 < band.y1


@pytest.mark.parametrize("how", [{"n_keys": 4}, {"loss": "weights"}, {"learns": "K"}])
def test_record_of_adam_is_not_drawn_behind_curves_of_other_settings(how):
    made = tuple(replace(each, params=replace(each.params, **how)) for each in curves_with(([8] * 4,) * 3))
    assert [each.name for each in plotted(curves.dimensions(made, "sgd", 64, LIGHT)).data] == list(figures.NAMES)
    adam = curves.dimensions(made, "adam", 64, LIGHT)
    assert adam.sentence.startswith("With Adam as recorded, ")
    assert len(plotted(adam).data) == 3
    whole(adam)


def test_how_sure_fold_gives_predicted_and_found_factors_and_the_record(measured):
    descent, adam, record = curves.dimensions(measured, "sgd", 64, LIGHT).sure
    rates = np.array([each.smallest_rate() for each in measured])
    grown = rates[-1] / rates[0]
    assert descent.endswith(f"it goes × {grown[1]:.3g} and × {grown[2]:.3g}.")
    assert "it goes × 0.0316 and × 1. " in adam
    assert record.startswith("Adam is a record: 400 rows with 16 keys, 200 steps, β = 0.9 and 0.999; ")


def test_points_at_the_same_place_are_drawn_side_by_side(measured):
    found = plotted(curves.rates(measured[1], 1.0, 0, LIGHT))
    assert len({tuple(each.x) for each in found.data if each.name in figures.NAMES}) == 3


@pytest.mark.parametrize("step", [0, 7, 200])
def test_sentence_of_the_rates_gives_the_best_count_of_each_rule(measured, step):
    start = "At the best rate plain gradient descent puts"
    for found in measured:
        counts = [max(found.put_right[i, :, step].tolist()) for i in range(3)]
        raw, root, whole = ({0: "none", 100: "all"}.get(each, str(each)) for each in counts)
        said = f"{raw} right with raw scores, {root} with ÷ √dₖ and {whole} with ÷ dₖ."
        said = f"{raw} right, with each of the three" if len({*counts}) == 1 else said
        assert curves.rates(found, 10.0, step, LIGHT).sentence.startswith(f"{start} {said}")


@pytest.mark.parametrize(("d_k", "n_keys"), [(2, 16), (4, 16), (8, 16), (4, 64)])
def test_no_rate_corrects_rows_whose_right_key_no_query_can_choose(d_k, n_keys):
    """A query can choose a key if and only if the key is a corner of the convex hull, as a linear program decides."""
    (drawn,) = (draw_wrong_rows(d_k, n_keys, rows, seed=0) for rows in row_blocks(core.N_ROWS, n_keys, 1, "q"))
    on_hull = 0
    for gram, right in zip(drawn.gram, drawn.right_key, strict=True):
        lengths, axes = np.linalg.eigh(gram)
        keys = (axes * np.sqrt(np.maximum(lengths, 0)))[:, -d_k:]
        apart = np.delete(keys, right, axis=0) - keys[right]
        bounds = [(None, None)] * keys.shape[1]
        on_hull += linprog(np.zeros(keys.shape[1]), A_ub=apart, b_ub=-np.ones(len(apart)), bounds=bounds).status == 0
    found = core.measure_learning_rates(P(d_k, n_keys))
    assert found.best().max() <= on_hull
    assert (on_hull < core.N_ROWS) == (d_k < 8)
    said = (
        f": at dₖ = {d_k} some of {n_keys} keys lie between others." in curves.rates(found, 10.0, 200, LIGHT).sentence
    )
    assert said == (np.ptp(found.best()) == 0 and found.best()[0] < core.NEARLY_ALL)


def test_label_of_a_curve_gives_the_rates_that_reach_99_rows(measured):
    for found in measured:
        for i in range(3):
            works = (found.put_right[i, :, 200] >= 99).tolist()
            said = curves._works(i, found, 200)
            rates = [f"{each:,g}" for each, does in zip(core.LEARNING_RATES, works, strict=True) if does]
            if not rates:
                assert said == f"at most {found.put_right[i, :, 200].max()}"
            elif works[-1]:
                assert said == f"from rate {rates[0]}"
                assert all(works[works.index(True) :])
            elif len(rates) == works[::-1].index(True) - len(works) + works.index(True):
                assert said == f"at {rates[0]} to {rates[-1]}"
    assert curves._works(figures.NAMES.index("÷ √dₖ"), measured[1], 200).startswith("at ")  # rate 1,000 is too large
    for counts, said in (([0, 99, 99], "at 1 to 3.16"), ([99, 0, 99], "at 2 rates"), ([0, 99], "at rate 1")):
        some = np.zeros((3, 19, 201), dtype=np.uint8)
        some[0, 7 : 7 + len(counts), 200] = counts
        assert curves._works(0, core.RateCurves(P(64), some), 200) == said


# --- claims about all sizes and rates -------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
def test_answer_of_the_lesson_holds_from_d_k_8_to_1024_with_16_keys(seed):
    at_rate = {d_k: core.measure_wrong_choices(P(d_k, seed=seed)).put_right[:, -1] for d_k in (8, 16, 64, 256, 1024)}
    for counts in at_rate.values():
        assert core.interval(counts[1])[1] >= core.NEARLY_ALL
    assert at_rate[8][0] > 60  # so the answer's "rarely" holds for large d_k only
    for d_k in (256, 1024):
        best = core.measure_learning_rates(P(d_k, seed=seed)).best()
        assert core.interval(best[0])[1] < 25
    many = core.measure_wrong_choices(P(8, 64, seed=seed)).put_right[1, -1]
    assert core.interval(many)[1] < core.NEARLY_ALL  # so the answer must say 16 keys
    assert "With ÷ $\\sqrt{d_k}$ and 16 keys one rate" in LESSON.answer


@pytest.mark.parametrize("how", [{}, {"n_keys": 2}, {"n_keys": 64}, {"loss": "weights"}, {"learns": "K"}])
def test_smallest_rate_is_constant_for_sqrt_d_k_and_grows_for_d_k(how):
    """Measured rates are a factor of √10 apart: a difference of one step counts as no change."""
    found = np.array([core.measure_learning_rates(P(d_k, **how)).smallest_rate() for d_k in DIMS])
    root, whole = found[:, 1], found[:, 2]
    assert root.max() < 4 * root.min()
    assert (np.diff(whole) >= 0).all()
    assert whole[-1] > 8 * whole[0]


@pytest.mark.parametrize("d_k", [8, 64, 1024])
def test_best_option_of_the_vote_is_rate_10_with_sqrt_d_k(d_k):
    counts = [
        core.measure_wrong_choices(P(d_k, learning_rate=each)).put_right[1, -1] for each in LESSON.together.options
    ]
    assert counts[LESSON.together.options.index(10.0)] == max(counts) > max(counts[0], counts[-1])
    assert "with ÷ √dₖ" in LESSON.together.asks


# --- a phone's part -------------------------------------------------------------------------------------


def values_of(**chosen):
    return (
        {"d_k": 64, "n_keys": 16, "seed": 0, "loss": "output", "learns": "q", "learning_rate": 10.0}
        | {"steps": 200}
        | chosen
    )


@pytest.mark.parametrize("rate", [1e-4, 10.0, 1000.0, 1e5])
@pytest.mark.parametrize(("loss", "learns"), [("output", "q"), ("weights", "K"), ("weights", "both")])
def test_sentence_on_a_phone_names_lost_weights_and_no_nan(rate, loss, learns):
    values = values_of(learning_rate=rate, loss=loss, learns=learns)
    lost = 0
    for place in range(100):
        said = part.part(place, values)
        assert not re.search(r"nan|: (0|100|50) %", said.sentences[0])
        lost += sum(np.isnan(each) for each in said.numbers)
        assert said.sentences[0].count("lost, for its numbers overflowed") == np.isnan(said.numbers).sum()
        right = sum(each > 0.5 for each in said.numbers)
        assert said.sentences[0].count("put right") == right
    assert (lost > 0) == (rate >= 1000 and learns == "both")


@pytest.mark.parametrize(
    ("weight", "said"),
    [(0.0, "under 1 %"), (0.4999, "at most 50 %"), (0.5, "at most 50 %"), (0.5001, "over 50 %"), (1.0, "over 99 %")],
)
def test_weights_near_0_half_and_1_are_not_rounded_to_these_values(weight, said):
    assert figures.share(weight) == said


# --- requests of the page --------------------------------------------------------------------------------


@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_dimensions_of_the_curves_do_not_depend_on_the_slider(d_k):
    values = {"d_k": d_k, "n_keys": 16, "loss": "output", "learns": "q", "seed": 0}
    assert work.dimensions(values).dims == DIMS


def test_rate_dial_has_a_stop_at_every_rate_of_the_curves():
    assert set(core.LEARNING_RATES) <= set(LESSON.controls["learning_rate"].stops)


def test_a_wall_shows_the_cells_but_no_bars(result):
    shown = plotted(choices(result, 200, 0, PROJECTOR))
    assert {each.type for each in shown.data} == {"heatmap"}


@pytest.mark.parametrize(("step", "seed"), [("rate", 77), ("every_size", 77)])
def test_price_of_cached_curves_is_zero(step, seed):
    values = {"d_k": 4, "n_keys": 2, "loss": "output", "learns": "q", "seed": seed, "steps": 200, "learning_rate": 1.0,
              "optimizer": "sgd"}  # fmt: skip
    main = work.STEPS[step]
    before = main.params(values)
    assert before.price.numbers > 0
    main.picture(values, LIGHT)
    after = main.params(values)
    assert after.price.numbers == 0
    assert after == before
    assert main.params(values | {"seed": seed + 1}) != before


def test_expensive_computations_need_a_button_and_cheap_ones_do_not():
    values = {"d_k": 64, "n_keys": 16, "loss": "output", "learns": "q", "seed": 77}
    rate, sizes = (work.STEPS[step] for step in ("rate", "every_size"))
    assert rate.is_unasked(values)
    assert not sizes.is_unasked(values)
    assert not compute.needs_button(sizes.params(values), sizes.limit)
    for dear in ({"learns": "both"}, {"n_keys": 64}):
        assert compute.needs_button(rate.params(values | dear), rate.limit)
        assert compute.needs_button(sizes.params(values | dear), sizes.limit)
    assert sizes.limit == compute.UNASKED


# --- the votes of a class --------------------------------------------------------------------------------


def test_votes_are_shown_beside_the_rows_that_each_rate_puts_right():
    cast, before = ["10"] * 14 + ["100"] * 6 + ["0.1"] * 4, ["1000"] * 20 + ["10"] * 3
    values = values_of(phones=24, votes=tuple(cast), first=tuple(before), row=2, mode="projector")
    shown = work.STEPS["rows"].picture(values, PROJECTOR)
    fig, rates = plotted(shown), LESSON.together.options
    counts, first = ([said.count(f"{each:g}") for each in rates] for said in (cast, before))
    for name, votes in (("bets", counts), ("first bets", first)):
        np.testing.assert_allclose(np.array(trace_of(fig, name).x) * 20 / max(trace_of(fig, "first bets").x), votes)
    assert [*fig.layout.yaxis9.ticktext] == ["0.1", "1", "10", "100", "1,000"]
    right = [core.measure_wrong_choices(P(64, learning_rate=each)).put_right[1, 200] for each in rates]
    said = [f"<b>best {n}</b>" if n == max(right) else f"{n}" for n in right]
    words = [each for each in fig.layout.annotations if each.xref == "x9"]
    assert [each.text for each in sorted(words, key=lambda each: (each.xanchor, each.y))] == [
        *(f"{old} → <b>{n}</b>" for old, n in zip(first, counts, strict=True)), *said
    ]  # fmt: skip
    best = [f"{each:,g}" for each, n in zip(rates, right, strict=True) if n == max(right)]
    assert f"Rates {', '.join(best[:-1])} and {best[-1]} are best with ÷ √dₖ: {max(right)} of 100" in shown.alt
    assert "The first vote: 0 for 0.1, 0 for 1, 3 for 10, 0 for 100 and 20 for 1,000." in shown.alt
    once = work.STEPS["rows"].picture(values | {"first": ""}, PROJECTOR)
    assert not traces_of(plotted(once), "first bets")
    assert "first vote" not in once.alt
    alone = work.STEPS["rows"].picture(values | {"votes": ""}, PROJECTOR)
    assert "xaxis9" not in plotted(alone).layout.to_plotly_json()
    on_screen = work.STEPS["rows"].picture(values | {"mode": "screen"}, LIGHT)
    assert "Votes: 4 for 0.1, 0 for 1, 14 for 10" in on_screen.spoken()
