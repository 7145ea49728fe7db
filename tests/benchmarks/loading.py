"""One cold load of a page in a browser: when things appear, layout shifts, and bytes over the wire."""

import time
from contextlib import contextmanager
from dataclasses import dataclass, field

from browsing import new_page

QUIET = 700  # ms without a change of the page and without a byte received
BETWEEN_KEYS = 100  # ms
LONGEST = 120  # seconds that a load may take

# When a page is usable. Ours: the stage is live and Streamlit is not needed; or Streamlit is connected and idle, the
# first stage is gone, and the pictures in the window are drawn. The others: their four charts are drawn.
LESSON = """() => {
  const painted = window.deep('[data-picture][data-value], [data-hero][data-value]').length > 0;
  if (document.getElementById('lab-first') && !document.querySelector('script[type=module]')) return painted;
  const app = document.querySelector('[data-testid=stApp]');
  const inWindow = each => visible(each) && each.getBoundingClientRect().top < innerHeight;
  return app?.dataset.testScriptState === 'notRunning' && app.dataset.testConnectionState === 'CONNECTED'
    && !document.getElementById('lab-first') && !app.querySelector('[data-testid=stSkeleton]')
    && app.querySelector('h1') !== null
    && [...app.querySelectorAll('[data-picture]')].every(each => !inWindow(each) || each.querySelector('.main-svg'));
}"""
FOUR_CHARTS = "() => [...document.querySelectorAll('.gtitle')].filter(visible).length >= 4"

# All times are in ms since the navigation began. A text is visible once its font has loaded: until then Chromium leaves
# it blank. A picture is an SVG of some size with marks in it, in a shadow root too; none is on a canvas.
_WATCH = """
window.seen = {text: null, picture: null, usable: null, answer: null, changed: 0, shift: 0};
window.lookLater = look => setTimeout(() => requestAnimationFrame(look), 30); // ms, for a look takes time too
window.visible = each => {
  const {width, height} = each.getBoundingClientRect();
  return width > 0 && height > 0 && each.checkVisibility({visibilityProperty: true, opacityProperty: true});
};
{
  const legible = each => {
    if (!each.textContent.trim() || !visible(each)) return false;
    const {fontWeight, fontSize, fontFamily} = getComputedStyle(each);
    return document.fonts.check(`${fontWeight} ${fontSize} ${fontFamily}`);
  };
  const told = () => {
    const question = [...document.querySelectorAll('h1')].find(legible);
    if (!question) return false;
    const {bottom} = question.getBoundingClientRect();
    const below = ({top}) => top >= bottom - 1 && top < bottom + 100;
    return [...document.querySelectorAll('p')].some(each => below(each.getBoundingClientRect()) && legible(each));
  };
  const drawn = svg => {
    const {width, height} = svg.getBoundingClientRect();
    if (width < 150 || height < 90 || !visible(svg)) return false;
    const marks = [...svg.querySelectorAll('path, rect, circle, line')];
    const length = marks.reduce((sum, each) => sum + (each.getAttribute('d') ?? '').length, 0);
    return marks.length > 12 || length > 300;
  };
  const usable = %s;
  const once = (name, holds) => {
    if (seen[name] === null && holds()) window.afterPaint(now => { seen[name] ??= now; });
  };
  const look = () => {
    once('text', told);
    once('picture', () => window.deep('svg').some(drawn));
    if (usable()) seen.usable ??= performance.now();
    else seen.usable = null;
    if (performance.now() < 1000) requestAnimationFrame(look);
    else lookLater(look);
  };
  look();
  new MutationObserver(() => { seen.changed = performance.now(); }).observe(document, {
    subtree: true, childList: true, attributes: true, characterData: true});
  new PerformanceObserver(list => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) seen.shift += each.value;
  }).observe({type: 'layout-shift', buffered: true});
}
"""

# Focus the slider of d_k as soon as it is there. The picture, and the hero, record the d_k that they show.
_HAND = """
{
  let opened;
  const look = () => {
    const slider = window.deep('[data-slider] input[type=range][aria-valuetext^=d_k]')[0];
    if (slider) {
      opened ??= slider.getAttribute('aria-valuetext').replace(/\\D/g, '');
      if (document.activeElement !== slider) slider.focus({preventScroll: true});
    }
    const shown = window.deep('[data-picture][data-value], [data-hero][data-value]').find(visible);
    const followed = opened && shown && shown.dataset.value.split(' ')[0] !== opened;
    if (followed) window.afterPaint(now => { seen.answer ??= now; });
    else lookLater(look);
  };
  look();
}
"""

_STILL = f"""() => seen.picture !== null && seen.usable !== null
  && performance.now() - Math.max(seen.usable, seen.changed) >= {QUIET}"""


@dataclass(frozen=True)
class Machine:
    """A visitor's machine: its window, how many times slower its processor is than this one, and its connection."""

    name: str
    size: tuple[int, int]
    slower: int = 1
    network: dict | None = field(default=None, hash=False)

    def imitate(self, session):
        session.send("Network.enable")
        if self.network:
            session.send("Network.emulateNetworkConditions", {"offline": False, **self.network})
        session.send("Emulation.setCPUThrottlingRate", {"rate": self.slower})


@dataclass
class Wire:
    """Bytes over the wire, compressed; websocket messages count uncompressed."""

    session: object
    received: int = 0
    latest: float = field(default_factory=time.monotonic)
    asked: set = field(default_factory=set)

    def __post_init__(self):
        self.session.on("Network.requestWillBeSent", self._ask)
        self.session.on("Network.loadingFinished", lambda event: self._end(event, event["encodedDataLength"]))
        self.session.on("Network.loadingFailed", lambda event: self._end(event, 0))
        self.session.on("Network.webSocketFrameReceived", lambda event: self._message(event["response"]))

    def _ask(self, event):
        if event["request"]["url"].startswith("http"):
            self.asked.add(event["requestId"])

    def _end(self, event, size):
        self.asked.discard(event["requestId"])
        self._count(size)

    def _message(self, frame):
        size = len(frame["payloadData"])
        self._count(size * 3 // 4 if frame["opcode"] == 2 else size)  # binary messages come in base 64

    def _count(self, size):
        self.received += size
        self.latest = time.monotonic()

    def is_quiet(self):
        return not self.asked and (time.monotonic() - self.latest) * 1000 >= QUIET


@contextmanager
def _opened(browser, machine, url, script):
    page = new_page(browser, script, machine.size)
    session = page.context.new_cdp_session(page)
    wire = Wire(session)
    machine.imitate(session)
    page.goto(url, wait_until="commit")
    try:
        yield page, wire
    finally:
        page.context.close()


def load(browser, machine, url, usable):
    """Open a page and wait until it is quiet; return times in ms (`still`: of the last change), `wire` in bytes."""
    with _opened(browser, machine, url, _WATCH % usable) as (page, wire):
        page.wait_for_function(_STILL)
        still = page.evaluate("() => Math.max(seen.usable, seen.changed)")
        while not wire.is_quiet():
            page.wait_for_timeout(BETWEEN_KEYS)
        return page.evaluate("() => ({...seen})") | {"still": still, "wire": wire.received}


def answer(browser, machine, url):
    """Press a key on the slider of d_k repeatedly; return the ms until the picture first shows another d_k."""
    with _opened(browser, machine, url, _WATCH % LESSON + _HAND) as (page, _):
        limit = time.monotonic() + LONGEST
        while (taken := page.evaluate("() => seen.answer")) is None:
            if time.monotonic() > limit:
                raise RuntimeError(f"the slider of {url} did not answer")
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(BETWEEN_KEYS)
        return taken
