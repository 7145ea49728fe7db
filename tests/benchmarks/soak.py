"""What takes minutes: visitors over all lessons for ten, and a visitor whose connection is gone for two."""

import asyncio
import random

from browsing import chromium, following_dimension, new_page
from harness import open_page, query_parameters, running_server, wait_until_idle
from ratios import Row
from visitors import SECONDS, VISITORS, Visitor, together

MINUTES = 10
WARM_MINUTES = 2
GROWTH_BUDGET = 1.05
MEMORY_BUDGET = 600  # MB
OFFLINE = 120  # seconds; after so many the server has forgotten the visitor
SLIDER = "[data-slider] input"
SHOWN = "[data-picture][data-value]"


def soak():
    """One class of visitors after the other, each with a seed of their own; then the connection that is gone."""
    lessons, memory, errors = following_dimension(), [], []
    with running_server() as server:
        for turn in range(round(60 * MINUTES / SECONDS)):
            page = lessons[turn % len(lessons)]
            people = [Visitor(server.url, page, {"seed": i}, random.Random(i)) for i in range(VISITORS)]
            asyncio.run(together(people))
            errors += [error for person in people for error in person.errors]
            memory.append(server.memory_mb())
        apart = places_after_being_offline(server)
    warm, last = memory[round(60 * WARM_MINUTES / SECONDS) - 1], memory[-1]
    detail = f"{warm:.0f} MB after {WARM_MINUTES} minutes, {last:.0f} MB after {MINUTES}"
    return [
        Row("memory of the server in the end, over that when it is warm", last / warm, GROWTH_BUDGET, detail=detail),
        Row("memory of the server in the end", last, MEMORY_BUDGET, "MB"),
        Row("errors", len(errors), 0, "errors", errors[0] if errors else ""),
        Row(f"{OFFLINE} s offline: what address, slider and picture say", len(apart), 1, "values", ", ".join(apart)),
    ]


def places_after_being_offline(server):
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
