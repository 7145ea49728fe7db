import math

import numpy as np

from sattn_core.lessons.small_samples import (
    SmallSamplesParams,
    band_curve,
    measure_large_experiment,
    measure_small_samples,
)


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
