"""Three products of two matrices that appear in the formulas of backpropagation."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array, require_finite


def _same_shape(A: ArrayLike, B: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    A, B = check_array("A", A, min_ndim=2), check_array("B", B, min_ndim=2)
    if A.shape != B.shape:
        raise ValueError(f"A and B must have the same shape, but got {A.shape} and {B.shape}")
    return A, B


def hadamard(A: ArrayLike, B: ArrayLike) -> NDArray[np.float64]:
    """Return the Hadamard product (A ∘ B)_ij = A_ij B_ij.

    Parameters
    ----------
    A, B : array_like, shape (..., n_rows, n_columns)
        Two matrices, or two batches of matrices, of the same shape. They are not broadcast, because a
        broadcast factor would have a summed gradient.

    Returns
    -------
    ndarray, shape (..., n_rows, n_columns)
        Matrix of the elementwise products; A ∘ B = B ∘ A.

    Raises
    ------
    ValueError, TypeError
        If the shapes differ, an input is not a matrix of real numbers, or an entry or the result is not finite.

    Examples
    --------
    >>> hadamard([[1, 2], [3, 4]], [[5, 6], [7, 8]])
    array([[ 5., 12.],
           [21., 32.]])
    """
    A, B = _same_shape(A, B)
    with np.errstate(over="ignore"):
        return require_finite("A ∘ B", A * B)


def row_wise_dot(A: ArrayLike, B: ArrayLike) -> NDArray[np.float64]:
    """Return the row-wise dot product (A ⊖ B)_i = Σ_j A_ij B_ij.

    Parameters
    ----------
    A, B : array_like
        As in `hadamard`.

    Returns
    -------
    ndarray, shape (..., n_rows)
        One dot product per row, the sum of the Hadamard product along each row.

    Raises
    ------
    ValueError, TypeError
        As in `hadamard`.

    Notes
    -----
    In the softmax gradient, D = P ⊖ dP is the mean of each row of dP under that row's weights.

    Examples
    --------
    >>> row_wise_dot([[1, 2], [3, 4]], [[5, 6], [7, 8]])
    array([17., 53.])
    """
    A, B = _same_shape(A, B)
    with np.errstate(over="ignore", invalid="ignore"):
        return require_finite("A ⊖ B", np.einsum("...ij,...ij->...i", A, B))


def frobenius(A: ArrayLike, B: ArrayLike) -> float:
    """Return the Frobenius inner product ⟨A, B⟩ = Σ_ij A_ij B_ij = tr(Aᵀ B).

    Parameters
    ----------
    A, B : array_like
        As in `hadamard`.

    Returns
    -------
    float
        One number, summed over a batch too: the sum of `row_wise_dot(A, B)`; ⟨A, A⟩ ≥ 0.

    Raises
    ------
    ValueError, TypeError
        As in `hadamard`.

    Notes
    -----
    The first-order change of a loss is dL = ⟨∂L/∂W, dW⟩, which makes ∂L/∂W a matrix of W's shape.

    References
    ----------
    Boué (2025), "Deep learning for pedestrians: backpropagation in Transformers", arXiv:2512.23329.

    Examples
    --------
    >>> frobenius([[1, 2], [3, 4]], [[5, 6], [7, 8]])
    70.0
    """
    A, B = _same_shape(A, B)
    with np.errstate(over="ignore", invalid="ignore"):
        return float(require_finite("⟨A, B⟩", np.sum(A * B)))
