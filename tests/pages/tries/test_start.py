"""What the start page promises to whoever clicks a suggestion."""

import pytest


@pytest.mark.parametrize("seed", ["0", "7"])
def test_large_dimension(tried, seed):
    app, shown = tried("start", "large_dimension", seed=seed, n_keys="512", law="sparse")
    here = list(shown.measure_start.sweep.dims).index(1024)
    raw, scaled = shown.measure_start.raw_weights[here], shown.measure_start.scaled_weights[here]
    assert (app.session_state["d_k"], app.session_state["n_keys"]) == (1024, 16)
    assert max(raw) > 0.9
    assert sum(w > 0.01 for w in scaled) > 8


def test_one_component(tried):
    _, shown = tried("start", "one_component", d_k="300")
    here = list(shown.measure_start.sweep.dims).index(1)
    assert (shown.measure_start.raw_weights[here] == shown.measure_start.scaled_weights[here]).all()
