import numpy as np
import pytest

from sattn_core.attention import AttentionGradients, AttentionSteps, attention, attention_backward

Q = np.array([[1.0, 0.0], [0.0, 2.0]])
K = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
V = np.array([[1.0], [2.0], [4.0]])
ONES = np.ones((2, 1))


def test_steps_by_hand():
    steps = attention(Q, K, V)
    raw = np.array([[1.0, 2.0, 0.0], [2.0, 0.0, 6.0]])
    exponentials = np.exp(raw / np.sqrt(2))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    assert np.array_equal(steps.raw_scores, raw)
    assert np.allclose(steps.scaled_scores, raw / np.sqrt(2), rtol=1e-15, atol=0)
    assert steps.masked_scores is steps.scaled_scores
    assert np.allclose(steps.attention_weights, weights, rtol=1e-13, atol=0)
    assert np.allclose(steps.output, weights @ V, rtol=1e-13, atol=0)


@pytest.mark.parametrize("d_k", [2, 3, 4, 16, 64, 512])
def test_default_scale_is_one_over_the_square_root_of_d_k(d_k):
    scaled = attention(np.ones((1, d_k)), np.ones((1, d_k)), [[1.0]]).scaled_scores
    assert abs(scaled[0, 0] - np.sqrt(d_k)) < 1e-12


def test_the_notes_lists():
    weights = attention([[1.0]], [[4.0], [5.0]], [[0.0], [0.0]]).attention_weights
    assert np.allclose(weights, [[0.268941, 0.731059]], rtol=0, atol=5e-7)
    weights = attention([[1.0]], [[1.0], [10.0]], [[0.0], [0.0]]).attention_weights
    assert np.allclose(weights, [[1.23395e-4, 0.999877]], rtol=0, atol=5e-7)


def test_scale_zero_attends_evenly_and_negative_scales_work():
    assert np.array_equal(attention(Q, K, V, scale=0).attention_weights, np.full((2, 3), 1 / 3))
    assert np.argmax(attention(Q, K, V, scale=-1).attention_weights[1]) == 1


def test_huge_scores_do_not_overflow():
    weights = attention([[1e150]], [[1e150], [-1e150]], [[1.0], [2.0]], scale=1).attention_weights
    assert np.array_equal(weights, [[1.0, 0.0]])


def test_mask_true_may_attend():
    steps = attention(Q, K, V, mask=[[True, False, True], [True, True, True]])
    assert steps.masked_scores[0, 1] == -np.inf
    assert steps.attention_weights[0, 1] == 0.0
    assert np.isfinite(steps.scaled_scores).all()
    kept = np.exp(np.array([1.0, 0.0]) / np.sqrt(2))
    assert np.allclose(steps.attention_weights[0, [0, 2]], kept / kept.sum(), rtol=1e-13, atol=0)


def test_fully_masked_row_is_zero_forward_and_backward():
    mask = [[False, False, False], [True, True, False]]
    steps = attention(Q, K, V, mask=mask)
    assert np.array_equal(steps.attention_weights[0], [0, 0, 0])
    assert np.array_equal(steps.output[0], [0])
    gradients = attention_backward(Q, K, V, ONES, mask=mask)
    assert np.array_equal(gradients.d_Q[0], [0, 0])
    assert np.array_equal(gradients.d_scaled_scores[0], [0, 0, 0])
    assert np.array_equal(gradients.d_K[2], [0, 0])
    assert np.array_equal(gradients.d_V[2], [0])


def test_backward_by_hand_at_two_equal_scores():
    gradients = attention_backward([[1.0, 0.0]], [[4.0, 1.0], [4.0, 2.0]], np.eye(2), [[1.0, 0.0]], scale=0.5)
    d_S = np.array([[0.25, -0.25]])
    assert np.array_equal(gradients.d_attention_weights, [[1.0, 0.0]])
    assert np.array_equal(gradients.d_scaled_scores, d_S)
    assert np.array_equal(gradients.d_V, [[0.5, 0.0], [0.5, 0.0]])
    assert np.array_equal(gradients.d_Q, [[0.0, 0.5 * 0.25 * (1 - 2)]])
    assert np.array_equal(gradients.d_K, [[0.125, 0.0], [-0.125, 0.0]])
    assert gradients.d_scale == 0.0


