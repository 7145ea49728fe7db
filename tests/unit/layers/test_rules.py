import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sattn_core.layers import rules
from sattn_core.layers.rules import SCALING_RULES, adaptive_beta, min_entropy_bound
from sattn_core.layers.softmax import entropy_nats, softmax

RNG = np.random.default_rng(8)
Q, K = RNG.standard_normal((5, 16)), RNG.standard_normal((7, 16))
RAW = Q @ K.T
CONTEXT = {"d_k": 16, "Q": Q, "K": K, "sigma_q": 2.0, "sigma_k": 2.0}

# The check value of each rule, worked out from its cited formula.
CHECKED = {
    "vaswani": 0.125,
    "mup": 0.03125,
    "granite": 0.0078125,
    "qk_norm": 13.273213,
    "vit_22b": 8,
    "swin_v2": 100,
    "soft_cap": 48.201379,
    "gemma_2_27b": 0.083333,
    "ssmax": 2.980533,
    "yarn": 1.277259,
    "llama_4": 1.283321,
    "t5": 1,
    "qk_clip": 100,
    "adaptive_temperature": 2.099,
}


@pytest.mark.parametrize("name", CHECKED)
def test_check_values_by_hand(name):
    assert abs(SCALING_RULES[name].check() - CHECKED[name]) < 1e-6


@pytest.mark.parametrize("rule", SCALING_RULES.values(), ids=list(SCALING_RULES))
def test_rules_are_described_and_keep_the_shape_of_the_scores(rule):
    for text in (rule.title, rule.formula, rule.fixes, rule.source, rule.check_text):
        assert text.strip()
    before = RAW.copy()
    after = rule.apply(RAW, **CONTEXT)
    assert after.shape == RAW.shape
    assert np.array_equal(RAW, before)
    for name in rule.needs:
        with pytest.raises(TypeError, match=f"the rule {rule.name} needs {name}"):
            rule.apply(RAW, **{key: value for key, value in CONTEXT.items() if key != name})


@pytest.mark.parametrize("rule", SCALING_RULES.values(), ids=list(SCALING_RULES))
def test_rules_keep_the_shape_with_no_queries_or_several_heads(rule):
    assert rule.apply(RAW[:0], **CONTEXT | {"Q": Q[:0]}).shape == (0, 7)
    assert rule.apply(np.stack([RAW, RAW]), **CONTEXT).shape == (2, 5, 7)


def test_positions_and_biases_broadcast_to_the_scores():
    two = np.ones((2, 3, 4))
    for positions in (8191, [8191, 0, 0], [[8191] * 3] * 2):
        after = SCALING_RULES["llama_4"].apply(two, d_k=1, positions=positions)
        assert after.shape == two.shape
        assert after[0, 0, 0] == pytest.approx(1 + 0.1 * math.log(2), rel=1e-14)
    for bias in (1.0, [1.0, 0, 0, 0], np.ones((3, 4)), np.ones((2, 1, 1))):
        assert SCALING_RULES["swin_v1"].apply(two, d_k=1, position_bias=bias)[0, 0, 0] == 2.0


def test_linear_rules_by_hand():
    raw = np.array([[6.0, -12.0]])
    expected = {
        "no_scale": ({}, [6, -12]),
        "mup": ({"d_k": 4, "mup_alpha": 8.0}, [12, -24]),
        "log_n": ({"d_k": 4, "n_train": 4}, [1.5, -3]),
        "sigma_reparam": ({"d_k": 4, "sigma_q": 3.0, "sigma_k": 1.0}, [1, -2]),
        "key_length_sum": ({"K": [[3.0], [-1.0]]}, [1.5, -3]),
        "swin_v1": ({"d_k": 4, "position_bias": [[1.0, 0.0]]}, [4, -6]),
        "yarn": ({"d_k": 4, "extension": 1.0}, [3, -6]),
        "llama_4": ({"d_k": 4, "positions": [0]}, [3, -6]),
    }
    for name, (context, scores) in expected.items():
        assert np.allclose(SCALING_RULES[name].apply(raw, **context), [scores], rtol=1e-13), name


