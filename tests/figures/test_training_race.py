"""Pictures of the training_race lesson: their data are the result's, their words are its numbers."""

import contextlib
import io
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from pages._view.figures import passing
from pages._view.figures import training_race as figures
from pages._view.theme import DARK, LIGHT, PROJECTOR, number
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

PROFILES = [pytest.param(each, id=name) for name, each in (("light", LIGHT), ("dark", DARK), ("projector", PROJECTOR))]
PARAMS = TrainingRaceParams(d_k=16, exponents=(0.0, 0.5, 1.0, 0.25), n_keys=4, n_steps=40, n_seeds=2)
NAMES = ["raw", "÷ √d_k", "÷ d_k", "÷ d_k^0.25"]


@pytest.fixture(scope="module")
def result():
    return measure_training_race(PARAMS)


@pytest.fixture(scope="module")
def sweep():
    return sweep_learning_rates(PARAMS)


def traces_of(fig, name):
    return [trace for trace in fig.data if trace.name == name]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_quantity_of_every_run_is_a_line_in_its_band(result, profile):
    left, right = figures.learning(result, profile), figures.state(result, profile)
    shown = {"loss": left, "median_row_gradient": left, "accuracy": right, "entropy_nats": right}
    panels = {"loss": 0, "median_row_gradient": 1, "accuracy": 0, "entropy_nats": 1, "gradient_norm": 2}
    for quantity, fig in (shown | {"gradient_norm": right}).items():
        go.Figure(fig.to_dict())  # Plotly validates every property
        curve = getattr(result, quantity)
        for run, name in enumerate(NAMES):
            trace = traces_of(fig, name)[panels[quantity]]
            np.testing.assert_array_equal(trace.x, result.steps)
            np.testing.assert_array_equal(trace.y, curve.mean[run])
            lowest = traces_of(fig, f"{name}, smallest seed")[panels[quantity]]
            np.testing.assert_array_equal(lowest.y, curve.low[run])
            assert lowest.fill == "tonexty"
        assert tuple(fig.layout.xaxis.range) == (0, PARAMS.n_steps)  # the same while the race runs
    assert left.layout.shapes[0].y0 == result.uniform_loss == 0.375
    colours = [traces_of(left, name)[0].line.color for name in NAMES]
    assert colours == [profile.raw, profile.scaled, profile.third, profile.band]


def test_names_beside_the_ends_do_not_cover_each_other(result):
    for fig, panels, gap in ((figures.learning(result, LIGHT), 2, 0.15), (figures.state(result, LIGHT), 3, 0.24)):
        for panel in range(panels):
            at = f"y{panel + 1 if panel else ''} domain"
            ends = sorted(note.y for note in fig.layout.annotations if note.yref == at and note.x == 1.01)
            assert len(ends) == len(NAMES)
            assert min(np.diff(ends)) >= gap - 1e-9


def test_the_sentences_have_the_numbers_of_the_moment(result):
    said = figures.learning_sentence(result)
    assert said.startswith("Step 40 of 40 at d_k = 16, mean of 2 seeds ± standard error. Loss: raw ")
    assert f"÷\u00a0√d_k {number(result.loss.mean[1, -1])} ± {number(result.loss.standard_error[1, -1], 1)}, " in said
    assert "; uniform attention 0.375. Median row's gradient: raw " in said
    said = figures.state_sentence(result)
    assert f"is {number(result.first_gradient_ratio)} times that with 1/√d_k" in said
    assert ", at most 1.39. " in said
    assert f"÷\u00a0d_k {100 * result.accuracy.mean[2, -1]:.1f} %" in said
    diverged = replace(result, diverged=np.array([True, False, False, False]))
    assert "left the range of numbers" in figures.learning_sentence(diverged)


