"""What the your_scores page promises to whoever clicks a suggestion."""

import pytest

ADVERSE = {"head": "7", "d_k": "3", "seed": "9", "sample": "ideal"}


def test_layer_norm_mha(tried):
    _, shown = tried("your_scores", "layer_norm_mha", **ADVERSE)
    result = shown.measure_sample
    assert len(result.rows) == 8
    assert result.report.code == "too_strong"
    for row in result.rows:
        assert row.scaled_std == pytest.approx(0.5, abs=0.02)
        assert (row.q_variance, row.k_variance) == pytest.approx((0.5, 0.5), abs=0.05)


def test_anisotropic(tried):
    _, shown = tried("your_scores", "anisotropic", **ADVERSE)
    row = shown.measure_sample.rows[0]
    assert row.code == "too_weak"
    assert row.scaled_std == pytest.approx(2.0, abs=0.05)
    assert (row.q_variance, row.k_variance) == pytest.approx((1.0, 1.0), abs=0.05)


def test_aligned(tried):
    app, shown = tried("your_scores", "aligned", **ADVERSE)
    result = shown.measure_sample
    assert (result.report.d_k, app.session_state["d_k"]) == (256, 256)
    assert result.report.code == "aligned"
    assert result.rows[0].paired_lift > 6
    assert "close to 1, but query i scores" in result.report.verdict


def test_heavy_tailed(tried):
    _, shown = tried("your_scores", "heavy_tailed", **ADVERSE)
    head = shown.measure_sample.shown
    assert head.code == "right"
    assert head.scaled_std == pytest.approx(0.97, abs=0.005)
    assert not head.scaled_band[0] <= head.scaled_std <= head.scaled_band[1]
    assert head.tail_band[0] <= head.scaled_std <= head.tail_band[1]
    assert min(head.query.kurtosis, head.key.kurtosis) > 20
    assert "tails as heavy as here" in head.chance
