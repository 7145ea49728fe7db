import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.components import COMPONENT_LAWS
from sattn_core.random_walks import random_walks

laws = st.sampled_from(tuple(COMPONENT_LAWS))
seeds = st.integers(0, 2**40)
means = st.sampled_from([0.0, 0.5, -2.0])
correlations = st.sampled_from([0.0, 0.3, -1.0, 1.0])


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 50), st.integers(1, 50), laws, means, correlations, seeds)
def test_shorter_walks_are_the_beginning_of_longer_ones(first, second, law, mean_k, correlation, seed):
    short, long = (
        random_walks(d_k, law=law, mean_k=mean_k, correlation=correlation, seed=seed) for d_k in sorted((first, second))
    )
    np.testing.assert_array_equal(long.walks[:, : short.walks.shape[1]], short.walks)
