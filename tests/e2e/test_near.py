"""Pictures below the window are drawn when the visitor scrolls near them, and when the page is printed.

A step has one picture, which is drawn at once; an answered recap has several below each other.
"""

import pytest
from harness import open_page, page_url

pytestmark = pytest.mark.e2e

ANSWERS = {"score": "sum", "spread": "64", "breaks": "choice", "power": "0.2", "alike": "small"}
DRAWN = "() => [...document.querySelectorAll('[data-picture]')].map(each => Boolean(each.querySelector('.main-svg')))"


@pytest.fixture
def far(new_page):
    """Return a page with a small window that draws only pictures near it, as for a visitor."""
    page = new_page(390, 300, alone=True)
    page.add_init_script("delete window.lab.near;")
    return page


def open_far(page, server):
    """Open the recap and wait for its first picture only: the last is not drawn, so the page never counts as idle."""
    page.goto(page_url(server, "recap", **ANSWERS))
    page.locator("#lab-first").wait_for(state="detached")
    page.locator("[data-picture] .main-svg").first.wait_for()
    page.wait_for_timeout(1000)
    drawn = page.evaluate(DRAWN)
    assert drawn == sorted(drawn, reverse=True)
    assert (drawn[0], drawn[-1]) == (True, False)


def test_a_picture_is_drawn_when_the_visitor_scrolls_to_it(far, server):
    open_far(far, server)
    places = far.locator("[data-picture]").last
    before = places.bounding_box()["height"]
    places.scroll_into_view_if_needed()
    places.locator(".main-svg").first.wait_for()
    assert places.bounding_box()["height"] == before


@pytest.mark.walk
def test_printing_draws_all_pictures(far, server):
    open_far(far, server)
    far.pdf()
    assert all(far.evaluate(DRAWN))


@pytest.mark.matrix
def test_a_window_that_shows_all_pictures_draws_them_at_once(new_page, server):
    page = new_page(1280, 4000, alone=True)
    page.add_init_script("delete window.lab.near;")
    open_page(page, server, "recap", **ANSWERS)
    assert all(page.evaluate(DRAWN))
