import math

import numpy as np
import pytest

from sattn_core.bands.matrix_variance import score_variance_moments
from sattn_core.draws import matrix_products as module
from sattn_core.draws.matrix_products import (
    independent_entries_std,
    matrix_variances,
    numbers_a_draw,
    reference_distribution,
    reference_draws,
)


@pytest.mark.parametrize(("size", "d_k"), [(2, 1), (3, 3), (8, 64)])
def test_drawn_variances_have_the_exact_mean_and_variance(size, d_k):
    drawn = matrix_variances(size, d_k, 100_000, seed=0)
    mean, variance = score_variance_moments(size, size, d_k)
    assert abs(drawn.mean() - mean) < 4 * math.sqrt(variance / len(drawn))
    squares = (drawn - mean) ** 2
    assert abs(squares.mean() - variance) < 4 * squares.std() / math.sqrt(len(drawn))


def test_block_size_does_not_change_the_draws(monkeypatch):
    many = matrix_variances(3, 1024, 300, seed=0)
    monkeypatch.setattr(module, "BLOCK_NUMBERS", 100)
    np.testing.assert_array_equal(matrix_variances(3, 1024, 300, seed=0), many)
    assert matrix_variances(3, 1024, 0, seed=0).shape == (0,)


def test_reference_distribution_describes_its_draws():
    sample = matrix_variances(2, 2, reference_draws(2, 2), 28) * 4 / 3
    found = reference_distribution(2, 2, 1, 1.6, 8.0, 4)
    assert found.n_draws == len(sample) == 400_000
    np.testing.assert_allclose((found.low, found.median, found.high), np.quantile(sample, (0.05, 0.5, 0.95)))
    below = np.mean(sample < 1.6)
    assert (found.percentile, found.near_d_k) == pytest.approx((100 * below, 100 * np.mean(abs(sample / 2 - 1) < 0.1)))
    assert found.percentile_error == pytest.approx(100 * math.sqrt(below * (1 - below) / 400_000))
    np.testing.assert_allclose(found.shares, np.histogram(sample, np.linspace(0, 8, 5))[0] / 400_000)


def test_cached_arrays_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        reference_distribution(2, 2, 1, 1.6, 8.0, 4).shares[0] = 1.0


def test_large_matrices_have_fewer_reference_draws():
    assert (numbers_a_draw(64, 1024), numbers_a_draw(64, 1)) == (256, 8)
    assert reference_draws(64, 1024) == 6_000_000 // 256


def test_independent_entries_would_have_a_smaller_spread():
    assert independent_entries_std(2, 2) == pytest.approx(math.sqrt(20) / 2)
    assert independent_entries_std(16, 4) < math.sqrt(score_variance_moments(16, 16, 4).variance)
