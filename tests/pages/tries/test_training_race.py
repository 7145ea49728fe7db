"""What the training_race page promises to whoever clicks a suggestion."""

from tests.pages.opening import charts

ADVERSE = {"optimizer": "adam", "rates": "best", "learning_rate": "0.03", "n_steps": "20", "n_seeds": "2", "seed": "5"}


def finished(app, shown):
    """Right answers after the last step: raw, with 1/√d_k, and with 1/d_k."""
    result, _ = shown.train
    assert result is app.session_state["race_run"].result
    assert charts(app)["race_attention"].sentence.startswith("After 300 steps at dₖ = ")
    assert (result.step, result.params.n_seeds) == (300, 5)
    return result.accuracy.mean[:, -1]


def test_no_harm(tried):
    app, shown = tried("training_race", "no_harm", **ADVERSE, start="scores")
    without, scaled, _ = finished(app, shown)
    assert without >= 0.95
    assert scaled >= 0.95


def test_harm_begins(tried):
    app, shown = tried("training_race", "harm_begins", **ADVERSE, data="fresh", n_pairs="8", exponent="0.3")
    without, scaled, _ = finished(app, shown)
    assert 0.3 < without < 0.5
    assert scaled >= 0.99


def test_same_first_scores(tried):
    app, shown = tried("training_race", "same_first_scores", **ADVERSE, loss="weights", values="trained")
    without, scaled, _ = finished(app, shown)
    assert without >= 0.99
    assert scaled >= 0.99


def test_exact_twin(tried):
    _, shown = tried("training_race", "exact_twin", d_k="8", n_steps="10")
    first, second, *_ = shown.train_equal_pairs
    assert (first.d_k, first.optimizer, second.optimizer) == (256, "sgd", "sgd")
    assert first.largest_difference == second.largest_difference == 0.0


def test_a_suggestion_that_moves_only_the_dimension_is_seen_too(tried):
    """A move of the slider would show the start; whoever clicks is shown the finished race."""
    app, shown = tried("training_race", "no_harm", d_k="64")
    assert finished(app, shown)[0] >= 0.95
