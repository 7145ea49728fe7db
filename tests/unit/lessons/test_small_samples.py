import math
import statistics
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from sattn_core.draws import matrix_products
from sattn_core.draws.phones import phone_draws
from sattn_core.lessons.small_samples import (
    PUBLISHED,
    SmallSamplesParams,
    band_curve,
    class_draws,
    draw_sweep,
    hand_made_example,
    measure_large_experiment,
    measure_small_samples,
)


@pytest.fixture(scope="module")
def small():
    return measure_small_samples(SmallSamplesParams())


def test_two_by_two_by_hand(small):
    assert small.mean_theory == 1.5
    assert abs(small.std_theory - math.sqrt(4.75)) < 1e-14
    assert abs(small.variances[0] - small.first_product.var()) < 1e-13
    assert np.array_equal(small.first_product, small.first_A @ small.first_B)


def test_known_percentiles_of_two_by_two_products(small):
    assert abs(small.percentile - 71.4) < 4 * small.percentile_error + 0.05
    assert abs(small.median - 0.756) < 4 * small.median_error + 0.0005
    assert abs(small.low - 0.048) < 0.002
    assert abs(small.high - 5.43) < 0.06
    assert abs(small.checks[3].predicted - 5.0) < 0.2
    with_ddof = measure_small_samples(SmallSamplesParams(ddof=1))
    assert abs(with_ddof.percentile - 63.3) < 0.4


def test_ddof_1_multiplies_variances_by_four_thirds(small):
    with_ddof = measure_small_samples(SmallSamplesParams(ddof=1))
    assert with_ddof.mean_theory == 2.0
    assert np.allclose(with_ddof.variances, small.variances * 4 / 3, rtol=1e-14)
    assert np.allclose(with_ddof.band, np.array(small.band) * 4 / 3, rtol=1e-14)


def test_histogram_counts_every_draw(small):
    assert small.counts.sum() + small.above == 2000
    assert np.array_equal(np.histogram(small.variances, small.edges)[0], small.counts)


def test_published_run_has_its_known_numbers():
    experiment = measure_large_experiment()
    A, B, product, scaled = experiment.rows
    assert (A.published, B.published, product.published, scaled.published) == PUBLISHED
    assert abs(product.mean - 110.99991) < 1e-5
    assert abs(product.std - 0.647907) < 1e-6
    assert abs(A.std - 0.00402712) < 1e-8
    for row, z in zip(experiment.rows, (-0.0399968, -1.05856, -0.678414, -0.678414), strict=True):
        assert abs(row.published_z - z) < 1e-5
    assert abs(experiment.naive_std - 0.143191) < 1e-6
    assert abs(experiment.published_naive_z - -3.0703) < 1e-4
    assert abs(experiment.published_from_factors - 110.507212) < 1e-6
    assert abs(experiment.residual_std - 0.141918) < 1e-6
    assert abs(experiment.published_residual_z - 0.3745) < 1e-4
    assert abs(experiment.explained_share - 0.952) < 1e-4
    low, high = experiment.band
    assert low < PUBLISHED[2] < high
    assert PUBLISHED[2] < experiment.naive_band[0]


def test_dot_is_matmul_in_two_dimensions():
    experiment = measure_large_experiment(20, 10)
    assert experiment.dot_equals_matmul
    assert experiment.largest_difference < 1e-13


def test_scaled_variance_is_the_raw_variance_over_d_k():
    _, _, product, scaled = measure_large_experiment(50, 7, seed=2).rows
    assert abs(scaled.measured * 7 / product.measured - 1) < 1e-13
    assert abs(scaled.z - product.z) < 1e-9


def test_band_narrows_with_the_size():
    curve = band_curve((2, 8, 64), d_k=4)
    assert (np.diff(curve.high - curve.low) < 0).all()
    assert (curve.naive_high - curve.naive_low < curve.high - curve.low)[1:].all()
    assert curve.measured.shape == (3, 40)
    assert curve.share_inside[2] > curve.naive_share_inside[2]


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="n_rows must be between 2 and 2048"):
        measure_large_experiment(1)
    with pytest.raises(ValueError, match="sizes must hold at least one size"):
        band_curve(())


# --- draws and their checks ------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "d_k"), [(2, 1), (3, 1024), (64, 2)])
def test_draws_do_not_depend_on_later_draws(size, d_k, monkeypatch):
    many = measure_small_samples(SmallSamplesParams(size, d_k, n_draws=300)).variances
    few = measure_small_samples(SmallSamplesParams(size, d_k, n_draws=7)).variances
    assert np.array_equal(many[:7], few)
    monkeypatch.setattr(matrix_products, "BLOCK_NUMBERS", 100)  # a few draws per block
    assert np.array_equal(measure_small_samples(SmallSamplesParams(size, d_k, n_draws=300)).variances, many)


