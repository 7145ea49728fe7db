"""What the attention_steps page promises to whoever clicks a suggestion."""

import numpy as np
import pytest

from pages._view.lessons.attention_steps import figures
from pages._view.theme import LIGHT
from tests.figures.drawing import plotted

ADVERSE = {
    "seed": "7",
    "d_k": "3",
    "preset": "causal",
    "step": "mask",
    "Q": "1, 2",
    "K": "9, 9",
    "V": "5",
    "query": "3",
    "scaling": "off",
}


def shades(shown):
    """How dark raw and scaled scores are on the whole, of the darkest shade there is."""
    result = shown.measure_attention_steps
    traces = plotted(figures.main(result, "scale", (0, 0, 0), LIGHT, scaled=True)).data
    assert [trace.name for trace in traces] == ["raw", "scaled"]
    return [np.minimum(np.abs(np.array(trace.z)) / trace.zmax, 1).mean() for trace in traces]


def test_small_dimension(tried):
    app, shown = tried("attention_steps", "small_dimension", **ADVERSE)
    assert (app.session_state["step"], app.session_state["scaling"]) == ("scale", "on")
    assert shown.measure_attention_steps.d_k == 2
    raw, scaled = shades(shown)
    assert max(raw, scaled) < 0.1
    assert raw == pytest.approx(np.sqrt(2) * scaled, rel=1e-12)


def test_large_dimension(tried):
    _, before = tried("attention_steps", "small_dimension", **ADVERSE)
    before = shades(before)
    app, shown = tried("attention_steps", "large_dimension", **ADVERSE)
    assert (app.session_state["step"], shown.measure_attention_steps.d_k) == ("scale", 256)
    raw, scaled = shades(shown)
    assert raw > 5 * before[0]
    assert scaled < 0.1
    assert abs(scaled - before[1]) < 0.03  # of the darkest shade: no eye sees it


def test_softmax_without_scale(tried):
    app, shown = tried("attention_steps", "softmax_without_scale", **ADVERSE | {"scaling": "on"})
    assert (app.session_state["step"], app.session_state["scaling"]) == ("softmax", "off")
    assert app.session_state["query"] == 1
    assert shown.measure_attention_steps.d_k == 64
    assert shown.measure_attention_steps.unscaled_rows.max_weight[0] > 0.99
    assert shown.measure_attention_steps.scaled_rows.max_weight[0] < 0.6


def test_first_query_sees_nothing(tried):
    app, shown = tried("attention_steps", "first_query_sees_nothing", **ADVERSE)
    assert (app.session_state["step"], app.session_state["query"]) == ("output", 1)
    assert shown.measure_attention_steps.fully_masked_rows == (0,)
    assert not shown.measure_attention_steps.scaled.attention_weights[0].any()
    assert not shown.measure_attention_steps.scaled.output[0].any()
