"""What the scaling_rules page promises to whoever clicks a suggestion."""

import numpy as np

ADVERSE = {
    "seed": "7",
    "exponent": "0.1",
    "correlation": "-0.5",
    "n_keys": "2",
    "d_k": "3",
    "pairs": "independent",
    "rule": "t5",
}


def keys_in_use(result, name):
    return next(rule.effective_keys for rule in result.rules if rule.name == name)


def test_half_keeps_the_variance(tried):
    app, shown = tried("scaling_rules", "half_keeps_the_variance", **ADVERSE, part="rules")
    assert app.session_state["part"] == "exponents"
    curve = shown.measure_exponents.curves[0]
    assert (shown.measure_exponents.dims[0], shown.measure_exponents.dims[-1]) == (1, 1024)
    assert np.abs(curve.variance - 1).max() < 0.1


def test_one_keeps_the_mean(tried):
    _, shown = tried("scaling_rules", "one_keeps_the_mean", **ADVERSE, part="museum")
    curves = {curve.exponent: curve for curve in shown.measure_exponents.curves}
    assert shown.measure_exponents.curves[0].exponent == 1.0
    assert np.abs(curves[1.0].mean - 1).max() < 0.1
    assert abs(curves[0.5].mean[-1] - 32) < 0.5


def test_aligned_pairs(tried):
    app, shown = tried("scaling_rules", "aligned_pairs", **ADVERSE)
    assert app.session_state["rule"] == "mup"
    rules = shown.compare_rules
    assert (rules.params.d_k, rules.params.n_keys) == (1024, 64)
    assert keys_in_use(rules, "vaswani") < 1.05
    assert keys_in_use(rules, "mup") > 60


def test_fused_matrix(tried):
    app, shown = tried("scaling_rules", "fused_matrix", bug="forgotten", seed="7")
    bug = next(each for each in shown.measure_museum if each.bug.name == app.session_state["bug"])
    right, wrong = (side.attention_weights for side in (bug.right, bug.wrong))
    np.testing.assert_array_equal(right.argsort(axis=1), wrong.argsort(axis=1))
    assert bug.params.bug == "fused_qkv"
    assert bug.output_error > 0.5
