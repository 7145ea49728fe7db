"""A visitor without a connection for two minutes: what was set meanwhile is what address, slider and picture say."""

from browsing import chromium, new_page
from harness import open_page, query_parameters, running_server, wait_until_idle
from ratios import Row

OFFLINE = 120  # seconds; after so many the server has forgotten the visitor
SLIDER = ".st-key-dimension input"
SHOWN = "[data-picture][data-value]"


def offline():
    """How many values address, slider and picture say of d_k after it was moved offline: one."""
    with running_server() as server:
        said = _said_after_being_offline(server)
    return [Row(f"{OFFLINE} s offline: what address, slider and picture say", len(said), 1, "values", ", ".join(said))]


def _said_after_being_offline(server):
    """What address, slider and picture say of d_k after it was moved offline."""
    with chromium() as browser:
        page = new_page(browser)
        open_page(page, server, "score_variance")
        page.context.set_offline(True)
        page.locator(SLIDER).press("ArrowRight")
        page.wait_for_timeout(1_000 * OFFLINE)
        page.context.set_offline(False)
        page.wait_for_function("() => !window.labAway", timeout=60_000)
        wait_until_idle(page)
        slider = page.locator(SLIDER).get_attribute("aria-valuetext").removeprefix("d_k = ")
        shown = page.locator(SHOWN).get_attribute("data-value")
        return {query_parameters(page).get("d_k", "none"), slider, shown}
