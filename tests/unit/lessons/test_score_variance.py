import math

import numpy as np
import pytest
from scipy import stats

from sattn_core.bands.matrix_variance import score_variance_moments
from sattn_core.draws.histograms import lattice_edges
from sattn_core.draws.pair_scores import draw_pair_scores
from sattn_core.laws.components import COMPONENT_LAWS, PairLaw, draw_queries_and_keys
from sattn_core.laws.dot_product import dot_product_pdf
from sattn_core.layers.scores import raw_scores
from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance

MOMENTS = ("mean", "variance", "excess kurtosis")
NAMES = tuple(f"{part} {moment}" for part in ("raw", "scaled") for moment in MOMENTS)
MATRIX = {"sampling": "matrix", "n_queries": 6, "n_keys": 5}


def rows_of(**fields):
    params = ScoreVarianceParams(**({"d_k": 16, "n_samples": 400} | fields))
    return {row.name: row for row in measure_score_variance(params).rows}


@pytest.fixture(scope="module")
def pairs():
    return measure_score_variance(ScoreVarianceParams(16, n_samples=400, seed=3))


@pytest.fixture(scope="module")
def scores():
    return draw_pair_scores(400, 16, seed=3)


def test_result_measures_the_scores_of_draw_pair_scores(pairs, scores):
    given = measure_score_variance(pairs.params, scores=scores)
    assert given.rows == pairs.rows
    np.testing.assert_array_equal(given.counts, pairs.counts)


def test_means_and_correlation_enter_the_drawn_pairs():
    options = {"law": "laplace", "mean_q": 0.5, "mean_k": -1.0, "correlation": 0.3, "seed": 4}
    params = ScoreVarianceParams(3, n_samples=20_000, **options)
    scores = draw_pair_scores(20_000, 3, PairLaw("laplace", 0.5, -1.0, 0.3), seed=4)
    assert measure_score_variance(params, scores=scores).rows == measure_score_variance(params).rows


def test_matrix_is_the_product_of_the_drawn_queries_and_keys():
    params = ScoreVarianceParams(16, mean_q=0.5, mean_k=1.0, seed=3, **MATRIX)
    Q, K = draw_queries_and_keys(6, 5, 16, mean_q=0.5, mean_k=1.0, seed=3)
    result = measure_score_variance(params)
    assert result.n_scores == 30
    assert str(result.rows) == str(measure_score_variance(params, scores=raw_scores(Q, K)).rows)  # as text: NaN != NaN


def test_rows_have_names_and_measured_moments(pairs, scores):
    assert tuple(row.name for row in pairs.rows) == NAMES
    m2 = scores.var()
    excess = np.mean((scores - scores.mean()) ** 4) / m2**2 - 3
    raw = [scores.mean(), scores.var(ddof=1), excess]
    scaled = [scores.mean() / 4, scores.var(ddof=1) / 16, excess]
    np.testing.assert_allclose([row.measured for row in pairs.rows], raw + scaled, rtol=1e-11)


def test_rows_predict_mean_0_variance_d_k_and_kurtosis_6_over_d_k(pairs):
    assert [row.predicted for row in pairs.rows] == pytest.approx([0, 16, 6 / 16, 0, 1, 6 / 16], abs=1e-13)


def test_standard_error_of_the_kurtosis_by_hand():
    # S = a b, a and b normal: E z², z⁴, z⁶, z⁸ are 1, 9, 225, 11025 and κ is 9
    by_hand = 11025 - 4 * 9 * 225 + 4 * 81 * 9 + 2 * 9 * 9 - 4 * 81 + 81
    kurtosis = rows_of(d_k=1, n_samples=100)["raw excess kurtosis"]
    assert kurtosis.standard_error == pytest.approx(math.sqrt(by_hand / 100), rel=1e-12)
    matrix = rows_of(d_k=1, **MATRIX)["raw excess kurtosis"]  # 4 + 5 entries share a query or a key
    assert matrix.standard_error == pytest.approx(math.sqrt((by_hand + (4 + 5) * 216) / 30), rel=1e-12)
    assert matrix.error_source == "too few scores for a band"


def test_standard_error_of_the_kurtosis_of_skewed_scores_by_quadrature():
    # q = k normal: S = q², z = (q² - 1)/√2, skewness √8, κ = 15. The quadrature is exact up to degree 39.
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    z = (nodes**2 - 1) / math.sqrt(2)
    influence = z**4 - 30 * z**2 - 4 * math.sqrt(8) * z + 15
    by_hand = weights @ influence**2 / math.sqrt(2 * math.pi)
    kurtosis = rows_of(d_k=1, n_samples=100, correlation=1.0)["raw excess kurtosis"]
    assert kurtosis.standard_error == pytest.approx(math.sqrt(by_hand / 100), rel=1e-10)


