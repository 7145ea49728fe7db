"""What holds for every query and key."""

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.scores import raw_scores, scale_factor

NUMBERS = st.floats(-100, 100)


@st.composite
def queries_and_keys(draw):
    m, n, d = (draw(st.integers(1, 5)) for _ in range(3))
    Q, K = (draw(hnp.arrays(float, shape, elements=NUMBERS)) for shape in [(m, d), (n, d)])
    return Q, K


@settings(deadline=None, max_examples=50)
@given(queries_and_keys())
def test_swapping_queries_and_keys_transposes(pair):
    Q, K = pair
    np.testing.assert_allclose(raw_scores(Q, K), raw_scores(K, Q).T, rtol=0, atol=1e-9)


@settings(deadline=None, max_examples=50)
@given(queries_and_keys(), st.floats(-10, 10))
def test_scores_are_linear_in_the_queries(pair, factor):
    Q, K = pair
    np.testing.assert_allclose(raw_scores(factor * Q, K), factor * raw_scores(Q, K), rtol=0, atol=1e-8)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 10_000), st.integers(1, 10_000), st.floats(-4, 4))
def test_the_scale_of_a_product_is_the_product_of_scales(d, e, exponent):
    product = scale_factor(d, exponent) * scale_factor(e, exponent)
    np.testing.assert_allclose(scale_factor(d * e, exponent), product, rtol=1e-12)
