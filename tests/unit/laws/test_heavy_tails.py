import numpy as np
import pytest

from sattn_core.laws.heavy_tails import median_size


# With 20,000 pairs the share below the median has a standard error of 0.35 %.
@pytest.mark.parametrize("nu", [1.5, 1.8, 2.0])
def test_half_of_the_simulated_scores_lie_within_the_median_size(nu):
    rng, scores = np.random.default_rng(5), np.zeros(20_000)
    for d_k in range(1, 129):
        scores += rng.standard_t(nu, scores.size) * rng.standard_t(nu, scores.size)
        if d_k in (1, 2, 16, 128):
            share = np.mean(np.abs(scores) < median_size(d_k, nu))
            assert abs(share - 0.5) < 4 * 0.5 / np.sqrt(scores.size)


def test_median_size_of_a_product_of_two_cauchy_numbers_is_1():
    assert median_size(1, 1.0) == pytest.approx(1, rel=2e-3)
