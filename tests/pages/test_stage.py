"""The stage before a session: the HTML page has the same data as the page in a session."""

import json
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages._view import stage
from pages._view.address import Address
from pages._view.lesson_view import Main
from pages._view.lessons import LESSONS, VIEWS
from pages._view.server import first
from pages._view.stage import LEAST, LEAST_FRAMED, Stage
from pages._view.version import VERSION
from tests.pages.opening import ASKED, SCREENS, at_step, charts, controls_of, large_slider, open_page

SETTINGS = {"d_k": "100", "seed": "3"}
LATER = {"figure", "spec", "marks", "drawing", "address"}  # sent with the picture itself, or only with a bet
STAGED = [(stem, step) for stem, step in SCREENS if VIEWS[stem].is_drawn or VIEWS[stem].hero]
WITH_DIALS = [
    *(
        (stem, at_step(step) | bet)
        for stem, step in STAGED
        if LESSONS[stem].step(step).dials
        for bet in ({}, {"bet": "1"})
    ),
    ("derivation", at_step("broken") | {"broken": "means not 0"}),
]
WITH_BET = [stem for stem in LESSONS if LESSONS[stem].bet]


def opened(stem, **query):
    """Return the stage that a page opens with before a session, or None."""
    here = Stage(Address(LESSONS[stem], query))
    return None if here.needs_session else here.opening()


def told_of(here):
    """Return the data of the stage's picture in the HTML page."""
    return here.payload(here.picture, figure=False)


def plain(data):
    """Return data as a browser reads them from JSON."""
    return json.loads(json.dumps(data))


@pytest.mark.parametrize(
    "query", [pytest.param({}, id="usual"), pytest.param(SETTINGS, id="linked", marks=pytest.mark.walk)]
)
@pytest.mark.parametrize(("stem", "step"), STAGED)
def test_slider_and_picture_have_the_same_data_as_in_a_session(stem, step, query):
    query = query | at_step(step) | ({"n_steps": "10"} if (stem, step) in ASKED else {})
    app = open_page(stem, **query)  # computes and caches cheap results
    told, slider = opened(stem, **query), LESSONS[stem].step(step).slider
    assert bool(told.slider) == bool(slider)
    if slider:
        on_page = vars(large_slider(app))
        assert told.slider["usual"] == controls_of(stem)[slider].default
        assert plain(told.slider) == {name: each for name, each in on_page.items() if name != "heard"}
    if not told.view.hero:
        (main,) = [vars(each) for each in charts(app).values() if each.main]
        asked = [dict(parse_qsl(urlsplit(each["address"]).query)) for each in (told_of(told), main)]
        assert asked[0].items() <= asked[1].items()  # a session adds parameters, such as the background
        here = {name: each for name, each in main.items() if name not in LATER}
        assert {name: each for name, each in plain(told_of(told)).items() if name not in LATER} == here


@pytest.mark.parametrize(("stem", "query"), WITH_DIALS)
def test_dials_have_the_same_data_as_in_a_session(stem, query):
    """There are only dials that the chosen options need, and none that would reveal an open bet."""
    app = open_page(stem, **query)  # computes and caches cheap results
    here = Stage(Address(LESSONS[stem], query).waiting).opening()
    keys = [f"{name}_dial" for name in here.address.step.dials]
    on_page = [vars(large_slider(app, each.key)) for each in app.get("bidi_component") if each.key in keys]
    for told, drawn in zip(first._parts(here)["dials"], on_page, strict=True):
        assert told.pop("usual") == controls_of(stem)[told["name"]].default
        assert plain(told) == {name: each for name, each in drawn.items() if name != "heard"}


def test_negative_stop_of_a_slider_has_a_minus_sign():
    said = Stage(Address(LESSONS["derivation"], {"step": "broken", "broken": "means not 0"})).dial("mean_q")
    assert (said["shown"][0], said["ticks"][0][1]) == ("Mean of qᵢ −4", "−4")


def test_picture_is_taller_on_a_projector():
    heights = [told_of(opened("score_variance", mode=mode))["height"] for mode in ("screen", "projector")]
    assert heights[0] < heights[1]


