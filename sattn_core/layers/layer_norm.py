"""Layer normalisation, which gives every row mean 0 and variance 1."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array, check_number


def layer_norm(x: ArrayLike, eps: float = 1e-5) -> NDArray[np.float64]:
    """Normalise every row to (x − mean) / √(variance + eps), without gain and bias.

    Parameters
    ----------
    x : array_like, shape (..., d_model)
        Finite numbers; mean and variance (ddof=0) run over the last axis.
    eps : float, default 1e-5
        Added to the variance, above 0.

    Returns
    -------
    ndarray, float64, shape (..., d_model)
        Every row has mean 0 and squared norm d_model · variance / (variance + eps), for any data.
        A constant row gives zeros.

    Raises
    ------
    ValueError, TypeError
        If a number is not real and finite, there is no component, or eps is not above 0.

    Notes
    -----
    This fixes the norm of a row, but not the law of its components: one large component may hold most of
    the norm. The variance of q and k also depends on the draw of W_Q and W_K.

    References
    ----------
    Ba, Kiros and Hinton (2016), "Layer Normalization", arXiv:1607.06450, section 3.

    Examples
    --------
    Mean 3 and variance 4:

    >>> layer_norm([1.0, 5.0], eps=1e-12).round(6).tolist()
    [-1.0, 1.0]
    """
    x = check_array("x", x, min_ndim=1, min_length=1)
    eps = check_number("eps", eps, 0, open_low=True)
    # Divide rows of huge numbers by their largest number, so that no square overflows.
    size = np.maximum(np.abs(x).max(axis=-1, keepdims=True, initial=0.0), 1.0)
    x /= size
    x -= x[..., :1]  # makes equal numbers exactly 0; subtracting their rounded mean would not
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = np.square(centred).mean(axis=-1, keepdims=True)
    root = np.sqrt(variance + eps / size / size)  # 0 for a constant row of huge numbers
    return np.divide(centred, root, out=np.zeros_like(x), where=root > 0)
