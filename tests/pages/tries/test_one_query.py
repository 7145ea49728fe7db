"""What the one_query page promises to whoever clicks a suggestion."""

from sattn_core.lessons.one_query import KEY_WORDS, OneQueryParams, measure_one_query


def test_invented_only(tried):
    for seed in ("0", "7"):
        app, shown = tried("one_query", "invented_only", d_k="512", seed=seed, step="wander")
        weights = dict(zip(KEY_WORDS, shown.measure_one_query.raw.weights, strict=True))
        assert app.session_state["step"] == "softmax"
        assert abs(weights["cat"] - 2 / 3) < 0.02
        assert abs(weights["mat"] - 1 / 4) < 0.02


def test_large_dimension(tried):
    app, shown = tried("one_query", "large_dimension", seed="7")
    result = shown.measure_one_query
    assert (app.session_state["d_k"], app.session_state["step"]) == (1024, "divide")
    assert result.raw.top_weight > 0.9995
    assert result.scaled.weights.min() >= 0.05


def test_another_draw(tried):
    app, shown = tried("one_query", "another_draw", d_k="8")
    before = measure_one_query(OneQueryParams(64, 0))
    assert (app.session_state["d_k"], app.session_state["seed"]) == (64, 1)
    assert shown.measure_one_query.raw.largest != before.raw.largest
