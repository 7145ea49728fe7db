import dataclasses

import numpy as np
import pytest

from sattn_core.lessons.gradient_flow import (
    CROSSOVER_KEYS,
    DEFAULT_DIMS,
    DOTS,
    FROZEN_BELOW,
    PLACES,
    GradientFlowParams,
    _draw_rows,
    _sensitivity,
    crossover_curve,
    freezing_rows,
    gradient_curve,
    measure_gradient_flow,
    measure_row_jacobian,
)

PARAMS = GradientFlowParams(d_k=512, n_keys=64)


@pytest.fixture(scope="module")
def result():
    return measure_gradient_flow(PARAMS)


def passed_by_each(params):
    """What reaches each row of a draw: tr J, c · tr J and ‖∂L/∂q‖, shape (3 places, 3 scales, n_rows)."""
    return _sensitivity(_draw_rows(params.n_keys, params.n_rows, params.seed), params.d_k)


def test_the_truth_of_the_moment_at_64_keys_and_d_k_512(result):
    statistics = result.statistics
    at_raw = PLACES.index("raw_scores")
    assert abs(statistics.exact_mean[at_raw, 0] - 0.104) < 1e-3
    assert abs(statistics.exact_mean[at_raw, 1] - 0.0425) < 5e-5
    assert statistics.median_low[at_raw, 0] < 0.00395 < statistics.median_high[at_raw, 0]
    assert abs(result.frozen_share[0] - 0.56) < 2 * result.frozen_error[0]
    assert result.frozen_share[1] == 0
    assert abs(statistics.top_tenth_share[at_raw, 0] - 0.50) < 0.03
    assert result.mean_ratio[at_raw] > 2
    assert result.median_ratio[at_raw] < 0.2


def test_places_differ_by_the_scale(result):
    at_scores, at_raw_scores, _ = passed_by_each(result.params)
    assert np.allclose(at_raw_scores, result.scales[:, None] * at_scores, rtol=1e-15, atol=0)
    assert np.allclose(result.scales, [1, 512**-0.5, 1 / 512], rtol=1e-15, atol=0)


def test_every_row_is_counted_once_and_in_the_right_bin(result):
    total = result.counts.sum(axis=-1) + result.below + result.above
    assert (total == PARAMS.n_rows).all()
    values = np.log10(passed_by_each(result.params)[0, 0])
    inside = (values >= -3) & (values < -2.75)
    (at,) = np.flatnonzero(np.isclose(result.log10_edges, -3))
    assert result.counts[0, 0, at] == inside.sum()
    assert result.below[0, 0] == (values < -12).sum() > 0


def test_statistics_are_those_of_the_rows(result):
    rows, statistics = passed_by_each(result.params)[2, 0], result.statistics
    assert abs(statistics.mean[2, 0] - rows.mean()) < 1e-13
    assert abs(statistics.standard_error[2, 0] - rows.std(ddof=1) / np.sqrt(2000)) < 1e-13
    assert statistics.median[2, 0] == np.median(rows)
    assert statistics.low[2, 0] == np.quantile(rows, 0.1)
    assert statistics.high[2, 0] == np.quantile(rows, 0.9)
    assert abs(statistics.top_tenth_share[2, 0] - np.sort(rows)[-200:].sum() / rows.sum()) < 1e-13
    assert np.isnan(statistics.exact_mean[2]).all()
    assert np.isnan(statistics.z[2]).all()


def test_a_row_is_frozen_by_its_softmax_and_not_by_the_factor_c(result):
    trace = passed_by_each(result.params)[PLACES.index("scores")]
    share = [np.mean(row < FROZEN_BELOW) for row in trace]
    assert result.frozen_share.tolist() == share
    assert np.allclose(result.frozen_error, [np.sqrt(p * (1 - p) / 2000) for p in share], rtol=1e-13, atol=0)
    # With 1/d_k every row is below the threshold at the raw scores, and none is frozen.
    assert (passed_by_each(result.params)[PLACES.index("raw_scores"), 2] < FROZEN_BELOW).all()
    assert result.frozen_share[2] == 0


def test_frozen_rows_at_16_keys():
    # 24 % at d_k = 64 and 65 % at 512, rounded, hence 0.005 beside three standard errors; none with the scale.
    curve = gradient_curve((64, 512), n_keys=16)
    assert (np.abs(curve.frozen_share[0] - [0.24, 0.65]) < 0.005 + 3 * curve.frozen_error[0]).all()
    assert (curve.frozen_share[1] == 0).all()


def test_at_q_the_mean_rises_without_the_scale_and_is_flat_with_it():
    statistics = gradient_curve((4, 16, 64, 256), n_keys=16, n_rows=20_000).statistics
    raw, scaled = statistics.mean[PLACES.index("q"), :2]
    assert (np.diff(raw) > 0.05).all()
    assert raw[-1] > 2 * raw[0]
    assert scaled.min() > 0.25
    assert scaled.max() < 0.30


def test_the_crossover_of_the_chosen_number_of_keys_joins_the_others():
    curve = crossover_curve(100)
    assert curve.keys.tolist() == [2, 8, 32, 100, 128, 512]
    assert (curve.here.n_keys, curve.here.d_k) == (100, curve.d_k[3])
    assert (curve.here.low, curve.here.high) == (curve.low[3], curve.high[3])
    assert np.allclose(np.sqrt(curve.critical_d_k), np.sqrt(2 * np.log(curve.keys)), rtol=1e-15, atol=0)
    assert crossover_curve(8).keys.tolist() == list(CROSSOVER_KEYS)
    with pytest.raises(ValueError, match="n_keys must be between 2 and 1024, but got 1"):
        crossover_curve(1)


