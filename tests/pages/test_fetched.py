"""Pictures that the browser fetches, so that a run of the page neither computes nor sends them."""

import json
from dataclasses import replace

import pytest

from pages._view import compute
from pages._view.address import Address
from pages._view.lessons import LESSONS, VIEWS
from pages._view.stage import Stage
from tests.pages.opening import DRAWN, app_at, at_step, fetched, open_page, widget

# Steps whose figure shows more at rest than during a drag, a computation that takes turns, and the race.
SENT = {
    ("unit_variance", "stages"),
    ("long_context", "keys"),
    ("wrong_choice", "every_size"),
    ("training_race", "race"),
}
FETCHED = [each for each in DRAWN if each not in SENT]
FIRST = list({stem: (stem, step) for stem, step in reversed(FETCHED)}.values())  # the first of each lesson
LATER = [pytest.param(*each, marks=pytest.mark.walk) for each in FETCHED if each not in FIRST]
# Links to pictures that `moving/` cannot draw at once, or not from the address alone.
OWN = {
    "bet": ("score_variance", {"step": "draw", "bet": "1"}),
    "more at rest": ("unit_variance", {"step": "stages"}),
    "race": ("training_race", {"step": "race"}),
    "turn": ("wrong_choice", {"step": "every_size"}),
}


def told(app):
    """Return what the script of the main picture gets."""
    data = [json.loads(each.proto.json)[0] for each in app.get("bidi_component") if each.proto.json]
    (found,) = [each for each in data if each.get("main")]
    return found


def refuse(*_):
    raise AssertionError("a run of the page draws the picture")


@pytest.mark.parametrize(("stem", "step"), [*FIRST, *LATER])
def test_run_with_closed_folds_draws_no_picture(stem, step, monkeypatch):
    view, one = VIEWS[stem], LESSONS[stem].step(step)
    main = replace(view.of(one), picture=refuse, at_rest=refuse)
    views = {**VIEWS, stem: replace(view, steps={**view.steps, step: main})}
    monkeypatch.setattr("pages._view.stage.VIEWS", views)
    app = app_at(stem, **at_step(step))
    app.session_state[f"{one.picture}_sure"] = False
    app.run()
    assert [each.message for each in app.exception] == []
    assert "figure" not in told(app)
    assert told(app)["key"] == one.picture
    assert [each.key for each in app.expander if each.key.startswith(one.picture)] == [
        f"{one.picture}_sure",
        f"{one.picture}_data",
    ]


@pytest.mark.walk
@pytest.mark.parametrize(("stem", "step"), FETCHED)
def test_fetched_picture_equals_the_one_with_the_data(stem, step):
    rest = rest_at(stem, {"seed": "3", **at_step(step)})
    assert rest.sure or rest.checks  # its fold is drawn before anybody knows


def rest_at(stem, query):
    """Return the picture at rest, after comparing it with the one that the page lets the browser fetch."""
    stage = Stage(Address(LESSONS[stem], query), "light")
    rest = stage.marked(stage.picture_at_rest)
    assert fetched(told(open_page(stem, **query))) == json.loads(json.dumps(rest.drawn()))
    return rest


@pytest.mark.parametrize("own", [{"guess": "30"}, {"class": "20~30~90"}, {"guess": "30", "guessed_at": "d_k=256"}])
def test_fetched_picture_has_the_marks_of_a_bet(own):
    query = {"step": "freeze", "d_k": "256"}
    plain, marked = (rest_at("gradient_flow", query | more).figure for more in ({}, own | {"bet": "1"}))
    assert plain.to_json() != marked.to_json()


@pytest.mark.parametrize(("stem", "query"), OWN.values(), ids=OWN)
def test_run_sends_a_picture_that_no_other_server_draws(stem, query):
    compute.forget()  # a kept result would be quick
    assert json.loads(told(open_page(stem, **query))["figure"])["data"]


def test_run_sends_a_picture_whose_url_would_be_too_long():
    app = open_page("attention_steps", step="scores")
    widget(app, "Q").set_value("; ".join(["1 2 3 4 5 6 7 8"] * 300)).run()
    assert json.loads(told(app)["figure"])["data"]
    widget(app, "Q").set_value("").run()
    assert "figure" not in told(app)


def test_run_sends_the_pictures_of_a_class_and_of_a_film():
    here = Address(LESSONS["derivation"], {"step": "lines"})
    assert Stage(here).is_fetched
    assert not Stage(here, is_told=False).is_fetched
    assert not Stage(Address(here.lesson, {**here.query, "room": "ABC"})).is_fetched


def test_run_sends_all_pictures_to_a_browser_that_could_not_fetch_one():
    app = app_at("score_variance", step="draw")
    app.session_state["draws_all"] = True
    assert json.loads(told(app.run())["figure"])["data"]
