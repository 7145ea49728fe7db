"""Mean sharpness of attention: exact expectations of softmax over random scores.

The scores s_1 ... s_n are iid N(0, score_std²) and Z = sum exp(s_i). Every
expectation is a smooth integral over x, because 1/Z = int exp(-e^-x Z) e^-x dx turns
the sum over keys into a product. With w = exp(s - x) and G(x) = E exp(-w),

    1          =      n int E[w e^-w]      G^(n-1) dx
    E sum p²   =      n int E[w² e^-w]     G^(n-1) dx
    E H        = -γ - n int E[w ln w e^-w] G^(n-1) dx
    E max p    =      n int E[w e^-w I^(n-1)] dx,   I(x, s) = E[exp(-w'); s' < s]

The first line says that x is distributed as ln Z plus a standard Gumbel
variable of mean γ (Euler's constant). This gives the third line from
H = ln Z - sum p s, without cancellation between the two terms.
"""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.polynomial import chebyshev, legendre
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, xlog1py

from sattn_core._checks import check_array, check_integer, check_number, refuse_large_integers, refuse_masked
from sattn_core._memory import remembered

MAX_KEYS = 1_000_000
MAX_SCORE_STD = 1e6
_LARGEST_Z = 8.3  # |z| of a standard normal exceeds this with probability 1e-16
_SMALLEST_LN_W = -37.0  # below this e^-w is 1 to within 1e-16
_LARGEST_LN_W = 4.0  # above this e^-w is below 1e-23
_SMALLEST_TABLE_STD = 64.0


_Averages = TypeVar("_Averages", float, NDArray[np.float64])  # for one row of scores, or for many


@dataclass(frozen=True, eq=False)
class ExpectedSoftmax(Generic[_Averages]):
    """Expectations of one attention row over random scores.

    Attributes
    ----------
    entropy_nats : float or ndarray
        E H in nats, between 0 and ln n_keys.
    max_weight : float or ndarray
        E max p, between 1/n_keys and 1.
    sum_of_squares : float or ndarray
        E sum p², between 1/n_keys and 1.
    jacobian_trace : float or ndarray
        E tr(diag(p) - p pᵀ) = 1 - E sum p².
    """

    entropy_nats: _Averages
    max_weight: _Averages
    sum_of_squares: _Averages
    jacobian_trace: _Averages


def critical_score_std(n_keys: int) -> float:
    """Return the spread of scores, √(2 ln n_keys), at which softmax freezes onto few of very many keys.

    Parameters
    ----------
    n_keys : int, at least 1
        Number of keys.

    Returns
    -------
    float
        At least 0; grows without bound, but slowly.

    Raises
    ------
    ValueError, TypeError
        If `n_keys` is not an integer of at least 1.

    Notes
    -----
    At this spread iid normal scores have the phase transition of the random energy
    model, which is sharp only as n_keys goes to infinity. For usual numbers of keys,
    softmax begins to commit here: at this spread a row of 16 keys still uses 4.2
    of them, e^(E H), and the largest weight is 0.52; a row of 64 keys has 6.6 and
    0.46, by `expected_softmax`. Unscaled scores, with spread √d_k, exceed the
    critical spread beyond d_k = 2 ln n_keys; scaled scores, with spread 1, stay
    below it for n_keys >= 2.

    References
    ----------
    Derrida (1981), Phys. Rev. B 24, 2613 (the freezing of the random energy model).

    Examples
    --------
    >>> round(critical_score_std(1024), 6)
    3.723297
    >>> at_critical = expected_softmax(16, critical_score_std(16))
    >>> round(float(np.exp(at_critical.entropy_nats)), 1), round(at_critical.max_weight, 2)
    (4.2, 0.52)
    """
    n_keys = check_integer("n_keys", n_keys, 1)
    return float(np.sqrt(2.0 * np.log(n_keys)))


