import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sattn_core.layers.binary_formats import BINARY_FORMATS
from sattn_core.layers.softmax import softmax
from sattn_core.lessons import few_bits

PARAMS = st.builds(
    few_bits.FewBitsParams, st.integers(1, 80),
    *map(st.sampled_from, (few_bits.FORMATS, few_bits.SUMS, few_bits.ORDERS)),
    st.sampled_from([0.25, 1.0, 3.0, 40.0]), st.integers(0, 99),
)  # fmt: skip


@pytest.fixture(scope="module")
def result():
    return few_bits.measure_few_bits(few_bits.FewBitsParams(100, "bfloat16"))


def test_defaults_are_the_settings_of_the_lesson():
    assert few_bits.FewBitsParams() == few_bits.FewBitsParams(64, "bfloat16", "float32", "after", 1.0, 0)


def test_rounding_errors_follow_their_definition(result):
    for one in (result.raw, result.scaled):
        assert one.exact.shape == one.found.shape == (few_bits.N_ROWS, few_bits.N_KEYS)
        p, few = softmax(one.exact), softmax(one.found)
        for (mean, error), rows in (
            (one.change, np.abs(np.log(few / p)).mean(axis=1)),
            (one.moved, np.abs(few - p).sum(axis=1) / 2),
            (one.mean_square, ((one.found - one.exact) ** 2).mean(axis=1)),
        ):
            assert mean == pytest.approx(rows.mean(), rel=1e-9)
            assert error == pytest.approx(rows.std(ddof=1) / 8, rel=1e-9)
    np.testing.assert_allclose(result.scaled.exact, result.raw.exact / 10, rtol=1e-13)


def test_bfloat16_moves_scores_of_64_to_128_by_at_most_a_quarter():
    raw = few_bits.measure_few_bits(few_bits.FewBitsParams(1024)).raw
    between = (np.abs(raw.exact) >= 64) & (np.abs(raw.exact) < 128)
    off = np.abs(raw.found - raw.exact)[between]
    assert off.size > 20
    assert 0.2 < off.max() <= 0.25
    np.testing.assert_array_equal(raw.found[between] % 0.5, 0)


def test_scale_divides_rounding_errors_by_8_at_d_k_64():
    # 1/√64 is 2⁻³: a scaled bfloat16 score is the raw score with another exponent, so its error is 2⁻³ times as large.
    found = few_bits.measure_few_bits(few_bits.FewBitsParams(64))
    np.testing.assert_array_equal(found.scaled.found, found.raw.found / 8)
    assert math.sqrt(found.raw.mean_square[0] / found.scaled.mean_square[0]) == pytest.approx(8, rel=1e-12)


def test_sum_of_1600s_overflows_float16_unless_q_is_divided_first():
    found = few_bits.large_sum(64, "float16", "same")
    assert found.exact == 12_800
    np.testing.assert_array_equal(found.raw[:40], 1600 * np.arange(1, 41))
    assert np.isinf(found.raw[40:]).all()
    np.testing.assert_array_equal(found.divided, 200 * np.arange(1, 65))
    assert (found.after, found.before) == (np.inf, 12_800)


def test_sum_of_1600s_fits_into_float32_but_overflows_stored_as_float16():
    found = few_bits.large_sum(64, "float16", "float32")
    assert found.raw[-1] == 102_400 > BINARY_FORMATS["float16"].largest
    assert (found.after, found.before) == (np.inf, 12_800)


def test_bfloat16_sum_of_1600s_stops_growing():
    # From 2¹⁹ on bfloat16 numbers lie 4,096 apart, so adding 1,600 changes nothing.
    assert few_bits.large_sum(64, "bfloat16").after == 12_800
    assert few_bits.large_sum(1024, "bfloat16", "same").raw[-1] == 2**19


def test_float8_cannot_hold_a_single_1600():
    assert np.isnan(few_bits.large_sum(1, "float8_e4m3fn").after)
    assert np.isnan(few_bits.large_sum(64, "float8_e4m3fn", "same").raw).all()


