import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from sattn_core.files.typed import format_mask, parse_mask
from sattn_core.layers.softmax import entropy_nats
from sattn_core.lessons.attention_steps import (
    PRESETS,
    STEP_NAMES,
    AttentionStepsParams,
    expand_cell,
    expand_output,
    measure_attention_steps,
    preset_params,
    typed_params,
)

NOTES = preset_params("notes")


def test_3_by_3_example_of_the_notes():
    result = measure_attention_steps(NOTES)
    raw = np.array([[8, 17, 14], [14, 29, 18], [43, 94, 98]])
    assert np.array_equal(result.scaled.raw_scores, raw)
    assert np.array_equal(result.unscaled.scaled_scores, raw)
    assert np.allclose(result.scaled.scaled_scores, raw / np.sqrt(2), rtol=1e-15, atol=0)
    assert result.score_limit == 98
    assert abs(result.raw_std - np.std(raw)) < 1e-13
    assert abs(result.scaled_std - np.std(raw) / np.sqrt(2)) < 1e-13
    assert np.array_equal(result.scaled.output, result.scaled.attention_weights)  # V is the identity
    assert (result.divisor, result.scale) == (np.sqrt(2), 2**-0.5)


def test_scaling_raises_the_effective_keys_of_every_row():
    result = measure_attention_steps(preset_params("random", d_k=64))
    assert (result.scaled_rows.effective_keys > result.unscaled_rows.effective_keys).all()
    assert (result.scaled_rows.max_weight < result.unscaled_rows.max_weight).all()
    entropies = entropy_nats(result.scaled.scaled_scores)
    assert np.allclose(result.scaled_rows.effective_keys, np.exp(entropies), rtol=1e-15)
    change = result.scaled.output - result.unscaled.output
    assert np.allclose(result.output_change, np.sqrt((change**2).sum(axis=1)), rtol=1e-13)


def test_colour_limits_cover_every_matrix_that_shares_them():
    result = measure_attention_steps(preset_params("random", d_k=3))
    assert np.abs(result.scaled.scaled_scores).max() <= result.score_limit
    assert result.value_limit == max(np.abs(a).max() for a in (result.params.V, result.scaled.output))


def test_colour_limit_of_drawn_scores_does_not_depend_on_d_k():
    limits = {measure_attention_steps(preset_params("causal", d_k=d_k)).score_limit for d_k in (1, 7, 64, 1024)}
    assert limits == {16.0}  # 2 √64: two standard deviations of the raw scores at d_k = 64
    assert measure_attention_steps(preset_params("same_input", d_k=64)).score_limit == pytest.approx(64, rel=1e-12)
    typed = typed_params("random", "1, 2; 3, 4", "5, 6; 7, 8", "1; 2")
    assert measure_attention_steps(typed).score_limit == 53
    assert [
        params.drawn
        for params in (
            typed,
            typed_params("random", V="1; 2; 3; 4", d_k=4),
            typed_params("random", mask="1110", d_k=4),
            typed_params("random", Q="1, 2", d_k=2),
            typed_params("random", K="1, 2; 3, 4; 5, 6; 7, 8", d_k=2),
        )
    ] == [False, True, True, False, False]


@pytest.mark.parametrize(("n_keys", "kept"), [(1, 1), (2, 1), (4, 3), (6, 5), (8, 6), (11, 9), (12, 9), (16, 12)])
def test_padding_forbids_the_last_quarter_of_the_keys(n_keys, kept):
    for row in preset_params("padding", n_queries=3, n_keys=n_keys).mask:
        assert row == (True,) * kept + (False,) * (n_keys - kept)


def test_fully_masked_row_is_named_and_has_no_distribution():
    result = measure_attention_steps(preset_params("fully_masked"))
    assert result.fully_masked_rows == (0,)
    assert np.isnan(result.scaled_rows.effective_keys[0])
    assert np.isnan(result.unscaled_rows.effective_keys[0])
    assert result.scaled_rows.max_weight[0] == 0
    assert result.scaled_rows.effective_keys[1] == 1
    assert np.array_equal(result.scaled.output[0], np.zeros(4))


def test_masks_of_the_presets_by_hand():
    assert preset_params("random").mask is None
    assert format_mask(preset_params("causal").mask) == "1000;1100;1110;1111"
    assert format_mask(preset_params("padding").mask) == "1110;1110;1110;1110"
    assert format_mask(preset_params("fully_masked").mask) == "0000;1000;1100;1110"
    assert format_mask(preset_params("padding", n_keys=1).mask) == "1;1;1;1"


