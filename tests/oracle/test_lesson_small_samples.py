import math

import numpy as np
import pytest

from sattn_core.lessons.small_samples import (
    SmallSamplesParams,
    band_curve,
    draw_sweep,
    measure_large_experiment,
    measure_small_samples,
)
from sattn_core.score_variance import score_variance_moments


def test_monte_carlo_by_the_question_s_own_recipe():
    # The public percentile of 1.6 and the median are Monte Carlo too; this one shares no code.
    rng = np.random.default_rng(2021)
    variances = np.array([(rng.standard_normal((2, 2)) @ rng.standard_normal((2, 2))).var() for _ in range(40_000)])
    result = measure_small_samples(SmallSamplesParams())
    share = np.mean(variances < 1.6)
    error = math.sqrt(share * (1 - share) / len(variances))
    assert abs(share - result.percentile / 100) < 4 * math.hypot(error, result.percentile_error / 100)
    assert abs(variances.mean() - result.mean_theory) < 4 * result.std_theory / 200
    assert abs(np.median(variances) - result.median) < 0.03


@pytest.mark.parametrize(("size", "d_k"), [(2, 1), (2, 3), (3, 2), (5, 4), (5, 5), (4, 9)])
def test_the_draws_have_the_distribution_of_a_multiplied_product(size, d_k):
    # Fewer, as many and more inner than outer dimensions. Kolmogorov's distance of two samples of n draws of one
    # distribution exceeds 1.95 √(2/n) once in a thousand times.
    rng, n = np.random.default_rng(size + 10 * d_k), 10_000
    A, B = rng.standard_normal((n, size, d_k)), rng.standard_normal((n, d_k, size))
    multiplied = np.sort(np.matmul(A, B).var(axis=(1, 2)))
    drawn = np.sort(measure_small_samples(SmallSamplesParams(size, d_k, n_draws=n)).variances)
    at = np.concatenate([multiplied, drawn])
    distance = np.abs(np.searchsorted(multiplied, at, "right") - np.searchsorted(drawn, at, "right")).max() / n
    assert distance < 1.95 * math.sqrt(2 / n)


@pytest.mark.parametrize(("size", "d_k"), [(2, 1), (2, 2), (3, 2), (5, 4), (5, 5), (4, 9)])
def test_a_sweep_has_at_every_d_k_the_distribution_of_a_multiplied_product(size, d_k):
    # As above: once in a thousand times further apart. The sweep comes to this d_k over smaller ones.
    rng, n = np.random.default_rng(size + 100 * d_k), 10_000
    A, B = rng.standard_normal((n, size, d_k)), rng.standard_normal((n, d_k, size))
    multiplied = np.sort(np.matmul(A, B).var(axis=(1, 2))) / d_k
    sweep = draw_sweep(tuple(range(1, d_k + 1)), size=size, n_draws=n)
    drawn = np.sort(sweep.ratios[-1])
    at = np.concatenate([multiplied, drawn])
    distance = np.abs(np.searchsorted(multiplied, at, "right") - np.searchsorted(drawn, at, "right")).max() / n
    assert distance < 1.95 * math.sqrt(2 / n)
    assert abs(multiplied.mean() - sweep.mean_theory) < 4 * sweep.std_theory[-1] / math.sqrt(n)


@pytest.mark.parametrize(("size", "d_k"), [(2, 1024), (64, 1), (64, 1024)])
def test_mean_and_variance_of_the_draws_are_the_exact_ones(size, d_k):
    mean, variance = score_variance_moments(size, size, d_k)
    drawn = measure_small_samples(SmallSamplesParams(size, d_k, n_draws=10_000)).variances
    squares = np.square(drawn - mean)
    assert abs(drawn.mean() - mean) < 4 * math.sqrt(variance / 10_000)
    assert abs(squares.mean() - variance) < 4 * squares.std() / 100


def test_z_of_the_mean_is_standard():
    z = [measure_small_samples(SmallSamplesParams(size=4, d_k=8, n_draws=100, seed=i)).z for i in range(200)]
    assert abs(np.mean(z)) < 4 / math.sqrt(200)
    assert abs(np.var(z) - 1) < 4 * math.sqrt(2 / 200)


def test_z_of_the_large_experiment_is_standard_and_the_naive_one_is_not():
    runs = [measure_large_experiment(60, 8, seed=i) for i in range(300)]
    for index in range(4):
        z = np.array([run.rows[index].z for run in runs])
        assert abs(z.mean()) < 4 / math.sqrt(300)
        assert abs(z.var() - 1) < 4 * math.sqrt(3 / 300)  # the variances have a little more tail than a normal
    residual = np.array([run.residual_z for run in runs])
    assert abs(residual.var() - 1) < 4 * math.sqrt(3 / 300)
    assert np.var([run.naive_z for run in runs]) > 3
    inside = np.mean([run.band[0] <= run.rows[2].measured <= run.band[1] for run in runs])
    assert abs(inside - 0.95) < 4 * math.sqrt(0.05 * 0.95 / 300)


def test_measured_points_keep_inside_the_band():
    curve = band_curve((2, 16, 48), d_k=4, n_draws=300)
    assert (np.abs(curve.share_inside - 0.95) < 4 * math.sqrt(0.05 * 0.95 / 300)).all()
    assert curve.naive_share_inside[2] < 0.8
