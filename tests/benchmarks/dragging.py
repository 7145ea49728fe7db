"""Count the pictures drawn during a drag, for each slider of each step.

A drag is 40 moves of the pointer, 25 ms apart, over half of the track, at a desk and with a processor four times
slower. It is compared with the same drag when nothing is redrawn. Each move waits for the page to receive it, so a slow
page makes the drag longer. A slider with few stops draws at most one picture per stop, and has no budget.
"""

import statistics
import time

from browsing import chromium, new_page, sliders
from dashboard import asking_for, slider
from harness import open_page, running_server, wait_until_idle
from ratios import Row, spread

MOVES = 40
PAUSE = 0.025  # seconds between two moves
ROUNDS = 2
FEW = 20  # stops
# Slowdown of the processor: (most ms between two pictures, longest drag relative to a drag without redraws).
BUDGETS = {1: (50, 1.4), 4: (125, None)}

# A picture counts once it is drawn: pictures and the hero record the value that they show.
COUNT = """() => {
  const shown = window.deep('[data-picture][data-value], [data-hero]')[0];
  window.drawn = [];
  window.passed = [];
  window.addEventListener('lab:hand', ({detail}) => window.passed.push(detail.value), true);
  new MutationObserver(() => window.drawn.push(shown.dataset.value)).observe(shown, {
    attributes: true, attributeFilter: ['data-value']});
}"""
# Keep the slider's events from the page, so that nothing is redrawn.
STILL = """still => {
  window.unheard ??= event => window.stillness && event.stopImmediatePropagation();
  window.removeEventListener('lab:hand', window.unheard, true);
  window.addEventListener('lab:hand', window.unheard, true);
  window.stillness = still;
}"""


def drag():
    """Yield rows for each slider: ms between two pictures, and duration relative to a drag without redraws."""
    with chromium() as browser, running_server() as server:
        for slower in BUDGETS:
            for stem, step, name in sliders():
                yield from _rows(browser, server, stem, step, name, slower)


def _rows(browser, server, stem, step, name, slower):
    page = new_page(browser)
    page.add_init_script(f"({STILL})(false)")  # before the pictures listen, so that it gets events first
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    open_page(page, server, stem, **asking_for(step))
    page.evaluate(COUNT)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    rounds = []
    for turn in range(ROUNDS + 1):
        order = (True, False) if turn % 2 else (False, True)
        rounds.append({still: _one_drag(page, session, name, still) for still in order})
    page.context.close()
    moving, still = ([each[is_still] for each in rounds[1:]] for is_still in (False, True))
    return _told(
        f"{name} of {stem or 'start'}, {step}{f', processor ÷ {slower}' if slower > 1 else ''}", moving, still, slower
    )


def _told(name, moving, still, slower):
    every = [1000 * one["held"] / one["drawn"] for one in moving]
    stretch = [one["held"] / free["held"] for one, free in zip(moving, still, strict=True)]
    style = statistics.median(one["style"] / one["drawn"] for one in moving)
    drawn, passed = (statistics.median(one[what] for one in moving) for what in ("drawn", "passed"))
    counts = f"{spread(every)}; {drawn:.0f} pictures of {passed:.0f} stops; {style:.1f} ms of style a picture"
    slow = f"{spread([1000 * one['held'] for one in moving])}"
    budget, longest = BUDGETS[slower]
    return [
        Row(
            f"drag of {name}: a picture every", statistics.median(every), budget if passed > FEW else None, "ms", counts
        ),
        Row(f"drag of {name} / nothing redrawn", statistics.median(stretch), longest, detail=slow),
    ]


def _one_drag(page, session, name, still):
    """Return the pictures drawn and stops passed in one drag, its duration in seconds, and the ms spent on styles."""
    page.evaluate("still => { window.stillness = still; }", still)
    box = slider(page, name).bounding_box()
    height, first, reach = box["y"] + box["height"] / 2, box["x"] + box["width"] / 4, box["width"] / 2
    page.mouse.move(first, height)
    page.evaluate("() => { window.passed = []; }")
    page.mouse.down()
    page.evaluate("() => { window.drawn = []; }")
    style, begin = _style(session), time.perf_counter()
    for step in range(1, MOVES + 1):
        page.mouse.move(first + reach * step / MOVES, height)
        time.sleep(max(0, begin + PAUSE * step - time.perf_counter()))
    held, style = time.perf_counter() - begin, _style(session) - style
    drawn, passed = page.evaluate("() => [new Set(window.drawn).size, new Set(window.passed).size]")
    page.mouse.up()
    wait_until_idle(page)
    return {"drawn": max(drawn, 1), "passed": max(passed, 1), "held": held, "style": style}


def _style(session):
    """Return the ms that Chromium has spent on recalculating styles."""
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * metrics["RecalcStyleDuration"]
