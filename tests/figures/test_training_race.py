"""Pictures of the training_race lesson: plotted data and stated numbers equal those of the result."""

import math
import re
from dataclasses import fields, replace
from itertools import pairwise, product

import numpy as np
import pytest

from pages._view.lessons.training_race import figures
from pages._view.theme import DARK, LIGHT, PROJECTOR, number
from sattn_core.lessons import training_race as core
from sattn_core.training.equal_training import measure_equivalence
from tests.figures.drawing import contrast, in_the_light, luminance, plotted, run, texts, traces_of, whole

PARAMS = core.TrainingRaceParams(d_k=16, exponents=(0.0, 0.5, 1.0, 0.25), n_keys=4, n_steps=40, n_seeds=2)
NAMES = ["raw", "÷ √dₖ", "÷ dₖ", "÷ dₖ⁰·²⁵"]
QUANTITIES_IN_WORDS = {
    "loss": "loss",
    "accuracy": "right answers",
    "entropy_nats": "entropy in nats",
    "gradient_norm": "total gradient",
    "median_row_gradient": "gradient of the median row",
}


@pytest.fixture(scope="module")
def result():
    return core.measure_training_race(PARAMS)


@pytest.fixture(scope="module")
def sweep():
    return core.sweep_learning_rates(PARAMS)


@pytest.fixture(scope="module")
def pairs():
    return [
        measure_equivalence(24, n_steps=5, n_seeds=1, **each)
        for each in ({}, {"learning_rate": 1.0}, {"optimizer": "adam"}, {"optimizer": "adam", "power": 0.5})
    ]


def test_table_has_every_quantity_of_every_run(result):
    table = figures.attention(result, LIGHT).bins
    assert table["step"] == result.steps.tolist()
    assert len(table) == 1 + 2 * len(NAMES) * len(core.QUANTITIES)
    for i, (quantity, words) in product(range(len(NAMES)), QUANTITIES_IN_WORDS.items()):
        assert table[f"{NAMES[i]}: {words}"] == getattr(result, quantity).mean[i].tolist()


def test_how_sure_fold_names_the_step_by_which_each_run_has_learnt(result):
    mean = np.zeros_like(result.accuracy.mean)
    mean[1, 2:] = 0.95
    shown = replace(result, accuracy=replace(result.accuracy, mean=mean))
    said = f"Learnt by step: raw none, ÷\u00a0√dₖ {result.steps[2]:,}, ÷\u00a0dₖ none"
    assert said in " ".join(figures.attention(shown, LIGHT).sure)
    assert "raw not yet, " in " ".join(figures.attention(replace(shown, progress=0.5), LIGHT).sure)
    diverged = replace(result, diverged=np.array([True, False, False, False]))
    assert "the numbers of a run overflowed" in " ".join(figures.attention(diverged, LIGHT).sure)


def with_right(result, *right, n_keys=32, before=None):
    """Return a race of three runs with `right` correct queries in the last maps, and `before` in all earlier ones."""
    maps = [_maps(before or right, n_keys)] * (len(result.maps) - 1)
    params = replace(result.params, exponents=(0.0, 0.5, 1.0), n_keys=n_keys)
    curves = {name: _of_three(getattr(result, name)) for name in core.QUANTITIES}
    return replace(result, params=params, maps=(*maps, _maps(right, n_keys)), **curves)


def _of_three(curve):
    return replace(curve, **{each.name: getattr(curve, each.name)[:3] for each in fields(curve)})


def _maps(right, n_keys):
    weights = np.full((len(right), n_keys, n_keys), 0.1 / n_keys)
    for i, count in enumerate(right):
        for row in range(n_keys):
            weights[i, row, row if row < count else row - 1] = 0.9
    return weights


