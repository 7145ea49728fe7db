import math

import numpy as np
import pytest

from sattn_core.lessons.scaling_rules import EXPONENT_DIMS, BugParams, ExponentParams, measure_bug, measure_exponents


@pytest.mark.parametrize("correlation", [0.0, 0.5, -0.9])
def test_measured_moments_are_within_their_errors(correlation):
    curves = measure_exponents(ExponentParams(correlation=correlation, n_samples=20_000, seed=3)).curves
    for curve in curves:
        assert (np.abs(curve.variance - curve.variance_theory) < 4 * curve.variance_error).all()
        assert (np.abs(curve.mean - curve.mean_theory) < 4 * curve.mean_error).all()


def test_errors_are_those_of_repeated_draws():
    runs = [measure_exponents(ExponentParams(correlation=0.5, n_samples=100, seed=i)).curves[0] for i in range(200)]
    for name in ("variance", "mean"):
        z = np.array([(getattr(c, name) - getattr(c, f"{name}_theory")) / getattr(c, f"{name}_error") for c in runs])
        kurtosis = (z**4).mean(axis=0) / (z**2).mean(axis=0) ** 2
        assert z.shape == (200, len(EXPONENT_DIMS))
        assert (np.abs(z.var(axis=0) - 1) < 4 * np.sqrt(kurtosis / 200)).all()


def test_a_bug_against_pytorch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed; CI compares with it")
    # The right computation is what PyTorch does by default: equal outputs would give a cosine of 1, so the
    # cosine of the two must come out the same when PyTorch computes both sides from the same numbers.
    from sattn_core.initialisation import init_scheme
    from sattn_core.layer_norm import layer_norm

    E, H, n = 32, 4, 10
    rng = np.random.Generator(np.random.SFC64(5))
    x = layer_norm(rng.standard_normal((n, E)))
    weights = init_scheme("xavier_square").draw(rng, E, H, (3, E, E))
    Q, K, V = (torch.tensor((x @ W).reshape(n, H, E // H).swapaxes(0, 1).copy()) for W in weights)
    attend = torch.nn.functional.scaled_dot_product_attention
    right, wrong = attend(Q, K, V).flatten(), attend(Q, K, V, scale=1.0).flatten()
    cosine = float(right @ wrong / (right.norm() * wrong.norm()))
    result = measure_bug(BugParams("forgotten", E, H, n, seed=5))
    assert math.isclose(result.output_cosine, cosine, rel_tol=1e-12)
    assert math.isclose(result.output_error, float((wrong - right).norm() / right.norm()), rel_tol=1e-12)
