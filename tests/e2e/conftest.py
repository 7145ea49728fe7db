"""Fixtures of the browser tests: server, other_server, browser, lab, rooms, new_page, page, problems.

Parts that start slowly are shared: a test process has one server, one browser and, for each set of options, one context
with its tabs. Tabs are reused because their browser process has already compiled the scripts, which halves the work of
loading the next lesson.
"""

import os

import pytest
from harness import NO_BROWSER, find_browser, launch_browser, running_server, watch_console, watch_runs
from playwright.sync_api import sync_playwright
from tabs import note_changes, open_context, put_away
from watched import watched_server

from pages._view.classroom.store import Store


@pytest.fixture(scope="session")
def browser():
    """Yield one Chromium for all the tests; skip them without one, but fail if CI=true."""
    with sync_playwright() as playwright:
        if find_browser(playwright) is None:
            if os.environ.get("CI") == "true":
                pytest.fail(f"CI=true and {NO_BROWSER}")
            pytest.skip(NO_BROWSER)
        chromium = launch_browser(playwright, "--process-per-site")
        yield chromium
        chromium.close()


# The servers depend on the browser: if it is missing, the tests are skipped and no server starts.


@pytest.fixture(scope="session")
def server(browser):
    """Yield a server of the app, started once for all the tests."""
    with running_server(warm=False) as started:
        yield started


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return the URL of a database for the classes of one test file."""
    return f"sqlite:///{tmp_path_factory.mktemp('rooms')}/rooms.sqlite"


@pytest.fixture(scope="module")
def lab(browser, place):
    """Yield a server that keeps its classes in the database of `place`."""
    with running_server(environment={"DATABASE_URL": place}, warm=False) as server:
        yield server


@pytest.fixture
def rooms(place):
    """Yield a store of the classes of `lab`: the server's pages show what a test changes in it."""
    own = Store(place)
    yield own
    own.dispose()


@pytest.fixture(scope="session")
def other_server(browser, tmp_path_factory):
    """Yield a second server, started without settings, as a person would. Tests open links from `server` on it."""
    with watched_server(tmp_path_factory.mktemp("watched")) as started:
        yield started


@pytest.fixture
def problems():
    """Return the list of console errors and uncaught exceptions. A test that provokes one clears the list."""
    return []


@pytest.fixture(scope="session")
def contexts(browser):
    """Yield a dictionary from options to a browser context and its unused tabs."""
    opened = {}
    yield opened
    for context, _ in opened.values():
        context.close()


@pytest.fixture
def new_page(browser, contexts, problems):
    """Yield a function that opens a page; console errors fail the test.

    stranger: the page shares no cookies with the test's other pages. alone: the page has a new context, which the test
    may change.
    """
    taken, changed, watched = [], [], []

    def make(width=1280, height=800, *, stranger=False, alone=False, color_scheme=None, reduced_motion=None, **options):
        if alone:
            changed.append(browser.new_context(**options))
            watch_runs(changed[-1])
            page = changed[-1].new_page()
        else:
            kind = (stranger, *sorted(options.items()))
            if kind not in contexts:
                contexts[kind] = open_context(browser, options), []
            context, spare = contexts[kind]
            page = spare.pop() if spare else note_changes(context.new_page())
            taken.append((page, spare))
        page.set_viewport_size({"width": width, "height": height})
        # Set each time: a reused tab keeps its earlier settings.
        page.emulate_media(
            media="screen", color_scheme=color_scheme or "light", reduced_motion=reduced_motion or "no-preference"
        )
        watched.append(watch_console(page, problems))
        page.changed = False
        return page

    yield make
    for unwatch in watched:
        unwatch()
    for page, spare in taken:
        put_away(page, spare)
    for context in changed:
        context.close()
    assert not problems, "the browser reported:\n" + "\n".join(problems)


@pytest.fixture
def page(new_page):
    """Return a page of 1280 by 800."""
    return new_page()
