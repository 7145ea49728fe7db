import numpy as np
import pytest

from sattn_core.components import PairLaw, append_coordinates
from sattn_core.random_walks import random_walks


def test_walks_start_at_zero_and_end_at_the_appended_scores():
    options = {"law": "laplace", "mean_q": 0.5, "mean_k": 0.2, "correlation": -0.3, "seed": 4}
    pair_law = PairLaw("laplace", 0.5, 0.2, -0.3)
    walks = random_walks(37, n_walks=5, **options)
    assert walks.walks.shape == (5, 38)
    np.testing.assert_array_equal(walks.walks[:, 0], np.zeros(5))
    for t in (1, 20, 37):
        np.testing.assert_array_equal(walks.walks[:, t], append_coordinates(np.zeros(5), 0, t, pair_law, seed=4))
    np.testing.assert_array_equal(walks.walks[:, :21], random_walks(20, n_walks=5, **options).walks)


def test_walk_envelope_is_the_theory_at_every_step():
    walks = random_walks(9, mean_q=1.0, mean_k=2.0, seed=0)
    np.testing.assert_array_equal(walks.steps, np.arange(10))
    np.testing.assert_allclose(walks.mean, 2.0 * np.arange(10), rtol=1e-13)
    np.testing.assert_allclose(walks.std, np.sqrt(6.0 * np.arange(10)), rtol=1e-13)
    np.testing.assert_array_equal(walks.low, walks.mean - walks.std)
    np.testing.assert_array_equal(walks.high, walks.mean + walks.std)


def test_walks_are_checked():
    with pytest.raises(ValueError, match="n_walks must be at least 1"):
        random_walks(4, n_walks=0, seed=0)
    with pytest.raises(ValueError, match="d_k must be at least 1"):
        random_walks(0, seed=0)
