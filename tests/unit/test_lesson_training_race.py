import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from sattn_core.lessons.training_race import (
    PRESETS,
    QUANTITIES,
    TrainingRaceParams,
    dose_frames,
    dose_response,
    measure_equivalence,
    measure_training_race,
    preset_params,
    race_frames,
    race_outcome,
    sweep_frames,
    sweep_learning_rates,
)

SMALL = {"d_k": 8, "n_keys": 4, "n_seeds": 2}


@pytest.fixture(scope="module")
def race():
    return measure_training_race(TrainingRaceParams())


def test_the_scale_decides_the_default_race(race):
    without, scaled, _ = race.accuracy.mean[:, -1]
    assert without < 0.3
    assert scaled > 0.99
    assert race.step == 300
    assert race.progress == 1.0
    assert race.entropy_nats.mean[0, -1] < 0.1


def test_at_the_start_the_gradient_is_larger_without_the_scale(race):
    assert 10 < race.first_gradient_ratio < 20
    ten = list(race.steps).index(10)
    assert race.median_row_gradient.mean[0, ten] < 1e-3 * race.median_row_gradient.mean[1, ten]


def test_curves_are_over_the_seeds(race):
    for name in QUANTITIES:
        curve = getattr(race, name)
        assert curve.mean.shape == (3, len(race.steps))
        assert (curve.low <= curve.mean + 1e-15).all()
        assert (curve.mean <= curve.high + 1e-15).all()
    assert abs(race.uniform_loss - 0.484375) < 1e-15


def test_attention_columns_are_sorted_so_that_right_is_the_diagonal(race):
    diagonal = race.attention_weights[1].diagonal()
    assert diagonal.min() > 0.5


def test_frames_grow_and_stopping_keeps_what_is_there():
    frames = list(islice(race_frames(TrainingRaceParams(**SMALL, n_steps=600)), 3))
    assert [frame.step for frame in frames] == [0, 10, 20]
    assert frames[2].loss.mean.shape == (3, 3)
    assert np.array_equal(frames[2].loss.mean[:, :2], frames[1].loss.mean)
    assert frames[2].progress == pytest.approx(20 / 600)


def test_one_seed_has_no_error():
    result = measure_training_race(TrainingRaceParams(d_k=8, n_keys=4, n_seeds=1, n_steps=2))
    assert np.isnan(result.loss.standard_error).all()


def test_sweep_agrees_with_the_single_race_and_names_the_best():
    params = TrainingRaceParams(**SMALL, n_steps=30)
    sweep = sweep_learning_rates(params, (0.01, 1.0))
    single = measure_training_race(TrainingRaceParams(**SMALL, n_steps=30, learning_rate=0.01))
    assert np.allclose(sweep.loss[:, 0], single.loss.mean[:, -1], rtol=1e-10)
    assert np.array_equal(sweep.best_loss, sweep.loss.min(axis=1))
    assert set(sweep.best_rates) <= {0.01, 1.0}
    assert sweep.best_at_edge.all()
    for run, rates in enumerate(sweep.solved_rates):
        assert rates == tuple(
            rate for rate, right in zip((0.01, 1.0), sweep.accuracy[run], strict=True) if right >= 0.95
        )


def test_dose_response_goes_line_by_line():
    rows = list(dose_response((4, 8), n_steps=3, n_seeds=1))
    assert [(row.d_k, row.optimizer) for row in rows] == [(4, "sgd"), (4, "adam"), (8, "sgd"), (8, "adam")]
    assert rows[-1].progress == 1.0
    assert rows[0].loss.shape == (3,)


def test_scale_and_start_are_equivalent_step_by_step():
    equivalence = measure_equivalence()
    assert equivalence.largest_difference < 1e-9
    assert len(equivalence.steps) == len(equivalence.relative_difference) == 51
    assert equivalence.loss[0, -1] < equivalence.loss[0, 0]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_can_be_run_and_say_what_they_teach(name):
    preset = PRESETS[name]
    assert preset.teaches.endswith(".")
    assert set(preset.because) == {"harm", "harmless"}
    params = preset_params(name, seed=7, n_seeds=2)
    assert params.seed == 7
    assert next(race_frames(params)).step == 0


@pytest.mark.parametrize("name", ["small_d_k", "loss_on_weights", "fresh_data", "smaller_start"])
def test_controls_show_no_harm_without_the_scale(name):
    result = measure_training_race(preset_params(name, n_seeds=3))
    assert result.accuracy.mean[0, -1] > 0.95
    assert race_outcome(result) == "harmless"


@pytest.mark.parametrize(
    ("d_k", "outcome"), [(2, "neither"), (4, "harm"), (8, "harmless"), (16, "harmless"), (32, "harm"), (64, "harm")]
)
def test_the_outcome_of_the_race_is_that_of_its_dimension(d_k, outcome):
    assert race_outcome(measure_training_race(TrainingRaceParams(d_k))) == outcome


