import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sattn_core.laws.heavy_tails import median_size
from sattn_core.lessons import derivation


def collected(params):
    blocks = list(derivation._component_blocks(params))
    return np.concatenate([q for q, _ in blocks]), np.concatenate([k for _, k in blocks])


def test_all_lines_hold_if_no_assumption_is_broken():
    result = derivation.measure_derivation(derivation.DerivationParams())
    assert [line.number for line in result.lines] == list(range(1, 10))
    assert tuple(line.name for line in result.lines) == derivation.LINE_NAMES
    assert tuple(line.formula for line in result.lines) == derivation.LINE_FORMULAS
    assert tuple(line.assumption for line in result.lines) == derivation.ASSUMPTIONS
    assert all(line.holds and line.reliable and not line.seen_to_fail for line in result.lines)
    assert (result.first_failing, result.first_seen) == (None, None)
    assert (result.exact.right_rule, result.exact.right_divisor, result.divisor) == ("sqrt_d_k", 8.0, 8.0)


@pytest.mark.parametrize(
    ("broken", "failing", "rule"),
    [
        ({"correlation": 0.5}, {3, 4, 6, 7, 9}, "d_k"),
        ({"mean_q": 1.0, "mean_k": 1.0}, {4, 7, 9}, "within_row"),
        ({"mean_q": 1.0}, {7, 9}, "within_row"),
        # The product rule holds by accident, because 2 ρ mean_q mean_k = -ρ².
        ({"correlation": 0.5, "mean_q": 0.5, "mean_k": -0.5}, {3, 4, 7, 9}, "d_k"),
        ({"variance_q": 2.0}, {7, 9}, "component_variances"),
        ({"variance_q": 2.0, "variance_k": 0.5}, set(), "sqrt_d_k"),
        ({"component_correlation": 0.4}, {5, 7, 9}, "effective_dimension"),
        ({"nu": 3.0}, set(), "sqrt_d_k"),
    ],
)
def test_lines_with_broken_assumptions_fail_in_theory_and_in_draws(broken, failing, rule):
    result = derivation.measure_derivation(derivation.DerivationParams(**broken))
    assert {line.number for line in result.lines if not line.holds} == failing
    assert {line.number for line in result.lines if line.seen_to_fail} == failing
    assert result.first_failing == result.first_seen == min(failing, default=None)
    assert result.exact.right_rule == rule


def test_infinite_variance_fails_lines_and_makes_error_bars_unusable():
    result = derivation.measure_derivation(derivation.DerivationParams(nu=1.5))
    assert {line.number for line in result.lines if not line.holds} == {5, 6, 7, 8, 9}
    assert {line.number for line in result.lines if not line.reliable} == {3, 4, 5, 6, 7, 9}
    assert result.first_failing == 5
    assert result.exact.variance == result.exact.within_row_variance == np.inf
    assert result.exact.right_rule == "tail_power"
    assert abs(result.exact.right_divisor - 16.0) < 1e-12  # 64^(1/1.5)


def test_nu_between_2_and_4_leaves_the_variance_without_an_error_bar():
    lines = derivation.measure_derivation(derivation.DerivationParams(nu=3.5)).lines
    assert {line.number for line in lines if not line.reliable} == {5, 6, 7, 9}
    assert all(line.reliable for line in derivation.measure_derivation(derivation.DerivationParams(nu=4.5)).lines)


@pytest.mark.parametrize(("nu", "holds", "fails", "unchecked"), [(None, 9, 0, 0), (2.1, 5, 0, 4), (1.5, 2, 5, 2)])
def test_line_without_a_usable_error_bar_cannot_be_checked(nu, holds, fails, unchecked):
    result = derivation.measure_derivation(derivation.DerivationParams(nu=nu))
    assert result.checks == {"holds": holds, "fails": fails, "cannot be checked": unchecked}
    for line in result.lines:
        assert line.check == ("fails" if not line.holds else "holds" if line.reliable else "cannot be checked")


def test_line_without_a_usable_error_bar_is_not_seen_to_fail():
    line = derivation.measure_derivation(derivation.DerivationParams(nu=2.1)).lines[
        6
    ]  # 13 is measured and 64 predicted, and yet the line holds
    assert (line.holds, line.reliable, line.seen_to_fail) == (True, False, False)
    assert line.z < -4


