import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, special

from sattn_core.files.score_report import measure_scores
from sattn_core.lessons.trained_heads import (
    MOST_TOKENS,
    HeadParams,
    TrainedHeadsParams,
    heads_of,
    measure_head,
    measure_trained_heads,
    nearest_exponent,
)
from sattn_core.training.encoder_record import D_K, EXPONENTS, N_HEADS, N_LAYERS, TEXTS, RecordedText, recorded


@pytest.fixture(scope="module")
def paragraph():
    return measure_trained_heads(TrainedHeadsParams())


def one_layer(Q, K):
    """Return a model with one head, for a text with as many words as Q has rows."""
    shape = (1, 1, len(Q), D_K)
    Q, K = (np.resize(np.concatenate([each, np.zeros((len(each), D_K - 1))], axis=1), shape) for each in (Q, K))
    return heads_of(RecordedText("mine", "", tuple("ab")[: len(Q[0, 0])], Q, K, np.ones((len(EXPONENTS), 1))))


def test_spread_and_effective_keys_of_two_words_by_hand():
    """Measure the queries 1, 1 with the keys 1, −1: the raw scores ±1 have variance 1."""
    found = one_layer(np.array([[1.0], [1.0]]), np.array([[1.0], [-1.0]]))
    assert found.raw_scores[0, 0].tolist() == [[1.0, -1.0], [1.0, -1.0]]
    assert found.raw_std.tolist() == [[1.0]]
    raw, trained = found.scaled(0.0), found.scaled(0.5)
    assert raw.score_std.tolist() == [[1.0]]
    assert abs(trained.score_std[0, 0] - 32**-0.5) < 1e-15
    p = 1 / (1 + math.exp(-2))
    assert abs(raw.effective_keys[0, 0] - math.exp(-p * math.log(p) - (1 - p) * math.log(1 - p))) < 1e-14
    assert found.ideal_std == math.sqrt(0.5)


def test_paragraph_agrees_with_an_earlier_measurement(paragraph):
    """Compare with numbers measured earlier on another text of the same length."""
    trained, raw = paragraph.scaled(0.5), paragraph.scaled(0.0)
    assert trained.score_std.shape == (N_LAYERS, N_HEADS)
    assert 0.4 < trained.score_std.min() < 0.5
    assert 12 < trained.score_std.max() < 13
    assert 4 < np.sort(trained.score_std, axis=None)[-2] < 5
    assert (raw.effective_keys < 2).sum() > 50
    assert raw.median_keys < 2 < 15 < trained.median_keys < 25


def test_one_head_of_the_first_layer_attends_to_the_previous_word(paragraph):
    weights = paragraph.weights(1, 3, 0.5)
    assert (weights[1:].argmax(axis=1) == np.arange(len(weights) - 1)).all()
    assert np.diag(weights, -1).min() > 0.9


@pytest.mark.parametrize("name", TEXTS)
def test_texts_have_no_more_words_than_their_price_counts(name):
    assert len(recorded(name).tokens) <= MOST_TOKENS


def test_nearest_exponent_returns_an_index_into_the_record(paragraph):
    assert EXPONENTS[nearest_exponent(paragraph, 0.5)] == 0.5
    assert EXPONENTS[nearest_exponent(paragraph, 0.317)] == 0.32
    assert [nearest_exponent(paragraph, each) for each in EXPONENTS] == list(range(len(EXPONENTS)))


def test_head_agrees_with_its_report():
    params = HeadParams("cat", 6, 12)
    found, kept = measure_head(params), recorded("cat")
    Q, K = (each[5, 11].astype(float) for each in (kept.queries, kept.keys))
    assert found.report.scaled_std == measure_scores(Q, K).heads[0].scaled_std
    assert found.effective_dimension == D_K / found.report.shape_factor
    n = len(kept.tokens)
    assert found.ideal_dimension == D_K * (n - 1) / (n + D_K)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TrainedHeadsParams("poem"), "text must be one of paragraph, shuffled, pronoun, cat, list"),
        (lambda: HeadParams("poem"), "text must be one of"),
        (lambda: HeadParams(layer=7), "layer must be between 1 and 6, but got 7"),
        (lambda: HeadParams(head=0), "head must be between 1 and 12, but got 0"),
    ],
)
def test_bad_arguments_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_out_of_range_exponents_are_refused(paragraph):
    for ask in (lambda: paragraph.scaled(1.5), lambda: paragraph.weights(1, 1, -0.1)):
        with pytest.raises(ValueError, match="exponent must be a finite number in"):
            ask()


