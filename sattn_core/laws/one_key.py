"""Expected weight of one key of given score among many random keys.

One key has the score s, the n - 1 others have iid scores x ~ N(0, σ²). With S = sum exp(x - s) the weight of the key
is 1/(1 + S), and 1/(1 + S) = int_0^∞ e^-t e^-tS dt turns the sum over the others into a product. With t = e^u

    E 1/(a + S) = int exp(u - a e^u) G(u - s)^(n-1) du,   1 - G(v) = E[1 - exp(-e^(v + x))]

which is exact for any n. Here a is 1, or 1 + e^-s with a sink of score 0.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlog1py

from sattn_core._checks import check_array, check_number

MOST_KEYS = 2**20
MOST_SCORE_STD = 32.0
_FINEST = 0.25  # step in u, and in v + x: the error of the trapezoid rule is about e^(-π²/0.25)
_WIDEST_Z = 0.35  # largest step in z, a standard normal
_LARGEST_Z = 9.0  # |z| exceeds this with probability 2e-19
_U = np.arange(-36.0, 4.0, _FINEST)  # e^-36 is 2e-16; exp(-e^3.75) is 4e-19


def expected_key_weight(
    n_keys: ArrayLike, score: float, score_std: float = 1.0, *, sink: bool = False
) -> NDArray[np.float64]:
    """Return the mean weight of a key of given score among n_keys - 1 others with iid N(0, score_std²) scores.

    Parameters
    ----------
    n_keys : array_like of int, 1 to 1,048,576
        Number of keys, including the one of given score.
    score : float, -1,000 to 1,000
        Score of this key, as it enters the softmax.
    score_std : float, 0 to 32
        Standard deviation of the other scores, as they enter the softmax.
    sink : bool
        True adds a sink of score 0, which is not a key: 1 is added to the denominator of softmax.

    Returns
    -------
    ndarray
        Weights of the shape of `n_keys`, between 0 and 1; never increasing in `n_keys`.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range.

    Notes
    -----
    The other scores must be independent and exactly normal. The error of the quadrature (see the module) is below
    1e-10 for any n_keys.

    References
    ----------
    Miller (2023), "Attention Is Off By One", for the sink.

    Examples
    --------
    >>> expected_key_weight([1, 1809], 8.0).round(3).tolist()
    [1.0, 0.5]
    """
    keys = check_array("n_keys", n_keys)
    if keys.size and (keys.min() < 1 or keys.max() > MOST_KEYS or (keys != np.floor(keys)).any()):
        raise ValueError(f"n_keys must hold whole numbers between 1 and {MOST_KEYS}, but got {n_keys!r}")
    score = check_number("score", score, -1e3, 1e3)
    return key_weight(keys, score, check_number("score_std", score_std, 0.0, MOST_SCORE_STD), sink=sink)


def key_weight(
    keys: np.float64 | NDArray[np.float64], score: float, std: float = 1.0, *, sink: bool = False
) -> NDArray[np.float64]:
    """Return `expected_key_weight` without checks."""
    start = 1.0 + np.exp(-score) if sink else 1.0
    scale = -np.log(start)  # shifting u by this makes a = 1 and divides the integral by a
    lost = _lost(_U + scale - score, std)
    weights = np.exp(_U - np.exp(_U) + xlog1py(np.expand_dims(keys, -1) - 1.0, -np.minimum(lost, 1.0)))
    return np.clip(_FINEST * weights.sum(axis=-1) / start, 0.0, 1.0)


def _lost(v, std):
    """Return 1 - G(v) for every v: the mean over x of 1 - exp(-e^(v + x))."""
    z = _nodes(std)
    density = np.exp(-0.5 * z**2)
    return -np.einsum("vz,z->v", np.expm1(-np.exp(v[:, None] + std * z)), density / density.sum())


def _nodes(std):
    """Return nodes for a standard normal, as far apart as its density and e^(v + x) allow."""
    return np.arange(-_LARGEST_Z, _LARGEST_Z, min(_WIDEST_Z, _FINEST / max(std, 1e-9)))
