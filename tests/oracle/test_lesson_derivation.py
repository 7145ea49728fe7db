import math

import numpy as np
import pytest

from sattn_core.lessons.derivation import (
    DerivationParams,
    exact_scores,
    measure_derivation,
    measure_growth,
    spread_ratio,
    variance_after_dividing,
)
from sattn_core.moments import correlated_pair_moments, dot_product_moments

BREAKS = [
    {},
    {"correlation": -0.4},
    {"mean_q": 0.5, "mean_k": -1.0},
    {"variance_q": 2.5},
    {"component_correlation": 0.2},
    {"mean_q": 0.5, "mean_k": 1.0, "correlation": 0.3, "component_correlation": 0.1, "variance_k": 2.0},
    {"nu": 9.0, "mean_q": 1.0},
]


@pytest.mark.parametrize("options", BREAKS)
def test_measured_moments_lie_within_four_standard_errors_of_the_exact_ones(options):
    result = measure_derivation(DerivationParams(d_k=24, n_samples=20_000, seed=11, **options))
    assert abs(result.mean - result.exact.mean) < 4 * result.mean_error
    assert abs(result.variance - result.exact.variance) < 4 * result.variance_error
    assert abs(result.within_row_variance - result.exact.within_row_variance) < 4 * result.within_row_error


@pytest.mark.parametrize("options", BREAKS)
def test_within_row_variance_is_that_of_a_row_with_keys_of_its_own(options):
    params = DerivationParams(d_k=6, **options)
    rng = np.random.default_rng(4)
    n, r, t = 4_000, params.component_correlation, (9.0, np.sqrt(7 / 9))

    def draw(*shape):
        return rng.standard_t(t[0], shape) * t[1] if params.nu else rng.standard_normal(shape)

    a = np.sqrt(r) * draw(n, 1) + np.sqrt(1 - r) * draw(n, 6)
    b = np.sqrt(r) * draw(n, 8, 1) + np.sqrt(1 - r) * draw(n, 8, 6)  # eight keys that know nothing of q
    q = params.mean_q + np.sqrt(params.variance_q) * a
    k = params.mean_k + np.sqrt(params.variance_k) * b
    each = np.einsum("ni,nji->nj", q, k).var(axis=1, ddof=1)
    assert abs(each.mean() - exact_scores(params).within_row_variance) < 4 * each.std() / np.sqrt(n)


@pytest.mark.parametrize("options", [{}, {"mean_q": 0.5, "mean_k": -1.0}, {"variance_q": 2.5, "mean_q": 2.0}])
def test_exact_moments_agree_with_the_moments_of_independent_components(options):
    exact, moments = exact_scores(DerivationParams(**options)), {"mean_q": 0, "var_q": 1, "mean_k": 0}
    moments |= {name.replace("variance", "var"): value for name, value in options.items()}
    expected = dot_product_moments(64, **moments)
    assert exact.mean == pytest.approx(expected.mean, rel=1e-13)
    assert exact.variance == pytest.approx(expected.variance, rel=1e-13)
    assert exact.within_row_variance == pytest.approx(expected.within_row_variance, rel=1e-13)


def test_exact_moments_agree_with_correlated_pairs():
    exact, expected = exact_scores(DerivationParams(correlation=0.7)), correlated_pair_moments(64, 0.7)
    assert (exact.mean, exact.variance) == pytest.approx((expected.mean, expected.variance), rel=1e-13)


def many_runs(**options):
    params = (DerivationParams(d_k=8, n_samples=2_000, seed=seed, **options) for seed in range(200))
    return [measure_derivation(each) for each in params]


@pytest.mark.parametrize("options", [{}, {"mean_q": 1.0, "mean_k": 0.5}])
def test_z_is_standard_normal_where_a_line_holds(options):
    runs = many_runs(**options)
    for i in range(9):
        z = np.array([run.lines[i].z for run in runs])
        if runs[0].lines[i].holds and z.any():
            # Mean and standard deviation of 200 standard normals: errors 1/sqrt(200), 1/sqrt(400); a little
            # bias (order 1/sqrt(n_samples)) comes from the skewness of squared scores.
            assert abs(z.mean()) < 4 / np.sqrt(200) + 0.1
            assert abs(z.std() - 1) < 4 / np.sqrt(400) + 0.1


