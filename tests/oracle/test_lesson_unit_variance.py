import math

import numpy as np
import pytest

from sattn_core.lessons.unit_variance import UnitVarianceParams, measure_shared_input, measure_unit_variance

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
