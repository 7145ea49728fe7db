"""Draws added by ▶ in a browser: after a pause, picture, dial and address agree."""

import pytest
from dashboard import how_sure, slider
from harness import open_page, query_parameters, wait_until_idle

from pages._view.lessons import LESSONS

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

# Delay messages to the server, so that some are still on their way at the pause.
FAR_AWAY = """const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (message) { setTimeout(() => send.call(this, message), 200); };"""

DIAL = ".st-key-n_draws_dial"
PLAYING = "before => document.querySelector('.st-key-n_draws_dial input').valueAsNumber > before + 2"
MOST = LESSONS["small_samples"].controls["n_draws"].high


def numbers(page):
    """Return the number of draws in the address, at the dial and below the picture."""
    on_dial = slider(page, "n_draws").get_attribute("aria-valuetext").removeprefix("Draws ")
    sure = how_sure(page, "small_samples").get_by_test_id("stMarkdown").first.text_content().split()[0]
    return query_parameters(page).get("n_draws"), on_dial.replace(",", ""), sure.replace(",", "")


def test_picture_dial_and_address_agree_after_a_pause(server, new_page):
    page = new_page(1440, 900)
    page.add_init_script(FAR_AWAY)
    open_page(page, server, "small_samples", n_draws=10)
    before = slider(page, "n_draws").evaluate("dial => dial.valueAsNumber")
    page.locator(DIAL).get_by_role("button", name="Play").click()
    page.wait_for_function(PLAYING, arg=before)
    page.locator(DIAL).get_by_role("button", name="Pause").click()
    page.locator(DIAL).get_by_role("button", name="Play").wait_for()
    page.wait_for_function("() => new URLSearchParams(location.search).get('n_draws') !== '10'")
    wait_until_idle(page)
    stopped = numbers(page)
    assert len(set(stopped)) == 1
    assert 10 < int(stopped[0]) < MOST
    page.reload()
    wait_until_idle(page)
    assert numbers(page) == stopped
