import math

import numpy as np
import pytest
from scipy import stats

from sattn_core.components import COMPONENT_LAWS
from sattn_core.standard_errors import share_interval, shared_row_covariance, two_way_error


@pytest.mark.parametrize("law", ["normal", "uniform", "laplace"])
@pytest.mark.parametrize("d_k", [1, 5])
def test_shared_row_covariance_is_the_variance_over_queries(law, d_k):
    moments = COMPONENT_LAWS[law].moments
    K = moments[1]
    u = COMPONENT_LAWS[law].draw(np.random.default_rng(0), (200_000, d_k)) ** 2
    kurtosis = 3 + (K**2 - 3) / d_k
    given_q = (3 * u.sum(1) ** 2 + (K - 3) * (u**2).sum(1)) / d_k**2 - 2 * kurtosis * u.mean(1)
    squares = (given_q - given_q.mean()) ** 2
    error = squares.std() / math.sqrt(len(u))
    assert abs(squares.mean() - shared_row_covariance(d_k, moments)) < 4 * error


def test_two_way_error_finds_planted_effects():
    rng = np.random.default_rng(1)
    m, n = 10, 15
    shapes = ((m, 1), (1, n), (m, n))
    draws = [
        sum(size * rng.standard_normal(shape) for size, shape in zip((1, 2, 3), shapes, strict=True))
        for _ in range(2000)
    ]
    exact = 1 / m + 4 / n + 9 / (m * n)
    squares = np.array([two_way_error(x) ** 2 for x in draws])
    assert abs(squares.mean() - exact) < 4 * squares.std() / math.sqrt(2000)
    means = np.array([x.mean() for x in draws])
    assert means.var() == pytest.approx(exact, rel=4 * math.sqrt(2 / 2000))


@pytest.mark.parametrize(("count", "n"), [(0, 2_000), (1, 10), (467, 2_000), (10, 10)])
@pytest.mark.parametrize("level", [0.95, 0.5])
def test_share_interval_is_scipy_s_exact_one(count, n, level):
    wanted = stats.binomtest(count, n).proportion_ci(level, method="exact")
    # SciPy searches for the roots; its tolerance is about 1e-12.
    np.testing.assert_allclose(share_interval(count, n, level=level), wanted, rtol=1e-9, atol=1e-12)
