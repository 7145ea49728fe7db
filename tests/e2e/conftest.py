"""Fixtures of the browser tests: server, fresh_server, browser, new_page, page, problems."""

import os

import pytest
from harness import NO_BROWSER, find_browser, launch_browser, running_server, watch_console
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all the tests. Where there is none: skipped, but failed when CI=true."""
    with sync_playwright() as playwright:
        if find_browser(playwright) is None:
            if os.environ.get("CI") == "true":
                pytest.fail(f"CI=true and {NO_BROWSER}")
            pytest.skip(NO_BROWSER)
        chromium = launch_browser(playwright)
        yield chromium
        chromium.close()


# The servers ask for the browser, so that nothing is started where the tests are skipped anyway.


@pytest.fixture(scope="session")
def server(browser):
    """The app, started once for all the tests."""
    with running_server("app.py") as started:
        yield started


@pytest.fixture
def fresh_server(browser):
    """The app, started for this test alone: its first request is the test's own."""
    with running_server("app.py") as started:
        yield started


@pytest.fixture
def problems():
    """Console errors and uncaught exceptions so far. A test that provokes one clears the list."""
    return []


@pytest.fixture(scope="session")
def contexts(browser):
    """Browser contexts by their options. One that is used again has the scripts at hand: half the time."""
    opened = {}
    yield opened
    for context in opened.values():
        context.close()


@pytest.fixture
def new_page(browser, contexts, problems):
    """A function that opens a page; console errors fail the test. stranger: in a browser that knows nothing yet."""
    opened = []

    def make(width=1280, height=800, *, stranger=False, **options):
        key = object() if stranger else tuple(sorted(options.items()))
        if key not in contexts:
            contexts[key] = browser.new_context(**options)
        page = contexts[key].new_page()
        opened.append(page)
        page.set_viewport_size({"width": width, "height": height})
        watch_console(page, problems)
        return page

    yield make
    for page in opened:
        page.close()
    assert not problems, "the browser reported:\n" + "\n".join(problems)


@pytest.fixture
def page(new_page):
    """A page of 1280 by 800."""
    return new_page()