@pytest.mark.parametrize(
    ("fields", "mean", "variance"),
    [
        ({}, "exact", "exact, gamma approximation"),
        ({"d_k": 1}, "exact", "simulated"),
        ({"law": "uniform"}, "exact, normal approximation", "exact, gamma approximation"),
        ({"law": "sparse"}, "exact, normal approximation", "simulated"),
    ],
)
def test_bands_of_a_matrix_name_their_source(fields, mean, variance):
    rows = rows_of(**fields, **MATRIX)
    assert (rows["raw mean"].error_source, rows["raw variance"].error_source) == (mean, variance)


def test_matrix_variance_divides_by_the_number_of_entries():
    params = ScoreVarianceParams(16, seed=1, **MATRIX)
    scores = raw_scores(*draw_queries_and_keys(6, 5, 16, seed=1))
    assert measure_score_variance(params).rows[1].measured == pytest.approx(np.var(scores), rel=1e-12)


def test_matrix_variance_of_other_laws_uses_their_kurtosis():
    row = rows_of(law="laplace", **MATRIX)["raw variance"]
    mean, variance = score_variance_moments(6, 5, 16, kurtosis_q=6, kurtosis_k=6)
    assert (row.predicted, row.standard_error) == pytest.approx((mean, math.sqrt(variance)))
    assert 0 < row.low < row.predicted < row.high
    assert row.predicted - row.low < row.high - row.predicted  # a gamma law is skewed to the right


def test_band_of_a_large_matrix_with_means_is_gamma_with_exact_moments():
    rows = rows_of(sampling="matrix", n_queries=512, n_keys=512, d_k=1, mean_q=0.25)
    mean, variance = score_variance_moments(512, 512, 1, mean_q=0.25)
    row = rows["raw variance"]
    assert (row.predicted, row.standard_error) == pytest.approx((mean, math.sqrt(variance)))
    law = stats.gamma(mean**2 / variance, scale=variance / mean)
    assert (row.low, row.high) == pytest.approx(law.interval(0.95), rel=1e-10)
    assert row.error_source == "exact, gamma approximation"


def test_infinite_prediction_gets_no_verdict():
    row = rows_of(law="student_t", correlation=0.5)["raw excess kurtosis"]
    assert row.predicted == math.inf
    assert row.inside is None
    assert math.isnan(row.standard_error)
    assert math.isnan(row.low)
    variance = rows_of(law="student_t", correlation=0.5)["raw variance"]
    assert (variance.error_source, variance.is_rough) == ("rough estimate from the draws", True)
    assert variance.inside in (True, False)


@pytest.mark.parametrize(("mean_q", "mean_k", "rho"), [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.3, 0.3, -1.0)])
def test_constant_scores_have_no_spread_and_no_density(mean_q, mean_k, rho):
    params = ScoreVarianceParams(8, 20, "rademacher", mean_q, mean_k, rho)
    result = measure_score_variance(params)
    assert result.rows[0].measured == pytest.approx(8 * (mean_q * mean_k + rho))
    assert (result.rows[1].predicted, result.rows[1].measured) == (0.0, 0.0)
    assert math.isnan(result.rows[2].measured)
    assert all(row.inside is None for row in result.rows)
    assert np.isnan(result.raw_law).all()
    assert result.counts.sum() == 20


def test_kurtosis_of_a_constant_draw_gets_no_verdict():
    result = measure_score_variance(ScoreVarianceParams(1, n_samples=400), scores=np.ones(400))
    assert result.rows[1].inside is False
    assert result.rows[2].standard_error > 0
    assert result.rows[2].inside is None


def test_bins_reach_five_standard_deviations_to_each_side(pairs, scores):
    np.testing.assert_allclose(pairs.raw_edges, np.linspace(-20, 20, 81), atol=1e-12)
    np.testing.assert_allclose(pairs.scaled_edges, np.linspace(-5, 5, 81), atol=1e-12)
    np.testing.assert_array_equal(pairs.counts, np.histogram(scores, pairs.raw_edges)[0])
    np.testing.assert_allclose(pairs.raw_density, pairs.counts / 400 / 0.5, rtol=1e-12)
    np.testing.assert_allclose(pairs.scaled_density, pairs.counts / 400 / 0.125, rtol=1e-12)


def test_bins_are_centred_at_the_predicted_mean():
    result = measure_score_variance(ScoreVarianceParams(16, 400, mean_q=1.0, mean_k=2.0))
    assert (result.raw_edges[0] + result.raw_edges[-1]) / 2 == pytest.approx(32)
    assert result.raw_edges[-1] - 32 == pytest.approx(5 * math.sqrt(16 * 6))
    assert (result.raw_grid[0] + result.raw_grid[-1]) / 2 == pytest.approx(32)


