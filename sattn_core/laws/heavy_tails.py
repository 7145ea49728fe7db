"""Typical size of dot products with infinite variance: components with Student's t distribution, 1 ≤ ν ≤ 2."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, kv

from sattn_core._memory import remembered

_STEP = 0.05  # step of _SIZES
_SIZES = np.arange(-30.0, 30.0, _STEP)  # ln |x| of a component x, and ln t of the characteristic function
_LEAST = 1e-9  # smallest value of the characteristic function that counts
_POINTS = 20_000


@remembered(64)
def median_size(d_k: int, nu: float) -> float:
    """Return the median of |q·k| for independent components with Student's t distribution.

    With φ the characteristic function of one product, P(|s| ≤ m) = (2/π) ∫ φ(t)^d_k sin(t m)/t dt.
    """
    from scipy.optimize import brentq  # noqa: PLC0415  24 MB and 0.2 s, needed for this law alone

    log_phi = d_k * np.log1p(-_one_less_phi(nu))
    wide = float(np.interp(math.log(2), -log_phi, _SIZES))  # ln t where φ^d_k is ½
    last = float(np.interp(-math.log(_LEAST), -log_phi, _SIZES))
    t = np.linspace(0.0, math.exp(min(last, wide + 7.0)), _POINTS + 1)[1:]
    phi, step = np.exp(np.interp(np.log(t), _SIZES, log_phi)), t[0]

    def share(size):
        return 2 / math.pi * step * (float(np.sum(phi * np.sin(size * t) / t)) + size / 2)  # size / 2: term at t = 0

    unit = math.exp(-wide)
    return float(brentq(lambda size: share(size) - 0.5, 0.05 * unit, 5 * unit, rtol=1e-6))


def _one_less_phi(nu: float) -> NDArray[np.float64]:
    """Return 1 − φ at t = exp(_SIZES): E[1 − φ₁(t x)], with φ₁ the characteristic function of a component x."""
    n = len(_SIZES)
    u = math.sqrt(nu) * np.exp(2 * _SIZES[0] + _STEP * np.arange(2 * n - 1))
    log_scale = math.log(2) * (1 - nu / 2) - gammaln(nu / 2)
    one = np.clip(1 - np.exp(log_scale) * u ** (nu / 2) * kv(nu / 2, u), 0.0, 1.0)
    x = np.exp(_SIZES)
    density = 2 * np.exp(gammaln((nu + 1) / 2) - gammaln(nu / 2)) / math.sqrt(nu * math.pi)
    weights = density * (1 + x * x / nu) ** (-(nu + 1) / 2) * x * _STEP
    return np.clip(np.convolve(one, weights[::-1], mode="valid"), 0.0, 1 - 1e-300)