def own_share_limit(score_std: float) -> float:
    """Return the limit of `own_share` for many keys and many dimensions: 1 − e^(−σ²).

    Parameters
    ----------
    score_std : float, 0 to 1,000,000
        Standard deviation σ of the scores that enter the softmax.

    Returns
    -------
    float
        Between 0 and 1; about σ² for small σ.

    Raises
    ------
    ValueError, TypeError
        As in `expected_softmax`.

    Notes
    -----
    Scores and values must be independent and normal. Then the sum of squared weights tends to e^(σ²)/n_keys for one
    row, and to 1/n_keys for the mean row of all tokens. This holds for σ below `critical_score_std`. The share is
    smaller for few keys (0.52 instead of 0.63 for 16 keys at σ = 1), and for few dimensions, because all tokens share
    the keys and their lengths.

    References
    ----------
    Derrida (1981), Phys. Rev. B 24, 2613. Giorlandino and Goldt (2025), arXiv:2505.24333, use the same model.

    Examples
    --------
    ÷ √d_k gives the scores σ = 1 at every d_k; ÷ d_k gives 1/8 at d_k = 64.

    >>> round(own_share_limit(1.0), 3), round(own_share_limit(1 / 8), 4)
    (0.632, 0.0155)
    """
    score_std = check_number("score_std", score_std, 0.0, MAX_SCORE_STD)
    return float(-np.expm1(-(score_std**2)))


def expected_softmax(n_keys: int, score_std: float) -> ExpectedSoftmax[float]:
    """Return the mean entropy, largest weight and Jacobian trace of softmax for iid N(0, score_std²) scores.

    Parameters
    ----------
    n_keys : int, 1 to 1,000,000
        Number of keys in the row.
    score_std : float, 0 to 1,000,000
        Standard deviation of the scores that enter the softmax.

    Returns
    -------
    ExpectedSoftmax
        Four floats; sum_of_squares + jacobian_trace = 1.

    Raises
    ------
    ValueError, TypeError
        If an argument is not a number of the stated kind and range.

    Notes
    -----
    The scores must be independent and exactly normal. The scores of one query q
    are, given |q|, with score_std = scale |q|; `expected_attention` averages over
    |q| too. The quadrature (see the module) is accurate to 1e-8 for up to 4,096
    keys and to 3e-7 beyond. Two identities that it does not use hold as well:
    E H = E ln Z - σ² (1 - E sum p²) and E tr J = (1/σ) dE ln Z/dσ.

    Examples
    --------
    >>> round(expected_softmax(64, 1.0).entropy_nats, 6)
    3.684746
    """
    n_keys = check_integer("n_keys", n_keys, 1, MAX_KEYS)
    score_std = check_number("score_std", score_std, 0.0, MAX_SCORE_STD)
    entropy, max_weight, squares = _row_averages(n_keys, score_std).tolist()
    return ExpectedSoftmax(entropy, max_weight, squares, 1.0 - squares)


def expected_attention(n_keys: int, d_k: int, scale: float) -> ExpectedSoftmax[float]:
    """Return the expectations for a row of softmax(scale q·k), q and k with iid N(0, 1) components.

    Parameters
    ----------
    n_keys : int
        As in `expected_softmax`.
    d_k : int, at least 1
        Dimension of the query and of each key.
    scale : float, at least 0
        The multiplier of q·k, for example 1/√d_k. The spread of the scores, scale √d_k, is at most 1,000,000.

    Returns
    -------
    ExpectedSoftmax
        As in `expected_softmax`.

    Raises
    ------
    ValueError, TypeError
        If an argument is not a number of the stated kind and range.

    Notes
    -----
    Given the query, the scores are iid N(0, scale² |q|²), and |q| has the chi law
    with d_k degrees of freedom: `expected_softmax` is averaged over this law. This
    is exact at every d_k; other component laws agree only as d_k grows. The first
    call for a number of keys tabulates `expected_softmax`; later calls read the
    table, which adds an error below 1e-7.

    Examples
    --------
    At d_k = 64 without the scale, 64 keys keep an entropy of 0.58 nats out of ln 64 = 4.16.

    >>> round(expected_attention(64, 64, 1.0).entropy_nats, 3)
    0.584
    """
    d_k = check_integer("d_k", d_k, 1)
    scale = check_number("scale", scale, 0.0)
    curve = expected_attention_curve(n_keys, d_k, scale)
    return ExpectedSoftmax(*(float(getattr(curve, name)) for name in _FIELDS))


