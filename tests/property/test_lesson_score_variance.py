import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core import matrix_bands, score_variance
from sattn_core.components import COMPONENT_LAWS
from sattn_core.lessons.score_variance import (
    ScoreVarianceParams,
    hand_made_example,
    measure_score_variance,
    random_walks,
)
from tests.simulations import fewer

laws = st.sampled_from(tuple(COMPONENT_LAWS))
seeds = st.integers(0, 2**40)
means = st.sampled_from([0.0, 0.5, -2.0])
correlations = st.sampled_from([0.0, 0.3, -1.0, 1.0])
pair_params = st.builds(
    ScoreVarianceParams, st.integers(1, 80), st.integers(4, 60), laws, means, means, correlations, seed=seeds
)
matrix_params = st.builds(
    ScoreVarianceParams,
    d_k=st.integers(1, 80), law=laws, mean_q=means, mean_k=means, sampling=st.just("matrix"),
    n_queries=st.integers(2, 9), n_keys=st.integers(2, 9), seed=seeds,
)  # fmt: skip
numbers = st.floats(-1e6, 1e6)
vectors = st.integers(1, 8).map(lambda length: st.lists(numbers, min_size=length, max_size=length))
tables = vectors.flatmap(lambda vector: st.lists(vector, min_size=1, max_size=16))


@pytest.fixture(autouse=True, scope="module")
def _few_simulated_matrices():
    """No test here looks at how well a band covers."""
    sizes = [(matrix_bands, "_MATRICES", (200, 400)), (score_variance, "_SIMULATED_MATRICES", 10_000)]
    with fewer(sizes, forgotten=(matrix_bands._simulated_band, score_variance._simulated_quantiles)):
        yield


@given(st.one_of(pair_params, matrix_params))
def test_every_choice_is_measured_without_a_warning(params):
    result = measure_score_variance(params)
    assert result.counts.sum() + result.below + result.above == result.n_scores == math.prod(params.shape)
    np.testing.assert_allclose(result.scaled_edges, result.raw_edges * result.scale, rtol=1e-12)
    for raw, scaled, power in zip(result.rows[:3], result.rows[3:], (1, 2, 0), strict=True):
        assert raw.inside == scaled.inside or abs(raw.measured - scaled.measured) < 1e-9
        np.testing.assert_allclose(scaled.predicted, raw.predicted * result.scale**power, rtol=1e-12)
        np.testing.assert_allclose(scaled.measured, raw.measured * result.scale**power, rtol=1e-8, atol=1e-9)
        assert (raw.inside is None) == (not math.isfinite(raw.z))


@settings(max_examples=40)
@given(tables)
def test_a_vector_with_itself_gives_its_squared_length(rows):
    example = hand_made_example(rows, rows)
    np.testing.assert_allclose(example.dots, np.linalg.norm(rows, axis=1) ** 2, rtol=1e-12, atol=1e-300)
    assert example.variance >= 0


@settings(max_examples=40)
@given(st.integers(1, 200), st.integers(1, 60), st.integers(2, 80), laws, means, means, correlations, seeds)
def test_thinned_walks_keep_to_their_walks(d_k, more, most, law, mean_q, mean_k, correlation, seed):
    draw = {"law": law, "mean_q": mean_q, "mean_k": mean_k, "correlation": correlation, "seed": seed}
    walks = random_walks(d_k + more, n_walks=2, **draw)
    some = walks.thinned(d_k, most)
    assert len(some.steps) <= most
    assert (np.diff(some.steps) > 0).all()
    assert (some.steps[0], some.steps[-1]) == (0, d_k)
    np.testing.assert_array_equal(some.walks, walks.walks[:, some.steps])


@settings(max_examples=30)
@given(means, means, correlations)
def test_the_shared_axis_holds_the_mean_at_every_dimension_and_does_not_move(mean_q, mean_k, correlation):
    spans = set()
    for d_k in (1, 64, 1024):
        result = measure_score_variance(ScoreVarianceParams(d_k, 4, "normal", mean_q, mean_k, correlation))
        spans.add(result.shared_span)
        assert result.shared_span[0] <= min(result.theory.mean, -112)
        assert result.shared_span[1] >= max(result.theory.mean, 112)
    assert len(spans) == 1
