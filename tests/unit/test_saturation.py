"""Expected softmax where the answer is known by hand, its bounds and its messages."""

import math

import numpy as np
import pytest

from sattn_core.saturation import (
    critical_score_std,
    expected_attention,
    expected_attention_curve,
    expected_softmax,
)

FIELDS = ("entropy_nats", "max_weight", "sum_of_squares", "jacobian_trace")


def values(expected):
    return [getattr(expected, name) for name in FIELDS]


@pytest.mark.parametrize("n_keys", [2, 7, 4096])
def test_equal_scores_give_the_uniform_row(n_keys):
    uniform = [math.log(n_keys), 1 / n_keys, 1 / n_keys, 1 - 1 / n_keys]
    np.testing.assert_allclose(values(expected_softmax(n_keys, 0.0)), uniform, rtol=1e-6)
    np.testing.assert_allclose(values(expected_attention(n_keys, 64, 0.0)), uniform, rtol=1e-5)


def test_one_key_has_all_the_weight_whatever_its_score():
    assert list(values(expected_softmax(1, 3.0))) == [0.0, 1.0, 1.0, 0.0]


def test_a_huge_spread_leaves_one_key():
    frozen = expected_softmax(64, 1e6)
    # E tr J -> E[max of 64 normals] / score_std, 2.343733e-6
    assert frozen.jacobian_trace == pytest.approx(2.343733e-6, rel=1e-4, abs=0)
    assert frozen.max_weight > 1 - 3e-6


def test_results_are_plain_floats():
    for expected in (expected_softmax(8, 1.0), expected_attention(8, 4, 0.5)):
        assert [type(value) for value in values(expected)] == [float] * 4


def test_critical_spread():
    assert critical_score_std(1) == 0.0
    assert critical_score_std(8) == pytest.approx(math.sqrt(2 * math.log(8)), rel=1e-15)


def test_curve_broadcasts_and_agrees_with_single_calls():
    dims, scales = np.array([1, 3, 64]), np.array([[1.0], [0.125]])
    curve = expected_attention_curve(16, dims, scales)
    assert curve.entropy_nats.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        single = expected_attention(16, int(dims[j]), float(scales[i, 0]))
        np.testing.assert_allclose([value[i, j] for value in values(curve)], values(single), rtol=1e-13)


def test_curve_without_points_is_empty():
    assert expected_attention_curve(16, np.zeros((2, 0), dtype=int), 1.0).max_weight.shape == (2, 0)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: critical_score_std(0), ValueError, "n_keys must be at least 1, but got 0"),
        (lambda: critical_score_std(8.0), TypeError, "n_keys must be an integer, but got 8.0"),
        (lambda: expected_softmax(0, 1.0), ValueError, "n_keys must be between 1 and 1000000, but got 0"),
        (lambda: expected_softmax(10**7, 1.0), ValueError, "n_keys must be between 1 and 1000000"),
        (lambda: expected_softmax(2, -0.1), ValueError, "score_std must be a finite number in .* got -0.1"),
        (lambda: expected_softmax(2, math.nan), ValueError, "score_std must be a finite number"),
        (lambda: expected_softmax(2, math.inf), ValueError, "score_std must be a finite number"),
        (lambda: expected_softmax(2, "1"), TypeError, "score_std must be a real number, but got '1'"),
        (lambda: expected_attention(2, 0, 1.0), ValueError, "d_k must be at least 1, but got 0"),
        (lambda: expected_attention(2, 4, -1.0), ValueError, "scale must be a finite number in .* got -1.0"),
        (lambda: expected_attention(2, 4, 1e9), ValueError, r"scale \* \|q\| must be at most 1e\+06"),
        (lambda: expected_attention_curve(0, 4, 1.0), ValueError, "n_keys must be between 1"),
        (lambda: expected_attention_curve(2, 4.0, 1.0), TypeError, "dims must hold integers, but got dtype"),
        (lambda: expected_attention_curve(2, [4, 0], 1.0), ValueError, "dims must be at least 1, but got 0"),
        (lambda: expected_attention_curve(2, 4, -1.0), ValueError, "scales must be at least 0, but got -1.0"),
        (lambda: expected_attention_curve(2, 4, np.nan), ValueError, "scales must hold finite numbers only"),
        (
            lambda: expected_attention_curve(2, [1, 2], [1.0, 1.0, 1.0]),
            ValueError,
            r"must broadcast against each other, but got shapes \(2,\) and \(3,\)",
        ),
    ],
)
def test_bad_arguments_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
