import numpy as np

from sattn_core.equal_training import equivalence_price, measure_equivalence
from sattn_core.lessons.training_race import TrainingRaceParams, measure_training_race


def test_an_equivalence_holds_its_two_trainings():
    found = measure_equivalence(24, optimizer="adam", n_steps=5)
    assert (found.power, found.learning_rate, found.parted) == (0.25, 0.001, None)
    assert len(found.steps) == len(found.relative_difference) == 6
    assert found.largest_difference == found.relative_difference.max() < 0.01
    first = measure_training_race(TrainingRaceParams(24, optimizer="adam", learning_rate=0.001, n_steps=5, n_seeds=1))
    assert np.allclose(found.loss[0], first.loss.mean[0], rtol=1e-12)
    wrong = measure_equivalence(24, optimizer="adam", power=0.5, n_steps=5)
    assert wrong.relative_difference[wrong.parted] > 0.01 >= wrong.relative_difference[wrong.parted - 1]


def test_adam_costs_more_than_gradient_descent():
    assert equivalence_price(64, optimizer="adam").passes > 1.5 * equivalence_price(64).passes
