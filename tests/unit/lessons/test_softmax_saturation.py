"""The softmax lesson: lists by hand, error messages, drawn rows and outputs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from sattn_core.laws.components import COMPONENT_LAWS, block_generator
from sattn_core.laws.saturation import expected_attention, expected_softmax
from sattn_core.layers.softmax import softmax_jacobian
from sattn_core.lessons.softmax_saturation import (
    D_V,
    OutputsParams,
    RowsParams,
    compare_lists,
    expected_largest,
    expected_own_share,
    measure_outputs,
    measure_rows,
    nudge_lists,
    overflow_study,
    sharper,
)


def test_two_lists_of_the_lesson_by_hand():
    found = compare_lists([[4, 5], [1, 10]])
    np.testing.assert_allclose(found.attention_weights[0], [0.268941, 0.731059], atol=5e-7)
    np.testing.assert_allclose(found.attention_weights[1], [1.23395e-4, 0.999877], atol=5e-7)
    np.testing.assert_array_equal(found.gap, [1.0, 9.0])
    np.testing.assert_allclose(found.max_weight, [0.731059, 0.999877], atol=5e-7)
    np.testing.assert_allclose(found.jacobian_norm, [0.393224, 2.46759e-4], rtol=2e-6)
    np.testing.assert_allclose(found.log10_jacobian_norm, np.log10(found.jacobian_norm), rtol=1e-13)
    np.testing.assert_allclose(found.effective_keys, np.exp(found.entropy_nats), rtol=1e-15)
    assert 10**found.log10_jacobian_norm_ratio == pytest.approx(1593.56, abs=0.005)


def test_a_shift_moves_the_scores_and_nothing_else():
    plain, shifted = compare_lists([[4, 5], [1, 10]]), compare_lists([[4, 5], [1, 10]], shift=100.0)
    np.testing.assert_array_equal(shifted.scores[0], [104.0, 105.0])
    np.testing.assert_array_equal(shifted.attention_weights[1], plain.attention_weights[1])
    np.testing.assert_array_equal(shifted.entropy_nats, plain.entropy_nats)


def test_the_multiplier_multiplies_the_gap():
    found = compare_lists([[0, 3, 1], [2, 2]], multiplier=0.5)
    np.testing.assert_array_equal(found.scores[0], [0.0, 1.5, 0.5])
    np.testing.assert_array_equal(found.gap, [1.0, 0.0])
    both = compare_lists([[0, 3], [2, 2]], multiplier=0.5, shift=4.0)
    np.testing.assert_array_equal(both.scores[0], [4.0, 5.5])
    np.testing.assert_allclose(compare_lists([[1, 2], [3, 9]], multiplier=0.0).max_weight, [0.5, 0.5])


def test_nudge_moves_more_weight_where_softmax_is_not_saturated():
    found = nudge_lists([[4, 5], [1, 10]], 1)
    np.testing.assert_array_equal(found.after.scores, [[5.0, 5.0], [2.0, 10.0]])
    logistic = 1 / (1 + np.exp([[1.0, 9.0], [0.0, 8.0]]))  # logistic function of the gaps before and after
    np.testing.assert_allclose(found.moved, logistic[1] - logistic[0], rtol=1e-12)
    np.testing.assert_allclose(found.moved, [0.231059, 2.11956e-4], rtol=3e-6)
    assert found.smallest == (0, 0)


def test_small_nudge_moves_weight_as_the_jacobian_predicts():
    lists, added = [[4, 5], [3, 1, 1, 10], [7, 7]], 1e-6
    found = nudge_lists(lists, added)
    slopes = [softmax_jacobian(scores)[i, i] for scores, i in zip(lists, (0, 1, 0), strict=True)]
    np.testing.assert_allclose(found.moved, added * np.array(slopes), rtol=1e-5)  # up to a term in added²


def test_gradient_of_a_nudge_is_the_slope_of_its_weight():
    lists = ([4, 5], [1, 10], [30, 30, -2.5], [0, 0])
    found = nudge_lists(lists, 0.5)
    exact = [softmax_jacobian(each)[i, i] for each, i in zip(lists, found.smallest, strict=True)]
    np.testing.assert_allclose(found.gradient, exact, rtol=1e-12)
    assert found.gradient[0] == pytest.approx(0.19661193324148185, rel=1e-14)  # mpmath: 1 / (e^½ + e^−½)²


def test_nudge_works_at_the_largest_scores_that_may_be_typed():
    found = nudge_lists([[1e6, 1e6], [-1e6, 1e6]], 6)
    np.testing.assert_allclose(found.moved, [1 / (1 + np.exp(-6)) - 0.5, 0.0])
    with pytest.raises(ValueError, match=r"added must be a finite number in \[0, 1e\+06\], but got -1"):
        nudge_lists([[1, 2], [3, 4]], -1)


def test_ratio_of_norms_is_exact_where_norms_underflow():
    found = compare_lists([[0, 1000], [0, 1001]])
    np.testing.assert_array_equal(found.jacobian_norm, [0.0, 0.0])
    assert found.log10_jacobian_norm_ratio == pytest.approx(math.log10(math.e), rel=1e-12)
    beyond = compare_lists([[0, 0], [0, 1e6]])
    assert beyond.log10_jacobian_norm_ratio == pytest.approx((1e6 + math.log(0.25)) / math.log(10), rel=1e-12)
    np.testing.assert_allclose(found.log10_jacobian_norm * math.log(10), np.log(2) - [1000, 1001], rtol=1e-14)


@pytest.mark.parametrize(
    ("lists", "keywords", "error", "message"),
    [
        ([[1, 2]], {}, ValueError, "lists must hold 2 to 4 lists, but got 1"),
        ([[1, 2]] * 5, {}, ValueError, "lists must hold 2 to 4 lists, but got 5"),
        ("12", {}, TypeError, "lists must be a sequence of lists of numbers, but got str"),
        (3, {}, TypeError, "lists must be a sequence"),
        ([[1, 2], [3]], {}, ValueError, "list 2 must hold 2 to 64 numbers, but got 1"),
        ([[0] * 65, [1, 2]], {}, ValueError, "list 1 must hold 2 to 64 numbers, but got 65"),
        ([[1, 2], [3, -2e6]], {}, ValueError, r"list 2 must lie between -1,000,000 and 1,000,000, but got -2e\+06"),
        ([[1, 2], [3, math.nan]], {}, ValueError, "list 2 must hold finite numbers only, but got nan"),
        ([[1, 2], ["a", "b"]], {}, TypeError, "list 2 must hold real numbers"),
        ([[1, 2], [3, 4]], {"multiplier": math.inf}, ValueError, "multiplier must be a finite number"),
        ([[1, 2], [3, 4]], {"shift": 2e6}, ValueError, "shift must be a finite number in .* got 2000000.0"),
    ],
)
def test_bad_lists_are_refused(lists, keywords, error, message):
    with pytest.raises(error, match=message):
        compare_lists(lists, **keywords)


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        ([4, 5], [104, 105], "neither"),
        ([4, 5], [1, 10], "second"),
        ([1, 10], [4, 5], "first"),
        ([0.1, 0.2], [1000.1, 1000.2], "neither"),  # equal up to rounding
        ([5, 4], [4, 5], "neither"),
        ([0, 0], [0, 0, 0], "first"),  # ln 2 < ln 3
        ([0, 1000], [0, 1001], "second"),  # both entropies are less than the smallest float
        ([0, 1000], [7, 1007], "neither"),
        ([0, 1000], [0, 5], "first"),
    ],
)
def test_the_sharper_list_has_less_entropy(first, second, answer):
    assert sharper(first, second) == answer


def test_error_message_names_a_list_that_is_too_short():
    with pytest.raises(ValueError, match="list 2 must hold 2 to 64 numbers, but got 1"):
        sharper([1, 2], [3])


def test_rows_follow_their_documented_draw():
    # One query per batch: components of the query and of its three keys are drawn octave by octave.
    rows = measure_rows(RowsParams(3, (1, 3, 8), n_rows=20, seed=5))
    assert (rows.dims, rows.scores.shape) == ((1, 3, 8), (3, 20, 1, 3))
    for batch in (0, 19):
        rng = block_generator(5, 2, batch)
        parts = np.concatenate([rng.standard_normal((size, 1 + 3)) for size in (1, 1, 2, 4)])
        for i, d_k in enumerate(rows.dims):
            raw = parts[:d_k, 0] @ parts[:d_k, 1:]
            np.testing.assert_allclose(rows.scores[i, batch, 0], sorted(raw, reverse=True), rtol=1e-13)
    within = np.var(rows.scores, axis=-1, ddof=1).mean(axis=(1, 2))
    np.testing.assert_allclose(rows.spread, np.sqrt(within), rtol=1e-14)


def test_divided_rows_agree_with_scipys_softmax():
    rows = measure_rows(RowsParams(6, (4, 100, 256), "uniform", 60, 2))
    for exponent in (0.0, 0.3, 0.5, 1.0):
        found = rows.divided(exponent)
        for i, d_k in enumerate(rows.dims):
            weights = special.softmax(rows.scores[i] / d_k**exponent, axis=-1)
            np.testing.assert_allclose(found.weights[i], weights.mean(axis=(0, 1)), rtol=1e-12)
            means = weights.max(axis=-1).mean(axis=-1)  # one mean for each batch
            assert found.max_weight[i] == pytest.approx(means.mean(), rel=1e-12)
            assert found.standard_error[i] == pytest.approx(means.std(ddof=1) / math.sqrt(20), rel=1e-12)
            assert found.spread[i] == pytest.approx(rows.spread[i] / d_k**exponent, rel=1e-14)
            assert found.spread_theory[i] == pytest.approx(d_k ** (0.5 - exponent), rel=1e-14)
        np.testing.assert_allclose(found.weights.sum(axis=-1), 1, rtol=1e-12)
        assert (np.diff(found.weights) <= 0).all()
        assert found.ratio == pytest.approx(max(found.spread) / min(found.spread), rel=1e-15)


@pytest.mark.parametrize(("exponent", "alike"), [(0.45, False), (0.47, True), (0.5, True), (0.53, True), (0.55, False)])
def test_rows_are_alike_up_to_a_spread_ratio_of_1_25(exponent, alike):
    # If spreads are √d_k, their ratio between d_k = 4 and 1,024 is 256^|1/2 − exponent|, and 256^0.0402 = 1.25.
    rows = replace(measure_rows(RowsParams(2, (4, 64, 1024), n_rows=20)), spread=np.array([2.0, 8.0, 32.0]))
    divided = rows.divided(exponent)
    assert divided.ratio == pytest.approx(256 ** abs(0.5 - exponent), rel=1e-12)
    assert divided.alike == alike


@pytest.mark.parametrize("n_keys", [2, 4, 16, 64, 512])
def test_rows_look_alike_at_exponent_one_half_but_not_at_0_or_1(n_keys):
    for seed in range(10):
        rows = measure_rows(RowsParams(n_keys, (4, 64, 1024), n_rows=640, seed=seed))
        assert [rows.divided(exponent).ratio > 5 for exponent in (0.0, 0.5, 1.0)] == [True, False, True]
        assert n_keys == 2 or rows.divided(0.5).alike  # with 2 keys, 20 pairs are too few


def test_expected_largest_weight_agrees_with_expected_attention():
    found = expected_largest(16, (4, 64, 1024), 0.3)
    for weight, d_k in zip(found, (4, 64, 1024), strict=True):
        assert weight == pytest.approx(expected_attention(16, d_k, d_k**-0.3).max_weight, rel=1e-12)
    # A query of 1,024 components has a length near √1,024, so its scores are nearly independent normals.
    assert found[-1] == pytest.approx(expected_softmax(16, 1024**0.2).max_weight, abs=1e-3)


@pytest.mark.parametrize("exponent", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_largest_weights_and_spreads_agree_with_theory(exponent):
    dims = (1, 4, 100, 1024)
    rows = measure_rows(RowsParams(16, dims, seed=1))
    divided, expected = rows.divided(exponent), expected_largest(16, dims, exponent)
    assert (np.abs(divided.max_weight - expected) <= 4 * divided.standard_error).all()
    low, high = divided.band(expected)
    half_width = stats.t.ppf(0.975, 19) * divided.standard_error
    np.testing.assert_allclose([low, high], [expected - half_width, expected + half_width], rtol=1e-9)
    variances = rows.scores.var(axis=-1, ddof=1).mean(axis=-1)  # one variance for each batch
    error = variances.std(axis=-1, ddof=1) / math.sqrt(20)
    assert (np.abs(variances.mean(axis=-1) - dims) <= 4 * error).all()


def test_rows_of_many_keys_have_fewer_batches():
    drawn = [(n_keys, RowsParams(n_keys, (4,)).n_batches) for n_keys in (2, 32, 64, 160, 512, 4096)]
    assert drawn == [(2, 20), (32, 20), (64, 10), (160, 4), (512, 4), (4096, 4)]


def test_measured_outputs_by_hand():
    params = OutputsParams(3, (4,), n_rows=40, seed=5)
    outputs = measure_outputs(params)
    assert (outputs.d_k, outputs.scores.shape, outputs.values.shape) == (4, (20, 2, 3), (20, 3, D_V))
    rows = measure_rows(RowsParams(3, (4,), n_rows=40, seed=5))
    np.testing.assert_array_equal(-np.sort(-outputs.scores, axis=-1), rows.scores[0])
    for exponent in (0.0, 0.3, 1.0):
        found = outputs.divided(exponent)
        weights = special.softmax(outputs.scores / 4**exponent, axis=-1)
        every = weights @ outputs.values
        np.testing.assert_allclose(found.output, every[0], rtol=1e-12)
        np.testing.assert_array_equal(found.values, outputs.values[0])
        means = every.mean(axis=1)
        shares = 1 - (means**2).sum(axis=-1) / (every**2).sum(axis=-1).mean(axis=-1)
        assert found.own_share == pytest.approx(shares.mean(), rel=1e-12)
        assert found.standard_error == pytest.approx(shares.std(ddof=1) / math.sqrt(20), rel=1e-11)
        assert found.max_weight == pytest.approx(weights.max(axis=-1).mean(), rel=1e-12)
        assert found.limit == pytest.approx(1 - math.exp(-(4 ** (1 - 2 * exponent))), rel=1e-12)


def test_values_are_normal_and_independent_of_other_draws():
    values = measure_outputs(OutputsParams(16, (1,), seed=3)).values
    assert abs(values.mean()) <= 4 / math.sqrt(values.size)
    assert abs(values.var() - 1) <= 4 * math.sqrt(2 / values.size)
    assert len({*values[:, 0, 0].tolist()}) == len(values)
    assert not np.isin(values, measure_outputs(OutputsParams(16, (1,), seed=4)).values).any()


@pytest.mark.parametrize("seed", range(5))
def test_own_share_falls_with_d_k_only_after_division_by_d_k(seed):
    found = [measure_outputs(OutputsParams(16, (d_k,), seed=seed)) for d_k in (4, 16, 64, 256, 1024)]
    raw, scaled, flat = ([each.divided(exponent).own_share for each in found] for exponent in (0.0, 0.5, 1.0))
    assert (np.diff(flat) < 0).all()
    assert flat[-1] < 0.002
    assert all(0.42 < each < 0.62 for each in scaled)  # about half
    assert raw[0] > 0.6
    assert min(raw[2:]) > 0.87


@pytest.mark.parametrize("exponent", [0.0, 0.25, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("d_k", [256, 1024])
def test_own_share_at_large_d_k_agrees_with_independent_scores(d_k, exponent):
    found = measure_outputs(OutputsParams(16, (d_k,), seed=6)).divided(exponent)
    assert abs(found.own_share - expected_own_share(64, 16, d_k, exponent)) <= 4 * found.standard_error


def test_own_share_at_small_d_k_is_less_than_with_independent_scores():
    found = measure_outputs(OutputsParams(64, (4,), seed=1)).divided(0.0)
    assert expected_own_share(64, 64, 4, 0.0) == pytest.approx(0.8835, abs=5e-4)
    assert found.own_share < 0.8835 - 4 * found.standard_error
    assert found.limit == pytest.approx(0.982, abs=5e-4)  # 1 − e^−4, the limit of many keys and dimensions


def test_own_share_is_nearly_0_for_nearly_equal_weights():
    # Scores divided by d_k = 4,096 have a spread of 1/64; exactly equal weights would give a share of 0.
    assert expected_own_share(64, 16, 4096, 1.0) == pytest.approx(4096**-1 * (1 - 1 / 16) * (1 - 1 / 64), rel=0.01)


def test_naive_softmax_fails_where_exp_overflows():
    study = overflow_study()
    assert [curve.dtype for curve in study.curves] == ["float16", "float32", "float64"]
    limits = [curve.largest_exponent for curve in study.curves]
    np.testing.assert_allclose(limits, [11.089866, 88.722839, 709.782713], atol=1e-6)
    for curve, dtype in zip(study.curves, (np.float16, np.float32, np.float64), strict=True):
        fails = study.scores >= curve.first_failing_score
        np.testing.assert_array_equal(np.isnan(curve.naive_weight), fails)
        assert 0 < fails.sum() < fails.size
        assert np.nextafter(dtype(curve.last_finite_score), dtype(np.inf)) == curve.first_failing_score
        # exp rounds to the nearest number, so its limit lies within one spacing of ln(largest number)
        spacing = curve.first_failing_score - curve.last_finite_score
        assert abs(curve.first_failing_score - curve.largest_exponent) <= spacing


def test_stable_softmax_is_right_everywhere():
    study = overflow_study()
    exact = 1 / (1 + np.exp(-study.scores))
    assert (study.scores[0], study.scores[-1]) == (1.0, 2000.0)
    for curve in study.curves:
        assert curve.stable_is_finite
        assert curve.stable_largest_error <= curve.machine_epsilon
        np.testing.assert_allclose(curve.stable_weight, exact, atol=curve.machine_epsilon)
        finite = ~np.isnan(curve.naive_weight)
        # exp, sum and quotient each round once
        error = np.abs(curve.naive_weight - exact)[finite]
        assert error.max() <= 2 * curve.machine_epsilon


# --- properties --------------------------------------------------------------------------------------


NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=64)


@given(st.lists(NUMBERS, min_size=2, max_size=4), st.floats(-100, 100), st.floats(-1e6, 1e6))
def test_any_lists_give_weights_and_finite_summaries(lists, multiplier, shift):
    found = compare_lists(lists, multiplier=multiplier, shift=shift)
    for weights, numbers in zip(found.attention_weights, lists, strict=True):
        assert math.isclose(weights.sum(), 1.0, rel_tol=1e-12)
        assert weights.size == len(numbers)
    assert (found.gap >= 0).all()
    assert np.isfinite(found.log10_jacobian_norm).all()
    assert (found.jacobian_norm <= math.sqrt(0.5) + 1e-12).all()
    assert math.isfinite(found.log10_jacobian_norm_ratio)
    assert (found.effective_keys >= 1).all()


@settings(max_examples=25)
@given(st.sampled_from(sorted(COMPONENT_LAWS)), st.integers(0, 2**32), st.integers(2, 40), st.integers(1, 200))
def test_rows_at_one_d_k_do_not_depend_on_the_others(law, seed, n_keys, d_k):
    alone, among = (measure_rows(RowsParams(n_keys, dims, law, 20, seed)) for dims in ((d_k,), (d_k, 201, 300)))
    # Sums that are cut at different places are rounded differently.
    np.testing.assert_allclose(alone.scores[0], among.scores[0], rtol=1e-12, atol=1e-12)
    assert (np.diff(among.scores) <= 0).all()


@given(st.lists(st.integers(-8, 8), min_size=2, max_size=8), st.integers(-1000, 1000), st.integers(2, 9))
def test_factor_makes_a_list_sharper_but_a_shift_does_not(numbers, shift, factor):
    assert sharper(numbers, [number + shift for number in numbers]) == "neither"
    even = len(set(numbers)) == 1
    assert sharper(numbers, [factor * number for number in numbers]) == ("neither" if even else "second")


# --- oracles -----------------------------------------------------------------------------------------


def test_band_covers_its_level():
    # For each exponent, the coverage of 200 seeds is 0.95 ± 4 √(0.95 · 0.05 / 200) = 0.95 ± 0.06.
    inside = []
    for seed in range(200):
        rows = measure_rows(RowsParams(8, (16,), n_rows=100, seed=seed))
        for exponent in (0.0, 0.5):
            found = rows.divided(exponent)
            low, high = found.band(expected_largest(8, (16,), exponent))
            inside.append((low <= found.max_weight) & (found.max_weight <= high))
    coverage = np.reshape(inside, (200, 2)).mean(axis=0)
    assert np.abs(coverage - 0.95).max() <= 4 * math.sqrt(0.95 * 0.05 / 200)


def test_standard_error_of_rows_that_share_keys_comes_from_batches():
    # With 2 keys all queries of a batch see the same two keys, so treating rows as independent
    # (spread of rows / √rows) would understate the standard error, here by a factor of about 2.
    rows, batches = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        scores = rng.standard_normal((32, 4)) @ rng.standard_normal((2, 4)).T
        largest = special.softmax(scores, axis=-1).max(axis=-1)
        rows.append(largest.std(ddof=1) / math.sqrt(32))
        batches.append(largest.mean())
    true_error = np.std(batches, ddof=1) / math.sqrt(20)
    assert true_error > 1.5 * np.mean(rows) / math.sqrt(20)
    errors = [measure_rows(RowsParams(2, (4,), seed=seed)).divided(0.0).standard_error[0] for seed in range(20)]
    # The mean of 20 estimates with 19 degrees of freedom is accurate to 4 %, the reference to 9 %.
    assert np.mean(errors) == pytest.approx(true_error, rel=0.4)


@pytest.mark.parametrize("law", sorted(COMPONENT_LAWS))
def test_largest_weight_of_every_law_agrees_with_separate_draws(law):
    # Independent rows at d_k = 4, each with its own keys.
    rng = np.random.default_rng(21)
    draw = COMPONENT_LAWS[law].draw
    scores = (draw(rng, (4000, 1, 4)) * draw(rng, (4000, 6, 4))).sum(axis=-1)
    largest = special.softmax(scores, axis=-1).max(axis=-1)
    found = measure_rows(RowsParams(6, (4,), law, seed=4)).divided(0.0)
    error = math.hypot(found.standard_error[0], largest.std(ddof=1) / math.sqrt(4000))
    assert abs(found.max_weight[0] - largest.mean()) <= 4 * error


# Own shares of the outputs in 40 draws of 64 tokens, 64 keys and values of 64 numbers, by a program outside this
# repository: raw, ÷ √d_k and ÷ d_k, to the digits that it printed.
OTHER_PROGRAM = {
    4: (0.80, 0.57, 0.21),
    16: (0.93, 0.58, 0.061),
    64: (0.96, 0.59, 0.0148),
    256: (0.97, 0.59, 0.0038),
    1024: (0.97, 0.59, 0.0010),
}


@pytest.mark.parametrize("d_k", OTHER_PROGRAM)
def test_own_shares_agree_with_another_program(d_k):
    outputs = measure_outputs(OutputsParams(64, (d_k,), seed=11))
    for exponent, other in zip((0.0, 0.5, 1.0), OTHER_PROGRAM[d_k], strict=True):
        found = outputs.divided(exponent)
        # The other program has 40 draws, four times as many, so half the standard error; its last digit is rounded.
        rounding = 0.5 * 10.0 ** -(2 if other > 0.1 else 3 if other > 0.05 else 4)
        assert abs(found.own_share - other) <= 4 * math.hypot(1, 0.5) * found.standard_error + rounding


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
def test_own_share_agrees_with_pytorchs_attention(exponent):
    torch = pytest.importorskip("torch")
    generator = torch.Generator().manual_seed(5)
    drawn = [torch.randn(200, n, 16, generator=generator, dtype=torch.float64) for n in (64, 16)]
    values = torch.randn(200, 16, D_V, generator=generator, dtype=torch.float64)
    output = torch.nn.functional.scaled_dot_product_attention(*drawn, values, scale=16.0**-exponent)
    shares = 1 - output.mean(dim=1).square().sum(dim=-1) / output.square().sum(dim=-1).mean(dim=-1)
    found = measure_outputs(OutputsParams(16, (16,), seed=2)).divided(exponent)
    error = math.hypot(found.standard_error, float(shares.std()) / math.sqrt(200))
    assert abs(found.own_share - float(shares.mean())) <= 4 * error
