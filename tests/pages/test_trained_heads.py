"""The trained_heads page: its pictures follow exponent, text, head and word."""

import numpy as np

from pages._view import compute
from pages._view.lessons.trained_heads import figures
from pages._view.theme import LIGHT
from sattn_core.lessons.trained_heads import TrainedHeadsParams, measure_trained_heads
from tests.pages.opening import charts, open_page, traces


def test_the_record_is_read_once_for_all_exponents(monkeypatch):
    compute.forget()
    asked = []
    monkeypatch.setattr("sattn_core.lessons.trained_heads.recorded", lambda name: asked.append(name) or _kept(name))
    from pages._view.lessons.trained_heads import work

    values = {"text": "cat", "layer": 1, "head": 1, "word": 1}
    first, second = (work.heads(values | {"exponent": each}) for each in (0.0, 0.5))
    assert first is second
    assert asked == ["cat"]
    compute.forget()


def test_a_word_beyond_the_text_is_its_last():
    shown = charts(open_page("trained_heads", text="“On the mat the cat slept; …”", word="70"))
    assert "[SEP]" in shown["trained_row"].alt


def test_an_address_shows_its_head_at_its_exponent():
    app = open_page("trained_heads", exponent="0.3", layer="5", head="2", text="a list")
    found = measure_trained_heads(TrainedHeadsParams("list"))
    assert np.allclose(traces(app, "trained_spread")["heads, σ"]["y"], found.scaled(0.3).score_std.ravel())
    assert np.allclose(traces(app, "trained_matrix")["weights"]["z"], found.weights(5, 2, 0.3))


def _kept(name):
    from sattn_core.encoder_record import recorded

    return recorded(name)


# --- tries ---------------------------------------------------------------------------------------------

ADVERSE = {"exponent": "0.9", "text": "a list", "layer": "2", "head": "5", "word": "3"}


def scaled(app, shown):
    return shown.measure_trained_heads.scaled(app.session_state["exponent"])


def test_try_undivided(tried):
    found = scaled(*tried("trained_heads", "undivided", **ADVERSE))
    assert found.n_tokens == 76
    assert found.score_std.min() > 1
    assert found.median_keys < 2


def test_try_trained(tried):
    found = scaled(*tried("trained_heads", "trained", **ADVERSE))
    assert (found.score_std > 1).mean() > 0.6
    assert found.effective_keys.min() < 2 < 60 < found.effective_keys.max()


def test_try_too_much(tried):
    found = scaled(*tried("trained_heads", "too_much", **ADVERSE))
    assert (found.score_std >= 1).sum() == 1
    assert found.median_keys > 0.9 * found.n_tokens


def test_try_shuffled(tried):
    found = scaled(*tried("trained_heads", "shuffled", **ADVERSE))
    other = measure_trained_heads(TrainedHeadsParams()).scaled(0.5)
    assert np.corrcoef(np.log(found.score_std).ravel(), np.log(other.score_std).ravel())[0, 1] > 0.95


def weights(app, shown):
    state = app.session_state
    return shown.measure_trained_heads.weights(state["layer"], state["head"], state["exponent"])


def test_try_neighbour(tried):
    found = weights(*tried("trained_heads", "neighbour", **ADVERSE))
    assert np.diag(found, -1).min() > 0.99


def test_try_pronoun(tried):
    app, shown = tried("trained_heads", "pronoun", **ADVERSE)
    tokens = shown.measure_trained_heads.tokens
    row = weights(app, shown)[app.session_state["word"] - 1]
    assert tokens[app.session_state["word"] - 1] == "it"
    assert tokens[int(row.argmax())] == "cat"


def test_try_nowhere(tried):
    app, shown = tried("trained_heads", "nowhere", **ADVERSE)
    tokens = shown.measure_trained_heads.tokens
    row = weights(app, shown)[app.session_state["word"] - 1]
    assert (tokens[app.session_state["word"] - 1], tokens[0]) == ("boat", "[CLS]")
    assert row[0] > 0.9


# --- before the bet --------------------------------------------------------------------------------------


def test_before_the_bet_only_the_spreads_are_seen():
    heads = measure_trained_heads(TrainedHeadsParams("cat"))
    found = heads.scaled(0.0)
    known = figures.spread_alone(found, figures.spread(heads, figures.Place(2, 9, 8), 0.0, LIGHT))
    seen = [each["name"] for each in known.figure.data if each["x"][0] is not None]
    assert seen == ["ideal q and k", "heads, σ", "median, σ", "chosen head, σ"]
    assert known.sentence == f"In a typical head the scores of a row spread by {found.median_std:.2g}."
    assert (known.table, known.sure, known.code) == ({}, (), "")
