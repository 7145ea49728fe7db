"""Interpretation of the axes of queries and keys, and the notes on it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sattn_core.files.head_axes import arrange_heads, check_size, described
from sattn_core.files.reading import Reading, ScoreFileError, Task
from sattn_core.files.score_report import check_score_shapes

RNG = np.random.default_rng(6)


def arranged(shape_q, shape_k, **reading):
    Q, K = RNG.standard_normal(shape_q), RNG.standard_normal(shape_k)
    task = Task(Reading(**reading))
    return Q, K, *arrange_heads(Q, K, task), task.notes


def refused(shape_q, shape_k, **reading):
    with pytest.raises(ScoreFileError) as caught:
        arranged(shape_q, shape_k, **reading)
    assert len(str(caught.value)) < 260
    return str(caught.value)


@pytest.mark.parametrize(("heads", "shared"), [(8, 2), (8, 1), (6, 3), (4, 4)])
def test_each_key_head_serves_its_share_of_query_heads(heads, shared):
    Q, K, found_q, found_k, notes = arranged((heads, 10, 4), (shared, 12, 4))
    assert np.array_equal(found_q, Q)
    for h in range(heads):
        assert np.array_equal(found_k[h], K[h // (heads // shared)])
    assert any("serves" in note for note in notes) == (heads != shared)


@pytest.mark.parametrize("ones", [(1,), (1, 1), (1, 1, 1)])
def test_leading_axes_of_length_one_are_dropped(ones):
    Q, _, found, _, notes = arranged((*ones, 5, 12, 4), (*ones, 5, 12, 4))
    assert np.array_equal(found, Q.reshape(5, 12, 4))
    assert "leading axis of 1 left out" in notes


@pytest.mark.parametrize("axes", ["guess", "tokens first"])
@pytest.mark.parametrize("heads", [0, 6])
def test_heads_side_by_side_are_split_as_pytorch_does(axes, heads):
    Q, K, found_q, found_k, notes = arranged((1, 10, 24), (1, 10, 8), heads=6, axes=axes)
    for h in range(6):
        assert np.array_equal(found_q[h], Q[0, :, 4 * h : 4 * h + 4])
        assert np.array_equal(found_k[h], K[0, :, 4 * (h // 3) : 4 * (h // 3) + 4])
    assert "6 heads side by side in Q, d_k = 4" in notes


def test_single_head_of_a_batch_or_a_wide_head_gets_a_note():
    assert (
        "one head of d_k = 12: if heads lie side by side in it, set their number below"
        in arranged((1, 9, 12), (1, 9, 12))[-1]
    )
    assert any("one head of d_k = 512" in note for note in arranged((9, 512), (9, 512))[-1])
    assert arranged((9, 512), (9, 512), heads=1)[-1] == []
    assert arranged((9, 64), (9, 64))[-1] == []


@pytest.mark.parametrize(
    ("shape_q", "shape_k", "reading"),
    [
        ((40, 12, 8), (40, 12, 8), {"axes": "tokens first"}),
        ((40, 12, 8), (40, 12, 8), {"heads": 12}),
        ((100, 12, 8), (100, 12, 8), {}),  # cannot be 100 heads: at most 64 are allowed
        ((40, 1, 8), (40, 1, 8), {}),  # cannot be 40 heads of one token
        ((40, 12, 8), (50, 12, 8), {}),  # 50 key heads cannot serve 40 query heads
        ((40, 12, 8), (40, 4, 8), {"axes": "tokens first"}),
    ],
)
def test_axes_with_tokens_first_are_transposed(shape_q, shape_k, reading):
    Q, K, found_q, found_k, notes = arranged(shape_q, shape_k, **reading)
    assert np.array_equal(np.atleast_3d(found_q).reshape(Q.swapaxes(0, 1).shape), Q.swapaxes(0, 1))
    assert np.array_equal(found_k[0], K[:, 0]) or np.array_equal(found_k, K[:, 0])
    assert "axes taken as (tokens, heads, d_k)" in notes


def test_more_heads_than_tokens_get_a_note_unless_axes_are_set():
    doubt = "(40, 12, 8) taken as 40 heads of 12 tokens: if it is 12 heads of 40 tokens, turn the axes below"
    assert doubt in arranged((40, 12, 8), (40, 12, 8))[-1]
    assert doubt not in arranged((40, 12, 8), (40, 12, 8), axes="heads first")[-1]
    assert not arranged((12, 40, 8), (12, 40, 8))[-1]


@pytest.mark.parametrize(
    ("shape_q", "shape_k", "reading", "message"),
    [
        ((6, 4), (6, 3), {}, "same d_k (last axis), but have shapes (6, 4) and (6, 3)"),
        ((6, 4), (4, 6), {}, "If K is transposed, save K.T."),
        ((1, 6, 24), (1, 6, 8), {}, "if heads lie side by side in it, set their number below"),
        ((2, 8, 6, 4), (2, 8, 6, 4), {}, "Q has 4 axes, (2, 8, 6, 4). Save one element of its batch: Q[0]."),
        ((8, 16, 4), (3, 12, 4), {}, "8 and 3 heads, but each head of K must serve"),
        ((6, 20), (6, 20), {"heads": 3}, "Q has 20 columns, which 3 heads cannot share"),
        ((6, 24), (6, 10), {"heads": 6}, "K has 10 columns, not a multiple of d_k = 4"),
        ((8, 16, 4), (8, 16, 4), {"heads": 3}, "Q has 8 heads by its shape (8, 16, 4), not 3"),
        ((6, 4096), (6, 4096), {}, "d_k = 4,096, but at most 1,024 are allowed: if heads lie side by side"),
        ((64, 2, 1), (1, 4000, 1), {"axes": "heads first"}, ""),
        ((64, 2, 100), (1, 4000, 100), {}, "K may have at most 4,096 rows, 1,024 dimensions, 64 heads"),
    ],
)
def test_unreadable_axes_are_refused_with_advice(shape_q, shape_k, reading, message):
    if message:
        assert message in refused(shape_q, shape_k, **reading)
    else:
        assert arranged(shape_q, shape_k, **reading)[3].shape == (64, 4000, 1)


def test_description_names_each_axis():
    assert described(np.zeros((1200, 8)), np.zeros((30, 8))) == "1,200 queries, 30 keys, d_k = 8"
    assert described(np.zeros((3, 12, 8)), np.zeros((3, 30, 8))) == "3 heads, 12 queries, 30 keys, d_k = 8"


@pytest.mark.parametrize(
    "shape", [(5,), (), (0, 4), (4, 0), (1, 4), (5000, 2), (2, 70_000), (2,) * 7, (-2, 3), (2.0, 3), (10**9, 10**9)]
)
def test_bad_shapes_are_refused_before_any_number_is_read(shape):
    with pytest.raises(ScoreFileError, match=r"^q\.npy "):
        check_size("q.npy", shape)


SIDES = st.integers(1, 6)


@given(st.lists(SIDES, min_size=2, max_size=4), st.lists(SIDES, min_size=2, max_size=4), st.integers(0, 4),
       st.sampled_from(["guess", "heads first", "tokens first"]))  # fmt: skip
def test_any_two_shapes_are_arranged_or_refused_with_a_message(shape_q, shape_k, heads, axes):
    Q, K = np.zeros(shape_q), np.zeros(shape_k)
    try:
        found = arrange_heads(Q, K, Task(Reading(heads=heads, axes=axes)))
    except ScoreFileError:
        return
    check_score_shapes(*(each.shape for each in found))
