"""A lost connection: the page stays as it is, and settings changed offline apply on reconnection."""

import io

import numpy as np
import pytest
from dashboard import LESSONS, SETTINGS, SLIDER, field, go_to, menu_names, open_everything, slider, watch_menu
from harness import free_port, open_page, query_parameters, running_server, step_said, wait_until_idle
from sizes import SCREEN, resize

from pages._view.lessons import LESSONS as DECLARED
from pages._view.shared import SHARED

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

LINE = "#lab-away"
SHOWN = "[data-picture][data-value], [data-hero]"
FILE_NAMES = "[data-testid=stFileChipName]"


def drag(page, share):
    """Drag the slider to a fraction of its track and release it; return its value."""
    box = page.locator(SLIDER).bounding_box()
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, height)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * share, height)
    page.mouse.up()
    return slider(page, "d_k").get_attribute("aria-valuetext").removeprefix("d_k = ")


def wait_until_away(page):
    page.locator(LINE, has_text="Reconnecting…").wait_for()


def wait_until_back(page):
    page.wait_for_function(f"() => !document.querySelector('{LINE}').textContent")
    wait_until_idle(page)


# Return the texts that the notice covers.
COVERED = """line => { const mine = line.getBoundingClientRect(), range = document.createRange(), found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const around = text.parentElement;
    if (!text.nodeValue.trim() || line.contains(text) || around.closest('script, style')) continue;
    if (!around.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    range.selectNodeContents(text);
    const lies = ({left, right, top, bottom}) => left < mine.right && right > mine.left
      && top < mine.bottom && bottom > mine.top;
    if ([...range.getClientRects()].some(lies)) found.push(text.nodeValue);
  }
  return found; }"""


def check_covers_no_words(page, sizes):
    for size in sizes:
        resize(page, size)
        page.wait_for_timeout(1200)  # the notice checks for texts twice a second
        assert page.locator(LINE).evaluate(COVERED) == []


def assert_calm(page):
    """Check that no dialog is open and the controls are enabled: only the notice tells of the lost connection."""
    assert page.get_by_role("dialog").count() == 0
    assert field(page, "seed").is_enabled()


def places(page):
    """Return the set of the d_k values in the address, at the slider and in the main picture."""
    linked = query_parameters(page).get("d_k", str(SHARED["d_k"].default))
    shown = page.locator(SHOWN).first.get_attribute("data-value")
    return {linked, slider(page, "d_k").get_attribute("aria-valuetext").removeprefix("d_k = "), shown}


@pytest.fixture
def lonely(new_page, problems):
    """Yield a page whose connection may be cut; errors that the browser reports for it are dropped."""
    yield new_page(alone=True)
    problems.clear()


def test_settings_changed_offline_apply_on_reconnection(lonely, server):
    open_page(lonely, server)
    drag(lonely, 0.55)
    wait_until_idle(lonely)
    lonely.locator(SETTINGS).click()
    lonely.context.set_offline(True)
    wait_until_away(lonely)
    assert_calm(lonely)
    first, last = drag(lonely, 0.9), drag(lonely, 0.7)
    assert first != last == lonely.locator(SHOWN).first.get_attribute("data-value")
    field(lonely, "seed").fill("7")
    field(lonely, "seed").press("Enter")
    lonely.context.set_offline(False)
    wait_until_back(lonely)
    assert places(lonely) == {last}
    assert query_parameters(lonely) == {"d_k": last, "seed": "7"}


def test_a_step_link_clicked_offline_acts_on_reconnection(lonely, server):
    first, second, *_ = (step.name for step in DECLARED["one_query"].steps)
    open_page(lonely, server, "one_query", step=first)
    before = lonely.locator(SHOWN).count()
    lonely.context.set_offline(True)
    wait_until_away(lonely)
    lonely.get_by_role("link", name="Next →").click()
    assert lonely.locator(SHOWN).count() == before
    assert step_said(lonely) == first
    check_covers_no_words(lonely, SCREEN.values())
    lonely.context.set_offline(False)
    wait_until_back(lonely)
    lonely.wait_for_function("step => location.search.includes(`step=${step}`)", arg=second)
    wait_until_idle(lonely)
    assert lonely.locator("p.line").inner_text() == DECLARED["one_query"].step(second).line
    assert step_said(lonely) == second


def test_a_page_frozen_offline_keeps_its_settings(lonely, server):
    open_page(lonely, server, "score_variance")
    power = lonely.context.new_cdp_session(lonely)
    last = drag(lonely, 0.8)
    power.send("Page.setWebLifecycleState", {"state": "frozen"})
    lonely.context.set_offline(True)
    power.send("Page.setWebLifecycleState", {"state": "active"})
    wait_until_away(lonely)
    assert_calm(lonely)
    lonely.context.set_offline(False)
    wait_until_back(lonely)
    assert places(lonely) == {last}


def own_file(name):
    stream = io.BytesIO()
    np.savez(stream, **dict(zip("QK", np.random.default_rng(0).standard_normal((2, 40, 24)), strict=True)))
    return {"name": name, "mimeType": "application/octet-stream", "buffer": stream.getvalue()}


def choose(page, name):
    open_everything(page, apart=["settings"])
    page.locator("[class*=st-key-q_file] input[type=file]").set_input_files(own_file(name))
    page.get_by_text("Your file, 1 head, 40 queries, 40 keys").first.wait_for()
    wait_until_idle(page)
    assert page.locator(FILE_NAMES).all_inner_texts() == [name]


def test_server_restart_keeps_settings_and_asks_for_the_file_again(new_page, problems):
    port = free_port()
    page, scores = new_page(alone=True), new_page(alone=True)
    with running_server(port=port, warm=False) as server:
        watch_menu(scores)
        open_page(scores, server, "your_scores", sample="aligned")
        choose(scores, "first.npz")
        open_page(page, server, "score_variance", seed=3)
        before = drag(page, 0.6)
        wait_until_idle(page)
    wait_until_away(page)
    wait_until_away(scores)
    assert_calm(page)
    last = drag(page, 0.8)
    # The picture has not changed, or is a cached one from the drag.
    assert int(page.locator(SHOWN).first.get_attribute("data-value")) <= int(before) < int(last)
    with running_server(port=port, warm=False):
        wait_until_back(page)
        assert places(page) == {last}
        assert query_parameters(page) == {"d_k": last, "seed": "3"}
        scores.get_by_text("choose it again").wait_for()
        wait_until_back(scores)
        page.close()
    wait_until_away(scores)
    with running_server(port=port, warm=False):  # restarted for the second page alone
        wait_until_back(scores)
        check_file_is_asked_for_again(scores)
        go_to(scores, LESSONS["score_variance"])
        go_to(scores, LESSONS["your_scores"])
        assert scores.get_by_text("choose it again").count() == 1
        scores.close()
    problems.clear()  # failed requests


def check_file_is_asked_for_again(scores):
    scores.get_by_text("choose it again").wait_for()
    assert scores.locator(FILE_NAMES).count() == 0
    assert scores.get_by_text("Sample “aligned”").count() == 1
    choose(scores, "second.npz")
    assert scores.get_by_text("choose it again").count() == 0
    assert menu_names(scores) <= set(LESSONS.values())