def test_large_experiment_needs_less_than_100_mb():
    tracemalloc.start()
    measure_large_experiment()
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()


def test_expected_counts_come_from_the_reference_draws():
    few, many = (measure_small_samples(SmallSamplesParams(n_draws=n)) for n in (10, 1000))
    np.testing.assert_allclose(many.expected, 100 * few.expected)
    assert 980 < many.expected.sum() < 1000  # the rest lies beyond the last edge
    assert np.abs(many.counts - many.expected).max() < 4 * np.sqrt(many.expected.max())


def test_checks_agree_with_the_draws():
    result = measure_small_samples(SmallSamplesParams(n_draws=400))
    mean, median, below, near = result.checks
    assert [each.name for each in result.checks] == ["mean", "median", "below 1.6", "near d_k"]
    assert (mean.predicted, mean.predicted_error, mean.measured) == (1.5, 0, result.mean_measured)
    assert mean.z == pytest.approx(result.z)
    assert median.measured == np.median(result.variances)
    assert below.measured == pytest.approx(np.sum(result.variances < 1.6) / 4)
    assert below.standard_error == pytest.approx(100 * np.sqrt(0.714 * 0.286 / 400), rel=0.01)
    assert near.measured == pytest.approx(np.sum(np.abs(result.variances - 2) < 0.2) / 4)
    assert max(abs(each.z) for each in result.checks) < 4


def test_expected_share_of_0_has_standard_error_0():
    below = measure_small_samples(SmallSamplesParams(16, 64, n_draws=5)).checks[2]
    assert (below.predicted, below.measured, below.standard_error) == (0, 0, 0)
    assert np.isnan(below.z)


# --- the same draws at every d_k --------------------------------------------------------------------------


def test_sweep_keeps_its_draws_from_one_d_k_to_the_next():
    sweep = draw_sweep((1, 2, 64, 72))
    together = [np.corrcoef(sweep.ratios[[i, i + 1]])[0, 1] for i in range(3)]
    assert together[2] > 0.95  # 8 of 72 components are new
    assert (sweep.mean_theory, draw_sweep((7,), ddof=1).mean_theory) == (0.75, pytest.approx(1, abs=1e-15))
    unbiased = draw_sweep((1, 2, 64, 72), ddof=1).ratios
    np.testing.assert_allclose(unbiased, sweep.ratios * 4 / 3, rtol=1e-13)
    np.testing.assert_array_equal(draw_sweep((1, 2, 64, 72), n_draws=50).ratios, sweep.ratios[:, :50])


def test_first_draws_of_a_sweep_are_counted():
    sweep = draw_sweep((1, 64), n_draws=300)
    first = sweep.first(100)
    for i in range(2):
        ratios = sweep.ratios[i, :100]
        np.testing.assert_array_equal(first.counts[i], np.histogram(ratios, sweep.edges)[0])
        assert first.above[i] == (ratios > 4).sum()
        assert first.near[i] == (np.abs(ratios - 1) < 0.1).sum()
    check = first.check(sweep, 1)
    assert check.z == pytest.approx((sweep.ratios[1, :100].mean() - 0.75) / (sweep.std_theory[1] / 10))
    assert abs(check.z) < 4


def test_bad_sweeps_are_refused():
    with pytest.raises(ValueError, match="dims must hold at least one d_k and rise, but got"):
        draw_sweep((64, 2))
    with pytest.raises(ValueError, match="dims must hold at least one d_k and rise"):
        draw_sweep(())
    with pytest.raises(ValueError, match="n_draws must be between 1 and 200, but got 201"):
        draw_sweep((2,)).first(201)


# --- a class draws together -----------------------------------------------------------------------------


def test_300_draws_of_a_class_distinguish_a_mean_of_1_5_from_2():
    ten, one = class_draws(30), class_draws(30, 1)
    assert ten.standard_error == pytest.approx(math.sqrt(4.75 / 300), rel=1e-14)
    assert (round(ten.standard_error, 2), round(one.standard_error, 1)) == (0.13, 0.4)
    assert ten.mean_theory == 1.5
    assert ten.mean_theory + 3 * ten.standard_error < 2 < one.mean_theory + 2 * one.standard_error
    assert ten.value == 1.6


def test_rows_of_a_class_are_the_draws_of_its_phones():
    drawn = class_draws(30, seed=4)
    np.testing.assert_array_equal(class_draws(7, seed=4).variances, drawn.variances[:7])
    for i in (0, 7, 29):
        np.testing.assert_array_equal(drawn.variances[i], phone_draws(i, seed=4).variances)
    assert not np.isin(class_draws(30, seed=5).variances, drawn.variances).any()


