"""What covers a mark, touches another text or is cut off, in every figure at every size that we promise.

``python tests/e2e/crowding.py`` prints the whole table of today as `crowding_today.py` keeps it, and
``python tests/e2e/crowding.py backprop derivation`` the rows of these lessons. To accept what it finds:

    python tests/e2e/crowding.py > table.py && mv table.py tests/e2e/crowding_today.py

Add ``--say`` to read which texts are meant and by how many pixels.
"""

import sys
from collections import defaultdict
from pathlib import Path

from dashboard import DRAWN
from harness import launch_browser, open_page, running_server
from playwright.sync_api import sync_playwright

FIGURES = "[data-picture] .js-plotly-plot, [data-hero]"
SIZES = {
    "390": (390, 844),
    "820": (820, 1180),
    "1024": (1024, 768),
    "1440": (1440, 900),
    "1920": (1920, 1080),
}
PROJECTED = {"1024p": SIZES["1024"], "1920p": SIZES["1920"]}
SETTLE_MS = 150

# Letters lie within a pixel of where a measure says. What is less deep than this is no problem, ...
TOLERANCE = 2.0
# ... and what is this near to it may be listed or not: another Chromium rounds a little otherwise.
DOUBT = 0.5

MEASURE = (Path(__file__).parent / "crowding.js").read_text(encoding="utf-8")

# True once every figure is as wide as its place and nothing in it has moved for some time.
_AT_REST = """([figures, settle]) => {
  const seen = [...document.querySelectorAll(figures)].filter(figure => figure.checkVisibility());
  const fits = seen.every(figure => {
    const drawing = figure.querySelector('.main-svg');
    const wide = (element) => element.getBoundingClientRect().width; // as it is seen: a projector's figures are scaled
    return !drawing || Math.abs(wide(drawing) - wide(figure.parentElement)) <= 1;
  });
  const state = seen.map(figure => {
    const {x, width, height} = figure.getBoundingClientRect();
    const marks = [...figure.querySelectorAll('svg text, svg path')];
    const places = marks.map(mark => mark.getAttribute('transform') ?? mark.getAttribute('d')?.slice(0, 40));
    return [x, width, height, ...places];
  }).join();
  const now = performance.now();
  if (!fits || state !== window.__figures) {
    window.__figures = state;
    window.__figuresSince = now;
    window.__looks = 0;
    return false;
  }
  window.__looks += 1; // a busy machine may draw nothing for a while: it must have had several turns as well
  return window.__looks >= 4 && now - window.__figuresSince >= settle;
}"""


def wait_until_at_rest(page):
    """Wait until the figures have their final layout for the window's size."""
    page.evaluate("() => { window.__figures = undefined; }")
    page.wait_for_function(_AT_REST, arg=[FIGURES, SETTLE_MS], polling=50, timeout=60_000)


def crowded(page, figures=FIGURES):
    """(figure, kind) -> (depth in px, texts) of the worst of each kind, as the page stands."""
    worst = {}
    for each in page.evaluate(MEASURE, figures):
        for problem in each["problems"]:
            place = (each["figure"], problem["kind"])
            if problem["depth"] > worst.get(place, (0,))[0]:
                worst[place] = (problem["depth"], tuple(problem["names"]))
    return worst


def survey(page, server, lesson):
    """(figure, kind, size) -> (depth in px, texts) for one lesson at every size."""
    found = {}
    for sizes, mode in ((SIZES, {}), (PROJECTED, {"mode": "projector"})):
        resize(page, next(iter(sizes.values())))
        open_page(page, server, lesson, **mode)
        for name, size in sizes.items():
            resize(page, size)
            wait_until_at_rest(page)
            found |= {(*place, name): worst for place, worst in crowded(page).items()}
    return found


def resize(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})


def table(found):
    """(figure, kind) -> the sizes at which it is so, in order."""
    rows = defaultdict(list)
    order = [*SIZES, *PROJECTED]
    for figure, kind, size in sorted(found, key=lambda each: (each[0], each[1], order.index(each[2]))):
        if found[figure, kind, size][0] > TOLERANCE:
            rows[figure, kind].append(size)
    return {place: " ".join(sizes) for place, sizes in rows.items()}


def changes(found, listed):
    """What is wrong and not listed, and what is listed and not wrong, as sentences."""
    listed = {(*place, size) for place, sizes in listed.items() for size in sizes.split()}
    new = [place for place, (depth, _) in found.items() if depth > TOLERANCE + DOUBT and place not in listed]
    gone = [place for place in listed if found.get(place, (0,))[0] <= TOLERANCE - DOUBT]
    said = [
        f"new: {kind} in {figure} at {size}, {found[figure, kind, size][0]:.1f} px: {found[figure, kind, size][1]}"
        for figure, kind, size in sorted(new)
    ]
    return said + [f"no longer crowded, so take it off the list: {k} in {f} at {s}" for f, k, s in sorted(gone)]


def _print_table(lessons, say):
    print('"""What is crowded today: lesson -> (figure, kind) -> the sizes. Printed by crowding.py."""\n')
    print("TODAY = {")
    with sync_playwright() as playwright, running_server("app.py") as server:
        page = launch_browser(playwright).new_page()
        for lesson in lessons:
            found = survey(page, server, lesson)
            if not table(found):
                continue
            print(f'    "{lesson}": {{')
            for (figure, kind), sizes in table(found).items():
                print(f'        ("{figure}", "{kind}"): "{sizes}",')
                for size in sizes.split() if say else ():
                    depth, texts = found[figure, kind, size]
                    print(f"            # {size}: {depth:.1f} px, {texts}")
            print("    },", flush=True)
    print("}")


if __name__ == "__main__":
    chosen = [each for each in sys.argv[1:] if each != "--say"]
    _print_table(["" if each == "start" else each for each in chosen] or DRAWN, "--say" in sys.argv)