def test_the_curve_agrees_with_the_single_dimension_and_not_with_its_neighbours(result):
    curve = gradient_curve((3, 512), n_keys=64)
    for field in dataclasses.fields(curve.statistics):
        here, there = getattr(result.statistics, field.name), getattr(curve.statistics, field.name)
        assert np.array_equal(here, there[..., 1], equal_nan=True), field.name
    assert curve.rate[1] == result.rate
    assert np.array_equal(curve.frozen_share[:, 1], result.frozen_share)
    assert np.array_equal(curve.frozen_error[:, 1], result.frozen_error)
    assert np.array_equal(curve.scales[:, 1], result.scales)


def test_at_one_dimension_all_scales_agree():
    statistics = gradient_curve((1,), n_keys=3, n_rows=50).statistics
    assert np.array_equal(statistics.mean[:, 0], statistics.mean[:, 1])
    assert np.array_equal(statistics.mean[:, 0], statistics.mean[:, 2])


def test_default_dimensions_run_from_1_to_1024():
    assert DEFAULT_DIMS[0] == 1
    assert DEFAULT_DIMS[-1] == 1024
    assert list(DEFAULT_DIMS) == sorted(set(DEFAULT_DIMS))


def test_shown_rows_are_the_first_of_those_that_are_followed(result):
    assert result.shown_scores.shape == (20, 64)
    rows = [measure_row_jacobian(scores, 512) for scores in result.shown_scores]
    raw, scaled = freezing_rows((512,), n_keys=64).passed[:, 0, :20]
    assert np.allclose([row.raw_trace for row in rows], raw, rtol=1e-9, atol=0)
    assert np.allclose([row.scaled_trace for row in rows], scaled, rtol=1e-12, atol=0)


def test_the_notes_lists():
    near, far = measure_row_jacobian([4, 5], 1), measure_row_jacobian([1, 10], 1)
    assert abs(near.raw_norm - 0.393224) < 5e-7
    assert abs(far.raw_norm - 2.46759e-4) < 5e-10
    assert np.allclose(near.raw_jacobian, 0.196612 * np.array([[1, -1], [-1, 1]]), rtol=0, atol=5e-7)


def test_scaled_row_is_divided_by_the_square_root():
    row = measure_row_jacobian([1.0, 10.0, 4.0], 9)
    assert np.allclose(row.scaled_scores, [1 / 3, 10 / 3, 4 / 3], rtol=1e-15, atol=0)
    assert abs(row.norm_ratio - row.scaled_norm / row.raw_norm) < 1e-13
    assert np.abs(row.scaled_jacobian).max() <= row.colour_limit
    assert measure_row_jacobian([0.0, 1e6], 1).norm_ratio == np.inf


def test_two_keys_follow_one_over_the_square_root_of_pi_d_k():
    rate = gradient_curve((16,), n_keys=2, n_rows=10).rate
    assert np.allclose(rate, 1 / np.sqrt(np.pi * 16), rtol=1e-13, atol=0)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("d_k", 0, "d_k must be between 1 and 4096, but got 0"),
        ("n_keys", 1, "n_keys must be between 2 and 1024, but got 1"),
        ("n_rows", 9, "n_rows must be between 10 and 100000, but got 9"),
        ("seed", -1, "seed must be at least 0, but got -1"),
    ],
)
def test_values_outside_the_range_are_named(field, value, message):
    with pytest.raises(ValueError, match=message):
        GradientFlowParams(**{field: value})


def test_other_bad_arguments():
    with pytest.raises(TypeError, match="d_k must be an integer"):
        gradient_curve((2.5,))
    with pytest.raises(ValueError, match="dims must hold at least one"):
        gradient_curve(())
    with pytest.raises(ValueError, match="raw_scores must have at least 2 entries"):
        measure_row_jacobian([1.0], 4)


# --- the rows one by one ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows():
    return freezing_rows((1, 64, 512, 4096), n_keys=16, seed=3)


def test_the_rows_are_counted_and_averaged(rows):
    assert rows.passed.shape == (2, 4, DOTS)
    assert rows.frozen.tolist() == [[np.sum(each < FROZEN_BELOW) for each in side] for side in rows.passed]
    assert np.allclose(rows.mean, rows.passed.mean(axis=-1), rtol=1e-13, atol=0)


def test_what_is_far_below_the_rounding_of_a_weight_is_still_seen():
    passed = freezing_rows((4096,), n_keys=2, seed=1).passed[0, 0]
    assert (passed > 0).all()
    assert passed.min() < 1e-20


def test_a_dimension_gives_the_same_rows_whatever_stands_beside_it(rows):
    alone = freezing_rows((512,), n_keys=16, seed=3)
    assert np.array_equal(alone.passed[:, 0], rows.passed[:, 2])
    with pytest.raises(ValueError, match="dims must hold at least one"):
        freezing_rows(())
    with pytest.raises(ValueError, match="dims must be strictly increasing"):
        freezing_rows((64, 4))
    with pytest.raises(ValueError, match="d_k must be between 1 and 4096, but got 5000"):
        freezing_rows((5000,))
