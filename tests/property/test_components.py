from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.components import COMPONENT_LAWS, PairLaw, append_components, draw_queries_and_keys

laws = st.sampled_from(tuple(COMPONENT_LAWS))
seeds = st.integers(0, 2**64)
means = st.floats(-2, 2)
correlations = st.floats(-1, 1)


@settings(deadline=None, max_examples=60)
@given(laws, seeds, means, means, correlations, st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_however_the_range_is_cut_the_sum_is_the_same(law, seed, mean_q, mean_k, correlation, cuts):
    pair_law = PairLaw(law, mean_q, mean_k, correlation)
    cuts = sorted([0, *cuts])
    scores = np.zeros(7)
    for start, stop in pairwise(cuts):
        scores = append_components(scores, start, stop, pair_law, seed=seed)
    np.testing.assert_array_equal(scores, append_components(np.zeros(7), 0, cuts[-1], pair_law, seed=seed))


@settings(deadline=None, max_examples=60)
@given(laws, seeds, st.integers(1, 6), st.integers(1, 6), st.integers(1, 9), correlations)
def test_same_seed_same_queries_and_keys(law, seed, n_queries, n_keys, d_k, correlation):
    options = {"law": law, "correlation": correlation, "seed": seed}
    first, second = (draw_queries_and_keys(n_queries, n_keys, d_k, **options) for _ in range(2))
    assert first[0].shape == (n_queries, d_k)
    assert first[1].shape == (n_keys, d_k)
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


@settings(deadline=None, max_examples=40)
@given(laws, seeds, st.integers(1, 6), st.integers(1, 9))
def test_full_correlation_makes_paired_keys_equal_to_their_queries(law, seed, n, d_k):
    Q, K = draw_queries_and_keys(n, n + 1, d_k, law=law, correlation=1.0, seed=seed)
    np.testing.assert_array_equal(K[:n], Q)
