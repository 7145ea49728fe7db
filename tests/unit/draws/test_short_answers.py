"""Measurements of `short_answers` compared with theory."""

import math

import numpy as np
import pytest

from sattn_core.draws.short_answers import D_K, _linear_weights, _rms_norm, _tiled_softmax, _turned, short_answers
from sattn_core.layers.softmax import softmax


@pytest.fixture(scope="module")
def found():
    return short_answers()


def test_attention_variants_keep_the_spread_at_1(found):
    spreads = [found.plain, found.causal, found.rotary, found.grouped, found.normed]
    assert spreads == pytest.approx([1] * 5, abs=0.1)  # 4 standard errors: scores of one query share its length
    assert len({round(each, 9) for each in spreads}) == 5


def test_rotation_keeps_lengths_and_products_depend_on_distance_only(found):
    x = np.random.default_rng(0).standard_normal((5, 8))
    turned = _turned(x, np.arange(5))
    assert np.linalg.norm(turned, axis=1) == pytest.approx(np.linalg.norm(x, axis=1))
    assert turned[0] == pytest.approx(x[0])
    both = _turned(x[:2], np.array([7, 7]))
    assert both[0] @ both[1] == pytest.approx(x[0] @ x[1])
    near, far = (_turned(x[:2], np.array([3 + i, 5 + i])) for i in (0, 40))  # distance 2 in both
    assert near[0] @ near[1] == pytest.approx(far[0] @ far[1])
    quarter = _turned(np.array([[1.0, 0.0]]), np.array([2]))
    assert quarter[0] == pytest.approx([math.cos(2), math.sin(2)])


def test_scores_of_normed_q_and_k_are_at_most_root_d_k(found):
    normed = _rms_norm(np.random.default_rng(0).standard_normal((6, D_K)))
    assert (normed @ normed.T).diagonal() / math.sqrt(D_K) == pytest.approx(math.sqrt(D_K))
    assert found.bound == 8


def test_tiled_softmax_equals_softmax_for_any_order_of_scores(found):
    for row in ([-50.0, *range(40), 700.0], [700.0, *range(40), -50.0], [0.0] * 42):
        assert _tiled_softmax(np.array([row])) == pytest.approx(softmax(np.array([row])), rel=1e-13)
    assert 0 <= found.tiled < 1e-15


def test_linear_attention_ignores_the_size_of_the_queries(found):
    weights = _linear_weights(np.array([[1.0, -2.0]]), np.array([[1.0, 5.0], [3.0, 5.0], [-1.0, 0.0]]))
    assert weights.tolist() == [[0.25, 0.75, 0.0]]
    assert found.linear < 1e-15


def test_scale_with_the_latent_size_makes_the_spread_1_over_root_3(found):
    assert found.latent == pytest.approx(1 / math.sqrt(3))


def test_weight_of_a_sink_at_score_0_agrees_with_draws(found):
    x = np.random.default_rng(3).standard_normal((20_000, 16))
    weights = 1 / (1 + np.exp(x).sum(axis=1))
    assert abs(weights.mean() - found.sink[0]) < 4 * weights.std(ddof=1) / math.sqrt(20_000)
    assert 0 < found.sink[1] < 1e-6


def test_another_seed_gives_another_draw(found):
    assert short_answers(1).plain != found.plain
    with pytest.raises(ValueError, match="seed must be at least 0"):
        short_answers(-1)
