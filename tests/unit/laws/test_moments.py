"""Moments of products and dot products: cases by hand, properties and oracles."""

import dataclasses
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.laws.components import COMPONENT_LAWS, PairLaw, append_components
from sattn_core.laws.moments import (
    correlated_pair_moments,
    dot_product_moments,
    pair_moments,
    paired_score_moments,
    product_variance,
    score_moments,
)

NORMAL = (1, 3, 15, 105)


def test_product_variance_by_hand():
    assert product_variance(0, 1, 0, 1) == 1
    assert product_variance(1, 2, 3, 4) == 2 * 4 + 1 * 4 + 9 * 2
    np.testing.assert_array_equal(product_variance([0, 2], 1, 0, [1, 3]), [1, 3 + 4 * 3])


def test_product_variance_refuses_bad_arguments():
    with pytest.raises(ValueError, match=r"var_y must be at least 0, but got -1\.0"):
        product_variance(0, 1, 0, [2, -1])
    with pytest.raises(ValueError, match="mean_x must hold finite numbers only, but got inf"):
        product_variance(np.inf, 1, 0, 1)
    with pytest.raises(ValueError, match=r"shapes that broadcast, but got mean_x \(2,\), var_x \(3,\)"):
        product_variance([0, 0], [1, 1, 1], 0, 1)
    with pytest.raises(TypeError, match="var_x must hold real numbers"):
        product_variance(0, "1", 0, 1)


def test_a_product_variance_that_overflows_is_refused():
    with pytest.raises(ValueError, match="the variance must be finite, but the inputs are so large"):
        product_variance(1e200, 1, 1e200, 1)


@pytest.mark.parametrize("d_k", [1, 2, 64, 4096])
def test_unit_normal_components_give_variance_d_k(d_k):
    moments = dot_product_moments(d_k)
    assert dataclasses.astuple(moments) == (0, d_k, 6 / d_k, d_k)


@pytest.mark.parametrize(("kurtosis", "excess_times_d"), [(1, -2), (1.8, 0.24), (3, 6), (6, 33), (9, 78), (30, 897)])
def test_score_kurtosis_follows_from_component_kurtosis(kurtosis, excess_times_d):
    moments = dot_product_moments(16, kurtosis_q=kurtosis, kurtosis_k=kurtosis)
    assert moments.variance == 16
    assert moments.excess_kurtosis == pytest.approx(excess_times_d / 16, rel=1e-14)


def test_infinite_kurtosis_leaves_the_variance_finite():
    moments = dot_product_moments(8, kurtosis_q=math.inf, mean_q=1)
    assert moments.variance == 16
    assert moments.excess_kurtosis == math.inf


def test_kurtosis_of_a_constant_query_is_ignored():
    # a query that never varies: s = mean_q * sum k, so only the key's kurtosis counts
    moments = dot_product_moments(4, mean_q=2, var_q=0, kurtosis_q=math.inf, kurtosis_k=5)
    assert moments.variance == 16
    assert moments.excess_kurtosis == pytest.approx(2 / 4)


def test_a_constant_score_has_no_kurtosis():
    moments = dot_product_moments(4, var_q=0, var_k=0, mean_q=1, mean_k=3)
    assert (moments.mean, moments.variance) == (12, 0)
    assert math.isnan(moments.excess_kurtosis)


def test_paired_scores_by_hand():
    # Rademacher, rho = 1: q_i k_i = a^2 = 1 always
    fixed = paired_score_moments(9, moments=(1, 1, 1, 1), correlation=1)
    assert (fixed.mean, fixed.variance) == (9, 0)
    assert math.isnan(fixed.excess_kurtosis)
    # q = k = a + 1, a normal: s = sum (a + 1)^2, noncentral chi-square: mean 2d, variance 6d, kappa_4 = 240 d
    shifted = paired_score_moments(5, moments=NORMAL, mean_q=1, mean_k=1, correlation=1)
    assert (shifted.mean, shifted.variance, shifted.within_row_variance) == (10, 30, 10)
    assert shifted.excess_kurtosis == pytest.approx(240 * 5 / 30**2, rel=1e-13)


def test_infinite_moments_affect_only_results_that_depend_on_them():
    heavy = (1, 9, math.inf, math.inf)
    assert paired_score_moments(2, moments=heavy).excess_kurtosis == pytest.approx((81 - 3) / 2)
    paired = paired_score_moments(2, moments=heavy, correlation=0.5)
    assert paired.variance == pytest.approx(2 * (0.25 * 8 + 0.75))
    assert paired.excess_kurtosis == math.inf
    heavier = (1, math.inf, math.inf, math.inf)
    assert paired_score_moments(2, moments=heavier).variance == 2
    assert paired_score_moments(2, moments=heavier).excess_kurtosis == math.inf
    paired = paired_score_moments(2, moments=heavier, correlation=-0.5, mean_q=3, mean_k=-9)
    assert (paired.variance, paired.excess_kurtosis) == (math.inf, math.inf)


