import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid

from sattn_core.components import COMPONENT_LAWS
from sattn_core.initialisation import init_scheme
from sattn_core.lessons import unit_variance
from sattn_core.lessons.unit_variance import (
    UnitVarianceParams,
    _heads,
    _project,
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
    "a wide layer": {"d_model": 520, "scheme": "xavier_square"},
    "a wide layer with bias": {"d_model": 520, "scheme": "torch_linear", "bias": True},
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


@pytest.mark.parametrize("case", [{}, {"scheme": "torch_linear", "bias": True}, {"normalise": False, "x_mean": 2.0}])
def test_without_weights_q_and_scores_are_distributed_as_with_them(monkeypatch, case):
    options = {"d_model": 24, "n_heads": 6, "n_tokens": 5, "scheme": "he_normal"} | case
    params, runs = UnitVarianceParams(**options), 4_000
    x = np.random.default_rng(3).standard_normal((params.n_tokens, params.d_model)) + params.x_mean
    monkeypatch.setattr(unit_variance, "init_scheme", lambda name: replace(init_scheme(name), weights="normal"))
    drawn = []
    for widest in (512, 0):  # every weight, then none
        monkeypatch.setattr(unit_variance, "_EACH_WEIGHT", widest)
        rng = np.random.default_rng(widest)
        pairs = [[_heads(_project(params, x, rng), params) for _ in range(2)] for _ in range(runs)]
        q, k = np.array(pairs).swapaxes(0, 1)  # (run, head, token, component)
        scores = q @ k.swapaxes(-1, -2)
        first, score = q[:, 0, 0, 0], scores[:, 0, 0, 1]
        others = first * q[:, 0, 1, 0], first * q[:, 1, 0, 1], score * scores[:, 0, 0, 2], score * scores[:, 0, 1, 2]
        drawn.append([first, score, *others])
    for with_weights, without in zip(*drawn, strict=True):
        for power in (1, 2):
            one, other = with_weights**power, without**power
            assert abs(one.mean() - other.mean()) < 4 * math.sqrt((one.var() + other.var()) / runs)
        distance = stats.ks_2samp(with_weights, without).statistic
        assert distance < 2.2 * math.sqrt(2 / runs)  # passed by one of 8,000 pairs of equal distributions


@pytest.mark.parametrize("law", ["normal", "sparse"])
def test_wide_sums_of_uniform_weights_are_nearly_normal(law):
    # The distribution of Σ x_j U_j by inversion: Var U = 1, so that its characteristic function is Π sinc(√3 x_j t).
    x = COMPONENT_LAWS[law].draw(np.random.default_rng(0), 520)
    x /= np.sqrt(np.square(x).sum())
    t = np.linspace(1e-6, 12, 20_001)
    difference = np.exp(-(t**2) / 2) - np.prod(np.sinc(math.sqrt(3) / math.pi * x[:, None] * t), axis=0)
    places = np.linspace(0, 5, 101)
    apart = trapezoid(difference / t * np.sin(places[:, None] * t), t, axis=1) / math.pi
    assert 1e-5 < np.abs(apart).max() < 0.002


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
