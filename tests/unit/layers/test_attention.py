import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sattn_core.layers.attention import _forward, attention, attention_backward

Q = np.array([[1.0, 0.0], [0.0, 2.0]])
K = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
V = np.array([[1.0], [2.0], [4.0]])
ONES = np.ones((2, 1))


def test_attention_steps_by_hand():
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


def test_scale_zero_attends_evenly_and_negative_scales_work():
    assert np.array_equal(attention(Q, K, V, scale=0).attention_weights, np.full((2, 3), 1 / 3))
    assert np.argmax(attention(Q, K, V, scale=-1).attention_weights[1]) == 1


def test_huge_scores_do_not_overflow():
    weights = attention([[1e150]], [[1e150], [-1e150]], [[1.0], [2.0]], scale=1).attention_weights
    assert np.array_equal(weights, [[1.0, 0.0]])


def test_true_in_the_mask_allows_attention():
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


def test_d_scale_is_the_product_of_d_scaled_scores_and_raw_scores():
    gradients = attention_backward([[1.0]], [[1.0], [3.0]], np.eye(2), [[0.0, 1.0]], scale=0)
    assert np.array_equal(gradients.d_scaled_scores, [[-0.25, 0.25]])
    assert gradients.d_scale == 0.5
    assert type(gradients.d_scale) is float


