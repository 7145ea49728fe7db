"""The same four charts drawn by our component, by `st.plotly_chart` and, where it is installed, by Dash.

DASH_PYTHON names the Python that has Dash if it is not this one.
"""

import os
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from browsing import chromium, new_page
from harness import free_port, running_server
from ratios import percentile, ratio_row, spread

PAGES = Path(__file__).parent / "four_charts_pages"
DASH_PYTHON = os.environ.get("DASH_PYTHON", sys.executable)
MOVES = 20
WARM = 3  # moves that are not counted
BUDGET = 1.0  # no slower

# From the key to the frame that shows the new d_k in the titles of all four charts.
WATCH = """() => {
  const titles = () => [...document.querySelectorAll('.gtitle')].map(each => each.textContent.match(/d_k = \\d+/)?.[0]);
  const now = window.chartsSeen = {key: null, before: null, painted: null};
  const look = () => {
    const shown = titles();
    if (now.key === null || now.painted || shown.length < 4 || shown.some(each => each !== shown[0])) return;
    if (shown[0] !== now.before) window.afterPaint(time => { now.painted ??= time; });
  };
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
  window.addEventListener('keydown', event => {
    Object.assign(now, {key: event.timeStamp, before: titles()[0], painted: null});
  }, true);
}"""


@dataclass(frozen=True)
class Side:
    """One way to draw the page: its address, and what takes the key on it."""

    name: str
    url: str
    slider: str


def charts():
    """A key press on the slider to the paint of all four charts, against each of the others in turns."""
    ours = running_server(PAGES / "app.py", environment={"DRAW": "component"})
    plain = running_server(PAGES / "app.py", environment={"DRAW": "plotly_chart"})
    with chromium() as browser, ours as first, plain as second, dash() as third:
        sides = [
            Side("ours", first.url, "input[type=range]"),
            Side("st.plotly_chart", second.url, "input[type=range]"),
            Side("Dash", third, "[role=slider]"),
        ]
        sides = [side for side in sides if side.url]
        taken = _moves(browser, sides)
    ours_taken = taken.pop("ours")
    return [_row(name, ours_taken, times) for name, times in taken.items()]


def _row(name, ours, theirs):
    note = f"ours {spread(ours)}, p95 {percentile(ours, 0.95):.0f} ms; theirs {spread(theirs)}"
    pairs = list(zip(ours, theirs, strict=True))
    return ratio_row(f"four charts, key to paint, our component / {name}", BUDGET, pairs, scale=1, note=note)


def _moves(browser, sides):
    pages = {side.name: _opened(browser, side) for side in sides}
    taken = {side.name: [] for side in sides}
    for turn in range(MOVES + WARM):
        for side in sides if turn % 2 else sides[::-1]:
            taken[side.name].append(_one_move(pages[side.name], side.slider))
    return {name: times[WARM:] for name, times in taken.items()}


def _opened(browser, side):
    page = new_page(browser)
    page.goto(side.url)
    page.wait_for_function("() => document.querySelectorAll('.gtitle').length >= 4", timeout=30_000)
    page.evaluate(WATCH)
    return page


def _one_move(page, slider):
    page.bring_to_front()
    page.locator(slider).first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.chartsSeen.painted", timeout=20_000)
    page.wait_for_timeout(300)
    return page.evaluate("() => window.chartsSeen.painted - window.chartsSeen.key")


def dash():
    """Serves the Dash page and gives its address; gives None where there is no Dash."""
    found = subprocess.run([DASH_PYTHON, "-c", "import dash"], capture_output=True)
    return _running_dash() if found.returncode == 0 else nullcontext()


@contextmanager
def _running_dash():
    """The address of the Dash page while it is served."""
    port = free_port()
    silent = subprocess.DEVNULL
    process = subprocess.Popen([DASH_PYTHON, PAGES / "dash_page.py", str(port)], stdout=silent, stderr=silent)
    try:
        _wait_until_answering(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _wait_until_answering(url, process):
    for _ in range(300):
        try:
            return build_opener(ProxyHandler({})).open(url, timeout=2).close()
        except (URLError, OSError):
            if process.poll() is not None:
                raise RuntimeError(f"the Dash page stopped with code {process.returncode}") from None
            time.sleep(0.1)
    raise RuntimeError("the Dash page did not answer")
