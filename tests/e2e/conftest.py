"""Fixtures of the browser tests: server, fresh_server, browser, new_page, page, problems.

What costs is shared. A test process has one browser and one server, and the pages of a context are drawn by one
process of the browser, which has the scripts compiled: loading a lesson again takes half of the work.
"""

import os

import pytest
from harness import NO_BROWSER, find_browser, free_port, launch_browser, running_server, watch_console, watch_runs
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all the tests. Where there is none: skipped, but failed when CI=true."""
    with sync_playwright() as playwright:
        if find_browser(playwright) is None:
            if os.environ.get("CI") == "true":
                pytest.fail(f"CI=true and {NO_BROWSER}")
            pytest.skip(NO_BROWSER)
        chromium = launch_browser(playwright, "--process-per-site")
        yield chromium
        chromium.close()


# The servers ask for the browser, so that nothing is started where the tests are skipped anyway.


@pytest.fixture(scope="session")
def server(browser):
    """The app, started once for all the tests."""
    with running_server("app.py") as started:
        yield started


@pytest.fixture(scope="session")
def fresh_port():
    """The port of every fresh server: what the browser has loaded from one it knows of the next."""
    return free_port()


@pytest.fixture
def fresh_server(browser, fresh_port):
    """The app, started for this test alone: its first request is the test's own."""
    with running_server("app.py", port=fresh_port) as started:
        yield started


@pytest.fixture
def problems():
    """Console errors and uncaught exceptions so far. A test that provokes one clears the list."""
    return []


@pytest.fixture(scope="session")
def contexts(browser):
    """Browser contexts by their options."""
    opened = {}
    yield opened
    for context in opened.values():
        context.close()


def new_context(browser, options):
    context = browser.new_context(**options)
    watch_runs(context)
    return context


def keep_process(context):
    """Leave an empty page of the servers' host open, so that the browser's process for it lives on."""
    page = context.new_page()
    page.route("**", lambda route: route.fulfill(body=""))
    page.goto("http://127.0.0.1/")


@pytest.fixture
def new_page(browser, contexts, problems):
    """A function that opens a page; console errors fail the test. stranger: in a browser that knows nothing yet."""
    opened, strangers = [], []

    def make(width=1280, height=800, *, stranger=False, color_scheme=None, reduced_motion=None, **options):
        if stranger:
            context = new_context(browser, options)
            strangers.append(context)
        else:
            key = tuple(sorted(options.items()))
            if key not in contexts:
                contexts[key] = new_context(browser, options)
                keep_process(contexts[key])
            context = contexts[key]
        page = context.new_page()
        opened.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        watch_console(page, problems)
        return page

    yield make
    for each in (*opened, *strangers):
        each.close()
    assert not problems, "the browser reported:\n" + "\n".join(problems)


@pytest.fixture
def page(new_page):
    """A page of 1280 by 800."""
    return new_page()
