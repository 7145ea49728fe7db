"""Reuse browser contexts and tabs in several tests."""

from contextlib import suppress
from functools import partial

from harness import watch_runs
from playwright.sync_api import Error


def open_context(browser, options):
    """Return a context whose pages share one renderer process. An empty page keeps that process alive."""
    context = browser.new_context(**options)
    watch_runs(context)
    keeper = context.new_page()
    keeper.route("**", lambda route: route.fulfill(body=""))
    keeper.goto("http://127.0.0.1/")
    return context


# Methods whose effect on a tab outlasts its current page.
LASTING = ("add_init_script", "expose_function", "on", "route", "route_web_socket")


def note_changes(tab):
    """Let a tab set `changed` when a test calls one of the methods in LASTING."""

    def noted(change, *args, **kwargs):
        tab.changed = True
        return change(*args, **kwargs)

    for name in LASTING:
        setattr(tab, name, partial(noted, getattr(tab, name)))
    return tab


def put_away(tab, spare):
    """Empty a tab's storage and keep the tab for another test; close it instead if it is `changed`."""
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