def test_batch_equals_a_loop_over_its_entries():
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
def test_bad_values_are_refused_by_name(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        attention(*arguments, **options)
    with pytest.raises(ValueError, match=message):
        attention_backward(*arguments, ONES, **options)


def test_wrong_types_are_refused_by_name():
    with pytest.raises(TypeError, match="mask must be boolean, True = may attend, but got dtype int64"):
        attention(Q, K, V, mask=np.ones((2, 3), np.int64))
    with pytest.raises(TypeError, match="scale must be a real number"):
        attention(Q, K, V, scale="1")


def test_bad_d_output_is_refused():
    with pytest.raises(ValueError, match=r"d_output must have the output's shape \(2, 1\), but got \(1, 1\)"):
        attention_backward(Q, K, V, [[1.0]])
    with pytest.raises(ValueError, match="d_Q must be finite, but the inputs are so large"):
        attention_backward(Q, K, V * 1e200, ONES * 1e200)


# --- properties --------------------------------------------------------------------------------------


SIZES = st.tuples(*[st.integers(1, 6)] * 4, st.integers(0, 2**32 - 1))
SIZE = st.floats(0.01, 30)


def draw(sizes, size):
    n_queries, n_keys, d_k, d_v, seed = sizes
    rng = np.random.default_rng(seed)
    shapes = (n_queries, d_k), (n_keys, d_k), (n_keys, d_v), (n_queries, d_v)
    Q, K, V, d_output = (rng.standard_normal(shape) for shape in shapes)
    return size * Q, K, V, d_output, rng.random((n_queries, n_keys)) < 0.7


@given(SIZES, SIZE)
def test_rows_of_d_scaled_scores_and_columns_of_d_K_sum_to_zero(sizes, size):
    Q, K, V, d_output, mask = draw(sizes, size)
    gradients = attention_backward(Q, K, V, d_output, mask=mask)
    assert np.abs(gradients.d_scaled_scores.sum(axis=1)).max() < 1e-12
    assert (gradients.d_scaled_scores[~mask] == 0).all()
    assert np.abs(gradients.d_K.sum(axis=0)).max() < 1e-12 * (1 + np.abs(Q).sum())


@given(SIZES, SIZE)
def test_gradient_of_the_scale_agrees_with_the_gradient_of_q(sizes, size):
    Q, K, V, d_output, mask = draw(sizes, size)
    gradients = attention_backward(Q, K, V, d_output, scale=0.7, mask=mask)
    # Multiplying Q by t or the scale by t has the same effect (Euler's relation): <dQ, Q> = c dc.
    terms = gradients.d_Q * Q
    assert abs(terms.sum() - 0.7 * gradients.d_scale) < 1e-12 * (1 + np.abs(terms).sum())


# --- oracles -----------------------------------------------------------------------------------------


RNG = np.random.default_rng(20)
CASES = {
    "plain": ((4, 8), (5, 8), (5, 3), None, None),
    "one key": ((3, 2), (1, 2), (1, 2), None, None),
    "batch and heads": ((2, 3, 4, 8), (2, 3, 5, 8), (2, 3, 5, 3), None, 0.4),
    "broadcast batch": ((2, 1, 4, 8), (1, 3, 5, 8), (3, 5, 3), None, None),
    "several V for one set of scores": ((4, 8), (5, 8), (6, 5, 3), None, None),
    "V with more batch axes than the scores": ((3, 4, 8), (5, 8), (2, 1, 5, 3), np.tril(np.ones((4, 5), bool)), None),
    "causal": ((5, 8), (5, 8), (5, 3), np.tril(np.ones((5, 5), bool)), None),
    "key padding, broadcast over heads and queries": (
        (2, 3, 4, 8),
        (2, 3, 5, 8),
        (2, 3, 5, 3),
        RNG.random((2, 1, 1, 5)) < 0.7,
        None,
    ),
    "fully masked rows": ((4, 8), (5, 8), (5, 3), np.arange(4)[:, None] % 2 == np.zeros((1, 5)), None),
    "mask of one row": ((4, 8), (5, 8), (5, 3), np.array([True, False, True, True, False]), 1.3),
}


def inputs(case):
    shape_q, shape_k, shape_v, mask, scale = CASES[case]
    rng = np.random.default_rng(sorted(CASES).index(case))
    Q, K, V = (rng.standard_normal(shape) for shape in (shape_q, shape_k, shape_v))
    d_output = rng.standard_normal(attention(Q, K, V, scale=scale, mask=mask).output.shape)
    return Q, K, V, d_output, mask, scale


@pytest.mark.parametrize("case", CASES)
def test_output_and_gradients_match_pytorch(case, torch):
    Q, K, V, d_output, mask, scale = inputs(case)
    leaves = [torch.tensor(array, requires_grad=True) for array in (Q, K, V)]
    torch_mask = None if mask is None else torch.tensor(mask)
    output = torch.nn.functional.scaled_dot_product_attention(*leaves, attn_mask=torch_mask, scale=scale)
    output.backward(torch.tensor(d_output))
    gradients = attention_backward(Q, K, V, d_output, scale=scale, mask=mask)
    # Sums of at most 8 x 6 terms of size about 1 to 10: rounding stays near 1e-14.
    steps = attention(Q, K, V, scale=scale, mask=mask)
    assert np.allclose(steps.output, output.detach().numpy(), rtol=0, atol=1e-12)
    for ours, leaf in zip((gradients.d_Q, gradients.d_K, gradients.d_V), leaves, strict=True):
        assert np.allclose(ours, leaf.grad.numpy(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("case", [case for case in CASES if "fully" not in case])
def test_inner_gradients_match_autograd(case, torch):
    Q, K, V, d_output, mask, scale = inputs(case)
    q, k, v = (torch.tensor(array) for array in (Q, K, V))
    c = torch.tensor(Q.shape[-1] ** -0.5 if scale is None else scale, dtype=torch.float64, requires_grad=True)
    scaled = c * (q @ k.transpose(-1, -2))
    scaled.retain_grad()
    masked = scaled if mask is None else scaled.masked_fill(~torch.tensor(mask), -torch.inf)
    weights = torch.softmax(masked, dim=-1)
    weights.retain_grad()
    out = weights @ v
    out.backward(torch.tensor(d_output))
    gradients = attention_backward(Q, K, V, d_output, scale=scale, mask=mask)
    inner = {"d_attention_weights": weights.grad, "d_scaled_scores": scaled.grad, "d_scale": c.grad}
    for name, expected in inner.items():
        assert np.allclose(getattr(gradients, name), expected.numpy(), rtol=0, atol=1e-12), name


def loss_along(case, name):
    """Return the loss along a random direction of one input, its slope by our gradient, and the gradient's norm."""
    Q, K, V, d_output, mask, scale = inputs(case)
    values = {"Q": Q, "K": K, "V": V, "scale": Q.shape[-1] ** -0.5 if scale is None else scale}
    direction = np.random.default_rng(7).standard_normal(np.shape(values[name]))

    def loss(t):
        moved = {**values, name: values[name] + t * direction}
        return np.sum(d_output * _forward(moved["Q"], moved["K"], moved["V"], moved["scale"], mask).output)

    gradients = attention_backward(Q, K, V, d_output, mask=mask, scale=scale)
    gradient = getattr(gradients, f"d_{name}")
    return loss, np.sum(gradient * direction), np.linalg.norm(gradient)


@pytest.mark.parametrize("name", ["Q", "K", "V", "scale"])
@pytest.mark.parametrize("case", CASES)
def test_gradients_agree_with_complex_steps(case, name):
    loss, slope, size = loss_along(case, name)
    # The complex step has no cancellation, so only rounding of the sums remains.
    assert abs(np.imag(loss(1e-30j)) / 1e-30 - slope) <= 1e-13 * max(size, abs(slope), 1)


def test_gradient_keeps_its_digits_when_one_weight_is_nearly_one():
    d_S = attention_backward([[1.0]], [[40.0], [0.0]], [[0.3], [1.0]], [[1.0]], scale=1).d_scaled_scores
    # mpmath, 40 digits: p (1 - p) (0.3 - 1) with p = 1/(1 + exp(-40)):
    #   mpmath.mp.dps = 40; p = 1/(1 + mpmath.exp(-40)); print(p*(1-p)*(mpmath.mpf(0.3)-1))
    assert np.allclose(d_S, [[-2.973847978704112246e-18, 2.973847978704112246e-18]], rtol=1e-14, atol=0)
