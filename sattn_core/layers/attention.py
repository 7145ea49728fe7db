"""Scaled dot-product attention: forward, with every step kept, and backward."""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import broadcasts_to, check_array, check_number, refuse_masked, require_finite

_Inexact = TypeVar("_Inexact", bound=np.inexact)


@dataclass(frozen=True, eq=False)
class AttentionSteps:
    """Arrays of softmax(scale · Q Kᵀ) V, in order of computation.

    Attributes
    ----------
    raw_scores, scaled_scores, masked_scores, attention_weights : ndarray, shape (..., n_queries, n_keys)
        Q Kᵀ; this times the scale; then with −inf where the mask forbids; softmax of each row.
        Without a mask `masked_scores` is the array `scaled_scores` itself.
    output : ndarray, shape (..., n_queries, d_v)
        Attention weights times V.
    """

    raw_scores: NDArray[np.float64]
    scaled_scores: NDArray[np.float64]
    masked_scores: NDArray[np.float64]
    attention_weights: NDArray[np.float64]
    output: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AttentionGradients:
    """Gradients of a loss with respect to all arrays of attention.

    Attributes
    ----------
    d_Q, d_K, d_V : ndarray
        Gradients of the shapes of Q, K and V.
    d_attention_weights, d_scaled_scores : ndarray, shape (..., n_queries, n_keys)
        dP = dO Vᵀ, and dS = P ∘ (dP − D 1ᵀ) with D = P ⊖ dP; every row of dS sums to 0.
    d_scale : float
        ⟨dS, Q Kᵀ⟩, summed over the batch.
    """

    d_Q: NDArray[np.float64]
    d_K: NDArray[np.float64]
    d_V: NDArray[np.float64]
    d_attention_weights: NDArray[np.float64]
    d_scaled_scores: NDArray[np.float64]
    d_scale: float


def attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, *, scale: float | None = None, mask: ArrayLike | None = None
) -> AttentionSteps:
    """Return every step of scaled dot-product attention softmax(scale · Q Kᵀ) V, with scale = 1/√d_k by default.

    Parameters
    ----------
    Q, K, V : array_like, shapes (..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v)
        Finite numbers; leading (batch) axes broadcast.
    scale : float, optional
        Multiplier of Q Kᵀ, any finite number; 1/√d_k by default.
    mask : array_like of bool, optional
        Broadcasts to (..., n_queries, n_keys). True = this query may attend to this key.

    Returns
    -------
    AttentionSteps
        Rows of `attention_weights` sum to 1; a fully masked row is all 0, as is its output.

    Raises
    ------
    ValueError
        If shapes do not fit together, a number is not finite, or the scores leave the float64 range.
    TypeError
        If an input is not real, or the mask is not boolean.

    Notes
    -----
    The scale gives the scores variance 1 only if the components of q and k are independent with mean 0
    and variance 1. It does not give the output variance 1. Nor does it prevent overflow, which the
    subtraction of each row's largest score does.

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", arXiv:1706.03762, section 3.2.1.

    Examples
    --------
    If V is the identity, the output is the weights, here softmax([4, 5]).

    >>> attention([[1.0]], [[4.0], [5.0]], [[1, 0], [0, 1]]).output.round(6)
    array([[0.268941, 0.731059]])
    """
    Q, K, V, scale = _checked_inputs(Q, K, V, scale)
    mask = _checked_mask(mask, _scores_shape(Q, K))
    with np.errstate(over="ignore", invalid="ignore"):
        steps = _forward(Q, K, V, scale, mask)
    require_finite("scale times Q K^T", steps.scaled_scores)
    return steps


def attention_backward(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    d_output: ArrayLike,
    *,
    scale: float | None = None,
    mask: ArrayLike | None = None,
) -> AttentionGradients:
    """Return dV = PᵀdO, dP = dO Vᵀ, dS = P∘(dP − (P⊖dP)1ᵀ), dQ = c dS K, dK = c dSᵀQ, dc = ⟨dS, QKᵀ⟩.

    Parameters
    ----------
    Q, K, V : array_like
        As in `attention`.
    d_output : array_like, shape (..., n_queries, d_v)
        Gradient of the loss with respect to the output, of the output's shape.
    scale, mask : float, array_like of bool, optional
        As in `attention`; the scale is c.

    Returns
    -------
    AttentionGradients
        Gradients of the shapes of their inputs, summed over axes along which the input was broadcast. Rows
        of `d_scaled_scores` sum to 0; forbidden keys and fully masked rows get 0.

    Raises
    ------
    ValueError, TypeError
        As in `attention`; or if a gradient leaves the float64 range.

    Notes
    -----
    The scale c multiplies the backward pass too: the gradient at a raw score is c times the gradient at
    the scaled score. So a smaller scale need not mean larger gradients.

    References
    ----------
    Boué (2025), "Deep learning for pedestrians: backpropagation in Transformers", arXiv:2512.23329.

    Examples
    --------
    Two equal scores, p = (1/2, 1/2), and a gradient on the first weight: dS = p∘(dP − 1/2).

    >>> attention_backward([[1.0]], [[4.0], [4.0]], [[1, 0], [0, 1]], [[1, 0]]).d_scaled_scores
    array([[ 0.25, -0.25]])
    """
    Q, K, V, scale = _checked_inputs(Q, K, V, scale)
    mask = _checked_mask(mask, _scores_shape(Q, K))
    d_output = check_array("d_output", d_output)
    with np.errstate(over="ignore", invalid="ignore"):
        steps = _forward(Q, K, V, scale, mask)
        require_finite("scale times Q K^T", steps.scaled_scores)
        if d_output.shape != steps.output.shape:
            expected = steps.output.shape
            raise ValueError(f"d_output must have the output's shape {expected}, but got {d_output.shape}")
        gradients = _backward(Q, K, V, d_output, scale, steps)
    for name in AttentionGradients.__dataclass_fields__:
        require_finite(name, getattr(gradients, name))
    return gradients


