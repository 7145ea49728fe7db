"""The recap in a browser: answers by mouse and keyboard, kept over reload and Back, on screens and on paper."""

import re
from itertools import product

import pytest
from dashboard import SETTINGS
from harness import COLOURS, check_accessibility, open_page, query_parameters, wait_until_idle, wait_until_still
from sampling import sampled
from sizes import PROJECTED, SCREEN, resize, wait_until_at_rest

from pages._view.lessons import LESSONS

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

ANSWERS = {"score": "sum", "spread": "64", "breaks": "choice", "power": "0.2", "alike": "small"}
CARD = ".st-key-card_{}"
PICTURES = "[data-picture] .main-svg:first-child"


def cards(page):
    """Return the box of each visible card."""
    return page.locator("[class*='st-key-card_']").evaluate_all(
        """all => all.map(each => each.getBoundingClientRect())
             .map(({left, top, right, bottom}) => [left, top, right, bottom])"""
    )


def answer(page, name):
    page.locator(CARD.format(name)).get_by_role("button", name="Answer").click()
    page.wait_for_function("name => new URL(location.href).searchParams.has(name)", arg=name)
    wait_until_idle(page)


def answer_all(page):
    """Answer all questions, some by mouse and some by keyboard."""
    page.locator(CARD.format("score")).get_by_text("a sum of").click()
    answer(page, "score")
    field = page.locator(".st-key-draft_spread input")
    field.fill("64")
    field.press("Enter")
    page.wait_for_function("() => location.search.includes('spread')")
    wait_until_idle(page)
    choice = page.locator(CARD.format("breaks"))
    choice.get_by_role("radio").first.focus()  # by keyboard from here on
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.search.includes('breaks')")
    wait_until_idle(page)
    page.locator(".st-key-draft_power input").focus()
    page.keyboard.type("0.2")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.search.includes('power')")
    wait_until_idle(page)
    page.locator(CARD.format("alike")).get_by_text("numbers start small").click()
    answer(page, "alike")


def test_answers_are_kept_over_a_reload_and_back(page, server):
    open_page(page, server, "recap")
    assert page.locator(PICTURES).count() == 0
    answer_all(page)
    assert query_parameters(page) == ANSWERS
    assert page.locator(PICTURES).count() == 6  # the last one is the story
    said = page.locator(".st-key-questions").inner_text()
    assert "in one breath" in said
    page.reload()
    wait_until_idle(page)
    assert page.locator(".st-key-questions").inner_text() == said
    way = LESSONS["one_query"].question
    page.locator(CARD.format("score")).get_by_role("link", name=way).click()
    page.get_by_role("heading", level=1, name=way).wait_for()
    wait_until_idle(page)
    assert not set(ANSWERS) & set(query_parameters(page))
    page.go_back()
    page.get_by_role("heading", level=1, name=LESSONS["recap"].question).wait_for()
    wait_until_idle(page)
    assert query_parameters(page) == ANSWERS
    assert page.locator(".st-key-questions").inner_text() == said


def check_seen(page, height):
    boxes = cards(page)
    width = page.evaluate("() => innerWidth")
    assert all(0 <= left and right <= width and bottom <= height for left, _, right, bottom in boxes), boxes
    return len(boxes)


def test_all_questions_fit_on_one_screen_before_and_after_answering(page, server):
    for answers, names in (({}, ("1440", "1920")), (ANSWERS, ("1440", "1920"))):
        resize(page, SCREEN[names[0]])
        open_page(page, server, "recap", **answers)
        for name in names:
            resize(page, SCREEN[name])
            wait_until_at_rest(page)
            assert check_seen(page, SCREEN[name][1]) == 6
    resize(page, SCREEN["390"])
    wait_until_at_rest(page)
    assert check_seen(page, 1e6) == 6


@pytest.mark.parametrize("answers", [{}, ANSWERS], ids=["asked", "answered"])
def test_a_wall_shows_one_question_at_a_time(page, server, answers):
    for size in ((1920, 1080), *PROJECTED.values()):
        resize(page, size)
        open_page(page, server, "recap", mode="projector", asked="4", **answers)
        wait_until_at_rest(page)
        assert check_seen(page, size[1]) == 1
        assert page.get_by_role("button", name="Next").bounding_box()["y"] < size[1] - 20
        header = page.locator("[data-testid=stHeader]").bounding_box()
        assert page.locator(SETTINGS).bounding_box()["y"] >= header["y"] + header["height"] - 1
    page.get_by_role("button", name="Next").click()
    page.wait_for_function("() => location.search.includes('asked=5')")
    wait_until_idle(page)
    assert page.locator(CARD.format("alike")).count() == 1
    page.get_by_role("button", name="Next").click()
    page.wait_for_function("() => location.search.includes('asked=6')")
    page.locator(".st-key-story .main-svg").first.wait_for()
    assert page.get_by_role("button", name="Previous").bounding_box()["y"] < size[1] - 20


@pytest.mark.parametrize(("answers", "scheme"), [({}, "light"), (ANSWERS, "dark")], ids=["asked", "answered"])
def test_recap_prints_with_its_story_on_at_most_two_pages(new_page, server, answers, scheme):
    page = new_page(color_scheme=scheme)
    resize(page, SCREEN["1920"])
    open_page(page, server, "recap", **answers)
    wait_until_at_rest(page)
    boxes = page.locator("[data-picture] .main-svg").evaluate_all(
        """all => all.map(each =>
             [each.getAttribute('viewBox'), `0 0 ${each.width.baseVal.value} ${each.height.baseVal.value}`])"""
    )
    assert all(given == drawn for given, drawn in boxes)  # with a viewBox, a picture can shrink on paper
    assert bool(boxes) == bool(answers)
    printed = page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= (2 if answers else 1)
    page.emulate_media(media="print")
    assert len(cards(page)) == 6
    assert page.locator(".st-key-story .main-svg").first.is_visible() == bool(answers)
    seen = page.locator("button, [data-testid=stSidebar], [data-testid=stHeader]")
    assert not any(each.is_visible() for each in seen.all())
    assert page.locator("h1").is_visible()


@pytest.mark.parametrize(("answers", "scheme"), sampled([*product(({}, ANSWERS), ("dark", "light"))], 2, 1))
def test_recap_breaks_no_axe_rule(new_page, server, answers, scheme):
    page = new_page(color_scheme=scheme)
    open_page(page, server, "recap", **answers)
    wait_until_still(page)
    check_accessibility(page, tag=COLOURS if scheme == "dark" else None)
