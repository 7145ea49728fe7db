"""At every size that is promised the stage is seen without scrolling, and no figure's text is cut off or covered.

The stage is the question, the slider, the whole picture and its sentence. On a phone, the last of the screens, a hand
then moves the slider.
"""

import pytest
from crowding import TOLERANCE, crowded
from dashboard import DRAWN
from hand import check_following
from sizes import views

from pages._view.lessons import LESSONS as DECLARED
from pages._view.lessons import main_of

pytestmark = pytest.mark.e2e

# Name -> [left, top, right, bottom] of what must be seen, and the area that is left to it.
BOXES = """() => {
  const box = (element) => {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const roots = [...document.querySelectorAll('*')].map((each) => each.shadowRoot).filter((each) => each);
  const inHero = (way) => roots.map((root) => root.querySelector(`[data-hero] ${way}`)).find((each) => each);
  const sentences = document.querySelectorAll("[data-sentence], [class*='st-key-sentence_']");
  const seen = {
    title: document.querySelector('h1'),
    slider: document.querySelector('[data-slider]'),
    picture: inHero('.panels') ?? document.querySelector('[data-picture]'),
    sentence: inHero('.sentence') ?? [...sentences].find((each) => each.checkVisibility() && each.innerText),
  };
  const header = document.querySelector('[data-testid=stHeader]').getBoundingClientRect();
  const there = Object.entries(seen).filter(([, each]) => each);
  const boxes = Object.fromEntries(there.map(([name, each]) => [name, box(each)]));
  return {boxes, room: [0, header.bottom, innerWidth, innerHeight]};
}"""


def out_of_view(page, wanted):
    """What is wanted and not seen whole, with its box."""
    found = page.evaluate(BOXES)
    boxes, (left, top, right, bottom) = found["boxes"], found["room"]
    return {
        name: [round(side) for side in boxes.get(name, ())]
        for name in wanted
        if name not in boxes
        or boxes[name][0] < left - 1
        or boxes[name][1] < top - 1
        or boxes[name][2] > right + 1
        or boxes[name][3] > bottom + 1
    }


def wanted_at(lesson, name):
    has_slider = DECLARED[lesson or "start"].slider
    first = ("title", "slider", "picture") if has_slider else ("title", "picture")
    if name == "1024":  # a small window of a laptop: one may scroll there
        return ()
    return first if name == "390" else (*first, "sentence")


def too_wide(page):
    """How many pixels the page is wider than its window."""
    return page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth")


@pytest.mark.parametrize("lesson", DRAWN)
def test_the_stage_is_seen_whole_no_figure_is_crowded_and_the_picture_follows_the_hand(new_page, server, lesson):
    page = new_page()
    wrong = {}
    for name in views(page, server, lesson):
        deep = {place: worst for place, worst in crowded(page).items() if worst[0] > TOLERANCE}
        wrong |= {(name, *place): worst for place, worst in deep.items()}
        wrong |= {(name, what): box for what, box in out_of_view(page, wanted_at(lesson, name)).items()}
        if too_wide(page) > 0:
            wrong[name, "too wide"] = too_wide(page)
        if name == "390" and main_of(lesson or "start"):
            check_following(page)
    assert wrong == {}
