"""Softmax and its kin on rows that a reader can check by hand."""

import numpy as np
import pytest

from sattn_core.softmax import (
    effective_keys,
    entropy_nats,
    log_softmax,
    log_softmax_jacobian_norm,
    softmax,
    softmax_jacobian,
    softmax_jacobian_norm,
)

ROW_FUNCTIONS = [
    softmax,
    log_softmax,
    softmax_jacobian,
    softmax_jacobian_norm,
    log_softmax_jacobian_norm,
    entropy_nats,
    effective_keys,
]
MASKED = -np.inf


def test_weights_of_scores_that_are_logarithms():
    np.testing.assert_allclose(softmax(np.log([1.0, 2.0, 5.0])), [0.125, 0.25, 0.625], rtol=1e-15)


def test_axis_holds_the_keys():
    scores = np.log([[1.0, 3.0], [3.0, 1.0]])
    np.testing.assert_allclose(softmax(scores, axis=0), [[0.25, 0.75], [0.75, 0.25]], rtol=1e-15)
    np.testing.assert_allclose(log_softmax(scores.T, axis=0), np.log(softmax(scores)).T, rtol=1e-14)
    np.testing.assert_array_equal(softmax(scores, axis=-2), softmax(scores, axis=0))


def test_a_masked_key_gets_no_weight_and_the_others_share():
    np.testing.assert_array_equal(softmax([2.0, MASKED, 2.0]), [0.5, 0.0, 0.5])
    np.testing.assert_allclose(log_softmax([2.0, MASKED, 2.0]), [-np.log(2), MASKED, -np.log(2)], rtol=1e-15)
    assert entropy_nats([2.0, MASKED, 2.0]) == pytest.approx(np.log(2), rel=1e-15)
    np.testing.assert_array_equal(
        softmax_jacobian([2.0, MASKED, 2.0]), [[0.25, 0.0, -0.25], [0.0, 0.0, 0.0], [-0.25, 0.0, 0.25]]
    )
    assert not np.signbit(softmax_jacobian([2.0, MASKED])).any()  # 0, not -0


def test_a_fully_masked_row_beside_a_row_that_is_not():
    scores = [[MASKED, MASKED], [0.0, 0.0]]
    np.testing.assert_array_equal(softmax(scores), [[0.0, 0.0], [0.5, 0.5]])
    np.testing.assert_allclose(log_softmax(scores), [[MASKED, MASKED], [-np.log(2)] * 2])
    np.testing.assert_array_equal(softmax_jacobian(scores)[0], np.zeros((2, 2)))
    np.testing.assert_allclose(softmax_jacobian_norm(scores), [0.0, 0.5])
    np.testing.assert_allclose(log_softmax_jacobian_norm(scores), [-np.inf, -np.log(2)])
    np.testing.assert_allclose(entropy_nats(scores), [0.0, np.log(2)])
    np.testing.assert_allclose(effective_keys(scores), [1.0, 2.0])


def test_one_key_gets_all_the_weight():
    np.testing.assert_array_equal(softmax([7.0]), [1.0])
    np.testing.assert_array_equal(log_softmax([7.0]), [0.0])
    assert entropy_nats([7.0]) == 0.0
    assert softmax_jacobian_norm([7.0]) == 0.0
    assert softmax_jacobian_norm([7.0, MASKED]) == 0.0
    np.testing.assert_array_equal(softmax_jacobian([7.0]), [[0.0]])


def test_jacobian_by_hand():
    # p = (1/4, 3/4): p(1 - p) = 3/16
    expected = np.array([[3, -3], [-3, 3]]) / 16
    np.testing.assert_allclose(softmax_jacobian(np.log([1.0, 3.0])), expected, rtol=1e-15)
    # ties of three: |J|² = 3 (1/3 · 2/3)² + 6/81 = 2/9
    assert softmax_jacobian_norm([5.0, 5.0, 5.0]) == pytest.approx(np.sqrt(2 / 9), rel=1e-15)