@pytest.mark.parametrize(
    ("right", "before", "said"),
    [
        ((2, 32, 29), None, "raw gets few right, ÷ √dₖ all and ÷ dₖ nearly all"),
        ((0, 17, 16), None, "raw gets none right, ÷ √dₖ most and ÷ dₖ half"),
        ((32, 5, 4), None, "raw gets all right, ÷ √dₖ some and ÷ dₖ few"),
        ((2, 32, 29), (2, 32, 9), "raw gets few right, ÷ √dₖ all and ÷ dₖ nearly all (still rising)"),
        ((2, 32, 29), (1, 32, 27), "raw gets few right, ÷ √dₖ all and ÷ dₖ nearly all (still rising)"),
        ((2, 32, 29), (1, 32, 28), "raw gets few right, ÷ √dₖ all and ÷ dₖ nearly all"),
        ((2, 32, 32), (2, 8, 8), "raw gets few right, ÷ √dₖ all and ÷ dₖ all"),
        ((32, 32, 32), None, "all three get all queries right"),
        ((0, 0, 0), None, "raw gets none right, ÷ √dₖ none and ÷ dₖ none"),
    ],
)
def test_sentence_describes_the_maps_in_the_picture(result, right, before, said):
    shown = with_right(result, *right, before=before)
    assert figures.attention(shown, LIGHT).sentence == f"After 40 steps at dₖ = 16, {said}."


@pytest.mark.parametrize(("gained", "weight", "is_said"), [(2, 0.95, True), (2, 0.8, False), (1, 0.95, False)])
def test_rise_on_fresh_data_needs_a_rising_count_and_mean_weight(result, gained, weight, is_said):
    """Each step draws new queries, so a rise must be at least two of 32 queries, a sixteenth of the curve's height."""
    shown = with_right(result, 2, 32, 20, before=(2, 32, 20 - gained))
    last = shown.maps[-1].copy()
    last[2, range(20), range(20)] = weight
    fresh = replace(shown, params=replace(shown.params, fresh_data=True), maps=(*shown.maps[:-1], last))
    picture = figures.attention(fresh, LIGHT)
    (race,) = traces_of(plotted(picture), "÷ dₖ, race")
    assert race.y[-1] - race.y[-2] == gained
    assert ("still rising" in picture.sentence) == is_said
    assert "at least 2 more came right, and the mean weight" in picture.sure[1]


@pytest.mark.parametrize("d_k", [2, 3, 4])
def test_sentence_at_tiny_d_k_says_that_raw_learns_at_a_smaller_rate(d_k):
    race = core.measure_training_race(core.TrainingRaceParams(d_k))
    best = core.sweep_learning_rates(race.params)
    at_best = best.accuracy[..., -1].max(axis=1)
    smaller = [best.rates[at] for at in best.accuracy[..., -1].argmax(axis=1)]
    assert at_best[0] > at_best[1] - 0.06  # 0.06: two of 32 queries
    assert smaller[0] < race.params.learning_rate
    assert race.accuracy.mean[0, -1] < at_best[0] - 0.1
    shown = figures.attention(race, LIGHT)
    assert shown.sentence.endswith(". At a smaller rate raw does about as well.")
    whole(shown)
    assert figures.SMALLER_RATE not in figures.attention(core.race_at(race, 200), LIGHT).sentence
    assert (
        figures.SMALLER_RATE
        not in figures.attention(core.measure_training_race(core.TrainingRaceParams(1)), LIGHT).sentence
    )


@pytest.mark.parametrize("d_k", [6, 16])
def test_sentence_at_small_d_k_reports_little_harm_and_suggests_d_k_64(d_k):
    race = core.measure_training_race(core.TrainingRaceParams(d_k))
    shown = figures.attention(race, LIGHT)
    whole(shown)
    said = "raw and ÷ √dₖ have learnt: leaving out the scale does little harm. Drag dₖ to 64."
    assert shown.sentence == f"After 300 steps at dₖ = {d_k}, {said}"
    assert core.learnt(race)[:2] == (True, True)
    for changed in ({"loss": "weights"}, {"learning_rate": 0.3}, {"init_exponents": (0.25, 0.0, -0.25)}):
        other = replace(race, params=replace(race.params, **changed))
        assert "harm" not in figures.attention(other, LIGHT).sentence
    assert "harm" not in figures.attention(core.race_at(race, 200), LIGHT).sentence
    doubt = replace(race.accuracy, standard_error=np.full_like(race.accuracy.mean, 0.1))
    assert "harm" not in figures.attention(replace(race, accuracy=doubt), LIGHT).sentence


