"""Softmax, its logarithm, Jacobian and entropy: rows by hand, properties and oracles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special

from sattn_core.layers.softmax import (
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


def test_axis_selects_the_keys():
    scores = np.log([[1.0, 3.0], [3.0, 1.0]])
    np.testing.assert_allclose(softmax(scores, axis=0), [[0.25, 0.75], [0.75, 0.25]], rtol=1e-15)
    np.testing.assert_allclose(log_softmax(scores.T, axis=0), np.log(softmax(scores)).T, rtol=1e-14)
    np.testing.assert_array_equal(softmax(scores, axis=-2), softmax(scores, axis=0))


def test_masked_key_gets_no_weight():
    np.testing.assert_array_equal(softmax([2.0, MASKED, 2.0]), [0.5, 0.0, 0.5])
    np.testing.assert_allclose(log_softmax([2.0, MASKED, 2.0]), [-np.log(2), MASKED, -np.log(2)], rtol=1e-15)
    assert entropy_nats([2.0, MASKED, 2.0]) == pytest.approx(np.log(2), rel=1e-15)
    np.testing.assert_array_equal(
        softmax_jacobian([2.0, MASKED, 2.0]), [[0.25, 0.0, -0.25], [0.0, 0.0, 0.0], [-0.25, 0.0, 0.25]]
    )
    assert not np.signbit(softmax_jacobian([2.0, MASKED])).any()  # 0, not -0


def test_fully_masked_row_gets_weight_0_beside_an_unmasked_row():
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
    # three equal scores: |J|² = 3 (1/3 · 2/3)² + 6/81 = 2/9
    assert softmax_jacobian_norm([5.0, 5.0, 5.0]) == pytest.approx(np.sqrt(2 / 9), rel=1e-15)


def test_jacobian_is_accurate_where_one_minus_p_rounds_to_zero():
    jacobian = softmax_jacobian([0.0, 40.0])
    assert softmax([0.0, 40.0])[1] == 1.0
    np.testing.assert_allclose(np.abs(jacobian), np.full((2, 2), np.exp(-40.0)), rtol=1e-15)


def test_log_weight_near_0_keeps_its_digits():
    assert log_softmax([0.0, 40.0])[1] == pytest.approx(-np.exp(-40.0), rel=1e-14, abs=0)


def test_entropy_of_a_uniform_row():
    assert entropy_nats(np.full(4096, -3.0)) == pytest.approx(np.log(4096), rel=1e-15)
    assert effective_keys(np.full(4096, -3.0)) == pytest.approx(4096, rel=1e-13)


@pytest.mark.parametrize("scores", [[1e308, -1e308], [1e4, 0.0], [-1e4, -1e5]])
def test_huge_scores_neither_overflow_nor_warn(scores):
    np.testing.assert_array_equal(softmax(scores), [1.0, 0.0])
    assert entropy_nats(scores) == 0.0


def test_batches_keep_their_shape():
    scores = np.arange(24.0).reshape(2, 3, 4)
    assert softmax(scores).shape == log_softmax(scores).shape == (2, 3, 4)
    assert softmax_jacobian(scores).shape == (2, 3, 4, 4)
    for function in (softmax_jacobian_norm, log_softmax_jacobian_norm, entropy_nats, effective_keys):
        assert function(scores).shape == (2, 3)
        np.testing.assert_allclose(function(scores)[1, 2], function(scores[1, 2]), rtol=1e-15)


def test_scores_without_rows_give_results_without_rows():
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
def test_bad_scores_are_refused(function, scores, error, message):
    with pytest.raises(error, match=message):
        function(scores)


@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_bad_axis_is_refused(function):
    with pytest.raises(ValueError, match="axis must be between -2 and 1, but got 2"):
        function(np.zeros((2, 2)), axis=2)
    with pytest.raises(TypeError, match="axis must be an integer, but got None"):
        function(np.zeros((2, 2)), axis=None)
    with pytest.raises(ValueError, match=r"at least 1 entry on axis 0, but got shape \(0, 3\)"):
        function(np.zeros((0, 3)), axis=0)


# --- properties --------------------------------------------------------------------------------------


# Multiples of 1/8, which can be shifted without rounding.
ENTRIES = st.integers(-400, 400).map(lambda eighths: eighths / 8)
SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 12))
SCORES = SHAPES.flatmap(lambda shape: arrays(float, shape, elements=ENTRIES))
MASKED_SCORES = SHAPES.flatmap(lambda shape: arrays(float, shape, elements=ENTRIES | st.just(-np.inf)))


@given(MASKED_SCORES)
def test_rows_sum_to_one_unless_fully_masked(scores):
    p = softmax(scores)
    assert ((p >= 0) & (p <= 1)).all()
    allowed = np.isfinite(scores)
    np.testing.assert_allclose(p.sum(axis=-1), allowed.any(axis=-1), atol=1e-12)
    assert (p[~allowed] == 0).all()


@given(MASKED_SCORES)
def test_log_softmax_is_the_logarithm_of_softmax(scores):
    logs = log_softmax(scores)
    assert (logs <= 0).all()
    np.testing.assert_allclose(np.exp(logs), softmax(scores), rtol=1e-12, atol=0)


@given(SCORES, st.integers(-1000, 1000))
def test_shifting_all_scores_changes_nothing(scores, shift):
    np.testing.assert_array_equal(softmax(scores + shift), softmax(scores))
    np.testing.assert_array_equal(entropy_nats(scores + shift), entropy_nats(scores))
    np.testing.assert_array_equal(softmax_jacobian_norm(scores + shift), softmax_jacobian_norm(scores))


@given(MASKED_SCORES)
def test_entropy_lies_between_zero_and_uniform(scores):
    entropy = entropy_nats(scores)
    n_allowed = np.maximum(np.isfinite(scores).sum(axis=-1), 1)
    assert (entropy >= 0).all()
    assert (entropy <= np.log(n_allowed) + 1e-12).all()
    np.testing.assert_allclose(effective_keys(scores), np.exp(entropy), rtol=1e-15)


@given(MASKED_SCORES)
def test_jacobian_is_symmetric_semidefinite_and_its_rows_sum_to_zero(scores):
    jacobian = softmax_jacobian(scores)
    np.testing.assert_array_equal(jacobian, np.swapaxes(jacobian, -1, -2))
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0.0, atol=1e-12)
    assert np.linalg.eigvalsh(jacobian).min() >= -1e-12


@given(MASKED_SCORES)
def test_softmax_jacobian_norm_is_the_norm_of_the_jacobian(scores):
    norm = softmax_jacobian_norm(scores)
    np.testing.assert_allclose(norm, np.linalg.norm(softmax_jacobian(scores), axis=(-2, -1)), rtol=1e-12)
    np.testing.assert_allclose(np.exp(log_softmax_jacobian_norm(scores)), norm, rtol=1e-12)


# --- oracles -----------------------------------------------------------------------------------------


# scores, norm of the Jacobian, entropy, ln norm, by mpmath with 700 digits:
#   e = [exp(s)], p = e / sum(e), q = sum(p²); sqrt(q - 2 sum(p³) + q²) and -sum(p ln p)
LITERALS = [
    ([0, 40], 8.4967085105831779e-18, 1.7418252446695515e-16, -39.306852819440055),
    ([0, 700], 1.9719353087519542e-304, 6.9116332571755994e-302, -699.30685281944005),
    ([4, 5], 0.39322386648296371, 0.58220310888821795, -0.93337619447650036),
    ([1, 10], 0.00024675869952969782, 0.0012339533735993444, -8.3070996238195012),
    ([2, 2, 2], 0.47140452079103168, 1.0986122886681097, -0.75203869838813704),
    ([0, 0, 600], 8.38128981015281e-261, 3.1857766567111816e-258, -598.84870745350298),
    ([1, 2.5, -3, 0.25], 0.31433874502234027, 0.73312448389798635, -1.1572840687630589),
    ([0, -300, -301, -650], 1.1826414372235505e-130, 2.1215712072456234e-128, -299.16831164634882),
]


@pytest.mark.parametrize(("scores", "norm", "entropy", "log_norm"), LITERALS)
def test_norm_and_entropy_agree_with_mpmath(scores, norm, entropy, log_norm):
    # Half an ulp of -700 changes exp(-700) by a relative 6e-14.
    assert softmax_jacobian_norm(scores) == pytest.approx(norm, rel=1e-12, abs=0)
    assert entropy_nats(scores) == pytest.approx(entropy, rel=1e-12, abs=0)
    assert log_softmax_jacobian_norm(scores) == pytest.approx(log_norm, rel=1e-14)


@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0, 300.0])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_weights_agree_with_scipy(spread, axis):
    scores = spread * np.random.default_rng(5).standard_normal((4, 5, 6))
    # SciPy also subtracts the largest score; only the order of one sum differs.
    np.testing.assert_allclose(softmax(scores, axis), special.softmax(scores, axis), rtol=1e-13)
    # SciPy takes ln of the whole sum, this module log1p of the other terms: they differ by 1e-16.
    expected = special.log_softmax(scores, axis)
    np.testing.assert_allclose(log_softmax(scores, axis), expected, rtol=1e-14, atol=4e-16)


def test_jacobian_agrees_with_central_differences():
    scores = np.random.default_rng(7).standard_normal((3, 6))
    step = 6e-6
    shifts = step * np.eye(6)
    # slopes[row, i, j] = d p_j / d s_i, which is symmetric
    slopes = (softmax(scores[:, None] + shifts) - softmax(scores[:, None] - shifts)) / (2 * step)
    # truncation error: step² / 6 times a third derivative below 1; rounding error: 1e-16 / step
    np.testing.assert_allclose(softmax_jacobian(scores), slopes, atol=1e-10)


def test_norm_of_a_wide_row_agrees_with_its_full_jacobian():
    scores = 3 * np.random.default_rng(8).standard_normal(1500)
    assert softmax_jacobian_norm(scores) == pytest.approx(np.linalg.norm(softmax_jacobian(scores)), rel=1e-12)
