import math

import numpy as np
import pytest

from sattn_core.components import COMPONENT_LAWS, PairLaw, append_coordinates
from sattn_core.pair_scores import _PART, draw_pair_scores, growing_scores, growing_scores_price, pair_scores_price
from tests.counting import count, so_far

LAWS = tuple(COMPONENT_LAWS)
PAIR = {"mean_q": 0.5, "mean_k": -1.0, "correlation": 0.6}


class Left(Exception):
    """The visitor has left."""


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("pair", [{}, PAIR])
def test_the_same_seed_gives_the_same_scores_and_another_seed_others(law, pair):
    first, second, other = (draw_pair_scores(300, 37, PairLaw(law, **pair), seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, second)
    assert first.shape == (300,)
    assert first.dtype == np.float64
    assert (first != other).mean() > 0.5


@pytest.mark.parametrize(("law", "pair"), [("uniform", {}), ("laplace", PAIR), ("student_t", {}), ("sparse", PAIR)])
def test_a_law_without_a_short_cut_has_its_components_drawn(law, pair):
    wanted = append_coordinates(np.zeros(50), 0, 21, PairLaw(law, **pair), seed=4)
    np.testing.assert_array_equal(draw_pair_scores(50, 21, PairLaw(law, **pair), seed=4), wanted)


@pytest.mark.parametrize("law", LAWS)
def test_more_pairs_come_after_the_first_ones_and_differ_from_them(law):
    scores = draw_pair_scores(2 * _PART, 3, PairLaw(law), seed=0)
    np.testing.assert_array_equal(scores[:_PART], draw_pair_scores(_PART, 3, PairLaw(law), seed=0))
    assert not np.array_equal(scores[:_PART], scores[_PART:])


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("pair", [{}, PAIR])
def test_growing_scores_are_at_each_d_k_those_of_one_draw_alone(law, pair):
    dims = (1, 3, 63, 64, 65, 67, 72, 111, 128)
    for d_k, scores in zip(dims, growing_scores(dims, 50, PairLaw(law, **pair), 4), strict=True):
        np.testing.assert_array_equal(scores, draw_pair_scores(50, d_k, PairLaw(law, **pair), seed=4))


def test_many_growing_scores_come_in_the_same_parts():
    dims = (2, 5)
    for d_k, scores in zip(dims, growing_scores(dims, _PART + 3, PairLaw(), 1), strict=True):
        np.testing.assert_array_equal(scores, draw_pair_scores(_PART + 3, d_k, seed=1))


@pytest.mark.parametrize("law", ["normal", "sparse"])
def test_the_price_of_growing_scores_counts_what_they_share_once(law):
    def draws(*dims):
        return growing_scores_price(dims, 100_000, PairLaw(law)).draws

    assert draws(1000) == pair_scores_price(100_000, 1000, PairLaw(law)).draws
    assert draws(992, 1000) == draws(1000)  # 1000 is reached by way of 992
    assert draws(65, 1000) > draws(1000)


def test_signs_add_up_to_the_lattice():
    for d_k in (1, 5, 63, 64, 65, 200):
        scores = draw_pair_scores(500, d_k, PairLaw("rademacher"), seed=2)
        np.testing.assert_array_equal(scores % 2, d_k % 2)
        assert np.abs(scores).max() <= d_k


def test_one_more_coordinate_of_signs_adds_plus_or_minus_one():
    scores = [draw_pair_scores(500, d_k, PairLaw("rademacher"), seed=2) for d_k in range(60, 70)]
    np.testing.assert_array_equal(np.abs(np.diff(scores, axis=0)), np.ones((9, 500)))


def test_signs_by_hand():
    # q = 0.5 ± 1, k = 2 − (q − 0.5): q k = 1.5 or −1.5, so three of them add up to ±1.5 or ±4.5
    scores = draw_pair_scores(200, 3, PairLaw("rademacher", mean_q=0.5, mean_k=2.0, correlation=-1.0), seed=0)
    assert set(np.round(scores, 12)) == {-4.5, -1.5, 1.5, 4.5}


@pytest.mark.parametrize("law", ["normal", "sparse"])
def test_a_move_of_d_k_keeps_what_lies_below(law):
    # Scores of one draw: correlated like sums that share coordinates, and closer the fewer are added.
    scores = {d_k: draw_pair_scores(4_000, d_k, PairLaw(law), seed=5) for d_k in (64, 72, 100, 101)}
    for small, large in ((64, 72), (72, 100), (100, 101)):
        correlation = np.corrcoef(scores[small], scores[large])[0, 1]
        # Fisher's z has standard error 1/√n for normal pairs; the sparse law's is up to three times as large.
        assert abs(np.arctanh(correlation) - np.arctanh(math.sqrt(small / large))) < 4 * 3 / math.sqrt(4_000)


@pytest.mark.parametrize("pair", [{}, {"mean_q": 1.0, "correlation": -1.0}, {"mean_k": 2.0, "correlation": 1.0}])
def test_normal_scores_at_the_ends_of_the_correlation_are_finite(pair):
    for d_k in (1, 2, 3, 5, 1023):
        assert np.isfinite(draw_pair_scores(100, d_k, PairLaw(**pair), seed=0)).all()


def test_fully_aligned_pairs_score_the_length_of_their_queries():
    assert (draw_pair_scores(1_000, 7, PairLaw(correlation=1.0), seed=0) >= 0).all()
    assert (draw_pair_scores(1_000, 7, PairLaw(correlation=-1.0), seed=0) <= 0).all()


@pytest.mark.parametrize(
    ("options", "n_samples"),
    [({"law": "student_t"}, 1_000_000), ({"law": "normal"}, 1_000_000), ({"law": "sparse"}, 1_000_000)],
)
def test_a_long_draw_asks_often_whether_to_go_on_and_ends_when_told_so(options, n_samples):
    drawn = []

    def check():
        drawn.append(so_far().draws)
        if len(drawn) == 6:
            raise Left

    def draw():
        with pytest.raises(Left):
            draw_pair_scores(n_samples, 1_000, PairLaw(**options), seed=0, check=check)

    count(draw)
    assert len(drawn) == 6
    assert 0 < max(np.diff(drawn)) < 10_000_000  # a tenth of a second


@pytest.mark.parametrize("law", LAWS)
def test_every_law_can_be_ended_after_its_first_block(law):
    def check():
        raise Left

    with pytest.raises(Left):
        draw_pair_scores(10, 10, PairLaw(law), seed=0, check=check)


def test_the_price_grows_with_d_k_only_where_every_component_is_drawn():
    def draws(law, d_k, **pair):
        return pair_scores_price(1_000_000, d_k, PairLaw(law, **pair)).draws

    for law, growth in (("normal", 11 / 6), ("rademacher", 16), ("sparse", 11 / 6)):
        assert draws(law, 1024) == pytest.approx(growth * draws(law, 32))
    for law, pair in (("uniform", {}), ("laplace", {}), ("student_t", {}), ("sparse", PAIR)):
        assert draws(law, 1024, **pair) == pytest.approx(32 * draws(law, 32, **pair))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n_samples": 0}, ValueError, "n_samples must be at least 1, but got 0"),
        ({"d_k": 0}, ValueError, "d_k must be at least 1, but got 0"),
        ({"d_k": 2.0}, TypeError, "d_k must be an integer, but got 2.0"),
        ({"pair_law": "normal"}, TypeError, "pair_law must be a PairLaw, but got 'normal'"),
        ({"seed": -1}, ValueError, "seed must be at least 0"),
    ],
)
def test_bad_arguments_are_refused(change, error, message):
    with pytest.raises(error) as caught:
        draw_pair_scores(**({"n_samples": 4, "d_k": 2, "seed": 0} | change))
    assert message in str(caught.value)
