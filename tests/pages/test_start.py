"""The start page: its hero shows the link's d_k, and its cards lead to the lessons."""

import json

import pytest
from starlette.applications import Starlette

from pages._view.lessons import LESSONS, ORDER
from pages._view.server import moving
from pages._view.shared import DIMENSIONS
from sattn_core.lessons.start import StartParams
from tests.pages.asgi import ask
from tests.pages.opening import large_slider, open_page, settle, widget

SECTIONS = ("The path", "Go deeper")


def hero(app, key="hero"):
    """Return the hero's data."""
    (found,) = [json.loads(each.proto.json)[0] for each in app.get("bidi_component") if each.key == key]
    return found


def test_hero_shows_the_d_k_of_a_link():
    app = open_page("start", d_k="300", n_keys="48")
    (here,) = hero(app, "hero_between")["stops"]
    assert large_slider(app).value == here["d_k"] == 300
    assert here["sentence"].startswith("At dₖ = 300, raw, ")
    for key in ("hero", "hero_between"):
        assert hero(app, key)["headings"]["weights"][0] == "Weights of one query’s 48 keys"


def test_stops_do_not_change_with_d_k_and_are_sent_once():
    # Unchanged data are sent as the hash of the data that the browser already has.
    app = open_page("start")
    stops = hero(app)
    assert [each["d_k"] for each in stops["stops"]] == list(DIMENSIONS)
    assert hero(app, "hero_between") == {"stops": []}
    for typed, between in ((65, [65]), (88, [65]), (7, [65]), (301, [65, 301])):
        widget(app, "d_k").set_value(typed)
        settle(app)
        assert hero(app) == stops
        assert [each["d_k"] for each in hero(app, "hero_between")["stops"]] == between


def test_typed_d_k_is_measured_without_measuring_the_stops_again(asked):
    app = open_page("start")
    widget(app, "d_k").set_value(65)
    settle(app)
    params = [each for _, args, _ in asked for each in args if isinstance(each, StartParams)]
    assert {each.dims for each in params} == {DIMENSIONS, (65,)}


def test_cards_ask_for_bets_unless_the_address_declines():
    for address, carried in (({}, "bet=1"), ({"bet": "0"}, "")):
        links = open_page("start", **address).main.get("page_link")
        said = {each.proto.query_string.partition("bet=")[1:] for each in links}
        assert said == {("bet=", "1") if carried else ("", "")}


def test_hero_has_the_same_data_without_a_session():
    app = open_page("start", d_k="50", seed="3")
    _, _, told = ask(Starlette(routes=moving.routes()), "/moving/start?d_k=50&seed=3&ground=light")
    assert json.loads(told) == {"stops": hero(app), "between": hero(app, "hero_between")}


def test_projector_mode_shows_only_the_hero():
    app = open_page("start", mode="projector")
    assert hero(app)["mode"] == "projector"
    assert [*app.header] == []
    assert [each.proto.label for each in app.main.get("page_link")] == ["Next lesson", LESSONS[ORDER[1]].question]


# --- tries ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", ["0", "7"])
def test_try_large_dimension(tried, seed):
    app, shown = tried("start", "large_dimension", seed=seed, n_keys="512", law="sparse")
    here = list(shown.measure_start.sweep.dims).index(1024)
    raw, scaled = shown.measure_start.raw_weights[here], shown.measure_start.scaled_weights[here]
    assert (app.session_state["d_k"], app.session_state["n_keys"]) == (1024, 16)
    assert max(raw) > 0.9
    assert sum(w > 0.01 for w in scaled) > 8
