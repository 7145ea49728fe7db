"""What the score_variance page promises to whoever clicks a suggestion."""

import pytest

from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance

ADVERSE = {
    "sampling": "matrix", "d_k": "3", "mean_q": "-2", "mean_k": "0.5", "correlation": "0.3",
    "n_samples": "1000", "n_queries": "64", "n_keys": "128", "law": "sparse", "seed": "77",
}  # fmt: skip


def test_means_of_one(tried):
    _, shown = tried("score_variance", "means_of_one", **ADVERSE)
    variance = shown.measure_score_variance.rows[1]
    assert shown.measure_score_variance.params.d_k == 64
    assert variance.predicted == 3 * 64
    assert variance.measured == pytest.approx(3 * 64, rel=0.05)


def test_aligned(tried):
    _, shown = tried("score_variance", "aligned", **ADVERSE)
    raw, scaled = shown.measure_score_variance.rows[0], shown.measure_score_variance.rows[3]
    assert (raw.predicted, scaled.predicted) == (64, 8)
    assert raw.measured == pytest.approx(64, rel=0.02)
    assert scaled.measured == pytest.approx(8, rel=0.02)


def test_few_rows(tried):
    _, shown = tried("score_variance", "few_rows", **ADVERSE)
    assert shown.measure_score_variance.params.sampling == "matrix"
    one, many = (
        result.rows[1].high - result.rows[1].low
        for result in (shown.measure_score_variance, measure_score_variance(ScoreVarianceParams(64, 50_000)))
    )
    assert one > 10 * many
