"""What holds for softmax at any scores."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sattn_core.softmax import (
    effective_keys,
    entropy_nats,
    log_softmax,
    log_softmax_jacobian_norm,
    softmax,
    softmax_jacobian,
    softmax_jacobian_norm,
)

FEW = settings(deadline=None, max_examples=60)
# Whole multiples of 1/8 so that a shift is exact and the two sides see the same differences.
ENTRIES = st.integers(-400, 400).map(lambda eighths: eighths / 8)
SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 12))
SCORES = SHAPES.flatmap(lambda shape: arrays(float, shape, elements=ENTRIES))
MASKED_SCORES = SHAPES.flatmap(lambda shape: arrays(float, shape, elements=ENTRIES | st.just(-np.inf)))


@FEW
@given(MASKED_SCORES)
def test_rows_sum_to_one_unless_fully_masked(scores):
    p = softmax(scores)
    assert ((p >= 0) & (p <= 1)).all()
    allowed = np.isfinite(scores)
    np.testing.assert_allclose(p.sum(axis=-1), allowed.any(axis=-1), atol=1e-12)
    assert (p[~allowed] == 0).all()


@FEW
@given(MASKED_SCORES)
def test_log_softmax_is_the_logarithm(scores):
    logs = log_softmax(scores)
    assert (logs <= 0).all()
    np.testing.assert_allclose(np.exp(logs), softmax(scores), rtol=1e-12, atol=0)


@FEW
@given(SCORES, st.integers(-1000, 1000))
def test_a_shift_changes_nothing(scores, shift):
    np.testing.assert_array_equal(softmax(scores + shift), softmax(scores))
    np.testing.assert_array_equal(entropy_nats(scores + shift), entropy_nats(scores))
    np.testing.assert_array_equal(softmax_jacobian_norm(scores + shift), softmax_jacobian_norm(scores))


@FEW
@given(SCORES, st.randoms(use_true_random=False))
def test_permuting_keys_permutes_weights(scores, random):
    order = random.sample(range(scores.shape[-1]), scores.shape[-1])
    np.testing.assert_allclose(softmax(scores[:, order]), softmax(scores)[:, order], rtol=1e-12)
    np.testing.assert_allclose(entropy_nats(scores[:, order]), entropy_nats(scores), rtol=1e-12)
    np.testing.assert_allclose(softmax_jacobian_norm(scores[:, order]), softmax_jacobian_norm(scores), rtol=1e-12)


@FEW
@given(MASKED_SCORES)
def test_entropy_lies_between_zero_and_uniform(scores):
    entropy = entropy_nats(scores)
    n_allowed = np.maximum(np.isfinite(scores).sum(axis=-1), 1)
    assert (entropy >= 0).all()
    assert (entropy <= np.log(n_allowed) + 1e-12).all()
    np.testing.assert_allclose(effective_keys(scores), np.exp(entropy), rtol=1e-15)


@FEW
@given(MASKED_SCORES)
def test_jacobian_is_symmetric_positive_and_its_rows_sum_to_zero(scores):
    jacobian = softmax_jacobian(scores)
    np.testing.assert_array_equal(jacobian, np.swapaxes(jacobian, -1, -2))
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0.0, atol=1e-12)
    assert np.linalg.eigvalsh(jacobian).min() >= -1e-12


@FEW
@given(MASKED_SCORES)
def test_norm_is_the_norm_of_the_jacobian(scores):
    norm = softmax_jacobian_norm(scores)
    np.testing.assert_allclose(norm, np.linalg.norm(softmax_jacobian(scores), axis=(-2, -1)), rtol=1e-12)
    np.testing.assert_allclose(np.exp(log_softmax_jacobian_norm(scores)), norm, rtol=1e-12)


@FEW
@given(MASKED_SCORES)
def test_norm_is_at_most_one_half(scores):
    # A few roundings of sums of at most 12 numbers of order 1.
    assert (softmax_jacobian_norm(scores) <= 0.5 * (1 + 1e-14)).all()
    assert (log_softmax_jacobian_norm(scores) <= np.log(0.5) + 1e-14).all()


@FEW
@given(st.integers(0, 10), st.floats(40.0, 1e6), st.floats(-1e3, 1e3))
def test_two_equal_keys_far_above_the_rest_attain_one_half(n_others, gap, top):
    # At a gap of 40 each of the others has a weight of 2e-18, below the rounding of the norm.
    norm = softmax_jacobian_norm([top, *[top - gap] * n_others, top])
    np.testing.assert_allclose(norm, 0.5, rtol=1e-15)
