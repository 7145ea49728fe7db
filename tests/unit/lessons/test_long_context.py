"""The weight of one key under every rule: multipliers compared with published rules, averages with drawn rows."""

import math
from itertools import pairwise

import numpy as np
import pytest

from sattn_core.layers.rules import SCALING_RULES
from sattn_core.layers.softmax import softmax
from sattn_core.lessons import long_context
from tests.simulations import within_four_errors


@pytest.fixture(scope="module")
def found():
    return long_context.fading_weights(long_context.LongContextParams())


def test_stops_are_four_per_octave_from_16_to_a_million():
    assert (long_context.STOPS[0], long_context.STOPS[-1], len(long_context.STOPS)) == (16, 2**20, 65)
    assert set(long_context.STOPS) < set(long_context.LENGTHS)
    assert all(1 < after / before <= 1.25 for before, after in pairwise(long_context.STOPS))
    assert {long_context.quarter_row(n) for n in long_context.STOPS} < {*long_context.LENGTHS}


def test_yarn_and_log_n_change_nothing_at_the_training_length():
    rows = long_context.LongContextParams(n_train=512).multipliers([16, 512, 1024])
    assert rows[list(long_context.RULES).index("yarn")] == pytest.approx([1, 1, (1 + 0.1 * math.log(2)) ** 2])
    assert rows[list(long_context.RULES).index("log_n")] == pytest.approx([4 / 9, 1, 10 / 9])


def test_known_weights_and_half_length_are_reproduced(found):
    weights = {n: found.weight("vaswani", n) for n in (16, 16_384)}
    assert found.half_length == 1810
    assert weights == pytest.approx({16: 0.9918, 16_384: 0.0994}, abs=1e-4)
    assert found.weight("log_n", 512) == pytest.approx(found.weight("vaswani", 512), abs=1e-12)
    assert found.weight("log_n", 2**20) > 0.8


@pytest.mark.parametrize("lengths", [(1, 16), (16, 2**20 + 1)])
def test_out_of_range_lengths_are_refused(lengths):
    with pytest.raises(ValueError, match="each of lengths must be between 2 and 1048576"):
        long_context.fading_weights(long_context.LongContextParams(), lengths)


# --- properties --------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", [2, 5, 8, 11, 14])
def test_half_length_is_near_its_prediction(score):
    found = long_context.fading_weights(long_context.LongContextParams(score), (2,))
    around = long_context.fading_weights(
        long_context.LongContextParams(score), (max(2, found.half_length - 1), found.half_length)
    ).weights[0]
    assert around[1] < 0.5 <= around[0]
    assert found.predicted_half == pytest.approx(math.exp(score - 0.5) + 1)
    assert abs(found.half_length - found.predicted_half) < 0.01 * found.predicted_half + 2


def test_weights_do_not_depend_on_d_k_after_division_by_its_root():
    one, other = (
        long_context.fading_weights(long_context.LongContextParams(3.0, d_k), (64, 4096)) for d_k in (4, 1024)
    )
    same = [name for name in long_context.RULES if name != "no_scale"]
    for name in same:
        i = one.names.index(name)
        assert np.array_equal(one.weights[i], other.weights[i])
    assert one.weight("no_scale", 4096) != pytest.approx(other.weight("no_scale", 4096), abs=1e-3)


def test_weight_at_one_length_does_not_depend_on_the_others(found):
    few = long_context.fading_weights(long_context.LongContextParams(), (16, 1000))
    assert few.weights[:, 0] == pytest.approx(found.weights[:, found.lengths.index(16)], abs=1e-13)


# --- oracles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("vaswani", {}),
        ("no_scale", {}),
        ("ssmax", {}),
        ("log_n", {"n_train": 64}),
        ("yarn", {"extension": 1000 / 64}),
    ],
)
def test_multipliers_agree_with_the_published_rules(name, options):
    rule, ones = SCALING_RULES[name], np.full((1, 1000), 10.0)  # raw scores at d_k = 100, which are 1 after ÷ √d_k
    given = {"d_k": 100} if "d_k" in rule.needs else {}
    here = long_context.LongContextParams(d_k=100, n_train=64).multipliers([1000])[
        list(long_context.RULES).index(name), 0
    ]
    assert here == pytest.approx(rule.apply(ones, **given, **options)[0, 0], rel=1e-14)


def test_softmax1_is_softmax_with_a_further_key_of_score_0():
    row = np.array([[2.0, 0.3, -1.0, 0.5]])
    with_sink = softmax(np.append(row, [[0.0]], axis=1))[0, 0]
    assert with_sink == pytest.approx(math.exp(2) / (1 + np.exp(row).sum()), rel=1e-14)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("score", [4.0, 8.0])
def test_drawn_rows_have_the_exact_means(score, seed):
    simulated = long_context.simulate_fading(long_context.LongContextParams(score, seed=seed))
    assert simulated.lengths == long_context.SIMULATED
    smooth = [simulated.names.index(name) for name in ("vaswani", "softmax1", "log_n")]
    z = (simulated.measured - simulated.predicted) / simulated.standard_error
    assert (np.abs(z[smooth]) < 4).all()
    assert (simulated.low[smooth] < simulated.predicted[smooth]).all()
    assert (simulated.predicted[smooth] < simulated.high[smooth]).all()


def test_key_at_the_crowd_score_weighs_as_much_as_all_others_together():
    sums = np.exp(np.random.default_rng(1).standard_normal((400, 4095))).sum(axis=1)
    assert within_four_errors(sums, math.exp(long_context.crowd_score(4096)))


def test_checked_claims_agree_with_softmax():
    claims = long_context.check_claims(long_context.LongContextParams())
    row = np.array([3.0] + [-2.0] * 15)
    assert claims.plain[0] == pytest.approx(softmax(row)[0], rel=1e-13)
    assert claims.ssmax[0] == pytest.approx(softmax(0.43 * math.log(16) * row)[0], rel=1e-13)
    assert claims.quiet[0] == pytest.approx(1 - softmax(np.array([-10.0] * 16 + [0.0]))[-1], rel=1e-9)
    assert claims.yarn_root == pytest.approx(1 + 0.1 * math.log(16))
    assert claims.quiet[1] > 0.97
    assert claims.ssmax[1] > 0.999 > 0.001 > claims.plain[1]
    assert 0.77 < claims.lowest < claims.highest < 0.83


def test_weight_without_the_scale_is_the_chance_to_score_highest():
    params = long_context.LongContextParams(4.0, 1024)
    claims = long_context.check_claims(params)
    others = np.random.default_rng(2).standard_normal((20_000, 15)).max(axis=1)
    share = (others < 4).mean()
    assert claims.first[0] == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 20_000) + 1e-9)
    assert long_context.fading_weights(params, (16,)).weight("no_scale", 16) == pytest.approx(claims.first[0], abs=1e-3)
    assert claims.first[1] < 1e-10