@pytest.mark.parametrize("d_k", [1, 4, 24])
def test_no_harm_is_mentioned_if_raw_has_not_learnt(d_k):
    race = core.measure_training_race(core.TrainingRaceParams(d_k, n_seeds=2))
    assert not core.learnt(race)[0]
    assert "harm" not in figures.attention(race, LIGHT).sentence


@pytest.mark.parametrize("seed", range(3))
def test_raw_fails_at_the_suggested_d_k_with_every_seed(seed):
    race = core.measure_training_race(core.TrainingRaceParams(figures._HARMS, n_seeds=2, seed=seed))
    assert core.race_outcome(race) == "harm"


def test_running_overflowing_and_trained_races_are_described(result):
    running = replace(with_right(result, 2, 32, 20), progress=0.5, step=20)
    said = figures.attention(running, LIGHT).sentence
    assert said == "Step 20 of 40 at dₖ = 16: raw gets few right, ÷ √dₖ all and ÷ dₖ most."
    elsewhere = figures.attention(running, LIGHT, elsewhere=True).sentence
    assert elsewhere == f"{said} The slider stands elsewhere."
    for gone, end in (((0,), "÷ √dₖ gets all right and ÷ dₖ most; raw has overflowed."),
                      ((0, 2), "÷ √dₖ gets all right; raw and ÷ dₖ have overflowed."),
                      ((0, 1, 2), "raw, ÷ √dₖ and ÷ dₖ have overflowed.")):  # fmt: skip
        maps = running.maps[-1].copy()
        maps[list(gone)] = np.nan
        lost = figures.attention(replace(running, maps=(*running.maps[:-1], maps)), LIGHT)
        assert lost.sentence == f"Step 20 of 40 at dₖ = 16: {end}"
    trained = replace(result, params=replace(result.params, train_values=True))
    losses = [number(each) for each in result.loss.mean[:2, -1]]
    assert figures.outcome(trained, "race").endswith(
        f"The loss is {losses[0]} without the scale and {losses[1]} with ÷ √dₖ."
    )


@pytest.mark.parametrize("n_keys", [2, 32])
@pytest.mark.parametrize("d_k", [1, 4, 64, 1024])
@pytest.mark.parametrize("init", [None, (0.25, 0.0, -0.25)])
def test_sentence_of_an_untrained_start_is_true_of_its_matrices(d_k, n_keys, init):
    start = core.measure_race_start(core.TrainingRaceParams(d_k, n_keys=n_keys, init_exponents=init))
    said = figures.attention(start, LIGHT).sentence
    weights = start.attention_weights
    raw, scaled = (
        "nearly all their weight" if share > 0.995 else f"{100 * share:.0f} %"
        for share in weights.max(axis=2).mean(axis=1)[:2]
    )
    wrong = ", usually a wrong one" if (weights[0].argmax(axis=1) == np.arange(n_keys)).mean() < 0.5 else ""
    if np.allclose(weights[0], weights[1]):
        every = "every training starts from the same attention"
        assert said == f"Untrained at dₖ = {d_k:,}, {every}: a row puts {raw} on one key{wrong}."
    else:
        assert (d_k > 1, init) == (True, None)
        assert said == f"Untrained at dₖ = {d_k:,}, raw rows put {raw} on one key{wrong}; divided by √dₖ, {scaled}."


@pytest.mark.parametrize("n_keys", [2, 64])
@pytest.mark.parametrize("d_k", [1, 4, 64, 1024])
@pytest.mark.parametrize("init", [None, (0.25, 0.0, -0.25)])
def test_sentence_of_a_start_says_how_long_training_takes(d_k, n_keys, init):
    start = core.measure_race_start(core.TrainingRaceParams(d_k, n_keys=n_keys, init_exponents=init))
    shown = figures.attention(start, LIGHT, takes="about 10 seconds")
    whole(shown)
    share = start.attention_weights[0].max(axis=1).mean()
    raw = "nearly all" if share > 0.995 else f"{100 * share:.0f} %"
    wrong = ", usually a wrong one" if start.right < 0.5 else ""
    said = f"all start alike: a row puts {raw} on one key" if start.same else f"raw rows put {raw} on one key{wrong}"
    assert shown.sentence == f"Untrained at dₖ = {d_k:,}, {said}. Train runs all three in about 10 seconds."


