"""A search for marks that are covered, texts that touch and texts that are cut off, in every figure of a page."""

from pathlib import Path

from sizes import FIGURES

# Letters end within a pixel of the measured place, and another Chromium rounds a little differently.
TOLERANCE = 2.5

MEASURE = (Path(__file__).parent / "crowding.js").read_text(encoding="utf-8")


def crowded(page, figures=FIGURES):
    """Return (figure, kind) -> (depth in px, texts) of the worst of each kind, on the page as it is now."""
    worst = {}
    for each in page.evaluate(MEASURE, figures):
        for problem in each["problems"]:
            place = (each["figure"], problem["kind"])
            if problem["depth"] > worst.get(place, (0,))[0]:
                worst[place] = (problem["depth"], tuple(problem["names"]))
    return worst
