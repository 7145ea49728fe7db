"""scale_factor and raw_scores: cases by hand, properties, and a comparison with einsum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.layers.scores import raw_scores, scale_factor


@pytest.mark.parametrize(("d_k", "expected"), [(1, 1.0), (2, 0.5**0.5), (4, 0.5), (64, 0.125), (256, 0.0625)])
def test_default_scale_is_one_over_the_square_root(d_k, expected):
    assert scale_factor(d_k) == pytest.approx(expected, rel=1e-15)


def test_other_exponents_give_the_other_rules():
    assert scale_factor(64, 1) == 1 / 64
    assert scale_factor(64, 0) == 1.0
    assert scale_factor(np.int64(16), exponent=-0.5) == 4.0
    assert type(scale_factor(4)) is float


LIMITS = "d_k must be between 1 and 9007199254740992, but got"
RANGE = r"exponent must be a finite number in \[-8, 8\]"


@pytest.mark.parametrize(
    ("d_k", "exponent", "message"),
    [
        (0, 0.5, "d_k must be at least 1, but got 0"),
        (64.0, 0.5, r"d_k must be an integer, but got 64\.0"),
        *((d_k, 0.5, LIMITS) for d_k in (2**53 + 1, 10**400)),
        *((64, exponent, RANGE) for exponent in (9, -8.5, np.nan, np.inf, 10**400)),
    ],
)
def test_bad_scale_arguments_are_refused(d_k, exponent, message):
    with pytest.raises((ValueError, TypeError), match=message):
        scale_factor(d_k, exponent)
    assert scale_factor(2**53, 8) > 0


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


def test_messages_name_the_bad_shapes():
    with pytest.raises(ValueError, match=r"same last axis d_k, but got shapes \(2, 3\) and \(4, 5\)"):
        raw_scores(np.ones((2, 3)), np.ones((4, 5)))
    with pytest.raises(ValueError, match=r"broadcast, but got shapes \(2, 2, 3\) and \(3, 4, 3\)"):
        raw_scores(np.ones((2, 2, 3)), np.ones((3, 4, 3)))
    with pytest.raises(ValueError, match=r"K must have at least 2 dimension\(s\), but got shape \(3,\)"):
        raw_scores(np.ones((2, 3)), np.ones(3))
    with pytest.raises(ValueError, match="Q must have at least 1 entries on its last axis"):
        raw_scores(np.ones((2, 0)), np.ones((3, 0)))


# --- properties ----------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(st.integers(1, 10_000), st.integers(1, 10_000), st.floats(-4, 4))
def test_scale_of_a_product_is_the_product_of_scales(d, e, exponent):
    product = scale_factor(d, exponent) * scale_factor(e, exponent)
    np.testing.assert_allclose(scale_factor(d * e, exponent), product, rtol=1e-12)


# --- oracles -------------------------------------------------------------------------------------------


def test_raw_scores_agree_with_einsum():
    rng = np.random.default_rng(1)
    Q, K = rng.standard_normal((3, 4, 7, 20)), rng.standard_normal((3, 4, 5, 20))
    # 20 products of size one: rounding stays below 20 * 1e-15
    np.testing.assert_allclose(raw_scores(Q, K), np.einsum("...id,...jd->...ij", Q, K), rtol=0, atol=2e-14)