def test_d_scale_is_the_inner_product_with_the_raw_scores():
    gradients = attention_backward([[1.0]], [[1.0], [3.0]], np.eye(2), [[0.0, 1.0]], scale=0)
    assert np.array_equal(gradients.d_scaled_scores, [[-0.25, 0.25]])
    assert gradients.d_scale == 0.5
    assert type(gradients.d_scale) is float


def test_batches_equal_a_loop():
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal((3, 2, *shape)) for shape in ((4, 5), (6, 5), (6, 2)))
    d_output = rng.standard_normal((3, 2, 4, 2))
    together, back = attention(q, k, v), attention_backward(q, k, v, d_output)
    for b in np.ndindex(3, 2):
        one = attention_backward(q[b], k[b], v[b], d_output[b])
        assert np.allclose(together.output[b], attention(q[b], k[b], v[b]).output, rtol=0, atol=1e-13)
        assert np.allclose(back.d_Q[b], one.d_Q, rtol=0, atol=1e-13)
        assert np.allclose(back.d_K[b], one.d_K, rtol=0, atol=1e-13)
        assert np.allclose(back.d_V[b], one.d_V, rtol=0, atol=1e-13)


def test_gradient_of_a_broadcast_input_is_summed_over_the_batch():
    rng = np.random.default_rng(2)
    q, k, v = rng.standard_normal((3, 4, 5)), rng.standard_normal((6, 5)), rng.standard_normal((1, 6, 2))
    d_output = rng.standard_normal((3, 4, 2))
    gradients = attention_backward(q, k, v, d_output)
    each = [attention_backward(q[b], k, v[0], d_output[b]) for b in range(3)]
    assert gradients.d_K.shape == (6, 5)
    assert gradients.d_V.shape == (1, 6, 2)
    assert np.allclose(gradients.d_K, sum(g.d_K for g in each), rtol=0, atol=1e-13)
    assert np.allclose(gradients.d_V[0], sum(g.d_V for g in each), rtol=0, atol=1e-13)
    assert abs(gradients.d_scale - sum(g.d_scale for g in each)) < 1e-12


def test_one_query_and_one_key():
    steps = attention([[3.0]], [[2.0]], [[7.0, 8.0]])
    assert np.array_equal(steps.attention_weights, [[1.0]])
    assert np.array_equal(steps.output, [[7.0, 8.0]])


def test_results_are_float64():
    steps, gradients = attention([[1]], [[1]], [[1]]), attention_backward([[1]], [[1]], [[1]], [[1]])
    assert isinstance(steps, AttentionSteps)
    assert isinstance(gradients, AttentionGradients)
    assert steps.output.dtype == gradients.d_Q.dtype == np.float64


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((Q, K[:, :1], V), {}, r"Q and K must have the same d_k .* \(2, 2\) and \(3, 1\)"),
        ((Q, K, V[:2]), {}, r"K and V must have the same n_keys .* \(3, 2\) and \(2, 1\)"),
        ((Q[0], K, V), {}, r"Q must have at least 2 dimension"),
        ((Q[:0], K, V), {}, r"Q must have at least one entry on every axis, but got shape \(0, 2\)"),
        ((np.ones((2, 2, 2)), np.ones((3, 3, 2)), V), {}, r"batch axes of Q, K and V must broadcast"),
        ((Q, K, V), {"scale": np.inf}, "scale must be a finite number"),
        ((Q, K, V), {"mask": np.ones((2, 2), bool)}, r"mask must broadcast to .* \(2, 3\), but got \(2, 2\)"),
        ((Q, K, V), {"mask": np.ones((4, 2, 3), bool)}, r"mask must broadcast to .* but got \(4, 2, 3\)"),
        ((Q * 1e200, K * 1e200, V), {}, "scale times Q K\\^T must be finite"),
    ],
)
def test_bad_values_are_named(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        attention(*arguments, **options)
    with pytest.raises(ValueError, match=message):
        attention_backward(*arguments, ONES, **options)


def test_wrong_types_are_named():
    with pytest.raises(TypeError, match="mask must be boolean, True = may attend, but got dtype int64"):
        attention(Q, K, V, mask=np.ones((2, 3), np.int64))
    with pytest.raises(TypeError, match="scale must be a real number"):
        attention(Q, K, V, scale="1")


def test_d_output_is_checked():
    with pytest.raises(ValueError, match=r"d_output must have the output's shape \(2, 1\), but got \(1, 1\)"):
        attention_backward(Q, K, V, [[1.0]])
    with pytest.raises(ValueError, match="d_Q must be finite, but the inputs are so large"):
        attention_backward(Q, K, V * 1e200, ONES * 1e200)