def test_cosine_rules_by_hand():
    context = {"Q": [[3.0, 4.0]], "K": [[4.0, 3.0], [-3.0, -4.0]]}
    raw = [[24.0, -25.0]]
    assert np.allclose(SCALING_RULES["qk_norm"].apply(raw, **context, qk_norm_gain=2.0), [[1.92, -2]], rtol=1e-13)
    assert np.allclose(SCALING_RULES["swin_v2"].apply(raw, **context), [[9.6, -10]], rtol=1e-13)


def test_vit_22b_ignores_size_and_mean_of_q_and_k():
    plain = SCALING_RULES["vit_22b"].apply(RAW, Q=Q, K=K)
    larger = 1e3 * Q + 5.0
    moved = SCALING_RULES["vit_22b"].apply(larger @ K.T, Q=larger, K=K)
    assert np.allclose(plain, moved, rtol=0, atol=1e-4)
    assert np.abs(plain).max() <= 4.0


def test_soft_cap_is_bounded_and_has_the_right_slope_at_100():
    rule = SCALING_RULES["soft_cap"]
    low, high = rule.apply([[99.999, 100.001]], d_k=1)[0]
    assert abs((high - low) / 0.002 - 0.070651) < 1e-6
    assert rule.apply([[1e9, -1e9]], d_k=1).tolist() == [[50.0, -50.0]]


def test_qk_clip_leaves_small_scores_and_clips_each_head_separately():
    raw = np.array([[[250.0, 50.0]], [[99.0, 0.0]]])
    assert np.allclose(SCALING_RULES["qk_clip"].apply(raw, d_k=1), [[[100, 20]], [[99, 0]]], rtol=1e-13)
    assert np.allclose(SCALING_RULES["qk_clip"].apply([[-9e4, -1.0]], d_k=1), [[-9e4, -1.0]], rtol=1e-13)


def test_adaptive_beta_by_hand():
    assert adaptive_beta([0.0, 0.5, 7.5]).tolist() == [1.0, 1.0, 1.0]
    assert abs(adaptive_beta(2.0) - 2.099) < 1e-12


def test_min_entropy_bound_is_reached_by_one_score_above_equal_ones():
    n, sigma = 8, 3.0
    row = np.full(n, -1.0)
    row[0] = n - 1
    row *= sigma / np.linalg.norm(row)
    p = np.exp(row) / np.exp(row).sum()
    assert abs(min_entropy_bound(sigma, n) + np.sum(p * np.log(p))) < 1e-13
    assert abs(min_entropy_bound(0.0, 8) - math.log(8)) < 1e-15