@pytest.mark.parametrize(
    ("right", "middle", "verdict"),
    [
        ((0.169, 1.0), 0.165, "Raw has not learnt; ÷ √dₖ has, by step 40. At step 20 the raw training was 16.5 % "
         "right, so the second half gained nothing."),
        ((0.4, 1.0), 0.3, "Raw has not learnt; ÷ √dₖ has, by step 40. At step 20 the raw training was 30.0 % "
         "right, so in the second half it was still learning."),
        ((1.0, 1.0), 0.5, "Raw has learnt by step 40, ÷ √dₖ by step 40."),
        ((1.0, 1.0), 1.0, "Raw has learnt by step 20, ÷ √dₖ by step 40."),
        ((0.2, 0.3), 0.1, "Neither raw nor ÷ √dₖ has learnt."),
        ((1.0, 0.3), 0.5, "Raw has learnt by step 40; ÷ √dₖ has not."),
    ],
)  # fmt: skip
def test_outcome_describes_the_race_in_the_picture(result, right, middle, verdict):
    mean = np.zeros_like(result.accuracy.mean)
    middle_at = list(result.steps).index(20)
    mean[:2, -1], mean[0, middle_at] = right, middle
    mean[0, middle_at + 1 : -1] = min(middle, right[0])
    curve = replace(result.accuracy, mean=mean, standard_error=np.zeros_like(mean))
    shown = replace(result, accuracy=curve)
    assert figures.outcome(shown, "own settings") == verdict
    harmless = min(right) >= 0.95
    for name, preset in core.PRESETS.items():
        reason = f" {preset.harmless}" if preset.harmless and harmless else ""
        assert figures.outcome(shown, name) == verdict + reason
    assert verdict in figures.attention(shown, LIGHT, preset="own settings").sure
    assert verdict not in figures.attention(replace(shown, progress=0.5), LIGHT).sure


def test_outcome_says_if_it_may_depend_on_the_seeds(result):
    mean, error = np.ones_like(result.accuracy.mean), np.zeros_like(result.accuracy.mean)
    mean[0, -1], error[0] = 0.962, 0.018
    shown = replace(result, accuracy=replace(result.accuracy, mean=mean, standard_error=error))
    said = "Other seeds may decide otherwise: raw has 96.2 % ± 1.8 % right, and 95 % count as learnt."
    assert figures.outcome(shown, "").endswith(said)
    error[0] = 0.005
    assert "seeds" not in figures.outcome(shown, "")


def test_outcome_names_both_steps_if_raw_learns_later():
    """At d_k = 20 raw learns with some seeds, but takes several times the steps of ÷ √dₖ."""
    for seed in (0, 1):
        race = core.measure_training_race(core.TrainingRaceParams(d_k=20, seed=seed))
        raw, root, _ = core.learnt_by(race)
        said = figures.outcome(race, "race")
        assert f"by step {root:,}" in said
        assert said.startswith("Raw has not learnt; " if raw is None else f"Raw has learnt by step {raw:,}, ")
        assert "harm" not in said
        assert ("Other seeds may decide otherwise" in said) == any(core.in_doubt(race)[:2])


def test_maps_have_their_own_colours_and_the_same_range(result):
    for shown in (result, core.measure_race_start(PARAMS)):
        fig = plotted(figures.attention(shown, LIGHT))
        for i, (name, colour) in enumerate(zip(NAMES, (LIGHT.raw, LIGHT.scaled, LIGHT.third, LIGHT.band), strict=True)):
            (trace,) = traces_of(fig, name)
            np.testing.assert_array_equal(trace.z, shown.attention_weights[i])
            assert (trace.zmin, trace.zmax, trace.showscale) == (0, 1, False)
            assert trace.colorscale[-1] == (1, colour)
            axes = fig.layout[trace.yaxis.replace("y", "yaxis")]
            assert axes.scaleanchor == trace.xaxis  # makes cells square


