"""What the backprop page promises to whoever clicks a suggestion."""

import numpy as np
import pytest

ADVERSE = {"d_k": "3", "exponent": "0", "gradient": "X", "masking": "causal", "weight": "X", "seed": "77"}


def gradient(result, name):
    return next(check.gradient for check in result.gradients if check.name == name)


def test_small_scale(tried):
    app, shown = tried("backprop", "small_scale", **ADVERSE)
    assert (shown.measure_backprop.scale, app.session_state["gradient"]) == (1 / 16, "Q")
    without = np.linalg.norm(shown.measure_backprop.d_Q_without_scale)
    assert np.linalg.norm(gradient(shown.measure_backprop, "Q")) == pytest.approx(without / 16, rel=1e-12)


def test_quadratic(tried):
    _, shown = tried("backprop", "quadratic", **ADVERSE)
    assert shown.central_difference_error.weight == "W_V"
    assert np.isnan(shown.central_difference_error.truncation_slope)
    assert np.isfinite(shown.central_difference_error.rounding_slope)


def test_fully_masked(tried):
    app, shown = tried("backprop", "fully_masked", **ADVERSE)
    d_S = gradient(shown.measure_backprop, "S")
    assert app.session_state["gradient"] == "S"
    assert (d_S[0] == 0).all()
    assert (d_S[1:] != 0).any()
    assert all(check.central_agrees and check.complex_agrees for check in shown.measure_backprop.gradients)
