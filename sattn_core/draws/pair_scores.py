"""Scores q·k of many independent pairs or rows, drawn without drawing every component of q and k.

The sum over a block of components is one draw from the law of that sum. Blocks are the octaves [0, 1), [1, 2),
[2, 4), [4, 8), …. If d_k lies inside a block, the block is halved repeatedly, by the law of one half given the
whole. So the number of draws grows only like log d_k. Scores at a larger d_k are still those at a smaller d_k plus
independent products, as if components were appended.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_integer
from sattn_core.cost import CALL, DRAWN, Price, proceed
from sattn_core.laws.components import STANDARD_NORMAL, PairLaw, block_generator, check_pair_law, component_products

# Random streams; 0 to 2 are used for the components of pairs, the row of the sweep and the batches.
_STREAM, ROW_STREAM = 3, 4
_PART = 65_536  # number of pairs drawn at a time, to stay in the processor's cache
_WORD = 64  # signs in one random word
_RARE = 0.1  # share of the components of the sparse law that are not 0


def draw_pair_scores(
    n_samples: int,
    d_k: int,
    pair_law: PairLaw = STANDARD_NORMAL,
    *,
    seed: int,
    check: Callable[[], object] = proceed,
) -> NDArray[np.float64]:
    """Draw the raw scores s = Σ_{i < d_k} q_i k_i of independent pairs (q, k).

    Parameters
    ----------
    n_samples, d_k : int
        Number of pairs and of components, each at least 1.
    pair_law, seed : PairLaw, int
        As in `append_components`.
    check : callable
        Called between blocks; an exception that it raises ends the draw.

    Returns
    -------
    ndarray, shape (n_samples,)
        Scores at a larger d_k are those at a smaller d_k plus products that are independent of them.

    Raises
    ------
    ValueError, TypeError
        If an argument is of the wrong type or outside its range.

    Notes
    -----
    For a normal law q·k needs only Σ a, Σ a² and one normal number, where a are the components of q minus their
    mean: given q, Σ q_i b_i is N(0, |q|²). Signs are counted in random words of 64 bits. Sparse components with
    mean 0 and no correlation count only where neither q_i nor k_i is 0. For all other laws every component is
    drawn, as in `append_components`.

    References
    ----------
    Glasserman (2003), Monte Carlo Methods in Financial Engineering, section 3.1 (bridges).

    Examples
    --------
    >>> draw_pair_scores(3, 5, PairLaw("rademacher", correlation=-1.0), seed=0)   # k = −q with components ±1
    array([-5., -5., -5.])
    """
    n_samples, d_k = check_integer("n_samples", n_samples, 1), check_integer("d_k", d_k, 1)
    seed, pair_law = check_integer("seed", seed, 0, None), check_pair_law(pair_law)
    draw = _sampler(pair_law)
    scores = np.empty(n_samples)
    for part, start in enumerate(range(0, n_samples, _PART)):
        check()
        some = scores[start : start + _PART]
        some[:] = next(draw(len(some), (d_k,), pair_law, (seed, _STREAM, part), check))
    return scores


def growing_scores(dims: Sequence[int], n_samples: int, pair_law: PairLaw, seed: int) -> Iterator[NDArray[np.float64]]:
    """Yield the scores of `draw_pair_scores` at each of the increasing dims in one pass.

    A yielded array may change when the next one is requested.
    """
    draw = _sampler(pair_law)
    sizes = [min(_PART, n_samples - start) for start in range(0, n_samples, _PART)]
    parts = [draw(size, tuple(dims), pair_law, (seed, _STREAM, part), proceed) for part, size in enumerate(sizes)]
    for scores in zip(*parts, strict=True):
        yield np.concatenate(scores) if len(scores) > 1 else scores[0]


def growing_rows(
    dims: Sequence[int], n_rows: int, n_keys: int, seed: int, stream: int = ROW_STREAM
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield raw scores (n_rows, n_keys) and |q|² of every query at each of the increasing dims.

    Components are standard normal, and every row has its own keys. The draw at one d_k does not depend on other dims.
    """
    drawn = _block_scores((n_rows, n_keys), tuple(dims), STANDARD_NORMAL, (seed, stream), proceed, _square_and_scores)
    return ((both[:, 1:], both[:, 0]) for both in drawn)


