"""Data attributes that `live/boxes.js` sets on page boxes, compared with the boxes' content after changes."""

import pytest
from dashboard import go_to
from hand import MAIN, drag, shown
from harness import open_page, wait_until_idle

pytestmark = pytest.mark.e2e

# Return the boxes whose data-holds differs from the browser's `:has()`, or whose data-around is not their child's key.
WRONG = """names => {
  const wrong = [];
  for (const [name, selector] of Object.entries(names)) {
    for (const box of document.querySelectorAll('body *')) {
      if (box.closest('svg')) continue;
      const says = (box.dataset.holds ?? '').split(' ').includes(name);
      if (says !== box.matches(`:has(${selector})`)) wrong.push(`${name} ${box.tagName} ${box.className}`);
    }
  }
  for (const box of document.querySelectorAll('[data-testid=stLayoutWrapper]')) {
    const key = box.firstElementChild?.className.match(/(?:^| )st-key-(\\S+)/)?.[1] ?? '';
    if (key !== (box.dataset.around ?? '')) wrong.push(`around ${key}`);
  }
  return wrong;
}"""
HELD = {
    "title": "h1",
    "picture": "[data-picture]",
    "slider": "[data-slider]",
    "column": "[data-testid=stColumn]",
    "stage": ".st-key-stage",
    "dimension": ".st-key-dimension",
}


def test_boxes_name_their_content(page, server):
    open_page(page, server, "derivation")
    assert page.evaluate(WRONG, HELD) == []
    assert page.locator("[data-around=stage][data-holds~=slider]").count() == 1
    page.locator(".stApp .switch").click()
    page.locator(".stApp form.bet").wait_for()
    wait_until_idle(page)
    assert page.evaluate(WRONG, HELD) == []
    assert page.locator("[data-holds~=dimension]").count() > 0
    go_to(page, "What have you seen?")
    wait_until_idle(page)
    assert page.evaluate(WRONG, HELD) == []
    assert page.locator("[data-holds~=dimension]").count() == 0


def test_a_drag_renames_no_box(page, server):
    open_page(page, server, "derivation")
    page.evaluate(
        """() => {
          window.named = 0;
          const find = document.querySelectorAll.bind(document);
          document.querySelectorAll = selector => {
            window.named += selector === '[data-holds]';
            return find(selector);
          };
        }"""
    )
    before = shown(page)
    drag(page, [0.6, 0.7, 0.8])
    page.wait_for_function(
        "([main, d_k]) => document.querySelector(main).dataset.value !== d_k", arg=[MAIN, str(before)]
    )
    assert page.evaluate("() => window.named") == 0
    page.mouse.up()
    wait_until_idle(page)
    assert page.evaluate("() => window.named") > 0
