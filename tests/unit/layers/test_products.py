import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sattn_core.layers.products import frobenius, hadamard, row_wise_dot

A = np.array([[1.0, 2.0], [3.0, 4.0]])
B = np.array([[5.0, 6.0], [7.0, 8.0]])
PRODUCTS = [hadamard, row_wise_dot, frobenius]


def test_hadamard_by_hand():
    assert np.array_equal(hadamard(A, B), [[5, 12], [21, 32]])


def test_row_wise_dot_by_hand():
    assert np.array_equal(row_wise_dot(A, B), [17, 53])


def test_frobenius_by_hand():
    assert frobenius(A, B) == 70.0
    assert type(frobenius(A, B)) is float


@pytest.mark.parametrize(("product", "name"), [(hadamard, "A ∘ B"), (row_wise_dot, "A ⊖ B"), (frobenius, "⟨A, B⟩")])
def test_a_product_that_overflows_is_refused(product, name):
    with pytest.raises(ValueError, match=f"{name} must be finite, but the inputs are so large"):
        product([[1e200, -1e200]], [[1e200, 1e200]])


def test_batches_keep_their_axes_but_frobenius_is_one_number():
    batch = np.stack([A, B])
    assert np.array_equal(hadamard(batch, batch)[1], B * B)
    assert np.array_equal(row_wise_dot(batch, batch), [[5, 25], [61, 113]])
    assert frobenius(batch, batch) == 30 + 174


@pytest.mark.parametrize("product", PRODUCTS)
def test_message_names_both_shapes_that_differ(product):
    with pytest.raises(ValueError, match=r"A and B must have the same shape, but got \(2, 2\) and \(1, 2\)"):
        product(A, [[1.0, 2.0]])
    with pytest.raises(ValueError, match="A must have at least 2"):
        product([1.0, 2.0], [1.0, 2.0])


# --- properties ----------------------------------------------------------------------------------------


SHAPES = st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1))


def matrices(drawn, *shapes):
    rng = np.random.default_rng(drawn[3])
    return [rng.standard_normal([drawn[axis] for axis in shape]) for shape in shapes]


@given(SHAPES)
def test_hadamard_sums_to_row_wise_dot_which_sums_to_frobenius(drawn):
    A, B = matrices(drawn, (0, 1), (0, 1))
    assert np.allclose(hadamard(A, B).sum(axis=1), row_wise_dot(A, B), rtol=0, atol=1e-12)
    assert abs(row_wise_dot(A, B).sum() - frobenius(A, B)) < 1e-12
