"""The trained_heads page: its pictures follow exponent, text, head and word."""

from urllib.parse import parse_qsl

import numpy as np
import pytest

from pages._view import compute
from pages._view.lessons.trained_heads import figures, work
from pages._view.theme import LIGHT
from sattn_core.lessons.trained_heads import HeadParams, TrainedHeadsParams, measure_head, measure_trained_heads
from sattn_core.lessons.your_scores import read_your_scores
from tests.pages.opening import charts, open_page, traces


def test_the_record_is_read_once_for_all_exponents(monkeypatch):
    compute.forget()
    asked = []
    monkeypatch.setattr("sattn_core.lessons.trained_heads.recorded", lambda name: asked.append(name) or _kept(name))
    from pages._view.lessons.trained_heads import work

    values = {"text": "cat", "layer": 1, "head_of_layer": 1, "word": 1}
    first, second = (work.heads(values | {"exponent": each}) for each in (0.0, 0.5))
    assert first is second
    assert asked == ["cat"]
    compute.forget()


def test_a_word_beyond_the_text_is_its_last():
    shown = charts(open_page("trained_heads", text="“On the mat the cat slept; …”", word="70"))
    assert "[SEP]" in shown["trained_row"].alt


def test_an_address_shows_its_head_at_its_exponent():
    app = open_page("trained_heads", exponent="0.3", layer="5", head_of_layer="2", text="a list")
    found = measure_trained_heads(TrainedHeadsParams("list"))
    assert np.allclose(traces(app, "trained_spread")["heads, σ"]["y"], found.scaled(0.3).score_std.ravel())
    assert np.allclose(traces(app, "trained_matrix")["weights"]["z"], found.weights(5, 2, 0.3))


def _kept(name):
    from sattn_core.encoder_record import recorded

    return recorded(name)


def test_the_report_of_the_chosen_head_is_one_click_away():
    app = open_page("trained_heads", layer="3", head_of_layer="5")
    (link,) = [each for each in app.main.get("page_link") if each.label == "Its report, on the paragraph"]
    said = dict(parse_qsl(link.proto.query_string))
    report = open_page("your_scores", **said)
    assert report.session_state["head"] == 5
    found = measure_head(HeadParams("paragraph", 3, 5)).report
    assert f"{found.scaled_std:.4g}" in charts(report)["your_histogram"].spec
    assert "dₖ = 32" in charts(report)["your_histogram"].alt.replace("d_k", "dₖ")


def test_the_file_of_a_head_is_read_as_it_was_written():
    values = {"text": "cat", "layer": 6, "head_of_layer": 12}
    result, problem = read_your_scores(("mine.npz", work.head_file(values)))
    assert problem is None
    assert result.report.d_k == 32
    assert result.shown.scaled_std == pytest.approx(measure_head(HeadParams("cat", 6, 12)).report.scaled_std, rel=1e-6)


# --- tries ---------------------------------------------------------------------------------------------

ADVERSE = {"exponent": "0.9", "text": "a list", "layer": "2", "head_of_layer": "5", "word": "3"}


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
    return shown.measure_trained_heads.weights(state["layer"], state["head_of_layer"], state["exponent"])


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
