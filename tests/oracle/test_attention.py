import numpy as np
import pytest

from sattn_core.attention import _forward, attention, attention_backward

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


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")


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
    """Loss as a function of t along a random direction of one input, and its derivative by our gradient."""
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
def test_complex_step(case, name):
    loss, slope, size = loss_along(case, name)
    # The complex step has no cancellation, so only rounding of the sums remains.
    assert abs(np.imag(loss(1e-30j)) / 1e-30 - slope) <= 1e-13 * max(size, abs(slope), 1)


@pytest.mark.parametrize("name", ["Q", "K", "V", "scale"])
@pytest.mark.parametrize("case", CASES)
def test_central_difference(case, name):
    loss, slope, size = loss_along(case, name)
    h = 6e-6  # about eps^(1/3), where truncation h^2 and rounding eps/h balance near 4e-11
    assert abs((loss(h) - loss(-h)) / (2 * h) - slope) <= 2e-8 * max(size, abs(slope), 1)


@pytest.mark.parametrize("case", CASES)
def test_the_row_mean_of_d_p_is_also_output_times_d_output(case):
    Q, K, V, d_output, mask, scale = inputs(case)
    steps = attention(Q, K, V, scale=scale, mask=mask)
    d_P = attention_backward(Q, K, V, d_output, scale=scale, mask=mask).d_attention_weights
    by_weights = np.sum(steps.attention_weights * d_P, -1)
    by_output = np.sum(steps.output * d_output, -1).reshape(-1, *by_weights.shape).sum(axis=0)
    assert np.allclose(by_weights, by_output, rtol=0, atol=1e-12)


def test_the_gradient_keeps_its_digits_when_one_weight_is_nearly_one():
    d_S = attention_backward([[1.0]], [[40.0], [0.0]], [[0.3], [1.0]], [[1.0]], scale=1).d_scaled_scores
    # mpmath, 40 digits: p (1 - p) (0.3 - 1) with p = 1/(1 + exp(-40)):
    #   mpmath.mp.dps = 40; p = 1/(1 + mpmath.exp(-40)); print(p*(1-p)*(mpmath.mpf(0.3)-1))
    assert np.allclose(d_S, [[-2.973847978704112246e-18, 2.973847978704112246e-18]], rtol=1e-14, atol=0)


def test_a_constant_value_matrix_stops_the_gradient_at_the_scores():
    gradients = attention_backward(np.eye(3), np.eye(3), np.ones((3, 2)), np.ones((3, 2)))
    assert np.abs(gradients.d_Q).max() < 1e-15