def test_right_queries_are_marked_and_counted_by_the_race_curve(result):
    for step in (0, 20, 40):
        shown = core.race_at(result, step)
        fig = plotted(figures.attention(shown, LIGHT))
        for i, name in enumerate(NAMES):
            right = shown.attention_weights[i].argmax(axis=1) == np.arange(PARAMS.n_keys)
            (marks,), (race,), (now,) = (traces_of(fig, f"{name}, {of}") for of in ("right queries", "race", "now"))
            assert list(marks.y) == (np.flatnonzero(right) + 1).tolist()
            assert list(race.x) == shown.steps.tolist()
            counts = [(each[i].argmax(axis=1) == np.arange(PARAMS.n_keys)).sum() for each in shown.maps]
            assert list(race.y) == counts
            assert (now.x[0], now.y[0]) == (shown.step, right.sum())
    spans = {tuple(fig.layout[f"xaxis{at}"].range) for at in range(5, 9)}
    assert len(spans) == 1
    wall = plotted(figures.attention(result, PROJECTOR))
    assert traces_of(wall, "raw, race") == []


def test_cells_of_the_right_keys_are_outlined(result):
    fig = plotted(figures.attention(result, LIGHT))
    for trace in (traces_of(fig, f"{name}, right keys")[0] for name in NAMES):
        corners = set(zip(trace.x, trace.y, strict=True))
        cells = [{(x + a, x + b) for a in (-0.5, 0.5) for b in (-0.5, 0.5)} for x in range(1, PARAMS.n_keys + 1)]
        assert corners == set().union(*cells)
        for (x0, y0), (x1, y1) in pairwise(zip(trace.x, trace.y, strict=True)):  # along cells' edges
            assert sorted((abs(x1 - x0), abs(y1 - y0))) == [0, 1] or (x0, y0) == (x1, y1)


def test_equal_weights_are_visible_on_light_and_dark_backgrounds():
    for profile, name in product((LIGHT, DARK, PROJECTOR), ("raw", "scaled", "third")):
        scale = figures._shades(profile, getattr(profile, name))
        places, shades = zip(*scale, strict=True)
        even = np.interp(1 / 32, places, range(len(places)))
        assert contrast(shades[math.ceil(even)], profile.ground) > 1.2  # a linear scale would give 1.04
        if profile is PROJECTOR:
            assert contrast(*map(in_the_light, (shades[math.floor(even)], profile.ground))) > 1.3
        light = [luminance(each) for each in shades]
        assert light == sorted(light, reverse=profile is not DARK)


def test_heading_of_each_map_counts_its_right_rows(result):
    shown = with_right(result, 1, 4, 3, n_keys=4)
    notes = plotted(figures.attention(shown, LIGHT)).layout.annotations
    said = [re.sub("<[^>]*>", "", note.text) for note in notes]
    assert said[:9] == ["raw", "1", "of 4 right", "÷ √dₖ", "4", "of 4 right", "÷ dₖ", "3", "of 4 right"]
    maps = shown.maps[-1].copy()
    maps[0] = np.nan
    notes = plotted(figures.attention(replace(shown, maps=(*shown.maps[:-1], maps)), LIGHT)).layout.annotations
    assert [note.text for note in notes[1:3]] == ["<b>–</b>", "overflowed"]
    three = core.measure_race_start(core.TrainingRaceParams(n_keys=4))
    notes = plotted(figures.attention(three, PROJECTOR)).layout.annotations
    assert [re.sub("<[^>]*>", "", note.text) for note in notes[1::2]] == [f"{round(4 * three.right)} of 4 right"] * 3


def test_bars_show_the_counts_after_the_last_step_on_shared_axes(sweep):
    fig = plotted(figures.rates(sweep, LIGHT))
    layout = fig.layout.to_plotly_json()
    colours = (LIGHT.raw, LIGHT.scaled, LIGHT.third, LIGHT.band)
    for i, (trace, name) in enumerate(zip(fig.data, NAMES, strict=True)):
        assert (trace.type, trace.name) == ("bar", name)
        np.testing.assert_allclose(trace.y, sweep.accuracy[i, :, -1] * PARAMS.n_keys)
        learnt = sweep.accuracy[i, :, -1] >= 0.95
        assert trace.marker.color == colours[i]
        assert [shade == 1 for shade in trace.marker.opacity] == learnt.tolist()
        said = re.sub("<[^>]*>", "", fig.layout.annotations[i].text)
        assert said == f"{name} learns at {learnt.sum()} of 11 rates"
        axis = layout["yaxis" if i == 0 else f"yaxis{i + 1}"]
        assert (axis["range"], axis["ticktext"]) == (layout["yaxis"]["range"], ["0", "4 right"])
    rates = dict(zip(layout["xaxis"]["ticktext"], layout["xaxis"]["tickvals"], strict=True))
    assert all(abs(np.log10(sweep.rates[at] / float(text))) < 1e-12 for text, at in rates.items())


