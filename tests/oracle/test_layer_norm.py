import numpy as np
import pytest

from sattn_core.layer_norm import layer_norm


@pytest.mark.parametrize("eps", [1e-5, 1e-2])
def test_pytorch_agrees(eps):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")
    x = 3.0 * np.random.default_rng(0).standard_normal((4, 7, 33)) + 100.0
    expected = torch.nn.functional.layer_norm(torch.tensor(x), (33,), eps=eps).numpy()
    # Both subtract a mean of 100 from numbers of size 100: rounding is 1e-14 of that.
    assert np.allclose(layer_norm(x, eps), expected, rtol=0, atol=1e-12)
