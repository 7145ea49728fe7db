"""What a visitor and a classroom see without scrolling: the question, the slider, the whole picture, its sentence."""

import pytest
from crowding import resize, wait_until_at_rest
from dashboard import DRAWN
from harness import open_page

from pages._view.lessons import LESSONS as DECLARED

pytestmark = pytest.mark.e2e

SCREEN = {"1440": (1440, 900), "1920": (1920, 950), "820": (820, 1180), "390": (390, 844)}
PROJECTED = {"1920p": (1920, 1080), "950p": (1920, 950), "1024p": (1024, 768)}
MENU_STAYS = ("1440", "1920")

# Name -> [left, top, right, bottom] of what must be seen, and the area that is left to it.
BOXES = """() => {
  const box = (element) => {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const roots = [...document.querySelectorAll('*')].map((each) => each.shadowRoot).filter((each) => each);
  const inHero = (way) => roots.map((root) => root.querySelector(`[data-hero] ${way}`)).find((each) => each);
  const sentences = document.querySelectorAll("[data-sentence], [class*='st-key-sentence_']");
  const seen = {
    title: document.querySelector('h1'),
    slider: document.querySelector('[data-slider]'),
    picture: inHero('.panels') ?? document.querySelector('[data-picture]'),
    sentence: inHero('.sentence') ?? [...sentences].find((each) => each.checkVisibility() && each.innerText),
  };
  const header = document.querySelector('[data-testid=stHeader]').getBoundingClientRect();
  const there = Object.entries(seen).filter(([, each]) => each);
  const boxes = Object.fromEntries(there.map(([name, each]) => [name, box(each)]));
  return {boxes, room: [0, header.bottom, innerWidth, innerHeight]};
}"""


def out_of_view(page, wanted):
    """What is wanted and not seen whole, with its box."""
    found = page.evaluate(BOXES)
    boxes, (left, top, right, bottom) = found["boxes"], found["room"]
    return {
        name: [round(side) for side in boxes.get(name, ())]
        for name in wanted
        if name not in boxes
        or boxes[name][0] < left - 1
        or boxes[name][1] < top - 1
        or boxes[name][2] > right + 1
        or boxes[name][3] > bottom + 1
    }


def close_menu(page):
    page.get_by_test_id("stSidebar").hover()
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    page.wait_for_function("() => document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().right <= 1")


def views(page, server, lesson):
    """The name of each size, while the page stands at it."""
    resize(page, SCREEN["1440"])
    open_page(page, server, lesson)
    for name, size in SCREEN.items():
        resize(page, size)
        if name not in MENU_STAYS and page.get_by_test_id("stSidebar").get_attribute("data-collapsed") != "true":
            close_menu(page)
        wait_until_at_rest(page)
        yield name
    resize(page, PROJECTED["1920p"])
    open_page(page, server, lesson, mode="projector")
    for name, size in PROJECTED.items():
        resize(page, size)
        wait_until_at_rest(page)
        yield name


def wanted_at(lesson, name):
    has_slider = DECLARED[lesson or "start"].slider
    first = ("title", "slider", "picture") if has_slider else ("title", "picture")
    return first if name == "390" else (*first, "sentence")


@pytest.mark.parametrize("lesson", DRAWN)
def test_slider_picture_and_sentence_are_seen_without_scrolling(new_page, server, lesson):
    page = new_page()
    found = {name: out_of_view(page, wanted_at(lesson, name)) for name in views(page, server, lesson)}
    assert {name: boxes for name, boxes in found.items() if boxes} == {}