def test_large_components_lose_rows_unless_q_is_divided_first():
    params = few_bits.FewBitsParams(512, "float16", size=40.0)
    after, before = (few_bits.measure_few_bits(replace(params, order=order)) for order in few_bits.ORDERS)
    np.testing.assert_array_equal(after.raw.lost, np.isinf(after.raw.found).any(axis=1))
    np.testing.assert_array_equal(after.scaled.lost, after.raw.lost)
    assert few_bits.N_ROWS / 3 < after.raw.lost.sum() < few_bits.N_ROWS
    assert not before.scaled.lost.any()


def test_rounding_errors_are_nan_if_every_row_is_lost():
    raw = few_bits.measure_few_bits(few_bits.FewBitsParams(64, "float8_e4m3fn", size=64.0)).raw
    assert raw.lost.all()
    assert np.isnan([raw.mean_square, raw.change, raw.moved]).all()


@pytest.mark.parametrize("order", few_bits.ORDERS)
def test_curves_agree_with_single_measurements(order):
    params = few_bits.FewBitsParams(sums="same", order=order, seed=3)
    curves = few_bits.few_bits_curves((1, 6, 40), params)
    for i, name in enumerate(few_bits.FORMATS):
        for j, d_k in enumerate(curves.dims):
            one = few_bits.measure_few_bits(replace(params, d_k=d_k, format=name))
            for side, found in enumerate((one.raw, one.scaled)):
                here = curves.change[i, side, j], curves.standard_error[i, side, j], curves.lost[i, side, j]
                assert here == (*found.change, found.lost.mean())


# --- properties ----------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(PARAMS)
def test_order_of_division_does_not_matter_if_the_scale_is_a_power_of_2(params):
    """Try only params for which nothing overflows or falls below the smallest normal number."""
    params = replace(params, d_k=min(64, 4 ** round(math.log(params.d_k, 4))), size=1.0)
    params = replace(params, format="bfloat16" if params.format == "float8_e4m3fn" else params.format)
    before, after = (few_bits.measure_few_bits(replace(params, order=order)).scaled for order in few_bits.ORDERS)
    np.testing.assert_allclose(before.found, after.found, rtol=0, atol=2.0**-22)


@settings(max_examples=15)
@given(PARAMS)
def test_scores_are_numbers_of_the_format_or_their_row_is_lost(params):
    for one in (found := few_bits.measure_few_bits(params)).raw, found.scaled:
        np.testing.assert_array_equal(one.lost, ~np.isfinite(one.found).all(axis=1))
        kept = one.found[np.isfinite(one.found)]
        assert (np.abs(kept) <= params.to.largest).all()
        np.testing.assert_array_equal(np.rint(kept / params.to.spacing(kept)), kept / params.to.spacing(kept))


@settings(max_examples=6)
@given(PARAMS, st.integers(1, 80))
def test_curve_at_one_d_k_does_not_depend_on_the_others(params, more):
    params = replace(params, size=1.0, sums="float32")
    few, many = (few_bits.few_bits_curves((params.d_k,), replace(params, d_k=d)) for d in (1, more))
    np.testing.assert_array_equal(few.change, many.change)
    longer = few_bits.few_bits_curves((params.d_k, params.d_k + more), params)
    np.testing.assert_array_equal(longer.change[..., 0], few.change[..., 0])


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", few_bits.FORMATS)
@pytest.mark.parametrize("d_k", [2, 24, 64, 1024])
def test_rounding_error_of_a_score_follows_from_its_spacing(name, d_k):
    params = few_bits.FewBitsParams(d_k, name, seed=1)
    found = few_bits.measure_few_bits(params)
    for one, predicted in zip((found.raw, found.scaled), few_bits.predicted_errors(params), strict=True):
        mean, error = one.mean_square
        assert abs(mean - predicted**2) < 4 * error


def test_rounding_errors_are_not_predicted_if_sums_round_or_q_is_divided():
    for other in ({"sums": "same"}, {"order": "before"}):
        assert np.isnan(few_bits.predicted_errors(few_bits.FewBitsParams(4, **other))).all()
