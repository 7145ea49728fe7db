"""Draws the stills of lessons and keeps them beside each: what `__main__` runs."""

import json

from harness import launch_browser, running_server, watch_runs
from playwright.sync_api import sync_playwright
from room import places_of

from pages._view import stills


def keep_all(stems):
    with running_server(warm=False) as server, sync_playwright() as playwright:
        browser = launch_browser(playwright)
        context = browser.new_context()
        watch_runs(context)
        page = context.new_page()
        for stem in stems:
            keep(page, server, stem)
            print(stem, flush=True)
        browser.close()


def keep(page, server, stem):
    folder = stills.folder(stem)
    folder.mkdir(exist_ok=True)
    places = places_of(page, server, stem)
    (folder / "places.json").write_text(json.dumps(places, indent=1, sort_keys=True) + "\n", encoding="utf-8")
