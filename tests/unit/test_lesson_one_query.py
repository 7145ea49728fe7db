"""The numbers of the one_query lesson that can be checked in the head."""

import numpy as np
import pytest

from sattn_core.lessons.one_query import (
    EXAMPLE_KEY,
    INVENTED_KEYS,
    INVENTED_QUERY,
    KEY_WORDS,
    QUERY_WORD,
    SENTENCE,
    OneQueryParams,
    measure_one_query,
)


def measured(d_k, seed=0):
    return measure_one_query(OneQueryParams(d_k, seed))


def test_the_words_of_the_keys_stand_in_the_sentence_in_their_order_and_the_query_once():
    words = SENTENCE.replace(":", "").replace(".", "").split()
    assert [word for word in words if word in KEY_WORDS] == list(KEY_WORDS)
    assert words.count(QUERY_WORD) == 1


def test_the_invented_numbers_are_whole_or_half_and_so_are_their_products():
    invented = np.array([INVENTED_QUERY, *INVENTED_KEYS])
    assert (2 * invented == np.rint(2 * invented)).all()
    products = measured(4).products
    assert (2 * products == np.rint(2 * products)).all()


def test_the_products_of_the_example_add_up_to_its_score():
    result = measured(4)
    assert result.products[EXAMPLE_KEY].tolist() == [1.5, 0.5, -0.5, 0.5]
    assert result.walk.sums[EXAMPLE_KEY].tolist() == [0, 1.5, 2, 1.5, 2]
    assert result.raw.scores[EXAMPLE_KEY] == 2


@pytest.mark.parametrize("d_k", [1, 2, 3])
def test_a_small_dimension_has_its_first_invented_numbers_only(d_k):
    result = measured(d_k)
    assert result.query.tolist() == list(INVENTED_QUERY[:d_k])
    assert result.keys.tolist() == [list(key[:d_k]) for key in INVENTED_KEYS]
    assert (result.n_invented, result.n_up.tolist(), result.n_down.tolist()) == (d_k, [0] * 4, [0] * 4)


def test_from_the_fifth_on_every_product_is_one_up_or_one_down():
    result = measured(100, seed=3)
    assert set(np.unique(result.products[:, 4:])) == {-1, 1}
    assert (result.n_up + result.n_down == 96).all()
    assert (result.raw.scores == result.invented_scores.scores + result.n_up - result.n_down).all()


def test_the_largest_and_the_smallest_are_named_and_several_where_they_tie():
    row = measured(3).raw
    assert row.scores.tolist() == [1.5, 1.5, -2, -1]
    assert (row.largest, row.smallest) == ((0, 1), (2,))
    assert row.top_weight == row.weights[0] == row.weights[1]


def test_divided_at_one_coordinate_nothing_changes():
    result = measured(1)
    assert result.divisor == 1
    assert (result.raw.weights == result.scaled.weights).all()


def test_dividing_by_root_64_divides_by_eight():
    result = measured(64)
    assert result.divisor == 8
    np.testing.assert_array_equal(result.scaled.scores, result.raw.scores / 8)


@pytest.mark.parametrize("seed", [0, 11, 23])
def test_the_axes_of_the_sums_stand_still_and_hold_every_sum(seed):
    walks = [measured(d_k, seed).walk for d_k in (1, 4, 64, 1024)]
    assert {walk.horizon for walk in walks} == {1024}
    assert {walk.limit for walk in walks} == {max(64, np.abs(walks[-1].sums).max())}


def test_the_places_of_the_sums_are_the_roots_of_the_numbers_of_products():
    walk = measured(64).walk
    np.testing.assert_allclose(walk.roots[[0, 1, 4, 64]], [0, 1, 2, 8], rtol=1e-15)
    assert walk.roots.shape == walk.sums[0].shape


def test_what_is_drawn_is_counted_in_standard_deviations():
    result = measured(68, seed=2)
    assert result.drawn_std == 8
    assert (8 * result.drawn_z == result.n_up - result.n_down).all()
    assert (measured(4).drawn_std, measured(4).drawn_z.tolist()) == (0, [0, 0, 0, 0])


@pytest.mark.parametrize(("d_k", "seed", "named"), [(0, 0, "d_k"), (1025, 0, "d_k"), (4, -1, "seed")])
def test_params_out_of_range_are_refused(d_k, seed, named):
    with pytest.raises(ValueError, match=named):
        OneQueryParams(d_k, seed)