def test_threshold_line_has_one_label_and_separates_pale_bars(sweep):
    fig = plotted(figures.rates(sweep, LIGHT))
    assert sum("learnt" in text for text in texts(fig)) == 1
    for trace, line in zip(fig.data, fig.layout.shapes, strict=True):
        assert (line.y0, line.y1, line.yref) == (0.95 * 4, 0.95 * 4, trace.yaxis)
        for height, shade in zip(trace.y, trace.marker.opacity, strict=True):
            assert (shade == 1) == (height > line.y0)


def test_sentence_of_the_rates_counts_the_rates_that_learn(sweep):
    accuracy = np.zeros_like(sweep.accuracy)
    accuracy[1, 3:6, -1], accuracy[1, 4, 1] = 0.95, 1.0
    shown = replace(sweep, accuracy=accuracy, solved=accuracy >= 0.95)
    assert figures.rates(shown, LIGHT).sentence == "At dₖ = 16, ÷ √dₖ learns at three rates, ÷ dₖ at none, raw at none."
    said = sure_of(shown)
    assert "learnt by step 40: raw 0, ÷\u00a0√dₖ 3 (the first by step 30), ÷\u00a0dₖ 0, " in said
    assert said.count("the edge of those tried") == sweep.best_at_edge.sum()
    accuracy[:, 5:] = np.nan
    some = replace(shown, accuracy=accuracy)
    assert sure_of(some).startswith("At dₖ = 16, 5 of 11 learning rates so far, ")
    accuracy[:] = np.nan
    assert "Smallest" not in sure_of(replace(shown, accuracy=accuracy))


@pytest.mark.parametrize(("n_keys", "least"), [(2, 2), (20, 19), (32, 31), (64, 61)])
def test_threshold_label_gives_the_smallest_count_called_learnt(sweep, n_keys, least):
    shown = replace(sweep, params=replace(sweep.params, n_keys=n_keys))
    assert f"<b>learnt:</b><br>{least} right by<br>step 40" in texts(plotted(figures.rates(shown, LIGHT)))
    assert least / n_keys >= core.SOLVED_ACCURACY > (least - 1) / n_keys


def test_bars_before_the_sweep_are_as_high_as_the_untrained_start(sweep):
    begun = next(core.sweep_frames(PARAMS))
    start = core.measure_race_start(PARAMS)
    shown = figures.rates_start(begun, start.right, "about 12 seconds", LIGHT)
    whole(shown)
    said = f"a bar has {figures._so_many(start.right * 4, 4)} of the queries right"
    assert shown.sentence == f"Untrained at dₖ = 16, {said}. Compute trains each in turn, about 12 seconds."
    fig = plotted(shown)
    for trace in fig.data:
        assert set(trace.y) == {start.right * 4}
        assert max(trace.marker.opacity) < 1
    assert [re.sub("<[^>]*>", "", text).strip() for text in texts(fig)[: len(NAMES)]] == NAMES
    layout, finished = fig.layout, plotted(figures.rates(sweep, LIGHT)).layout
    assert (layout.yaxis, layout.xaxis) == (finished.yaxis, finished.xaxis)


def test_sentence_says_if_hardly_any_rate_learns_with_any_scale(sweep):
    solved = np.zeros_like(sweep.solved)
    few, some = (
        "hardly any rate puts 4 of 4 right, whichever divides",
        "÷ √dₖ learns at two rates, ÷ dₖ at none, raw at none",
    )
    for rates, works in ((0, few), (1, few), (2, some)):
        solved[1, :rates] = True
        shown = replace(sweep, solved=solved.copy())
        assert figures.rates(shown, LIGHT).sentence == f"At dₖ = 16, {works}."


