"""What holds for the moments of every component law."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.moments import (
    correlated_pair_moments,
    dot_product_moments,
    paired_score_moments,
    product_variance,
)

MEANS = st.floats(-3, 3)
RHO = st.floats(-1, 1)
DIMS = st.integers(1, 2000)


@st.composite
def even_moments(draw):
    """Moments of a law on 0, +-x and +-y, scaled to variance 1."""
    x, y = draw(st.floats(0.2, 3)), draw(st.floats(0.2, 3))
    p, r = draw(st.floats(0.05, 0.25)), draw(st.floats(0.05, 0.25))
    scale = 2 * (p * x**2 + r * y**2)
    return (1.0, *(2 * (p * x**k + r * y**k) / scale ** (k / 2) for k in (4, 6, 8)))


def close(left, right):
    assert dataclasses.astuple(left) == pytest.approx(dataclasses.astuple(right), rel=1e-9, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(DIMS, even_moments(), MEANS, MEANS)
def test_without_correlation_pairs_are_independent(d_k, moments, mean_q, mean_k):
    kurtosis = moments[1]
    independent = dot_product_moments(d_k, mean_q=mean_q, mean_k=mean_k, kurtosis_q=kurtosis, kurtosis_k=kurtosis)
    close(paired_score_moments(d_k, moments=moments, mean_q=mean_q, mean_k=mean_k), independent)


@settings(deadline=None, max_examples=60)
@given(DIMS, RHO)
def test_the_normal_pair_is_the_known_one(d_k, rho):
    close(paired_score_moments(d_k, moments=(1, 3, 15, 105), correlation=rho), correlated_pair_moments(d_k, rho))


@settings(deadline=None, max_examples=60)
@given(even_moments(), MEANS, MEANS, RHO)
def test_a_kurtosis_is_never_below_one(moments, mean_q, mean_k, rho):
    pair = paired_score_moments(1, moments=moments, mean_q=mean_q, mean_k=mean_k, correlation=rho)
    assert pair.variance >= 0
    assert pair.excess_kurtosis >= -2 - 1e-6


@settings(deadline=None, max_examples=60)
@given(even_moments(), MEANS, MEANS, RHO)
def test_flipping_every_sign_changes_only_the_mean(moments, mean_q, mean_k, rho):
    pair = paired_score_moments(7, moments=moments, mean_q=mean_q, mean_k=mean_k, correlation=rho)
    flipped = paired_score_moments(7, moments=moments, mean_q=mean_q, mean_k=-mean_k, correlation=-rho)
    close(flipped, dataclasses.replace(pair, mean=-pair.mean))


@settings(deadline=None, max_examples=60)
@given(MEANS, st.floats(0, 5), MEANS, st.floats(0, 5), DIMS)
def test_the_variance_of_a_sum_is_the_sum_of_variances(mean_q, var_q, mean_k, var_k, d_k):
    total = dot_product_moments(d_k, mean_q=mean_q, var_q=var_q, mean_k=mean_k, var_k=var_k)
    one = product_variance(mean_k, var_k, mean_q, var_q)
    # products of variances near 1e-308 round to 0
    np.testing.assert_allclose(total.variance, d_k * one, rtol=1e-12, atol=1e-300)
    assert total.within_row_variance <= total.variance * (1 + 1e-12) + 1e-300
