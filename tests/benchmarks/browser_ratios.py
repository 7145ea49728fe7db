"""What a hand on d_k feels, in a real Chromium: the drag of the hero, a move on every lesson that follows it."""

import statistics
import sys
import time
from contextlib import suppress

from browsing import chromium, following_dimension, new_page
from harness import open_page, running_server, wait_until_idle
from playwright.sync_api import TimeoutError
from ratios import Row, percentile, ratio_row, spread

SLIDER = "[data-slider] input"
HERO_SENTENCE = "[data-hero] .sentence"
HERO_MOVES = 200
HERO_PAUSE = 0.025  # seconds between two moves of the pointer
HERO_MEDIAN_BUDGET = 17
HERO_P95_BUDGET = 20

MOVES = 8
MOVE_START = {"d_k": 1}  # the first stops are there for every lesson, also for those with small matrices
MOVE_WARM = 2  # moves that are not counted
MOVE_PATIENCE = 10_000  # ms in which a picture that follows has changed
MOVE_SHOWN = "[data-picture], [class*=st-key-lines_]"
MOVE_BUDGET = 0.65
# What Streamlit does where the product's .streamlit/config.toml says otherwise.
STREAMLIT_DEFAULTS = (
    "--runner.postScriptGC=true",
    "--client.showErrorDetails=full",
    "--client.toolbarMode=auto",
    "--server.fileWatcherType=auto",
    "--server.maxUploadSize=200",
    "--server.maxMessageSize=200",
)


# --- hero: drag ----------------------------------------------------------------------------------------

HERO_WATCH = """([slider, sentence]) => {
  const input = window.deep(slider)[0], text = window.deep(sentence)[0];
  const seen = window.heroSeen = {inputs: 0, drawn: 0, times: [], frames: []};
  let moved = 0;
  window.addEventListener('pointermove', event => { moved = event.timeStamp; }, true);
  // Capture on window: this runs before the hero's own listener, so it still sees the old sentence.
  window.addEventListener('input', event => {
    if (event.composedPath()[0] !== input) return;
    const before = text.textContent, begin = moved;
    seen.inputs += 1;
    window.afterPaint(now => {
      if (text.textContent !== before) { seen.drawn += 1; seen.times.push(now - begin); }
    });
  }, true);
  const tick = now => { seen.frames.push(now); if (seen.frames.length < 60) requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
}"""


def hero():
    """From a pointer move to the painted picture, and whether every input event was drawn."""
    with chromium() as browser, running_server() as server:
        page = new_page(browser)
        open_page(page, server)
        page.evaluate(HERO_WATCH, [SLIDER, HERO_SENTENCE])
        page.wait_for_function("() => window.heroSeen.frames.length >= 60")
        frames = page.evaluate("() => window.heroSeen.frames")
        messages = _count_messages(page)
        _drag(page)
        sent = len(messages)
        page.wait_for_timeout(100)
        seen = page.evaluate("() => window.heroSeen")
    return _hero_rows(seen, sent, (frames[-1] - frames[0]) / (len(frames) - 1))


def _drag(page):
    """Drag the thumb to and fro over the whole track, slowly enough for an event of its own at each step."""
    box = page.locator(SLIDER).bounding_box()
    middle, reach = box["x"] + box["width"] / 2, box["width"] / 2 - 10
    height = box["y"] + box["height"] / 2
    page.mouse.move(middle, height)
    page.mouse.down()
    begin = time.perf_counter()
    for step in range(HERO_MOVES):
        phase = (step * 4 / HERO_MOVES) % 4  # 0 … 4: middle, right end, middle, left end, middle
        offset = phase if phase <= 1 else 2 - phase if phase <= 3 else phase - 4
        page.mouse.move(middle + reach * offset, height)
        time.sleep(max(0, begin + HERO_PAUSE * (step + 1) - time.perf_counter()))


def _hero_rows(seen, sent, frame):
    detail = f"{seen['inputs']} input events, {seen['drawn']} drawn, a frame every {frame:.1f} ms"
    median, p95 = statistics.median(seen["times"]), percentile(seen["times"], 0.95)
    return [
        Row("hero drag, pointer to paint, median", median, HERO_MEDIAN_BUDGET, "ms", detail),
        Row("hero drag, pointer to paint, p95", p95, HERO_P95_BUDGET, "ms"),
        Row("hero drag, input events not drawn", seen["inputs"] - seen["drawn"], 0, "events"),
        Row("hero drag, messages to the server", sent, 0, "messages"),
    ]


def _count_messages(page):
    """A list that grows with every websocket frame the page sends from now on."""
    sent = []
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.webSocketFrameSent", lambda frame: sent.append(frame))
    return sent


# --- a move of d_k -------------------------------------------------------------------------------------

MOVE_WATCH = """selector => {
  const now = window.moveSeen = {key: null, painted: null, changes: 0};
  window.addEventListener('keydown', event => {
    Object.assign(now, {key: event.timeStamp, painted: null, changes: 0});
  }, true);
  new MutationObserver(records => {
    if (now.key === null) return;
    const inside = record => (record.target.closest ?? (() => null)).call(record.target, selector);
    const shown = records.some(record => inside(record) && !record.target.closest('.hoverlayer, .modebar'));
    if (shown) { now.changes += 1; window.afterPaint(time => { now.painted = time; }); }
  }).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true,
    attributeFilter: ['d', 'points', 'transform', 'x', 'y', 'width', 'height']});
}"""


def move():
    """A key press on d_k to the last painted change of the pictures: our configuration against Streamlit's.

    The budget is that of the median over the lessons: where a move computes for long, the platform matters less.
    """
    plain_server = running_server("app.py", *STREAMLIT_DEFAULTS)
    with chromium() as browser, running_server() as ours, plain_server as plain:
        rows = [row for stem in following_dimension() for row in _moves(browser, (ours, plain), stem)]
    middle = statistics.median(row.measured for row in rows)
    return [*rows, Row("move of d_k, the median lesson / Streamlit's defaults", middle, MOVE_BUDGET)]


def _moves(browser, servers, stem):
    pages = [open_page(new_page(browser), server, stem, **MOVE_START) for server in servers]
    for page in pages:
        page.evaluate(MOVE_WATCH, MOVE_SHOWN)
    pairs = []
    for turn in range(MOVES + MOVE_WARM):
        order = pages if turn % 2 else pages[::-1]
        taken = {page: _one_move(page) for page in order}
        pairs.append((taken[pages[0]], taken[pages[1]]))
        if None in pairs[-1]:
            break
    for page in pages:
        page.context.close()
    counted = pairs[MOVE_WARM:]
    if None in pairs[-1]:
        print(f"{stem} is left out: as it opens, its pictures do not follow every move of d_k", file=sys.stderr)
        return []
    note = f"ours {spread([ours for ours, _ in counted])}"
    return [ratio_row(f"move of d_k on {stem} / Streamlit's defaults", None, counted, scale=1, note=note)]


def _one_move(page):
    """Milliseconds from the key press to the paint of the last change, or None where nothing changed."""
    page.bring_to_front()
    page.locator(SLIDER).focus()
    page.keyboard.press("ArrowRight")
    with suppress(TimeoutError):
        page.wait_for_function("() => window.moveSeen.painted !== null", timeout=MOVE_PATIENCE)
    wait_until_idle(page)
    page.wait_for_timeout(300)
    return page.evaluate("() => window.moveSeen.painted && window.moveSeen.painted - window.moveSeen.key")