def test_tiny_violation_fails_a_line_but_is_not_seen_in_the_draws():
    result = derivation.measure_derivation(derivation.DerivationParams(correlation=1e-4))
    assert result.first_failing == 3
    assert result.first_seen is None


def test_one_component_has_no_terms_to_correlate():
    result = derivation.measure_derivation(derivation.DerivationParams(d_k=1, component_correlation=0.9))
    assert result.first_failing is None
    assert result.lines[4].standard_error == 0


def test_both_sides_of_a_line_and_their_standard_errors_by_hand():
    params = derivation.DerivationParams(d_k=3, n_samples=200, mean_q=0.5, correlation=0.3)
    q, k = collected(params)
    x, s = q * k, np.sum(q * k, axis=0)
    result = derivation.measure_derivation(params)
    product_rule = (q.var(1) + q.mean(1) ** 2) * (k.var(1) + k.mean(1) ** 2) - q.mean(1) ** 2 * k.mean(1) ** 2
    sides = [
        (s.mean(), s.mean()),
        (s.mean(), x.mean(axis=1).sum()),
        (x.mean(), np.mean(q.mean(axis=1) * k.mean(axis=1))),
        (s.mean(), 0),
        (s.var(), x.var(axis=1).sum()),
        (x.var(axis=1).mean(), product_rule.mean()),
        (s.var(), 3),
        (s.var() / 3, s.var() / 3),
        (s.var() / 3, 1),
    ]
    measured = [(line.left, line.right) for line in result.lines]
    assert np.allclose(measured, sides, rtol=1e-12, atol=1e-13)
    assert abs(result.lines[3].standard_error - s.std() / np.sqrt(200)) < 1e-13
    assert abs(result.lines[3].z - s.mean() / (s.std() / np.sqrt(200))) < 1e-10
    assert abs(result.variance_error - np.std((s - s.mean()) ** 2) / np.sqrt(200)) < 1e-12
    assert (result.mean, result.variance) == pytest.approx((s.mean(), s.var()), rel=1e-12)


def test_more_dimensions_append_components():
    small, large = collected(derivation.DerivationParams(d_k=5)), collected(derivation.DerivationParams(d_k=37))
    assert np.array_equal(small[0], large[0][:5])
    assert np.array_equal(small[1], large[1][:5])


def test_divided_scores_have_divided_moments():
    result = derivation.measure_derivation(derivation.DerivationParams(correlation=0.5))
    assert abs(result.scaled_mean * 8 - result.mean) < 1e-12
    assert abs(result.right_mean * 64 - result.mean) < 1e-12
    assert abs(result.right_std * 64 - np.sqrt(result.variance)) < 1e-12


@pytest.mark.parametrize(
    ("options", "mean", "variance", "within", "effective"),
    [
        ({}, 0, 64, 64, 64),
        ({"correlation": 0.5}, 32, 80, 64, 64),
        ({"mean_q": 1.0, "mean_k": 2.0}, 128, 64 * 6, 128, 64),
        ({"variance_q": 2.0, "variance_k": 3.0}, 0, 384, 384, 64),
        ({"component_correlation": 0.5}, 0, 64 * (1 + 63 * 0.25), 64 * (1 + 63 * 0.25), 64 / 16.75),
        ({"component_correlation": 1.0}, 0, 64**2, 64**2, 1),
        ({"nu": 5.0}, 0, 64, 64, 64),
        # covariance c = 1; variance of each component: 4 + c² + 1 + 4·4 + 2·2 c
        ({"correlation": 0.5, "mean_q": 1.0, "mean_k": 2.0, "variance_q": 4.0}, 192, 64 * 26, 64 * 5, 64),
        # variance: 6 for each component and ¼ + ½ (1 + 4) for each pair of components
        ({"component_correlation": 0.5, "mean_q": 1.0, "mean_k": 2.0}, 128, 64 * (6 + 63 * 2.75), 3152, 64 / 16.75),
    ],
)
def test_exact_moments_by_hand(options, mean, variance, within, effective):
    exact = derivation.exact_scores(derivation.DerivationParams(**options))
    assert (exact.mean, exact.variance) == pytest.approx((mean, variance), rel=1e-13)
    assert exact.within_row_variance == pytest.approx(within, rel=1e-13)
    assert exact.effective_dimension == pytest.approx(effective, rel=1e-13)


