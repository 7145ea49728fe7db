"""Helpers for measurements in a browser: the browser, the scripts that watch its pages, and the lessons to open."""

from contextlib import contextmanager

from harness import launch_browser, watch_runs
from playwright.sync_api import sync_playwright

# `deep` finds elements in the document and in every open shadow root.
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


@contextmanager
def chromium():
    with sync_playwright() as playwright:
        browser = launch_browser(playwright)
        yield browser
        browser.close()


def new_page(browser, script="", size=(1280, 800)):
    """Return a page in a new context, with an empty cache."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    context.add_init_script(DEEP + script)
    watch_runs(context)
    return context.new_page()


def following_dimension():
    """Return (page, step) for each step whose picture follows the slider of d_k."""
    return [(address, step) for address, step, name in sliders() if name == "d_k"]


def sliders():
    """Return (page, step, slider) for each slider that the picture of a step follows when the step opens."""
    from pages._view.lessons import LESSONS

    here = [(address, LESSONS[stem]) for address, stem in _addresses().items()]
    steps = [(address, lesson, step) for address, lesson in here for step in lesson.steps]
    return [(address, step.name, name) for address, lesson, step in steps for name in _drawn(lesson, step)]


def _drawn(lesson, step):
    """Return the sliders of a step, except pinned ones and those of an option that is not the default."""
    known = lesson.controls
    waiting = {name for name, each in known.items() if each.when and known[each.when[0]].default != each.when[1]}
    return [name for name in step.followed if name not in waiting and name not in step.pinned]


def _addresses():
    from pages._view.lessons import ORDER
    from pages._view.server.warm import addresses

    return dict(zip(addresses(), ORDER, strict=False))