def sure_of(sweep):
    return " ".join(figures.rates(sweep, LIGHT).sure)


def test_rates_that_diverge_have_a_cross_and_are_named(sweep):
    diverged = np.zeros(sweep.loss.shape, bool)
    diverged[0, -2:, 1:] = True
    shown = replace(sweep, diverged=diverged)
    first, second, *_ = plotted(figures.rates(shown, LIGHT)).data
    assert [each == "×" for each in first.text] == diverged[0, :, -1].tolist()
    assert not any(second.text)
    assert sure_of(shown).endswith("(beyond ten times the loss of the start): raw at 30 and 100.")
    assert figures.rates(shown, LIGHT).sentence.endswith(" A cross marks a training that diverged.")
    none = replace(sweep, diverged=diverged & False)
    assert "iverged" not in sure_of(none) + figures.rates(none, LIGHT).sentence


def test_table_of_twin_trainings_has_the_measured_values(pairs):
    table = figures.twin_table(pairs)
    sgd, adam = "Gradient descent, rate", f"Adam, rate {number(pairs[2].learning_rate, 1)}"
    assert table["optimizer"] == [f"{sgd} 0.01", f"{sgd} 1", adam, adam]
    assert table["rate with ÷ √dₖ"] == ["× √dₖ", "× √dₖ", "× ⁴√dₖ", "× √dₖ (the wrong power)"]
    assert (
        table["the two losses"][2] == f"at most {number(pairs[2].largest_difference, 2)} apart, relative to their size"
    )
    assert figures.twin_line(pairs).startswith("5 steps at dₖ = 24 without the scale, beside 5 with ÷ √dₖ ")
    for changes, said in (
        ({"largest_difference": 0.0, "parted": None}, "exactly equal"),
        ({"parted": 7}, "more than 1 % apart from step 7 on"),
    ):
        assert figures.twin_table([replace(pairs[0], **changes)])["the two losses"] == [said]


def test_dose_table_has_a_row_for_every_d_k():
    first, *_, last = core.dose_frames((4, 8), optimizers=("sgd",), n_steps=3, n_seeds=1)
    table = figures.dose_table(last)
    assert table["dₖ"] == ["4", "8"]
    assert table["raw: right"] == [f"{100 * row.accuracy[0]:.0f} %" for row in last.rows]
    assert table["raw: rates that solve it"] == ["0 of 11", "0 of 11"]
    assert figures.dose_claim(first) == "Which learning rates work at which dₖ?"
    for solved, claim in (((2, 9, 0), "Fewer"), ((2, 1, 0), "More"), ((0, 0, 0), "As many")):
        other = replace(last, rows=tuple(replace(row, n_solved=solved) for row in last.rows))
        assert figures.dose_claim(other).startswith(f"{claim} learning rates work")
    solved = replace(last, rows=tuple(replace(row, n_solved=(2, 3 + row.d_k, 0)) for row in last.rows))
    assert figures.dose_lines(solved, "")[0][1].endswith("with ÷ √dₖ goes from 7 to 11.")


def printed(code):
    """Run code and return its printed lines as Python values."""
    _, lines = run(code)
    return [eval(each, {"nan": np.nan, "inf": np.inf}) for each in lines.splitlines()]


def maps_of(picture):
    return [trace.z.tolist() for trace in plotted(picture).data if trace.type == "heatmap"]


def test_code_prints_the_plotted_numbers(result, sweep):
    attention, rates = figures.attention(result, LIGHT), figures.rates(sweep, LIGHT)
    assert printed(attention.code) == [maps_of(attention)]
    start = figures.attention(core.measure_race_start(PARAMS), LIGHT)
    assert printed(start.code) == [maps_of(start)]
    tried, steps, accuracy, _ = printed(rates.code)
    heights = [np.array(trace.y) / PARAMS.n_keys for trace in plotted(rates).data]
    np.testing.assert_allclose(heights, np.array(accuracy)[:, :, -1])
    assert (tried, steps) == (sweep.rates, sweep.steps)
    stopped = list(core.race_frames(PARAMS))[3]
    part = figures.attention(stopped, LIGHT)
    assert printed(part.code) == [maps_of(part)]