@pytest.mark.parametrize("d_k", [1, 4, 64])
def test_same_input_has_root_d_k_on_the_diagonal_of_scaled_scores(d_k):
    result = measure_attention_steps(preset_params("same_input", d_k=d_k))
    assert result.same_input
    assert np.allclose(result.self_scores, np.sqrt(d_k), rtol=1e-13, atol=0)
    assert not measure_attention_steps(preset_params("random", d_k=d_k)).same_input


def test_larger_d_k_keeps_the_components_of_a_smaller_one():
    small, large = preset_params("random", d_k=5), preset_params("random", d_k=1024)
    assert np.array_equal(np.array(small.Q), np.array(large.Q)[:, :5])
    assert np.array_equal(np.array(small.K), np.array(large.K)[:, :5])
    assert small.V == large.V
    assert small.Q != preset_params("random", d_k=5, seed=1).Q
    assert small.Q != small.K


def test_random_numbers_have_two_decimals():
    numbers = np.array(preset_params("random", d_k=64).Q)
    assert np.array_equal(numbers, np.round(numbers, 2))


def test_expanded_score_cell_has_the_right_terms():
    cell = expand_cell(NOTES, 1, 2)
    assert cell.products.tolist() == [10.0, 8.0]
    assert (cell.raw_score, cell.divisor) == (18.0, np.sqrt(2))
    assert abs(cell.scaled_score - 18 / np.sqrt(2)) < 1e-13
    assert cell.allowed
    assert cell.unscaled.largest == 29
    assert np.allclose(cell.unscaled.exponentials, np.exp([-15, 0, -11]), rtol=1e-15)
    assert abs(cell.unscaled.row_sum - (1 + np.exp(-15) + np.exp(-11))) < 1e-13
    assert abs(cell.unscaled.weight - np.exp(-11) / (1 + np.exp(-15) + np.exp(-11))) < 1e-13
    assert cell.scaled.exponential == cell.scaled.exponentials[2]
    assert abs(cell.scaled.weights.sum() - 1) < 1e-13


def test_forbidden_cells_have_weight_0():
    params = preset_params("fully_masked")
    forbidden, empty = expand_cell(params, 1, 3), expand_cell(params, 0, 0)
    assert not forbidden.allowed
    assert forbidden.scaled.exponential == forbidden.scaled.weight == 0
    assert expand_cell(params, 1, 0).allowed
    assert empty.scaled.largest == -np.inf
    assert empty.scaled.row_sum == 0
    assert empty.scaled.weights.tolist() == [0, 0, 0, 0]


def test_expanded_output_cell_has_the_right_terms():
    params = AttentionStepsParams([[1]], [[4], [5]], [[10], [20]])
    cell = expand_output(params, 0, 0)
    assert cell.values.tolist() == [10, 20]
    assert np.allclose(cell.scaled_weights, [0.268941, 0.731059], rtol=0, atol=5e-7)
    assert abs(cell.scaled_output - 17.31059) < 5e-6
    assert abs(cell.unscaled_output - cell.unscaled_weights @ [10, 20]) < 1e-13


def test_cells_outside_the_matrix_are_refused():
    with pytest.raises(ValueError, match="query must be between 0 and 2, but got 3"):
        expand_cell(NOTES, 3, 0)
    with pytest.raises(ValueError, match="key must be between 0 and 2, but got -1"):
        expand_cell(NOTES, 0, -1)
    with pytest.raises(ValueError, match="column must be between 0 and 2, but got 3"):
        expand_output(NOTES, 0, 3)


@pytest.mark.parametrize(
    ("matrices", "error", "message"),
    [
        (([[1, 2]], [[1]], [[1]]), ValueError, "Q has 2 columns but K has 1: both need d_k columns"),
        (([[1]], [[1], [2]], [[1]]), ValueError, "K has 2 rows but V has 1: both need one row for each key"),
        (([[np.nan]], [[1]], [[1]]), ValueError, "Q has nan in row 1, column 1: numbers must lie between"),
        (([1], [[1]], [[1]]), TypeError, "Q must be rows of numbers"),
        (([[1]], [[1]], [[1]], [[1]]), TypeError, "mask must be rows of True and False, but got dtype int"),
        (([[1]], [[1]], [[1]], [[True, False]]), ValueError, "mask is 1 × 2 but the scores are 1 × 1"),
    ],
)
def test_bad_matrices_are_refused(matrices, error, message):
    with pytest.raises(error, match=message):
        AttentionStepsParams(*matrices)


def test_params_are_hashable_values_and_do_not_write_to_arguments():
    Q = np.ones((2, 2))
    params = AttentionStepsParams(Q, Q, Q, np.ones((2, 2), bool))
    assert hash(params) == hash(AttentionStepsParams([[1, 1], [1, 1]], Q, Q, [[True, True], [True, True]]))
    assert np.array_equal(Q, np.ones((2, 2)))


