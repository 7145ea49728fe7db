import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.layers.attention import attention
from sattn_core.layers.initialisation import init_scheme
from sattn_core.layers.layer_norm import layer_norm
from sattn_core.layers.rules import SCALING_RULES
from sattn_core.lessons.scaling_rules import (
    BUGS,
    EXPONENT_DIMS,
    BugParams,
    ExponentParams,
    RulesParams,
    compare_rules,
    measure_bug,
    measure_exponents,
    measure_museum,
    rule_curves,
)


def test_only_exponent_one_half_keeps_the_variance_flat():
    curves = measure_exponents(ExponentParams(exponent=0.25)).curves
    assert [curve.exponent for curve in curves] == [0.25, 0.0, 0.5, 1.0]
    assert [curve.variance_is_flat for curve in curves] == [False, False, True, False]
    slopes = [np.polyfit(np.log(EXPONENT_DIMS), np.log(curve.variance), 1)[0] for curve in curves]
    np.testing.assert_allclose(slopes, [0.5, 1.0, 0.0, -1.0], atol=0.05)


def test_measurement_at_one_dimension_does_not_depend_on_the_others():
    few = measure_exponents(ExponentParams(correlation=0.5, n_samples=200))
    many = measure_exponents(ExponentParams(correlation=0.5, n_samples=200), tuple(range(1, 1025)))
    at = np.array(few.dims) - 1
    for one, other in zip(few.curves, many.curves, strict=True):
        for name in ("variance", "variance_theory", "variance_error", "mean", "mean_theory", "mean_error"):
            assert np.array_equal(getattr(one, name), getattr(other, name)[at])
    for dims in ((4, 4), (1, 1025)):
        with pytest.raises(ValueError, match="dims must"):
            measure_exponents(ExponentParams(), dims)


def test_only_exponent_1_keeps_the_mean_of_correlated_scores_flat():
    curves = {curve.exponent: curve for curve in measure_exponents(ExponentParams(correlation=0.5)).curves}
    assert [curves[each].mean_is_flat for each in (0.0, 0.5, 1.0)] == [False, False, True]
    assert np.allclose(curves[1.0].mean_theory, 0.5, rtol=1e-14)
    assert np.allclose(curves[0.5].variance_theory, 1.25, rtol=1e-14)


def test_standard_exponent_is_not_shown_twice():
    assert len(measure_exponents(ExponentParams(exponent=1.0)).curves) == 3


def test_all_rules_get_the_same_scores():
    result = compare_rules(RulesParams(d_k=16, n_keys=8))
    assert [rule.name for rule in result.rules] == list(SCALING_RULES)
    by_name = {rule.name: rule for rule in result.rules}
    assert np.array_equal(by_name["no_scale"].scores, result.raw_scores)
    assert np.allclose(by_name["vaswani"].scores, result.raw_scores / 4, rtol=1e-14)
    assert all(rule.source for rule in result.rules)
    assert by_name["mup"].check_value == 0.03125


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_curves_agree_with_the_comparison_on_other_draws(correlation):
    params = RulesParams(32, 16, n_queries=16, correlation=correlation)
    curves = rule_curves(params, dims=(32,), n_keys=(16, 64))
    draws = [compare_rules(replace(params, seed=seed)).rules for seed in range(1, 41)]
    single = np.array([[rule.entropy_nats for rule in rules] for rules in draws])
    error = single.std(axis=0, ddof=1) / math.sqrt(len(single))
    for found, its_error in (
        (curves.against_d_k[:, 0], curves.against_d_k_error[:, 0]),
        (curves.against_n_keys[:, 0], curves.against_n_keys_error[:, 0]),
    ):
        assert (its_error > 0).all()
        assert (np.abs(found - single.mean(axis=0)) < 4 * np.hypot(error, its_error)).all()
    assert np.allclose(curves.uniform, [math.log(16), math.log(64)], rtol=1e-14)


def test_standard_error_of_a_curve_agrees_with_many_seeds():
    curves = [rule_curves(RulesParams(64, 16, seed=seed), dims=(4, 64), n_keys=(16,)) for seed in range(40)]
    spread = np.std([each.against_d_k for each in curves], axis=0, ddof=1)
    stated = np.sqrt(np.mean([np.square(each.against_d_k_error) for each in curves], axis=0))
    # A standard deviation of 40 runs has relative standard error 1/√80.
    assert (np.abs(stated / spread - 1) < 4 / math.sqrt(80)).all()


STDS = {
    "d_model": 8**-0.5,
    "forgotten": 8.0,
    "divided_by_scale": 64.0,
    "twice": 1 / 8,
    "root_of_root": 8**0.5,
    "latent": 3**-0.5,
    "fused_qkv": 0.5,
}


@pytest.mark.parametrize("bug", BUGS)
def test_spread_of_every_bug_by_hand(bug):
    result = measure_bug(BugParams(bug))
    assert result.right.predicted_std == pytest.approx(1.0, rel=1e-14)
    assert result.wrong.predicted_std == pytest.approx(STDS[bug], rel=1e-12)
    ratio = result.wrong.score_std / result.right.score_std
    assert ratio == pytest.approx(STDS[bug], rel=1e-9)
    assert (result.wrong.entropy_nats < result.right.entropy_nats) == (STDS[bug] > 1)
    assert result.output_error > 0.1
    assert -1 <= result.output_cosine < 0.99
    assert result.bug.url.startswith("https://github.com/")
    assert result.bug.issue.split(",")[0] in result.bug.url