@pytest.mark.parametrize("name", ["mean_q", "mean_k"])
def test_a_mean_must_be_finite(name):
    for call in (dot_product_moments, partial(paired_score_moments, moments=NORMAL)):
        with pytest.raises(ValueError, match=rf"{name} must be a finite number in \[-1e\+60, 1e\+60\]"):
            call(4, **{name: math.inf})
        with pytest.raises(TypeError, match=rf"{name} must be a real number, but got '1'"):
            call(4, **{name: "1"})


def test_bad_variances_kurtoses_and_correlations_are_refused():
    with pytest.raises(ValueError, match=r"var_k must be a finite number in \[0, 1e\+60\], but got -1"):
        dot_product_moments(4, var_k=-1)
    with pytest.raises(ValueError, match=r"kurtosis_q must be at least 1 \(no law has less\), but got 0\.5"):
        dot_product_moments(4, kurtosis_q=0.5)
    with pytest.raises(ValueError, match="kurtosis_k must be a finite number"):
        dot_product_moments(4, kurtosis_k=math.nan)
    with pytest.raises(ValueError, match=r"correlation must be a finite number in \[-1, 1\], but got 1\.5"):
        correlated_pair_moments(4, 1.5)
    with pytest.raises(ValueError, match=r"correlation must be a finite number in \[-1, 1\], but got -2"):
        paired_score_moments(4, moments=NORMAL, correlation=-2)
    for call in (dot_product_moments, lambda d: correlated_pair_moments(d, 0)):
        with pytest.raises(ValueError, match="d_k must be at least 1, but got 0"):
            call(0)


def test_impossible_moments_are_refused():
    for wrong in [(1, 3, 15), "1234", 3.0]:
        with pytest.raises(ValueError, match="moments must be four numbers"):
            paired_score_moments(4, moments=wrong)
    with pytest.raises(ValueError, match=r"moments\[0\] = E a\^2 must be 1, but got 2"):
        paired_score_moments(4, moments=(2, 12, 120, 1680))
    for wrong in [(1, 3, 8, 105), (1, 3, 15, 70), (1, math.inf, 15, 105)]:
        with pytest.raises(ValueError, match="moments must be those of one law"):
            paired_score_moments(4, moments=wrong)


# --- oracles -----------------------------------------------------------------------------------------


# Symmetric laws of variance 1 as (values, probabilities): even moments (1, 3, 9, 27) and (1, 1, 1, 1).
THREE_POINTS = (np.array([-math.sqrt(3), 0.0, math.sqrt(3)]), np.array([1 / 6, 2 / 3, 1 / 6]))
COIN = (np.array([-1.0, 1.0]), np.array([0.5, 0.5]))


def enumerate_sums(products, probabilities, d_k):
    """Return mean, variance and excess kurtosis of the sum of d_k independent draws, by enumeration."""
    sums = sum(np.meshgrid(*[products.ravel()] * d_k, indexing="ij"))
    weights = math.prod(np.meshgrid(*[probabilities.ravel()] * d_k, indexing="ij"))
    mean = (weights * sums).sum()
    m2, m4 = ((weights * (sums - mean) ** p).sum() for p in (2, 4))
    return mean, m2, m4 / m2**2 - 3


@pytest.mark.parametrize("d_k", [1, 2, 3])
@pytest.mark.parametrize(("mean_q", "mean_k"), [(0, 0), (0.7, 0), (1.5, -0.4)])
def test_independent_components_agree_with_enumeration(d_k, mean_q, mean_k):
    (x, p), (y, r) = THREE_POINTS, COIN
    sd_q, sd_k = 1.3, 0.6
    products = np.multiply.outer(mean_q + sd_q * x, mean_k + sd_k * y)
    exact = enumerate_sums(products, np.multiply.outer(p, r), d_k)
    moments = dot_product_moments(
        d_k, mean_q=mean_q, var_q=sd_q**2, kurtosis_q=3, mean_k=mean_k, var_k=sd_k**2, kurtosis_k=1
    )
    # a few hundred terms of size one: rounding below 1e-12
    assert (moments.mean, moments.variance, moments.excess_kurtosis) == pytest.approx(exact, abs=1e-12)
    # given the query, the score varies with the key alone; average this variance over queries
    within = d_k * sd_k**2 * (p * (mean_q + sd_q * x) ** 2).sum()
    assert moments.within_row_variance == pytest.approx(within, rel=1e-13)


