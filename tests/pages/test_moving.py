"""The main picture while a hand moves the slider: what the server answers is what the page shows where it lets go."""

import gzip
import json
from urllib.parse import parse_qsl, urlsplit

import pytest
from starlette.applications import Starlette

from pages._view import compute, entry
from pages._view.address import Address
from pages._view.compute import store
from pages._view.kinds import Choice
from pages._view.lessons import LESSONS, VIEWS
from pages._view.server import moving
from tests.pages.asgi import ask
from tests.pages.opening import FOLLOWING, at_step, charts, controls_of, open_page

UNTRAINED = {"race": {"n_steps": "3000"}}  # a race that takes long is not there at once
SHORT = {"rates": {"n_steps": "10", "n_pairs": "4", "n_seeds": "1"}}  # nor are the maps of one


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


def two_places(stem, name):
    """Return where a slider of a lesson may stand, as an address says it."""
    stops = controls_of(stem)[name].stops
    return ("16", "100") if name == "d_k" else tuple(f"{stops[i]:g}" for i in (1, -2))


@pytest.mark.parametrize(("stem", "step"), FOLLOWING)
def test_moving_picture_is_the_one_the_page_shows_at_rest(stem, step):
    others = {"seed": "3"} | UNTRAINED.get(step, {}) | SHORT.get(step, {}) | at_step(step)
    slider = LESSONS[stem].step(step).followed[0]
    near, far = two_places(stem, slider)
    elsewhere = main_picture(open_page(stem, **{slider: near}, **others))
    asked = picture_at(f"{elsewhere.address}&{slider}={far}")
    there = main_picture(open_page(stem, **{slider: far}, **others))
    layouts = [json.loads(figure)["layout"] for figure in (asked["figure"], there.spec)]
    assert layouts[0] == layouts[1]
    main = VIEWS[stem].of(LESSONS[stem].step(step))
    assert asked["figure"] == there.spec or main.at_rest  # which may draw more
    assert (asked["sentence"], asked["height"]) == (there.sentence, there.height)
    assert elsewhere.spec != there.spec


@pytest.mark.parametrize(("stem", "step"), FOLLOWING)
def test_moving_address_says_every_control_but_its_sliders(stem, step):
    bars = {name: one for name, one in LESSONS[stem].controls.items() if isinstance(one, Choice) and one.bar}
    chosen = {name: one.write(one.options[1]) for name, one in bars.items() if one.options[1] != one.default}
    slider = LESSONS[stem].step(step).followed[0]
    place, chosen = two_places(stem, slider)[1], chosen | at_step(step) | SHORT.get(step, {})
    shown = main_picture(open_page(stem, seed="7", mode="projector", **{slider: place}, **chosen))
    said = dict(parse_qsl(urlsplit(shown.address).query))
    read, meant = Address(LESSONS[stem], said), Address(LESSONS[stem], chosen | {"seed": "7", "mode": "projector"})
    assert urlsplit(shown.address).path == f"moving/{stem}"
    assert (shown.values[slider], said["mode"]) == (float(place), "projector")
    assert shown.values.keys() == {*LESSONS[stem].step(step).followed}
    for name in {*entry.depends_on(meant)} - shown.values.keys():
        assert read.said[name] == meant.said[name]
    assert not said.keys() & shown.values.keys()


def test_what_an_address_says_is_brought_inside_its_bounds():
    far = picture_at("moving/score_variance?d_k=99999&seed=-5&law=none&n_samples=1&foo=1")
    near = picture_at("moving/score_variance?d_k=1024&seed=0&n_samples=1000")
    assert far == near


@pytest.mark.parametrize("stem", ["recap", "nothing", "__init__", "corrections"])
def test_what_has_no_picture_under_a_slider_is_not_found(stem):
    assert answer(f"moving/{stem}?d_k=64")[0] == 404


def test_what_a_visitor_would_be_asked_about_first_is_not_computed(monkeypatch):
    assert VIEWS["score_variance"].steps["draw"].params
    monkeypatch.setattr(store, "AT_ONCE", 0.0)
    monkeypatch.setattr(compute, "result", None)
    assert answer("moving/score_variance?d_k=64")[0] == 204


def test_the_answer_is_packed_for_a_browser_that_takes_it_and_is_not_stored():
    _, packed_headers, packed = answer("moving/score_variance?d_k=64", accept_encoding="gzip")
    _, plain_headers, plain = answer("moving/score_variance?d_k=64")
    assert (packed_headers["content-encoding"], packed_headers["cache-control"]) == ("gzip", "no-store")
    assert "content-encoding" not in plain_headers
    assert gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 2