@pytest.mark.parametrize(
    ("right", "verdict", "reason"),
    [
        ((0.169, 1.0), "leaving the scale out does harm here.", PRESETS["race"].because["harm"]),
        ((1.0, 1.0), "leaving the scale out does no harm here.", PRESETS["fresh_data"].because["harmless"]),
        ((0.2, 0.3), "neither learns them all.", None),
        ((1.0, 0.3), "here it is 1/√d_k that lags.", None),
    ],
)
def test_the_outcome_is_that_of_the_race_shown(result, right, verdict, reason):
    mean = result.accuracy.mean.copy()
    mean[:2, -1] = right
    shown = replace(result, accuracy=replace(result.accuracy, mean=mean))
    said = {name: figures.outcome(shown, name) for name in (*PRESETS, "own settings")}
    numbers = f"without the scale {100 * right[0]:.1f} % of the answers are right, with 1/√d_k {100 * right[1]:.1f} %"
    assert said["own settings"] == f"At d_k = 16 {numbers}: {verdict}"
    reasons = {text.removeprefix(said["own settings"]).strip() for text in said.values()}
    assert reason is None or reason in reasons
    assert (reasons == {""}) == (reason is None)


def test_attention_is_shown_on_one_colour_domain(result):
    fig = figures.attention(result, LIGHT)
    go.Figure(fig.to_dict())
    for run, (trace, name) in enumerate(zip(fig.data, NAMES, strict=True)):
        np.testing.assert_array_equal(trace.z, result.attention_weights[run])
        assert (trace.name, trace.zmin, trace.zmax) == (name, -1, 1)
    mean = 100 * np.diagonal(result.attention_weights[0]).mean()
    assert f": raw {mean:.1f} %, ÷\u00a0√d_k" in figures.attention_sentence(result)


def test_the_sweep_marks_the_best_rate_of_every_run(sweep):
    fig = figures.rates(sweep, LIGHT)
    go.Figure(fig.to_dict())
    for run, name in enumerate(NAMES):
        kept = np.where(sweep.diverged[run], np.nan, sweep.loss[run])
        np.testing.assert_array_equal(traces_of(fig, name)[0].y, kept)
        (best,) = traces_of(fig, f"{name}, best")
        assert (best.x[0], best.y[0]) == (sweep.best_rates[run], sweep.best_loss[run])
    said = figures.rates_sentence(replace(sweep, progress=0.5))
    assert said.endswith("So far 50 % of the steps.")
    assert "So far" not in figures.rates_sentence(sweep)
    assert said.count("the edge of those tried") == sweep.best_at_edge.sum()


def test_a_diverged_rate_is_a_cross_at_the_top_and_is_said_to_be_one(sweep):
    loss, diverged = np.full(sweep.loss.shape, 0.5), np.zeros(sweep.loss.shape, bool)
    loss[0, -2:], diverged[0, -2:] = (5e302, np.nan), True
    fig = figures.rates(replace(sweep, loss=loss, diverged=diverged), LIGHT)
    go.Figure(fig.to_dict())
    assert tuple(fig.layout.yaxis.range) == (0, 1.2)
    (lost,) = traces_of(fig, "raw, diverged")
    assert tuple(lost.x) == sweep.rates[-2:] == (10.0, 100.0)
    assert (lost.y < 1.2).all()
    assert np.isnan(traces_of(fig, "raw")[0].y[-2:]).all()
    said = figures.rates_sentence(replace(sweep, loss=loss, diverged=diverged))
    assert "(beyond ten times the loss of the start): without the scale at 10, 100. Seeds" in said
    diverged[:] = False
    assert "iverged" not in figures.rates_sentence(replace(sweep, diverged=diverged))


def test_the_equivalence_is_said_to_hold_only_where_it_does():
    found = measure_equivalence(n_steps=5, n_seeds=1)
    go.Figure(figures.equivalence(found, LIGHT).to_dict())
    assert figures.equivalence_sentence(found).endswith(", below 10⁻⁹.")
    assert figures.equivalence_sentence(replace(found, largest_difference=1e-8)).endswith("not below 10⁻⁹.")
    assert figures.equivalence_table(found)["relative difference"] == found.relative_difference.tolist()


def test_the_dose_table_has_a_line_for_every_dimension():
    first, *_, last = dose_frames((4, 8), optimizers=("sgd",), n_steps=3, n_seeds=1)
    assert figures.dose_lines(first, "Now.") == [("**When and how**", "Now.")]
    table = figures.dose_table(last)
    assert table["d_k"] == ["4", "8"]
    assert table["raw: loss"] == [number(row.loss[0]) for row in last.rows]
    assert f"{100 * last.rows[1].accuracy[0]:.0f} % at d_k = 8" in figures.dose_lines(last, "")[0][1]


