"""Laws of components with mean 0 and variance 1, and the queries and keys drawn from them."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sattn_core._checks import check_array, check_choice, check_integer, check_number
from sattn_core.cost import DRAWN

_BLOCK = 4  # components that share a random stream; starting inside a block wastes at most 3 draws
_PAIR_STREAM = 0


@dataclass(frozen=True)
class ComponentLaw:
    """Symmetric law for a component of q or k, with mean 0 and variance 1.

    Parameters
    ----------
    name : str
        Key of the law in `COMPONENT_LAWS`.
    even_moment : callable
        ``even_moment(r)`` is E a²ʳ, r ≥ 1; E a² is 1, and an infinite moment is ``inf``.
    sampler : callable
        ``sampler(rng, shape)`` returns draws as float64.
    work : float
        Work of one draw, as `sattn_core.cost` counts it.

    Examples
    --------
    >>> COMPONENT_LAWS["uniform"].kurtosis
    1.8
    """

    name: str
    even_moment: Callable[[int], float] = field(repr=False)
    sampler: Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]] = field(repr=False)
    work: float = field(default=DRAWN["standard_normal"], repr=False)

    @property
    def moments(self) -> tuple[float, ...]:
        """Even moments ``(E a², E a⁴, E a⁶, E a⁸)``."""
        return tuple(float(self.even_moment(r)) for r in (1, 2, 3, 4))

    @property
    def kurtosis(self) -> float:
        """Standardised fourth moment ``E a⁴`` (normal: 3)."""
        return self.moments[1]

    @property
    def has_eight_moments(self) -> bool:
        """Return True if all moments up to the eighth are finite."""
        return bool(np.isfinite(self.moments).all())

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return independent float64 draws of the given shape from the generator ``rng``."""
        return self.sampler(rng, shape)


def _normal_moment(r):
    return math.prod(range(1, 2 * r, 2))


def _normal(rng, shape):
    return rng.standard_normal(shape)


def _uniform(rng, shape):
    draws = rng.random(shape)
    draws -= 0.5
    draws *= math.sqrt(12.0)
    return draws


def _rademacher(rng, shape):
    return rng.integers(0, 2, shape, dtype=np.int8) * 2.0 - 1.0


def _laplace(rng, shape):
    draws = rng.standard_exponential(shape)
    draws -= rng.standard_exponential(shape)
    draws *= math.sqrt(0.5)
    return draws


def _student_t(rng, shape):
    return rng.standard_t(5, shape) * math.sqrt(3 / 5)


def _sparse(rng, shape):
    draws = np.zeros(shape)
    kept = rng.random(shape) < 0.1
    draws[kept] = rng.standard_normal(np.count_nonzero(kept)) * math.sqrt(10.0)
    return draws


COMPONENT_LAWS = MappingProxyType(
    {
        law.name: law
        for law in (
            ComponentLaw("normal", _normal_moment, _normal),
            ComponentLaw("uniform", lambda r: 3**r / (2 * r + 1), _uniform, 7),
            ComponentLaw("rademacher", lambda r: 1, _rademacher, 7),
            ComponentLaw("laplace", lambda r: math.factorial(2 * r) / 2**r, _laplace, 22),
            ComponentLaw("student_t", lambda r: (1, 9)[r - 1] if r < 3 else math.inf, _student_t, 61),
            ComponentLaw("sparse", lambda r: 10 ** (r - 1) * _normal_moment(r), _sparse, 9),
        )
    }
)


