"""Prices compared with the counted work and the memory of the computations; no clock is read."""

from functools import partial

import pytest

from sattn_core.draws.pair_scores import draw_pair_scores, pair_scores_price
from sattn_core.draws.variance_curve import variance_curve
from sattn_core.laws.components import COMPONENT_LAWS
from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance
from sattn_core.lessons.wrong_choice import (
    DimensionParams,
    WrongChoiceParams,
    measure_learning_rates,
    measure_wrong_choices,
)
from sattn_core.training.key_value_memory import KeyValueMemoryParams, train_key_value_memory
from tests.counting import count

FACTOR = 1.2  # a price may be this many times too high or too low
SLACK = 3_000_000  # a difference of so few numbers takes too little time to matter
BYTES = (2, 2_000_000)  # factor and slack for bytes

MATRIX = {"sampling": "matrix"}
LAWS = tuple(COMPONENT_LAWS)


def train(params):
    list(train_key_value_memory(params))


def draw_pairs(n_samples, d_k, law, **pair):
    params = ScoreVarianceParams(d_k, n_samples, law, **pair)
    draw_pair_scores(n_samples, d_k, params.pair_law, seed=0)


def measure_dimensions(params):
    [measure_learning_rates(each) for each in params.each]


train.price = measure_dimensions.price = lambda params: params.price
draw_pairs.price = lambda n, d_k, law, **pair: pair_scores_price(
    n, d_k, ScoreVarianceParams(d_k, n, law, **pair).pair_law
)

MEMORY = {"d_k": 32, "n_keys": 16, "d_model": 24, "exponents": (0.0, 0.5, 1.0), "n_seeds": 2, "n_steps": 20}
OTHER_MEMORIES = (
    {}, {"n_steps": 40}, {"d_k": 256}, {"n_keys": 64}, {"d_model": 192}, {"n_seeds": 8}, {"exponents": (0.5,) * 12},
    {"optimizer": "adam", "learning_rates": 1e-3, "d_k": 128}, {"fresh_data": True, "n_seeds": 8, "d_model": 128},
    {"train_values": True, "n_keys": 64}, {"loss": "weights", "n_keys": 64}, {"checkpoint_every": 1, "n_keys": 32},
    {"d_k": 512, "n_keys": 40, "n_steps": 40, "d_model": 64},
)  # fmt: skip

CASES = [
    *(partial(train, KeyValueMemoryParams(**MEMORY | other)) for other in OTHER_MEMORIES),
    *(partial(draw_pairs, 10_000, d_k, law) for law in LAWS for d_k in (3, 100)),
    *(partial(draw_pairs, 10_000, 27, law, mean_q=1.0, correlation=0.5) for law in ("normal", "uniform", "sparse")),
    partial(draw_pairs, 70_000, 8, "laplace", mean_k=1.0),
    *(partial(variance_curve, (1, 8, 256), n_samples=2_000, law=law, seed=0) for law in LAWS),
    *(partial(measure_score_variance, ScoreVarianceParams(8, n)) for n in (1_000, 50_000)),
    *(
        partial(measure_score_variance, ScoreVarianceParams(d_k, law=law, n_queries=m, n_keys=n, **pair, **MATRIX))
        for d_k, m, n, law, pair in (
            (64, 16, 16, "normal", {}), (4, 4, 4, "normal", {}), (1, 12, 64, "normal", {}),
            (128, 64, 256, "laplace", {}), (2, 4, 3, "laplace", {"mean_q": 1.0}), (1, 16, 16, "student_t", {}),
        )
    ),
    *(
        partial(measure_wrong_choices, WrongChoiceParams(*shape))
        for shape in (
            (64,), (1024, 4), (4, 100), (64, 16, 1.0, "weights"), (64, 16, 1.0, "output", "K"),
            (64, 9, 1.0, "output", "both"),
        )
    ),
    *(partial(measure_dimensions, DimensionParams((16, 64), n_keys)) for n_keys in (2, 20)),
    pytest.param(partial(measure_dimensions, DimensionParams((16,), 4, learns="both")), marks=pytest.mark.walk),
]  # fmt: skip


def name_of(call):
    """Return the function's name and its arguments."""
    given = (*map(repr, call.args), *(f"{name}={value!r}" for name, value in call.keywords.items()))
    return f"{call.func.__name__} {' '.join(given)}"[:90]


def covers(more, less, factor, slack):
    return less <= factor * more + slack


@pytest.mark.parametrize("call", CASES, ids=name_of)
def test_price_agrees_with_the_counted_work(call):
    price, counted = call.func.price(*call.args, **call.keywords), count(call)
    for each, slack in (("numbers", (FACTOR, SLACK)), ("bytes", BYTES)):
        priced, done = getattr(price, each), getattr(counted, each)
        assert covers(priced, done, *slack), (each, priced, done)
        assert covers(done, priced, *slack), (each, priced, done)
