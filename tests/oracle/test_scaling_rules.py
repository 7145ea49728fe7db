import math

import numpy as np
import pytest
from scipy.optimize import minimize

from sattn_core.scaling_rules import SCALING_RULES, min_entropy_bound
from sattn_core.softmax import entropy_nats


def test_the_default_of_pytorch_is_the_rule_of_vaswani():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")
    Q, K = np.random.default_rng(0).standard_normal((2, 6, 24))
    scores = torch.tensor(SCALING_RULES["vaswani"].apply(Q @ K.T, d_k=24))
    expected = torch.nn.functional.scaled_dot_product_attention(
        torch.tensor(Q), torch.tensor(K), torch.eye(6, dtype=torch.float64)
    )
    # Sums of 24 terms of size 1: rounding below 1e-14.
    assert np.allclose(torch.softmax(scores, -1).numpy(), expected.numpy(), rtol=0, atol=1e-13)


@pytest.mark.parametrize("sigma", [0.5, 2.0, 6.0])
def test_no_search_finds_less_entropy_than_the_bound(sigma):
    n = 6

    def entropy(row):
        return float(entropy_nats(sigma * row / np.linalg.norm(row)))

    starts = np.random.default_rng(1).standard_normal((6, n))
    found = min(minimize(entropy, start, method="BFGS").fun for start in starts)
    # BFGS stops at a gradient of 1e-5, where the entropy is flat to about 1e-9.
    assert abs(found - min_entropy_bound(sigma, n)) < 1e-6
    assert found > min_entropy_bound(sigma, n) - 1e-12


def test_cosines_of_independent_vectors_have_variance_1_over_d():
    d, n = 16, 4000
    Q, K = np.random.default_rng(2).standard_normal((2, n, 1, d))
    cosines = SCALING_RULES["qk_norm"].apply(Q @ K.swapaxes(-1, -2), Q=Q, K=K, qk_norm_gain=1.0).ravel()
    # E cos⁴ = 3/(d (d + 2)), so Var(cos²) = 2 (d − 1)/(d² (d + 2)).
    error = math.sqrt(2 * (d - 1) / (d**2 * (d + 2)) / n)
    assert abs(np.square(cosines).mean() - 1 / d) < 4 * error
