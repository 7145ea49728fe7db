import numpy as np
import pytest
from scipy import special

from sattn_core.lessons.attention_steps import measure_attention_steps, preset_params


def test_weights_and_entropy_against_scipy():
    result = measure_attention_steps(preset_params("random", n_queries=16, n_keys=16, d_k=64))
    for steps, rows in ((result.scaled, result.scaled_rows), (result.unscaled, result.unscaled_rows)):
        weights = special.softmax(steps.scaled_scores, axis=1)
        # SciPy subtracts the maximum too; both round each exponential once.
        assert np.allclose(steps.attention_weights, weights, rtol=1e-13, atol=1e-300)
        assert np.allclose(np.log(rows.effective_keys), special.entr(weights).sum(axis=1), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("preset", ["causal", "padding", "fully_masked"])
def test_masked_outputs_against_pytorch(preset):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")
    params = preset_params(preset, n_queries=5, n_keys=6)
    tensors = [torch.tensor(matrix, dtype=torch.float64) for matrix in (params.Q, params.K, params.V)]
    attend = torch.nn.functional.scaled_dot_product_attention
    expected = attend(*tensors, attn_mask=torch.tensor(params.mask)).numpy()
    # Averages of values below 4: rounding stays near 1e-15.
    assert np.allclose(measure_attention_steps(params).scaled.output, expected, rtol=0, atol=1e-12)
