"""What a person feels, in a real Chromium: the drag of the hero, a move of d_k, the first picture."""

import statistics
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from harness import launch_browser, open_page, page_url, running_server, wait_until_idle
from playwright.sync_api import sync_playwright
from ratios import Row, percentile, ratio_row

HERO_SLIDER = "[data-hero] input[type=range]"
HERO_SENTENCE = "[data-hero] .sentence"
HERO_MOVES = 200
HERO_PAUSE = 0.025  # seconds between two moves of the pointer
HERO_MEDIAN_BUDGET = 17
HERO_P95_BUDGET = 20

# Page: its parameters, and how many moves fit before its pictures stop to follow d_k.
MOVE_PAGES = {
    "score_variance": ({"n_samples": 50_000, "d_k": 8}, 20),
    "gradient_flow": ({"d_k": 8}, 20),
    "derivation": ({"d_k": 8}, 20),
    "attention_steps": ({"d_k": 1, "preset": "random"}, 20),
    "backprop": ({"d_k": 1}, 10),
}
MOVE_SLIDER = ".st-key-d_k input[type=range]"
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

FIRST_LOADS = 7
FIRST_BUDGET = 1.6
# A path of bars with something in it; the component's shadow root is open.
FIRST_PICTURE = "[data-hero] svg path.fill[d]:not([d=''])"
FIRST_TITLE = "h1"

# Elements in the document and in every open shadow root.
DEEP = """
window.deep = selector => {
  const search = root => {
    const found = [...root.querySelectorAll(selector)];
    for (const each of root.querySelectorAll('*')) {
      if (each.shadowRoot) found.push(...search(each.shadowRoot));
    }
    return found;
  };
  return search(document);
};
// The frame is on its way to the screen once a message posted from its animation callback arrives.
window.afterPaint = then => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => then(performance.now());
  channel.port2.postMessage(0);
});
"""


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
    with _chromium() as browser, running_server() as server:
        page = _new_page(browser)
        open_page(page, server)
        page.evaluate(HERO_WATCH, [HERO_SLIDER, HERO_SENTENCE])
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
    box = page.locator(HERO_SLIDER).bounding_box()
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
    """A key press on d_k to the last painted change of the pictures: our configuration against Streamlit's."""
    plain_server = running_server("app.py", *STREAMLIT_DEFAULTS)
    with _chromium() as browser, running_server() as ours, plain_server as plain:
        return [_moves(browser, (ours, plain), path, *how) for path, how in MOVE_PAGES.items()]


def _moves(browser, servers, path, parameters, moves):
    pages = [open_page(_new_page(browser), server, path, **parameters) for server in servers]
    pairs = []
    for page in pages:
        page.evaluate(MOVE_WATCH, MOVE_SHOWN)
    for turn in range(moves + 2):
        order = pages if turn % 2 else pages[::-1]
        taken = {page: _one_move(page) for page in order}
        pairs.append((taken[pages[0]], taken[pages[1]]))
    for page in pages:
        page.context.close()
    note = f"p95 {percentile([ours for ours, _ in pairs[2:]], 0.95):.0f} ms"
    where = ", ".join([path, *(f"{name} {value:,}" for name, value in parameters.items() if name == "n_samples")])
    return ratio_row(f"move of d_k on {where} / Streamlit's defaults", MOVE_BUDGET, pairs[2:], scale=1, note=note)


def _one_move(page):
    """Milliseconds from the key press to the paint of the last change; both pages take the same stops."""
    page.bring_to_front()
    page.locator(MOVE_SLIDER).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.moveSeen.painted !== null", timeout=20_000)
    wait_until_idle(page)
    page.wait_for_timeout(300)
    return page.evaluate("() => window.moveSeen.painted - window.moveSeen.key")


# --- the first picture ---------------------------------------------------------------------------------

FIRST_WATCH = """
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
    """A cold browser's navigation to the first picture, against an app that is only a title."""
    with tempfile.TemporaryDirectory() as folder, _chromium() as browser:
        Path(folder, "title.py").write_text('import streamlit as st\n\nst.title("x")\n', encoding="utf-8")
        with running_server() as ours, running_server("title.py", cwd=folder) as title:
            pairs = []
            for turn in range(FIRST_LOADS + 1):
                sides = [(ours, FIRST_PICTURE), (title, FIRST_TITLE)]
                order = sides if turn % 2 else sides[::-1]
                taken = {server: _one_load(browser, server, selector) for server, selector in order}
                pairs.append((taken[ours], taken[title]))
    note = f"on a server that has not drawn it before: {pairs[0][0]:.0f} ms"
    name = 'first picture of start, cold browser / st.title("x")'
    return [ratio_row(name, FIRST_BUDGET, pairs[1:], scale=1, note=note)]


def _one_load(browser, server, selector):
    page = _new_page(browser, FIRST_WATCH % selector)
    page.goto(page_url(server), wait_until="commit")
    page.wait_for_function("() => window.firstPicture", timeout=30_000)
    painted = page.evaluate("() => window.firstPicture")
    page.context.close()
    return painted


# --- shared --------------------------------------------------------------------------------------------


@contextmanager
def _chromium():
    with sync_playwright() as playwright:
        browser = launch_browser(playwright)
        yield browser
        browser.close()


def _new_page(browser, script=""):
    """A page in a context of its own: its cache is empty."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(DEEP + script)
    return context.new_page()