def test_the_reason_for_harm_in_the_race_is_seen_in_its_numbers():
    for d_k in (4, 32, 128):  # settled on one key each, and there to stay: entropy and median row say so
        result = measure_training_race(TrainingRaceParams(d_k, n_seeds=3))
        assert race_outcome(result) == "harm"
        assert result.entropy_nats.mean[0, -1] < 0.1
        assert abs(result.accuracy.mean[0, -1] - result.accuracy.mean[0, len(result.steps) // 2]) < 0.05


@pytest.mark.parametrize(
    ("right", "outcome"),
    [((0.9, 0.95), "harm"), ((0.95, 1), "harmless"), ((0.9, 0.9), "neither"), ((1, 0.9), "only_without")],
)
def test_the_outcome_compares_the_two_scales_whatever_their_order(right, outcome):
    result = measure_training_race(TrainingRaceParams(**SMALL, exponents=(0.5, 1.0, 0.0), n_steps=1))
    accuracy = replace(result.accuracy, mean=np.array([[0.0, right[1]], [0.0, 0.5], [1.0, right[0]]]))
    assert race_outcome(replace(result, accuracy=accuracy)) == outcome
    with pytest.raises(ValueError, match=r"exponents must hold 0 and 0.5, but got \(0.5,\)"):
        race_outcome(replace(result, params=replace(result.params, exponents=(0.5,))))


def test_adam_does_not_help():
    accuracy = measure_training_race(preset_params("adam", n_seeds=3)).accuracy.mean[:, -1]
    assert accuracy[0] < 0.7
    assert accuracy[1] > 0.95


def test_uniform_loss_on_the_weights():
    frame = next(race_frames(TrainingRaceParams(**SMALL, loss="weights")))
    assert frame.uniform_loss == math.log(4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"exponents": ()}, "exponents must hold between 1 and 8 numbers, but got 0"),
        ({"exponents": (1.5,)}, r"an entry of exponents must be a finite number in \[0, 1\]"),
        ({"learning_rate": 0.0}, "learning_rate must be"),
        ({"learning_rates": (1.0, 2.0)}, "one number for each of the 3 runs, but got 2"),
        ({"n_steps": 0}, "n_steps must be between 1 and 20000"),
        ({"optimizer": "lion"}, "optimizer must be one of sgd, adam"),
    ],
)
def test_bad_params(changes, message):
    with pytest.raises(ValueError, match=message):
        TrainingRaceParams(**changes)


def test_bad_arguments():
    with pytest.raises(TypeError, match="params must be TrainingRaceParams, but got NoneType"):
        next(race_frames(None))
    with pytest.raises(ValueError, match="rates must be at least 1"):
        sweep_learning_rates(TrainingRaceParams(), ())
    with pytest.raises(ValueError, match="preset must be one of"):
        preset_params("magic")


def test_the_sweep_goes_frame_by_frame_and_ends_as_the_whole_sweep():
    params = TrainingRaceParams(**SMALL, n_steps=40)
    frames = list(sweep_frames(params, (0.1, 1.0)))
    assert [frame.progress for frame in frames[:2]] == [0.0, 0.05]
    assert frames[-1].progress == 1.0
    assert np.array_equal(frames[-1].loss, sweep_learning_rates(params, (0.1, 1.0)).loss)
    assert (frames[0].loss[:, 0] == frames[0].loss[:, 1]).all()  # nothing is trained yet


def test_a_sweep_says_which_rates_diverged_also_while_their_loss_is_still_a_number():
    first, *_, last = sweep_frames(TrainingRaceParams(train_values=True, n_steps=100, n_seeds=2))
    assert not first.diverged.any()
    assert np.isfinite(last.loss[last.diverged]).any()
    start = first.loss[:, :1]
    expected = ~np.isfinite(last.loss) | (np.nan_to_num(last.loss) > 10 * start)
    assert last.diverged.any()
    assert (last.diverged == expected).all()
    runs = range(len(last.best_rates))
    assert not any(last.diverged[run, last.rates.index(last.best_rates[run])] for run in runs)


def test_the_dose_table_grows_and_its_progress_counts_the_work():
    tables = list(dose_frames((4, 8), optimizers=("sgd",), n_steps=3, n_seeds=1))
    progress = [table.progress for table in tables]
    assert progress == sorted(progress)
    assert progress.count(1.0) == 1  # with the last line, not before it
    assert (progress[0], progress[-1]) == (0.0, 1.0)
    assert [len(table.rows) for table in tables][-1] == 2
    assert next(table.progress for table in tables if table.rows) == pytest.approx(1 / 3)  # 4 of 4 + 8
    rows = list(dose_response((4, 8), optimizers=("sgd",), n_steps=3, n_seeds=1))
    assert [row.loss.tolist() for row in rows] == [row.loss.tolist() for row in tables[-1].rows]


def test_the_work_grows_with_everything_that_takes_time():
    base = TrainingRaceParams().work
    assert TrainingRaceParams(n_steps=600).work == 2 * base
    assert TrainingRaceParams(n_seeds=10).work == 2 * base
    assert TrainingRaceParams(d_k=128).work == 2 * base
    assert TrainingRaceParams(optimizer="adam").work > base


def test_the_time_of_a_race_counts_its_steps_and_the_sweep_before_it():
    race = TrainingRaceParams()
    assert race.seconds() == pytest.approx(race.work / 2e10 + 300 * 4e-4)
    # Six rates with two of the five seeds, and as many steps again.
    assert race.seconds(sweep_seeds=2) == pytest.approx(race.work * (1 + 6 * 2 / 5) / 2e10 + 600 * 4e-4)
    one = TrainingRaceParams(n_seeds=1)
    assert one.seconds(sweep_seeds=2) == one.seconds(sweep_seeds=1) > one.seconds()


def test_a_run_that_leaves_the_float64_range_is_shown_up_to_there():
    result = measure_training_race(TrainingRaceParams(loss="weights"))
    assert result.diverged.tolist() == [True, False, False]
    assert np.isfinite(result.loss.mean[1:]).all()
