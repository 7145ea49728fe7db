import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.lessons.attention_steps import (
    PRESETS,
    expand_cell,
    expand_output,
    measure_attention_steps,
    preset_params,
)
from sattn_core.typed import format_mask, parse_mask

PARAMS = st.builds(
    preset_params,
    st.sampled_from(PRESETS),
    n_queries=st.integers(1, 16),
    n_keys=st.integers(1, 16),
    d_k=st.integers(1, 1024),
    d_v=st.integers(1, 64),
    seed=st.integers(0, 2**32 - 1),
)


@settings(deadline=None, max_examples=60)
@given(PARAMS)
def test_a_mask_survives_the_link(params):
    if params.mask is not None:
        assert parse_mask(format_mask(params.mask), len(params.Q), len(params.K)) == params.mask


@settings(deadline=None, max_examples=60)
@given(PARAMS, st.integers(0, 15), st.integers(0, 15), st.integers(0, 63))
def test_written_out_cells_agree_with_the_matrices(params, query, key, column):
    query, key, column = query % len(params.Q), key % len(params.K), column % len(params.V[0])
    result = measure_attention_steps(params)
    cell, output = expand_cell(params, query, key), expand_output(params, query, column)
    assert abs(cell.products.sum() - cell.raw_score) < 1e-12 * (1 + np.abs(cell.products).sum())
    assert abs(cell.raw_score / cell.divisor - cell.scaled_score) < 1e-12 * (1 + abs(cell.scaled_score))
    for terms, steps in ((cell.scaled, result.scaled), (cell.unscaled, result.unscaled)):
        assert terms.weight == steps.attention_weights[query, key]
        assert abs(terms.exponential - terms.weight * terms.row_sum) < 1e-12
    assert abs(output.scaled_weights @ output.values - result.scaled.output[query, column]) < 1e-10
    assert abs(output.unscaled_weights @ output.values - result.unscaled.output[query, column]) < 1e-10