# --- properties ----------------------------------------------------------------------------------------


@given(st.floats(0, 1), st.sampled_from(TEXTS[2:]))
def test_spreads_scale_with_the_divisor_and_rows_sum_to_1(exponent, name):
    found = heads_of(recorded(name))
    moved = found.scaled(exponent)
    np.testing.assert_allclose(moved.score_std, found.scaled(0.0).score_std * D_K**-exponent, rtol=1e-12)
    assert ((moved.effective_keys >= 1 - 1e-12) & (moved.effective_keys <= moved.n_tokens + 1e-9)).all()
    np.testing.assert_allclose(found.weights(6, 12, exponent).sum(axis=1), 1, rtol=1e-12)


def test_larger_divisor_raises_the_effective_keys_of_every_head(paragraph):
    seen = [paragraph.scaled(each).effective_keys for each in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert (np.diff(seen, axis=0) > 0).all()


# --- oracles -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTS)
def test_spread_and_effective_keys_of_heads_agree_with_direct_sums(name):
    """Compare three heads with float64 sums over the file's own numbers."""
    kept, found = recorded(name), measure_trained_heads(TrainedHeadsParams(name)).scaled(0.5)
    for layer, head in ((0, 2), (2, 6), (5, 11)):
        Q, K = (each[layer, head].astype(float) for each in (kept.queries, kept.keys))
        rows = [[math.fsum(q * k) / math.sqrt(D_K) for k in K] for q in Q]
        variance = np.mean([np.var(row) for row in rows])
        assert found.score_std[layer, head] == pytest.approx(math.sqrt(variance), rel=1e-12)
        weights = special.softmax(rows, axis=1)
        entropy = special.entr(weights).sum(axis=1)
        assert found.effective_keys[layer, head] == pytest.approx(np.exp(entropy).mean(), rel=1e-10)


@pytest.mark.parametrize("layer", range(N_LAYERS))
def test_reports_of_all_heads_agree_with_direct_formulas(layer):
    """Compute scores from the file's own numbers, and effective dimensions from eigenvalues."""
    kept = recorded("list")
    for j in range(N_HEADS):
        Q, K = (each[layer, j].astype(float) for each in (kept.queries, kept.keys))
        found = measure_head(HeadParams("list", layer + 1, j + 1))
        report, scores = found.report, np.einsum("id,jd->ij", Q, K)
        spread = math.sqrt(scores.var(axis=1).mean())
        paired = (np.trace(scores) / len(Q) - scores.mean()) / spread
        direct = {"scaled_std": spread / math.sqrt(D_K), "within_row_std": spread, "paired_lift": paired}
        for name, value in direct.items():
            assert getattr(report, name) == pytest.approx(value, rel=1e-9), name
        for side, rows in ((report.query, Q), (report.key, K)):
            assert (side.mean, side.variance) == pytest.approx((rows.mean(), rows.var()), rel=1e-9, abs=1e-12)
            eigen = linalg.eigvalsh(np.cov(rows.T))
            assert side.effective_dimension == pytest.approx(eigen.sum() ** 2 / (eigen**2).sum(), rel=1e-9)
        squares, spreads = Q.T @ Q / len(Q), np.cov(K.T, ddof=0)
        shared = np.trace(squares @ spreads) / (np.trace(squares) * np.trace(spreads))
        assert found.effective_dimension == pytest.approx(1 / shared, rel=1e-9)
