from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.lessons import backprop


def test_identities_by_hand():
    checks = {
        check.name: check for check in backprop.measure_products(backprop.ProductsParams([[1, 2]], [[3, 5]])).identities
    }
    assert {name: (check.left, check.right) for name, check in checks.items()} == {
        "trace": (13, 13),
        "rows": (13, 13),
        "entries": (13, 13),
        "right_factor": (169, 169),  # C = [[3, 5], [6, 10]]: B C = [39, 65], A Cᵀ = [13, 26]
        "left_factor": (169, 169),  # C = [[13]]
        "hadamard_factor": (82, 82),  # C = [4, 7]: 1·3·4 + 2·5·7
    }
    assert all(check.error == 0 for check in checks.values())


def test_identities_of_zero_matrices_have_error_0():
    assert all(
        check.error == 0 for check in backprop.measure_products(backprop.ProductsParams([[0]], [[0]])).identities
    )


def test_bad_product_matrices_are_refused():
    with pytest.raises(ValueError, match="A is 1 × 2 but B is 2 × 1: both need one shape"):
        backprop.ProductsParams([[1, 2]], [[1], [2]])
    with pytest.raises(ValueError, match="B has 17 rows: at most 16 are allowed"):
        backprop.ProductsParams([[1]], [[1]] * 17)
    assert hash(backprop.ProductsParams(np.ones((1, 1)), [[1]])) == hash(backprop.ProductsParams([[1]], [[1]]))


@pytest.mark.parametrize("mask", backprop.MASKS)
@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_every_gradient_agrees_with_both_numerical_methods(mask, exponent):
    result = backprop.measure_backprop(backprop.BackpropParams(mask=mask, exponent=exponent))
    assert [check.name for check in result.gradients] == ["V", "P", "S", "Q", "K", "scale", *backprop.WEIGHTS]
    for check in result.gradients:
        assert check.central_error <= 2e-8
        assert check.complex_error <= 1e-13
        assert check.central_agrees
        assert check.complex_agrees
        assert check.gradient.shape == check.value.shape == check.central.shape == check.complex_step.shape
        assert check.formula == backprop.GRADIENT_FORMULAS[check.name]


def test_errors_are_relative_to_the_gradient():
    for check in backprop.measure_backprop(backprop.BackpropParams()).gradients:
        size = np.linalg.norm(check.gradient)
        assert check.central_error == pytest.approx(np.linalg.norm(check.central - check.gradient) / size)
        turned = np.linalg.norm(check.complex_step - check.gradient)
        assert check.complex_error == pytest.approx(turned / size)


def test_tolerance_of_a_small_gradient_allows_for_rounding():
    checks = backprop.measure_backprop(
        backprop.BackpropParams(d_k=16, seed=35, exponent=0.0, mask="fully_masked")
    ).gradients
    scores = next(check for check in checks if check.name == "S")
    assert np.linalg.norm(scores.gradient) < 1e-5
    assert scores.central_tolerance > 2e-8
    assert scores.complex_tolerance > 1e-13
    assert scores.central_agrees
    assert scores.complex_agrees


def test_gradient_at_the_score_of_a_single_token_is_0():
    result = backprop.measure_backprop(backprop.BackpropParams(n_tokens=1))
    scores = result.gradients[2]
    assert scores.gradient.tolist() == [[0]]
    assert (scores.central_error, scores.complex_error) == (0, 0)
    assert scores.central_agrees
    assert np.isnan(backprop.first_order_change(backprop.BackpropParams(n_tokens=1), "W_Q").slope)


def test_layer_has_the_documented_structure():
    params = backprop.BackpropParams(n_tokens=3, mask="causal", exponent=1.0)
    result, layer = backprop.measure_backprop(params), backprop._layer(params)
    steps, d_output, _ = backprop._forward_backward(layer)
    X = layer.inputs["X"]
    Q, K, V = (X @ layer.inputs[name] for name in ("W_Q", "W_K", "W_V"))
    scores = np.where(np.tri(3, dtype=bool), Q @ K.T / 4, -np.inf)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert result.scale == 0.25
    assert np.allclose(steps.output, weights @ V, rtol=0, atol=1e-13)
    assert result.loss == pytest.approx(0.5 * np.sum((weights @ V - layer.target) ** 2), rel=1e-13)
    assert np.allclose(d_output, weights @ V - layer.target, rtol=0, atol=1e-13)


def test_both_forms_of_the_row_mean_agree_and_rows_sum_to_zero():
    params = backprop.BackpropParams(n_tokens=8, d_k=16)
    result, (steps, _, _) = backprop.measure_backprop(params), backprop._forward_backward(backprop._layer(params))
    d_P, P = result.gradients[1].gradient, steps.attention_weights
    assert np.allclose(result.row_mean_by_weights, np.sum(P * d_P, axis=1), rtol=0, atol=1e-13)
    difference = np.abs(result.row_mean_by_weights - result.row_mean_by_output).max()
    assert result.row_mean_difference == difference < 1e-13
    assert np.abs(result.score_gradient_row_sums).max() < 1e-13


