import math

import numpy as np
import pytest

from sattn_core.lessons.unit_variance import (
    UnitVarianceParams,
    expected_stages,
    measure_shared_input,
    measure_unit_variance,
)

RUNS = 300
CASES = {
    "uniform weights": {},
    "normal weights": {"scheme": "he_normal"},
    "bias in a narrow layer": {"scheme": "torch_linear", "bias": True, "d_model": 16, "n_heads": 2},
    "many tokens in a narrow layer": {"d_model": 8, "n_heads": 4, "n_tokens": 64},
    "no LayerNorm": {"normalise": False, "x_mean": 2.0, "x_std": 0.5},
    "heavy tails": {"law": "sparse", "d_model": 64},
}


@pytest.mark.parametrize("case", CASES)
def test_errors_of_q_k_and_scores_are_exact(case):
    options = {"d_model": 32, "n_heads": 4, "n_tokens": 12} | CASES[case]
    z = np.array(
        [
            [stage.z for stage in measure_unit_variance(UnitVarianceParams(**options, seed=i)).stages[-4:]]
            for i in range(RUNS)
        ]
    )
    assert (np.abs(z.mean(axis=0)) < 4 / math.sqrt(RUNS)).all()
    fourth = ((z - z.mean(axis=0)) ** 4).mean(axis=0) / z.var(axis=0) ** 2
    assert (np.abs(z.var(axis=0) - 1) < 4 * np.sqrt((fourth - 1) / RUNS)).all()


@pytest.mark.parametrize("x", [{}, {"normalise": False, "x_mean": 1.0, "x_std": 2.0}])
def test_tied_and_same_vectors_against_monte_carlo(x):
    # Normal weights, few components: the square of tied weights has a term that grows with d_k + 1.
    options = {"d_model": 24, "n_heads": 12, "n_tokens": 6, "scheme": "lecun_normal"} | x
    runs = [measure_shared_input(UnitVarianceParams(**options, seed=i)) for i in range(RUNS)]
    for which in range(3):
        rows = [run[which] for run in runs]
        predicted_square = [row.predicted_off_diagonal_std**2 + row.predicted_off_diagonal_mean**2 for row in rows]
        measured_square = [row.off_diagonal_std**2 + row.off_diagonal_mean**2 for row in rows]
        for gap in (
            np.subtract(measured_square, predicted_square),
            np.array([row.diagonal_mean - row.predicted_diagonal_mean for row in rows]),
            np.array([row.off_diagonal_mean - row.predicted_off_diagonal_mean for row in rows]),
        ):
            assert abs(gap.mean()) < 4 * gap.std() / math.sqrt(RUNS) + 1e-12, (rows[0].name, gap.mean(), gap.std())


@pytest.mark.parametrize("x", [{}, {"x_mean": 2.0, "x_std": 0.5, "normalise": False}, {"bias": True}])
def test_what_is_expected_against_monte_carlo(x):
    # Two tokens, fresh x and weights every time: the score of one with the other, drawn without the lesson's code.
    rng, runs, d_k, heads = np.random.default_rng(12), 20_000, 4, 2
    width = d_k * heads
    drawn = x.get("x_mean", 0.0) + x.get("x_std", 1.0) * rng.standard_normal((runs, 2, width))
    if x.get("normalise", True):
        centred = drawn - drawn.mean(axis=-1, keepdims=True)
        drawn = centred / np.sqrt(np.square(centred).mean(axis=-1, keepdims=True))
    W = rng.uniform(-1, 1, (runs, 2, width + 1, d_k)) / math.sqrt(width)  # as nn.Linear draws weights and bias
    inputs = np.concatenate([drawn, np.full((runs, 2, 1), float(x.get("bias", False)))], axis=-1)
    q, k = (np.einsum("re,red->rd", inputs[:, i], W[:, i]) for i in range(2))
    sweep = expected_stages((d_k,), n_heads=heads, **x)
    *_, q_std, _, raw, scaled = sweep.std[sweep.schemes.index("torch_linear"), 0]
    scores = (q * k).sum(axis=1)
    for values, expected in ((q[:, 0], q_std), (scores, raw), (scores / math.sqrt(d_k), scaled)):
        squares = np.square(values)
        assert abs(squares.mean() - expected**2) < 4 * squares.std() / math.sqrt(runs)
