"""What the unit_variance page promises to whoever clicks a suggestion."""

import pytest

ADVERSE = {"d_k": "3", "n_heads": "64", "x_mean": "5", "x_std": "7", "normalise": "off", "bias": "on", "seed": "4"}


def deviations(shown):
    return {stage.name: stage.std for stage in shown.measure_unit_variance.stages}


def test_wide_x(tried):
    _, shown = tried("unit_variance", "wide_x", **ADVERSE)
    assert deviations(shown)["x"] == pytest.approx(100, rel=0.03)
    assert deviations(shown)["layer_norm"] == pytest.approx(1, abs=1e-6)


def test_wide_x_without_layer_norm(tried):
    _, shown = tried("unit_variance", "wide_x_without_layer_norm", **ADVERSE)
    wide = deviations(shown)["scaled_scores"]
    _, shown = tried("unit_variance", "wide_x", **ADVERSE)
    assert wide / deviations(shown)["scaled_scores"] == pytest.approx(10_000, rel=0.03)


def test_xavier_square(tried):
    _, shown = tried("unit_variance", "xavier_square", scheme="he_normal", **ADVERSE)
    assert deviations(shown)["scaled_scores"] == pytest.approx(1, rel=0.05)
    assert shown.measure_unit_variance.stages[-1].predicted_std == pytest.approx(
        1, rel=1e-4
    )  # but for the eps of LayerNorm


def test_keras(tried):
    _, shown = tried("unit_variance", "keras", scheme="he_normal", **ADVERSE)
    assert deviations(shown)["scaled_scores"] < 0.03
