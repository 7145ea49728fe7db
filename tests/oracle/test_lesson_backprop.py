import numpy as np
import pytest

from sattn_core.lessons.backprop import MASKS, BackpropParams, _forward_backward, _layer, measure_backprop


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
