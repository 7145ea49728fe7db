"""The recap's measurements: one sum, the spread of scores, and wrong rows with and without the scale."""

import math

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

from sattn_core.lessons import recap
from sattn_core.lessons.wrong_choice import (
    LEARNING_RATES,
    N_ROWS,
    N_STEPS,
    WrongChoiceParams,
    measure_learning_rates,
    measure_wrong_choices,
)
from sattn_core.training.wrong_rows import draw_wrong_rows

SEEDS = range(3)


def test_score_is_the_sum_of_products_of_signs():
    found = recap.measure_sum(0)
    assert set(found.products) == {-1.0, 1.0}
    assert found.sums.tolist() == [math.fsum(found.products[: i + 1]) for i in range(recap.N_PRODUCTS)]


def test_spread_is_measured_at_the_three_sizes_and_at_d_k():
    found = recap.measure_spread(recap.SpreadParams(100))
    assert found.params.dims == (64, 100, 256, 1024)
    assert found.here == 1
    np.testing.assert_allclose(found.std_theory, [8, 10, 16, 32], rtol=1e-15)
    assert recap.measure_spread(recap.SpreadParams(64)).params.dims == recap.SIZES


@pytest.mark.parametrize(
    ("params", "changes", "message"),
    [
        (recap.SpreadParams, {"d_k": 0}, "d_k must be between 1 and 1024, but got 0"),
        (recap.SpreadParams, {"seed": -1}, "seed must be at least 0, but got -1"),
        (recap.CorrectionParams, {"d_k": 1025}, "d_k must be between 1 and 1024, but got 1025"),
        (recap.CorrectionParams, {"size": 0.0}, "size must be a finite number in"),
        (recap.DivisorParams, {"exponent": 1.5}, "exponent must be a finite number in"),
    ],
)
def test_out_of_range_params_are_refused_by_name(params, changes, message):
    with pytest.raises(ValueError, match=message):
        params(**changes)


def test_unusual_exponent_gets_its_own_curve():
    usual, other = (recap.compare_divisors(recap.DivisorParams(exponent)) for exponent in (0.5, 0.2))
    assert usual.params.exponents == (0.0, 0.5, 1.0)
    assert usual.chosen is not None
    np.testing.assert_array_equal(usual.chosen, usual.put_right[1])
    np.testing.assert_array_equal(other.chosen, other.put_right[3])
    np.testing.assert_array_equal(other.put_right[:3], usual.put_right)


# --- properties ----------------------------------------------------------------------------------------


@given(st.integers(0, 9999))
def test_sum_changes_by_one_and_stays_on_its_axis(seed):
    found = recap.measure_sum(seed)
    assert (np.abs(np.diff(found.sums, prepend=0)) == 1).all()
    assert np.abs(found.sums).max() <= recap.N_PRODUCTS


@pytest.mark.parametrize("seed", SEEDS)
def test_measurements_support_what_the_recap_says(seed):
    large, few, start = (
        recap.measure_correction(recap.CorrectionParams(**one, seed=seed))
        for one in ({}, {"d_k": recap.SMALL}, {"size": recap.TENTH})
    )
    assert large.put_right[:, 0].tolist() == [0, 0]  # every row starts wrong
    assert large.put_right[0, -1] <= 25
    assert large.put_right[1, -1] >= 99
    assert (large.low <= large.put_right[:, -1]).all()
    assert (large.put_right[:, -1] <= large.high).all()
    assert abs(int(np.diff(few.put_right[:, -1])[0])) <= 3
    assert start.put_right[:, -1].min() >= 99
    raw, root, linear, mine = recap.compare_divisors(recap.DivisorParams(0.2, seed)).put_right
    assert root.min() >= 99
    assert max(raw[-1], linear[-1], mine[-1]) <= 50


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d_k", [1, 64, 1024])
def test_spread_agrees_with_the_root_of_d_k(d_k):
    found = recap.measure_spread(recap.SpreadParams(d_k, seed=5))
    assert (np.abs(found.std - np.sqrt(found.params.dims)) < 4 * found.standard_error).all()


def test_standard_error_of_the_spread_agrees_with_repeated_draws():
    few = [recap.measure_spread(recap.SpreadParams(64, seed=seed)) for seed in range(200)]
    scatter = np.std([each.std for each in few], axis=0)
    np.testing.assert_allclose(scatter, few[0].standard_error, rtol=4 / math.sqrt(2 * len(few)))
    assert recap.N_PAIRS == 2_000


def test_wrong_rows_agree_with_the_wrong_choice_lesson():
    curves = measure_learning_rates(WrongChoiceParams(recap.LARGE)).put_right[:2]
    found = recap.measure_correction(recap.CorrectionParams(recap.LARGE))
    assert found.put_right[:, -1].tolist() == curves[:, :, -1].max(axis=1).tolist()
    for i, rate in enumerate(found.rate):
        np.testing.assert_array_equal(found.put_right[i], curves[i, LEARNING_RATES.index(rate)])
    for d_k, counts in zip(recap.RACED, recap.compare_divisors(recap.DivisorParams()).put_right.T, strict=True):
        here = measure_wrong_choices(WrongChoiceParams(d_k, learning_rate=3.16)).put_right[:, N_STEPS]
        assert counts.tolist() == here.tolist()


def test_numbers_a_tenth_as_large_start_with_nearly_equal_weights():
    """Compare with full queries and keys: q and k a tenth as large give scores a hundredth as large."""
    rng = np.random.default_rng(1)
    q, K = (
        recap.TENTH * rng.standard_normal((200, recap.LARGE, 1)),
        recap.TENTH * rng.standard_normal((200, 16, recap.LARGE)),
    )
    weights = scipy.special.softmax((K @ q)[..., 0], axis=-1)
    rows = recap._sized(draw_wrong_rows(recap.LARGE, 16, range(N_ROWS), seed=0), recap.TENTH)
    found = scipy.special.softmax(rows.raw_scores, axis=-1).max(axis=-1)
    error = math.hypot(found.std() / 10, weights.max(axis=-1).std() / math.sqrt(200))
    assert abs(found.mean() - weights.max(axis=-1).mean()) < 4 * error
    np.testing.assert_allclose(
        np.trace(rows.gram, axis1=1, axis2=2).mean(), 16 * recap.LARGE * recap.TENTH**2, rtol=0.02
    )
