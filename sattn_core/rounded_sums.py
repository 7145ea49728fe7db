"""Dot products as a machine of few bits adds them up: one product after the other, rounded after every step."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sattn_core.binary_formats import BinaryFormat, rounded

_BLOCK = 32  # components whose products are rounded at a time


def rounded_sums(
    q: NDArray[np.float64], k: NDArray[np.float64], dims: Sequence[int], to: BinaryFormat
) -> Iterator[NDArray[np.float64]]:
    """Yield Σ_{i < d_k} q_i k_i, i along the first axis, at each of the increasing dims, every operation rounded.

    A float64 holds the product and the sum of two numbers of a shorter format so closely that rounding it gives what
    the format itself gives.
    """
    total = np.zeros(np.broadcast_shapes(q.shape[1:], k.shape[1:]))
    with np.errstate(invalid="ignore"):  # infinity − infinity
        for start in range(0, dims[-1], _BLOCK):
            block = slice(start, min(start + _BLOCK, dims[-1]))
            for i, product in enumerate(rounded(q[block] * k[block], to), start=start + 1):
                total = rounded(total + product, to)
                if i in dims:
                    yield total
