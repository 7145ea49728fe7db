"""The stage as the HTML page tells of it, without a session: the same as the page tells in its run."""

import json
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages._view import main_picture, stage
from pages._view.lessons import LESSONS, ORDER, hero_of, main_of
from tests.pages.opening import charts, controls_of, large_slider, open_page

SETTINGS = {"d_k": "100", "seed": "3"}
LATER = {"figure", "spec", "marks", "drawing", "address"}  # which the address of the picture answers, or a bet needs
STAGED = [stem for stem in ORDER if main_of(stem) or hero_of(stem)]
WITH_BET = [stem for stem in STAGED if LESSONS[stem].bet]


def opened(stem, **query):
    return stage.opening(LESSONS[stem], query)


def plain(data):
    """As a browser reads it."""
    return json.loads(json.dumps(data))


@pytest.mark.parametrize("query", [{}, SETTINGS], ids=["usual", "linked"])
@pytest.mark.parametrize("stem", STAGED)
def test_slider_and_picture_are_told_as_on_the_page(stem, query):
    app = open_page(stem, **query)  # what costs little is there from now on
    told = opened(stem, **query)
    on_page = vars(large_slider(app))
    slider = plain(told.slider)
    assert slider.pop("usual") == controls_of(stem)[LESSONS[stem].slider].default
    assert slider == {name: each for name, each in on_page.items() if name != "heard"}
    if not told.hero:
        (main,) = [vars(each) for each in charts(app).values() if each.main]
        asked = [dict(parse_qsl(urlsplit(each["address"]).query)) for each in (told.picture, main)]
        assert asked[0].items() <= asked[1].items()  # which also says what goes on by itself, and the ground
        here = {name: each for name, each in main.items() if name not in LATER}
        assert {name: each for name, each in plain(told.picture).items() if name not in LATER} == here


def test_in_a_classroom_the_picture_has_its_sizes():
    heights = [opened("score_variance", mode=mode).picture["height"] for mode in ("screen", "projector")]
    assert heights[0] < heights[1]


@pytest.mark.parametrize("stem", WITH_BET)
def test_a_bet_takes_a_session(stem):
    assert opened(stem, bet="1") is None
    assert opened(stem, bet="0") is not None


@pytest.mark.parametrize("stem", [stem for stem in LESSONS if stem not in STAGED])
def test_a_page_without_a_picture_of_the_slider_has_no_stage(stem):
    assert opened(stem) is None


def test_what_takes_long_waits_for_a_session(monkeypatch):
    monkeypatch.setattr(main_picture, "is_unasked", lambda *_: False)
    assert opened("score_variance") is None


def test_where_the_picture_does_not_follow_d_k_there_is_no_slider():
    (lesson,) = [each for each in LESSONS.values() if each.still]
    name, value = lesson.still
    assert opened(lesson.stem).slider
    assert opened(lesson.stem, **{name: value}).slider is None


def test_a_lesson_may_have_a_number_of_its_own_on_the_large_slider():
    usual = LESSONS["softmax_saturation"]
    own = {**usual.controls, "exponent": replace(usual.controls["exponent"], letter="α", play=100)}
    lesson = replace(usual, slider="exponent", dials=(), controls=own)
    told = stage.opening(lesson, {"exponent": "0.31", "d_k": "100"})
    slider, picture = told.slider, told.picture
    assert (slider["name"], slider["value"], slider["usual"], slider["play"]) == ("exponent", 0.31, 0, 100)
    assert slider["shown"][slider["stops"].index(0.31)] == "α = 0.31"
    assert len(slider["stops"]) == len(own["exponent"].stops) + 1
    assert picture["values"] == {"exponent": 0.31}
    assert dict(parse_qsl(urlsplit(picture["address"]).query)) == {"d_k": "100"}
    assert lesson.own_sliders == usual.own_sliders == ("exponent",)


def test_a_large_slider_is_that_of_a_number():
    with pytest.raises(TypeError, match="list_1"):
        stage.number_of(replace(LESSONS["softmax_saturation"], slider="list_1"))


def test_a_frame_on_a_page_of_others_shows_the_screen_whatever_the_link_says():
    asked = {"mode": "projector", "d_k": "4"}
    framed = stage.framed(LESSONS["score_variance"], asked)
    usual = opened("score_variance", d_k="4")
    assert framed.picture["height"] == usual.picture["height"]
    assert framed.picture["least"] < usual.picture["least"]
    assert stage.framed(LESSONS["recap"], {}) is None
    assert framed.slider["value"] == 4
