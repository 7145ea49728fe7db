"""How long a person waits for the first picture, in a real Chromium with an empty cache."""

import statistics
import tempfile
from pathlib import Path

from browsing import chromium, lessons, new_page
from harness import page_url, running_server
from ratios import ratio_row

LOADS = 7
BUDGET = 1.9
SERVERS = 2  # fresh ones for each lesson
LATER = 2  # visits after the first one to each of them
FRESH_BUDGET = 1.3
TITLE = "h1"
# Bars with something in them, a figure of Plotly, or lines of formulas; the hero's shadow root is open.
HERO = "[data-hero] svg path.fill[d]:not([d=''])"
PICTURE = "[data-picture] .main-svg, [class*=st-key-lines_]"

COLD_WATCH = """
addEventListener('DOMContentLoaded', () => {
  const look = () => {
    const found = window.deep(%r).some(each => each.getBoundingClientRect().height > 0);
    if (found) window.afterPaint(now => { window.firstPicture = now; });
    else requestAnimationFrame(look);
  };
  look();
});
"""


def first():
    """A cold browser's navigation to the first picture of the start page, against an app that is only a title."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        Path(folder, "title.py").write_text('import streamlit as st\n\nst.title("x")\n', encoding="utf-8")
        with running_server() as ours, running_server("title.py", cwd=folder) as title:
            pairs = []
            for turn in range(LOADS + 1):
                sides = [(ours, HERO), (title, TITLE)]
                order = sides if turn % 2 else sides[::-1]
                taken = {server: _cold(browser, server, "", selector) for server, selector in order}
                pairs.append((taken[ours], taken[title]))
    return [ratio_row('first picture of start, cold browser / st.title("x")', BUDGET, pairs[1:], scale=1)]


def fresh():
    """The first picture of each lesson on a server that has not drawn it, against a later one."""
    with chromium() as browser:
        with running_server() as server:
            _cold(browser, server, "")  # the browser itself is warm
        return [_fresh(browser, address) for address in lessons()]


def _fresh(browser, address):
    pairs = []
    for _ in range(SERVERS):
        with running_server() as server:
            once, *later = [_cold(browser, server, address) for _ in range(1 + LATER)]
        pairs.append((once, statistics.median(later)))
    return ratio_row(
        f"first visit of {address or 'start'} to a fresh server / a later one", FRESH_BUDGET, pairs, scale=1
    )


def _cold(browser, server, address, selector=f"{HERO}, {PICTURE}"):
    page = new_page(browser, COLD_WATCH % selector)
    page.goto(page_url(server, address), wait_until="commit")
    return _waited(page)


def _waited(page):
    page.wait_for_function("() => window.firstPicture", timeout=30_000)
    painted = page.evaluate("() => window.firstPicture")
    page.context.close()
    return painted
