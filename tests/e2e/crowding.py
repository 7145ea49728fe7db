"""Find covered marks, touching texts and cut-off texts in every figure of a page."""

from pathlib import Path

from sizes import FIGURES

# px: letters end within a pixel of their measured box, and versions of Chromium round differently.
TOLERANCE = 2.5

MEASURE = (Path(__file__).parent / "crowding.js").read_text(encoding="utf-8")


def crowded(page, figures=FIGURES):
    """Return the worst problem of each kind in each figure: {(figure, kind): (depth in px, texts)}."""
    worst = {}
    for each in page.evaluate(MEASURE, figures):
        for problem in each["problems"]:
            place = (each["figure"], problem["kind"])
            if problem["depth"] > worst.get(place, (0,))[0]:
                worst[place] = (problem["depth"], tuple(problem["names"]))
    return worst
