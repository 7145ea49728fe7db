import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sattn_core.score_report import measure_scores

ENTRIES = st.floats(-10, 10).map(lambda x: x if abs(x) > 1e-3 else 0.0)


@st.composite
def pairs(draw):
    d_k, n, m = draw(st.integers(1, 6)), draw(st.integers(2, 6)), draw(st.integers(2, 6))
    return draw(arrays(np.float64, (n, d_k), elements=ENTRIES)), draw(arrays(np.float64, (m, d_k), elements=ENTRIES))


@settings(deadline=None, max_examples=60)
@given(pairs())
def test_any_queries_and_keys_get_a_report(pair):
    Q, K = pair
    report = measure_scores(Q, K)
    head = report.heads[0]
    assert report.code in {"right", "aligned", "too_weak", "too_strong", "unclear", "no_variation"}
    row_variance = (Q @ K.T).var(axis=1).mean()
    assert math.isclose(head.within_row_std**2, row_variance, rel_tol=1e-9, abs_tol=1e-9)
    if head.size_factor:
        factors = head.size_factor * head.shape_factor
        assert math.isclose(factors, head.scaled_std**2, rel_tol=1e-12, abs_tol=1e-300)
    for each in head.saturation:
        assert 0 <= each.entropy_nats <= math.log(len(K)) + 1e-12
        assert 1 / len(K) - 1e-12 <= each.max_weight <= 1


@settings(deadline=None, max_examples=30)
@given(pairs(), st.permutations(range(6)))
def test_the_order_of_keys_and_components_does_not_matter(pair, order):
    Q, K = pair
    keys = [i for i in order if i < len(K)]
    components = [i for i in order if i < Q.shape[1]]
    one, two = measure_scores(Q, K).heads[0], measure_scores(Q[:, components], K[keys][:, components]).heads[0]
    assert math.isclose(one.within_row_std, two.within_row_std, rel_tol=1e-9, abs_tol=1e-7)
    assert np.allclose(one.row_exponent.sizes, two.row_exponent.sizes, rtol=1e-6, atol=1e-6)
