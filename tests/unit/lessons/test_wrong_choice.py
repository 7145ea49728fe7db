"""The wrong_choice lesson: its counts and curves, compared with earlier measurements."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sattn_core.lessons import wrong_choice
from sattn_core.training.key_value_memory import LOSSES
from sattn_core.training.wrong_rows import LEARNERS

P = wrong_choice.WrongChoiceParams
RAW, ROOT, WHOLE = range(3)


def curves_of(put_right):
    """Return curves that have the same counts, of shape (3, 19), at every step."""
    return wrong_choice.RateCurves(P(8), np.repeat(np.array(put_right)[..., None], wrong_choice.N_STEPS + 1, axis=-1))


def test_the_rates_are_nineteen_half_decades():
    assert len(wrong_choice.LEARNING_RATES) == 19
    np.testing.assert_allclose(np.diff(np.log10(wrong_choice.LEARNING_RATES)), 0.5, atol=4e-4)  # 3.16 is √10, rounded
    assert all(float(f"{rate:g}") == rate for rate in wrong_choice.LEARNING_RATES)  # a URL can hold all their digits


def test_row_is_right_if_its_right_key_has_more_than_half_of_the_weight():
    found = wrong_choice.measure_wrong_choices(P(16))
    assert found.put_right.shape == (3, 201)
    assert (found.put_right[:, 0] == 0).all()
    assert np.array_equal(found.put_right, (found.right_weight > 0.5).sum(axis=-1))


def test_all_scales_are_equal_at_d_k_1():
    found = wrong_choice.measure_wrong_choices(P(1))
    for other in (ROOT, WHOLE):
        np.testing.assert_array_equal(found.right_weight[RAW], found.right_weight[other])


# Rates at which the last bit of a sum can change a count are left out: see `descend`.
@pytest.mark.parametrize(("d_k", "rate"), [(64, 10.0), (1024, 31.6), (16, 0.1), (256, 1e5)])
def test_count_at_a_rate_agrees_with_the_curve_at_every_step(d_k, rate):
    counts = wrong_choice.measure_wrong_choices(P(d_k, learning_rate=rate)).put_right
    curves = wrong_choice.measure_learning_rates(P(d_k))
    assert np.array_equal(curves.put_right[:, wrong_choice.LEARNING_RATES.index(rate)], counts)


@pytest.mark.parametrize("learns", LEARNERS)
def test_counts_of_chosen_rates_agree_with_the_counts_of_all_rates(learns):
    params, rates = P(16, 4, learns=learns), (0.1, 10.0, 1000.0)
    few, whole = wrong_choice.measure_learning_rates(params, rates), wrong_choice.measure_learning_rates(params)
    at = [whole.learning_rates.index(each) for each in rates]
    np.testing.assert_array_equal(few.put_right, whole.put_right[:, at])
    assert few.learning_rates == rates
    assert set(few.smallest_rate()[~np.isnan(few.smallest_rate())]) <= set(rates)
    with pytest.raises(ValueError, match="at least one learning rate"):
        wrong_choice.measure_learning_rates(params, ())
    with pytest.raises(ValueError, match="learning_rate must"):
        wrong_choice.measure_learning_rates(params, (1.0, -1.0))


def test_each_rate_has_its_own_keys_if_q_and_k_learn():
    counts = wrong_choice.measure_wrong_choices(P(8, 3, 3.16, learns="both")).put_right
    curves = wrong_choice.measure_learning_rates(P(8, 3, learns="both"))
    assert np.array_equal(curves.put_right[:, wrong_choice.LEARNING_RATES.index(3.16)], counts)


@pytest.mark.parametrize("learns", LEARNERS)
def test_follow_row_agrees_with_all_rows(learns):
    params = P(64, learning_rate=3.16, learns=learns)
    found, row = wrong_choice.measure_wrong_choices(params), wrong_choice.follow_row(params, 41)
    np.testing.assert_allclose(row.weights.sum(axis=-1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(row.weights[:, :, row.right_key], found.right_weight[:, :, 41], rtol=1e-5, atol=1e-9)
    assert (row.weights[:, 0].argmax(axis=-1) == row.winner).all()
    assert row.winner != row.right_key


def test_row_that_overflows_stays_nan():
    params = P(1024, 2, 100_000.0, loss="weights", learns="both", seed=9999)
    found, row = wrong_choice.measure_wrong_choices(params), wrong_choice.follow_row(params, 99)
    lost = np.isnan(row.weights)
    assert 0 < lost.mean() < 1
    assert np.array_equal(lost[:, :, row.right_key], np.isnan(found.right_weight[:, :, 99]))


def test_block_size_does_not_change_the_counts(monkeypatch):
    params = P(16, 8, 3.16)
    whole = wrong_choice.measure_learning_rates(params).put_right
    monkeypatch.setattr(wrong_choice, "row_blocks", lambda *_: [range(0, 30), range(30, 31), range(31, 100)])
    assert np.array_equal(wrong_choice.measure_learning_rates(params).put_right, whole)


def test_measurement_calls_check_between_its_steps():
    asked = []

    def stop():
        asked.append(0)
        if len(asked) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        wrong_choice.measure_learning_rates(P(4, 2), check=stop)


def test_best_count_and_smallest_rate_by_hand():
    counts = np.zeros((3, 19), dtype=int)
    counts[RAW, 5] = 40
    counts[ROOT, 8:12], counts[WHOLE, 14:] = wrong_choice.NEARLY_ALL, 100
    curves = curves_of(counts)
    assert curves.best().tolist() == [40, 99, 100]
    np.testing.assert_array_equal(
        curves.smallest_rate(), [np.nan, wrong_choice.LEARNING_RATES[8], wrong_choice.LEARNING_RATES[14]]
    )
    both = wrong_choice.compare_dimensions([curves, curves_of(counts + 100)], step=7)
    assert both.smallest_rate[RAW].tolist()[1] == wrong_choice.LEARNING_RATES[0]
    assert (both.dims, both.smallest_rate.shape) == ((8, 8), (3, 2))
    assert wrong_choice.compare_dimensions([]).smallest_rate.shape == (3, 0)


# Measured earlier with other code and other rows: the smallest rate at which Adam puts all forty rows right, for
# ÷ √d_k and ÷ d_k.
ADAM = {16: (0.01, 0.0316), 64: (0.00562, 0.0316), 256: (0.00316, 0.0316)}


@pytest.mark.parametrize("d_k", ADAM)
def test_rates_of_adam_agree_with_other_code_within_half_a_decade(d_k):
    together, of_seeds = wrong_choice.compare_with_adam()
    i = together.dims.index(d_k)
    for rates in (together.smallest_rate, *of_seeds):
        assert np.isnan(rates[RAW, i])
        assert (np.abs(np.log10(rates[[ROOT, WHOLE], i] / ADAM[d_k])) < 0.51).all()


def test_adam_has_one_rate_for_all_d_k_after_division_by_d_k():
    together, of_seeds = wrong_choice.compare_with_adam()
    root, whole = together.smallest_rate[[ROOT, WHOLE], together.dims.index(16) :]
    assert len({*whole.tolist()}) == 1
    assert root[0] >= 10 * root[-1]
    assert (np.diff(root) <= 0).all()
    assert of_seeds.shape == (4, 3, len(together.dims))


def test_interval_of_a_count_agrees_with_scipy():
    low, high = wrong_choice.interval([0, 37, 100])
    for i, count in enumerate((0, 37, 100)):
        exact = stats.binomtest(count, 100).proportion_ci(0.95, "exact")
        np.testing.assert_allclose([low[i], high[i]], [100 * exact.low, 100 * exact.high], rtol=1e-9)


def test_price_of_several_d_k_is_the_sum_of_their_prices():
    asked = wrong_choice.DimensionParams((4, 64), 8, "weights", "K", 3)
    assert [each.d_k for each in asked.each] == [4, 64]
    assert {(each.n_keys, each.loss, each.learns, each.seed) for each in asked.each} == {(8, "weights", "K", 3)}
    each = [wrong_choice.DimensionParams((d_k,), 8, "weights", "K", 3).price for d_k in asked.dims]
    assert asked.price.numbers == pytest.approx(sum(price.numbers for price in each))


def test_out_of_range_row_is_refused():
    with pytest.raises(ValueError, match="row must be between 0 and 99, but got 100"):
        wrong_choice.follow_row(P(4), 100)


# --- properties ----------------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(
    st.integers(1, 40),
    st.integers(2, 6),
    st.sampled_from(wrong_choice.LEARNING_RATES),
    st.sampled_from(LOSSES),
    st.sampled_from(LEARNERS),
    st.integers(0, 9999),
)
def test_weights_are_shares_or_nan_and_all_rows_start_wrong(d_k, n_keys, rate, loss, learns, seed):
    found = wrong_choice.measure_wrong_choices(P(d_k, n_keys, rate, loss, learns, seed))
    there = found.right_weight[~np.isnan(found.right_weight)]
    assert ((there >= 0) & (there <= 1)).all()
    assert (found.put_right[:, 0] == 0).all()
    assert ((found.put_right >= 0) & (found.put_right <= 100)).all()


# --- oracles -------------------------------------------------------------------------------------------

# Measured earlier with other code and another draw, for raw, ÷ √d_k and ÷ d_k: the share of 1,000 rows that the best
# of the nineteen rates puts right, and the smallest rate that puts 99 % right, in half decades.
TABLE = {
    (16, 16): ((0.85, 1.0, 1.0), (None, 1, 10)),
    (16, 64): ((0.33, 1.0, 1.0), (None, 3.2, 32)),
    (16, 256): ((0.12, 1.0, 1.0), (None, 3.2, 100)),
    (16, 1024): ((0.06, 1.0, 1.0), (None, 1, 316)),
    (16, 4): ((0.83, 0.83, 0.83), (None, None, None)),
    (4, 64): ((0.52, 1.0, 1.0), (None, 0.3, 3.2)),
}
SEEDS = range(1, 5)  # four times a hundred rows


@pytest.mark.parametrize(("n_keys", "d_k"), TABLE)
def test_shares_and_rates_agree_with_an_earlier_table(n_keys, d_k):
    counts = sum(
        wrong_choice.measure_learning_rates(P(d_k, n_keys, seed=seed)).put_right[..., -1].astype(int) for seed in SEEDS
    )
    rows, (shares, rates) = 100 * len(SEEDS), TABLE[n_keys, d_k]
    for i, (share, rate) in enumerate(zip(shares, rates, strict=True)):
        best = counts[i].max() / rows
        # The table has two digits; its own rows and these rows both add to the standard error.
        error = np.sqrt(max(share * (1 - share), 0.003) * (1 / rows + 1 / 1_000))
        assert abs(best - share) < 4 * error + 0.005, (i, best, share)
        works = [
            each for each, count in zip(wrong_choice.LEARNING_RATES, counts[i], strict=True) if count >= 0.99 * rows
        ]
        assert bool(works) == (rate is not None)
        if rate is not None:
            assert abs(np.log10(works[0] / rate)) < 0.51


def test_result_depends_on_the_rate_and_the_seed():
    first = wrong_choice.measure_wrong_choices(P(64))
    for other in (replace(first.params, seed=1), replace(first.params, learning_rate=1.0)):
        assert not np.array_equal(wrong_choice.measure_wrong_choices(other).right_weight, first.right_weight)
