"""The start page: the hero stands where the link says, and its three steps lead on."""

import json

from pages._view.lessons import LESSONS
from pages._view.lessons.start.declaration import STEPS
from tests.pages.opening import large_slider, open_page


def hero(app):
    """What the hero draws."""
    (found,) = [json.loads(each.proto.json) for each in app.get("bidi_component") if each.key == "hero"]
    return found


def test_the_hero_stands_on_one_of_its_stops():
    app = open_page("start", d_k="300", n_keys="48")
    shown = hero(app)
    (here,) = [stop for stop in shown["stops"] if stop["d_k"] == 300]
    assert large_slider(app).value == 300
    assert "At dₖ = 300 raw scores" in here["sentence"]
    assert "of 48 keys" in here["sentence"]


def test_the_hero_follows_projector_mode():
    assert hero(open_page("start", mode="projector"))["mode"] == "projector"


def test_each_step_leads_to_a_lesson():
    app = open_page("start")
    links = [each.label for each in app.main.get("page_link")]
    assert links[: len(STEPS)] == [LESSONS[stem].question for _, _, stem in STEPS]
    said = {each.value for each in app.markdown}
    assert {f"**{title}**\n\n{text}" for title, text, _ in STEPS} <= said
