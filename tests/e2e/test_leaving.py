"""A long computation waits for its button, and ends when its visitor leaves or asks for something else."""

import os
import re
import time
from pathlib import Path

import pytest
from dashboard import CHARTS, go_to
from harness import page_url, wait_until_idle

from pages._view import turns

pytestmark = pytest.mark.e2e

LONG = {"law": "student_t", "d_k": 1024, "n_samples": 1_000_000}  # more than a minute of one core
COMPUTING = re.compile("^About [0-9]+ s left$")
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(server):
    """CPU time of the server so far (Linux)."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@pytest.fixture
def computing(server, page):
    """A page on which a long computation has been asked for and goes on."""
    ask_for(page, server)
    page.get_by_text(COMPUTING).wait_for()
    return page, server


def ask_for(page, server, **others):
    page.goto(page_url(server, "/score_variance", **LONG, **others), wait_until="domcontentloaded")
    page.get_by_role("button", name="Compute (about").click()


def computes(server):
    """Whether a thread of the server runs or would, had it a core: on a busy machine its CPU time alone says little."""
    states = [path.read_text().rpartition(") ")[2][0] for path in Path(f"/proc/{server.pid}/task").glob("*/stat")]
    return "R" in states


def spent_after(server):
    """CPU seconds that the server spends before it rests, or in a minute."""
    first, seen = cpu_seconds(server), []
    for _ in range(1_200):
        time.sleep(0.05)
        seen.append(computes(server))
        if not any(seen[-20:]) and len(seen) > 20:
            break
    return cpu_seconds(server) - first


def test_a_computation_ends_when_its_visitor_closes_the_page(computing):
    page, server = computing
    page.close()
    assert spent_after(server) < 2


def test_a_computation_ends_when_its_visitor_goes_elsewhere(computing):
    page, server = computing
    go_to(page, "How does the gradient come back?")
    wait_until_idle(page)
    assert page.locator(CHARTS).count() > 0
    assert spent_after(server) < 2


def test_long_computations_take_turns_and_can_be_cancelled(server, new_page):
    first, second = new_page(), new_page(stranger=True)
    for page, seed in ((first, 1), (second, 2)):
        address = page_url(server, "/score_variance", seed=seed, **LONG)
        page.goto(address, wait_until="domcontentloaded", timeout=120_000)
        page.get_by_role("button", name="Compute (about").click(timeout=120_000)
        page.get_by_text(COMPUTING if page is first or turns.SLOTS > 1 else "One before you").wait_for(timeout=60_000)
    for page in (first, second):
        page.get_by_text(COMPUTING).wait_for(timeout=60_000)
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Compute (about").wait_for(timeout=60_000)
    assert spent_after(server) < 2