@pytest.mark.parametrize(
    ("options", "divisor"),
    [
        ({"correlation": 0.5}, 64),
        ({"mean_q": 1.0}, np.sqrt(128)),
        ({"mean_k": 1.0}, 8),
        ({"variance_q": 4.0}, 16),
        ({"component_correlation": 0.5}, 64 / np.sqrt(64 / 16.75)),
        ({"nu": 2.0}, 8),
    ],
)
def test_right_divisors_by_hand(options, divisor):
    exact = derivation.exact_scores(derivation.DerivationParams(**options))
    assert exact.right_divisor == pytest.approx(divisor, rel=1e-13)


def test_row_variance_is_1_after_the_right_divisor():
    result = derivation.measure_derivation(derivation.DerivationParams(mean_q=1.0, mean_k=1.0))
    assert result.right_within_row_std == pytest.approx(1, abs=4 * result.within_row_error / (2 * 128))
    assert result.right_std > 1.1  # over pairs of different queries the spread is larger


def test_within_row_variance_by_hand():
    params = derivation.DerivationParams(d_k=3, n_samples=100, mean_k=1.0)
    q, k = collected(params)
    pairs = [(q[:, n] @ k[:, (n + 1) % 100], q[:, n] @ k[:, (n + 2) % 100]) for n in range(100)]
    halves = [(one - two) ** 2 / 2 for one, two in pairs]
    result, about = derivation.measure_derivation(params), halves - np.mean(halves)
    assert result.within_row_variance == pytest.approx(np.mean(halves), rel=1e-12)
    # Neighbouring pairs share a key, so the covariance of neighbours counts twice.
    spread = np.mean(about**2) + 2 * np.mean(about * np.roll(about, -1))
    assert result.within_row_error == pytest.approx(np.sqrt(spread / 100), rel=1e-12)


def test_effective_dimension_is_measured_only_where_it_is_defined():
    assert np.isnan(derivation.measure_derivation(derivation.DerivationParams(mean_q=1.0)).effective_dimension)
    assert np.isnan(derivation.measure_derivation(derivation.DerivationParams(correlation=0.1)).effective_dimension)
    assert np.isnan(derivation.measure_derivation(derivation.DerivationParams(nu=2.0)).effective_dimension)
    result = derivation.measure_derivation(derivation.DerivationParams(variance_q=3.0))
    assert abs(result.effective_dimension - 64) < 4 * result.effective_dimension_error


# --- three of the lines, as d_k grows ------------------------------------------------------------------

SHORT = [{}, {"correlation": 0.5}, {"mean_q": 1.0, "mean_k": -2.0}, {"component_correlation": 0.3}, {"nu": 1.5}]


@pytest.mark.parametrize("broken", SHORT)
def test_growth_agrees_with_the_nine_lines_at_every_d_k(broken):
    growth = derivation.measure_growth(derivation.DerivationParams(d_k=100, n_samples=200, **broken))
    for d_k in (1, 2, 33, 64, 100):
        there = derivation.measure_derivation(derivation.DerivationParams(d_k=d_k, n_samples=200, **broken))
        mean, variance, scaled = growth.at(d_k)
        found = mean.measured, mean.standard_error, variance.measured, variance.standard_error
        wanted = there.mean, there.mean_error, there.variance, there.variance_error
        # The sums are added in a different order; 1e-10 allows for means that nearly cancel.
        assert found == pytest.approx(wanted, rel=1e-10, abs=1e-10)
        assert scaled.measured == pytest.approx(there.scaled_std**2, rel=1e-12)
        for name, line in zip(derivation.SCORE_LINES, (mean, variance, scaled), strict=True):
            (full,) = [each for each in there.lines if each.number == derivation.SCORE_LINES[name] + 1]
            assert (line.name, line.holds, line.reliable) == (name, full.holds, full.reliable)
            assert (line.check, line.seen_to_fail) == (full.check, full.seen_to_fail)
            assert line.z == pytest.approx(full.z, rel=1e-9, abs=1e-9)


def test_three_lines_are_mean_variance_and_unit_variance():
    assert [derivation.LINE_NAMES[place] for place in derivation.SCORE_LINES.values()] == [
        "zero_mean",
        "variance_d_k",
        "unit_variance",
    ]


def test_three_lines_have_their_predictions_and_exact_values():
    mean, variance, scaled = derivation.measure_growth(
        derivation.DerivationParams(d_k=16, n_samples=200, correlation=0.5)
    ).at(4)
    assert (mean.predicted, variance.predicted, scaled.predicted) == (0, 4, 1)
    assert (mean.exact, variance.exact, scaled.exact) == (2, 5, 1.25)  # ρ d, d (1 + ρ²), 1 + ρ²
    assert scaled.standard_error == variance.standard_error / 4


