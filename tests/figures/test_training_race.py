"""Pictures of the training_race lesson: their data are the result's, their words are its numbers."""

from dataclasses import replace

import numpy as np
import pytest

from pages._view.lessons.training_race import figures
from pages._view.lessons.training_race.declaration import LESSON
from pages._view.theme import LIGHT, number
from sattn_core.lessons.training_race import (
    PRESETS,
    QUANTITIES,
    TrainingRaceParams,
    dose_frames,
    measure_equivalence,
    measure_training_race,
    race_frames,
    sweep_learning_rates,
)
from tests.figures.drawing import PROFILES, check, run, traces_of

PARAMS = TrainingRaceParams(d_k=16, exponents=(0.0, 0.5, 1.0, 0.25), n_keys=4, n_steps=40, n_seeds=2)
NAMES = ["raw", "÷ √d_k", "÷ d_k", "÷ d_k^0.25"]


@pytest.fixture(scope="module")
def result():
    return measure_training_race(PARAMS)


@pytest.fixture(scope="module")
def sweep():
    return sweep_learning_rates(PARAMS)


@pytest.fixture(scope="module")
def pairs():
    return [
        measure_equivalence(24, n_steps=5, n_seeds=1, **each)
        for each in ({}, {"learning_rate": 1.0}, {"optimizer": "adam"}, {"optimizer": "adam", "power": 0.5})
    ]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_picture_is_whole(result, sweep, pairs, profile):
    shown = [picture for row in figures.pictures(result, sweep, profile) for picture in row]
    shown.append(figures.equivalence(pairs, profile))
    for picture in shown:
        check(picture)
    assert tuple(picture.key for picture in shown) == LESSON.pictures


@pytest.mark.parametrize("profile", PROFILES)
def test_every_quantity_of_every_run_is_a_line_in_its_band(result, profile):
    left, right = figures.learning(result, profile).figure, figures.state(result, profile).figure
    shown = {"loss": left, "median_row_gradient": left, "accuracy": right, "entropy_nats": right}
    panels = {"loss": 0, "median_row_gradient": 1, "accuracy": 0, "entropy_nats": 1, "gradient_norm": 2}
    for quantity, fig in (shown | {"gradient_norm": right}).items():
        curve = getattr(result, quantity)
        for i, name in enumerate(NAMES):
            trace = traces_of(fig, name)[panels[quantity]]
            np.testing.assert_array_equal(trace.x, result.steps)
            np.testing.assert_array_equal(trace.y, curve.mean[i])
            lowest = traces_of(fig, f"{name}, smallest seed")[panels[quantity]]
            np.testing.assert_array_equal(lowest.y, curve.low[i])
            assert lowest.fill == "tonexty"
        assert tuple(fig.layout.xaxis.range) == (0, PARAMS.n_steps)  # the same while the race runs
    assert left.layout.shapes[0].y0 == result.uniform_loss == 0.375
    colours = [traces_of(left, name)[0].line.color for name in NAMES]
    assert colours == [profile.raw, profile.scaled, profile.third, profile.band]


def test_names_beside_the_ends_do_not_cover_each_other(result):
    left, right = figures.learning(result, LIGHT).figure, figures.state(result, LIGHT).figure
    for fig, panels, gap in ((left, 2, 0.15), (right, 3, 0.24)):
        for panel in range(panels):
            at = f"y{panel + 1 if panel else ''} domain"
            ends = sorted(note.y for note in fig.layout.annotations if note.yref == at and note.x == 1.01)
            assert len(ends) == len(NAMES) + (panels == 2 and panel == 0)  # and uniform attention beside its line
            assert min(np.diff(ends)) >= gap - 1e-9
            assert ends[0] > 0


def test_no_name_stands_over_a_curve(result, sweep):
    for row in figures.pictures(result, sweep, LIGHT):
        for picture in row:
            for note in picture.figure.layout.annotations:
                assert note.y >= 1 or note.x > 1, note.text  # above its panel or beside it
                assert note.yref.endswith("domain")