def expected_attention_curve(n_keys: int, dims: ArrayLike, scales: ArrayLike) -> ExpectedSoftmax[NDArray[np.float64]]:
    """Return `expected_attention` for many dimensions and scales at once.

    Parameters
    ----------
    n_keys, dims, scales : int, array_like of int, array_like
        As n_keys, d_k and scale in `expected_attention`; `dims` and `scales` are broadcast against each other.

    Returns
    -------
    ExpectedSoftmax
        Arrays of the broadcast shape; sum_of_squares + jacobian_trace = 1.

    Raises
    ------
    ValueError, TypeError
        As in `expected_attention`; or if the shapes do not broadcast.

    Examples
    --------
    >>> dims = np.array([1, 64])
    >>> expected_attention_curve(64, dims, [[1.0], [0.0]]).entropy_nats.shape
    (2, 2)
    """
    n_keys = check_integer("n_keys", n_keys, 1, MAX_KEYS)
    dims, scales = _broadcast(_check_dims(dims), _check_scales(scales))
    norms = [_query_norms(int(d_k)) for d_k in dims.ravel()]
    stds = [scale * norm for scale, (norm, _) in zip(scales.ravel(), norms, strict=True)]
    averages = _read_table(n_keys, np.concatenate(stds)) if stds else np.empty((3, 0))
    ends = np.cumsum([std.size for std in stds])[:-1]
    pieces = np.split(averages, ends, axis=1) if stds else []
    mixed = [piece @ weight for piece, (_, weight) in zip(pieces, norms, strict=True)]
    entropy, max_weight, squares = np.reshape(np.transpose(mixed), (3, *dims.shape))
    return ExpectedSoftmax(entropy, max_weight, squares, 1.0 - squares)


_FIELDS = tuple(ExpectedSoftmax.__dataclass_fields__)


def _row_averages(n_keys, score_std):
    """Return E H, E max p and E sum p² by the integrals in the module's docstring."""
    x, dx, low, high = _grid(n_keys, score_std)
    node, weight, running = _legendre_rule()
    half = 0.5 * (high - low)[:, None]
    z = low[:, None] + half * (node + 1.0)  # (n_x, n_z)
    ln_w = score_std * z - x[:, None]
    w = np.exp(ln_w)
    density = half * np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
    survived = density * np.exp(-w)
    g_complement = ndtr(-high) + _integral(density * -np.expm1(-w), weight)
    g_of_others = np.exp(xlog1py(n_keys - 1, -np.minimum(g_complement, 1.0)))
    below = ndtr(low)[:, None] + _running_integral(survived, running)
    total = survived * w
    entropy = -np.euler_gamma - n_keys * dx * g_of_others @ _integral(total * ln_w, weight)
    squares = n_keys * dx * g_of_others @ _integral(total * w, weight)
    max_weight = n_keys * dx * _integral(total * _power(below, n_keys - 1), weight).sum()
    # By rounding, the quadrature may be 1e-14 outside the bounds of entropy and weights.
    bounds = (0.0, 1.0 / n_keys, 1.0 / n_keys), (np.log(n_keys), 1.0, 1.0)
    return np.clip((entropy, max_weight, squares), *bounds)


def _integral(values, weight):
    """Integrate over z for each x. Use einsum, because BLAS threads wait for a core on a busy machine."""
    return np.einsum("xz,z->x", values, weight)