@pytest.mark.parametrize("broken", SHORT)
def test_growth_has_the_exact_moments_at_every_d_k(broken):
    growth = derivation.measure_growth(derivation.DerivationParams(d_k=20, n_samples=100, **broken))
    exact = [derivation.exact_scores(derivation.DerivationParams(d_k=d, **broken)) for d in range(1, 21)]
    assert np.allclose(growth.exact_variance, [each.variance for each in exact], rtol=1e-13)
    assert np.allclose(growth.exact_mean, [each.mean for each in exact], rtol=1e-13)


def test_growth_to_a_larger_d_k_starts_like_growth_to_a_smaller_one():
    small, large = (derivation.measure_growth(derivation.DerivationParams(d_k=d, n_samples=100)) for d in (7, 90))
    assert np.allclose(small.variance, large.variance[:7], rtol=1e-12)
    with pytest.raises(ValueError, match="d_k must be between 1 and 7, but got 8"):
        small.at(8)


@pytest.mark.parametrize(
    ("options", "factor", "ratio"),
    [
        ({}, 4, 2),
        ({"d_k": 1}, 16, 4),
        ({}, 1, 1),
        ({"correlation": 0.5}, 4, 2),
        ({"mean_q": 2.0, "variance_k": 3.0}, 4, 2),
        ({"component_correlation": 1.0}, 4, 4),
        ({"nu": 2.1}, 4, 2),
    ],
)
def test_spread_ratio_by_hand(options, factor, ratio):
    assert derivation.spread_ratio(derivation.DerivationParams(**options), factor) == pytest.approx(ratio, rel=1e-13)


def test_spread_ratio_compares_median_sizes_if_the_variance_is_infinite():
    ratio = derivation.spread_ratio(derivation.DerivationParams(nu=1.5), 4)
    assert ratio == median_size(256, 1.5) / median_size(64, 1.5)
    assert ratio > 4 ** (1 / 1.5)  # the exact ratio has another factor, a power of ln d_k


def test_spread_ratio_refuses_factors_beyond_the_largest_d_k():
    assert derivation.spread_ratio(derivation.DerivationParams(d_k=1024)) == 2
    with pytest.raises(ValueError, match="factor must be between 1 and 3, but got 4"):
        derivation.spread_ratio(derivation.DerivationParams(d_k=1025))


def test_only_division_by_the_square_root_gives_variance_1():
    assert [derivation.variance_after_dividing(64, exponent) for exponent in (0, 0.25, 0.5, 1)] == [64, 8, 1, 1 / 64]
    with pytest.raises(ValueError, match=r"exponent must be a finite number in \[0, 1\], but got 2"):
        derivation.variance_after_dividing(64, 2)
    with pytest.raises(ValueError, match="d_k must be at least 1, but got 0"):
        derivation.variance_after_dividing(0, 0.5)


# --- properties --------------------------------------------------------------------------------------


PARAMS = st.builds(
    derivation.DerivationParams,
    d_k=st.integers(1, 80),
    n_samples=st.just(200),
    mean_q=st.floats(-2, 2),
    mean_k=st.floats(-2, 2),
    variance_q=st.floats(0.1, 4),
    variance_k=st.floats(0.1, 4),
    correlation=st.floats(-1, 1),
    component_correlation=st.floats(0, 1),
    seed=st.integers(0, 2**32 - 1),
)


@given(PARAMS)
def test_numbers_are_finite_and_identities_hold_for_any_params(params):
    result = derivation.measure_derivation(params)
    for line in result.lines:
        assert np.isfinite([line.left, line.right, line.standard_error, line.z]).all(), line.name
    assert [result.lines[i].z for i in (0, 1, 7)] == [0, 0, 0]
    assert result.exact.variance > 0
    assert 1 <= result.exact.effective_dimension <= params.d_k


# --- oracles -----------------------------------------------------------------------------------------


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
def test_measured_moments_agree_with_the_exact_ones(options):
    result = derivation.measure_derivation(derivation.DerivationParams(d_k=24, n_samples=20_000, seed=11, **options))
    assert abs(result.mean - result.exact.mean) < 4 * result.mean_error
    assert abs(result.variance - result.exact.variance) < 4 * result.variance_error
    assert abs(result.within_row_variance - result.exact.within_row_variance) < 4 * result.within_row_error


