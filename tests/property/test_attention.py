import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.attention import attention, attention_backward

SIZES = st.tuples(*[st.integers(1, 6)] * 4, st.integers(0, 2**32 - 1))
SIZE = st.floats(0.01, 30)


def draw(sizes, size):
    n_queries, n_keys, d_k, d_v, seed = sizes
    rng = np.random.default_rng(seed)
    shapes = (n_queries, d_k), (n_keys, d_k), (n_keys, d_v), (n_queries, d_v)
    Q, K, V, d_output = (rng.standard_normal(shape) for shape in shapes)
    return size * Q, K, V, d_output, rng.random((n_queries, n_keys)) < 0.7


@settings(deadline=None, max_examples=60)
@given(SIZES, SIZE)
def test_rows_sum_to_one_or_are_fully_masked(sizes, size):
    Q, K, V, _, mask = draw(sizes, size)
    weights = attention(Q, K, V, mask=mask).attention_weights
    assert np.allclose(weights.sum(axis=1), mask.any(axis=1), rtol=0, atol=1e-12)
    assert (weights[~mask] == 0).all()
    assert (weights >= 0).all()


@settings(deadline=None, max_examples=60)
@given(SIZES, SIZE)
def test_output_lies_between_the_smallest_and_largest_value(sizes, size):
    Q, K, V, _, _ = draw(sizes, size)
    output = attention(Q, K, V).output
    assert (output <= V.max(axis=0) + 1e-12).all()
    assert (output >= V.min(axis=0) - 1e-12).all()


@settings(deadline=None, max_examples=60)
@given(SIZES, SIZE)
def test_order_of_keys_does_not_matter(sizes, size):
    Q, K, V, d_output, mask = draw(sizes, size)
    order = np.random.default_rng(sizes[4]).permutation(len(K))
    straight = attention_backward(Q, K, V, d_output, mask=mask)
    shuffled = attention_backward(Q, K[order], V[order], d_output, mask=mask[:, order])
    assert np.allclose(attention(Q, K, V).output, attention(Q, K[order], V[order]).output, rtol=0, atol=1e-12)
    assert np.allclose(straight.d_K[order], shuffled.d_K, rtol=1e-12, atol=1e-12)
    assert np.allclose(straight.d_Q, shuffled.d_Q, rtol=1e-12, atol=1e-11)


@settings(deadline=None, max_examples=60)
@given(SIZES, SIZE)
def test_a_vector_added_to_every_key_changes_nothing(sizes, size):
    Q, K, V, _, mask = draw(sizes, size)
    shift = np.random.default_rng(sizes[4]).standard_normal(K.shape[1])
    here, there = attention(Q, K, V, mask=mask), attention(Q, K + shift, V, mask=mask)
    # The scores move by up to about 200, whose rounding is 200 eps = 5e-14 each.
    assert np.allclose(here.attention_weights, there.attention_weights, rtol=0, atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(SIZES, SIZE)
def test_rows_of_the_score_gradient_sum_to_zero_and_keys_feel_no_common_shift(sizes, size):
    Q, K, V, d_output, mask = draw(sizes, size)
    gradients = attention_backward(Q, K, V, d_output, mask=mask)
    assert np.abs(gradients.d_scaled_scores.sum(axis=1)).max() < 1e-12
    assert (gradients.d_scaled_scores[~mask] == 0).all()
    assert np.abs(gradients.d_K.sum(axis=0)).max() < 1e-12 * (1 + np.abs(Q).sum())


@settings(deadline=None, max_examples=60)
@given(SIZES, SIZE)
def test_the_gradient_at_the_scale_agrees_with_the_one_at_q(sizes, size):
    Q, K, V, d_output, mask = draw(sizes, size)
    gradients = attention_backward(Q, K, V, d_output, scale=0.7, mask=mask)
    # Multiplying Q by t and the scale by t are the same thing (Euler's relation): <dQ, Q> = c dc.
    terms = gradients.d_Q * Q
    assert abs(terms.sum() - 0.7 * gradients.d_scale) < 1e-12 * (1 + np.abs(terms).sum())
