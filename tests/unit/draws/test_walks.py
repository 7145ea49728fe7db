import math

import numpy as np
import pytest

from sattn_core.draws.walks import random_walks
from sattn_core.laws.components import PairLaw, append_components


def test_walks_start_at_zero_and_agree_with_append_components():
    options = {"law": "laplace", "mean_q": 0.5, "mean_k": 0.2, "correlation": -0.3, "seed": 4}
    pair_law = PairLaw("laplace", 0.5, 0.2, -0.3)
    walks = random_walks(37, n_walks=5, **options)
    assert walks.walks.shape == (5, 38)
    np.testing.assert_array_equal(walks.walks[:, 0], np.zeros(5))
    for t in (1, 20, 37):
        np.testing.assert_array_equal(walks.walks[:, t], append_components(np.zeros(5), 0, t, pair_law, seed=4))
    np.testing.assert_array_equal(walks.walks[:, :21], random_walks(20, n_walks=5, **options).walks)


def test_walk_envelope_follows_the_theory_at_every_step():
    walks = random_walks(9, mean_q=1.0, mean_k=2.0, seed=0)
    np.testing.assert_array_equal(walks.steps, np.arange(10))
    np.testing.assert_allclose(walks.mean, 2.0 * np.arange(10), rtol=1e-13)
    np.testing.assert_allclose(walks.std, np.sqrt(6.0 * np.arange(10)), rtol=1e-13)
    np.testing.assert_array_equal(walks.low, walks.mean - walks.std)
    np.testing.assert_array_equal(walks.high, walks.mean + walks.std)


def test_thinned_walks_keep_some_steps_and_the_last_one():
    walks = random_walks(1024, n_walks=3, mean_q=0.5, seed=1)
    some = walks.thinned(300, 150)
    assert (some.steps[0], some.steps[-1]) == (0, 300)
    assert len(some.steps) <= 150
    for name in ("walks", "mean", "std", "low", "high"):
        np.testing.assert_array_equal(getattr(some, name), getattr(walks, name)[..., some.steps])
    gaps = np.diff(np.sqrt(some.steps))  # equal gaps of 32/149, up to rounding to whole steps
    assert (gaps <= np.maximum(32 / 149 + 1 / np.sqrt(np.maximum(some.steps[:-1], 1)), 1)).all()


def test_thinned_from_continues_the_walks_where_thinned_ends():
    walks = random_walks(1024, n_walks=2, seed=5)
    every = walks.thinned(1024, 150).steps
    for d_k in (1, 64, 300, 1024):
        kept, rest = walks.thinned(d_k, 150), walks.thinned_from(d_k, 150)
        assert kept.steps[-1] == rest.steps[0] == d_k
        assert {*kept.steps, *rest.steps} == {*every, d_k}
        np.testing.assert_array_equal(rest.walks, walks.walks[:, rest.steps])
    with pytest.raises(ValueError, match="d_k"):
        walks.thinned_from(1025, 150)


def test_thinned_walks_of_a_larger_d_k_keep_the_steps_of_a_smaller_one():
    walks = random_walks(1024, n_walks=3, seed=1)
    for d_k in (1, 2, 77, 300, 1023):
        kept, longer = walks.thinned(d_k, 150).steps, walks.thinned(1024, 150).steps
        np.testing.assert_array_equal(kept[:-1], longer[longer < d_k])
    assert len(longer) <= 150


def test_bad_arguments_of_walks_and_thinning_are_refused():
    with pytest.raises(ValueError, match="n_walks must be at least 1"):
        random_walks(4, n_walks=0, seed=0)
    with pytest.raises(ValueError, match="d_k must be at least 1"):
        random_walks(0, seed=0)
    walks = random_walks(9, seed=1)
    with pytest.raises(ValueError, match="d_k must be between 1 and 9, but got 10"):
        walks.thinned(10, 5)
    with pytest.raises(ValueError, match="most must be at least 2, but got 1"):
        walks.thinned(9, 1)


# --- oracles -------------------------------------------------------------------------------------------


# The draw as documented: components come in blocks of four. Block n has its own generator, SFC64 seeded with
# SeedSequence(seed, spawn_key=(0, n)), which draws for each component the a of all pairs, then the b of all pairs.
def drawn_again(d_k, n_walks, seed, mean_q=0.0, mean_k=0.0, rho=0.0):
    products = np.empty((n_walks, d_k))
    for i in range(d_k):
        if i % 4 == 0:
            rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(0, i // 4))))
        a, b = rng.standard_normal((2, n_walks))
        products[:, i] = (mean_q + a) * (mean_k + rho * a + math.sqrt(1 - rho**2) * b)
    return np.array([[math.fsum(row[:t]) for t in range(d_k + 1)] for row in products])


# Sums of up to 70 products, added in a different order: they differ by rounding.
@pytest.mark.parametrize("broken", [{}, {"mean_q": 0.5, "mean_k": -1.0}, {"rho": 0.6}])
def test_walks_are_the_sums_of_the_documented_draw(broken):
    options = {"correlation" if name == "rho" else name: value for name, value in broken.items()}
    walks = random_walks(70, n_walks=5, seed=11, **options)
    again = drawn_again(70, 5, 11, **broken)
    np.testing.assert_allclose(walks.walks, again, rtol=0, atol=1e-12)
    thinned = walks.thinned(53, 12)
    np.testing.assert_allclose(thinned.walks, again[:, thinned.steps], rtol=0, atol=1e-12)
