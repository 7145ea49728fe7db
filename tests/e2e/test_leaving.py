"""A long computation starts by a button, and ends when the visitor leaves the page or cancels."""

import os
import re
import time
from pathlib import Path

import pytest
from dashboard import CHARTS, go_to
from harness import page_url

from pages._view.compute import turns

pytestmark = pytest.mark.e2e

LONG = {"law": "student_t", "d_k": 1024, "n_samples": 1_000_000}  # about a minute of one core
COMPUTING = re.compile("^About ([0-9]+) s left$")
TICKS = os.sysconf("SC_CLK_TCK")


def offer(page):
    """Return the button that starts a long computation."""
    return page.get_by_role("button", name="Compute (about")


def ask_for(page, server, **others):
    """Open a page with a long computation and start it."""
    page.goto(page_url(server, "/score_variance", **LONG, **others), wait_until="domcontentloaded")
    offer(page).click()


@pytest.fixture
def computing(server, page):
    """Return a page during a long computation, its server, and the estimated seconds left."""
    ask_for(page, server)
    left = page.get_by_text(COMPUTING)
    left.wait_for()
    return page, server, int(COMPUTING.match(left.inner_text())[1])


def cpu_seconds(server):
    """Return the CPU time of the server so far (Linux)."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def check_ended(server, left):
    """Check that the server becomes idle long before it could have finished the computation.

    Idle means that no thread is running or runnable: on a busy machine CPU time alone says little.
    """
    before, looks_at_rest = cpu_seconds(server), 0
    while looks_at_rest < 20:
        assert cpu_seconds(server) - before < left / 3, "it computes on"
        states = [path.read_text().rpartition(") ")[2][0] for path in Path(f"/proc/{server.pid}/task").glob("*/stat")]
        looks_at_rest = 0 if "R" in states else looks_at_rest + 1
        time.sleep(0.05)


def test_a_computation_ends_when_the_visitor_closes_the_page(computing):
    page, server, left = computing
    page.close()
    check_ended(server, left)


@pytest.mark.walk
def test_a_computation_ends_when_the_visitor_opens_another_lesson(computing):
    page, server, left = computing
    go_to(page, "How does the gradient come back?")
    assert page.locator(CHARTS).count() > 0
    check_ended(server, left)


@pytest.mark.matrix
def test_long_computations_take_turns_and_can_be_cancelled(server, new_page):
    first, second = new_page(), new_page(stranger=True)
    ask_for(first, server)
    first.get_by_text(COMPUTING).wait_for()
    ask_for(second, server, seed=2)
    second.get_by_text(COMPUTING if turns.SLOTS > 1 else "One before you").wait_for()
    for page in (first, second):
        left = page.get_by_text(COMPUTING).inner_text()
        page.get_by_role("button", name="Cancel").click()
        offer(page).wait_for()
    check_ended(server, int(COMPUTING.match(left)[1]))
