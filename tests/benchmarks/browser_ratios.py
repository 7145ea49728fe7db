"""What a hand on d_k feels, in a real Chromium: the drag of the hero, and a key on every lesson that follows it."""

import statistics
import time

from browsing import chromium, following_dimension, new_page
from harness import open_page, running_server, wait_until_idle
from ratios import Row, percentile, ratio_row, spread

SLIDER = ".st-key-dimension input"
HERO_SENTENCE = "[data-hero] .sentence"
HERO_MOVES = 200
HERO_PAUSE = 0.025  # seconds between two moves of the pointer
HERO_MEDIAN_BUDGET = 17
HERO_P95_BUDGET = 20

MOVES = 5
MOVE_START = {"d_k": 1}  # the first stops are there for every lesson, also for those with small matrices
MOVE_WARM = 1  # moves that are not counted
MOVE_SHOWN = "[data-picture], [class*=st-key-lines_]"
MAIN_BUDGET = 100  # ms, as that of a picture of a drag
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

# A key moves the main picture at once; after a silence the slider lets go, and what else depends on d_k follows.
MOVE_WATCH = """selector => {
  const now = window.moveSeen = {key: null, main: null, released: null, others: null};
  const start = () => ({main: null, released: null, others: null});
  window.addEventListener('keydown', event => Object.assign(now, start(), {key: event.timeStamp}), true);
  window.addEventListener('lab:hand', ({detail}) => { if (!detail.held) now.released ??= performance.now(); });
  new MutationObserver(records => {
    const all = records.map(record => record.target.nodeType === 1 ? record.target : record.target.parentElement);
    const shown = all.filter(each => each?.closest(selector) && !each.closest('.hoverlayer, .modebar'));
    const main = shown.some(each => each.closest('[data-picture][data-value]'));
    if (now.key === null || !shown.length) return;
    if (now.released !== null) window.afterPaint(time => { now.others = time; });
    else if (main) window.afterPaint(time => { now.main ??= time; });
  }).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true,
    attributeFilter: ['d', 'points', 'transform', 'x', 'y', 'width', 'height']});
}"""


def move():
    """A key press on d_k to the main picture, and from letting go to the last painted change of all that depends on it.

    The latter is a run of the page, and stands against Streamlit's defaults. Both budgets are those of the median over
    the lessons: where a move computes for long, the platform matters less.
    """
    mains, others = [], []
    plain_server = running_server("app.py", *STREAMLIT_DEFAULTS)
    with chromium() as browser, running_server() as ours, plain_server as plain:
        for stem in following_dimension():
            for rows, row in zip((mains, others), _moves(browser, (ours, plain), stem), strict=True):
                if row:
                    rows.append(row)
                    yield row
    middle, ratio = (statistics.median(row.measured for row in rows) for rows in (mains, others))
    yield Row("key on d_k to the main picture, the median lesson", middle, MAIN_BUDGET, "ms")
    yield Row(
        "letting go of d_k to all that depends on it, the median lesson / Streamlit's defaults", ratio, MOVE_BUDGET
    )


def _moves(browser, servers, stem):
    """The rows of a lesson; None in the place of one whose pictures do not all follow every move."""
    pages = [open_page(new_page(browser), server, stem, **MOVE_START) for server in servers]
    for page in pages:
        page.evaluate(MOVE_WATCH, MOVE_SHOWN)
    turns = [[_one_move(page) for page in (pages if turn % 2 else pages[::-1])] for turn in range(MOVES + MOVE_WARM)]
    for page in pages:
        page.context.close()
    counted = [turn if i % 2 else turn[::-1] for i, turn in enumerate(turns)][MOVE_WARM:]
    main = [ours["main"] and ours["main"] - ours["key"] for ours, _ in counted]
    others = [[each["others"] and each["others"] - each["released"] for each in pair] for pair in counted]
    return _main_row(stem or "start", main), _others_row(stem or "start", others)


def _main_row(stem, taken):
    if None in taken:
        return None  # the hero, and a picture that stays as it is at some stops
    return Row(f"key on d_k to the main picture of {stem}", statistics.median(taken), None, "ms", spread(taken))


def _others_row(stem, pairs):
    if any(None in pair for pair in pairs):
        return None  # nothing else depends on d_k
    note = f"ours {spread([ours for ours, _ in pairs])}"
    name = f"letting go of d_k to all that depends on it on {stem} / Streamlit's defaults"
    return ratio_row(name, None, pairs, scale=1, note=note)


def _one_move(page):
    """When the key came, the main picture was painted, the slider let go and the last other change was painted."""
    page.bring_to_front()
    page.locator(SLIDER).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.moveSeen.released !== null")
    wait_until_idle(page)
    page.wait_for_timeout(300)
    return page.evaluate("() => window.moveSeen")
