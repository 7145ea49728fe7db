"""What the softmax_saturation page promises to whoever clicks a suggestion."""

import math

import numpy as np
import pytest

ADVERSE = {
    "list_1": "4, five",
    "list_2": "3 3 3",
    "list_3": "1, 2",
    "multiplier": "1/8",
    "shift": "-30",
    "n_keys": "2",
    "d_k": "9",
}


def row_at(app, shown):
    """The row of the settings that the page now has: raw and scaled weights."""
    row = shown.measure_row
    i = row.dims.index(app.session_state["d_k"])
    return row.raw_weights[i], row.scaled_weights[i]


def test_large_dimension(tried):
    app, shown = tried("softmax_saturation", "large_dimension", **ADVERSE | {"law": "sparse", "seed": "9"})
    raw, scaled = row_at(app, shown)
    assert (app.session_state["d_k"], raw.size) == (1024, 16)
    assert raw.max() > 0.995
    assert scaled.max() < 0.5


def test_one_component(tried):
    app, shown = tried("softmax_saturation", "one_component", **ADVERSE)
    raw, scaled = row_at(app, shown)
    assert app.session_state["d_k"] == 1
    np.testing.assert_array_equal(raw, scaled)
    assert raw.max() > 1 / 16


def test_stretched(tried):
    _, shown = tried("softmax_saturation", "stretched", **ADVERSE)
    assert len(shown.compare_lists.max_weight) == 2
    assert min(shown.compare_lists.max_weight) > 1 - 1e-12


def test_shrunk(tried):
    _, shown = tried("softmax_saturation", "shrunk", **ADVERSE)
    # Gaps of 1/64 and 9/64: 1/(1 + e^-gap).
    np.testing.assert_allclose(shown.compare_lists.max_weight, [0.5039, 0.5351], atol=5e-5)


def test_shifted(tried):
    _, shown = tried("softmax_saturation", "shifted", **ADVERSE)
    first, second = shown.compare_lists.attention_weights
    assert shown.compare_lists.scores[0].tolist() == [104.0, 105.0]
    np.testing.assert_allclose(first[1], 1 / (1 + math.exp(-1)), rtol=1e-14)
    np.testing.assert_allclose(second[1], 1 / (1 + math.exp(-9)), rtol=1e-14)


def test_many_keys(tried):
    _, shown = tried("softmax_saturation", "many_keys", **ADVERSE)
    assert shown.measure_saturation.freezing_d_k == pytest.approx(12.5, abs=0.05)
    assert 2 * math.log(16) == pytest.approx(5.55, abs=0.005)
