"""Raw attention scores, and the multiplier that keeps their spread at 1."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array, check_integer, check_number, require_finite


def scale_factor(d_k: int, exponent: float = 0.5) -> float:
    """Return the multiplier of the raw scores: scale = d_k ** (-exponent).

    Parameters
    ----------
    d_k : int
        Dimension of queries and keys, at least 1.
    exponent : float
        From -8 to 8: 0.5 is the rule of attention, 1 the rule of muP, 0 no scaling.

    Returns
    -------
    float
        The multiplier, always positive; 1 if d_k is 1 or the exponent is 0.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range.

    Notes
    -----
    With exponent 0.5 the scaled scores of independent components of mean 0 and variance 1 have
    variance 1 at every d_k. Scores of aligned queries and keys grow like d_k, not like its square
    root, and exponent 1 keeps their size.

    References
    ----------
    Vaswani et al. (2017), Attention Is All You Need, section 3.2.1.
    Yang et al. (2022), Tensor Programs V (muP), definition 4.1.

    Examples
    --------
    >>> scale_factor(64)
    0.125
    """
    d_k = check_integer("d_k", d_k, 1)
    exponent = check_number("exponent", exponent, -8, 8)
    return float(d_k) ** (-exponent)


def raw_scores(Q: ArrayLike, K: ArrayLike) -> NDArray[np.float64]:
    """Return the dot product of every query with every key, raw_scores = Q K^T, without scaling.

    Parameters
    ----------
    Q, K : array_like, shapes (..., n_queries, d_k), (..., n_keys, d_k)
        Queries and keys, one per row; leading axes broadcast. They may have any distribution.

    Returns
    -------
    ndarray, shape (..., n_queries, n_keys)
        Entry (i, j) is the dot product of query i and key j.

    Raises
    ------
    ValueError, TypeError
        If an entry is not real and finite, shapes do not fit together, d_k is 0, or a score leaves the
        float64 range.

    Examples
    --------
    >>> raw_scores([[1, 2]], [[2, 3], [0, 1]]).tolist()
    [[8.0, 2.0]]
    """
    Q = check_array("Q", Q, min_ndim=2, min_length=1)
    K = check_array("K", K, min_ndim=2, min_length=1)
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"Q and K must have the same last axis d_k, but got shapes {Q.shape} and {K.shape}")
    try:
        np.broadcast_shapes(Q.shape[:-2], K.shape[:-2])
    except ValueError:
        shapes = f"{Q.shape} and {K.shape}"
        raise ValueError(f"the leading axes of Q and K must broadcast, but got shapes {shapes}") from None
    # (..., n_queries, d_k) times (..., d_k, n_keys)
    with np.errstate(over="ignore", invalid="ignore"):
        return require_finite("Q K^T", np.matmul(Q, np.swapaxes(K, -1, -2)))
