"""What the training_race page asks of the core."""

from dataclasses import replace
from typing import Any

from sattn_core.cost import Price, priced
from sattn_core.lessons.training_race import (
    Equivalence,
    LearningRateSweep,
    TrainingRaceParams,
    TrainingRaceResult,
    equivalence_price,
    measure_equivalence,
    measure_training_race,
    sweep_learning_rates,
    sweep_price,
)

SWEEP_SEEDS = 2
_EQUAL: dict[str, Any] = {"n_steps": 30, "n_seeds": 1}
_EQUAL_PAIRS: tuple[dict[str, Any], ...] = (
    {"optimizer": "sgd"},
    {"optimizer": "sgd", "learning_rate": 1.0},
    {"optimizer": "adam"},
    {"optimizer": "adam", "power": 0.5},
)


def race_price(params: TrainingRaceParams, best: bool) -> Price:
    """Of the race, with the sweep before it where one is asked for."""
    seconds = params.price.seconds + (map_price(params).seconds if best else 0.0)
    return Price(seconds, params.price.bytes)


def map_price(params: TrainingRaceParams) -> Price:
    """Of the map of the learning rates."""
    return sweep_price(sweep_params(params))


def sweep_params(params: TrainingRaceParams) -> TrainingRaceParams:
    """The race of the sweep: a sweep trains every rate, so of fewer seeds."""
    return replace(params, n_seeds=min(params.n_seeds, SWEEP_SEEDS))


@priced(race_price)
def train(params: TrainingRaceParams, best: bool) -> tuple[TrainingRaceResult, LearningRateSweep | None]:
    """The finished race, and the sweep before it or None."""
    sweep = sweep_learning_rates(sweep_params(params)) if best else None
    own = replace(params, learning_rates=sweep.best_rates) if sweep else params
    return measure_training_race(own), sweep


def equal_pairs_price(d_k: int) -> Price:
    """Of the pairs of equal trainings."""
    prices = [equivalence_price(d_k, **_EQUAL, **pair) for pair in _EQUAL_PAIRS]
    return Price(sum(price.seconds for price in prices), max(price.bytes for price in prices))


@priced(equal_pairs_price)
def train_equal_pairs(d_k: int) -> tuple[Equivalence, ...]:
    """Pairs of trainings at this d_k: two that are equal, one at a large rate, and one with the wrong power of d_k."""
    return tuple(measure_equivalence(d_k, **_EQUAL, **pair) for pair in _EQUAL_PAIRS)