def test_museum_agrees_with_each_bug_measured_alone():
    params = BugParams("twice", d_model=64, n_heads=4, n_tokens=9, seed=3)
    for bug, result in zip(BUGS, measure_museum(params), strict=True):
        alone = measure_bug(replace(params, bug=bug))
        assert result.params == alone.params
        assert result.output_error == alone.output_error
        assert result.wrong.entropy_nats == alone.wrong.entropy_nats


def test_every_bug_changes_the_output():
    # These are the page's sizes; the next test compares one of the errors with `attention`.
    errors = [[result.output_error for result in measure_museum(BugParams(seed=seed))] for seed in range(2)]
    assert np.min(errors) > 0.3
    assert np.max(errors) < 5
    assert np.round(errors[0], 1).tolist() == [0.6, 3.5, 4.2, 0.7, 1.9, 0.4, 0.6]


def test_fused_initialisation_also_shrinks_the_values():
    # x and the weights are drawn as in the lesson; the fused initialisation multiplies every weight by √½.
    E, H, n = 64, 4, 9
    rng = np.random.Generator(np.random.SFC64(0))
    x = layer_norm(rng.standard_normal((n, E)))
    weights = init_scheme("xavier_square").draw(rng, E, H, (3, E, E))
    right, wrong = (
        attention(*((x @ W * size).reshape(n, H, E // H).swapaxes(0, 1) for W in weights)).output
        for size in (1.0, math.sqrt(0.5))
    )
    result = measure_bug(BugParams("fused_qkv", E, H, n))
    assert result.output_error == pytest.approx(np.linalg.norm(wrong - right) / np.linalg.norm(right), rel=1e-12)
    cosine = np.vdot(wrong, right) / np.linalg.norm(wrong) / np.linalg.norm(right)
    assert result.output_cosine == pytest.approx(cosine, rel=1e-12)
    assert round(measure_bug(BugParams("fused_qkv")).output_error, 2) == 0.57


def test_d_model_bug_is_harmless_with_one_head():
    result = measure_bug(BugParams("d_model", d_model=64, n_heads=1))
    assert result.output_error == 0.0
    assert result.output_cosine == pytest.approx(1.0, rel=1e-14)


# --- properties ----------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(st.floats(0, 1), st.floats(-1, 1), st.integers(100, 300), st.integers(0, 2**32))
def test_theoretical_slopes_follow_from_the_exponent(exponent, correlation, n_samples, seed):
    for curve in measure_exponents(ExponentParams(exponent, correlation, n_samples, seed)).curves:
        assert (curve.variance >= 0).all()
        log_theory = np.log(curve.variance_theory)
        assert math.isclose(log_theory[-1] - log_theory[0], (1 - 2 * curve.exponent) * math.log(1024), abs_tol=1e-9)


@settings(max_examples=30)
@given(st.integers(2, 64), st.integers(2, 32), st.integers(1, 8), st.floats(-1, 1), st.integers(0, 2**32))
def test_weights_of_every_rule_sum_to_1(d_k, n_keys, n_queries, correlation, seed):
    for rule in compare_rules(RulesParams(d_k, n_keys, n_queries, correlation, seed)).rules:
        assert math.isclose(rule.attention_weights.sum(), 1, rel_tol=1e-12)
        assert -1e-12 <= rule.entropy_nats <= math.log(n_keys) + 1e-12
        assert 1 - 1e-9 <= rule.effective_keys <= n_keys + 1e-9


@settings(max_examples=30)
@given(st.sampled_from(sorted(BUGS)), st.integers(1, 4), st.integers(1, 8), st.integers(2, 8), st.integers(0, 2**32))
def test_bugs_scale_the_scores_and_harmless_ones_change_nothing(bug, n_heads, d_k, n_tokens, seed):
    d_model = max(2, n_heads * d_k)
    result = measure_bug(BugParams(bug, d_model, n_heads if d_model % n_heads == 0 else 1, n_tokens, seed))
    ratio = result.wrong.predicted_std / result.right.predicted_std
    assert math.isclose(result.wrong.score_std, ratio * result.right.score_std, rel_tol=1e-9)
    if math.isclose(ratio, 1, rel_tol=1e-12):
        assert result.output_error < 1e-9
    assert -1 - 1e-12 <= result.output_cosine <= 1 + 1e-12


# --- oracles -------------------------------------------------------------------------------------------


def test_standard_errors_agree_with_repeated_draws():
    runs = [measure_exponents(ExponentParams(correlation=0.5, n_samples=100, seed=i)).curves[0] for i in range(200)]
    for name in ("variance", "mean"):
        z = np.array([(getattr(c, name) - getattr(c, f"{name}_theory")) / getattr(c, f"{name}_error") for c in runs])
        kurtosis = (z**4).mean(axis=0) / (z**2).mean(axis=0) ** 2
        assert z.shape == (200, len(EXPONENT_DIMS))
        assert (np.abs(z.var(axis=0) - 1) < 4 * np.sqrt(kurtosis / 200)).all()