@dataclass(frozen=True)
class PairLaw:
    """Law of the components of one pair (q, k): q = mean_q + a, k = mean_k + ρ a + √(1−ρ²) b.

    Parameters
    ----------
    law : str
        Key of `COMPONENT_LAWS`: law of the independent a and b.
    mean_q, mean_k : float
        Mean of every component of q and of k.
    correlation : float
        ρ, in [-1, 1].

    Raises
    ------
    ValueError, TypeError
        If the law is unknown, a mean is not finite, or the correlation is outside [-1, 1].

    Examples
    --------
    >>> PairLaw(correlation=1.0).product(np.array([2.0, 3.0]), np.array([5.0, 7.0]))
    array([4., 9.])
    """

    law: str = "normal"
    mean_q: float = 0.0
    mean_k: float = 0.0
    correlation: float = 0.0

    def __post_init__(self) -> None:
        check_choice("law", self.law, COMPONENT_LAWS)
        check_number("mean_q", self.mean_q)
        check_number("mean_k", self.mean_k)
        check_number("correlation", self.correlation, -1.0, 1.0)

    @property
    def component(self) -> ComponentLaw:
        """`ComponentLaw` of a and b."""
        return COMPONENT_LAWS[self.law]

    @property
    def is_centred(self) -> bool:
        """Return True if q and k have mean 0 and are independent."""
        return not (self.mean_q or self.mean_k or self.correlation)

    def query(self, a: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return q = mean_q + a."""
        return a + self.mean_q if self.mean_q else a

    def key(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return k = mean_k + ρ a + √(1−ρ²) b."""
        if self.correlation:
            b = self.correlation * a + math.sqrt(1.0 - self.correlation**2) * b
        return b + self.mean_k if self.mean_k else b

    def product(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the products q k, one per pair."""
        return self.query(a) * self.key(a, b)


STANDARD_NORMAL = PairLaw()


def check_pair_law(value: object) -> PairLaw:
    """Return value if it is a `PairLaw`."""
    if not isinstance(value, PairLaw):
        raise TypeError(f"pair_law must be a PairLaw, but got {value!r}")
    return value


def block_generator(seed: int, stream: int, *place: int) -> np.random.Generator:
    """Return the random generator for one block of a stream, independent of all other blocks and streams."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(stream, *place))))


def component_products(
    start: int, stop: int, n_samples: int, pair_law: PairLaw, seed: int, part: int = 0
) -> Iterator[NDArray[np.float64]]:
    """Yield q_i k_i, shape (n_samples,), for i = start, …, stop − 1; each part of a seed has its own pairs.

    A component depends on seed, part, i and n_samples, but not on start or stop, because each block of components has
    its own random stream.
    """
    component = pair_law.component
    for block in range(start // _BLOCK, -(-stop // _BLOCK)):
        rng = block_generator(seed, _PAIR_STREAM, block, *((part,) if part else ()))
        for i in range(block * _BLOCK, min((block + 1) * _BLOCK, stop)):
            a, b = component.draw(rng, (2, n_samples))
            if i >= start:
                yield pair_law.product(a, b)


def draw_queries_and_keys(
    n_queries: int,
    n_keys: int,
    d_k: int,
    *,
    law: str = "normal",
    mean_q: float = 0.0,
    mean_k: float = 0.0,
    correlation: float = 0.0,
    seed: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw Q and K: Q = mean_q + A, K = mean_k + ρ A + √(1−ρ²) B, with A and B iid of unit variance.

    Parameters
    ----------
    n_queries, n_keys, d_k : int
        Numbers of queries, keys and components, each at least 1.
    law, mean_q, mean_k, correlation : str, float, float, float
        As in `PairLaw`: row i of K is correlated with row i of Q. Rows without a partner, beyond the
        smaller of n_queries and n_keys, are independent.
    seed : int
        Seed of the draw, at least 0.

    Returns
    -------
    tuple of ndarray
        Q, shape (n_queries, d_k), and K, shape (n_keys, d_k); the same seed gives the same arrays.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range.

    Notes
    -----
    Components of one row are independent. Real heads after training have correlated components
    and aligned q and k; then Var(q·k) is not d_k.

    Examples
    --------
    >>> Q, K = draw_queries_and_keys(3, 2, 4, law="rademacher", correlation=1.0, seed=0)
    >>> np.sum(Q[:2] * K, axis=-1)      # k = q with components ±1: each dot product is d_k
    array([4., 4.])
    """
    shape_q = (check_integer("n_queries", n_queries, 1), check_integer("d_k", d_k, 1))
    shape_k = (check_integer("n_keys", n_keys, 1), shape_q[1])
    pair_law = PairLaw(law, mean_q, mean_k, correlation)
    rng = np.random.Generator(np.random.SFC64(check_integer("seed", seed, 0, None)))
    A = pair_law.component.draw(rng, shape_q)
    K = pair_law.component.draw(rng, shape_k)
    paired = min(n_queries, n_keys)
    if correlation:
        K[:paired] = PairLaw(law, correlation=correlation).key(A[:paired], K[:paired])
    if mean_k:
        K += mean_k
    return pair_law.query(A), K


def append_components(
    scores: ArrayLike,
    start: int,
    stop: int,
    pair_law: PairLaw = STANDARD_NORMAL,
    *,
    seed: int,
) -> NDArray[np.float64]:
    """Append components to the dot products of one draw: s + Σ_{start ≤ i < stop} q_i k_i.

    Parameters
    ----------
    scores : array_like, shape (n_samples,)
        One dot product per pair, over the components 0, …, start − 1 (zeros if start is 0).
    start, stop : int
        First component to append, at least 0, and one past the last, at least start.
    pair_law : PairLaw
        Law of the components of a pair.
    seed : int
        As in `draw_queries_and_keys`; the same for every part of one draw.

    Returns
    -------
    ndarray, shape (n_samples,)
        A new array. Appending in several calls gives the same sum to the last bit.

    Raises
    ------
    ValueError, TypeError
        As in `draw_queries_and_keys`.

    Notes
    -----
    A larger d_k keeps all earlier components of every pair (common random numbers), so a picture
    that follows d_k shows the effect of d_k and not of a fresh draw.

    References
    ----------
    Glasserman (2003), Monte Carlo Methods in Financial Engineering, section 4.1 (common random numbers).

    Examples
    --------
    >>> two = append_components([0.0, 0.0], 0, 2, PairLaw("rademacher", correlation=1.0), seed=7)
    >>> two                             # k = q with components ±1: each component adds 1
    array([2., 2.])
    >>> append_components(two, 2, 5, PairLaw("rademacher", correlation=1.0), seed=7)
    array([5., 5.])
    """
    total = check_array("scores", scores, ndim=1, min_length=1)
    start = check_integer("start", start, 0)
    stop = check_integer("stop", stop, start)
    seed, pair_law = check_integer("seed", seed, 0, None), check_pair_law(pair_law)
    for product in component_products(start, stop, len(total), pair_law, seed):
        total += product
    return total
