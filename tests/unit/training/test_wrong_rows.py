"""Wrong rows and their descent: the short form compared with full queries and keys, and with autograd."""

import numpy as np
import pytest

from sattn_core.laws.components import block_generator
from sattn_core.layers.softmax import softmax
from sattn_core.training.key_value_memory import LOSSES
from sattn_core.training.wrong_rows import LEARNERS, WrongRows, descend, draw_wrong_rows, row_blocks

HOW = [(loss, learns) for loss in LOSSES for learns in LEARNERS]
D_K, N_KEYS, N_ROWS = 12, 5, 7
SCALES, RATES = np.array([1.0, D_K**-0.5, 1 / D_K]), np.array([0.03, 0.4, 3.0])


def drawn_vectors(d_k, n_keys, row, seed):
    """Return the query and keys of a row, drawn as documented: first two integers, then component by component."""
    rng = block_generator(seed, 3, row)
    rng.integers(n_keys), rng.integers(n_keys - 1)
    vectors = rng.standard_normal((d_k, 1 + n_keys))
    return vectors[:, 0], vectors[:, 1:].T


def steps_of(rows, n_steps, **how):
    """Return the scaled scores and the weights on the right key after each step, as arrays."""
    steps = zip(range(n_steps + 1), descend(rows, SCALES, RATES, **how), strict=False)
    scores, weights = zip(*((scores.copy(), weight) for _, (scores, weight) in steps), strict=True)
    return np.array(scores), np.array(weights)


# --- the rows ------------------------------------------------------------------------------------------


def test_rows_hold_the_products_of_the_drawn_query_and_keys():
    rows = draw_wrong_rows(D_K, N_KEYS, range(N_ROWS), seed=4)
    for row in range(N_ROWS):
        q, K = drawn_vectors(D_K, N_KEYS, row, seed=4)
        np.testing.assert_allclose(rows.raw_scores[row], K @ q, rtol=1e-12)
        np.testing.assert_allclose(rows.gram[row], K @ K.T, rtol=1e-12, atol=1e-12)
        assert rows.squared_length[row] == pytest.approx(q @ q, rel=1e-12)
        assert rows.winner[row] == np.argmax(K @ q)


def test_every_row_starts_wrong_and_a_row_does_not_depend_on_its_block():
    rows = draw_wrong_rows(64, 16, range(100), seed=0)
    assert (rows.right_key != rows.winner).all()
    alone = draw_wrong_rows(64, 16, range(41, 42), seed=0)
    assert np.array_equal(alone.gram[0], rows.gram[41])
    assert alone.right_key[0] == rows.right_key[41]


def test_larger_d_k_appends_components_and_keeps_most_right_keys():
    less, more = (draw_wrong_rows(d_k, 16, range(100), seed=0) for d_k in (64, 65))
    q, K = drawn_vectors(65, 16, 9, seed=0)
    np.testing.assert_allclose(more.raw_scores[9] - less.raw_scores[9], K[:, -1] * q[-1], atol=1e-12)
    same = less.right_key == more.right_key
    assert 0.9 < same.mean() <= 1
    far = draw_wrong_rows(1024, 16, range(100), seed=0)
    moved = less.right_key != far.right_key
    assert moved.any()
    assert ((far.winner == less.right_key) | (less.winner == far.right_key))[moved].all()


def test_right_key_is_uniform_among_the_keys_that_do_not_win():
    rows = draw_wrong_rows(2, 4, range(4_000), seed=1)
    counts = np.bincount((rows.right_key - rows.winner) % 4, minlength=4)
    assert counts[0] == 0
    # A count of 4,000/3 has a standard error of 29.8.
    assert np.abs(counts[1:] - 4_000 / 3).max() < 4 * 29.8


def test_blocks_hold_every_row_once_and_bound_the_memory():
    for n_keys, n_columns, learns in ((2, 3, "q"), (16, 57, "q"), (512, 57, "q"), (512, 3, "both"), (40, 3, "both")):
        blocks = row_blocks(100, n_keys, n_columns, learns)
        assert [row for block in blocks for row in block] == list(range(100))
        matrices = n_keys**2 * (n_columns if learns == "both" else 1)
        assert len(blocks[0]) == 1 or len(blocks[0]) * matrices <= 1_000_000


# --- full queries and keys -----------------------------------------------------------------------------


