import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import trapezoid

from sattn_core.laws.components import COMPONENT_LAWS
from sattn_core.layers.initialisation import INIT_SCHEMES, init_scheme
from sattn_core.lessons import unit_variance
from sattn_core.lessons.unit_variance import (
    STAGES,
    UnitVarianceParams,
    _heads,
    _project,
    expected_stages,
    fitting_heads,
    measure_shared_input,
    measure_unit_variance,
)

SMALL = {"d_model": 64, "n_heads": 4, "n_tokens": 16}


@pytest.mark.parametrize(
    ("x_mean", "x_std", "law"), [(0.0, 1.0, "normal"), (50.0, 0.2, "laplace"), (-3.0, 9.0, "sparse")]
)
def test_layer_norm_makes_the_prediction_the_same_for_any_data(x_mean, x_std, law):
    params = UnitVarianceParams(**SMALL, x_mean=x_mean, x_std=x_std, law=law)
    stages = {stage.name: stage for stage in measure_unit_variance(params).stages}
    assert tuple(stages) == STAGES
    assert abs(stages["layer_norm"].std - 1) < 1e-3
    assert abs(stages["q"].predicted_std - math.sqrt(0.5)) < 1e-3
    assert abs(stages["raw_scores"].predicted_std - 0.5 * 4) < 2e-3
    assert abs(stages["scaled_scores"].predicted_std - 0.5) < 1e-3
    for name in ("q", "k", "scaled_scores"):
        assert abs(stages[name].z) < 4
        assert stages[name].low < stages[name].predicted_std < stages[name].high


def test_size_and_mean_of_x_matter_without_layer_norm():
    params = UnitVarianceParams(**SMALL, x_mean=3.0, x_std=4.0, normalise=False, scheme="xavier_square")
    stages = {stage.name: stage for stage in measure_unit_variance(params).stages}
    assert "layer_norm" not in stages
    assert abs(stages["q"].predicted_std - 5.0) < 0.2
    assert abs(stages["scaled_scores"].predicted_std - 25.0) < 2


def test_schemes_are_sorted_and_the_chosen_one_is_marked():
    result = measure_unit_variance(UnitVarianceParams(scheme="he_normal"))
    stds = [row.scaled_std for row in result.schemes]
    assert stds == sorted(stds, reverse=True)
    assert np.allclose(stds, [2, 16 / 9, 1, 1, 0.5, 1 / 3, 0.2048, 1 / 36], rtol=1e-12)
    assert {row.name for row in result.schemes} == set(INIT_SCHEMES)
    (chosen,) = [row for row in result.schemes if row.chosen]
    assert chosen.name == "he_normal"
    assert abs(chosen.measured_scaled_std - 2) < 0.1
    assert all(math.isnan(row.measured_raw_std) for row in result.schemes if not row.chosen)


def test_scores_of_a_shared_input_by_hand():
    rows = {row.name: row for row in measure_shared_input(UnitVarianceParams(n_tokens=16, scheme="xavier_square"))}
    assert tuple(rows) == ("independent", "tied_weights", "same_vectors")
    same = rows["same_vectors"]
    assert abs(same.diagonal_mean - 8) < 1e-3
    assert abs(same.predicted_diagonal_mean - same.diagonal_mean) < 1e-12
    assert abs(same.predicted_off_diagonal_std - math.sqrt(65.0159 / 64)) < 1e-3
    assert abs(same.self_weight - 0.99) < 0.01
    assert abs(rows["tied_weights"].diagonal_mean - 8) < 0.5
    assert abs(rows["independent"].diagonal_mean) < 0.5
    assert rows["independent"].self_weight < 0.2
    assert same.scores.shape == (16, 16)


def test_bias_changes_only_schemes_that_have_one():
    with_bias = measure_unit_variance(UnitVarianceParams(**SMALL, scheme="torch_linear", bias=True)).stages[2]
    without = measure_unit_variance(UnitVarianceParams(**SMALL, scheme="torch_linear")).stages[2]
    assert abs(with_bias.predicted_std**2 - without.predicted_std**2 - 1 / (3 * 64)) < 1e-12


def test_expected_stages_by_hand():
    sweep = expected_stages((64,), n_heads=8)
    assert sweep.stages == STAGES
    found = dict(zip(sweep.schemes, sweep.std[:, 0], strict=True))
    np.testing.assert_allclose(found["xavier_square"], [1, 1, 1, 1, 8, 1], rtol=1e-14)
    np.testing.assert_allclose(found["he_normal"], [1, 1, math.sqrt(2), math.sqrt(2), 16, 2], rtol=1e-14)
    free = expected_stages((64,), n_heads=8, x_mean=3.0, x_std=4.0, normalise=False)
    assert free.stages == tuple(name for name in STAGES if name != "layer_norm")
    np.testing.assert_allclose(free.std[0, 0], [4, 5, 5, 200, 25], rtol=1e-14)  # √(3² + 4²) = 5
    biased = expected_stages((4,), n_heads=2, bias=True)
    at = biased.schemes.index("torch_linear")
    np.testing.assert_allclose(biased.std[at, 0, -1], 0.375, rtol=1e-14)  # 8 weights and a bias: (8 + 1)/(3 · 8)


