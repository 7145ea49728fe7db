import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sattn_core.lessons.one_query import OneQueryParams, measure_one_query

dimensions, seeds = st.integers(1, 128), st.integers(0, 9999)


@given(dimensions, dimensions, seeds)
def test_a_larger_dimension_keeps_every_number_of_a_smaller_one(one, other, seed):
    small, large = (measure_one_query(OneQueryParams(d_k, seed)) for d_k in sorted((one, other)))
    d_k = small.params.d_k
    np.testing.assert_array_equal(small.query, large.query[:d_k])
    np.testing.assert_array_equal(small.keys, large.keys[:, :d_k])
    np.testing.assert_array_equal(small.walk.sums, large.walk.sums[:, : d_k + 1])


@given(dimensions, seeds)
def test_the_weights_sum_to_one_and_the_division_keeps_their_order_and_shares_more(d_k, seed):
    result = measure_one_query(OneQueryParams(d_k, seed))
    for row in (result.raw, result.scaled):
        assert abs(row.weights.sum() - 1) < 1e-12
        np.testing.assert_allclose(row.weights, row.exponentials / row.total, rtol=1e-12)
    assert result.raw.largest == result.scaled.largest
    assert result.scaled.top_weight <= result.raw.top_weight + 1e-15
    assert result.scaled.effective_keys >= result.raw.effective_keys - 1e-12


@given(dimensions, seeds)
def test_no_sum_leaves_its_axis(d_k, seed):
    result = measure_one_query(OneQueryParams(d_k, seed))
    assert np.abs(result.walk.sums).max() <= result.walk.limit
    assert (result.walk.roots <= np.sqrt(result.walk.horizon)).all()