def test_class_and_lesson_use_the_same_bins_and_theory():
    drawn, alone = class_draws(30, seed=1), measure_small_samples(SmallSamplesParams(n_draws=300))
    np.testing.assert_array_equal(drawn.edges, alone.edges)
    np.testing.assert_array_equal(drawn.expected, alone.expected)
    np.testing.assert_array_equal(drawn.counts, np.histogram(drawn.variances, alone.edges)[0])
    assert drawn.above == (drawn.variances > drawn.edges[-1]).sum()
    assert (drawn.mean_theory, drawn.std_theory) == (alone.mean_theory, alone.std_theory)
    assert drawn.mean_measured == pytest.approx(drawn.variances.mean())
    assert drawn.z == pytest.approx((drawn.mean_measured - 1.5) / drawn.standard_error)


def test_running_means_of_a_class_are_the_means_of_fewer_phones():
    drawn = class_draws(40, seed=2)
    fewer = [class_draws(n, seed=2) for n in range(1, 41)]
    np.testing.assert_allclose(drawn.means, [each.variances.mean() for each in fewer], rtol=1e-13)
    np.testing.assert_allclose(drawn.errors, [each.standard_error for each in fewer], rtol=1e-13)
    assert (drawn.means[-1], drawn.errors[-1]) == pytest.approx((drawn.mean_measured, drawn.standard_error))


def test_class_without_phones_has_no_mean():
    empty = class_draws(0)
    assert (empty.means.size, empty.errors.size) == (0, 0)
    assert empty.variances.shape == (0, 10)
    assert (empty.counts.sum(), empty.above, empty.expected.sum()) == (0, 0, 0)
    assert np.isnan([empty.mean_measured, empty.standard_error, empty.z]).all()


def test_class_draws_refuse_bad_arguments():
    with pytest.raises(ValueError, match="n_phones must be between 0 and 100, but got 101"):
        class_draws(101)
    with pytest.raises(ValueError, match="per_phone must be between 1 and 100, but got 0"):
        class_draws(1, 0)
    with pytest.raises(ValueError, match="d_k must be between 1 and 1024"):
        class_draws(0, d_k=0)


# --- oracles -----------------------------------------------------------------------------------------


def test_statistics_agree_with_a_plain_monte_carlo():
    # The lesson's median and percentile of 1.6 are also simulated, but share no code with this simulation.
    rng = np.random.default_rng(2021)
    variances = np.array([(rng.standard_normal((2, 2)) @ rng.standard_normal((2, 2))).var() for _ in range(40_000)])
    result = measure_small_samples(SmallSamplesParams())
    share = np.mean(variances < 1.6)
    error = math.sqrt(share * (1 - share) / len(variances))
    assert abs(share - result.percentile / 100) < 4 * math.hypot(error, result.percentile_error / 100)
    assert abs(variances.mean() - result.mean_theory) < 4 * result.std_theory / 200
    assert abs(np.median(variances) - result.median) < 0.03


@pytest.mark.parametrize(("size", "d_k"), [(2, 1), (2, 3), (3, 2), (5, 4), (5, 5), (4, 9)])
def test_draws_and_sweep_have_the_distribution_of_multiplied_matrices(size, d_k):
    # The inner dimension is smaller than, equal to or larger than the outer one; the sweep starts at d_k = 1.
    # The Kolmogorov distance of two samples of n draws of one law exceeds 1.95 √(2/n) once in a thousand times.
    rng, n = np.random.default_rng(size + 10 * d_k), 10_000
    A, B = rng.standard_normal((n, size, d_k)), rng.standard_normal((n, d_k, size))
    multiplied = np.matmul(A, B).var(axis=(1, 2))
    drawn = measure_small_samples(SmallSamplesParams(size, d_k, n_draws=n)).variances
    sweep = draw_sweep(tuple(range(1, d_k + 1)), size=size, n_draws=n)
    for found in (drawn, d_k * sweep.ratios[-1]):
        assert stats.ks_2samp(multiplied, found).statistic < 1.95 * math.sqrt(2 / n)
    assert abs(multiplied.mean() / d_k - sweep.mean_theory) < 4 * sweep.std_theory[-1] / math.sqrt(n)


def test_z_of_the_large_experiment_has_variance_1_but_naive_z_has_more():
    runs = [measure_large_experiment(60, 8, seed=i) for i in range(300)]
    for index in range(4):
        z = np.array([run.rows[index].z for run in runs])
        assert abs(z.mean()) < 4 / math.sqrt(300)
        assert abs(z.var() - 1) < 4 * math.sqrt(3 / 300)  # variances have slightly heavier tails than a normal
    residual = np.array([run.residual_z for run in runs])
    assert abs(residual.var() - 1) < 4 * math.sqrt(3 / 300)
    assert np.var([run.naive_z for run in runs]) > 3
    inside = np.mean([run.band[0] <= run.rows[2].measured <= run.band[1] for run in runs])
    assert abs(inside - 0.95) < 4 * math.sqrt(0.05 * 0.95 / 300)


