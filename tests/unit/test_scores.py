"""scale_factor and raw_scores on cases checked by hand."""

import numpy as np
import pytest

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


def test_arguments_are_not_written_to():
    Q, K = np.ones((2, 3)), np.ones((4, 3))
    raw_scores(Q, K)[:] = 7.0
    assert (Q == 1).all()
    assert (K == 1).all()


def test_messages_name_both_shapes():
    with pytest.raises(ValueError, match=r"same last axis d_k, but got shapes \(2, 3\) and \(4, 5\)"):
        raw_scores(np.ones((2, 3)), np.ones((4, 5)))
    with pytest.raises(ValueError, match=r"broadcast, but got shapes \(2, 2, 3\) and \(3, 4, 3\)"):
        raw_scores(np.ones((2, 2, 3)), np.ones((3, 4, 3)))
    with pytest.raises(ValueError, match=r"K must have at least 2 dimension\(s\), but got shape \(3,\)"):
        raw_scores(np.ones((2, 3)), np.ones(3))
    with pytest.raises(ValueError, match="Q must have at least 1 entries on its last axis"):
        raw_scores(np.ones((2, 0)), np.ones((3, 0)))
    with pytest.raises(ValueError, match="Q must hold finite numbers only, but got nan"):
        raw_scores([[np.nan]], [[1.0]])