def test_the_tables_hold_every_checkpoint(result):
    table = figures.curves_table(result)
    assert len(table) == 1 + 2 * len(NAMES) * len(QUANTITIES)
    assert table["÷ √d_k: loss"] == result.loss.mean[1].tolist()


def printed(code):
    """What a piece of code prints, line by line, as numbers."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, {})
    return [eval(each, {"nan": np.nan, "inf": np.inf}) for each in out.getvalue().splitlines()]


def drawn(fig, *names):
    """The y of every trace of these names."""
    return [list(trace.y) for name in names for trace in traces_of(fig, name)]


def test_the_code_beside_a_picture_prints_the_numbers_plotted_in_it(result, sweep):
    beside, below = figures.pictures(result, sweep, LIGHT)
    for picture in beside:
        lines = printed(picture["code"])
        assert lines[0] == result.steps.tolist()
        rows = [row for line in lines[1:] for row in line]
        bands = (f"{name}, {edge} seed" for name in NAMES for edge in ("smallest", "largest"))
        assert all(curve in rows for curve in drawn(picture["fig"], *NAMES, *bands))
    rates, attention = below
    shown = [trace.z.tolist() for trace in attention["fig"].data]
    assert printed(attention["code"]) == [shown]
    tried, loss, diverged = printed(rates["code"])
    kept = np.where(diverged, np.nan, loss)
    np.testing.assert_array_equal(kept, drawn(rates["fig"], *NAMES))
    assert tried == sweep.rates
    found = measure_equivalence(n_steps=5)
    assert printed(figures.equivalence_code(found)) == [found.steps.tolist(), found.relative_difference.tolist()]


def test_the_code_of_a_race_that_was_stopped_stops_where_it_did():
    stopped = list(race_frames(PARAMS))[3]
    steps, *curves = printed(figures.code(stopped, "steps", "loss.mean"))
    assert (steps, curves) == (stopped.steps.tolist(), [stopped.loss.mean.tolist()])


# --- passing moments ---------------------------------------------------------------------------------------


def test_a_passing_picture_has_the_words_and_the_lines_of_its_figure(result, sweep):
    beside, below = figures.pictures(result, sweep, LIGHT)
    assert [each["key"] for each in beside + below] == ["race_learning", "race_state", "race_rates", "race_attention"]
    html = passing.html(beside[0]["fig"], 'a "b" < c')
    assert 'aria-label="a &quot;b&quot; &lt; c"' in html
    assert html.count("polyline") == 2 * len(NAMES) + 1  # the mean of every run in both panels, uniform attention
    assert html.count(">step<") == html.count(">0</span>") - 1 == html.count(">40</span>") == 1  # below the last panel
    rates = passing.html(below[0]["fig"], "")
    top = f">{below[0]['fig'].layout.yaxis.range[1]:g}</span>"
    assert all(each in rates for each in (">Which learning rate?<", ">learning rate<", ">final loss<", ">0.001<", top))
    assert (rates.count("★"), rates.count("×")) == (len(NAMES), sweep.diverged.sum())
    assert all(f"<b>{name}</b>" in html for name in NAMES)
    assert "<svg" not in html
    faint = replace(result, attention_weights=np.full_like(result.attention_weights, 0.25))
    assert passing.html(figures.attention(faint, LIGHT), "").count("%3Crect") == result.attention_weights.size
    assert "fill-opacity%3D%220.25%22" in passing.html(figures.attention(faint, LIGHT), "")


def test_a_passing_line_stands_where_its_axis_says():
    axis = {"range": [-12.5, 1], "type": "log"}
    assert passing._share(1e-9, axis) == pytest.approx(100 * 3.5 / 13.5)
    assert passing._share(0.0, axis) == -20
    assert passing._share(np.nan, axis) is None
    assert passing._share(0.5, {"range": [0, 2]}) == 25