def _forward(Q, K, V, scale, mask):
    """Return the steps of attention without checks, also for complex inputs, as complex-step derivatives need.

    V may be None for the identity.
    """
    raw_scores = Q @ K.swapaxes(-1, -2)  # (…, n_queries, d_k) (…, d_k, n_keys) -> (…, n_queries, n_keys)
    scaled_scores = scale * raw_scores
    masked_scores = scaled_scores if mask is None else np.where(mask, scaled_scores, -np.inf)
    attention_weights = softmax_rows(masked_scores)
    output = attention_weights if V is None else attention_weights @ V
    return AttentionSteps(raw_scores, scaled_scores, masked_scores, attention_weights, output)


def softmax_rows(scores: NDArray[_Inexact]) -> NDArray[_Inexact]:
    """Return the softmax of each row without checks, also for complex scores; a fully masked row gives 0."""
    largest = np.take_along_axis(scores.real, scores.real.argmax(axis=-1)[..., None], axis=-1)  # faster than max
    # In a fully masked row the largest score is -inf, and -inf - (-inf) is NaN, so subtract 0 instead.
    weights = scores - np.where(np.isneginf(largest), 0.0, largest)
    np.exp(weights, out=weights)
    total = (weights @ np.ones(weights.shape[-1]))[..., None]
    weights /= np.where(total == 0.0, 1.0, total)
    return weights


def _backward(Q, K, V, d_output, scale, steps, *, only_queries_and_keys=False):
    P = steps.attention_weights
    d_P = d_output if V is None else d_output @ V.swapaxes(-1, -2)
    # dP − D does not change if a constant is subtracted from a row of dP. Subtracting the entry of the largest
    # weight avoids cancellation when this weight is nearly 1 and D nearly equals this entry.
    largest = np.broadcast_to(P.argmax(axis=-1)[..., None], (*d_P.shape[:-1], 1))
    d_S = d_P - np.take_along_axis(d_P, largest, axis=-1)
    d_S -= np.einsum("...ij,...ij->...i", P, d_S)[..., None]
    d_S *= P
    d_P, d_S = _sum_to(d_P, P.shape), _sum_to(d_S, P.shape)  # one set of scores may serve several V
    d_raw = scale * d_S
    d_Q, d_K = _sum_to(d_raw @ K, Q.shape), _sum_to(d_raw.swapaxes(-1, -2) @ Q, K.shape)
    if only_queries_and_keys:
        return AttentionGradients(d_Q, d_K, None, d_P, d_S, None)  # type: ignore[arg-type]
    d_V = _sum_to(P.swapaxes(-1, -2) @ d_output, V.shape)
    return AttentionGradients(d_Q, d_K, d_V, d_P, d_S, float(np.sum(d_S * steps.raw_scores)))


def _sum_to(gradient, shape):
    """Return the gradient of a broadcast input, summed over the axes that were broadcast."""
    if gradient.shape == shape:
        return gradient
    extra = gradient.ndim - len(shape)
    ones = (axis + extra for axis, length in enumerate(shape) if length == 1)
    return gradient.sum(axis=(*range(extra), *ones), keepdims=True).reshape(shape)


def _checked_inputs(
    Q: Any, K: Any, V: Any, scale: float | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
    Q, K, V = (_checked_matrix(name, value) for name, value in (("Q", Q), ("K", K), ("V", V)))
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"Q and K must have the same d_k (columns), but got shapes {Q.shape} and {K.shape}")
    if K.shape[-2] != V.shape[-2]:
        raise ValueError(f"K and V must have the same n_keys (rows), but got shapes {K.shape} and {V.shape}")
    try:
        np.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2])
    except ValueError:
        raise ValueError(
            f"the batch axes of Q, K and V must broadcast, but got shapes {Q.shape}, {K.shape} and {V.shape}"
        ) from None
    scale = Q.shape[-1] ** -0.5 if scale is None else check_number("scale", scale)
    return Q, K, V, scale


def _checked_matrix(name, value):
    array = check_array(name, value, min_ndim=2)
    if 0 in array.shape:
        raise ValueError(f"{name} must have at least one entry on every axis, but got shape {array.shape}")
    return array


def _scores_shape(Q, K):
    return (*np.broadcast_shapes(Q.shape[:-2], K.shape[:-2]), Q.shape[-2], K.shape[-2])


def _checked_mask(mask: ArrayLike | None, scores_shape: tuple[int, ...]) -> NDArray[np.bool_] | None:
    if mask is None:
        return None
    refuse_masked("mask", mask)
    mask = np.asarray(mask)
    if mask.dtype != np.bool_:
        raise TypeError(f"mask must be boolean, True = may attend, but got dtype {mask.dtype}")
    if not broadcasts_to(mask.shape, scores_shape):
        raise ValueError(f"mask must broadcast to the scores' shape {scores_shape}, but got {mask.shape}")
    return mask
