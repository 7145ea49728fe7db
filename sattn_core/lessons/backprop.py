"""Gradients of attention, checked numerically, and the three matrix products in their formulas."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_dims, check_integer, check_number
from sattn_core.files.typed import checked_matrix
from sattn_core.layers.attention import _backward, _forward, softmax_rows
from sattn_core.layers.products import frobenius, hadamard, row_wise_dot
from sattn_core.layers.scores import scale_factor

MAX_SIZE = 16
MOST_DIMENSIONS = 1024
MASKS = ("none", "causal", "fully_masked")
SHOWN = 8  # number of columns of a gradient that a sweep keeps
GRADIENT_FORMULAS = {
    "V": r"dV = P^\top dO",
    "P": r"dP = dO\, V^\top",
    "S": r"dS = P \circ (dP - D\,\mathbf{1}^\top), \quad D = P \ominus dP = O \ominus dO",
    "Q": r"dQ = c\, dS\, K",
    "K": r"dK = c\, dS^\top Q",
    "scale": r"dc = \langle dS, Q K^\top \rangle",
    "W_Q": r"dW_Q = X^\top dQ",
    "W_K": r"dW_K = X^\top dK",
    "W_V": r"dW_V = X^\top dV",
    "X": r"dX = dQ\, W_Q^\top + dK\, W_K^\top + dV\, W_V^\top",
}
WEIGHTS = ("W_Q", "W_K", "W_V", "X")
CENTRAL_STEP = 6e-6  # about eps^(1/3), where truncation h² and rounding eps/h are equal
COMPLEX_STEP = 1e-30
CENTRAL_TOLERANCE = 2e-8
COMPLEX_TOLERANCE = 1e-13
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class ProductsParams:
    """Two matrices of the same shape; array-likes are stored as tuples."""

    # A, B: at most 16 rows and 64 columns, numbers between −1,000,000 and 1,000,000
    A: tuple[tuple[float, ...], ...] = ((1, 2), (3, 4))
    B: tuple[tuple[float, ...], ...] = ((5, 6), (7, 8))

    def __post_init__(self) -> None:
        for name in ("A", "B"):
            object.__setattr__(self, name, checked_matrix(name, getattr(self, name)))
        a, b = np.shape(self.A), np.shape(self.B)
        if a != b:
            raise ValueError(f"A is {a[0]} × {a[1]} but B is {b[0]} × {b[1]}: both need one shape.")


@dataclass(frozen=True)
class IdentityCheck:
    """One identity of the Frobenius product, computed for the two matrices."""

    # name, formula: short name, and the identity in KaTeX
    name: str
    formula: str
    left: float
    right: float
    error: float  # |left − right| ÷ a bound on the sum of |terms|


@dataclass(frozen=True, eq=False)
class ProductsResult:
    """Three products of A and B (a matrix, a vector and a number), and identities between them."""

    params: ProductsParams
    hadamard: NDArray[np.float64]  # (n_rows, n_columns)
    row_wise_dot: NDArray[np.float64]  # (n_rows,)
    frobenius: float
    identities: tuple[IdentityCheck, ...]


@dataclass(frozen=True)
class BackpropParams:
    """Settings of a small self-attention layer with the loss ½‖O − T‖², T random."""

    n_tokens: int = 4  # 1 to 8
    # d_model, d_v: 1 to 16
    d_model: int = 6
    # d_k: 1 to 1,024; above 16 only in `gradient_sweep`, because numerical checks change every entry of every array
    d_k: int = 4
    d_v: int = 3
    exponent: float = 0.5  # 0 to 1: the scale is d_k ** −exponent; 0, 0.5 and 1 give 1, 1/√d_k and 1/d_k
    # mask: one of `MASKS`; "fully_masked" lets tokens attend to earlier tokens only, so the first one attends to none
    mask: str = "none"
    seed: int = 0  # at least 0

    def __post_init__(self) -> None:
        check_integer("n_tokens", self.n_tokens, 1, 8)
        for name, largest in (("d_model", MAX_SIZE), ("d_k", MOST_DIMENSIONS), ("d_v", MAX_SIZE)):
            check_integer(name, getattr(self, name), 1, largest)
        check_number("exponent", self.exponent, 0.0, 1.0)
        check_choice("mask", self.mask, MASKS)
        check_integer("seed", self.seed, 0)


@dataclass(frozen=True, eq=False)
class GradientCheck:
    """One gradient by formula and by two numerical methods."""

    # name, formula: name of the array, and the gradient in KaTeX
    name: str
    formula: str
    # value, gradient, central, complex_step: the array, and ∂L/∂array by formula, central difference and complex step
    value: NDArray[np.float64]
    gradient: NDArray[np.float64]
    central: NDArray[np.float64]
    complex_step: NDArray[np.float64]
    # central_error, complex_error: norm of (numerical gradient − formula) ÷ norm of the formula's gradient
    central_error: float
    complex_error: float
    # central_tolerance: 2e-8, or more if rounding of the loss hides a small gradient
    # complex_tolerance: 1e-13, or more if rounding of the largest gradient hides a small one
    central_tolerance: float
    complex_tolerance: float
    # central_agrees, complex_agrees: True if the errors are at most the tolerances
    central_agrees: bool
    complex_agrees: bool


@dataclass(frozen=True, eq=False)
class BackpropResult:
    """Loss of the layer, and its gradients in the order of the backward pass."""

    params: BackpropParams
    scale: float
    loss: float
    gradients: tuple[GradientCheck, ...]  # dV, dP, dS, dQ, dK, dc, dW_Q, dW_K, dW_V, dX
    # row_mean_by_weights, row_mean_by_output (n_tokens,): D = P ⊖ dP and D = O ⊖ dO, which are equal
    row_mean_by_weights: NDArray[np.float64]
    row_mean_by_output: NDArray[np.float64]
    row_mean_difference: float  # largest |row_mean_by_weights − row_mean_by_output|
    score_gradient_row_sums: NDArray[np.float64]  # (n_tokens,): row sums of dS, which are 0
    d_Q_without_scale: NDArray[np.float64]  # (n_tokens, d_k): dS K, without the factor c
    # scaled_score_gradient, raw_score_gradient: norms of dS and of c dS (the backward pass applies the scale c too)
    scaled_score_gradient: float
    raw_score_gradient: float


@dataclass(frozen=True, eq=False)
class GradientSweep:
    """Gradients of one layer against d_k; a larger d_k appends components to the same queries and keys."""

    params: BackpropParams  # params.d_k is ignored
    dims: tuple[int, ...]
    scales: NDArray[np.float64]  # (n_dims,)
    # gradients: for each d_k, the first 8 columns of the ten gradients, by name
    gradients: tuple[dict[str, NDArray[np.float64]], ...]
    norms: dict[str, NDArray[np.float64]]  # norms of the whole gradients by name, each (n_dims,)
    raw_score_norms: NDArray[np.float64]  # (n_dims,): norm of c dS, the gradient at the raw scores
    without_scale: NDArray[np.float64]  # (n_dims,): norm of dS in the same layer with scale c = 1


@dataclass(frozen=True, eq=False)
class FirstOrderChange:
    """Change of the loss, L(W + ε dW) − L(W), and its prediction ε⟨∂L/∂W, dW⟩, for ε over eight decades."""

    weight: str  # one of `WEIGHTS`
    inner_product: float  # ⟨∂L/∂W, dW⟩ for a random direction dW of length 1
    epsilon: NDArray[np.float64]  # (n,)
    # change, predicted, remainder (n,): absolute values of the change, of its prediction, and of their difference
    change: NDArray[np.float64]
    predicted: NDArray[np.float64]
    remainder: NDArray[np.float64]
    rounding_floor: float  # eps · L, the accuracy limit of a difference between two losses
    in_fit: NDArray[np.bool_]  # (n,): True for fitted points: small ε, remainder far above the floor
    slope: float  # fitted slope of ln remainder against ln ε, 2 by Taylor's theorem; NaN with fewer than 3 points


@dataclass(frozen=True, eq=False)
class DifferenceError:
    """Median error of the central difference over random directions, for each step h."""

    weight: str  # one of `WEIGHTS`
    # h, error (n,): steps, and the median error relative to the gradient's norm
    h: NDArray[np.float64]
    error: NDArray[np.float64]
    # truncation_slope: slope of ln error against ln h for h from 1e-3 to 1e-1, in theory 2. NaN if rounding hides the
    # truncation error, as for W_V: the loss is quadratic in W_V, so the central difference has no truncation error.
    # rounding_slope: slope of ln error against ln h for h from 1e-11 to 1e-7, in theory −1
    truncation_slope: float
    rounding_slope: float
    # best_h, best_error: step with the smallest median error, and that error
    best_h: float
    best_error: float
    recommended_h: float  # 6e-6, about eps^(1/3)
    complex_error: float  # median error of the complex step in the same directions: rounding only


@dataclass(frozen=True, eq=False)
class _Layer:
    """Inputs of the layer; arrays may be complex and have leading batch axes."""

    inputs: dict[str, Any] = field(repr=False)  # X, W_Q, W_K, W_V and scale
    mask: NDArray[np.bool_] | None
    target: NDArray[np.float64]

    def without_scale(self):
        """Return this layer with the scale 1."""
        return replace(self, inputs=self.inputs | {"scale": np.float64(1.0)})

    def loss(self, **moved):
        """Return ½‖O − T‖² with the named arrays replaced and all later steps recomputed."""
        at = self.inputs | moved
        Q, K, V = (at.get(name, at["X"] @ at[f"W_{name}"]) for name in "QKV")
        scale = np.asarray(at["scale"])[..., None, None]
        S = at.get("S", scale * (Q @ K.swapaxes(-1, -2)))
        P = at.get("P", softmax_rows(S if self.mask is None else np.where(self.mask, S, -np.inf)))
        return 0.5 * np.sum((P @ V - self.target) ** 2, axis=(-1, -2))


def measure_products(params: ProductsParams) -> ProductsResult:
    """Return Hadamard A ∘ B (matrix), row-wise dot A ⊖ B (vector) and Frobenius ⟨A, B⟩ (number)."""
    A, B = np.array(params.A), np.array(params.B)
    return ProductsResult(params, hadamard(A, B), row_wise_dot(A, B), frobenius(A, B), _identities(A, B))


def measure_backprop(params: BackpropParams) -> BackpropResult:
    """Return the gradients of ½‖softmax(c X W_Q (X W_K)ᵀ) X W_V − T‖² by formula, central difference and complex step.

    The complex step has no cancellation: Im L(W + ih)/h is exact up to h², with h = 1e-30.

    Reference: Squire and Trapp (1998), "Using Complex Variables to Estimate Derivatives", SIAM Review 40.
    """
    check_integer("d_k", params.d_k, 1, MAX_SIZE)
    layer, scale = _layer(params), scale_factor(params.d_k, params.exponent)
    steps, d_output, gradients = _forward_backward(layer)
    d_S, P = gradients["S"], steps.attention_weights
    by_weights, by_output = row_wise_dot(P, gradients["P"]), row_wise_dot(steps.output, d_output)
    return BackpropResult(
        params=params,
        scale=scale,
        loss=float(layer.loss()),
        gradients=_checks(layer, steps, gradients),
        row_mean_by_weights=by_weights,
        row_mean_by_output=by_output,
        row_mean_difference=float(np.abs(by_weights - by_output).max()),
        score_gradient_row_sums=d_S.sum(axis=1),
        d_Q_without_scale=d_S @ (layer.inputs["X"] @ layer.inputs["W_K"]),
        scaled_score_gradient=float(np.linalg.norm(d_S)),
        raw_score_gradient=float(np.linalg.norm(scale * d_S)),
    )


def gradient_sweep(params: BackpropParams, dims: Sequence[int]) -> GradientSweep:
    """Return the gradients by formula at each of dims; a larger d_k adds columns to W_Q and W_K."""
    dims = check_dims(dims)
    found, bare = zip(*(_with_and_without_scale(replace(params, d_k=d_k)) for d_k in dims), strict=True)
    scales = np.array([scale_factor(d_k, params.exponent) for d_k in dims], dtype=np.float64)
    norms = {name: np.array([np.linalg.norm(each[name]) for each in found]) for name in GRADIENT_FORMULAS}
    return GradientSweep(
        params=params,
        dims=dims,
        scales=scales,
        gradients=tuple({name: np.atleast_1d(each)[..., :SHOWN].copy() for name, each in at.items()} for at in found),
        norms=norms,
        raw_score_norms=scales * norms["S"],
        without_scale=np.array(bare),
    )


def first_order_change(params: BackpropParams, weight: str = "W_Q") -> FirstOrderChange:
    """Compare the change of the loss, L(W + ε dW) − L(W), with its first-order part ε⟨∂L/∂W, dW⟩."""
    check_choice("weight", weight, WEIGHTS)
    check_integer("d_k", params.d_k, 1, MAX_SIZE)
    layer = _layer(params)
    gradient = _forward_backward(layer)[2][weight]
    (direction,) = _directions(params, gradient.shape, 1)
    epsilon = np.logspace(-8, 0, 33)
    inner = frobenius(gradient, direction)
    moved = layer.inputs[weight] + epsilon[:, None, None] * direction
    change = layer.loss(**{weight: moved}) - layer.loss()
    remainder = np.abs(change - epsilon * inner)
    floor = float(EPS * layer.loss())
    in_fit = (remainder > 300 * floor) & (epsilon <= 6e-3)
    slope = _slope(epsilon, remainder, in_fit)
    return FirstOrderChange(
        weight, inner, epsilon, np.abs(change), np.abs(epsilon * inner), remainder, floor, in_fit, slope
    )


def central_difference_error(params: BackpropParams, weight: str = "W_Q", *, n_directions: int = 25) -> DifferenceError:
    """Return the error of (L(W + h dW) − L(W − h dW)) / 2h at each h: truncation ∝ h², rounding ∝ eps/h."""
    check_choice("weight", weight, WEIGHTS)
    check_integer("d_k", params.d_k, 1, MAX_SIZE)
    n_directions = check_integer("n_directions", n_directions, 1, 200)
    layer = _layer(params)
    gradient, value = _forward_backward(layer)[2][weight], layer.inputs[weight]
    directions, size = _directions(params, gradient.shape, n_directions), np.linalg.norm(gradient)
    exact = np.sum(gradient * directions, axis=(-1, -2))
    h = np.logspace(-11, -1, 41)
    steps = h[:, None, None, None] * directions  # (n_h, n_directions, …)
    rise = layer.loss(**{weight: value + steps}) - layer.loss(**{weight: value - steps})
    error = np.median(_relative(np.abs(rise / (2 * h[:, None]) - exact), size), axis=1)
    above_rounding = error * size * h > 100 * EPS * layer.loss()
    slopes = _slope(h, error, (h >= 0.99e-3) & above_rounding), _slope(h, error, h <= 1.01e-7)
    complex_rise = layer.loss(**{weight: value + 1j * COMPLEX_STEP * directions}).imag
    complex_error = np.median(_relative(np.abs(complex_rise / COMPLEX_STEP - exact), size))
    best = int(np.argmin(error))
    return DifferenceError(
        weight, h, error, *slopes, float(h[best]), float(error[best]), CENTRAL_STEP, float(complex_error)
    )


def _identities(A, B):
    """Check six identities: three other forms of ⟨A, B⟩, and three that move a factor to the other side."""
    right, left, entrywise = A.T @ B, A @ B.T, A + B
    whole, both = frobenius(A, B), (A, B)
    pairs = (
        ("trace", r"\langle A, B \rangle = \operatorname{tr}(A^\top B)", whole, np.trace(right), both),
        ("rows", r"\langle A, B \rangle = \sum_i (A \ominus B)_i", whole, row_wise_dot(A, B).sum(), both),
        ("entries", r"\langle A, B \rangle = \sum_{ij} (A \circ B)_{ij}", whole, hadamard(A, B).sum(), both),
        ("right_factor", r"\langle A, B C \rangle = \langle A C^\top, B \rangle, \quad C = A^\top B",
         frobenius(A, B @ right), frobenius(A @ right.T, B), (A, B, right)),
        ("left_factor", r"\langle A, C B \rangle = \langle C^\top A, B \rangle, \quad C = A B^\top",
         frobenius(A, left @ B), frobenius(left.T @ A, B), (A, left, B)),
        ("hadamard_factor", r"\langle A, B \circ C \rangle = \langle A \circ B, C \rangle, \quad C = A + B",
         frobenius(A, hadamard(B, entrywise)), frobenius(hadamard(A, B), entrywise), (A, B, entrywise)),
    )  # fmt: skip
    return tuple(_identity(*pair) for pair in pairs)


def _identity(name, formula, left, right, factors):
    # The product of the factors' norms bounds the sum of |terms|.
    size = np.prod([np.linalg.norm(factor) for factor in factors])
    return IdentityCheck(name, formula, float(left), float(right), float(_relative(abs(left - right), size)))


def _layer(params):
    rng = _stream(params, 0)
    n, d = params.n_tokens, params.d_model
    X, target = rng.standard_normal((n, d)), rng.standard_normal((n, params.d_v))
    # Weights of variance 1/d_model give queries and keys of variance 1. Each matrix has its own random stream and is
    # drawn column by column, so that a larger d_k appends to the same draw.
    columns = {"W_Q": (params.d_k, 2), "W_K": (params.d_k, 3), "W_V": (params.d_v, 4)}
    weights = {name: _stream(params, key).standard_normal((n, d)).T / np.sqrt(d) for name, (n, key) in columns.items()}
    scale = np.float64(scale_factor(params.d_k, params.exponent))
    mask = None if params.mask == "none" else np.tri(n, k=0 if params.mask == "causal" else -1, dtype=bool)
    return _Layer({"X": X, **weights, "scale": scale}, mask, target)


def _stream(params, key):
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(params.seed, spawn_key=(key,))))


def _forward_backward(layer):
    """Return the forward steps, dO and every gradient by name."""
    X, W_Q, W_K, W_V, scale = layer.inputs.values()
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    steps = _forward(Q, K, V, scale, layer.mask)
    d_output = steps.output - layer.target
    back = _backward(Q, K, V, d_output, scale, steps)
    d_X = back.d_Q @ W_Q.T + back.d_K @ W_K.T + back.d_V @ W_V.T
    gradients = {
        "V": back.d_V, "P": back.d_attention_weights, "S": back.d_scaled_scores,
        "Q": back.d_Q, "K": back.d_K, "scale": np.array(back.d_scale),
        "W_Q": X.T @ back.d_Q, "W_K": X.T @ back.d_K, "W_V": X.T @ back.d_V, "X": d_X,
    }  # fmt: skip
    return steps, d_output, gradients


def _with_and_without_scale(params):
    """Return every gradient by name, and the norm of ∂L/∂S for the layer without the scale."""
    layer = _layer(params)
    bare = _forward_backward(layer.without_scale())[2]["S"]
    return _forward_backward(layer)[2], np.linalg.norm(bare)


def _checks(layer, steps, gradients):
    largest = max(np.linalg.norm(gradient) for gradient in gradients.values())
    return tuple(_check(layer, steps, name, gradients[name], largest) for name in GRADIENT_FORMULAS)


def _check(layer, steps, name, gradient, largest):
    X, inner = layer.inputs["X"], {"P": steps.attention_weights, "S": steps.scaled_scores}
    inner |= {name: X @ layer.inputs[f"W_{name}"] for name in "QKV"}
    value = np.asarray((layer.inputs | inner)[name])
    each = np.eye(value.size).reshape(value.size, *value.shape)  # each member of the batch changes one entry
    forward, backward = (layer.loss(**{name: value + step * each}) for step in (CENTRAL_STEP, -CENTRAL_STEP))
    central = ((forward - backward) / (2 * CENTRAL_STEP)).reshape(value.shape)
    turned = layer.loss(**{name: value + 1j * COMPLEX_STEP * each})
    complex_step = (turned.imag / COMPLEX_STEP).reshape(value.shape)
    arrays, size = (value, gradient, central, complex_step), np.linalg.norm(gradient)
    errors = [float(_relative(np.linalg.norm(found - gradient), size)) for found in arrays[2:]]
    rounding = 4 * EPS * layer.loss() * np.sqrt(value.size) / CENTRAL_STEP, 16 * EPS * largest
    hidden = [noise / size if size else 0.0 for noise in rounding]
    tolerances = max(CENTRAL_TOLERANCE, float(hidden[0])), max(COMPLEX_TOLERANCE, float(hidden[1]))
    agrees = [error <= tolerance for error, tolerance in zip(errors, tolerances, strict=True)]
    return GradientCheck(name, GRADIENT_FORMULAS[name], *arrays, *errors, *tolerances, *agrees)  # type: ignore[call-arg, arg-type]


def _relative(error, size):
    """Return error / size; 0 where the error is 0, and infinity elsewhere if the size is 0."""
    return np.where(error == 0.0, 0.0, error / size if size else np.inf)


def _directions(params, shape, n):
    """Draw n random directions of length 1; a larger n appends to them."""
    directions = _stream(params, 1).standard_normal((n, *shape))
    return directions / np.linalg.norm(directions, axis=(-1, -2), keepdims=True)


def _slope(x, y, kept):
    """Return the slope of ln y against ln x over the kept points, by least squares; NaN for fewer than three."""
    kept = kept & (y > 0)
    if kept.sum() < 3:
        return np.nan
    return float(np.polyfit(np.log(x[kept]), np.log(y[kept]), 1)[0])
