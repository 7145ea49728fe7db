"""Browser contexts and tabs that tests hand on to each other."""

from contextlib import suppress
from functools import partial

from harness import watch_runs
from playwright.sync_api import Error


def open_context(browser, options):
    """A context of which one process draws all the pages of our servers. An empty page keeps it from ending."""
    context = browser.new_context(**options)
    watch_runs(context)
    keeper = context.new_page()
    keeper.route("**", lambda route: route.fulfill(body=""))
    keeper.goto("http://127.0.0.1/")
    return context


# What is done to a tab in these ways outlasts the page that it shows.
LASTING = ("add_init_script", "expose_function", "on", "route", "route_web_socket")


def note_changes(tab):
    """Let a tab know whether a test has changed it for good."""

    def noted(change, *args, **kwargs):
        tab.changed = True
        return change(*args, **kwargs)

    for name in LASTING:
        setattr(tab, name, partial(noted, getattr(tab, name)))
    return tab


def put_away(tab, spare):
    """Keep a tab for another test, with nothing stored, unless this one has changed it."""
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
