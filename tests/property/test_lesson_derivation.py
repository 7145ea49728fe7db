import dataclasses

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.lessons.derivation import (
    DerivationParams,
    exact_scores,
    measure_derivation,
    measure_growth,
    spread_ratio,
)

PARAMS = st.builds(
    DerivationParams,
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
def test_every_number_is_finite_and_identities_hold_whatever_is_broken(params):
    result = measure_derivation(params)
    for line in result.lines:
        assert np.isfinite([line.left, line.right, line.standard_error, line.z]).all(), line.name
    assert [result.lines[i].z for i in (0, 1, 7)] == [0, 0, 0]
    assert result.exact.variance > 0
    assert 1 <= result.exact.effective_dimension <= params.d_k


@settings(max_examples=30)
@given(PARAMS)
def test_same_seed_same_result(params):
    once, again = measure_derivation(params), measure_derivation(params)
    assert once.lines == again.lines
    assert np.array_equal(once.growth_typical, again.growth_typical)


@given(PARAMS)
def test_q_and_k_may_change_places(params):
    means = {"mean_q": params.mean_k, "mean_k": params.mean_q}
    swapped = dataclasses.replace(params, **means, variance_q=params.variance_k, variance_k=params.variance_q)
    here, there = exact_scores(params), exact_scores(swapped)
    assert abs(here.mean - there.mean) <= 1e-12 * (1 + abs(here.mean))
    assert abs(here.variance - there.variance) <= 1e-12 * here.variance


@settings(max_examples=40)
@given(PARAMS)
def test_the_three_lines_follow_from_each_other_at_every_dimension(params):
    growth = measure_growth(params)
    for d_k in {1, params.d_k}:
        mean, variance, scaled = growth.at(d_k)
        for line in (mean, variance, scaled):
            assert np.isfinite([line.measured, line.standard_error, line.exact]).all()
        assert abs(scaled.measured * d_k - variance.measured) <= 1e-12 * variance.measured
        assert variance.holds == scaled.holds


@given(PARAMS)
def test_scores_spread_by_at_least_the_root_and_at_most_the_whole_of_the_factor(params):
    assert 2 * (1 - 1e-12) <= spread_ratio(params) <= 4 * (1 + 1e-12)
