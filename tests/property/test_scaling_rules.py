import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sattn_core.scaling_rules import SCALING_RULES, min_entropy_bound
from sattn_core.softmax import entropy_nats

NUMBERS = st.floats(-50, 50).map(lambda x: x if abs(x) > 1e-3 else 1.0)


@settings(deadline=None, max_examples=60)
@given(arrays(np.float64, (3, 4), elements=NUMBERS), arrays(np.float64, (5, 4), elements=NUMBERS))
def test_every_rule_but_vit_keeps_the_order_inside_a_row(Q, K):
    raw = Q @ K.T
    context = {"d_k": 4, "Q": Q, "K": K, "sigma_q": 2.0, "sigma_k": 2.0}
    for name, rule in SCALING_RULES.items():
        scores = rule.apply(raw, **context)
        assert np.isfinite(scores).all()
        if "Q" not in rule.needs:  # cosines divide by the length of each key
            ordered = np.take_along_axis(scores, raw.argsort(axis=-1), axis=-1)
            assert (np.diff(ordered, axis=-1) >= -1e-9 * np.abs(scores).max()).all(), name


@settings(deadline=None, max_examples=60)
@given(arrays(np.float64, 6, elements=st.floats(-5, 5)))
def test_no_row_has_less_entropy_than_its_norm_allows(row):
    bound = min_entropy_bound(float(np.linalg.norm(row)), 6)
    assert entropy_nats(row) >= bound - 1e-12
    assert 0 <= bound <= math.log(6) + 1e-15