def test_the_sentences_have_the_numbers_of_the_moment(result):
    said = figures.learning(result, LIGHT).sentence
    assert said.startswith("Step 40 of 40 at d_k = 16, mean of 2 seeds ± standard error. Loss: raw ")
    assert f"÷\u00a0√d_k {number(result.loss.mean[1, -1])} ± {number(result.loss.standard_error[1, -1], 1)}, " in said
    assert "; uniform attention 0.375. Median row's gradient: raw " in said
    said = figures.state(result, LIGHT).sentence
    assert f"is {number(result.first_gradient_ratio)} times that with 1/√d_k" in said
    assert ", at most 1.39. " in said
    assert f"÷\u00a0d_k {100 * result.accuracy.mean[2, -1]:.1f} %" in said
    diverged = replace(result, diverged=np.array([True, False, False, False]))
    assert "the numbers of a run overflowed" in figures.learning(diverged, LIGHT).sentence


@pytest.mark.parametrize(
    ("right", "middle", "verdict"),
    [
        (
            (0.169, 1.0),
            0.165,
            "does harm here. At step 20 it was 16.5 %, so the second half gained nothing.",
        ),
        ((0.4, 1.0), 0.3, "does harm here. At step 20 it was 30.0 %, so in the second half it was still rising."),
        ((1.0, 1.0), 0.5, "leaving the scale out does no harm here."),
        ((0.2, 0.3), 0.1, "neither learns them all."),
        ((1.0, 0.3), 0.5, "here it is 1/√d_k that lags."),
    ],
)
def test_the_outcome_is_that_of_the_race_shown(result, right, middle, verdict):
    mean = result.accuracy.mean.copy()
    mean[:2, -1], mean[0, list(result.steps).index(20)] = right, middle
    shown = replace(result, accuracy=replace(result.accuracy, mean=mean))
    numbers = f"without the scale {100 * right[0]:.1f} % of the answers are right, with 1/√d_k {100 * right[1]:.1f} %"
    plain = figures.outcome(shown, "own settings")
    assert plain.startswith(f"At d_k = 16 and after 40 steps {numbers}: ")
    assert plain.endswith(verdict)
    for name, preset in PRESETS.items():
        reason = f" {preset.harmless}" if preset.harmless and "no harm" in verdict else ""
        assert figures.outcome(shown, name) == plain + reason


def test_where_values_are_trained_the_loss_is_said_too(result):
    trained = replace(result, params=replace(result.params, train_values=True))
    losses = [number(each) for each in result.loss.mean[:2, -1]]
    assert figures.outcome(trained, "race").endswith(
        f"The loss is {losses[0]} without the scale, with 1/√d_k {losses[1]}."
    )


def test_attention_is_shown_on_one_colour_domain(result):
    fig = figures.attention(result, LIGHT).figure
    for i, (trace, name) in enumerate(zip(fig.data, NAMES, strict=True)):
        np.testing.assert_array_equal(trace.z, result.attention_weights[i])
        assert (trace.name, trace.zmin, trace.zmax) == (name, -1, 1)
    mean = 100 * np.diagonal(result.attention_weights[0]).mean()
    assert f": raw {mean:.1f} %, ÷\u00a0√d_k" in figures.attention(result, LIGHT).sentence


