import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.components import COMPONENT_LAWS
from sattn_core.initialisation import INIT_SCHEMES
from sattn_core.lessons.unit_variance import (
    UnitVarianceParams,
    expected_stages,
    measure_shared_input,
    measure_unit_variance,
)


@st.composite
def params(draw):
    n_heads = draw(st.integers(1, 4))
    return UnitVarianceParams(
        d_model=n_heads * draw(st.integers(2, 8)),
        n_heads=n_heads,
        n_tokens=draw(st.integers(2, 8)),
        law=draw(st.sampled_from(sorted(COMPONENT_LAWS))),
        x_mean=draw(st.floats(-1e3, 1e3)),
        x_std=draw(st.floats(0.01, 1e3)),
        normalise=draw(st.booleans()),
        scheme=draw(st.sampled_from(INIT_SCHEMES)),
        bias=draw(st.booleans()),
        seed=draw(st.integers(0, 2**32)),
    )


@settings(deadline=None, max_examples=60)
@given(params())
def test_every_stage_is_whole(params):
    result = measure_unit_variance(params)
    for stage in result.stages:
        assert stage.counts.sum() + stage.outside == math.prod(stage.shape)
        assert stage.low <= stage.predicted_std <= stage.high
        assert math.isfinite(stage.std)
    raw, scaled = result.stages[-2:]
    assert math.isclose(scaled.std * math.sqrt(params.d_k), raw.std, rel_tol=1e-12)
    assert sum(row.chosen for row in result.schemes) == 1


@settings(deadline=None, max_examples=40)
@given(params())
def test_sharing_keeps_its_bounds(params):
    for row in measure_shared_input(params):
        assert 0 <= row.self_weight <= 1 + 1e-12
        assert np.isfinite(row.scores).all()
        assert math.isfinite(row.predicted_off_diagonal_std)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 1024), st.integers(1, 64), st.floats(-1e3, 1e3), st.floats(0.01, 1e3), st.booleans())
def test_the_division_takes_the_root_of_d_k_and_scores_have_the_variance_of_q_times_that_of_k(
    d_k, n_heads, x_mean, x_std, normalise
):
    sweep = expected_stages((d_k,), n_heads=n_heads, x_mean=x_mean, x_std=x_std, normalise=normalise)
    *_, q, k, raw, scaled = sweep.std[:, 0].T
    assert 2 <= d_k * sweep.n_heads[0] <= 2048
    np.testing.assert_allclose(raw, math.sqrt(d_k) * scaled, rtol=1e-12)
    np.testing.assert_allclose(scaled, q * k, rtol=1e-12)
