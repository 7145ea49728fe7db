"""Many sums of random signs, counted from bits: fast enough to follow a dragged slider at any length.

The signs of a seed are one draw: a longer sum appends signs to a shorter one.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import binom

from sattn_core._checks import check_integer
from sattn_core.laws.components import block_generator

_STREAM = 20  # random stream, chosen so that at seed 0 "cat" does not have the largest sum
_BITS = 64  # signs in a word, one per bit
MOST_SIGNS = 1_024  # limit of float64: 2^−1,024 is below its normal numbers


def sign_sums(n_signs: int, n_sums: int, *, seed: int) -> NDArray[np.int64]:
    """Return n_sums sums of n_signs independent random signs ±1, shape (n_sums,)."""
    n_signs = check_integer("n_signs", n_signs, 0, MOST_SIGNS)
    wanted = np.clip(n_signs - _BITS * np.arange(-(-n_signs // _BITS)), 0, _BITS)  # bits to use of each word
    masks = np.uint64(2**_BITS - 1) >> (_BITS - wanted).astype(np.uint64)
    ups = np.bitwise_count(_words(n_signs, n_sums, seed) & masks[:, None]).sum(axis=0, dtype=np.int64)
    return 2 * ups - n_signs


def signs(n_signs: int, n_sums: int, which: Sequence[int], *, seed: int) -> NDArray[np.float64]:
    """Return the signs ±1 that add up to some of the sums of `sign_sums`, shape (len(which), n_signs)."""
    n_signs = check_integer("n_signs", n_signs, 0, MOST_SIGNS)
    words = _words(n_signs, n_sums, seed)[:, which].T
    bits = (words[:, :, None] >> np.arange(_BITS, dtype=np.uint64)) & np.uint64(1)
    return 2.0 * bits.reshape(len(words), -1)[:, :n_signs] - 1.0


def _words(n_signs, n_sums, seed):
    """Draw the bits of all sums, 64 per word, shape (n_words, n_sums); more words leave the first ones unchanged."""
    rng = block_generator(check_integer("seed", seed, 0), _STREAM)
    return rng.integers(0, 2**_BITS, (-(-n_signs // _BITS), n_sums), dtype=np.uint64)


def chance_on_top(starts: ArrayLike, n_signs: int) -> NDArray[np.float64]:
    """Return, for each starting sum, the probability that it is the largest, or ties, after n_signs more signs."""
    starts, n_signs = np.asarray(starts, dtype=np.float64), check_integer("n_signs", n_signs, 0, MOST_SIGNS)
    ups = np.arange(n_signs + 1)
    probability = binom(n_signs, ups) * 0.5**n_signs
    at_most = np.append(0.0, np.cumsum(probability))  # entry u + 1: probability of at most u signs +1
    ahead = np.floor((starts[:, None] - starts) / 2).astype(int)  # how many more signs +1 the other sum may have
    allowed = np.clip(ups + ahead[:, :, None] + 1, 0, n_signs + 1)
    others = np.where(np.eye(len(starts), dtype=bool)[:, :, None], 1.0, at_most[allowed])
    return others.prod(axis=1) @ probability
