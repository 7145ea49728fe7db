"""The one_query lesson against exact fractions, mpmath, and the moments of a random walk."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from sattn_core.lessons.one_query import OneQueryParams, measure_one_query


@pytest.mark.parametrize("d_k", [1, 3, 4, 5, 64, 1024])
def test_the_scores_are_the_sums_in_exact_fractions(d_k):
    result = measure_one_query(OneQueryParams(d_k, seed=2))
    query = [Fraction(x) for x in result.query.tolist()]
    for key, score, sums in zip(result.keys.tolist(), result.raw.scores, result.walk.sums, strict=True):
        total = Fraction(0)
        for i, (q, k) in enumerate(zip(query, key, strict=True), start=1):
            total += q * Fraction(k)
            assert total == Fraction(float(sums[i]))
        assert total == Fraction(float(score))


@pytest.mark.parametrize("d_k", [4, 64, 1024])
def test_both_softmaxes_at_forty_digits(d_k):
    result = measure_one_query(OneQueryParams(d_k))
    with mpmath.workdps(40):
        for row, divisor in ((result.raw, mpmath.mpf(1)), (result.scaled, mpmath.sqrt(d_k))):
            powers = [mpmath.exp(mpmath.mpf(float(score)) / divisor) for score in result.raw.scores]
            weights = [power / sum(powers) for power in powers]
            entropy = -sum(p * mpmath.log(p) for p in weights)
            np.testing.assert_allclose(row.weights, [float(p) for p in weights], rtol=1e-13)
            # at d_k = 1,024 without the division the entropy is 1e-11, and e to that power keeps 16 digits
            assert row.effective_keys == pytest.approx(float(mpmath.exp(entropy)), rel=1e-13)


def test_what_is_drawn_has_mean_0_and_variance_d_k_less_the_four_invented_within_four_standard_errors():
    d_k, n_seeds = 64, 400
    results = [measure_one_query(OneQueryParams(d_k, seed)) for seed in range(n_seeds)]
    drawn = np.array([result.raw.scores - result.invented_scores.scores for result in results]).ravel()
    variance, n = d_k - 4, drawn.size
    # Products of signs are independent across keys too. The fourth moment of a sum of m signs is 3 m² − 2 m.
    fourth = 3 * variance**2 - 2 * variance
    assert abs(drawn.mean()) < 4 * np.sqrt(variance / n)
    assert abs(np.mean(drawn**2) - variance) < 4 * np.sqrt((fourth - variance**2) / n)
    z = np.array([result.drawn_z for result in results]).ravel()
    np.testing.assert_allclose(z * np.sqrt(variance), drawn, rtol=1e-13)
    assert results[0].drawn_std == pytest.approx(float(mpmath.sqrt(variance)), rel=1e-15)
