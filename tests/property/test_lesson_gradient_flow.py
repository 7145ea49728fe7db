import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.lessons.gradient_flow import (
    GradientFlowParams,
    freezing_rows,
    gradient_curve,
    measure_gradient_flow,
    measure_row_jacobian,
)

PARAMS = st.builds(
    GradientFlowParams,
    d_k=st.integers(1, 1024),
    n_keys=st.sampled_from([2, 3, 12]),  # few: the table of exact means is built once for each
    n_rows=st.just(40),
    seed=st.integers(0, 2**32 - 1),
)


@settings(deadline=None, max_examples=30)
@given(PARAMS)
def test_sensitivities_stay_inside_their_bounds(params):
    found = measure_gradient_flow(params).statistics
    for each in (found.low, found.median, found.mean, found.high):
        assert (each >= 0).all()
        assert (each[0] <= 1 - 1 / params.n_keys + 1e-12).all()
        # A smaller scale makes every row flatter, so the trace of its Jacobian can only grow.
        assert (np.diff(each[0]) >= -1e-12).all()


@settings(deadline=None, max_examples=10)
@given(st.sampled_from([2, 3, 12]), st.integers(0, 2**32 - 1))
def test_without_the_scale_the_share_of_frozen_rows_never_falls(n_keys, seed):
    share = gradient_curve((1, 2, 5, 16, 17, 300, 1024), n_keys=n_keys, n_rows=60, seed=seed).frozen_share
    assert (np.diff(share[0]) >= 0).all()
    assert (share[0] >= share[1]).all()
    assert (share[1] >= share[2]).all()


@settings(deadline=None, max_examples=10)
@given(st.sampled_from([2, 3, 12, 100]), st.integers(0, 2**32 - 1))
def test_a_row_passes_on_no_less_with_the_scale_and_stays_inside_its_bounds(n_keys, seed):
    passed = freezing_rows((1, 2, 5, 16, 17, 300, 1024), n_keys=n_keys, seed=seed).passed
    assert (passed[1] >= passed[0]).all()
    assert ((passed >= 0) & (passed <= 1 - 1 / n_keys + 1e-12)).all()


@settings(deadline=None, max_examples=20)
@given(PARAMS)
def test_same_seed_same_result(params):
    once, again = measure_gradient_flow(params), measure_gradient_flow(params)
    assert np.array_equal(once.statistics.mean, again.statistics.mean)
    assert np.array_equal(once.shown_scores, again.shown_scores)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(-500, 500), min_size=2, max_size=9), st.integers(1, 1024))
def test_jacobian_rows_sum_to_zero_and_a_shift_changes_nothing(scores, d_k):
    row, shifted = measure_row_jacobian(scores, d_k), measure_row_jacobian(np.array(scores) + 256.0, d_k)
    assert np.abs(row.raw_jacobian.sum(axis=0)).max() < 1e-12
    assert np.allclose(row.raw_jacobian, row.raw_jacobian.T, rtol=0, atol=1e-12)
    # Rounding of scores up to 756 is 6e-14 each.
    assert np.allclose(row.scaled_jacobian, shifted.scaled_jacobian, rtol=0, atol=1e-12)
