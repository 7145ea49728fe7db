"""The start page: the hero."""

import json

from tests.pages.opening import open_page


def test_the_hero_stands_on_one_of_its_stops():
    app = open_page("start", d_k="300", n_keys="48")
    (hero,) = [json.loads(each.proto.json) for each in app.get("bidi_component") if each.key == "hero"]
    (here,) = [stop for stop in hero["stops"] if stop["d_k"] == 300]
    assert hero["d_k"] == 300
    assert "At d_k = 300 raw scores" in here["sentence"]
    assert "of 48 keys" in here["sentence"]


def test_the_hero_follows_projector_mode():
    app = open_page("start", mode="projector")
    (hero,) = [json.loads(each.proto.json) for each in app.get("bidi_component") if each.key == "hero"]
    assert hero["mode"] == "projector"
