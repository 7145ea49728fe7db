"""Draws the stills of lessons and keeps them beside each: what `__main__` runs."""

import json

from drawn import draw
from harness import launch_browser, running_server, watch_runs
from playwright.sync_api import sync_playwright

from pages._view import stills


def keep_all(stems):
    with running_server(warm=False) as server, sync_playwright() as playwright:
        browser = launch_browser(playwright)
        context = browser.new_context()
        watch_runs(context)
        page = context.new_page()
        for stem in stems:
            keep(stem, draw(page, server, stem))
        browser.close()


def keep(stem, drawn):
    """Write the files of a lesson, and say how large they are."""
    folder = stills.folder(stem)
    folder.mkdir(exist_ok=True)
    written = {"places.json": json.dumps(drawn.places, indent=1, sort_keys=True) + "\n"}
    written |= {f"{name}.svg": svg for name, svg in drawn.svgs.items()}
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    stills.card(stem).write_bytes(drawn.card)
    sizes = {each.name: f"{each.stat().st_size / 1000:.1f} kB" for each in sorted(folder.iterdir())}
    print(stem, *(f"{name} {size}" for name, size in sizes.items()), sep="  ", flush=True)
