"""The density of one raw score q·k, to be drawn over a histogram."""

import math

import numpy as np
from numpy.typing import NDArray

from sattn_core.components import PairLaw
from sattn_core.law import dot_product_pdf
from sattn_core.score_moments import pair_moments


def has_exact_density(pair_law: PairLaw) -> bool:
    """Return whether `score_density` is exact: for independent normal components with zero means."""
    return pair_law.law == "normal" and pair_law.is_centred


def score_density(s: NDArray[np.float64], d_k: int, pair_law: PairLaw) -> NDArray[np.float64]:
    """Return the density of q·k at s: exact, or normal with the exact mean and variance; NaN if scores are constant."""
    if has_exact_density(pair_law):
        return np.asarray(dot_product_pdf(s, d_k))
    theory = pair_moments(d_k, pair_law)
    if theory.variance == 0:
        return np.full_like(s, np.nan)
    z = (s - theory.mean) / math.sqrt(theory.variance)
    return np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi * theory.variance)
