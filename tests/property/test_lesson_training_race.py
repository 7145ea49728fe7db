import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.lessons.training_race import (
    QUANTITIES,
    TrainingRaceParams,
    learnt,
    measure_race_start,
    measure_training_race,
    sweep_learning_rates,
)

PARAMS = st.builds(
    TrainingRaceParams,
    d_k=st.integers(1, 12),
    exponents=st.lists(st.floats(0, 1), min_size=1, max_size=3).map(tuple),
    optimizer=st.sampled_from(("sgd", "adam")),
    learning_rate=st.floats(1e-3, 1.0),
    loss=st.sampled_from(("output", "weights")),
    fresh_data=st.booleans(),
    train_values=st.booleans(),
    n_keys=st.integers(2, 5),
    n_steps=st.integers(1, 4),
    n_seeds=st.integers(1, 3),
    seed=st.integers(0, 2**32),
)


@settings(max_examples=20)
@given(PARAMS)
def test_a_race_is_complete_and_its_bands_hold_their_means(params):
    result = measure_training_race(params)
    assert result.progress == 1.0
    assert result.steps[0] == 0
    assert result.steps[-1] == params.n_steps
    for name in QUANTITIES:
        curve = getattr(result, name)
        slack = 1e-12 * (1 + np.abs(curve.mean))
        assert (curve.low <= curve.mean + slack).all()
        assert (curve.mean <= curve.high + slack).all()


@settings(max_examples=10)
@given(PARAMS)
def test_the_best_rate_is_the_best(params):
    sweep = sweep_learning_rates(params, (0.01, 0.1, 1.0))
    for run, rate in enumerate(sweep.best_rates):
        assert sweep.loss[run, sweep.rates.index(rate), -1] == np.nanmin(sweep.loss[run, :, -1])


@settings(max_examples=20)
@given(PARAMS)
def test_a_start_is_attention_and_that_of_its_race(params):
    start, race = measure_race_start(params), measure_training_race(params)
    np.testing.assert_allclose(start.attention_weights.sum(axis=-1), 1, rtol=1e-12)
    assert (start.largest_weight >= 1 / params.n_keys - 1e-12).all()
    assert (start.largest_weight <= 1 + 1e-12).all()
    assert len(learnt(race)) == len(start.largest_weight) == len(params.exponents)