def test_jacobian_diagonal_survives_where_one_minus_p_rounds_to_zero():
    jacobian = softmax_jacobian([0.0, 40.0])
    assert softmax([0.0, 40.0])[1] == 1.0
    np.testing.assert_allclose(np.abs(jacobian), np.full((2, 2), np.exp(-40.0)), rtol=1e-15)


def test_norm_of_two_keys_far_apart():
    assert softmax_jacobian_norm([0.0, 40.0]) == pytest.approx(2 * np.exp(-40.0), rel=1e-15, abs=0)
    assert softmax_jacobian_norm([700.0, 0.0]) == pytest.approx(2 * np.exp(-700.0), rel=1e-13, abs=0)
    assert softmax_jacobian_norm([0.0, 5000.0]) == 0.0
    assert log_softmax_jacobian_norm([0.0, 5000.0]) == pytest.approx(np.log(2) - 5000.0, rel=1e-15)


def test_entropy_of_two_keys_far_apart():
    # H = ln(1 + x) + g x/(1 + x), x = e^-g
    assert entropy_nats([0.0, 40.0]) == pytest.approx(41 * np.exp(-40.0), rel=1e-14, abs=0)


def test_log_weight_of_the_largest_score_is_not_lost():
    assert log_softmax([0.0, 40.0])[1] == pytest.approx(-np.exp(-40.0), rel=1e-14, abs=0)


def test_uniform_row():
    assert entropy_nats(np.full(4096, -3.0)) == pytest.approx(np.log(4096), rel=1e-15)
    assert effective_keys(np.full(4096, -3.0)) == pytest.approx(4096, rel=1e-13)


@pytest.mark.parametrize("scores", [[1e308, -1e308], [1e4, 0.0], [-1e4, -1e5]])
def test_huge_scores_neither_overflow_nor_warn(scores):
    np.testing.assert_array_equal(softmax(scores), [1.0, 0.0])
    assert entropy_nats(scores) == 0.0


def test_shapes_of_a_batch():
    scores = np.arange(24.0).reshape(2, 3, 4)
    assert softmax(scores).shape == log_softmax(scores).shape == (2, 3, 4)
    assert softmax_jacobian(scores).shape == (2, 3, 4, 4)
    for function in (softmax_jacobian_norm, log_softmax_jacobian_norm, entropy_nats, effective_keys):
        assert function(scores).shape == (2, 3)
        np.testing.assert_allclose(function(scores)[1, 2], function(scores[1, 2]), rtol=1e-15)


def test_no_rows_give_no_rows():
    assert softmax(np.zeros((0, 3))).shape == (0, 3)
    assert entropy_nats(np.zeros((0, 3))).shape == (0,)


@pytest.mark.parametrize("function", ROW_FUNCTIONS)
def test_results_are_float64(function):
    assert function(np.array([1, 2], dtype=np.int8)).dtype == np.float64
    assert function(np.array([1, 2], dtype=np.float16)).dtype == np.float64


@pytest.mark.parametrize("function", ROW_FUNCTIONS)
@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        ([], ValueError, r"scores must have at least 1 entry on axis -1, but got shape \(0,\)"),
        (3.0, ValueError, "scores must have at least 1 dimension"),
        ([[1.0], [1.0, 2.0]], ValueError, "rows differ in length"),
    ],
)
def test_bad_scores_are_named(function, scores, error, message):
    with pytest.raises(error, match=message):
        function(scores)


@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_bad_axis_is_named(function):
    with pytest.raises(ValueError, match="axis must be between -2 and 1, but got 2"):
        function(np.zeros((2, 2)), axis=2)
    with pytest.raises(TypeError, match="axis must be an integer, but got None"):
        function(np.zeros((2, 2)), axis=None)
    with pytest.raises(ValueError, match=r"at least 1 entry on axis 0, but got shape \(0, 3\)"):
        function(np.zeros((0, 3)), axis=0)
