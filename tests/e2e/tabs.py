"""Browser contexts and tabs that tests reuse."""

from contextlib import suppress
from functools import partial

from harness import watch_runs
from playwright.sync_api import Error


def open_context(browser, options):
    """Return a context in which one process draws all the pages of our servers. An empty page keeps it from ending."""
    context = browser.new_context(**options)
    watch_runs(context)
    keeper = context.new_page()
    keeper.route("**", lambda route: route.fulfill(body=""))
    keeper.goto("http://127.0.0.1/")
    return context


# Calls that change a tab for longer than its page.
LASTING = ("add_init_script", "expose_function", "on", "route", "route_web_socket")


def note_changes(tab):
    """Let a tab record whether a test has changed it for good."""

    def noted(change, *args, **kwargs):
        tab.changed = True
        return change(*args, **kwargs)

    for name in LASTING:
        setattr(tab, name, partial(noted, getattr(tab, name)))
    return tab


def put_away(tab, spare):
    """Keep a tab for another test, with empty storage, unless this one has changed it."""
    if tab.is_closed():
        return
    with suppress(Error):  # an empty page has no storage
        tab.evaluate("() => { sessionStorage.clear(); localStorage.clear(); }")
    tab.context.clear_cookies()
    if tab.changed:
        tab.close()
        return
    tab.mouse.move(0, 0)
    tab.goto("about:blank")
    spare.append(tab)