@pytest.mark.parametrize("stem", WITH_BET)
def test_bet_is_asked_before_a_session_starts(stem):
    here = opened(stem, bet="1", step=LESSONS[stem].bet.when[1])
    told = here.payload(here.seen, figure=False)
    assert told["key"].endswith("_before")
    assert told["bare"]  # the form of the bet replaces the sentence
    assert "bet=1" in told["address"]
    assert not Address(LESSONS[stem], {"bet": "0", "step": LESSONS[stem].bet.when[1]}).asks_bet


@pytest.mark.parametrize("stem", WITH_BET)
def test_link_to_a_step_that_shows_the_truth_opens_the_step_of_the_bet(stem):
    lesson = LESSONS[stem]
    for step in lesson.steps:
        there = Address(lesson, {"bet": "1", "step": step.name}).waiting.step.name
        free = step.name in lesson.bet.earlier or step.bet
        assert there == (step.name if free else lesson.bet.when[1])
    for name in lesson.bet.usual:
        assert name not in Address(lesson, {"bet": "1", name: "1"}).waiting.query


@pytest.mark.parametrize("stem", [stem for stem in LESSONS if stem not in dict(STAGED)])
def test_page_without_a_picture_has_no_stage(stem):
    assert opened(stem) is None


def test_an_expensive_picture_waits_for_a_session(monkeypatch):
    monkeypatch.setattr(Main, "is_unasked", lambda *_: False)
    assert opened("score_variance") is None


def test_stage_has_no_slider_at_a_step_without_one():
    assert opened("score_variance", step="draw").slider
    assert opened("trained_heads", step="undivided").slider is None


def test_large_slider_may_belong_to_another_number_than_d_k():
    usual = LESSONS["softmax_saturation"]
    own = {**usual.controls, "shift": replace(usual.controls["shift"], letter="m", play=100)}
    told = Stage(Address(replace(usual, controls=own), {"step": "lists", "shift": "0.31", "d_k": "100"}))
    slider, picture = told.slider, told_of(told)
    assert (slider["name"], slider["value"], slider["usual"], slider["play"]) == ("shift", 0.31, 0, 100)
    assert slider["shown"][slider["stops"].index(0.31)] == "m = 0.31"
    assert slider["shown"][0] == "m = −4"
    assert len(slider["stops"]) == len(own["shift"].stops) + 1
    assert picture["values"] == {"multiplier": 1, "shift": 0.31}
    asked = dict(parse_qsl(urlsplit(picture["address"]).query))
    assert asked == {"step": "lists", "d_k": "100", "v": VERSION}
    assert usual.own_sliders == ("shift", "multiplier", "nudge", "exponent", "middle_exponent", "step")


def test_large_slider_of_a_text_control_is_refused():
    usual = LESSONS["softmax_saturation"]
    lesson = replace(usual, steps=(replace(usual.step("lists"), slider="list_1"),))
    with pytest.raises(TypeError, match="list_1"):
        Stage(Address(lesson, {"step": "lists"})).slider  # noqa: B018


def test_framed_page_ignores_projector_mode():
    here = Address(LESSONS["score_variance"], {"mode": "projector", "d_k": "4"}).without(("mode",))
    framed = Stage(here, least=LEAST_FRAMED).opening(alone=True)
    usual = opened("score_variance", d_k="4")
    assert told_of(framed)["height"] == told_of(usual)["height"]
    assert told_of(framed)["least"] < told_of(usual)["least"]
    assert framed.slider["value"] == 4
    assert Stage(Address(LESSONS["recap"], {})).opening(alone=True) is None


def test_stage_keeps_its_height_with_a_bet():
    for query in ({}, {"bet": "1"}, {"bet": "1", "guess": "2"}):
        (chart,) = [each for each in charts(open_page("derivation", **query)).values() if each.main]
        assert chart.least == LEAST == told_of(opened("derivation"))["least"]


def test_framed_stage_opens_at_the_values_of_the_address(monkeypatch):
    """A whole page would open at d_k = 5, whose picture is not ready in this test."""
    lines = VIEWS["derivation"].steps["lines"]
    lines = replace(lines, opened=lambda values: {"d_k": 5}, ready=lambda values: values["d_k"] != 5)
    monkeypatch.setattr(stage, "VIEWS", {"derivation": replace(VIEWS["derivation"], steps={"lines": lines})})
    here = Stage(Address(LESSONS["derivation"], {"d_k": "7"}))
    assert here.opening() is None
    assert here.opening(alone=True).address.values["d_k"] == 7
