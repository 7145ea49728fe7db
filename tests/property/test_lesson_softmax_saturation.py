"""What holds in the softmax lesson for any list and any draw."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.components import COMPONENT_LAWS
from sattn_core.lessons.softmax_saturation import (
    RowParams,
    SaturationParams,
    compare_lists,
    measure_row,
    measure_saturation,
    sharper,
)

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=64)


@settings(deadline=None, max_examples=60)
@given(st.lists(NUMBERS, min_size=2, max_size=4), st.floats(-100, 100), st.floats(-1e6, 1e6))
def test_any_lists_give_weights_and_finite_summaries(lists, multiplier, shift):
    found = compare_lists(lists, multiplier=multiplier, shift=shift)
    for weights, numbers in zip(found.attention_weights, lists, strict=True):
        assert math.isclose(weights.sum(), 1.0, rel_tol=1e-12)
        assert weights.size == len(numbers)
    assert (found.gap >= 0).all()
    assert np.isfinite(found.log10_jacobian_norm).all()
    assert (found.jacobian_norm <= math.sqrt(0.5) + 1e-12).all()
    assert math.isfinite(found.log10_jacobian_norm_ratio)
    assert (found.effective_keys >= 1).all()


@settings(deadline=None, max_examples=15)
@given(st.sampled_from(sorted(COMPONENT_LAWS)), st.integers(0, 2**32), st.integers(1, 64))
def test_a_draw_depends_on_the_seed_and_not_on_the_dimensions_asked(law, seed, largest):
    alone = measure_saturation(SaturationParams(5, (largest,), law, 40, seed))
    among = measure_saturation(SaturationParams(5, (*range(1, largest), largest, 100), law, 40, seed))
    n_measured = alone.measured_dims.size
    np.testing.assert_array_equal(alone.measured_dims, among.measured_dims[:n_measured])
    for mine, theirs in ((alone.raw_measured, among.raw_measured), (alone.scaled_measured, among.scaled_measured)):
        np.testing.assert_array_equal(mine.max_weight.measured, theirs.max_weight.measured[:n_measured])
        np.testing.assert_array_equal(mine.jacobian_trace.measured, theirs.jacobian_trace.measured[:n_measured])


@settings(deadline=None, max_examples=15)
@given(st.sampled_from(sorted(COMPONENT_LAWS)), st.integers(0, 2**32))
def test_scaled_attention_is_never_sharper(law, seed):
    # Dividing scores by √d_k >= 1 raises the entropy of every single row.
    result = measure_saturation(SaturationParams(6, (32,), law, 20, seed))
    raw, scaled = result.raw_measured, result.scaled_measured
    assert (scaled.entropy_nats.measured >= raw.entropy_nats.measured - 1e-12).all()
    assert (scaled.max_weight.measured <= raw.max_weight.measured + 1e-12).all()


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(sorted(COMPONENT_LAWS)), st.integers(0, 2**32), st.integers(2, 40), st.integers(1, 200))
def test_a_row_of_weights_whatever_is_drawn(law, seed, n_keys, d_k):
    alone, among = (measure_row(RowParams(n_keys, dims, law, seed)) for dims in ((d_k,), (d_k, 300)))
    for side in ("raw", "scaled"):
        weights, keys = getattr(among, f"{side}_weights"), getattr(among, f"{side}_effective_keys")
        np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)
        assert ((keys >= 1 - 1e-12) & (keys <= n_keys * (1 + 1e-12))).all()
        np.testing.assert_array_equal(getattr(alone, f"{side}_weights")[0], weights[0])
    # Dividing by √d_k >= 1 takes weight from the largest key and keeps the order of the keys.
    assert (among.scaled_max_weight <= among.raw_max_weight + 1e-12).all()
    assert (among.scaled_effective_keys >= among.raw_effective_keys - 1e-9).all()
    np.testing.assert_array_equal(among.scaled_scores.argmax(axis=-1), among.largest_key)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-8, 8), min_size=2, max_size=8), st.integers(-1000, 1000), st.integers(2, 9))
def test_a_shift_makes_no_list_sharper_and_a_factor_does(numbers, shift, factor):
    assert sharper(numbers, [number + shift for number in numbers]) == "neither"
    even = len(set(numbers)) == 1
    assert sharper(numbers, [factor * number for number in numbers]) == ("neither" if even else "second")
