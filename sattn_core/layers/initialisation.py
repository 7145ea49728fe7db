"""Initial draws of W_Q and W_K, and the resulting variances of q, k and the scores."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_choice, check_integer


class ProjectionVariance(NamedTuple):
    """Variances at initialisation, for rows of squared norm d_model.

    Attributes
    ----------
    query_component, key_component : float
        Variance of one component of q = x W_Q and of k = x W_K.
    raw_score, scaled_score : float
        Variance of q·k and of q·k/√d_k.
    """

    query_component: float
    key_component: float
    raw_score: float
    scaled_score: float


@dataclass(frozen=True)
class InitScheme:
    """Scheme for drawing a weight matrix with independent entries of a symmetric law."""

    # name: key in `INIT_SCHEMES`; formula: variance of one weight as text; source: where the scheme is defined
    name: str
    formula: str
    source: str
    weights: str  # law of one weight: "uniform" or "normal"
    variance: Callable[[int, int], float] = field(repr=False)
    # True if the layer's default bias is drawn with the variance of a weight (otherwise it is 0)
    has_random_bias: bool = False

    @property
    def kurtosis(self) -> float:
        """Standardised fourth moment of one weight: 1.8 (uniform) or 3 (normal)."""
        return 1.8 if self.weights == "uniform" else 3.0

    def weight_variance(self, d_model: int, n_heads: int) -> float:
        """Return the variance of one weight of W_Q or W_K."""
        return self.variance(d_model, d_model // n_heads)

    def draw(self, rng: np.random.Generator, d_model: int, n_heads: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return independent weights of the given shape from the generator ``rng``."""
        std = math.sqrt(self.weight_variance(d_model, n_heads))
        if self.weights == "normal":
            return std * rng.standard_normal(shape)
        return rng.uniform(-math.sqrt(3) * std, math.sqrt(3) * std, shape)


_SCHEMES = MappingProxyType(
    {
        scheme.name: scheme
        for scheme in (
            InitScheme(
                "xavier_square", "2/(d_model + d_model)", "Glorot and Bengio (2010), equation 16",
                "uniform", lambda E, d: 1 / E,
            ),
            InitScheme(
                "xavier_per_head", "2/(d_model + d_k)", "Glorot and Bengio (2010), on one head's matrix",
                "uniform", lambda E, d: 2 / (E + d),
            ),
            InitScheme(
                "torch_multihead_attention", "2/(d_model + 3 d_model)",
                "PyTorch nn.MultiheadAttention with kdim = vdim = embed_dim: Xavier on the packed matrix of "
                "Q, K and V, bias 0",
                "uniform", lambda E, d: 1 / (2 * E),
            ),
            InitScheme(
                "torch_linear", "1/(3 d_model)", "PyTorch nn.Linear: uniform between ±1/√d_model",
                "uniform", lambda E, d: 1 / (3 * E), has_random_bias=True,
            ),
            InitScheme(
                "he_normal", "2/d_model", "He et al. (2015), equation 10", "normal", lambda E, d: 2 / E
            ),
            InitScheme(
                "lecun_normal", "1/d_model", "LeCun et al. (1998), section 4.6", "normal", lambda E, d: 1 / E
            ),
            InitScheme(
                "normal_0_02", "0.02²", "GPT-2 and BERT style: standard deviation 0.02 at every width",
                "normal", lambda E, d: 4e-4,
            ),
            InitScheme(
                "keras_multihead_attention", "2/(d_model (n_heads + d_k))",
                "Keras MultiHeadAttention: Glorot on a kernel of shape (d_model, n_heads, d_k)",
                "uniform", lambda E, d: 2 / (E * (E // d + d)),
            ),
        )
    }
)  # fmt: skip

# torch_multihead_attention is nn.MultiheadAttention with kdim = vdim = embed_dim, where its weights are packed.
INIT_SCHEMES = tuple(_SCHEMES)


def init_scheme(name: str) -> InitScheme:
    """Return the `InitScheme` of one of `INIT_SCHEMES`."""
    return _SCHEMES[check_choice("scheme", name, INIT_SCHEMES)]


def projection_variance(scheme: str, d_model: int, n_heads: int, *, bias: bool = False) -> ProjectionVariance:
    """Return Var(q_i) = d_model w and Var(q·k) = d_k Var(q_i) Var(k_i) for |x|² = d_model, w = Var of a weight.

    Parameters
    ----------
    scheme : str
        One of `INIT_SCHEMES`, used for W_Q and W_K, which are drawn independently.
    d_model : int
        Width of x, at least 1.
    n_heads : int
        Number of heads, a divisor of d_model; d_k = d_model / n_heads.
    bias : bool, default False
        True adds the layer's default bias, which is 0 except in `torch_linear`.

    Returns
    -------
    ProjectionVariance
        ``scaled_score == query_component * key_component`` and ``raw_score == d_k * scaled_score``.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range, or n_heads does not divide d_model.

    Notes
    -----
    x is layer-normalised (|x|² = d_model up to the tiny eps) and may have any distribution. The variance
    is over the draw of the weights and need not hold after training.

    `torch_multihead_attention` is the layer with the default kdim = vdim = embed_dim, where W_Q, W_K and W_V
    are drawn as one packed matrix. With other widths PyTorch draws each matrix separately, and the square W_Q
    gets the variance of `xavier_square`.

    References
    ----------
    Glorot and Bengio (2010), "Understanding the difficulty of training deep feedforward neural
    networks", AISTATS, section 4.2.1.

    Examples
    --------
    PyTorch's packed weights halve the variances of q and k, so the scaled scores have standard deviation 1/2:

    >>> projection_variance("torch_multihead_attention", 512, 8)
    ProjectionVariance(query_component=0.5, key_component=0.5, raw_score=16.0, scaled_score=0.25)
    """
    law = init_scheme(scheme)
    d_model, n_heads = check_heads(d_model, n_heads)
    if not isinstance(bias, (bool, np.bool_)):
        raise TypeError(f"bias must be True or False, but got {bias!r}")
    component = (d_model + (bias and law.has_random_bias)) * law.weight_variance(d_model, n_heads)
    return ProjectionVariance(component, component, d_model // n_heads * component**2, component**2)


def check_heads(d_model: int, n_heads: int) -> tuple[int, int]:
    """Return d_model and n_heads as integers if n_heads divides d_model."""
    d_model, n_heads = check_integer("d_model", d_model, 1), check_integer("n_heads", n_heads, 1)
    if d_model % n_heads:
        raise ValueError(f"n_heads must divide d_model = {d_model}, but got {n_heads}")
    return d_model, n_heads
