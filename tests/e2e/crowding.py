"""What covers a mark, touches another text or is cut off, in every figure of a page."""

from pathlib import Path

from sizes import FIGURES

# Letters lie within a pixel of where a measure says, and another Chromium rounds a little otherwise.
TOLERANCE = 2.5

MEASURE = (Path(__file__).parent / "crowding.js").read_text(encoding="utf-8")


def crowded(page, figures=FIGURES):
    """(figure, kind) -> (depth in px, texts) of the worst of each kind, as the page stands."""
    worst = {}
    for each in page.evaluate(MEASURE, figures):
        for problem in each["problems"]:
            place = (each["figure"], problem["kind"])
            if problem["depth"] > worst.get(place, (0,))[0]:
                worst[place] = (problem["depth"], tuple(problem["names"]))
    return worst
