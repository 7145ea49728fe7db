import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sattn_core.bands import matrix_bands, matrix_variance
from sattn_core.laws.components import COMPONENT_LAWS
from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance
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


@pytest.fixture(autouse=True, scope="module")
def _few_simulated_matrices():
    """Simulate few matrices: no test here checks the coverage of a band."""
    sizes = [(matrix_bands, "_MATRICES", (200, 400)), (matrix_variance, "_SIMULATED_MATRICES", 10_000)]
    with fewer(sizes, forgotten=(matrix_bands._simulated_band, matrix_variance._simulated_quantiles)):
        yield


@given(st.one_of(pair_params, matrix_params))
def test_any_params_are_measured_without_a_warning(params):
    result = measure_score_variance(params)
    assert result.counts.sum() + result.below + result.above == result.n_scores == math.prod(params.shape)
    np.testing.assert_allclose(result.scaled_edges, result.raw_edges * result.scale, rtol=1e-12)
    for raw, scaled, power in zip(result.rows[:3], result.rows[3:], (1, 2, 0), strict=True):
        assert raw.inside == scaled.inside or abs(raw.measured - scaled.measured) < 1e-9
        np.testing.assert_allclose(scaled.predicted, raw.predicted * result.scale**power, rtol=1e-12)
        np.testing.assert_allclose(scaled.measured, raw.measured * result.scale**power, rtol=1e-8, atol=1e-9)
        assert (raw.inside is None) == (not math.isfinite(raw.z))
