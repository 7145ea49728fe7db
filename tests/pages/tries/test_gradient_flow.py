"""What the gradient_flow page promises to whoever clicks a suggestion."""

import numpy as np

from pages._view.lessons.gradient_flow import work
from sattn_core.lessons.gradient_flow import PLACES

ADVERSE = {"n_keys": "2", "d_k": "3", "place": "scores", "jacobian": "4, 5", "seed": "77"}


def test_many_keys(tried):
    app, shown = tried("gradient_flow", "many_keys", **ADVERSE)
    rows = shown.freezing_rows
    raw, scaled = rows.frozen[:, rows.dims.index(512)]
    assert (app.session_state["n_keys"], rows.n_keys) == (64, 64)
    assert 51 <= raw <= 65
    assert scaled == 0
    share = shown.measure_gradient_flow.frozen_share
    assert 0.52 < share[0] < 0.6
    assert share[1] == 0


def test_small_dimension(tried):
    _, shown = tried("gradient_flow", "small_dimension", **ADVERSE | {"d_k": "512"})
    rows = shown.freezing_rows
    assert rows.frozen[:, rows.dims.index(4)].tolist() == [0, 0]
    assert shown.measure_gradient_flow.params.d_k == 4


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
