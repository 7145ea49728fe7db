import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.components import COMPONENT_LAWS
from sattn_core.lessons.score_variance import (
    ScoreVarianceParams,
    hand_made_example,
    measure_score_variance,
    random_walks,
    score_moments,
    two_way_error,
    variance_curve,
)

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


@settings(deadline=None, max_examples=60)
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


@settings(deadline=None, max_examples=40)
@given(laws, st.integers(1, 40), means, means, st.floats(-0.9, 0.9))
def test_score_moments_obey_the_inequalities_of_moments(law, d_k, mean_q, mean_k, correlation):
    if not np.isfinite(COMPONENT_LAWS[law].moments).all():
        return
    moments = score_moments(ScoreVarianceParams(d_k, 4, law, mean_q, mean_k, correlation))
    np.testing.assert_allclose(moments[:3], [1, 0, 1], atol=1e-9)
    assert moments[4] >= 1 + moments[3] ** 2 - 1e-6  # Pearson's inequality
    assert moments[6] >= moments[4] ** 2 * (1 - 1e-6)
    assert moments[8] * moments[4] >= moments[6] ** 2 * (1 - 1e-6)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 8), st.integers(2, 8), seeds, st.floats(0.1, 10), st.floats(-10, 10))
def test_two_way_error_ignores_order_and_shift_and_follows_the_scale(m, n, seed, factor, shift):
    rng = np.random.default_rng(seed)
    influence = rng.standard_normal((m, n))
    error = two_way_error(influence)
    mixed = factor * influence[rng.permutation(m)][:, rng.permutation(n)] + shift
    np.testing.assert_allclose(two_way_error(mixed), factor * error, rtol=1e-9)
    np.testing.assert_allclose(two_way_error(influence.T), error, rtol=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.sets(st.integers(1, 60), min_size=1, max_size=4), laws, means, correlations, seeds)
def test_variance_curve_keeps_its_theory_inside_its_band(dims, law, mean_q, correlation, seed):
    options = {"n_samples": 20, "law": law, "mean_q": mean_q, "correlation": correlation, "seed": seed}
    curve = variance_curve(sorted(dims), **options)
    assert ((curve.low <= curve.theory) & (curve.theory <= curve.high)).all()
    np.testing.assert_array_equal(curve.measured, variance_curve(sorted(dims), **options).measured)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 50), st.integers(1, 50), laws, means, correlations, seeds)
def test_shorter_walks_are_the_beginning_of_longer_ones(first, second, law, mean_k, correlation, seed):
    short, long = (
        random_walks(d_k, law=law, mean_k=mean_k, correlation=correlation, seed=seed) for d_k in sorted((first, second))
    )
    np.testing.assert_array_equal(long.walks[:, : short.walks.shape[1]], short.walks)


@settings(deadline=None, max_examples=40)
@given(tables)
def test_a_vector_with_itself_gives_its_squared_length(rows):
    example = hand_made_example(rows, rows)
    np.testing.assert_allclose(example.dots, np.linalg.norm(rows, axis=1) ** 2, rtol=1e-12, atol=1e-300)
    assert example.variance >= 0
