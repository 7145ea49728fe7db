"""A long computation waits for its button, and ends when its visitor leaves or asks for something else.

One that has come to its end is kept for all: where it is still to be asked for, it has been ended.
"""

import re
import time
from pathlib import Path

import pytest
from dashboard import CHARTS, go_to
from harness import START_S, page_url

from pages._view import turns

pytestmark = pytest.mark.e2e

LONG = {"law": "student_t", "d_k": 1024, "n_samples": 1_000_000}  # more than a minute of one core
COMPUTING = re.compile("^About [0-9]+ (s|minutes) left$")


def offer(page):
    """The button that a long computation waits for."""
    return page.get_by_role("button", name="Compute (about")


def ask_for(page, server, **others):
    """Open the page of a long computation and begin it."""
    page.goto(page_url(server, "/score_variance", **LONG, **others), wait_until="domcontentloaded")
    offer(page).click()


@pytest.fixture
def computing(server, page):
    """A page on which a long computation has been asked for and goes on."""
    ask_for(page, server)
    page.get_by_text(COMPUTING).wait_for()
    return page, server


def wait_until_at_rest(server):
    """Wait until no thread of the server runs, or would, had it a core (Linux)."""
    limit, looks_at_rest = time.monotonic() + START_S, 0
    while looks_at_rest < 20:
        assert time.monotonic() < limit, "the server computes on"
        states = [path.read_text().rpartition(") ")[2][0] for path in Path(f"/proc/{server.pid}/task").glob("*/stat")]
        looks_at_rest = 0 if "R" in states else looks_at_rest + 1
        time.sleep(0.05)


def check_ended(server, page):
    """The server rests, and what was begun is still to be asked for."""
    wait_until_at_rest(server)
    page.goto(page_url(server, "/score_variance", **LONG), wait_until="domcontentloaded")
    offer(page).wait_for()


def test_a_computation_ends_when_its_visitor_closes_the_page(computing, new_page):
    page, server = computing
    page.close()
    check_ended(server, new_page())


def test_a_computation_ends_when_its_visitor_goes_elsewhere(computing):
    page, server = computing
    go_to(page, "How does the gradient come back?")
    assert page.locator(CHARTS).count() > 0
    check_ended(server, page)


def test_long_computations_take_turns_and_can_be_cancelled(server, new_page):
    first, second = new_page(), new_page(stranger=True)
    ask_for(first, server)
    first.get_by_text(COMPUTING).wait_for()
    ask_for(second, server, seed=2)
    second.get_by_text(COMPUTING if turns.SLOTS > 1 else "One before you").wait_for()
    for page in (first, second):
        page.get_by_text(COMPUTING).wait_for()
        page.get_by_role("button", name="Cancel").click()
        offer(page).wait_for()
    check_ended(server, first)