@pytest.mark.parametrize("profile", PROFILES)
def test_the_maps_hold_the_sweep_on_shared_axes_and_one_colour_domain(sweep, profile):
    fig = figures.rates(sweep, profile).figure
    layout = fig.layout.to_plotly_json()
    for i, (trace, name) in enumerate(zip(fig.data, NAMES, strict=True)):
        assert trace.name == name
        np.testing.assert_array_equal(trace.z[::-1], sweep.accuracy[i].T)  # the last step on top, as its axis says
        assert (trace.zmin, trace.zmax) == (0, 1)
        assert trace.colorscale == fig.data[0].colorscale
        at = layout[f"yaxis{i + 1 if i else ''}"]
        assert (at["range"], at["title"]["text"]) == ([len(sweep.steps) - 0.5, -0.5], "step")
        shown = {
            text: sweep.steps[len(sweep.steps) - 1 - row]
            for row, text in zip(at["tickvals"], at["ticktext"], strict=True)
        }
        assert shown == {"10": 10, "40": 40}
    rates = dict(zip(layout["xaxis"]["ticktext"], layout["xaxis"]["tickvals"], strict=True))
    assert rates == {"0.001": 0, "0.01": 2, "0.1": 4, "1": 6, "10": 8, "100": 10}
    assert all(abs(np.log10(sweep.rates[at] / float(text))) < 1e-12 for text, at in rates.items())
    assert layout["xaxis"]["title"]["text"] == "learning rate"


def test_solved_is_where_the_colour_jumps(sweep):
    scale = figures.rates(sweep, LIGHT).figure.data[0].colorscale
    assert [share for share, _ in scale] == [0, 0.95, 0.95, 1]
    assert scale[2][1] == scale[3][1] != scale[1][1]


def test_the_sentence_of_the_map_counts_what_was_run(sweep):
    accuracy = np.zeros_like(sweep.accuracy)
    accuracy[1, 3:6, -1], accuracy[1, 4, 1] = 0.95, 1.0
    shown = replace(sweep, accuracy=accuracy, solved=accuracy >= 0.95)
    said = figures.rates(shown, LIGHT).sentence
    assert said.startswith(
        "At d_k = 16, all 11 learning rates. Dark cells are solved: at least 95 % right, mean of 2 seeds."
    )
    assert "solved it by step 40: raw 0, ÷\u00a0√d_k 3 (the first by step 20), ÷\u00a0d_k 0, " in said
    assert said.count("the edge of those tried") == sweep.best_at_edge.sum()
    accuracy[:, 5:] = np.nan
    said = figures.rates(replace(shown, accuracy=accuracy), LIGHT).sentence
    assert said.startswith("At d_k = 16, 5 of 11 learning rates so far.")
    accuracy[:] = np.nan
    assert "Smallest" not in figures.rates(replace(shown, accuracy=accuracy), LIGHT).sentence


def test_a_diverged_rate_is_a_cross_and_is_said_to_be_one(sweep):
    diverged = np.zeros(sweep.loss.shape, bool)
    diverged[0, -2:, 1:] = True
    shown = replace(sweep, diverged=diverged)
    first, second, *_ = figures.rates(shown, LIGHT).figure.data
    crosses = np.array(first.text)[::-1] == "×"
    np.testing.assert_array_equal(crosses, diverged[0].T)
    assert not any("×" in row for row in second.text)
    said = figures.rates(shown, LIGHT).sentence
    assert said.endswith("(beyond ten times the loss of the start): without the scale at 30 and 100.")
    assert "iverged" not in figures.rates(replace(sweep, diverged=diverged & False), LIGHT).sentence


def test_the_equivalence_shows_every_pair_and_says_only_what_it_measured(pairs):
    fig = figures.equivalence(pairs, LIGHT).figure
    names = ["SGD 0.01, × √d_k", "SGD 1, × √d_k", "Adam, × d_k^¼", "Adam, × √d_k"]
    assert [trace.name for trace in fig.data] == names
    assert {note.text for note in fig.layout.annotations} == {f"<b>{name}</b>" for name in names}
    for trace, found in zip(fig.data, pairs, strict=True):
        np.testing.assert_array_equal(trace.y, np.maximum(found.relative_difference, 1e-17))
    said = figures.equivalence(pairs, LIGHT).sentence
    apart = number(pairs[2].largest_difference, 2)
    assert f"; Adam, × d_k^¼: at most {apart} apart, relative to their size; " in said
    assert said.endswith("; Adam, × √d_k (the wrong power): more than 1 % apart from step 1 on.")
    exact = replace(pairs[0], largest_difference=0.0)
    assert "SGD 0.01, × √d_k: equal to the last digit; " in figures.equivalence([exact, *pairs[1:]], LIGHT).sentence
    parted = replace(pairs[0], parted=7)
    said = figures.equivalence([parted, *pairs[1:]], LIGHT).sentence
    assert "SGD 0.01, × √d_k: more than 1 % apart from step 7 on; " in said
    table = figures.equivalence(pairs, LIGHT).table
    assert table["Adam, × √d_k: relative difference"] == pairs[3].relative_difference.tolist()


