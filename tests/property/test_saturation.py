"""What holds for the expected softmax at any number of keys and any spread."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.saturation import critical_score_std, expected_attention_curve, expected_softmax

FEW = settings(deadline=None, max_examples=40)
KEYS = st.integers(2, 4096)
SPREADS = st.floats(0.0, 64.0)


@FEW
@given(KEYS, SPREADS)
def test_averages_obey_the_bounds_of_every_row(n_keys, score_std):
    e = expected_softmax(n_keys, score_std)
    assert 0.0 <= e.entropy_nats <= math.log(n_keys)
    assert 1 / n_keys <= e.sum_of_squares <= e.max_weight + 1e-9 <= 1.0 + 1e-9
    assert e.sum_of_squares >= e.max_weight**2 - 1e-9  # E sum p² >= E (max p)² >= (E max p)²
    assert e.sum_of_squares + e.jacobian_trace == 1.0
    # H >= -ln(sum p²) for a row, and -ln is convex
    assert e.entropy_nats >= -math.log(e.sum_of_squares) - 1e-8


@FEW
@given(KEYS, SPREADS, st.floats(0.01, 8.0))
def test_more_spread_is_sharper(n_keys, score_std, more):
    calm, sharp = expected_softmax(n_keys, score_std), expected_softmax(n_keys, score_std + more)
    assert sharp.entropy_nats < calm.entropy_nats
    assert sharp.max_weight > calm.max_weight
    assert sharp.jacobian_trace < calm.jacobian_trace


@FEW
@given(st.integers(2, 4095), st.floats(0.0, 32.0))
def test_more_keys_are_flatter(n_keys, score_std):
    few, many = expected_softmax(n_keys, score_std), expected_softmax(n_keys + 1, score_std)
    assert many.entropy_nats > few.entropy_nats
    assert many.max_weight < few.max_weight


@FEW
@given(KEYS, st.floats(0.0, 16.0))
def test_series_of_narrow_scores(n_keys, score_std):
    # To first order in σ² a row keeps ln n - σ²/2 (1 - 1/n) nats.
    tiny = score_std / 4000
    entropy = expected_softmax(n_keys, tiny).entropy_nats
    assert abs(entropy - (math.log(n_keys) - 0.5 * tiny**2 * (1 - 1 / n_keys))) < 1e-8


@settings(deadline=None, max_examples=20)
@given(st.sampled_from([2, 64, 512]), st.integers(1, 2000), st.floats(0.01, 1.5))
def test_wider_queries_or_scales_saturate_more(n_keys, d_k, scale):
    e = expected_attention_curve(n_keys, [d_k, d_k + 1, d_k], [scale, scale, 1.01 * scale])
    assert e.entropy_nats[1] < e.entropy_nats[0]
    assert e.entropy_nats[2] < e.entropy_nats[0]
    assert (np.diff(e.sum_of_squares[:2]) > 0).all()


@FEW
@given(st.integers(1, 10**6))
def test_critical_spread_is_where_the_keys_run_out(n_keys):
    # n e^(-σ²/2) effective keys fall to 1
    assert math.isclose(n_keys * math.exp(-(critical_score_std(n_keys) ** 2) / 2), 1.0, rel_tol=1e-12)
