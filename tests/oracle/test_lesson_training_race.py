import tracemalloc

import numpy as np
import pytest
from scipy.special import softmax

from sattn_core.key_value_memory import KeyValueMemoryParams, train_key_value_memory
from sattn_core.lessons.training_race import (
    TrainingRaceParams,
    measure_race_start,
    measure_training_race,
    sweep_learning_rates,
)


def test_the_best_losses_of_an_independent_run():
    # Best final loss over decades of an independent implementation (500 steps, 5 seeds): .0034 at d_k = 8 and .349 at
    # 64 for scale 1, at most .0001 for 1/√d_k. Its standard deviation over seeds is .06, so .1 is three errors of two.
    best = {}
    for d_k, rates in ((8, (1.0,)), (64, (0.1, 10.0))):
        params = TrainingRaceParams(d_k, exponents=(0.0, 0.5), n_steps=500, n_seeds=2, seed=3)
        best[d_k] = sweep_learning_rates(params, rates)
    assert best[8].best_loss[0] < 0.03
    assert abs(best[64].best_loss[0] - 0.349) < 0.1
    for sweep in best.values():
        assert sweep.best_loss[1] < 1e-3
        assert sweep.best_accuracy[1] == 1


@pytest.mark.parametrize("d_k", [4, 64])
def test_the_largest_weight_at_the_start_is_that_of_a_simulation(d_k):
    """Inputs, weights and softmax drawn again by NumPy and SciPy alone; 4 standard errors of both, over the seeds."""
    rng = np.random.default_rng(1)
    seeds = [measure_race_start(TrainingRaceParams(d_k, n_seeds=1, seed=seed)) for seed in range(40)]
    inputs = rng.standard_normal((2, 40, 32, 64))
    inputs = (inputs - inputs.mean(-1, keepdims=True)) / inputs.std(-1, keepdims=True)
    Q, K = inputs @ (rng.standard_normal((2, 40, 64, d_k)) / 8)
    for run, scale in enumerate((1, d_k**-0.5, 1 / d_k)):
        drawn = softmax(scale * Q @ K.swapaxes(1, 2), axis=-1).max(axis=-1).mean(axis=-1)
        shown = np.array([start.largest_weight[run] for start in seeds])
        error = np.hypot(drawn.std(ddof=1), shown.std(ddof=1)) / np.sqrt(40)
        assert abs(shown.mean() - drawn.mean()) < 4 * error
    right = np.array([start.right for start in seeds])  # guessing: 1 of 32
    assert abs(right.mean() - 1 / 32) < 4 * right.std(ddof=1) / np.sqrt(40)


def later(d_k, rates, steps, **options):
    """Right answers without the scale at every rate (rows) after every one of the steps."""
    options = {"n_seeds": 2, "n_steps": steps[-1], "checkpoint_steps": steps} | options
    params = KeyValueMemoryParams(d_k=d_k, exponents=(0.0,) * len(rates), learning_rates=rates, **options)
    return np.array([each.accuracy.mean(axis=1) for each in train_key_value_memory(params)]).T


def test_without_the_scale_a_large_rate_freezes_and_a_smaller_one_goes_on_learning():
    # Measured with four seeds: rate 1 .15 right after 300 steps and .16 after 4,000; rate 0.3 .23 and .81.
    frozen, slow = later(64, (1.0, 0.3), (300, 2000))
    assert frozen[1] - frozen[0] < 0.03
    assert slow[1] - slow[0] > 0.1


def test_adam_solves_a_small_dimension_without_the_scale_in_many_steps():
    # Measured with four seeds: .81 right after 300 steps and all after 3,000. With the scale 30 are enough.
    ((early, late),) = later(32, (0.003,), (300, 3000), optimizer="adam")
    assert early < 0.95 <= late
    scaled = TrainingRaceParams(32, exponents=(0.5,), optimizer="adam", learning_rate=0.01, n_steps=100, n_seeds=2)
    assert measure_training_race(scaled).accuracy.mean[0, -1] == 1


def test_fresh_data_recover_without_the_scale():
    params = TrainingRaceParams(exponents=(0.0, 0.5), fresh_data=True, n_keys=16, n_steps=400, n_seeds=2)
    sweep = sweep_learning_rates(params, (0.3,))
    assert (sweep.best_accuracy > 0.95).all()
    assert (sweep.best_loss < 0.02).all()


PRICED = {
    "small": {"n_steps": 50},
    "adam": {"optimizer": "adam", "learning_rate": 1e-3, "n_steps": 40, "n_seeds": 3},
    "one run": {"d_k": 8, "n_keys": 4, "n_steps": 100, "n_seeds": 1, "exponents": (0.0,)},
    "large": {"d_k": 512, "n_steps": 10, "n_seeds": 2, "learning_rate": 1e-3},
    "large, adam": {"d_k": 512, "n_steps": 8, "n_seeds": 2, "learning_rate": 1e-3, "optimizer": "adam"},
    "many pairs": {"n_keys": 64, "n_steps": 10, "n_seeds": 3, "train_values": True, "learning_rate": 0.01},
    "fresh": {"n_keys": 16, "n_steps": 40, "fresh_data": True, "loss": "weights", "learning_rate": 0.01},
}


@pytest.mark.parametrize("name", PRICED)
def test_the_memory_of_a_race_is_right_within_a_factor_of_two(name):
    params = TrainingRaceParams(**PRICED[name] | {"n_steps": 3})
    tracemalloc.start()
    try:
        measure_training_race(params)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.5 < params.price.bytes / peak < 2


def test_training_without_the_scale_is_slower_where_d_k_is_large_and_not_where_it_is_small():
    # The lesson's answer speaks of a large d_k: at 8 the race without the scale is ahead after 50 steps.
    def losses(d_k):
        return measure_training_race(TrainingRaceParams(d_k, (0.0, 0.5), n_steps=50, n_seeds=16)).loss

    for d_k in (24, 64, 256):
        found = losses(d_k)
        assert found.low[0, -1] > found.high[1, -1]  # every seed
    raw, scaled = losses(8).mean[:, -1]
    assert raw < 0.7 * scaled


def test_adam_learns_nearly_all_pairs_at_d_k_32_in_many_times_the_steps():
    params = TrainingRaceParams(32, (0.0, 0.5), "adam", 0.003, n_steps=2_000, n_seeds=3, seed=1)
    found = measure_training_race(params)
    soonest = [found.steps[(run >= 0.95).argmax()] for run in found.accuracy.mean]
    assert found.accuracy.mean[0, -1] >= 0.95
    assert found.accuracy.mean[1, -1] == 1.0
    assert soonest[0] > 5 * soonest[1] > 0
