import math

import numpy as np
import pytest

from sattn_core.components import COMPONENT_LAWS
from sattn_core.moments import paired_score_moments
from sattn_core.random_walks import random_walks


def test_walks_spread_as_their_envelope():
    walks = random_walks(64, n_walks=4000, mean_q=0.5, mean_k=0.5, seed=2)
    steps = slice(1, None)
    error = walks.std[steps] / math.sqrt(4000)
    assert (np.abs(walks.walks.mean(0)[steps] - walks.mean[steps]) < 4 * error).all()
    ratio = walks.walks.std(0)[steps] / walks.std[steps]
    one = paired_score_moments(1, moments=COMPONENT_LAWS["normal"].moments, mean_q=0.5, mean_k=0.5)
    excess = one.excess_kurtosis / walks.steps[steps]
    assert (np.abs(ratio - 1) < 4 * np.sqrt((excess + 2) / 4000) / 2).all()


# The draw as it is documented: coordinates come in blocks of four, and block b has a generator of its own, SFC64 seeded
# with SeedSequence(seed, spawn_key=(0, b)), which gives each coordinate the components a of all pairs and then the b.
def drawn_again(d_k, n_walks, seed, mean_q=0.0, mean_k=0.0, rho=0.0):
    products = np.empty((n_walks, d_k))
    for i in range(d_k):
        if i % 4 == 0:
            rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(0, i // 4))))
        a, b = rng.standard_normal((2, n_walks))
        products[:, i] = (mean_q + a) * (mean_k + rho * a + math.sqrt(1 - rho**2) * b)
    return np.array([[math.fsum(row[:t]) for t in range(d_k + 1)] for row in products])


# Sums of up to 70 products of either order: rounding.
@pytest.mark.parametrize("broken", [{}, {"mean_q": 0.5, "mean_k": -1.0}, {"rho": 0.6}])
def test_walks_are_the_sums_of_the_documented_draw(broken):
    options = {"correlation" if name == "rho" else name: value for name, value in broken.items()}
    walks = random_walks(70, n_walks=5, seed=11, **options)
    again = drawn_again(70, 5, 11, **broken)
    np.testing.assert_allclose(walks.walks, again, rtol=0, atol=1e-12)
    thinned = walks.thinned(53, 12)
    np.testing.assert_allclose(thinned.walks, again[:, thinned.steps], rtol=0, atol=1e-12)
