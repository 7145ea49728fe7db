"""The start page: the hero stands where the link says, and its cards lead on."""

import json
import re

from pages._view.lessons import LESSONS, ORDER
from tests.pages.opening import large_slider, open_page

SECTIONS = ("The path", "Go deeper")


def hero(app):
    """What the hero draws."""
    (found,) = [json.loads(each.proto.json) for each in app.get("bidi_component") if each.key == "hero"]
    return found


def test_the_hero_stands_on_one_of_its_stops():
    app = open_page("start", d_k="300", n_keys="48")
    shown = hero(app)
    (here,) = [stop for stop in shown["stops"] if stop["d_k"] == 300]
    assert large_slider(app).value == 300
    assert here["sentence"].startswith("At dₖ = 300 one key takes ")
    assert shown["weightAxis"]["label"] == "the 48 keys of one query"


def test_the_hero_follows_projector_mode():
    assert hero(open_page("start", mode="projector"))["mode"] == "projector"


def test_the_lessons_of_the_path_are_cards_and_the_others_a_row_of_links():
    app = open_page("start")
    links = [each.label for each in app.main.get("page_link")]
    path, others = ([LESSONS[stem] for stem in ORDER if LESSONS[stem].section == name] for name in SECTIONS)
    cards = [f"**{i}. {lesson.question}**" for i, lesson in enumerate(path, start=1)][1:]
    assert links[: len(cards)] == cards
    assert links[len(cards) : -1] == [lesson.question for lesson in others]
    said = [each.value for each in app.main.markdown]
    assert all(lesson.card and lesson.card in said for lesson in path[1:])
    assert [each.value for each in app.header] == [SECTIONS[0]]
    assert f"**{SECTIONS[1]}**" in said


def test_a_card_does_not_answer_its_question():
    for stem in ORDER:
        assert len(LESSONS[stem].card.split()) <= 12
        assert not re.search(r"\d|√", LESSONS[stem].card)


def test_the_cards_of_the_path_ask_for_bets_and_hand_on_the_tally():
    for address, carried in (({}, "bet=1"), ({"tally": "1-2"}, "bet=1&tally=1-2"), ({"bet": "0"}, "")):
        links = open_page("start", **address).main.get("page_link")
        cards = {each.proto.query_string for each in links if each.label.startswith("**")}
        assert cards == {carried}
        deeper = [each for each in links if LESSONS["your_scores"].question == each.label]
        assert {each.proto.query_string for each in deeper} == {""}


def test_a_classroom_sees_the_hero_alone():
    app = open_page("start", mode="projector")
    assert [*app.header, *app.main.get("page_link")] == []
