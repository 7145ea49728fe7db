import numpy as np
import pytest

from sattn_core.lessons.training_race import TrainingRaceParams, measure_training_race
from sattn_core.training.equal_training import equivalence_price, measure_equivalence


def test_first_of_two_equivalent_runs_agrees_with_a_separate_race():
    found = measure_equivalence(24, optimizer="adam", n_steps=5)
    assert (found.power, found.learning_rate, found.parted) == (0.25, 0.001, None)
    assert len(found.steps) == len(found.relative_difference) == 6
    assert found.largest_difference == found.relative_difference.max() < 0.01
    first = measure_training_race(TrainingRaceParams(24, optimizer="adam", learning_rate=0.001, n_steps=5, n_seeds=1))
    assert np.allclose(found.loss[0], first.loss.mean[0], rtol=1e-12)
    wrong = measure_equivalence(24, optimizer="adam", power=0.5, n_steps=5)
    assert wrong.relative_difference[wrong.parted] > 0.01 >= wrong.relative_difference[wrong.parted - 1]


def test_adam_costs_more_than_gradient_descent():
    assert equivalence_price(64, optimizer="adam").numbers > 1.2 * equivalence_price(64).numbers


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d_k", [24, 100])  # not 16 or 256, where d_k^¼ is a power of 2 and nothing is rounded
def test_scale_and_smaller_start_are_equivalent_at_every_step(d_k):
    # Rounding of 1e-16 grows with the training; at this rate it stays far below 1e-9 for 30 steps.
    assert measure_equivalence(d_k, n_steps=30).largest_difference < 1e-9
    # Adam's ε is at least 1e-5 of any gradient up to 1e-3, which makes a difference that grows with the training.
    adam = measure_equivalence(d_k, optimizer="adam", n_steps=30)
    assert 1e-12 < adam.largest_difference < 1e-3
    wrong = measure_equivalence(d_k, optimizer="adam", power=0.5, n_steps=30)
    assert wrong.largest_difference > 0.05
    assert wrong.parted == 1


def test_equivalent_descents_are_equal_bit_for_bit_at_powers_of_two():
    for d_k in (16, 256):
        assert measure_equivalence(d_k, n_steps=10, n_seeds=1).largest_difference == 0.0


def test_rounding_separates_equivalent_runs_at_a_large_rate():
    assert measure_equivalence(64, learning_rate=1.0, n_steps=50).largest_difference > 1e-6
