"""Draw the stills of lessons and store them in the lessons' folders."""

from drawn import SCREENS, draw
from harness import launch_browser, running_server, watch_runs
from playwright.sync_api import sync_playwright

from pages._view import stills


def keep_all(stems):
    with running_server(warm=False) as server, sync_playwright() as playwright:
        browser = launch_browser(playwright)
        context = browser.new_context()
        watch_runs(context)
        page = context.new_page()
        for stem, step in SCREENS:
            if stem in stems:
                keep(stem, step, draw(page, server, stem, step))
        browser.close()


def keep(stem, step, drawn):
    """Write the files of a step, and print their sizes."""
    card = stills.card(stem, step)
    card.parent.mkdir(parents=True, exist_ok=True)
    for name, svg in drawn.svgs.items():
        (card.parent / f"{name}.svg").write_text(svg, encoding="utf-8")
    card.write_bytes(drawn.card)
    sizes = {each.name: f"{each.stat().st_size / 1000:.1f} kB" for each in sorted(card.parent.iterdir())}
    print(stem, step, *(f"{name} {size}" for name, size in sizes.items()), sep="  ", flush=True)