def test_bad_presets_are_refused():
    with pytest.raises(ValueError, match="preset must be one of random, causal"):
        preset_params("nothing")
    with pytest.raises(ValueError, match="d_k must be between 1 and 1024, but got 1025"):
        preset_params("random", d_k=1025)
    with pytest.raises(ValueError, match="n_keys must be between 1 and 16, but got 17"):
        preset_params("random", n_keys=17)


def test_steps_are_named_and_every_preset_can_be_measured():
    assert STEP_NAMES == ("scores", "scale", "mask", "softmax", "output")
    for preset in PRESETS:
        assert measure_attention_steps(preset_params(preset)).params == preset_params(preset)


@pytest.mark.parametrize("preset", PRESETS)
def test_blank_texts_give_the_preset(preset):
    assert typed_params(preset, d_k=5, seed=3) == preset_params(preset, d_k=5, seed=3)
    assert typed_params(preset, " ", "\n", "", " \n", d_k=5, seed=3) == preset_params(preset, d_k=5, seed=3)


def test_typed_matrices_replace_the_matrices_of_the_preset():
    typed = typed_params("notes", V="7; 8; 9")
    assert (typed.Q, typed.K, typed.V, typed.mask) == (NOTES.Q, NOTES.K, ((7.0,), (8.0,), (9.0,)), None)


def test_mask_of_a_preset_has_the_shape_of_the_typed_scores():
    assert typed_params("causal", "1; 2; 3", "1; 2", "1; 2").mask == ((True, False), (True, True), (True, True))
    assert typed_params("fully_masked", "1", "1", "1").mask == ((False,),)
    assert typed_params("padding", "1", "1; 2; 3", "1; 2; 3").mask == ((True, True, False),)


def test_typed_mask_replaces_the_mask_of_the_preset():
    assert typed_params("causal", "1; 2", "1; 2", "1; 2", "01").mask == ((False, True), (False, True))
    assert typed_params("notes", "1", "1; 2", "1; 2", "01").mask == ((False, True),)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"Q": "1, x"}, 'Q has "x" in row 1, column 2'),
        ({"Q": "1, 2, 3"}, "Q has 3 columns but K has 2"),
        ({"V": "1; 2"}, "K has 3 rows but V has 2"),
        ({"mask": "10"}, "mask is 3 × 2 but the scores are 3 × 3"),
    ],
)
def test_error_message_names_the_bad_typed_matrix(texts, message):
    with pytest.raises(ValueError, match=message):
        typed_params("notes", **texts)


def test_drawn_matrices_may_be_larger_than_typed_ones():
    assert len(preset_params("same_input", d_k=1024).V[0]) == 1024
    assert typed_params("causal", V="1; 2; 3; 4", d_k=512) == AttentionStepsParams(
        *(getattr(preset_params("causal", d_k=512), name) for name in ("Q", "K")),
        ((1.0,), (2.0,), (3.0,), (4.0,)),
        preset_params("causal").mask,
        drawn=True,
    )
    with pytest.raises(ValueError, match="Q has 65 columns: at most 64 are allowed"):
        typed_params("random", Q=",".join(["1"] * 65), d_k=65)
    with pytest.raises(ValueError, match="Q has 1,025 columns: at most 1,024 are allowed"):
        AttentionStepsParams([[1.0] * 1025], [[1.0] * 1025], [[1.0]])


# --- properties ----------------------------------------------------------------------------------------


PARAMS = st.builds(
    preset_params,
    st.sampled_from(PRESETS),
    n_queries=st.integers(1, 16),
    n_keys=st.integers(1, 16),
    d_k=st.integers(1, 1024),
    d_v=st.integers(1, 64),
    seed=st.integers(0, 2**32 - 1),
)


@given(PARAMS)
def test_mask_is_the_same_after_formatting_and_parsing(params):
    if params.mask is not None:
        assert parse_mask(format_mask(params.mask), len(params.Q), len(params.K)) == params.mask


@given(PARAMS, st.integers(0, 15), st.integers(0, 15), st.integers(0, 63))
def test_expanded_cells_agree_with_the_matrices(params, query, key, column):
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


# --- oracles -------------------------------------------------------------------------------------------


def test_weights_and_entropy_agree_with_scipy():
    result = measure_attention_steps(preset_params("random", n_queries=16, n_keys=16, d_k=64))
    for steps, rows in ((result.scaled, result.scaled_rows), (result.unscaled, result.unscaled_rows)):
        weights = special.softmax(steps.scaled_scores, axis=1)
        # SciPy also subtracts the maximum; both round each exponential once.
        assert np.allclose(steps.attention_weights, weights, rtol=1e-13, atol=1e-300)
        assert np.allclose(np.log(rows.effective_keys), special.entr(weights).sum(axis=1), rtol=1e-9, atol=1e-13)
