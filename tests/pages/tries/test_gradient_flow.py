"""What the gradient_flow page promises to whoever clicks a suggestion."""

import numpy as np

from pages._view.lessons.gradient_flow import work
from sattn_core.lessons.gradient_flow import PLACES

ADVERSE = {"n_keys": "2", "d_k": "3", "place": "scores", "jacobian": "4, 5", "seed": "77"}


def test_frozen_rows(tried):
    app, shown = tried("gradient_flow", "frozen_rows", **ADVERSE)
    raw, scaled, _ = shown.measure_gradient_flow.frozen_share
    assert 0.6 < raw < 0.7
    assert scaled == 0
    assert app.session_state["place"] == "raw_scores"


def test_typical_row(tried):
    app, shown = tried("gradient_flow", "typical_row", **ADVERSE)
    assert 1.8 < shown.measure_gradient_flow.median_ratio[PLACES.index("raw_scores")] < 2.4
    assert app.session_state["place"] == "raw_scores"


def test_gradient_of_q(tried):
    app, shown = tried("gradient_flow", "gradient_of_q", **ADVERSE)
    curve = shown.gradient_curve
    raw, scaled, _ = curve.statistics.mean[PLACES.index("q")][:, np.array(curve.dims) >= 4]
    assert raw[-1] > 2.5 * raw[0]
    assert scaled.max() / scaled.min() < 1.15
    assert app.session_state["place"] == "q"


def test_second_list(tried):
    app, shown = tried("gradient_flow", "second_list", **ADVERSE)
    row, _ = work.row_jacobian(shown.measure_gradient_flow, app.session_state["jacobian"], 1)
    # Of the colours' limit 1/4: p(1 − p) at a gap of 9, and at a gap of 9/8.
    assert np.abs(row.raw_jacobian).max() < 0.001 * row.colour_limit
    assert np.abs(row.scaled_jacobian).min() > 0.7 * row.colour_limit