def test_scale_multiplies_the_backward_pass():
    result = backprop.measure_backprop(backprop.BackpropParams(d_k=16))
    d_S, d_Q = result.gradients[2].gradient, result.gradients[3].gradient
    assert np.allclose(d_Q, 0.25 * result.d_Q_without_scale, rtol=0, atol=1e-13)
    assert result.raw_score_gradient == pytest.approx(result.scaled_score_gradient / 4, rel=1e-13)
    assert result.scaled_score_gradient == pytest.approx(np.linalg.norm(d_S), rel=1e-13)


@pytest.mark.parametrize("weight", backprop.WEIGHTS)
def test_loss_change_is_linear_with_a_quadratic_remainder(weight):
    change = backprop.first_order_change(backprop.BackpropParams(), weight)
    assert change.slope == pytest.approx(2, abs=0.02)
    assert change.in_fit.sum() >= 10
    assert np.allclose(change.predicted, change.epsilon * abs(change.inner_product), rtol=1e-13)
    middle = (change.epsilon > 1e-6) & (change.epsilon < 1e-4)
    assert np.allclose(change.change[middle], change.predicted[middle], rtol=1e-2)
    assert (change.remainder[change.epsilon < 1e-7] < 30 * change.rounding_floor).all()
    assert (change.remainder[change.in_fit] > 300 * change.rounding_floor).all()
    assert change.epsilon[[0, -1]].tolist() == [1e-8, 1]


@pytest.mark.parametrize("weight", ["W_Q", "W_K", "X"])
def test_central_difference_has_a_truncation_and_a_rounding_branch(weight):
    error = backprop.central_difference_error(backprop.BackpropParams(), weight)
    assert error.truncation_slope == pytest.approx(2, abs=0.05)
    assert error.rounding_slope == pytest.approx(-1, abs=0.1)
    assert 1e-6 < error.best_h < 1e-3
    assert error.best_error == error.error.min() < 1e-9
    assert error.complex_error < 1e-14


def test_a_quadratic_loss_has_no_truncation_branch():
    error = backprop.central_difference_error(backprop.BackpropParams(), "W_V")
    assert np.isnan(error.truncation_slope)
    assert error.error[-1] < 1e-13


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_sweep_has_the_first_8_columns_of_the_checked_gradients(exponent):
    params = backprop.BackpropParams(exponent=exponent, mask="causal", seed=2)
    dims = (1, 4, 16, 300)
    sweep = backprop.gradient_sweep(params, dims)
    for i, d_k in enumerate(dims[:3]):
        for check in backprop.measure_backprop(replace(params, d_k=d_k)).gradients:
            assert np.array_equal(sweep.gradients[i][check.name], np.atleast_1d(check.gradient)[..., :8])
            assert sweep.norms[check.name][i] == pytest.approx(np.linalg.norm(check.gradient), rel=1e-14)
    assert sweep.scales.tolist() == [d_k**-exponent for d_k in dims]
    assert sweep.gradients[3]["W_Q"].shape == (6, 8)
    assert sweep.norms["W_Q"][3] > np.linalg.norm(sweep.gradients[3]["W_Q"])
    bare = backprop.gradient_sweep(replace(params, exponent=0.0), dims)
    assert np.array_equal(sweep.without_scale, bare.raw_score_norms)
    assert np.allclose(sweep.raw_score_norms, sweep.scales * sweep.norms["S"], rtol=1e-15)


def test_a_larger_d_k_appends_columns_to_the_same_layer():
    small, large = (backprop._layer(backprop.BackpropParams(d_k=d_k)) for d_k in (3, 700))
    for name in ("W_Q", "W_K"):
        assert np.array_equal(small.inputs[name], large.inputs[name][:, :3])
    for name in ("X", "W_V"):
        assert np.array_equal(small.inputs[name], large.inputs[name])
    assert np.array_equal(small.target, large.target)


def test_numerical_checks_take_at_most_16_dimensions():
    for measure in (backprop.measure_backprop, backprop.first_order_change, backprop.central_difference_error):
        with pytest.raises(ValueError, match="d_k must be between 1 and 16, but got 17"):
            measure(backprop.BackpropParams(d_k=17))


def test_more_directions_keep_the_first_ones():
    one, three = (backprop._directions(backprop.BackpropParams(), (6, 4), n) for n in (1, 3))
    assert np.array_equal(one[0], three[0])
    assert np.allclose(np.linalg.norm(three, axis=(1, 2)), 1, rtol=1e-14, atol=0)
    errors = [backprop.central_difference_error(backprop.BackpropParams(), n_directions=n).error for n in (1, 3)]
    assert not np.array_equal(*errors)