@pytest.mark.parametrize("d_k", [1, 2, 3])
@pytest.mark.parametrize(("mean_q", "mean_k"), [(0, 0), (0.7, 0), (1.5, -0.4)])
@pytest.mark.parametrize("rho", [0, 0.3, -0.8, 1])
@pytest.mark.parametrize(("law", "even"), [(THREE_POINTS, (1, 3, 9, 27)), (COIN, (1, 1, 1, 1))])
def test_paired_components_agree_with_enumeration(d_k, mean_q, mean_k, rho, law, even):
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
def test_correlated_normal_pair_agrees_with_its_cumulants(rho):
    # s = (1+rho)/2 A - (1-rho)/2 B, A and B chi2(d): kappa_r = (d/2) (r-1)! [(1+rho)^r + (-1)^r (1-rho)^r]
    d_k = 12
    kappa = [d_k / 2 * math.factorial(r - 1) * ((1 + rho) ** r + (rho - 1) ** r) for r in (1, 2, 4)]
    pair = correlated_pair_moments(d_k, rho)
    expected = (kappa[0], kappa[1], kappa[2] / kappa[1] ** 2)
    assert (pair.mean, pair.variance, pair.excess_kurtosis) == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_score_moments_of_a_fully_correlated_component_by_hand():
    # q = k normal, S = q²: central moments of χ²₁ are 0, 2, 8, 60
    moments = score_moments(1, PairLaw(correlation=1.0))
    np.testing.assert_allclose(moments[:5], [1, 0, 1, 8 / 2**1.5, 60 / 4], atol=1e-12)


def test_score_moments_of_signs_by_hand():
    # four products ±1: S is -4, -2, 0, 2, 4 with probabilities (1, 4, 6, 4, 1) ÷ 16, and z = S/2
    z, weights = np.arange(-2, 3), np.array([1, 4, 6, 4, 1]) / 16
    moments = score_moments(4, PairLaw("rademacher"))
    np.testing.assert_allclose(moments, [weights @ z**j for j in range(9)], atol=1e-12)


def test_pair_moments_of_a_law_by_hand():
    # q = 0.5 + a, k = -1 + 0.6 a + 0.8 b: E qk = -0.5 + 0.6, Var qk = 1 + 0.36 + 0.25 + 1 - 2 * 0.5 * 0.6
    moments = pair_moments(16, PairLaw("normal", 0.5, -1.0, 0.6))
    assert (moments.mean, moments.variance) == (pytest.approx(1.6), pytest.approx(16 * 2.01))


# --- properties ----------------------------------------------------------------------------------------


laws = st.sampled_from(tuple(COMPONENT_LAWS))
means = st.sampled_from([0.0, 0.5, -2.0])


@settings(max_examples=40)
@given(laws, st.integers(1, 40), means, means, st.floats(-0.9, 0.9))
def test_score_moments_obey_the_inequalities_of_moments(law, d_k, mean_q, mean_k, correlation):
    if not np.isfinite(COMPONENT_LAWS[law].moments).all():
        return
    moments = score_moments(d_k, PairLaw(law, mean_q, mean_k, correlation))
    np.testing.assert_allclose(moments[:3], [1, 0, 1], atol=1e-9)
    assert moments[4] >= 1 + moments[3] ** 2 - 1e-6  # Pearson's inequality
    assert moments[6] >= moments[4] ** 2 * (1 - 1e-6)
    assert moments[8] * moments[4] >= moments[6] ** 2 * (1 - 1e-6)


# --- oracles -------------------------------------------------------------------------------------------


FINITE_LAWS = [name for name, law in COMPONENT_LAWS.items() if law.has_eight_moments]


@pytest.mark.parametrize("law", FINITE_LAWS)
@pytest.mark.parametrize("pair", [{}, {"mean_q": 0.5, "mean_k": -1.0, "correlation": 0.4}])
def test_score_moments_agree_with_the_closed_forms(law, pair):
    moments = score_moments(6, PairLaw(law=law, **pair))
    theory = paired_score_moments(6, moments=COMPONENT_LAWS[law].moments, **pair)
    assert moments[4] == pytest.approx(3 + theory.excess_kurtosis, rel=1e-10)


def test_score_moments_of_normal_components_agree_with_mpmath():
    # cumulant 2r of q·k is d (2r-1)!; standardised moments up to order 8 at d = 4, from the density
    # mpmath: f = lambda s: (1+s)*exp(-s)/4;  2*quad(lambda s: s**8*f(s), [0, inf]) / 4**4
    np.testing.assert_allclose(score_moments(4, PairLaw())[::2], [1, 1, 4.5, 45.0, 787.5], rtol=1e-13)


def test_score_moments_agree_with_a_sample():
    pair_law = PairLaw("uniform", mean_q=0.5, mean_k=1.0, correlation=-0.4)
    scores = append_components(np.zeros(200_000), 0, 3, pair_law, seed=0)
    theory = paired_score_moments(
        3, moments=COMPONENT_LAWS["uniform"].moments, mean_q=0.5, mean_k=1.0, correlation=-0.4
    )
    z = (scores - theory.mean) / math.sqrt(theory.variance)
    for j, moment in enumerate(score_moments(3, pair_law)):
        powers = z**j
        assert abs(powers.mean() - moment) <= 4 * powers.std() / math.sqrt(z.size) + 1e-12