@pytest.mark.parametrize(
    ("name", "context", "message"),
    [
        ("vaswani", {"d_k": 0}, "d_k must be at least 1"),
        ("qk_norm", {"Q": Q, "K": K[:3]}, "K must have the 7 rows that the scores have keys, but got 3"),
        ("swin_v2", {"Q": Q, "K": K, "swin_tau": 0.001}, r"swin_tau must be a finite number of at least 0\.01"),
        ("soft_cap", {"d_k": 4, "soft_cap": 0.0}, "soft_cap must be"),
        ("yarn", {"d_k": 4, "extension": 0.5}, "extension must be"),
        ("llama_4", {"d_k": 4, "positions": [-1]}, "positions must be at least 0, but got -1"),
        ("key_length_sum", {"K": 0 * K}, "K must have a key that is not 0"),
        ("log_n", {"d_k": 4, "n_train": 1}, "n_train must be at least 2"),
        ("llama_4", {"d_k": 4, "positions": [1, 2]}, r"positions must have the shape \(5,\) of .*, but got \(2,\)"),
        ("llama_4", {"d_k": 4, "positions": [[1] * 5] * 2}, r"positions must have .*, but got \(2, 5\)"),
        ("swin_v1", {"d_k": 4, "position_bias": [1, 2, 3]}, r"position_bias must have the shape \(5, 7\) of the raw"),
        ("swin_v2", {"Q": Q, "K": K, "position_bias": np.ones((2, 5, 7))}, r"position_bias must .* \(2, 5, 7\)"),
        ("vit_22b", {"Q": np.stack([Q, Q]), "K": K}, r"heads of Q must have the shape \(\) .*, but got \(2,\)"),
        ("qk_norm", {"Q": Q, "K": np.stack([K, K])}, r"heads of K must have the shape \(\) .*, but got \(2,\)"),
        ("qk_norm", {"Q": Q, "K": K, "qk_norm_length": 0}, "qk_norm_length must be at least 3, but got 0"),
        ("key_length_sum", {"K": K[:3]}, "K must have the 7 rows that the scores have keys, but got 3"),
        ("key_length_sum", {"K": np.stack([K, K])}, r"heads of K must have the shape \(\)"),
    ],
)
def test_bad_context_is_refused(name, context, message):
    with pytest.raises(ValueError, match=message):
        SCALING_RULES[name].apply(RAW, **context)


@pytest.mark.parametrize(
    ("name", "context"),
    [("yarn", {"d_k": 1}), ("qk_norm", {"Q": [[1e200]], "K": [[1e200]]}), ("key_length_sum", {"K": [[1e200]]})],
)
def test_overflow_is_refused(name, context):
    with pytest.raises(ValueError, match="must be finite, but the inputs are so large"):
        SCALING_RULES[name].apply([[1.5e308]], **context)


@pytest.mark.parametrize("name", ["qk_norm", "swin_v2"])
def test_a_row_of_zeros_has_no_cosine(name):
    with pytest.raises(ValueError, match="no row of zeros"):
        SCALING_RULES[name].apply(0 * RAW, Q=0 * Q, K=K)


def test_raw_scores_must_be_finite_matrices():
    with pytest.raises(ValueError, match="raw_scores must hold finite numbers only, but got -inf"):
        SCALING_RULES["soft_cap"].apply([[1.0, -np.inf]], d_k=4)
    with pytest.raises(ValueError, match="raw_scores must have at least 2 dimension"):
        SCALING_RULES["no_scale"].apply([1.0])


@pytest.mark.parametrize("rule", SCALING_RULES.values(), ids=list(SCALING_RULES))
def test_rules_share_a_context_but_accept_only_their_own_options(rule):
    for name in ("softcap", "d_K", "soft_cap" if rule.name != "soft_cap" else "clip_tau"):
        with pytest.raises(TypeError, match=rf"an option of the rule {rule.name} must be .*, but got {name}$"):
            rule.apply(RAW, **CONTEXT, **{name: 30.0})
    assert not set(rule.options) & set(CONTEXT)


def test_message_lists_the_options_of_the_rule():
    with pytest.raises(TypeError, match="of the rule soft_cap must be one of soft_cap, but got softcap"):
        SCALING_RULES["soft_cap"].apply(RAW, d_k=16, softcap=30)
    with pytest.raises(TypeError, match="of the rule vaswani must be left out, for it has none, but got scale, x"):
        SCALING_RULES["vaswani"].apply(RAW, d_k=16, scale=1.0, x=2)
    assert SCALING_RULES["soft_cap"].apply([[1e9]], d_k=1, soft_cap=30.0) == 30.0