def many_runs(**options):
    params = (derivation.DerivationParams(d_k=8, n_samples=2_000, seed=seed, **options) for seed in range(200))
    return [derivation.measure_derivation(each) for each in params]


@pytest.mark.parametrize("options", [{}, {"mean_q": 1.0, "mean_k": 0.5}])
def test_z_is_standard_normal_where_a_line_holds(options):
    runs = many_runs(**options)
    for i in range(9):
        z = np.array([run.lines[i].z for run in runs])
        if runs[0].lines[i].holds and z.any():
            # Mean and standard deviation of 200 standard normals: standard errors 1/sqrt(200), 1/sqrt(400); a
            # little bias (order 1/sqrt(n_samples)) comes from the skewness of squared scores.
            assert abs(z.mean()) < 4 / np.sqrt(200) + 0.1
            assert abs(z.std() - 1) < 4 / np.sqrt(400) + 0.1


@pytest.mark.parametrize("mean_k", [0.0, 2.0])
def test_standard_error_of_each_side_agrees_with_many_seeds(mean_k):
    runs = many_runs(mean_q=1.0, mean_k=mean_k)
    for i in range(9):
        for side in ("left", "right"):
            spread = np.std([getattr(run.lines[i], side) for run in runs])
            error = np.mean([getattr(run.lines[i], f"{side}_error") for run in runs])
            # 20 %: four standard errors of a standard deviation of 200 runs.
            assert spread == pytest.approx(error, rel=0.2, abs=1e-12)
    spread = np.std([run.within_row_variance for run in runs])
    assert spread == pytest.approx(np.mean([run.within_row_error for run in runs]), rel=0.2)


# --- the standard deviation ----------------------------------------------------------------------------


def test_spread_is_the_root_of_the_variance():
    growth = derivation.measure_growth(derivation.DerivationParams(d_k=9, n_samples=400))
    np.testing.assert_allclose(growth.spread**2, growth.variance, rtol=1e-14)
    # To first order, (σ + σ's standard error)² is the variance plus the variance's standard error.
    np.testing.assert_allclose(2 * growth.spread * growth.spread_error, growth.variance_error, rtol=1e-14)


def test_standard_error_of_the_spread_agrees_with_many_seeds():
    drawn = [derivation.measure_growth(derivation.DerivationParams(d_k=8, n_samples=400, seed=i)) for i in range(200)]
    scatter = np.std([each.spread[-1] for each in drawn])
    assert scatter == pytest.approx(np.mean([each.spread_error[-1] for each in drawn]), rel=0.2)  # 4 standard errors


@pytest.mark.parametrize("d_k", [1, 16, 20, 64])
def test_growth_divided_agrees_with_divided_scores(d_k):
    params = derivation.DerivationParams(d_k=64, n_samples=300)
    growth = derivation.measure_growth(params)
    q, k = collected(params)
    scores = np.sum((q * k)[:d_k], axis=0)
    for exponent, divisor in ((0, 1), (0.5, d_k**0.5), (1, d_k)):
        found = growth.divided(d_k, exponent)
        assert (found.exponent, found.multiplier) == (exponent, pytest.approx(1 / divisor))
        assert (found.variance, found.spread) == pytest.approx((d_k / divisor**2, d_k**0.5 / divisor))
        assert found.measured == pytest.approx((scores / divisor).var(), rel=1e-12)
        about = (scores / divisor - (scores / divisor).mean()) ** 2
        assert found.standard_error == pytest.approx(about.std() / 300**0.5, rel=1e-10)
        assert abs(found.measured - found.variance) < 4 * found.standard_error
    with pytest.raises(ValueError, match="d_k must be between 1 and 64, but got 65"):
        growth.divided(65, 0.5)


@pytest.mark.parametrize(
    ("d_k", "edges"), [(1, [0, 1]), (4, [0, 1, 2]), (5, [0, 1, 2, 5**0.5]), (1024, list(range(33)))]
)
def test_unit_cells_fill_the_square(d_k, edges):
    found = derivation.unit_cells(d_k)
    assert found.tolist() == edges
    widths = np.diff(found)
    assert np.outer(widths, widths).sum() == pytest.approx(d_k, rel=1e-14)  # cells, including cut ones, fill the area
