"""Draws of a class: each phone multiplies its own random matrices."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_integer

MOST_PHONES, MOST_PER_PHONE = 100, 100


@dataclass(frozen=True, eq=False)
class PhoneDraws:
    """Draws of one phone: products of A (size × d_k) and B (d_k × size), and the variance of each product."""

    number: int
    # first_A, first_B, first_product: matrices of the first draw
    first_A: NDArray[np.float64]
    first_B: NDArray[np.float64]
    first_product: NDArray[np.float64]
    variances: NDArray[np.float64]  # (per_phone,): variance of the entries of each product, in order of drawing


def phone_draws(
    number: int, per_phone: int = 10, *, size: int = 2, d_k: int = 2, ddof: int = 0, seed: int = 0
) -> PhoneDraws:
    """Draw for phone `number` of a class, independently of other phones; a larger per_phone appends draws."""
    number = check_integer("number", number, 0, MOST_PHONES - 1)
    check_integer("per_phone", per_phone, 1, MOST_PER_PHONE)
    check_integer("size", size, 2, 64)
    check_integer("d_k", d_k, 1, 1024)
    check_integer("ddof", ddof, 0, 1)
    stream = np.random.SeedSequence(check_integer("seed", seed, 0), spawn_key=(6, number))
    drawn = np.random.Generator(np.random.SFC64(stream)).standard_normal((per_phone, 2, size, d_k))
    A, B = drawn[:, 0], drawn[:, 1].swapaxes(1, 2)
    products = A @ B
    variances = products.var(axis=(1, 2), ddof=ddof)
    return PhoneDraws(number, A[0].copy(), B[0].copy(), products[0].copy(), variances)