def test_band_contains_95_percent_of_the_measured_points():
    curve = band_curve((2, 16, 48), d_k=4, n_draws=300)
    assert (np.abs(curve.share_inside - 0.95) < 4 * math.sqrt(0.05 * 0.95 / 300)).all()
    assert curve.naive_share_inside[2] < 0.8


@pytest.mark.parametrize(("size", "d_k", "ddof"), [(2, 2, 0), (3, 4, 1)])
def test_z_of_a_class_has_mean_0_and_variance_1(size, d_k, ddof):
    z = np.array([class_draws(30, size=size, d_k=d_k, ddof=ddof, seed=seed).z for seed in range(200)])
    assert abs(z.mean()) < 4 / math.sqrt(200)
    assert abs(z.var() - 1) < 4 * math.sqrt(3 / 200)  # means of 300 draws have slightly heavier tails than a normal


def test_hand_made_examples_of_the_notes():
    two = hand_made_example([[1, 2], [1, 4], [8, 9]], [[2, 3], [5, 6], [10, 2]])
    np.testing.assert_array_equal(two.dots, [8, 29, 98])
    assert (two.mean, two.variance) == (45.0, 1478.0)
    three = hand_made_example([[1, 2, 3], [3, 4, 5], [10, 9, 11]], [[3, 2, 1], [6, 7, 8], [8, 7, 6]])
    np.testing.assert_array_equal(three.dots, [10, 86, 209])
    assert three.variance == pytest.approx(60506 / 9, rel=1e-13)


@pytest.mark.parametrize(
    ("q_rows", "k_rows", "message"),
    [
        ([[1, 2]], [[1, 2], [3, 4]], "of one length, at least one each, but q is 1 × 2 and k is 2 × 2"),
        ([[1, 2]], [[1, 2, 3]], "but q is 1 × 2 and k is 1 × 3"),
        (np.empty((0, 2)), np.empty((0, 2)), "at least one each"),
        ([1, 2], [1, 2], r"q_rows must have 2 dimension\(s\)"),
        ([[1e7]], [[1]], r"must lie between ±1e\+06, but got 1e\+07"),
        ([[1]], [[-1e7]], r"must lie between ±1e\+06, but got 1e\+07"),
    ],
)
def test_bad_hand_made_examples_are_refused(q_rows, k_rows, message):
    with pytest.raises(ValueError, match=message):
        hand_made_example(q_rows, k_rows)


@pytest.mark.parametrize("d_k", [1, 3, 64])
def test_hand_made_moments_agree_with_the_standard_library(d_k):
    q, k = np.random.default_rng(d_k).integers(-9, 10, (2, 16, d_k))
    example = hand_made_example(q, k)
    dots = [sum(int(a) * int(b) for a, b in zip(*rows, strict=True)) for rows in zip(q, k, strict=True)]
    assert example.dots.tolist() == dots
    assert (example.d_k, example.mean) == (d_k, statistics.mean(dots))
    assert example.variance == pytest.approx(statistics.pvariance(dots), rel=1e-13)
    assert example.std == pytest.approx(statistics.pstdev(dots), rel=1e-13)


@pytest.mark.parametrize("d_k", [1, 2, 3, 64])
def test_drawn_products_have_the_predicted_spread(d_k):
    q, k = np.random.default_rng(0).standard_normal((2, 100_000, d_k))
    drawn = np.sum(q * k, axis=-1)
    error = math.sqrt(np.var((drawn - drawn.mean()) ** 2) / len(drawn))
    assert abs(drawn.var() - hand_made_example(q[:1], k[:1]).std_theory ** 2) < 4 * error


def test_all_patterns_of_signs_have_the_predicted_spread():
    for d_k in (1, 2, 3, 4):
        k = np.array(np.meshgrid(*[[-1, 1]] * d_k)).reshape(d_k, -1).T
        example = hand_made_example(np.ones_like(k), k)
        assert (example.mean, example.variance, example.std) == (0, d_k, example.std_theory)


def test_hand_made_products_equal_up_to_rounding_have_no_spread():
    equal = hand_made_example([[0.1, 0.2], [0.3, 0], [0.3, 0]], [[1, 1]] * 3)
    assert (equal.variance, equal.std) == (0, 0)
    nothing = hand_made_example([[0.1, 0.2, -0.3], [0.0, -0.0, 0.0]], [[1, 1, 1]] * 2)
    assert [str(each) for each in nothing.dots] == ["0.0", "0.0"]
    assert str(hand_made_example([[0.1], [0.2], [-0.3]], [[1]] * 3).mean) == "0.0"
    assert hand_made_example([[1e6], [1e-6]], [[1e6], [1e-6]]).dots.tolist() == [1e12, 1e-12]
