import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.products import frobenius, hadamard, row_wise_dot

SHAPES = st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1))


def matrices(drawn, *shapes):
    rng = np.random.default_rng(drawn[3])
    return [rng.standard_normal([drawn[axis] for axis in shape]) for shape in shapes]


@settings(deadline=None, max_examples=60)
@given(SHAPES)
def test_the_matrix_collapses_to_the_vector_and_the_vector_to_the_number(drawn):
    A, B = matrices(drawn, (0, 1), (0, 1))
    assert np.allclose(hadamard(A, B).sum(axis=1), row_wise_dot(A, B), rtol=0, atol=1e-12)
    assert abs(row_wise_dot(A, B).sum() - frobenius(A, B)) < 1e-12


@settings(deadline=None, max_examples=60)
@given(SHAPES)
def test_frobenius_is_a_trace_and_factors_move_across(drawn):
    A, B, left, right = matrices(drawn, (0, 1), (0, 1), (0, 2), (2, 1))
    assert abs(frobenius(A, B) - np.trace(A.T @ B)) < 1e-12
    assert abs(frobenius(A, left @ right) - frobenius(A @ right.T, left)) < 1e-12
    assert abs(frobenius(A, left @ right) - frobenius(left.T @ A, right)) < 1e-12


@settings(deadline=None, max_examples=60)
@given(SHAPES)
def test_a_hadamard_factor_moves_across(drawn):
    A, B, C = matrices(drawn, (0, 1), (0, 1), (0, 1))
    assert abs(frobenius(A, hadamard(B, C)) - frobenius(hadamard(A, B), C)) < 1e-12
