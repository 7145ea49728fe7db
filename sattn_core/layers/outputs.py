"""The outputs of attention: the part that all tokens share, and the part that is each token's own."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array


def own_share(output: ArrayLike) -> NDArray[np.float64]:
    """Return the share of the outputs that tokens do not share: 1 − |ō|² / mean |o_i|², ō the mean over tokens.

    Parameters
    ----------
    output : array_like, shape (..., n_tokens, d_v)
        Finite numbers, not all 0: one row a token, such as `attention(Q, K, V).output`.

    Returns
    -------
    ndarray, shape (...)
        0 where all tokens have the same output, and at most 1: there the outputs cancel on average.

    Raises
    ------
    ValueError
        If `output` has no tokens, no dimensions or only zeros, or a number is not finite.
    TypeError
        If `output` is not real.

    Notes
    -----
    It is computed as mean |o_i − ō|² / mean |o_i|², which is the same and loses no digits where the outputs are nearly
    equal. n outputs without a common part have 1 − 1/n on average, not 1: their mean over n tokens is not 0.

    References
    ----------
    Dong, Cordonnier and Loukas (2021), arXiv:2103.03404, follow the same residual, the outputs less their
    common part, from layer to layer.

    Examples
    --------
    Two tokens at a right angle: half of each is their mean.

    >>> float(own_share([[1.0, 0.0], [0.0, 1.0]]))
    0.5
    """
    numbers = check_array("output", output, min_ndim=2)
    if 0 in numbers.shape:
        raise ValueError(f"output must hold at least one token and one dimension, but got shape {numbers.shape}")
    largest = np.abs(numbers).max(axis=(-2, -1), keepdims=True)
    if (largest == 0).any():
        raise ValueError("output must hold a number other than 0")
    numbers = numbers / largest  # no square leaves the range of float64
    apart = numbers - numbers.mean(axis=-2, keepdims=True)
    return np.asarray((apart**2).sum(axis=(-2, -1)) / (numbers**2).sum(axis=(-2, -1)))
