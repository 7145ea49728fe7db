"""Exact moments of one score q·k for any law of its components: to order 4 in closed form, to order 8 by cumulants."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import binom

from sattn_core.components import PairLaw
from sattn_core.moments import DotProductMoments, paired_score_moments


def pair_moments(d_k: int, pair_law: PairLaw) -> DotProductMoments:
    """Return mean, variance and excess kurtosis of q·k, as `paired_score_moments` gives them."""
    return paired_score_moments(
        d_k,
        moments=pair_law.component.moments,
        mean_q=pair_law.mean_q,
        mean_k=pair_law.mean_k,
        correlation=pair_law.correlation,
    )


def score_moments(d_k: int, pair_law: PairLaw) -> NDArray[np.float64]:
    """Return the exact standardised moments E zʲ, j = 0, …, 8, of one score q·k that varies."""
    cumulants = d_k * _to_cumulants(_product_moments(pair_law))
    cumulants[1] = 0.0
    return _to_moments(cumulants / math.sqrt(cumulants[2]) ** np.arange(9))


def _product_moments(pair_law):
    """Return E (q k)ʲ, j = 0, …, 8, of one component: k = ρ a + u, u independent of q = mean_q + a."""
    rho = pair_law.correlation
    of_a = np.eye(17)[0]
    of_a[2::2] = [pair_law.component.even_moment(r) for r in range(1, 9)]
    of_u = _shifted(of_a[:9] * math.sqrt(1 - rho**2) ** np.arange(9), pair_law.mean_k, 9)
    moments = np.ones(9)
    for j in range(1, 9):
        i = np.arange(j + 1)
        of_q_and_a = [_shifted(of_a[p : p + 9], pair_law.mean_q, 9)[j] for p in i]  # E qʲ aᵖ
        moments[j] = np.sum(binom(j, i) * float(rho) ** i * of_u[j - i] * of_q_and_a)
    return moments


def _shifted(moments, shift, count):
    """Return E w (shift + a)ʲ, j < count, from E w aʲ."""
    powers = float(shift) ** np.arange(count)
    return np.array([binom(j, np.arange(j + 1)) * powers[j::-1] @ moments[: j + 1] for j in range(count)])


def _to_cumulants(moments):
    cumulants = np.zeros(9)
    for n in range(1, 9):
        j = np.arange(1, n)
        cumulants[n] = moments[n] - np.sum(binom(n - 1, j - 1) * cumulants[j] * moments[n - j])
    return cumulants


def _to_moments(cumulants):
    moments = np.eye(9)[0]
    for n in range(1, 9):
        j = np.arange(1, n + 1)
        moments[n] = np.sum(binom(n - 1, j - 1) * cumulants[j] * moments[n - j])
    return moments
