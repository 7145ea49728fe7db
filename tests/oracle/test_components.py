import math

import numpy as np
import pytest
from scipy import integrate, stats

from sattn_core.components import COMPONENT_LAWS, PairLaw, append_components, draw_queries_and_keys
from sattn_core.law import dot_product_cdf
from sattn_core.moments import paired_score_moments

SCIPY_LAWS = {
    "normal": stats.norm(),
    "uniform": stats.uniform(-math.sqrt(3), 2 * math.sqrt(3)),
    "laplace": stats.laplace(scale=math.sqrt(0.5)),
    "student_t": stats.t(5, scale=math.sqrt(3 / 5)),
}
N = 100_000


@pytest.mark.parametrize("name", ["normal", "uniform", "laplace"])
def test_moments_are_the_integrals_of_the_density(name):
    law, low, high = SCIPY_LAWS[name], *SCIPY_LAWS[name].support()
    for order, moment in zip((2, 4, 6, 8), COMPONENT_LAWS[name].moments, strict=True):
        value = 2 * integrate.quad(lambda x, k=order: x**k * law.pdf(x), 0, min(high, 60))[0]
        assert moment == pytest.approx(value, rel=1e-8)  # quad's own error estimate
    assert low == -high


def test_student_t_has_kurtosis_nine():
    excess = float(SCIPY_LAWS["student_t"].stats("k"))
    assert COMPONENT_LAWS["student_t"].kurtosis == pytest.approx(excess + 3)


def test_sparse_moments_are_those_of_a_rare_wide_normal():
    normal, p = (1, 3, 15, 105), 0.1
    expected = [p * m / p**r for r, m in enumerate(normal, 1)]
    np.testing.assert_allclose(COMPONENT_LAWS["sparse"].moments, expected, rtol=1e-13)


@pytest.mark.parametrize("name", SCIPY_LAWS)
def test_draws_follow_their_distribution_function(name):
    draws = COMPONENT_LAWS[name].draw(np.random.default_rng(1), N)
    assert stats.kstest(draws, SCIPY_LAWS[name].cdf).pvalue > 1e-4


@pytest.mark.parametrize("name", COMPONENT_LAWS)
def test_draws_have_mean_0_and_variance_1(name):
    law = COMPONENT_LAWS[name]
    draws = law.draw(np.random.default_rng(2), N)
    assert abs(draws.mean()) < 4 / math.sqrt(N)
    # E a² = 1 is known, so the mean square has standard error √((K − 1)/N); 1e-12 for ±1, where K = 1
    assert abs(np.mean(draws**2) - 1) < 4 * math.sqrt((law.kurtosis - 1) / N) + 1e-12


@pytest.mark.parametrize("name", [n for n in COMPONENT_LAWS if n != "student_t"])
def test_draws_have_their_kurtosis(name):
    law = COMPONENT_LAWS[name]
    draws = law.draw(np.random.default_rng(3), N)
    error = math.sqrt((law.moments[3] - law.kurtosis**2) / N)
    assert abs(np.mean(draws**4) - law.kurtosis) < 4 * error + 1e-12


def test_sparse_nonzero_draws_are_normal_with_variance_ten():
    draws = COMPONENT_LAWS["sparse"].draw(np.random.default_rng(4), 10 * N)
    kept = draws[draws != 0]
    assert abs(len(kept) / draws.size - 0.1) < 4 * math.sqrt(0.09 / draws.size)
    assert abs(np.mean(kept**2) / 10 - 1) < 4 * math.sqrt(2 / len(kept))
    assert stats.kstest(kept / math.sqrt(10), "norm").pvalue > 1e-4


@pytest.mark.parametrize("d_k", [1, 5, 32])
def test_appended_scores_follow_the_exact_law(d_k):
    scores = append_components(np.zeros(20_000), 0, d_k, seed=5)
    assert stats.kstest(scores, lambda s: dot_product_cdf(s, d_k)).pvalue > 1e-4


@pytest.mark.parametrize("law", ["normal", "laplace", "rademacher"])
@pytest.mark.parametrize("d_k", [3, 10])
def test_appended_scores_have_the_exact_mean_and_variance(law, d_k):
    pair = {"mean_q": 0.5, "mean_k": -1.0, "correlation": 0.6}
    scores = append_components(np.zeros(40_000), 0, d_k, PairLaw(law, **pair), seed=6)
    theory = paired_score_moments(d_k, moments=COMPONENT_LAWS[law].moments, **pair)
    assert abs(scores.mean() - theory.mean) < 4 * math.sqrt(theory.variance / scores.size)
    error = theory.variance * math.sqrt((theory.excess_kurtosis + 2) / scores.size)
    assert abs(scores.var() - theory.variance) < 4 * error


def test_paired_rows_have_the_correlation_asked_and_others_none():
    rho, n_queries, d_k = 0.7, 200, 100
    Q, K = draw_queries_and_keys(n_queries, 400, d_k, correlation=rho, seed=7)
    paired = np.mean(Q * K[:n_queries])
    assert abs(paired - rho) < 4 * math.sqrt((1 + rho**2) / (n_queries * d_k))  # Var q k = 1 + ρ²
    assert abs(np.mean(Q * K[n_queries:])) < 4 / math.sqrt(n_queries * d_k)
    assert abs(K.var() - 1) < 4 * math.sqrt(2 / K.size)
