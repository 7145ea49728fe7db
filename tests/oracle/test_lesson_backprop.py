import numpy as np
import pytest

from sattn_core.lessons.backprop import (
    MASKS,
    BackpropParams,
    _forward_backward,
    _layer,
    gradient_sweep,
    measure_backprop,
)


@pytest.mark.parametrize("mask", [mask for mask in MASKS if mask != "fully_masked"])
@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_gradients_match_autograd(mask, exponent):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")
    params = BackpropParams(n_tokens=5, d_model=8, mask=mask, exponent=exponent, seed=3)
    layer = _layer(params)
    leaf = {"dtype": torch.float64, "requires_grad": True}
    at = {name: torch.tensor(value, **leaf) for name, value in layer.inputs.items()}
    for name in "QKV":
        at[name] = at["X"] @ at[f"W_{name}"]
    at["S"] = at["scale"] * (at["Q"] @ at["K"].T)
    masked = at["S"] if layer.mask is None else at["S"].masked_fill(~torch.tensor(layer.mask), -torch.inf)
    at["P"] = torch.softmax(masked, dim=-1)
    for array in at.values():
        array.retain_grad()
    (0.5 * ((at["P"] @ at["V"] - torch.tensor(layer.target)) ** 2).sum()).backward()
    for check in measure_backprop(params).gradients:
        # Gradients of size about 1 to 10, sums of at most 8 terms three times over: rounding near 1e-14.
        assert np.allclose(check.gradient, at[check.name].grad.numpy(), rtol=0, atol=1e-12), check.name


@pytest.mark.parametrize("exponent", [0.0, 0.5])
def test_a_long_layer_s_gradient_at_the_raw_scores_is_that_of_complex_steps(exponent):
    # The loss as a function of the raw scores alone, written here anew: 16 entries at any d_k.
    params = BackpropParams(d_k=700, exponent=exponent, seed=4)
    inputs, target = _layer(params).inputs, _layer(params).target
    raw = inputs["X"] @ inputs["W_Q"] @ (inputs["X"] @ inputs["W_K"]).T
    V = inputs["X"] @ inputs["W_V"]
    found = np.empty((4, 4))
    for at in np.ndindex(4, 4):
        moved = raw.astype(complex)
        moved[at] += 1e-30j
        scaled = moved * 700.0**-exponent
        weights = np.exp(scaled - scaled.real.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        found[at] = (0.5 * ((weights @ V - target) ** 2).sum()).imag / 1e-30
    sweep = gradient_sweep(params, (700,))
    size = np.linalg.norm(found)
    assert size > 1e-4
    assert sweep.raw_score_norms[0] == pytest.approx(size, rel=1e-10)  # rounding of scores near 100, exponentiated
    assert np.allclose(sweep.scales[0] * sweep.gradients[0]["S"], found, rtol=0, atol=1e-10 * size)


def test_the_fully_masked_layer_equals_the_layer_without_its_first_output():
    params = BackpropParams(n_tokens=4, mask="fully_masked")
    result = measure_backprop(params)
    d_Q, d_S = result.gradients[3].gradient, result.gradients[2].gradient
    assert np.array_equal(d_Q[0], np.zeros(4))
    assert np.array_equal(d_S[0], np.zeros(4))
    layer = _layer(params)
    steps, d_output, _ = _forward_backward(layer)
    assert np.array_equal(steps.output[0], np.zeros(3))
    assert np.array_equal(d_output[0], -layer.target[0])
