"""What the score_variance page promises to whoever clicks a suggestion."""

import pytest

from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance
from tests.pages.opening import charts

ADVERSE = {
    "sampling": "matrix", "d_k": "3", "mean_q": "-2", "mean_k": "0.5", "correlation": "0.3",
    "n_samples": "1000", "n_queries": "64", "n_keys": "128", "law": "sparse", "seed": "77",
}  # fmt: skip


def seen(app):
    return charts(app)["score_histograms"].sentence


def test_sixteen_times(tried):
    app, shown = tried("score_variance", "sixteen_times", **ADVERSE)
    there, before = shown.measure_score_variance, measure_score_variance(ScoreVarianceParams(64, 10_000))
    assert (there.params.d_k, there.params.n_samples) == (1024, before.params.n_samples)
    assert there.theory.variance / before.theory.variance == 16
    assert there.raw_std / before.raw_std == pytest.approx(4, rel=0.05)
    assert "spread by about 32, the root of dₖ" in seen(app)


def test_mean_of_two(tried):
    app, shown = tried("score_variance", "mean_of_two", **ADVERSE)
    given, before = shown.measure_score_variance, measure_score_variance(ScoreVarianceParams(64, 10_000))
    assert given.theory.variance == 5 * 64
    assert given.raw_std > 2 * before.raw_std
    assert given.scaled_std == pytest.approx(5**0.5, rel=0.05)
    assert "more than the root of dₖ" in seen(app)


def test_aligned(tried):
    app, shown = tried("score_variance", "aligned", **ADVERSE)
    raw, scaled = shown.measure_score_variance.rows[0], shown.measure_score_variance.rows[3]
    assert (raw.predicted, scaled.predicted) == (1024, 32)
    assert raw.measured == pytest.approx(1024, rel=0.01)
    assert scaled.measured == pytest.approx(32, rel=0.01)
    assert "raw scores average 1,02" in seen(app)
    assert "still 32.0." in seen(app)


def test_few_rows(tried):
    app, shown = tried("score_variance", "few_rows", **ADVERSE)
    assert shown.measure_score_variance.n_scores == 32
    assert "raw scores spread by about 6.7, less than the root of dₖ" in seen(app)
    assert shown.measure_score_variance.params.sampling == "matrix"
