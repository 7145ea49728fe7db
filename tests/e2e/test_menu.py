"""The menu before Streamlit is as wide as Streamlit's menu and breaks its lines alike."""

import pytest
from harness import wait_until_idle
from sizes import SCREEN

from pages._view.lessons import LESSONS

pytestmark = pytest.mark.e2e

BEFORE, AFTER = "#lab-first > .menu", "[data-testid=stSidebar]"
# Return the menu's width, and for each link its top and the texts of its lines.
STANDS = """menu => {
  const links = [...menu.querySelectorAll('a')].filter(each => each.checkVisibility());
  const linesOf = link => {
    const lines = new Map(), walk = document.createTreeWalker(link, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      for (let at = 0; at < walk.currentNode.length; at += 1) {
        const range = document.createRange();
        range.setStart(walk.currentNode, at);
        range.setEnd(walk.currentNode, at + 1);
        const top = Math.round(range.getBoundingClientRect().top);
        lines.set(top, (lines.get(top) ?? '') + range.toString());
      }
    }
    return [...lines.values()].map(each => each.trim()).filter(Boolean);
  };
  return [menu.getBoundingClientRect().width, links.map(link => [link.getBoundingClientRect().top, linesOf(link)])];
}"""
# Pretend that a slider is dragged: the stage stays although Streamlit and its styles have loaded.
HOLD = "() => { lab.hands.held = {held: true}; lab.stage.begin(); }"
LET_GO = "() => { delete lab.hands.held; }"


@pytest.mark.parametrize("size", ["1440", pytest.param("1024", marks=pytest.mark.walk)])
def test_menu_keeps_width_and_line_breaks_when_streamlit_comes(page, server, size):
    page.set_viewport_size(dict(zip(("width", "height"), SCREEN[size], strict=True)))
    page.goto(f"{server.url}/score_variance", wait_until="load")
    page.locator("#lab-first [data-picture][data-value]").wait_for()
    page.evaluate("() => document.fonts.ready.then(() => true)")
    before = page.locator(BEFORE).evaluate(STANDS)
    page.evaluate(HOLD)
    page.locator(f"{AFTER} a").last.wait_for(state="attached")
    width, links = page.locator(BEFORE).evaluate(STANDS)
    assert [width, links] == before
    page.evaluate(LET_GO)
    wait_until_idle(page)
    width_after, links_after = page.locator(AFTER).evaluate(STANDS)
    assert width == pytest.approx(width_after, abs=1)
    assert [lines for _, lines in links] == [lines for _, lines in links_after]
    assert [top for top, _ in links] == pytest.approx([top for top, _ in links_after], abs=1)
    assert LESSONS["score_variance"].question in {" ".join(lines) for _, lines in links}
