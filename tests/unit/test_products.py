import numpy as np
import pytest

from sattn_core.products import frobenius, hadamard, row_wise_dot

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


def test_integers_come_out_as_float64():
    assert hadamard([[1]], [[2]]).dtype == np.float64
    assert row_wise_dot([[1]], [[2]]).dtype == np.float64


@pytest.mark.parametrize("product", PRODUCTS)
def test_shapes_must_agree_and_both_are_named(product):
    with pytest.raises(ValueError, match=r"A and B must have the same shape, but got \(2, 2\) and \(1, 2\)"):
        product(A, [[1.0, 2.0]])


@pytest.mark.parametrize("product", PRODUCTS)
def test_vectors_nan_and_text_are_rejected(product):
    with pytest.raises(ValueError, match="A must have at least 2"):
        product([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="B must hold finite numbers only, but got nan"):
        product([[1.0]], [[np.nan]])
    with pytest.raises(TypeError, match="A must hold real numbers"):
        product([["a"]], [[1.0]])


@pytest.mark.parametrize("product", PRODUCTS)
def test_arguments_are_not_written_to(product):
    left, right = A.copy(), B.copy()
    product(left, right)
    assert np.array_equal(left, A)
    assert np.array_equal(right, B)