def test_the_dose_table_has_a_line_for_every_dimension():
    first, *_, last = dose_frames((4, 8), optimizers=("sgd",), n_steps=3, n_seeds=1)
    assert figures.dose_lines(first, "Now.") == [("**When and how**", "Now.")]
    table = figures.dose_table(last)
    assert table["d_k"] == ["4", "8"]
    assert table["raw: right"] == [f"{100 * row.accuracy[0]:.0f} %" for row in last.rows]
    assert table["raw: rates that solve it"] == ["0 of 11", "0 of 11"]
    said = figures.dose_lines(last, "")[0][1]
    assert said.startswith(
        "Gradient descent, 3 steps, 11 learning rates. Without the scale none of the rates solves it at "
    )
    assert f"d_k = 4 and 8; at its best rate {table['raw: right'][0]} are right" in said
    solved = replace(last, rows=tuple(replace(row, n_solved=(2, 3 + row.d_k, 0)) for row in last.rows))
    said = figures.dose_lines(solved, "")[0][1]
    assert "some rate solves it everywhere" in said
    assert said.endswith("with 1/√d_k goes from 7 to 11.")


def test_the_tables_hold_every_checkpoint(result):
    table = figures.learning(result, LIGHT).table
    assert len(table) == 1 + 2 * len(NAMES) * len(QUANTITIES)
    assert table["÷ √d_k: loss"] == result.loss.mean[1].tolist()


def printed(code):
    """What a piece of code prints, line by line, as numbers."""
    _, lines = run(code)
    return [eval(each, {"nan": np.nan, "inf": np.inf}) for each in lines.splitlines()]


def drawn(fig, *names):
    """The y of every trace of these names."""
    return [list(trace.y) for name in names for trace in traces_of(fig, name)]


def test_the_code_beside_a_picture_prints_the_numbers_plotted_in_it(result, sweep, pairs):
    (rates,), beside, (attention,) = figures.pictures(result, sweep, LIGHT)
    for picture in beside:
        lines = printed(picture.code)
        assert lines[0] == result.steps.tolist()
        rows = [row for line in lines[1:] for row in line]
        bands = (f"{name}, {edge} seed" for name in NAMES for edge in ("smallest", "largest"))
        assert all(curve in rows for curve in drawn(picture.figure, *NAMES, *bands))
    shown = [trace.z.tolist() for trace in attention.figure.data]
    assert printed(attention.code) == [shown]
    tried, steps, accuracy, _ = printed(rates.code)
    np.testing.assert_array_equal([np.array(trace.z)[::-1].T for trace in rates.figure.data], accuracy)
    assert (tried, steps) == (sweep.rates, sweep.steps)
    assert printed(figures.equivalence(pairs, LIGHT).code) == [found.relative_difference.tolist() for found in pairs]


def test_the_code_of_a_race_that_was_stopped_stops_where_it_did():
    stopped = list(race_frames(PARAMS))[3]
    steps, loss, *_ = printed(figures.learning(stopped, LIGHT).code)
    assert (steps, loss) == (stopped.steps.tolist(), stopped.loss.mean.tolist())


def test_the_pictures_stand_in_rows_and_the_map_comes_first(result, sweep):
    rows = figures.pictures(result, sweep, LIGHT)
    keys = [[each.key for each in row] for row in rows]
    assert keys == [["race_rates"], ["race_learning", "race_state"], ["race_attention"]]