def full_descent(q, K, right, scale, rate, n_steps, *, loss, learns):
    """Return the weights at every step of descent on q, on K or on both, with the gradients written out."""
    weights, wanted = [], np.eye(len(K))[right]
    for _ in range(n_steps + 1):
        p = softmax(scale * (K @ q))
        weights.append(p)
        jacobian = np.diag(p) - np.outer(p, p)
        slope = jacobian @ (p - wanted) if loss == "output" else p - wanted
        d_q, d_K = scale * K.T @ slope, scale * np.outer(slope, q)
        if learns != "K":
            q = q - rate * d_q
        if learns != "q":
            K = K - rate * d_K
    return np.array(weights)


@pytest.mark.parametrize(("loss", "learns"), HOW)
def test_short_form_is_gradient_descent_on_full_query_and_keys(loss, learns):
    rows = draw_wrong_rows(D_K, N_KEYS, range(N_ROWS), seed=2)
    scores, found = steps_of(rows, 40, loss=loss, learns=learns)
    assert (np.abs(found[-1] - found[0]).max(axis=0) > 0.01).all()  # something is learnt in each column
    for row in range(N_ROWS):
        q, K = drawn_vectors(D_K, N_KEYS, row, seed=2)
        right = rows.right_key[row]
        for column, (scale, rate) in enumerate(zip(SCALES, RATES, strict=True)):
            full = full_descent(q, K, right, scale, rate, 40, loss=loss, learns=learns)
            np.testing.assert_allclose(found[:, row, column], full[:, right], rtol=1e-8, atol=1e-12)
            np.testing.assert_allclose(softmax(scores[:, row, :, column]), full, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(("loss", "learns"), HOW)
def test_descent_by_torch_takes_the_same_steps(loss, learns, torch):
    rows = draw_wrong_rows(D_K, N_KEYS, range(N_ROWS), seed=3)
    _, found = steps_of(rows, 20, loss=loss, learns=learns)
    q, K = drawn_vectors(D_K, N_KEYS, 0, seed=3)
    right = int(rows.right_key[0])
    for column, (scale, rate) in enumerate(zip(SCALES, RATES, strict=True)):
        query, keys = (torch.tensor(each, requires_grad=True) for each in (q, K))
        learning = {"q": [query], "K": [keys], "both": [query, keys]}[learns]
        optimizer = torch.optim.SGD(learning, lr=float(rate))
        for step in range(21):
            scores = scale * (keys @ query)
            p = torch.softmax(scores, 0)
            np.testing.assert_allclose(found[step, 0, column], p[right].item(), rtol=1e-9)
            wanted = torch.eye(N_KEYS, dtype=p.dtype)[right]
            value = 0.5 * ((p - wanted) ** 2).sum() if loss == "output" else -torch.log_softmax(scores, 0)[right]
            optimizer.zero_grad()
            value.backward()
            optimizer.step()


# --- properties ----------------------------------------------------------------------------------------


def test_shifting_the_scores_changes_no_weight():
    rows = draw_wrong_rows(D_K, N_KEYS, range(N_ROWS), seed=5)
    shifted = WrongRows(rows.raw_scores + 3.0, rows.gram, rows.squared_length, rows.winner, rows.right_key)
    np.testing.assert_allclose(steps_of(shifted, 30)[1], steps_of(rows, 30)[1], rtol=1e-9)


def test_small_steps_never_raise_the_loss():
    rows = draw_wrong_rows(D_K, N_KEYS, range(N_ROWS), seed=6)
    for loss, learns in HOW:
        found = descend(rows, np.array([D_K**-0.5]), np.array([0.01]), loss=loss, learns=learns)
        p = np.array([softmax(scores[..., 0]) for _, (scores, _) in zip(range(50), found, strict=False)])
        wanted = np.eye(N_KEYS)[rows.right_key]
        right = (p * wanted).sum(axis=-1)
        losses = 0.5 * ((p - wanted) ** 2).sum(axis=-1) if loss == "output" else -np.log(right)
        assert (np.diff(losses, axis=0) < 0).all()


def test_overflow_gives_nan_without_a_warning():
    rows = draw_wrong_rows(64, 16, range(20), seed=0)
    steps = descend(rows, np.ones(1), np.array([1e5]), loss="weights", learns="both")
    weights = np.array([weight for _, (_, weight) in zip(range(201), steps, strict=False)])
    gone = np.isnan(weights)
    assert 0 < gone[-1].sum()
    assert (np.diff(gone.astype(int), axis=0) >= 0).all()
