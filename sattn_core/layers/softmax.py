"""Softmax, its Jacobian and its entropy, all computed from the scores.

If one weight is within 1e-16 of 1, its difference from 1 is lost in the weights,
but not in the scores. Every function here therefore starts from the gaps to the
largest score and never subtracts a weight from 1.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_scores


def softmax(scores: ArrayLike, axis: int = -1) -> NDArray[np.float64]:
    """Return the attention weights p_i = exp(s_i) / sum_j exp(s_j).

    Parameters
    ----------
    scores : array_like, shape (..., n_keys, ...)
        Finite scores, or -inf where a mask forbids the key.
    axis : int, default -1
        Axis of the keys.

    Returns
    -------
    ndarray, float64, same shape as `scores`
        Weights in [0, 1] that sum to 1 along `axis`. A fully masked row gives 0 everywhere.

    Raises
    ------
    ValueError, TypeError
        If a score is not real, is NaN or +inf, or if the axis does not exist or holds no key.

    Notes
    -----
    The largest score is subtracted first. This prevents overflow and changes
    nothing in exact arithmetic, because only differences of scores matter.

    References
    ----------
    Blanchard, Higham & Higham (2021), IMA J. Numer. Anal. 41(4), introduction.

    Examples
    --------
    >>> softmax([4.0, 5.0]).round(6).tolist()
    [0.268941, 0.731059]
    """
    gaps = _gaps_on_axis(scores, axis)
    powers = np.exp(np.negative(gaps, out=gaps), out=gaps)
    total = powers.sum(axis=axis, keepdims=True)
    total[total == 0.0] = 1.0
    powers /= total
    return powers


def log_softmax(scores: ArrayLike, axis: int = -1) -> NDArray[np.float64]:
    """Return the logarithm of the attention weights, ln p_i = s_i - ln sum_j exp(s_j).

    Parameters
    ----------
    scores, axis : array_like, int
        As in `softmax`.

    Returns
    -------
    ndarray, float64, same shape as `scores`, nats
        At most 0; its exponentials sum to 1 along `axis`. A masked key gives
        -inf, so a fully masked row gives -inf everywhere.

    Raises
    ------
    ValueError, TypeError
        As in `softmax`.

    Notes
    -----
    The weight of the largest score is -log1p(sum of the others), which keeps
    its relative accuracy when that weight is nearly 1.

    Examples
    --------
    >>> log_softmax([0.0, 0.0]).round(6).tolist()
    [-0.693147, -0.693147]
    """
    gaps = _gaps_on_axis(scores, axis)
    _, _, others = _split_largest(gaps, axis)
    return -(gaps + np.log1p(others.sum(axis=axis, keepdims=True)))


def softmax_jacobian(scores: ArrayLike) -> NDArray[np.float64]:
    """Return the Jacobian of softmax, J = diag(p) - p pᵀ.

    Parameters
    ----------
    scores : array_like, shape (..., n_keys)
        As in `softmax`.

    Returns
    -------
    ndarray, float64, shape (..., n_keys, n_keys)
        J[i, j] = dp_i / ds_j. Symmetric, positive semidefinite, rows sum to 0.
        All 0 for a fully masked row.

    Raises
    ------
    ValueError, TypeError
        As in `softmax`.

    Notes
    -----
    The diagonal is p_i (1 - p_i), with 1 - p_i computed as the sum of the other
    weights, so that it is right even where 1 - p_i would round to 0.

    References
    ----------
    Gao & Pavel (2017), arXiv:1704.00805, on the Jacobian of softmax.

    Examples
    --------
    >>> softmax_jacobian([0.0, 0.0]).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """
    gaps = _gaps_on_axis(scores, -1)
    largest, is_largest, others = _split_largest(gaps, -1)
    rest = others.sum(axis=-1, keepdims=True)
    total = 1.0 + rest
    p = np.where(is_largest, largest, others) / total
    one_minus_p = np.where(is_largest, rest, total - others) / total
    # 0.0 - x and not -x: a masked key gives 0, never the confusing -0.
    jacobian = 0.0 - p[..., :, None] * p[..., None, :]
    keys = np.arange(p.shape[-1])
    jacobian[..., keys, keys] = p * one_minus_p
    return jacobian


def softmax_jacobian_norm(scores: ArrayLike) -> np.float64 | NDArray[np.float64]:
    """Return the Frobenius norm of the Jacobian, ‖J‖² = sum_i p_i² (1 - p_i)² + sum_{i≠j} p_i² p_j².

    Parameters
    ----------
    scores : array_like, shape (..., n_keys)
        As in `softmax`.

    Returns
    -------
    ndarray or float, float64, shape (...)
        Between 0 and 1/2, which is reached by two equal keys far above the rest.
        0 for a single allowed key and for a fully masked row.

    Raises
    ------
    ValueError, TypeError
        As in `softmax`.

    Notes
    -----
    With e_i = exp(s_i - s_max) the largest score has weight 1/Z, and all others
    have a common factor exp(s_second - s_max)/Z. This factor is taken out of the
    root, so that no square underflows: the relative accuracy is about 1e-13 down
    to the smallest normal float64, a gap of 708. Memory is O(n_keys).

    The bound: with S = sum p², ‖J‖² = S - 2 sum p³ + S², and S² <= sum p³
    (Cauchy and Schwarz), so ‖J‖² <= S - S² <= 1/4. Equality needs equal weights
    on two keys.

    Examples
    --------
    Two keys with gap D have norm 2 p (1 - p); at D = 40 that is 2 e^-40.

    >>> float(softmax_jacobian_norm([4.0, 5.0]).round(6))
    0.393224
    >>> float(softmax_jacobian_norm([0.0, 40.0])) == 2 * float(np.exp(-40.0))
    True
    """
    factor_gap, rest = _jacobian_norm_parts(scores)
    return np.exp(-factor_gap) * rest


def log_softmax_jacobian_norm(scores: ArrayLike) -> np.float64 | NDArray[np.float64]:
    """Return the logarithm of `softmax_jacobian_norm`, finite even beyond a gap of 745, where the norm is 0."""
    factor_gap, rest = _jacobian_norm_parts(scores)
    with np.errstate(divide="ignore"):
        return np.log(rest) - factor_gap


def entropy_nats(scores: ArrayLike) -> np.float64 | NDArray[np.float64]:
    """Return the entropy of the attention weights, H = -sum_i p_i ln p_i, p = softmax(scores).

    Parameters
    ----------
    scores : array_like, shape (..., n_keys)
        As in `softmax`.

    Returns
    -------
    ndarray or float, float64, shape (...), nats
        Between 0 (one key holds all the weight) and ln n_keys (uniform).

    Raises
    ------
    ValueError, TypeError
        As in `softmax`.

    Notes
    -----
    With the gaps g_i = s_max - s_i, H = ln sum_i e^{-g_i} + sum_i p_i g_i. Neither
    term has cancellation, so even an entropy of 1e-200 keeps its relative
    accuracy. A fully masked row has no distribution: its weights are all 0, and
    the formula, with 0 ln 0 = 0, gives 0.

    References
    ----------
    Shannon (1948), A Mathematical Theory of Communication, section 6.

    Examples
    --------
    Eight equal scores: ln 8 = 2.079442.

    >>> float(entropy_nats([0.0] * 8).round(6))
    2.079442
    """
    gaps = _gaps_on_axis(scores, -1)
    _, _, others = _split_largest(gaps, -1)
    rest = others.sum(axis=-1)
    weighted_gap = (others * np.where(np.isinf(gaps), 0.0, gaps)).sum(axis=-1)
    return np.log1p(rest) + weighted_gap / (1.0 + rest)


def effective_keys(scores: ArrayLike) -> np.float64 | NDArray[np.float64]:
    """Return e^H, the number of keys in a uniform row of the same entropy.

    Parameters
    ----------
    scores : array_like, shape (..., n_keys)
        As in `softmax`.

    Returns
    -------
    ndarray or float, float64, shape (...), keys
        Between 1 and n_keys; exp(entropy_nats(scores)) for every row. A fully masked row has entropy 0 by
        convention, so it also gives 1: test the mask itself to find such rows.

    Raises
    ------
    ValueError, TypeError
        As in `softmax`.

    Examples
    --------
    >>> float(effective_keys([2.0, 2.0, 2.0, -np.inf]).round(12))
    3.0
    """
    return np.exp(entropy_nats(scores))


def _jacobian_norm_parts(scores):
    """Return the gap g to the second largest score, and a number r of order 1 such that ‖J‖ = e^-g r."""
    gaps = _gaps_on_axis(scores, -1)
    _, is_largest, others = _split_largest(gaps, -1)
    total = 1.0 + others.sum(axis=-1, keepdims=True)
    other_gaps = np.where(is_largest, np.inf, gaps)
    second_gap = other_gaps.min(axis=-1, keepdims=True)
    second_gap[np.isinf(second_gap)] = 0.0
    # p_i = factor * share_i for every key but the largest; the share of the second largest is 1.
    share = np.exp(second_gap - other_gaps)
    factor = np.exp(-second_gap) / total
    p_largest = 1.0 / total
    squares = share**2
    sum_squares = squares.sum(axis=-1, keepdims=True)
    diagonal = (p_largest * share.sum(axis=-1, keepdims=True)) ** 2
    diagonal = diagonal + (squares * (1.0 - factor * share) ** 2).sum(axis=-1, keepdims=True)
    with_largest = 2.0 * p_largest**2 * sum_squares
    among_others = factor**2 * (sum_squares**2 - (squares**2).sum(axis=-1, keepdims=True))
    rest = p_largest * np.sqrt(diagonal + with_largest + among_others)  # factor = e^-g p_largest
    return second_gap[..., 0], rest[..., 0]


def _gaps_on_axis(scores, axis):
    """Return the gap from every score to the largest one, at least 0; inf where masked."""
    scores = check_scores("scores", scores, axis)
    largest = scores.max(axis=axis, keepdims=True)
    largest[np.isneginf(largest)] = 0.0
    # The difference of two huge scores may overflow to inf, which gives the right weight, 0.
    with np.errstate(over="ignore"):
        return np.subtract(largest, scores, out=scores)


def _split_largest(gaps, axis):
    """Return exp(-gap) of the largest score, its position as a mask, and exp(-gap) of all others (0 at the largest)."""
    others = np.exp(-gaps)
    where = gaps.argmin(axis=axis, keepdims=True)
    largest = np.take_along_axis(others, where, axis)
    is_largest = np.zeros(gaps.shape, dtype=bool)
    np.put_along_axis(is_largest, where, True, axis)
    others[is_largest] = 0.0
    return largest, is_largest, others
