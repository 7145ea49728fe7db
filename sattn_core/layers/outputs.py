"""Outputs of attention: the part that all tokens share, and each token's own part."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array


def own_share(output: ArrayLike) -> NDArray[np.float64]:
    """Return the tokens' own share of the outputs: 1 − |ō|² / mean |o_i|², with ō the mean over tokens.

    Parameters
    ----------
    output : array_like, shape (..., n_tokens, d_v)
        Finite numbers, not all 0: one row per token, such as `attention(Q, K, V).output`.

    Returns
    -------
    ndarray, shape (...)
        0 if all tokens have the same output, at most 1 if the mean output is 0.

    Raises
    ------
    ValueError
        If `output` has no tokens, no dimensions or only zeros, or a number is not finite.
    TypeError
        If `output` is not real.

    Notes
    -----
    It is computed as mean |o_i − ō|² / mean |o_i|², which is equal but loses no digits if the outputs are nearly equal.
    n random outputs without a common part have 1 − 1/n on average, not 1, because their mean is not exactly 0.

    References
    ----------
    Dong, Cordonnier and Loukas (2021), arXiv:2103.03404, follow this residual, the outputs minus their common part,
    from layer to layer.

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
    numbers = numbers / largest  # so that no square overflows
    apart = numbers - numbers.mean(axis=-2, keepdims=True)
    return np.asarray((apart**2).sum(axis=(-2, -1)) / (numbers**2).sum(axis=(-2, -1)))
