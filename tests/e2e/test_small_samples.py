"""Draws that fall, in a browser: where they are stopped, picture, field and address say the same number."""

import pytest
from dashboard import field, how_sure
from harness import open_page, query_parameters, wait_until_idle

from pages._view.page.fragments.small_samples import MANY

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

# What the browser says takes its time to the server, so that some of it is still under way when Stop is pressed.
FAR_AWAY = """const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (message) { setTimeout(() => send.call(this, message), 200); };"""


# The field that nothing can be typed into while draws fall; the first one follows at once.
FALLING = "() => Number(document.querySelector('[data-testid=stNumberInput] input:disabled')?.value) > 3"


def numbers(page):
    """The number of draws in the address, in the field and under the picture."""
    sure = how_sure(page, "small_samples").get_by_test_id("stMarkdown").first
    return query_parameters(page).get("n_draws"), field(page, "n_draws").input_value(), sure.text_content().split()[0]


def test_where_the_falling_is_stopped_picture_field_and_address_agree(server, new_page):
    page = new_page(1440, 900)
    page.add_init_script(FAR_AWAY)
    open_page(page, server, "small_samples", n_draws=50)
    page.get_by_role("button", name="Draw many").click()
    page.wait_for_function(FALLING)
    page.get_by_test_id("stMainBlockContainer").get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Draw many").wait_for()
    wait_until_idle(page)
    stopped = numbers(page)
    assert len(set(stopped)) == 1
    assert 3 < int(stopped[0]) < MANY
    page.reload()
    wait_until_idle(page)
    assert numbers(page) == stopped
