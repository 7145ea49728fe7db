"""A long computation waits for its button, and ends when its visitor leaves or asks for something else."""

import os
import time
from pathlib import Path

import pytest
from dashboard import CHARTS, go_to
from harness import open_page, wait_until_idle

pytestmark = pytest.mark.e2e

LONG = {"law": "student_t", "d_k": 1024, "n_samples": 1_000_000}  # more than a minute of one core
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(server):
    """CPU time of the server so far (Linux)."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def wait_until(condition, timeout=60):
    limit = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < limit, "it did not come about"
        time.sleep(0.1)


@pytest.fixture
def computing(server, page):
    """A page on which a long computation has been asked for and goes on."""
    open_page(page, server, "/score_variance", **LONG)
    button = page.get_by_role("button", name="Compute (about")
    assert button.count() == 1
    before = cpu_seconds(server)
    button.click()
    wait_until(lambda: cpu_seconds(server) - before > 2)
    return page, server


def spent_after(server):
    """CPU seconds that the server still spends before it rests: less than 0.1 in a second."""
    first = last = cpu_seconds(server)
    for _ in range(30):
        time.sleep(1)
        now = cpu_seconds(server)
        if now - last < 0.1:
            return now - first
        last = now
    return last - first


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
