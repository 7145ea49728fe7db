"""The main picture while a hand moves the slider: what the server answers is what the page shows where it lets go."""

import gzip
import json
from urllib.parse import parse_qsl, urlsplit

import pytest
from starlette.applications import Starlette

from pages._view import compute
from pages._view.compute import store
from pages._view.kinds import Choice
from pages._view.lessons import LESSONS, ORDER, VIEWS
from pages._view.server import moving
from tests.pages.asgi import ask
from tests.pages.opening import charts, controls_of, open_page

FOLLOWING = [stem for stem in ORDER if VIEWS[stem].main]
UNTRAINED = {"training_race": {"n_steps": "3000"}}  # a race that takes long is not there at once


def answer(address, **headers):
    """Status, headers and body of what the server answers."""
    return ask(Starlette(routes=moving.routes()), f"/{address}", **headers)


def picture_at(address):
    status, _, body = answer(address)
    assert status == 200
    return json.loads(body)


def main_picture(app):
    """The picture that follows the slider."""
    (found,) = [each for each in charts(app).values() if each.address]
    return found


def two_places(stem):
    """Where the large slider of a lesson may stand, as an address says it."""
    name = LESSONS[stem].slider
    stops = controls_of(stem)[name].stops
    return ("16", "100") if name == "d_k" else tuple(f"{stops[i]:g}" for i in (1, -2))


@pytest.mark.parametrize("stem", FOLLOWING)
def test_the_picture_on_its_way_is_the_one_that_the_page_shows_where_the_hand_lets_go(stem):
    slider, others = LESSONS[stem].slider, {"seed": "3"} | UNTRAINED.get(stem, {})
    near, far = two_places(stem)
    elsewhere = main_picture(open_page(stem, **{slider: near}, **others))
    asked = picture_at(f"{elsewhere.address}&{slider}={far}")
    there = main_picture(open_page(stem, **{slider: far}, **others))
    layouts = [json.loads(figure)["layout"] for figure in (asked["figure"], there.spec)]
    assert layouts[0] == layouts[1]
    assert asked["figure"] == there.spec or VIEWS[stem].main.at_rest  # which may draw more
    assert (asked["sentence"], asked["height"]) == (there.sentence, there.height)
    assert elsewhere.spec != there.spec


@pytest.mark.parametrize("stem", FOLLOWING)
def test_the_address_says_every_control_but_those_on_sliders_that_the_picture_follows(stem):
    bars = {name: one for name, one in LESSONS[stem].controls.items() if isinstance(one, Choice) and one.bar}
    chosen = {name: one.write(one.options[1]) for name, one in bars.items() if one.options[1] != one.default}
    slider, place = LESSONS[stem].slider, two_places(stem)[1]
    shown = main_picture(open_page(stem, seed="7", mode="projector", **{slider: place}, **chosen))
    said = dict(parse_qsl(urlsplit(shown.address).query))
    assert chosen.items() <= said.items()
    assert urlsplit(shown.address).path == f"moving/{stem}"
    assert (shown.values[slider], said["seed"], said["mode"]) == (float(place), "7", "projector")
    assert shown.values.keys() == {*LESSONS[stem].followed}
    assert not said.keys() & shown.values.keys()


def test_what_an_address_says_is_brought_inside_its_bounds():
    far = picture_at("moving/score_variance?d_k=99999&seed=-5&law=none&n_samples=1&foo=1")
    near = picture_at("moving/score_variance?d_k=1024&seed=0&n_samples=1000")
    assert far == near


@pytest.mark.parametrize("stem", ["recap", "your_scores", "nothing", "__init__", "corrections"])
def test_what_has_no_picture_under_a_slider_is_not_found(stem):
    assert answer(f"moving/{stem}?d_k=64")[0] == 404


def test_what_a_visitor_would_be_asked_about_first_is_not_computed(monkeypatch):
    assert VIEWS["score_variance"].main.params
    monkeypatch.setattr(store, "AT_ONCE", 0.0)
    monkeypatch.setattr(compute, "result", None)
    assert answer("moving/score_variance?d_k=64")[0] == 404


def test_the_answer_is_packed_for_a_browser_that_takes_it_and_is_not_stored():
    _, packed_headers, packed = answer("moving/score_variance?d_k=64", accept_encoding="gzip")
    _, plain_headers, plain = answer("moving/score_variance?d_k=64")
    assert (packed_headers["content-encoding"], packed_headers["cache-control"]) == ("gzip", "no-store")
    assert "content-encoding" not in plain_headers
    assert gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 2
