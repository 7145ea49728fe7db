"""A phone that opens a wall's address gets the usual page for phones: a wall's text would be too small."""

import pytest
from harness import query_parameters, wait_until_idle
from sizes import PHONE, PROJECTED, SCREEN, resize

pytestmark = pytest.mark.e2e

LEAST = 14  # px, smallest text of a picture on a phone
TYPE = """picture => Math.min(...[...picture.querySelectorAll('.main-svg text')].filter(text => text.textContent.trim())
  .map(text => parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM().a || 1)))"""
BOX = "element => { const {x, y, width, height} = element.getBoundingClientRect(); return [x, y, width, height]; }"
PARTS = ("h1", "[data-slider] input", "[data-picture]")


@pytest.mark.walk
def test_a_phone_at_the_address_of_a_wall_gets_a_page_for_phones(new_page, server):
    page = new_page(alone=True)
    waiting = []
    page.route("**/static/js/index.*.js", lambda route: waiting.append(route))
    resize(page, SCREEN[PHONE])
    page.goto(f"{server.url}/score_variance?mode=projector&d_k=16", wait_until="commit")
    page.locator("#lab-first [data-picture][data-value]").wait_for()
    assert page.locator("#lab-first p.line").is_visible()
    assert page.locator("#lab-first [data-picture]").evaluate(TYPE) >= LEAST
    before = [page.locator(f"#lab-first {part}").evaluate(BOX) for part in PARTS]
    while waiting:
        waiting.pop().continue_()
    wait_until_idle(page)
    assert page.locator("[data-picture]").first.evaluate(TYPE) >= LEAST
    after = [page.locator(part).first.evaluate(BOX) for part in PARTS]
    assert [each[0] for each in after] == pytest.approx([each[0] for each in before], abs=1)
    assert after[0] == pytest.approx(before[0], abs=1)
    assert page.locator("[data-keys]").count() == 0
    page.keyboard.press("b")
    assert page.locator("[data-blank]").count() == 0
    assert query_parameters(page) == {"mode": "projector", "d_k": "16"}
    resize(page, PROJECTED["1024p"])  # a large window shows the wall
    page.locator("[data-keys]").wait_for()
    wait_until_idle(page)
    assert query_parameters(page) == {"mode": "projector", "d_k": "16"}