def test_scores_outside_the_bins_are_counted():
    params = ScoreVarianceParams(16, n_samples=5)
    result = measure_score_variance(params, scores=[-21.0, -20.5, 0.0, 0.1, 30.0])
    assert (result.below, result.counts.sum(), result.above) == (2, 2, 1)
    assert result.beyond_own == 3 / 5


def test_scores_beyond_the_shared_axis_are_counted():
    scores = [-113.0, -112.0, 0.0, 112.0, 122.0]
    result = measure_score_variance(ScoreVarianceParams(1024, n_samples=5), scores=scores)
    assert (result.shared_span, result.beyond_shared, result.beyond_own) == ((-112.0, 112.0), 2 / 5, 0.0)


# At d_k = 1,024: E s = 1,024 E q E k, and Var s = 1,024 (1 + (E q)² + (E k)²).
@pytest.mark.parametrize("d_k", [1, 64, 1024])
@pytest.mark.parametrize(
    ("means", "low", "high"),
    [
        ((0.5, 0.5), -112, 256 + 112 * math.sqrt(1.5)),
        ((2.0, -2.0), -4096 - 112 * 3, 112),
        ((0.0, 2.0), -112 * math.sqrt(5), 112 * math.sqrt(5)),
    ],
)
def test_a_mean_widens_the_shared_axis_equally_at_every_dimension(means, low, high, d_k):
    result = measure_score_variance(ScoreVarianceParams(d_k, 100, mean_q=means[0], mean_k=means[1]))
    assert result.shared_span == pytest.approx((low, high), rel=1e-12)


@pytest.mark.parametrize("law", sorted(COMPONENT_LAWS))
@pytest.mark.parametrize("broken", [{}, {"correlation": 1.0}, {"correlation": -0.5, "mean_k": 1.0}, {"mean_q": 2.0}])
def test_no_histogram_is_cut_by_the_shared_axis(law, broken):
    result = measure_score_variance(ScoreVarianceParams(1024, 4_000, law, **broken))
    centres = (result.raw_edges[1:] + result.raw_edges[:-1]) / 2
    beyond = (centres < result.shared_span[0]) | (centres > result.shared_span[1])
    assert result.raw_density[beyond].max() < 0.03 * result.raw_density.max()


def test_shared_axis_is_wider_at_a_d_k_beyond_1024():
    result = measure_score_variance(ScoreVarianceParams(4096, 100))
    assert result.shared_span == (-224.0, 224.0)


def test_standard_deviations_agree_with_numpy(pairs, scores):
    assert pairs.raw_std == pytest.approx(np.std(scores, ddof=1), rel=1e-12)
    assert pairs.scaled_std == pytest.approx(np.std(scores, ddof=1) / 4, rel=1e-12)


def test_density_is_exact_for_centred_normal_components(pairs):
    assert pairs.law_is_exact
    np.testing.assert_allclose(pairs.raw_law, dot_product_pdf(pairs.raw_grid, 16), rtol=1e-12)
    np.testing.assert_allclose(pairs.scaled_law, 4 * pairs.raw_law, rtol=1e-12)
    np.testing.assert_allclose(pairs.scaled_grid, pairs.raw_grid / 4, rtol=1e-12)


def test_bins_of_signs_agree_with_lattice_edges():
    edges = measure_score_variance(ScoreVarianceParams(16, 4, law="rademacher")).raw_edges
    np.testing.assert_array_equal(edges, lattice_edges(16, 20.0, 80))


def test_density_is_finite_at_d_k_1():
    assert np.isfinite(measure_score_variance(ScoreVarianceParams(1, 4)).raw_law).all()


def test_scaled_variance_is_the_squared_scale_times_the_raw_variance(pairs, scores):
    rule = pairs.scaling_rule
    assert rule.scale == pairs.scale == 0.25
    assert rule.raw_variance == pytest.approx(scores.var(ddof=1), rel=1e-12)
    assert rule.scale_squared_times_raw_variance == rule.raw_variance / 16
    assert rule.scaled_variance == pytest.approx(rule.scale_squared_times_raw_variance, rel=1e-12)


def test_given_scores_are_not_changed(scores):
    before = scores.copy()
    measure_score_variance(ScoreVarianceParams(16, n_samples=400, seed=3), scores=scores)
    np.testing.assert_array_equal(scores, before)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros(3), r"scores must have shape \(4,\) as params ask, but got \(3,\)"),
        ([0.0, 0.0, 0.0, math.nan], "scores must hold finite numbers only, but got nan"),
    ],
)
def test_bad_scores_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        measure_score_variance(ScoreVarianceParams(4, n_samples=4), scores=scores)