def pair_scores_price(n_samples: int, d_k: int, pair_law: PairLaw) -> Price:
    """Return the `Price` of `draw_pair_scores`."""
    held = 64  # bytes for each pair drawn at a time
    if _sampler(pair_law) is _component_scores:
        each, calls = d_k * _component_work(pair_law), 11 * d_k
    elif pair_law.law == "rademacher":
        words = -(-d_k // _WORD)
        each, calls = 15 + 21 * words, 10 + 25 * words
    else:
        octaves, halvings = len(_octaves(d_k)), _halvings(d_k)
        octave, half = _block_work(pair_law)
        each, calls, held = octaves * octave + halvings * half, 35 * (octaves + halvings), held + 50 * halvings
    numbers = n_samples * each + -(-n_samples // _PART) * calls * CALL
    return Price(numbers, 8 * n_samples + held * min(n_samples, _PART))


def _component_work(pair_law):
    """Return the work of drawing, multiplying and adding one component of q and of k."""
    moved = bool(pair_law.mean_q) + bool(pair_law.mean_k) + 3 * bool(pair_law.correlation)
    return 2 * pair_law.component.work + 2 + moved


def _block_work(pair_law):
    """Return the work for one pair: drawing the sums over an octave, and those over half a block."""
    normal, gamma, more = DRAWN["standard_normal"], DRAWN["standard_gamma"], 3 * bool(pair_law.correlation)
    if pair_law.law == "sparse":
        return DRAWN["binomial"] + gamma + normal + 7, DRAWN["hypergeometric"] + 2 * gamma + normal + 26
    if _needs_sums(pair_law):
        return gamma + 2 * normal + 15 + more, 2 * gamma + 2 * normal + 40 + more
    return gamma + normal + 4 + more, gamma + 2 * normal + 20 + more


def _needs_sums(pair_law):
    return bool(pair_law.mean_q or pair_law.mean_k)


def _sampler(pair_law):
    """Return the cheapest generator function for the scores of this law."""
    if pair_law.law == "normal" or (pair_law.law == "sparse" and pair_law.is_centred):
        return _block_scores
    return _sign_scores if pair_law.law == "rademacher" else _component_scores


def _component_scores(n, dims, pair_law, key, check):
    """Yield the scores at each of dims, with every component drawn."""
    seed, _, part = key
    scores = np.zeros(n)
    for d_k, product in enumerate(component_products(0, dims[-1], n, pair_law, seed, part), start=1):
        scores += product
        check()
        if d_k in dims:
            yield scores


def _sign_scores(n, dims, pair_law, key, _check):
    """Yield the scores of random signs: Σ q k follows from Σ a, Σ b and Σ a b, which are counts of bits."""
    seed, _, part = key
    counts = np.zeros((3, n), dtype=np.int64)
    for word, start in enumerate(range(0, dims[-1], _WORD)):
        rng = block_generator(seed, _STREAM, part, word)
        a, b = rng.integers(0, 2**64, (2, n), dtype=np.uint64)
        bits = np.stack([a, b, ~(a ^ b)])
        for d_k in (each for each in dims if start < each <= start + _WORD):
            used = np.uint64(2**64 - 1 >> (start + _WORD - d_k))
            yield _score_of_signs(2 * (counts + np.bitwise_count(bits & used)) - d_k, d_k, pair_law)
        counts += np.bitwise_count(bits)


def _score_of_signs(sums, d_k, pair_law):
    (sum_a, sum_b, sum_ab), rho = sums, pair_law.correlation
    scores = d_k * (pair_law.mean_q * pair_law.mean_k + rho) + (pair_law.mean_k + rho * pair_law.mean_q) * sum_a
    return scores + math.sqrt(1 - rho**2) * (pair_law.mean_q * sum_b + sum_ab)


class _Block(NamedTuple):
    """Sums over the components of one block, one number per pair; sums that the law does not need are 0.

    For rows, `cross` has one number per key, and the other sums have one per query.
    Components are a = γ z and b = γ w; in a sparse law γ is 0 in all but `rare` components.
    """

    size: int
    rare: NDArray[np.float64] | int  # number of components where neither a nor b is 0
    total: NDArray[np.float64] | float  # Σ z
    square: NDArray[np.float64]  # Σ z²
    cross: NDArray[np.float64] | float  # Σ (mean_q + z) w

    def minus(self, other):
        return _Block(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))


def _block_scores(n, dims, pair_law, key, check, sums=None):
    """Yield the scores, or other sums, at each of dims; an octave with one of dims inside is halved."""
    sums, scores = sums or _score, 0.0
    for start, size in _octaves(dims[-1]):
        check()
        block = _whole(n, size, pair_law, _generator(key, start, size))
        yield from _scores_inside(block, start, scores, dims, pair_law, key, sums)
        scores = scores + sums(block, pair_law)


def _scores_inside(block, start, before, dims, pair_law, key, sums):
    """Yield the scores at the dims inside a block or at its end; the block begins at component `start`."""
    end = start + block.size
    inside = [d_k for d_k in dims if start < d_k < end]
    if inside:
        half = _left_half(block, pair_law, _generator(key, start, block.size, 1))
        yield from _scores_inside(half, start, before, inside, pair_law, key, sums)
        if inside[-1] > start + half.size:
            before_right = before + sums(half, pair_law)
            yield from _scores_inside(block.minus(half), start + half.size, before_right, inside, pair_law, key, sums)
    if end in dims:
        yield before + sums(block, pair_law)


def _octaves(d_k):
    return [(0, 1), *((2**j, 2**j) for j in range((d_k - 1).bit_length()))]


def _halvings(d_k):
    """Return the number of blocks that must be halved to end at d_k."""
    n_cut, (start, size) = 0, _octaves(d_k)[-1]
    while d_k < start + size:
        n_cut += 1
        size //= 2
        start += size if d_k > start + size else 0
    return n_cut


def _generator(key, *place):
    return block_generator(*key, *place)


def _chi_square(rng, degrees, n):
    """Draw χ² with `degrees` degrees of freedom, a number or an array; 0 for 0 degrees."""
    return 2.0 * rng.standard_gamma(degrees / 2, None if np.ndim(degrees) else n)


def _whole(n, size, pair_law, rng):
    """Draw the sums over a block of components for n pairs, or for n = (rows, keys)."""
    queries = n if np.ndim(n) == 0 else (n[0], 1)
    rare = rng.binomial(size, _RARE**2, n) if pair_law.law == "sparse" else size
    total = math.sqrt(size) * rng.standard_normal(queries) if _needs_sums(pair_law) else 0.0
    # Squares about the mean of z have one degree of freedom less.
    degrees, extra = (rare - 1, total**2 / size) if _needs_sums(pair_law) else (rare, 0.0)
    square = _chi_square(rng, degrees, queries) + extra
    block = _Block(size, rare, total, square, 0.0)
    return block._replace(cross=np.sqrt(_query_square(block, pair_law)) * rng.standard_normal(n))


def _left_half(block, pair_law, rng):
    """Draw the sums over the first half of a block, given the sums over the whole block."""
    n, half = block.square.shape, block.size // 2
    rare, total = half, 0.0
    if pair_law.law == "sparse":
        rare = rng.hypergeometric(block.rare, block.size - block.rare, half)
        left, right = _chi_square(rng, rare, n), _chi_square(rng, block.rare - rare, n)
        square = block.square * _share(left, left + right)
    elif _needs_sums(pair_law):
        total, square = _cut_sums(block, rng)
    else:
        square = block.square * _share_of_half(rng, half, n)
    part = _Block(half, rare, total, square, 0.0)
    mine, all_of_it = _query_square(part, pair_law), _query_square(block, pair_law)
    share = np.minimum(_share(mine, all_of_it), 1.0)
    noise = np.sqrt(mine * (1 - share)) * rng.standard_normal(np.shape(block.cross))
    return part._replace(cross=share * block.cross + noise)


def _share_of_half(rng, half, n):
    """Draw Σ z² over the first half of a block ÷ Σ z² over the whole block, which is Beta(half/2, half/2).

    (1 + x)/2 has this law if x is a component of a random point on the unit sphere in half + 1 dimensions, and its
    draw needs one χ² instead of two.
    """
    one = rng.standard_normal(n)
    return 0.5 + 0.5 * one / np.sqrt(one**2 + _chi_square(rng, half, n))


def _cut_sums(block, rng):
    """Draw Σ z and Σ z² over the first half; squares about the mean split into both halves and their difference."""
    n, half = block.square.shape, block.size // 2
    left, right, between = _chi_square(rng, half - 1, n), _chi_square(rng, half - 1, n), rng.standard_normal(n)
    about_mean = np.maximum(block.square - block.total**2 / block.size, 0.0)
    unit = about_mean / (left + right + between**2)
    total = block.total / 2 + math.sqrt(block.size) / 2 * between * np.sqrt(unit)
    return total, left * unit + total**2 / half


def _share(part, whole):
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _query_square(block, pair_law):
    """Return Σ (mean_q + z)²."""
    if not pair_law.mean_q:
        return block.square
    mean = pair_law.mean_q
    return np.maximum(block.size * mean**2 + 2 * mean * block.total + block.square, 0.0)


def _score(block, pair_law):
    """Return Σ q_i k_i from the sums over a block, with k = mean_k + ρ a + √(1−ρ²) b."""
    rho, mean_q, mean_k = pair_law.correlation, pair_law.mean_q, pair_law.mean_k
    if pair_law.law == "sparse":
        return block.cross / _RARE
    scores = math.sqrt(1 - rho**2) * block.cross if rho else block.cross
    if rho:
        scores = scores + rho * block.square
    if _needs_sums(pair_law):
        scores = scores + (block.size * mean_q * mean_k + (mean_k + rho * mean_q) * block.total)
    return scores


def _square_and_scores(block, pair_law):
    """Return |q|² of each row in the first column, and its scores in the other columns."""
    return np.concatenate([block.square, _score(block, pair_law)], axis=1)