@pytest.mark.parametrize(("d_k", "asked", "used"), [(1024, 8, 2), (1, 1, 2), (64, 64, 32), (64, 8, 8), (2, 1, 1)])
def test_number_of_heads_that_does_not_fit_is_replaced_by_the_nearest(d_k, asked, used):
    assert fitting_heads(d_k, asked) == used
    assert expected_stages((d_k,), n_heads=asked).n_heads == (used,)


def test_bad_sweeps_are_refused():
    with pytest.raises(ValueError, match="d_k must be between 1 and 1024, but got 0"):
        expected_stages((0,))
    with pytest.raises(ValueError, match="x_std must be a finite number"):
        expected_stages((64,), x_std=0.0)


# --- properties --------------------------------------------------------------------------------------


@st.composite
def params(draw):
    n_heads = draw(st.integers(1, 4))
    return UnitVarianceParams(
        d_model=n_heads * draw(st.integers(2, 8)),
        n_heads=n_heads,
        n_tokens=draw(st.integers(2, 8)),
        law=draw(st.sampled_from(sorted(COMPONENT_LAWS))),
        x_mean=draw(st.floats(-1e3, 1e3)),
        x_std=draw(st.floats(0.01, 1e3)),
        normalise=draw(st.booleans()),
        scheme=draw(st.sampled_from(INIT_SCHEMES)),
        bias=draw(st.booleans()),
        seed=draw(st.integers(0, 2**32)),
    )


@given(params())
def test_stages_count_every_number_and_bands_contain_the_prediction(params):
    result = measure_unit_variance(params)
    for stage in result.stages:
        assert stage.counts.sum() + stage.outside == math.prod(stage.shape)
        assert stage.low <= stage.predicted_std <= stage.high
        assert math.isfinite(stage.std)
    raw, scaled = result.stages[-2:]
    assert math.isclose(scaled.std * math.sqrt(params.d_k), raw.std, rel_tol=1e-12)
    assert sum(row.chosen for row in result.schemes) == 1


# --- oracles -----------------------------------------------------------------------------------------


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
def test_standard_errors_of_q_k_and_scores_are_right(case):
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
def test_q_and_scores_drawn_without_weights_have_the_same_law(monkeypatch, case):
    options = {"d_model": 24, "n_heads": 6, "n_tokens": 5, "scheme": "he_normal"} | case
    params, runs = UnitVarianceParams(**options), 4_000
    x = np.random.default_rng(3).standard_normal((params.n_tokens, params.d_model)) + params.x_mean
    monkeypatch.setattr(unit_variance, "init_scheme", lambda name: replace(init_scheme(name), weights="normal"))
    drawn = []
    for widest in (512, 0):  # draw every weight, then none
        monkeypatch.setattr(unit_variance, "_EACH_WEIGHT", widest)
        rng = np.random.default_rng(widest)
        pairs = [[_heads(_project(params, x, rng), params) for _ in range(2)] for _ in range(runs)]
        q, k = np.array(pairs).swapaxes(0, 1)  # axes: run, head, token, component
        scores = q @ k.swapaxes(-1, -2)
        first, score = q[:, 0, 0, 0], scores[:, 0, 0, 1]
        others = first * q[:, 0, 1, 0], first * q[:, 1, 0, 1], score * scores[:, 0, 0, 2], score * scores[:, 0, 1, 2]
        drawn.append([first, score, *others])
    for with_weights, without in zip(*drawn, strict=True):
        for power in (1, 2):
            one, other = with_weights**power, without**power
            assert abs(one.mean() - other.mean()) < 4 * math.sqrt((one.var() + other.var()) / runs)
        distance = stats.ks_2samp(with_weights, without).statistic
        assert distance < 2.2 * math.sqrt(2 / runs)  # two samples of one law are farther apart once in 8,000 times


@pytest.mark.parametrize("law", ["normal", "sparse"])
def test_wide_sums_of_uniform_weights_are_nearly_normal(law):
    # Distribution of Σ x_j U_j with Var U = 1, by inversion of its characteristic function Π sinc(√3 x_j t).
    x = COMPONENT_LAWS[law].draw(np.random.default_rng(0), 520)
    x /= np.sqrt(np.square(x).sum())
    t = np.linspace(1e-6, 12, 20_001)
    difference = np.exp(-(t**2) / 2) - np.prod(np.sinc(math.sqrt(3) / math.pi * x[:, None] * t), axis=0)
    places = np.linspace(0, 5, 101)
    apart = trapezoid(difference / t * np.sin(places[:, None] * t), t, axis=1) / math.pi
    assert 1e-5 < np.abs(apart).max() < 0.002


@pytest.mark.parametrize("x", [{}, {"normalise": False, "x_mean": 1.0, "x_std": 2.0}])
def test_predictions_for_a_shared_input_agree_with_monte_carlo(x):
    # With tied normal weights E s² ∝ (d_k + 1) (x·y)² + |x|² |y|²; at this small d_k the 1 matters.
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
def test_expected_stages_agree_with_monte_carlo(x):
    # Two tokens with new x and new weights in every run; their score is drawn without the lesson's code.
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