def test_bad_weight_names_and_numbers_of_directions_are_refused():
    with pytest.raises(ValueError, match="weight must be one of W_Q, W_K, W_V, X, but got 'V'"):
        backprop.first_order_change(backprop.BackpropParams(), "V")
    with pytest.raises(ValueError, match="weight must be one of W_Q"):
        backprop.central_difference_error(backprop.BackpropParams(), "W")
    with pytest.raises(ValueError, match="n_directions must be between 1 and 200"):
        backprop.central_difference_error(backprop.BackpropParams(), n_directions=0)


# --- properties --------------------------------------------------------------------------------------


SIZE = st.integers(1, 16)
PARAMS = st.builds(
    backprop.BackpropParams,
    n_tokens=st.integers(1, 8),
    d_model=SIZE,
    d_k=SIZE,
    d_v=SIZE,
    exponent=st.floats(0, 1),
    mask=st.sampled_from(backprop.MASKS),
    seed=st.integers(0, 2**32 - 1),
)


@settings(max_examples=40)
@given(PARAMS)
def test_every_gradient_agrees_with_numerical_ones_at_every_size(params):
    result = backprop.measure_backprop(params)
    agreeing = [check.name for check in result.gradients if check.central_agrees and check.complex_agrees]
    assert len(agreeing) == 10
    assert np.abs(result.score_gradient_row_sums).max() < 1e-12 * (1 + result.loss)


@settings(max_examples=20)
@given(PARAMS, st.lists(st.integers(1, 1024), min_size=1, max_size=3, unique=True))
def test_sweep_at_one_d_k_does_not_depend_on_the_others(params, dims):
    dims = tuple(sorted(dims))
    together, alone = backprop.gradient_sweep(params, dims), backprop.gradient_sweep(params, dims[-1:])
    assert together.raw_score_norms[-1] == alone.raw_score_norms[0]
    assert together.without_scale[-1] == alone.without_scale[0]
    assert all(np.array_equal(each, alone.gradients[0][name]) for name, each in together.gradients[-1].items())
    assert (together.raw_score_norms >= 0).all()


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_identities_hold_for_any_two_matrices(n_rows, n_columns, seed, size):
    A, B = np.random.default_rng(seed).standard_normal((2, n_rows, n_columns))
    result = backprop.measure_products(backprop.ProductsParams(size * A, B / size))
    assert max(check.error for check in result.identities) < 1e-13
    assert np.allclose(result.hadamard.sum(axis=1), result.row_wise_dot, rtol=0, atol=1e-12)


# --- oracles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [mask for mask in backprop.MASKS if mask != "fully_masked"])
@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_gradients_match_autograd(mask, exponent, torch):
    params = backprop.BackpropParams(n_tokens=5, d_model=8, mask=mask, exponent=exponent, seed=3)
    layer = backprop._layer(params)
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
    for check in backprop.measure_backprop(params).gradients:
        # Gradients of size about 1 to 10, three nested sums of at most 8 terms: rounding near 1e-14.
        assert np.allclose(check.gradient, at[check.name].grad.numpy(), rtol=0, atol=1e-12), check.name


@pytest.mark.parametrize("exponent", [0.0, 0.5])
def test_gradient_at_raw_scores_of_large_d_k_agrees_with_complex_step(exponent):
    # The loss depends on 16 raw scores, at any d_k.
    params = backprop.BackpropParams(d_k=700, exponent=exponent, seed=4)
    inputs, target = backprop._layer(params).inputs, backprop._layer(params).target
    raw = inputs["X"] @ inputs["W_Q"] @ (inputs["X"] @ inputs["W_K"]).T
    V = inputs["X"] @ inputs["W_V"]
    found = np.empty((4, 4))
    for at in np.ndindex(4, 4):
        moved = raw.astype(complex)
        moved[at] += 1e-30j
        scaled = moved * 700.0**-exponent
        weights = np.exp(scaled - scaled.real.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        found[at] = (0.5 * ((weights @ V - target) ** 2).sum()).imag / 1e-30
    sweep = backprop.gradient_sweep(params, (700,))
    size = np.linalg.norm(found)
    assert size > 1e-4
    assert sweep.raw_score_norms[0] == pytest.approx(size, rel=1e-10)  # scores near 100 are rounded, then exponentiated
    assert np.allclose(sweep.scales[0] * sweep.gradients[0]["S"], found, rtol=0, atol=1e-10 * size)


def test_fully_masked_first_row_has_output_0_and_gradient_0():
    params = backprop.BackpropParams(n_tokens=4, mask="fully_masked")
    result = backprop.measure_backprop(params)
    d_Q, d_S = result.gradients[3].gradient, result.gradients[2].gradient
    assert np.array_equal(d_Q[0], np.zeros(4))
    assert np.array_equal(d_S[0], np.zeros(4))
    layer = backprop._layer(params)
    steps, d_output, _ = backprop._forward_backward(layer)
    assert np.array_equal(steps.output[0], np.zeros(3))
    assert np.array_equal(d_output[0], -layer.target[0])
