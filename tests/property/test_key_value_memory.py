import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.key_value_memory import KeyValueMemoryParams, train_key_value_memory

PARAMS = st.builds(
    KeyValueMemoryParams,
    d_k=st.integers(1, 12),
    n_keys=st.integers(2, 6),
    d_model=st.integers(2, 8),
    exponents=st.lists(st.floats(0, 1), min_size=1, max_size=3).map(tuple),
    learning_rates=st.floats(1e-3, 1.0),
    optimizer=st.sampled_from(("sgd", "adam")),
    loss=st.sampled_from(("output", "weights")),
    fresh_data=st.booleans(),
    train_values=st.booleans(),
    n_steps=st.integers(0, 4),
    checkpoint_every=st.integers(1, 3),
    n_seeds=st.integers(1, 3),
    seed=st.integers(0, 2**32),
)


@settings(deadline=None, max_examples=60)
@given(PARAMS)
def test_every_checkpoint_keeps_its_bounds(params):
    for each in train_key_value_memory(params):
        assert each.loss.shape == (len(params.exponents), params.n_seeds)
        assert (each.loss >= 0).all()
        assert ((each.accuracy >= 0) & (each.accuracy <= 1)).all()
        assert (each.entropy_nats >= 0).all()
        assert (each.entropy_nats <= math.log(params.n_keys) + 1e-12).all()
        assert np.allclose(each.attention_weights.sum(axis=-1), 1, rtol=0, atol=1e-12)
        assert sorted(each.targets) == list(range(params.n_keys))
        assert not each.diverged.any()
    assert each.step == params.n_steps


@settings(deadline=None, max_examples=20)
@given(PARAMS)
def test_same_seed_same_training(params):
    *_, one = train_key_value_memory(params)
    *_, two = train_key_value_memory(params)
    assert np.array_equal(one.loss, two.loss)
    assert np.array_equal(one.gradient_norm, two.gradient_norm)
