"""The one_query lesson: numbers checked by hand, properties, and oracles by exact fractions and mpmath."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sattn_core.draws.signs import sign_sums
from sattn_core.lessons.one_query import (
    EXAMPLE_KEY,
    INVENTED_KEYS,
    INVENTED_QUERY,
    MOST_EMPHASIS,
    N_SENTENCES,
    OneQueryParams,
    measure_one_query,
)

INVENTED = np.array(INVENTED_KEYS) @ INVENTED_QUERY


def measured(d_k, seed=0, emphasis=1):
    return measure_one_query(OneQueryParams(d_k, seed, emphasis))


def test_products_of_the_example_add_up_to_its_score():
    result = measured(4)
    assert result.products[EXAMPLE_KEY].tolist() == [1.5, 0.5, -0.5, 0.5]
    assert result.walk.sums[EXAMPLE_KEY].tolist() == [1.5, 2, 1.5, 2]
    assert result.raw.scores[EXAMPLE_KEY] == 2


@pytest.mark.parametrize("d_k", [1, 2, 3])
def test_a_small_dimension_has_its_first_invented_numbers_only(d_k):
    result = measured(d_k)
    assert result.query.tolist() == list(INVENTED_QUERY[:d_k])
    assert result.keys.tolist() == [list(key[:d_k]) for key in INVENTED_KEYS]
    assert (result.n_invented, result.n_up.tolist(), result.n_down.tolist()) == (d_k, [0] * 4, [0] * 4)


def test_products_from_the_fifth_on_are_plus_or_minus_one():
    result = measured(100, seed=3)
    assert set(np.unique(result.products[:, 4:])) == {-1, 1}
    assert (result.n_up + result.n_down == 96).all()
    assert (result.raw.scores == result.invented_scores.scores + result.n_up - result.n_down).all()


def test_largest_and_smallest_keys_include_ties():
    row = measured(3).raw
    assert row.scores.tolist() == [1.5, 1.5, -2, -1]
    assert (row.largest, row.smallest) == ((0, 1), (2,))
    assert row.top_weight == row.weights[0] == row.weights[1]


def test_dividing_by_root_64_divides_by_eight():
    result = measured(64)
    assert result.divisor == 8
    np.testing.assert_array_equal(result.scaled.scores, result.raw.scores / 8)


@pytest.mark.parametrize("seed", [0, 11, 9999])
def test_axis_of_the_sums_is_fixed_and_holds_every_sum(seed):
    walks = [measured(d_k, seed).walk for d_k in (1, 4, 64, 1024)]
    assert {walk.horizon for walk in walks} == {1024}
    assert {walk.limit for walk in walks} == {np.abs(walks[-1].sums).max()}


def test_emphasis_multiplies_only_the_invented_components_of_the_query():
    plain, strong = measured(64), measured(64, emphasis=8)
    assert strong.query.tolist() == [*(8 * plain.query[:4]), *plain.query[4:]]
    np.testing.assert_array_equal(strong.keys, plain.keys)
    np.testing.assert_array_equal(strong.raw.scores - plain.raw.scores, 7 * INVENTED)


def test_shown_sentence_is_the_first_of_many():
    for d_k in (5, 64, 1024):
        first = sign_sums(d_k - 4, 4 * N_SENTENCES, seed=3)[:4]
        np.testing.assert_array_equal(measured(d_k, seed=3).raw.scores, INVENTED + first)


def test_default_example_shows_a_typical_sentence():
    # The default seed is typical: the invented numbers favour "cat", but the drawn ones favour another key.
    assert measured(4).raw.largest == (EXAMPLE_KEY,)
    result = measured(64)
    assert EXAMPLE_KEY not in result.raw.largest
    assert result.raw.top_weight > 0.9
    assert result.scaled.top_weight < 0.6
    assert result.sentences.on_top[EXAMPLE_KEY] < 0.5
    assert measured(64, emphasis=MOST_EMPHASIS).raw.largest == (EXAMPLE_KEY,)


@pytest.mark.parametrize(("d_k", "on_top"), [(1, [0, 1, 0, 0]), (3, [1, 1, 0, 0]), (4, [0, 1, 0, 0])])
def test_all_sentences_are_equal_without_drawn_components(d_k, on_top):
    result = measured(d_k)
    many = result.sentences
    assert many.on_top.tolist() == on_top
    assert many.on_top_exact == pytest.approx(on_top, abs=1e-15)
    assert many.raw_top_weight == pytest.approx(result.raw.top_weight, rel=1e-13)
    assert many.scaled_top_weight == pytest.approx(result.scaled.top_weight, rel=1e-13)
    assert many.raw_top_weight_error < 1e-15


# --- properties ----------------------------------------------------------------------------------------


dimensions, seeds = st.integers(1, 128), st.integers(0, 9999)


@given(dimensions, dimensions, seeds)
def test_larger_d_k_keeps_every_number_of_a_smaller_one(one, other, seed):
    small, large = (measure_one_query(OneQueryParams(d_k, seed)) for d_k in sorted((one, other)))
    d_k = small.params.d_k
    np.testing.assert_array_equal(small.query, large.query[:d_k])
    np.testing.assert_array_equal(small.keys, large.keys[:, :d_k])
    np.testing.assert_array_equal(small.walk.sums, large.walk.sums[:, :d_k])


@given(dimensions, seeds)
def test_weights_sum_to_1_and_division_flattens_but_keeps_the_largest(d_k, seed):
    result = measure_one_query(OneQueryParams(d_k, seed))
    for row in (result.raw, result.scaled):
        assert abs(row.weights.sum() - 1) < 1e-12
        np.testing.assert_allclose(row.weights, row.exponentials / row.total, rtol=1e-12)
    assert result.raw.largest == result.scaled.largest
    assert result.scaled.top_weight <= result.raw.top_weight + 1e-15
    assert result.scaled.effective_keys >= result.raw.effective_keys - 1e-12


@given(dimensions, seeds)
def test_every_sum_stays_on_its_axis(d_k, seed):
    result = measure_one_query(OneQueryParams(d_k, seed))
    assert np.abs(result.walk.sums).max() <= result.walk.limit


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d_k", [1, 3, 4, 5, 64, 1024])
def test_scores_equal_sums_of_exact_fractions(d_k):
    result = measure_one_query(OneQueryParams(d_k, seed=2))
    query = [Fraction(x) for x in result.query.tolist()]
    for key, score, sums in zip(result.keys.tolist(), result.raw.scores, result.walk.sums, strict=True):
        total = Fraction(0)
        for i, (q, k) in enumerate(zip(query, key, strict=True), start=1):
            total += q * Fraction(k)
            assert total == Fraction(float(sums[i - 1]))
        assert total == Fraction(float(score))


@pytest.mark.parametrize("d_k", [4, 64, 1024])
def test_both_softmaxes_agree_with_mpmath_at_forty_digits(d_k):
    result = measure_one_query(OneQueryParams(d_k))
    with mpmath.workdps(40):
        for row, divisor in ((result.raw, mpmath.mpf(1)), (result.scaled, mpmath.sqrt(d_k))):
            powers = [mpmath.exp(mpmath.mpf(float(score)) / divisor) for score in result.raw.scores]
            weights = [power / sum(powers) for power in powers]
            entropy = -sum(p * mpmath.log(p) for p in weights)
            np.testing.assert_allclose(row.weights, [float(p) for p in weights], rtol=1e-13)
            # at d_k = 1,024 without division the entropy is 1e-11, and exp(entropy) keeps 16 digits
            assert row.effective_keys == pytest.approx(float(mpmath.exp(entropy)), rel=1e-13)


def test_drawn_part_of_a_score_has_mean_0_and_variance_d_k_minus_4():
    d_k, n_seeds = 64, 400
    results = [measure_one_query(OneQueryParams(d_k, seed)) for seed in range(n_seeds)]
    drawn = np.array([result.raw.scores - result.invented_scores.scores for result in results]).ravel()
    variance, n = d_k - 4, drawn.size
    # Products of signs are independent across keys. The fourth moment of a sum of m signs is 3 m² − 2 m.
    fourth = 3 * variance**2 - 2 * variance
    assert abs(drawn.mean()) < 4 * np.sqrt(variance / n)
    assert abs(np.mean(drawn**2) - variance) < 4 * np.sqrt((fourth - variance**2) / n)


@pytest.mark.parametrize("emphasis", [1, 4, MOST_EMPHASIS])
@pytest.mark.parametrize("d_k", [5, 16, 64, 1024])
def test_shares_of_each_key_on_top_agree_with_exact_probabilities(d_k, emphasis):
    many = measured(d_k, seed=1, emphasis=emphasis).sentences
    exact = many.on_top_exact
    np.testing.assert_allclose(many.on_top_error, np.sqrt(exact * (1 - exact) / N_SENTENCES), rtol=1e-9, atol=1e-12)
    assert (np.abs(many.on_top - exact) < 4 * many.on_top_error + 1e-12).all()


@pytest.mark.parametrize("emphasis", [1, 8])
@pytest.mark.parametrize("d_k", [8, 64, 1024])
def test_mean_largest_weight_agrees_with_separately_drawn_sums(d_k, emphasis):
    many = measured(d_k, seed=2, emphasis=emphasis).sentences
    rng, n = np.random.default_rng(7), 100_000
    scores = emphasis * INVENTED + 2 * rng.binomial(d_k - 4, 0.5, (n, 4)) - (d_k - 4)
    for name, divisor in (("raw", 1.0), ("scaled", np.sqrt(d_k))):
        powers = np.exp((scores - scores.max(axis=1, keepdims=True)) / divisor)
        largest = 1 / powers.sum(axis=1)
        error = np.hypot(getattr(many, f"{name}_top_weight_error"), largest.std() / np.sqrt(n))
        assert abs(getattr(many, f"{name}_top_weight") - largest.mean()) < 4 * error
        # `spread` is the relative standard error of a standard deviation.
        spread = np.sqrt((stats.kurtosis(largest, fisher=False) - 1) / (4 * N_SENTENCES))
        ratio = getattr(many, f"{name}_top_weight_error") * np.sqrt(N_SENTENCES) / largest.std()
        assert abs(ratio - 1) < 4 * spread
