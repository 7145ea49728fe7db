"""How many pictures a drag of each slider draws that a lesson's main picture follows: the peers' drag.

40 moves of the pointer, 25 ms apart, to and fro over the track. Beside it the same drag in which nothing is redrawn.
"""

import statistics
import time

from browsing import chromium, new_page, sliders
from dashboard import slider
from harness import open_page, running_server, wait_until_idle
from ratios import Row, spread

MOVES = 40
PAUSE = 0.025  # seconds between two moves
ROUNDS = 5
SHOWN_BUDGET = 10  # pictures a second, at least
STRETCH_BUDGET = 1.8  # times the drag in which nothing is redrawn

# Pictures count when they are drawn: the picture, and the hero, write down which value they show.
COUNT = """() => {
  const shown = window.deep('[data-picture][data-value], [data-hero]')[0];
  window.drawn = [];
  new MutationObserver(() => window.drawn.push(shown.dataset.value)).observe(shown, {
    attributes: true, attributeFilter: ['data-value']});
}"""
# Nothing hears where the hand is.
STILL = """still => {
  window.unheard ??= event => window.stillness && event.stopImmediatePropagation();
  window.removeEventListener('lab:hand', window.unheard, true);
  window.addEventListener('lab:hand', window.unheard, true);
  window.stillness = still;
}"""


def drag():
    """Pictures a second, and how much longer the drag takes than one that redraws nothing."""
    with chromium() as browser, running_server() as server:
        for stem, name in sliders():
            yield from _rows(browser, server, stem, name)


def _rows(browser, server, stem, name):
    page = new_page(browser)
    page.add_init_script(f"({STILL})(false)")  # before the pictures listen, so that it is asked first
    open_page(page, server, stem)
    page.evaluate(COUNT)
    rounds = []
    for turn in range(ROUNDS + 1):
        order = (True, False) if turn % 2 else (False, True)
        rounds.append({still: _one_drag(page, name, still) for still in order})
    page.context.close()
    moving, still = ([each[is_still] for each in rounds[1:]] for is_still in (False, True))
    rates = [drawn / held for drawn, held in moving]
    stretch = [held / free for (_, held), (_, free) in zip(moving, still, strict=True)]
    name = f"{name} of {stem or 'start'}"
    counts = f"{spread([drawn for drawn, _ in moving], 'pictures')} of {MOVES} moves"
    slow = f"{spread([1000 * held for _, held in moving])}"
    return [
        Row(f"drag of {name}: a picture every", 1000 / statistics.median(rates), 1000 / SHOWN_BUDGET, "ms", counts),
        Row(f"drag of {name} / nothing redrawn", statistics.median(stretch), STRETCH_BUDGET, detail=slow),
    ]


def _one_drag(page, name, still):
    """Pictures that were drawn while the hand was on the slider, and for how many seconds it was."""
    page.evaluate("still => { window.stillness = still; }", still)
    box = slider(page, name).bounding_box()
    height, first, reach = box["y"] + box["height"] / 2, box["x"] + box["width"] / 4, box["width"] / 2
    page.mouse.move(first, height)
    page.mouse.down()
    page.evaluate("() => { window.drawn = []; }")
    begin = time.perf_counter()
    for step in range(1, MOVES + 1):
        page.mouse.move(first + reach * step / MOVES, height)
        time.sleep(max(0, begin + PAUSE * step - time.perf_counter()))
    held = time.perf_counter() - begin
    drawn = page.evaluate("() => new Set(window.drawn).size")
    page.mouse.up()
    wait_until_idle(page)
    return drawn, held
