"""scale_factor and raw_scores: cases checked by hand, what holds for every query and key, and einsum beside them."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.scores import raw_scores, scale_factor


@pytest.mark.parametrize(("d_k", "expected"), [(1, 1.0), (2, 0.5**0.5), (4, 0.5), (64, 0.125), (256, 0.0625)])
def test_the_default_scale_is_one_over_the_square_root(d_k, expected):
    assert scale_factor(d_k) == pytest.approx(expected, rel=1e-15)


def test_other_exponents_give_the_other_rules():
    assert scale_factor(64, 1) == 1 / 64
    assert scale_factor(64, 0) == 1.0
    assert scale_factor(np.int64(16), exponent=-0.5) == 4.0
    assert type(scale_factor(4)) is float


@pytest.mark.parametrize("d_k", [0, -3])
def test_a_dimension_below_one_is_refused(d_k):
    with pytest.raises(ValueError, match=rf"d_k must be at least 1, but got {d_k}"):
        scale_factor(d_k)


def test_a_dimension_that_is_no_integer_is_refused():
    with pytest.raises(TypeError, match=r"d_k must be an integer, but got 64\.0"):
        scale_factor(64.0)


@pytest.mark.parametrize("exponent", [9, -8.5, np.nan, np.inf])
def test_an_exponent_out_of_range_is_refused(exponent):
    with pytest.raises(ValueError, match=r"exponent must be a finite number in \[-8, 8\]"):
        scale_factor(64, exponent)


@pytest.mark.parametrize("d_k", [2**53 + 1, 10**400])
def test_a_dimension_that_float64_cannot_hold_is_refused(d_k):
    with pytest.raises(ValueError, match=r"d_k must be between 1 and 9007199254740992, but got"):
        scale_factor(d_k)
    assert scale_factor(2**53, 8) > 0


def test_an_exponent_beyond_float64_is_refused():
    with pytest.raises(ValueError, match=r"exponent must be a finite number in \[-8, 8\]"):
        scale_factor(4, 10**400)


def test_scores_that_overflow_are_refused():
    with pytest.raises(ValueError, match=r"Q K\^T must be finite, but the inputs are so large"):
        raw_scores([[1e200]], [[1e200]])


def test_raw_scores_of_hand_made_rows():
    # [1,2].[2,3] = 8, [1,2].[5,6] = 17, [8,9].[2,3] = 43, [8,9].[5,6] = 94
    scores = raw_scores([[1, 2], [8, 9]], [[2, 3], [5, 6]])
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(scores, [[8, 17], [43, 94]])


def test_leading_axes_broadcast():
    Q = np.arange(12.0).reshape(3, 1, 2, 2)
    K = np.arange(20.0).reshape(2, 5, 2)
    scores = raw_scores(Q, K)
    assert scores.shape == (3, 2, 2, 5)
    assert scores[2, 1, 0, 4] == Q[2, 0, 0] @ K[1, 4]


def test_messages_name_both_shapes():
    with pytest.raises(ValueError, match=r"same last axis d_k, but got shapes \(2, 3\) and \(4, 5\)"):
        raw_scores(np.ones((2, 3)), np.ones((4, 5)))
    with pytest.raises(ValueError, match=r"broadcast, but got shapes \(2, 2, 3\) and \(3, 4, 3\)"):
        raw_scores(np.ones((2, 2, 3)), np.ones((3, 4, 3)))
    with pytest.raises(ValueError, match=r"K must have at least 2 dimension\(s\), but got shape \(3,\)"):
        raw_scores(np.ones((2, 3)), np.ones(3))
    with pytest.raises(ValueError, match="Q must have at least 1 entries on its last axis"):
        raw_scores(np.ones((2, 0)), np.ones((3, 0)))


# --- properties ----------------------------------------------------------------------------------------


NUMBERS = st.floats(-100, 100)


@st.composite
def queries_and_keys(draw):
    m, n, d = (draw(st.integers(1, 5)) for _ in range(3))
    Q, K = (draw(hnp.arrays(float, shape, elements=NUMBERS)) for shape in [(m, d), (n, d)])
    return Q, K


@settings(max_examples=50)
@given(queries_and_keys())
def test_swapping_queries_and_keys_transposes(pair):
    Q, K = pair
    np.testing.assert_allclose(raw_scores(Q, K), raw_scores(K, Q).T, rtol=0, atol=1e-9)


@settings(max_examples=50)
@given(queries_and_keys(), st.floats(-10, 10))
def test_scores_are_linear_in_the_queries(pair, factor):
    Q, K = pair
    np.testing.assert_allclose(raw_scores(factor * Q, K), factor * raw_scores(Q, K), rtol=0, atol=1e-8)


@settings(max_examples=50)
@given(st.integers(1, 10_000), st.integers(1, 10_000), st.floats(-4, 4))
def test_the_scale_of_a_product_is_the_product_of_scales(d, e, exponent):
    product = scale_factor(d, exponent) * scale_factor(e, exponent)
    np.testing.assert_allclose(scale_factor(d * e, exponent), product, rtol=1e-12)


# --- oracles -------------------------------------------------------------------------------------------


def test_raw_scores_agree_with_einsum():
    rng = np.random.default_rng(1)
    Q, K = rng.standard_normal((3, 4, 7, 20)), rng.standard_normal((3, 4, 5, 20))
    # 20 products of size one: rounding stays below 20 * 1e-15
    np.testing.assert_allclose(raw_scores(Q, K), np.einsum("...id,...jd->...ij", Q, K), rtol=0, atol=2e-14)


@pytest.mark.parametrize("d_k", [2, 3, 16, 64, 300])
def test_the_scale_brings_the_variance_to_one(d_k):
    rng = np.random.default_rng(d_k)
    n = 20_000
    q, k = rng.standard_normal((2, n, 1, d_k))
    scaled = raw_scores(q, k).ravel() * scale_factor(d_k)
    # Var of the sample variance is (kurtosis - 1) / n with kurtosis 3 + 6/d_k
    standard_error = np.sqrt((2 + 6 / d_k) / n)
    assert abs(scaled.var() - 1) < 4 * standard_error
