"""Compare prices with the clock: seconds predicted from the price and this machine's rate ÷ CPU seconds."""

import statistics
from functools import partial

from ratios import Row

from pages._view.compute import rates
from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance
from sattn_core.lessons.training_race import TrainingRaceParams
from sattn_core.lessons.wrong_choice import WrongChoiceParams, measure_wrong_choices
from tests.counting import forget
from tests.unit.test_cost import CASES, LAWS, name_of, train

RACES = (
    {"n_steps": 50},
    {"optimizer": "adam", "learning_rate": 1e-3, "n_steps": 40, "n_seeds": 3},
    {"d_k": 8, "n_keys": 4, "n_steps": 100, "n_seeds": 1, "exponents": (0.0,)},
    {"d_k": 512, "n_steps": 10, "n_seeds": 2, "learning_rate": 1e-3},
    {"n_keys": 64, "n_steps": 10, "n_seeds": 3, "train_values": True, "learning_rate": 0.01},
    {"n_keys": 16, "n_steps": 40, "fresh_data": True, "loss": "weights", "learning_rate": 0.01},
)
LONG = [
    *(partial(train, TrainingRaceParams(**each).memory()) for each in RACES),
    *(partial(measure_score_variance, ScoreVarianceParams(256, 100_000, law)) for law in LAWS),
    *(
        partial(measure_score_variance, ScoreVarianceParams(d_k, n_queries=n, n_keys=n, sampling="matrix"))
        for d_k, n in ((1024, 512), (6, 6), (1, 512))
    ),
    *(partial(measure_wrong_choices, WrongChoiceParams(64, 100, learns=each)) for each in ("q", "K", "both")),
]
SMALL = 0.02  # seconds: shorter work is left out
REPEATS = 3


def prices():
    """Yield a row for each price off by more than a factor of 2, then statistics; very short cases are left out."""
    measured = rates.measure()
    ratios = []
    for call in CASES + LONG:
        price, taken = rates.here(call.func.price(*call.args, **call.keywords)), _least(call)
        if max(price, taken) >= SMALL:
            ratios.append(price / taken)
            if not 0.5 <= price / taken <= 2:
                yield Row(f"price of {name_of(call)}", price / taken, None, detail=f"{price:.3f} s for {taken:.3f} s")
    inside = sum(0.5 <= ratio <= 2 for ratio in ratios)
    yield Row("rate measured here over the reference rate", measured / rates.REFERENCE, None)
    span = f"{min(ratios):.2f} to {max(ratios):.2f}"
    yield Row("prices over CPU time, median", statistics.median(ratios), None, detail=span)
    outside = 100 - 100 * inside / len(ratios)
    yield Row("prices outside a factor of 2", outside, 15, "%", f"{inside} of {len(ratios)} inside")


def _least(call):
    """Return the CPU seconds of the fastest of several runs; a first run caches the tables that no price counts."""
    call()
    taken = []
    for _ in range(REPEATS):
        forget()
        began = rates.clock()
        call()
        taken.append(rates.clock() - began)
    return min(taken)
