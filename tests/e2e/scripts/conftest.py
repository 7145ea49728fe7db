"""Fixtures for the tests of scripts: alone, hurried, stopped, load, mount.

No server runs: a route of Playwright answers the requests.
"""

import json
from urllib.parse import urlsplit

import pytest
from harness import PATIENCE_MS, watch_console

from pages._view import bundle, live

ADDRESS = "http://localhost/lesson"
# The parts of Streamlit's page and styles that the scripts need.
PAGE = """<!DOCTYPE html><html lang="en"><style>
body, p { margin: 0; } [data-picture] { position: relative; } [data-drawing], [data-drawing] * { position: absolute; }
</style><body>
<div data-testid="stApp" data-test-script-state="notRunning" data-test-connection-state="CONNECTED">
<section data-testid="stMain" style="height: 700px; overflow: auto"><div data-testid="stVerticalBlock"></div></section>
</div></body></html>"""
# Run a module as Streamlit does; its exports are in `window.script`.
_RUN = """async text => {
  const address = URL.createObjectURL(new Blob([text], {type: 'text/javascript'}));
  window.script = {...await import(address)};
}"""
# Mount a component, or send the mounted one new data, as Python does. `told` lists its messages; `leave` unmounts it.
_MOUNT = """([html, data]) => {
  window.told ??= [];
  if (html !== null) {
    window.place = document.createElement('div');
    place.innerHTML = html;
    document.querySelector('[data-testid=stVerticalBlock]').append(place);
  }
  const setTriggerValue = (...said) => told.push(said);
  window.leave = script.default({parentElement: window.place, data: [data], setTriggerValue});
}"""


@pytest.fixture(scope="session")
def tab(browser):
    """Yield one tab for all the tests. Its `answers` map a path to a function that returns JSON data or an SVG."""
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    context.set_default_timeout(PATIENCE_MS)
    tab = context.new_page()
    tab.answers = {}

    def answer(route):
        path = urlsplit(route.request.url).path.removeprefix("/")
        if path == bundle.BUNDLE:
            route.fulfill(body=bundle.script(), content_type="application/javascript")
        elif path in tab.answers:
            said = tab.answers[path](route.request)
            drawn = isinstance(said, str)
            kind = "image/svg+xml" if drawn else "application/json"
            route.fulfill(body=said if drawn else json.dumps(said), content_type=kind)
        else:
            route.fulfill(body=PAGE, content_type="text/html")

    context.route("**/*", answer)
    yield tab
    context.close()


@pytest.fixture
def alone(tab, problems):
    """Yield an empty page of Streamlit whose address has a d_k and a room; console errors fail the test."""
    tab.answers.clear()
    tab.emulate_media(media="screen", reduced_motion="no-preference")
    unwatch = watch_console(tab, problems)
    tab.mouse.move(999, 699)
    tab.goto(f"{ADDRESS}?d_k=64&room=ABC")
    yield tab
    unwatch()
    assert not problems, "the browser reported:\n" + "\n".join(problems)


@pytest.fixture
def hurried(alone):
    """Return the page of `alone` with all timers ten times as fast."""
    alone.evaluate(
        """() => {
          const {setTimeout: once, setInterval: often} = window;
          window.setTimeout = (act, ms) => once(act, ms / 10);
          window.setInterval = (act, ms) => often(act, ms / 10);
        }"""
    )
    return alone


@pytest.fixture
def stopped(alone):
    """Return the page of `alone` with timers that fire only at `ring()`: the machine's speed does not matter."""
    alone.evaluate(
        """() => {
          const timers = new Map();
          let number = 0;
          window.setTimeout = act => { timers.set(number += 1, act); return number; };
          window.clearTimeout = each => timers.delete(each);
          window.ring = () => { for (const [each, act] of [...timers]) if (timers.delete(each)) act(); };
        }"""
    )
    return alone


@pytest.fixture
def load(alone):
    """Return a function that runs files as one module and exports the given names."""

    def run(*files, names):
        text = live.text_of("lab.js", "streamlit.js", *files)
        alone.evaluate(_RUN, f"{text}\nexport {{ {', '.join(names)} }};")
        return alone

    return run


@pytest.fixture
def mount(alone):
    """Return a function that mounts a component by name; without a name it gives the mounted one new data."""

    def run(name, data, html=""):
        if name:
            alone.evaluate(_RUN, live.SCRIPTS[name])
        alone.evaluate(_MOUNT, [html if name else None, data])
        return alone

    return run
