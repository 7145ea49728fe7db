import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.lessons.scaling_rules import (
    BUGS,
    BugParams,
    ExponentParams,
    RulesParams,
    compare_rules,
    measure_bug,
    measure_exponents,
)


@settings(deadline=None, max_examples=20)
@given(st.floats(0, 1), st.floats(-1, 1), st.integers(100, 300), st.integers(0, 2**32))
def test_slopes_are_those_of_the_exponent(exponent, correlation, n_samples, seed):
    for curve in measure_exponents(ExponentParams(exponent, correlation, n_samples, seed)).curves:
        assert (curve.variance >= 0).all()
        log_theory = np.log(curve.variance_theory)
        assert math.isclose(log_theory[-1] - log_theory[0], (1 - 2 * curve.exponent) * math.log(1024), abs_tol=1e-9)


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 64), st.integers(2, 32), st.integers(1, 8), st.floats(-1, 1), st.integers(0, 2**32))
def test_weights_of_every_rule_sum_to_1(d_k, n_keys, n_queries, correlation, seed):
    for rule in compare_rules(RulesParams(d_k, n_keys, n_queries, correlation, seed)).rules:
        assert math.isclose(rule.attention_weights.sum(), 1, rel_tol=1e-12)
        assert -1e-12 <= rule.entropy_nats <= math.log(n_keys) + 1e-12
        assert 1 - 1e-9 <= rule.effective_keys <= n_keys + 1e-9


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(sorted(BUGS)), st.integers(1, 4), st.integers(1, 8), st.integers(2, 8), st.integers(0, 2**32))
def test_a_harmless_bug_changes_nothing_and_any_other_scales_the_scores(bug, n_heads, d_k, n_tokens, seed):
    d_model = max(2, n_heads * d_k)
    result = measure_bug(BugParams(bug, d_model, n_heads if d_model % n_heads == 0 else 1, n_tokens, seed))
    ratio = result.wrong.predicted_std / result.right.predicted_std
    assert math.isclose(result.wrong.score_std, ratio * result.right.score_std, rel_tol=1e-9)
    if math.isclose(ratio, 1, rel_tol=1e-12):
        assert result.output_error < 1e-9
    assert -1 - 1e-12 <= result.output_cosine <= 1 + 1e-12
