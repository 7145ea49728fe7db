import math

import numpy as np
import pytest

from sattn_core.initialisation import INIT_SCHEMES
from sattn_core.lessons.unit_variance import (
    STAGES,
    UnitVarianceParams,
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


def test_without_layer_norm_size_and_mean_of_x_go_through():
    params = UnitVarianceParams(**SMALL, x_mean=3.0, x_std=4.0, normalise=False, scheme="xavier_square")
    stages = {stage.name: stage for stage in measure_unit_variance(params).stages}
    assert "layer_norm" not in stages
    assert abs(stages["q"].predicted_std - 5.0) < 0.2
    assert abs(stages["scaled_scores"].predicted_std - 25.0) < 2


def test_histograms_count_everything():
    for stage in measure_unit_variance(UnitVarianceParams(**SMALL)).stages:
        assert stage.counts.sum() + stage.outside == math.prod(stage.shape)


def test_the_table_is_sorted_and_marks_the_chosen_scheme():
    result = measure_unit_variance(UnitVarianceParams(scheme="he_normal"))
    stds = [row.scaled_std for row in result.schemes]
    assert stds == sorted(stds, reverse=True)
    assert np.allclose(stds, [2, 16 / 9, 1, 1, 0.5, 1 / 3, 0.2048, 1 / 36], rtol=1e-12)
    assert {row.name for row in result.schemes} == set(INIT_SCHEMES)
    (chosen,) = [row for row in result.schemes if row.chosen]
    assert chosen.name == "he_normal"
    assert abs(chosen.measured_scaled_std - 2) < 0.1
    assert all(math.isnan(row.measured_raw_std) for row in result.schemes if not row.chosen)


def test_the_shared_input_trap_by_hand():
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


def test_bias_changes_only_what_has_one():
    with_bias = measure_unit_variance(UnitVarianceParams(**SMALL, scheme="torch_linear", bias=True)).stages[2]
    without = measure_unit_variance(UnitVarianceParams(**SMALL, scheme="torch_linear")).stages[2]
    assert abs(with_bias.predicted_std**2 - without.predicted_std**2 - 1 / (3 * 64)) < 1e-12


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"d_model": 1}, ValueError, "d_model must be between 2 and 2048"),
        ({"n_heads": 7}, ValueError, "n_heads must divide d_model = 512, but got 7"),
        ({"n_tokens": 1}, ValueError, "n_tokens must be between 2 and 256"),
        ({"x_std": 0.0}, ValueError, "x_std must be a finite number"),
        ({"law": "cauchy"}, ValueError, "law must be one of"),
        ({"scheme": "zeros"}, ValueError, "scheme must be one of"),
        ({"normalise": "yes"}, TypeError, "normalise must be True or False, but got 'yes'"),
    ],
)
def test_bad_params(changes, error, message):
    with pytest.raises(error, match=message):
        UnitVarianceParams(**changes)


def test_what_is_expected_by_hand():
    sweep = expected_stages((64,), n_heads=8)
    assert sweep.stages == STAGES
    found = dict(zip(sweep.schemes, sweep.std[:, 0], strict=True))
    np.testing.assert_allclose(found["xavier_square"], [1, 1, 1, 1, 8, 1], rtol=1e-14)
    np.testing.assert_allclose(found["he_normal"], [1, 1, math.sqrt(2), math.sqrt(2), 16, 2], rtol=1e-14)
    free = expected_stages((64,), n_heads=8, x_mean=3.0, x_std=4.0, normalise=False)
    assert free.stages == tuple(name for name in STAGES if name != "layer_norm")
    np.testing.assert_allclose(free.std[0, 0], [4, 5, 5, 200, 25], rtol=1e-14)  # 3² + 4² = 5²
    biased = expected_stages((4,), n_heads=2, bias=True)
    at = biased.schemes.index("torch_linear")
    np.testing.assert_allclose(biased.std[at, 0, -1], 0.375, rtol=1e-14)  # (8 + 1)/(3 · 8)


@pytest.mark.parametrize(("d_k", "asked", "used"), [(1024, 8, 2), (1, 1, 2), (64, 64, 32), (64, 8, 8), (2, 1, 1)])
def test_heads_that_do_not_fit_become_the_nearest_that_do(d_k, asked, used):
    assert fitting_heads(d_k, asked) == used
    assert expected_stages((d_k,), n_heads=asked).n_heads == (used,)


def test_bad_sweeps():
    with pytest.raises(ValueError, match="d_k must be between 1 and 1024, but got 0"):
        expected_stages((0,))
    with pytest.raises(ValueError, match="x_std must be a finite number"):
        expected_stages((64,), x_std=0.0)
