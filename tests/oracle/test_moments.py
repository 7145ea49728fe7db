"""Moments against complete enumeration, cumulants and Monte Carlo."""

import itertools
import math

import numpy as np
import pytest

from sattn_core.moments import (
    correlated_pair_moments,
    dot_product_moments,
    paired_score_moments,
    product_variance,
)

# Symmetric laws of variance 1 as (values, probabilities): even moments (1, 3, 9, 27) and (1, 1, 1, 1).
THREE_POINTS = (np.array([-math.sqrt(3), 0.0, math.sqrt(3)]), np.array([1 / 6, 2 / 3, 1 / 6]))
COIN = (np.array([-1.0, 1.0]), np.array([0.5, 0.5]))


def enumerate_sums(products, probabilities, d_k):
    """Mean, variance and excess kurtosis of the sum of d_k independent draws, by summing every outcome."""
    sums = sum(np.meshgrid(*[products.ravel()] * d_k, indexing="ij"))
    weights = math.prod(np.meshgrid(*[probabilities.ravel()] * d_k, indexing="ij"))
    mean = (weights * sums).sum()
    m2, m4 = ((weights * (sums - mean) ** p).sum() for p in (2, 4))
    return mean, m2, m4 / m2**2 - 3


@pytest.mark.parametrize("d_k", [1, 2, 3])
@pytest.mark.parametrize(("mean_q", "mean_k"), [(0, 0), (0.7, 0), (1.5, -0.4)])
def test_independent_components_against_enumeration(d_k, mean_q, mean_k):
    (x, p), (y, r) = THREE_POINTS, COIN
    sd_q, sd_k = 1.3, 0.6
    products = np.multiply.outer(mean_q + sd_q * x, mean_k + sd_k * y)
    exact = enumerate_sums(products, np.multiply.outer(p, r), d_k)
    moments = dot_product_moments(
        d_k, mean_q=mean_q, var_q=sd_q**2, kurtosis_q=3, mean_k=mean_k, var_k=sd_k**2, kurtosis_k=1
    )
    # a few hundred terms of size one: rounding below 1e-12
    assert (moments.mean, moments.variance, moments.excess_kurtosis) == pytest.approx(exact, abs=1e-12)
    # given the query the score varies with the key alone; average that over queries
    within = d_k * sd_k**2 * (p * (mean_q + sd_q * x) ** 2).sum()
    assert moments.within_row_variance == pytest.approx(within, rel=1e-13)


@pytest.mark.parametrize("d_k", [1, 2, 3])
@pytest.mark.parametrize(("mean_q", "mean_k"), [(0, 0), (0.7, 0), (1.5, -0.4)])
@pytest.mark.parametrize("rho", [0, 0.3, -0.8, 1])
@pytest.mark.parametrize(("law", "even"), [(THREE_POINTS, (1, 3, 9, 27)), (COIN, (1, 1, 1, 1))])
def test_paired_components_against_enumeration(d_k, mean_q, mean_k, rho, law, even):
    x, p = law
    a, b = x[:, None], x[None, :]
    products = (mean_q + a) * (mean_k + rho * a + math.sqrt(1 - rho**2) * b)
    pair = paired_score_moments(d_k, moments=even, mean_q=mean_q, mean_k=mean_k, correlation=rho)
    if pair.variance == 0:
        assert np.ptp(products) < 1e-15
        return
    exact = enumerate_sums(products, np.multiply.outer(p, p), d_k)
    assert (pair.mean, pair.variance, pair.excess_kurtosis) == pytest.approx(exact, abs=1e-11)


@pytest.mark.parametrize("rho", [-1, -0.6, 0, 0.25, 1])
def test_the_correlated_normal_pair_against_its_cumulants(rho):
    # s = (1+rho)/2 A - (1-rho)/2 B, A and B chi2(d): kappa_r = (d/2) (r-1)! [(1+rho)^r + (-1)^r (1-rho)^r]
    d_k = 12
    kappa = [d_k / 2 * math.factorial(r - 1) * ((1 + rho) ** r + (rho - 1) ** r) for r in (1, 2, 4)]
    pair = correlated_pair_moments(d_k, rho)
    expected = (kappa[0], kappa[1], kappa[2] / kappa[1] ** 2)
    assert (pair.mean, pair.variance, pair.excess_kurtosis) == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_product_variance_against_enumeration():
    pairs = itertools.product([(1, 0.2), (4, 0.8)], [(-2, 0.5), (3, 0.5)])
    outcomes = [(x * y, p * r) for (x, p), (y, r) in pairs]
    mean = sum(z * p for z, p in outcomes)
    variance = sum((z - mean) ** 2 * p for z, p in outcomes)
    # X: mean 3.4, variance 1.44; Y: mean 0.5, variance 6.25
    assert product_variance(3.4, 1.44, 0.5, 6.25) == pytest.approx(variance, rel=1e-14)


def test_stated_facts():
    normal = dot_product_moments(64)
    assert (normal.variance, normal.excess_kurtosis) == (64, 0.09375)
    pair = correlated_pair_moments(64, 0.5)
    assert (pair.mean, pair.variance, pair.excess_kurtosis) == pytest.approx((32, 80, 0.153750), abs=1e-12)


@pytest.mark.parametrize("d_k", [2, 7, 64])
def test_normal_pairs_with_means_against_monte_carlo(d_k):
    rng, n = np.random.default_rng(d_k), 100_000
    x, y = rng.standard_normal((2, n, d_k))
    s = ((0.5 + x) * (-0.3 + 0.4 * x + math.sqrt(0.84) * y)).sum(axis=1)
    theory = paired_score_moments(d_k, moments=(1, 3, 15, 105), mean_q=0.5, mean_k=-0.3, correlation=0.4)
    assert abs(s.mean() - theory.mean) < 4 * math.sqrt(theory.variance / n)
    assert abs(s.var() / theory.variance - 1) < 4 * math.sqrt((theory.excess_kurtosis + 2) / n)


def test_the_within_row_variance_is_what_a_row_shows():
    rng, d_k, n_rows, n_keys = np.random.default_rng(3), 16, 4000, 8
    Q = 0.8 + rng.standard_normal((n_rows, 1, d_k))
    K = -2.0 + 1.5 * rng.standard_normal((n_rows, n_keys, d_k))
    rows = (Q * K).sum(axis=-1).var(axis=-1, ddof=1)
    theory = dot_product_moments(d_k, mean_q=0.8, mean_k=-2.0, var_k=2.25)
    assert abs(rows.mean() - theory.within_row_variance) < 4 * rows.std() / math.sqrt(n_rows)
    assert theory.within_row_variance < 0.5 * theory.variance