@pytest.mark.parametrize("rule", SCALING_RULES.values(), ids=list(SCALING_RULES))
def test_raw_scores_must_be_the_product_of_q_and_k(rule):
    off = RAW.copy()
    off[1, 2] *= 1 + 1e-9
    with pytest.raises(ValueError, match=r"raw_scores must be Q Kᵀ of the Q and K given with them, .* at \(1, 2\)"):
        rule.apply(off, **CONTEXT)
    for changes, message in (
        ({"Q": Q[::-1]}, "raw_scores must be Q Kᵀ"),
        ({"Q": Q[:3]}, "Q must have the 5 rows that the scores have queries, but got 3"),
        ({"K": K[:, :8]}, "d_k must be the 8 columns of K, but got 16"),
        ({"K": K[:, :8], "d_k": None}, "Q and K must have the same d_k"),
        ({"d_k": 8}, "d_k must be the 16 columns of Q, but got 8"),
    ):
        if changes.get("d_k", 1) is not None or "d_k" not in rule.needs:
            with pytest.raises(ValueError, match=message):
                rule.apply(RAW, **CONTEXT | changes)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rounded_scores_still_match_q_and_k(dtype):
    low_q, low_k = Q.astype(dtype), K.astype(dtype)
    after = SCALING_RULES["qk_norm"].apply(low_q @ low_k.T, Q=low_q, K=low_k, qk_norm_gain=1.0)
    assert np.abs(after).max() <= 1 + 100 * np.finfo(dtype).eps


def test_ssmax_keeps_the_largest_weight_near_1_as_in_its_paper():
    # Figure 1 of arXiv:2501.19399: all scores are −2 except one +3, s = 0.43; softmax fades, SSMax stays near 1.
    for n in (16, 256, 4096):
        row = np.full((1, n), -2.0)
        row[0, -1] = 3.0
        scores = SCALING_RULES["ssmax"].apply(row, d_k=1)
        assert softmax(scores)[0, -1] == pytest.approx(1 / (1 + (n - 1) * n**-2.15), rel=1e-12)
        assert softmax(scores)[0, -1] > 0.95
    assert softmax(row)[0, -1] < 0.04


# --- properties ----------------------------------------------------------------------------------------


NUMBERS = st.floats(-50, 50).map(lambda x: x if abs(x) > 1e-3 else 1.0)


@given(arrays(np.float64, (3, 4), elements=NUMBERS), arrays(np.float64, (5, 4), elements=NUMBERS))
def test_rules_that_need_no_q_keep_the_order_inside_a_row(Q, K):
    raw = Q @ K.T
    context = {"d_k": 4, "Q": Q, "K": K, "sigma_q": 2.0, "sigma_k": 2.0}
    for name, rule in SCALING_RULES.items():
        scores = rule.apply(raw, **context)
        assert np.isfinite(scores).all()
        if "Q" not in rule.needs:  # rules that need Q divide by the length of each key
            ordered = np.take_along_axis(scores, raw.argsort(axis=-1), axis=-1)
            assert (np.diff(ordered, axis=-1) >= -1e-9 * np.abs(scores).max()).all(), name


@given(arrays(np.float64, 6, elements=st.floats(-5, 5)))
def test_no_row_has_less_entropy_than_the_bound_for_its_norm(row):
    bound = min_entropy_bound(float(np.linalg.norm(row)), 6)
    assert entropy_nats(row) >= bound - 1e-12
    assert 0 <= bound <= math.log(6) + 1e-15


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_few_bit_scores_match_their_queries_and_keys(name):
    few = getattr(ml_dtypes, name)
    Q, K = np.random.default_rng(0).standard_normal((2, 6, 16)).astype(few)
    scores = (Q.astype(float) @ K.astype(float).T).astype(few)
    found = SCALING_RULES["vit_22b"].apply(scores, Q=Q, K=K)
    assert np.isfinite(found).all()
    assert rules._rounding_unit(scores) == ml_dtypes.finfo(few).eps
    with pytest.raises(ValueError, match="raw_scores must be Q Kᵀ"):
        SCALING_RULES["vit_22b"].apply((100 * scores.astype(float)).clip(-400, 400), Q=Q, K=K)