def _running_integral(values, running):
    """Integrate up to each z, (n_x, n_z), by matrix products too small for BLAS to start threads."""
    blocks = np.array_split(values, -(-len(values) // 10))
    return np.concatenate([block @ running.T for block in blocks])


def _power(base, exponent):
    """Return base**exponent for 0 <= base <= 1; faster than np.power when most results are tiny."""
    return np.exp(exponent * np.log(np.maximum(base, np.finfo(float).tiny)))


def _grid(n_keys, score_std):
    """Return points x, their spacing, and for each x the interval of z where w is neither tiny nor huge."""
    dx = max(0.25, score_std / 16.0)
    # The largest of n_keys scores is below this with probability 1e-17, and -ln(Exp(1)) is above -4.
    smallest_maximum = max(-_LARGEST_Z, float(ndtri(10.0 ** (-17.0 / n_keys))))
    x = np.arange(score_std * smallest_maximum - 4.0, _LARGEST_Z * score_std + np.log(n_keys) + 38.0, dx)
    if score_std < 1.0:
        return x, dx, np.full_like(x, -_LARGEST_Z), np.full_like(x, _LARGEST_Z)
    low = np.clip((x + _SMALLEST_LN_W) / score_std, -_LARGEST_Z, _LARGEST_Z)
    high = np.clip((x + _LARGEST_LN_W) / score_std, -_LARGEST_Z, _LARGEST_Z)
    return x, dx, low, high


@remembered(1)
def _legendre_rule(n_nodes=144):
    """Return Gauss-Legendre nodes and weights on [-1, 1], and the matrix of running integrals.

    Row i of the matrix integrates the interpolating polynomial from -1 to node i,
    by int_-1^x P_k = (P_(k+1)(x) - P_(k-1)(x)) / (2k + 1).
    """
    node, weight = legendre.leggauss(n_nodes)
    values = legendre.legvander(node, n_nodes)
    odd = 2.0 * np.arange(n_nodes) + 1.0
    coefficients = 0.5 * odd[:, None] * values[:, :-1].T * weight
    integrals = np.empty((n_nodes, n_nodes))
    integrals[:, 0] = node + 1.0
    integrals[:, 1:] = (values[:, 2:] - values[:, :-2]) / odd[1:]
    return node, weight, integrals @ coefficients


@remembered(4096)
def _query_norms(d_k):
    """Return nodes and weights for the chi law of |q|: trapezoid rule in y = ln|q|, density ~ e^(d y - e^2y/2)."""
    width = 1.0 / np.sqrt(2.0 * d_k)
    step = min(0.15, 0.5 * width)
    y = np.arange(-34.0 / d_k - 9.0 * width, 9.0 * width, step)  # y - ln √d_k, which is 0 at the peak
    log_density = d_k * (y - 0.5 * np.expm1(2.0 * y))
    kept = log_density > -40.0
    weight = np.exp(log_density[kept])
    return np.sqrt(d_k) * np.exp(y[kept]), weight / weight.sum()


def _read_table(n_keys, score_std):
    """Evaluate `_row_averages` at n spreads by its Chebyshev series in ln(1 + σ); return an array (3, n)."""
    largest = max(float(score_std.max()), _SMALLEST_TABLE_STD)
    if largest > MAX_SCORE_STD:
        raise ValueError(f"scale * |q| must be at most {MAX_SCORE_STD:g}, but it reaches {largest:.3g}")
    doublings = int(np.ceil(np.log2(largest / _SMALLEST_TABLE_STD)))
    table_std = _SMALLEST_TABLE_STD * 2.0**doublings
    position = 2.0 * np.log1p(score_std) / np.log1p(table_std) - 1.0
    return chebyshev.chebval(position, _table(n_keys, table_std))


@remembered(32)
def _table(n_keys, table_std):
    """Return the Chebyshev coefficients (n_nodes, 3) of the averages in ln(1 + σ), 0 <= σ <= table_std."""
    # The averages bend near critical_score_std, more sharply for more keys, which takes more nodes.
    n_nodes = 40 + 2 * int(np.log2(n_keys)) + 8 * int(np.log2(table_std / _SMALLEST_TABLE_STD))
    nodes = chebyshev.chebpts1(n_nodes)
    stds = np.expm1(0.5 * (nodes + 1.0) * np.log1p(table_std))
    values = np.array([_row_averages(n_keys, std) for std in stds])
    return chebyshev.chebfit(nodes, values, n_nodes - 1)


def _check_dims(dims):
    refuse_masked("dims", dims)
    refuse_large_integers("dims", dims)
    array = np.asarray(dims)
    if array.dtype.kind not in "iu":
        raise TypeError(f"dims must hold integers, but got dtype {array.dtype}")
    if array.size and array.min() < 1:
        raise ValueError(f"dims must be at least 1, but got {array.min()}")
    return array


def _check_scales(scales):
    array = check_array("scales", scales)
    if array.size and array.min() < 0.0:
        raise ValueError(f"scales must be at least 0, but got {array.min()}")
    return array


def _broadcast(dims: NDArray[Any], scales: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    try:
        return np.broadcast_arrays(dims, scales)
    except ValueError:
        shapes = f"shapes {dims.shape} and {scales.shape}"
        raise ValueError(f"dims and scales must broadcast against each other, but got {shapes}") from None