@pytest.mark.parametrize("mean_k", [0.0, 2.0])
def test_the_error_of_each_side_is_its_spread_over_seeds(mean_k):
    runs = many_runs(mean_q=1.0, mean_k=mean_k)
    for i in range(9):
        for side in ("left", "right"):
            spread = np.std([getattr(run.lines[i], side) for run in runs])
            error = np.mean([getattr(run.lines[i], f"{side}_error") for run in runs])
            # The standard deviation of 200 runs is known to 5 %; four times that.
            assert spread == pytest.approx(error, rel=0.2, abs=1e-12)
    spread = np.std([run.within_row_variance for run in runs])
    assert spread == pytest.approx(np.mean([run.within_row_error for run in runs]), rel=0.2)


@pytest.mark.parametrize("options", [{"component_correlation": 0.3}, {"variance_q": 4.0}, {"mean_k": 1.0}])
def test_the_right_divisor_gives_the_row_unit_variance(options):
    exact = exact_scores(DerivationParams(**options))
    assert exact.within_row_variance / exact.right_divisor**2 == pytest.approx(1, rel=1e-12)


def test_aligned_pairs_keep_their_size_when_divided_by_d_k_and_grow_when_divided_by_its_root():
    small, large = (measure_derivation(DerivationParams(d_k=d, correlation=0.5)) for d in (64, 1024))
    assert large.right_mean == pytest.approx(small.right_mean, rel=0.05)
    assert large.scaled_mean == pytest.approx(4 * small.scaled_mean, rel=0.05)


def test_sums_without_a_variance_grow_faster_than_the_square_root():
    result = measure_derivation(DerivationParams(d_k=1024, n_samples=2_000, nu=1.5))
    growth = np.log(result.growth_typical[-1] / result.growth_typical[4]) / np.log(1024 / 16)
    # A product of two such variables has tails like x^-nu ln x, so the sum grows like (d ln d)^(1/nu); the
    # law is asymptotic, hence the width.
    expected = np.log(1024 * np.log(1024) / (16 * np.log(16))) / np.log(1024 / 16) / 1.5
    assert growth == pytest.approx(expected, abs=0.06)


@pytest.mark.parametrize("options", BREAKS)
def test_the_three_lines_lie_within_four_standard_errors_of_the_exact_moments_at_every_dimension(options):
    growth = measure_growth(DerivationParams(d_k=48, n_samples=20_000, seed=3, **options))
    for d_k in (1, 2, 12, 48):
        for line in growth.at(d_k):
            assert abs(line.measured - line.exact) < 4 * line.standard_error, (d_k, line.name)


@pytest.mark.parametrize("options", [{}, {"correlation": 0.6}, {"component_correlation": 0.5}, {"mean_k": 2.0}])
def test_the_ratio_of_the_spreads_is_that_of_drawn_scores(options):
    params = DerivationParams(d_k=16, **options)
    rng = np.random.default_rng(8)
    n, r = 20_000, params.component_correlation

    def drawn(d_k):
        a, b = (np.sqrt(r) * rng.standard_normal((n, 1)) + np.sqrt(1 - r) * rng.standard_normal((n, d_k)) for _ in "qk")
        k = params.mean_k + params.correlation * a + np.sqrt(1 - params.correlation**2) * b
        scores = np.einsum("nd,nd->n", a, k)
        squares = (scores - scores.mean()) ** 2
        return squares.mean(), squares.std() / np.sqrt(n) / squares.mean()  # and its relative error

    (small, small_error), (large, large_error) = drawn(16), drawn(64)
    relative = np.hypot(small_error, large_error) / 2  # of the root
    assert abs(np.sqrt(large / small) / spread_ratio(params) - 1) < 4 * relative


@pytest.mark.parametrize("exponent", [0.0, 0.25, 0.5, 1.0])
def test_the_variance_after_a_division_is_that_of_signs_added_up(exponent):
    # A sum of d independent signs takes the value d − 2 j with probability C(d, j) / 2^d: all of them, no draw.
    d_k = 16
    values = (d_k - 2 * np.arange(d_k + 1)) / d_k**exponent
    chances = np.array([math.comb(d_k, j) for j in range(d_k + 1)]) / 2**d_k
    assert variance_after_dividing(d_k, exponent) == pytest.approx(chances @ values**2, rel=1e-14)
