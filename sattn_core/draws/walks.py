"""Dot products as random walks: the sum after each component, and its expected spread."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sattn_core._checks import check_integer
from sattn_core.laws.components import PairLaw, component_products
from sattn_core.laws.moments import pair_moments


@dataclass(frozen=True, eq=False)
class RandomWalks:
    """Dot products as random walks: at step t a walk is the sum of its first t products."""

    steps: NDArray[np.int_]  # (d_k + 1,): 0, 1, …, d_k
    # (n_walks, d_k + 1): partial sums; the first column is 0, the last one the raw scores at d_k
    walks: NDArray[np.float64]
    # mean, std, low, high (d_k + 1,): theory at every step: mean, standard deviation, and mean ∓ one standard deviation
    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def thinned(self, d_k: int, most: int) -> "RandomWalks":
        """Return the walks up to step d_k at no more than `most` steps, spaced evenly in √t.

        The steps kept below d_k do not depend on d_k, so the visible part of a walk does not change as d_k grows.
        """
        d_k, evenly = check_integer("d_k", d_k, 1, int(self.steps[-1])), self._evenly(most)
        return self._at(np.append(evenly[evenly < d_k], d_k))

    def thinned_from(self, d_k: int, most: int) -> "RandomWalks":
        """Return the walks from step d_k on, at the evenly spaced steps of `thinned`."""
        d_k, evenly = check_integer("d_k", d_k, 1, int(self.steps[-1])), self._evenly(most)
        return self._at(np.insert(evenly[evenly > d_k], 0, d_k))

    def _evenly(self, most):
        last, most = int(self.steps[-1]), check_integer("most", most, 2)
        return np.unique(np.rint(np.linspace(0, np.sqrt(last), most) ** 2).astype(int))

    def _at(self, at):
        return RandomWalks(self.steps[at], self.walks[:, at], self.mean[at], self.std[at], self.low[at], self.high[at])


def random_walks(
    d_k: int,
    *,
    n_walks: int = 6,
    law: str = "normal",
    mean_q: float = 0.0,
    mean_k: float = 0.0,
    correlation: float = 0.0,
    seed: int,
) -> RandomWalks:
    """Return n_walks random walks Σ_{i ≤ t} q_i k_i for t = 0, …, d_k."""
    d_k, n_walks = check_integer("d_k", d_k, 1), check_integer("n_walks", n_walks, 1)
    pair_law, seed = PairLaw(law, mean_q, mean_k, correlation), check_integer("seed", seed, 0)
    one = pair_moments(1, pair_law)
    products = list(component_products(0, d_k, n_walks, pair_law, seed))
    walks = np.cumsum([np.zeros(n_walks), *products], axis=0).T
    steps = np.arange(d_k + 1)
    mean, std = np.float64(one.mean) * steps, np.sqrt(np.float64(one.variance) * steps)
    return RandomWalks(steps, walks, mean, std, mean - std, mean + std)
