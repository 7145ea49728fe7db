"""What is seen before the platform has drawn a lesson: its question and answer where they will stand, and no jump."""

import pytest
from dashboard import SETTINGS, go_to
from harness import open_page, wait_until_idle
from sizes import PHONE, PROJECTED, SCREEN

from pages._view.lessons import LESSONS
from pages._view.told import in_letters

pytestmark = pytest.mark.e2e

FIRST = "#lab-first"
SIZES = [*((size, {}) for size in SCREEN.values()), *((size, {"mode": "projector"}) for size in PROJECTED.values())]
BOX = "element => { const {x, y, width, height} = element.getBoundingClientRect(); return [x, y, width, height]; }"
# Chromium's figure: how much of the window has moved how far, all that was not asked for.
# The page waits for all of the lesson, however long a busy machine takes.
SHIFTS = """window.shift = 0;
window.labPatience = Infinity;
new PerformanceObserver(list => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) window.shift += each.value;
}).observe({type: 'layout-shift', buffered: true});"""
MOST = 0.05
WITH_BET = next(stem for stem, lesson in LESSONS.items() if lesson.bet)


@pytest.fixture
def held(new_page):
    """A page whose platform does not start until it is let go."""
    page = new_page(alone=True)
    waiting = []
    page.route("**/static/js/index.*.js", lambda route: waiting.append(route))

    def let_go():
        while waiting:
            waiting.pop().continue_()
        page.unroute("**/static/js/index.*.js")

    return page, let_go


@pytest.mark.parametrize(("size", "look"), SIZES)
def test_question_and_answer_stand_where_they_will(held, server, size, look):
    page, let_go = held
    lesson = LESSONS["gradient_flow"]  # whose answer has no formula
    page.set_viewport_size({"width": size[0], "height": size[1]})
    query = "&".join(f"{name}={value}" for name, value in look.items())
    page.goto(f"{server.url}/{lesson.stem}?{query}", wait_until="commit")
    page.locator(f"{FIRST} h1").wait_for()
    page.evaluate("() => document.fonts.ready.then(() => true)")
    assert page.locator(f"{FIRST} h1").inner_text() == lesson.question
    assert page.locator(f"{FIRST} p").all_inner_texts() == ([] if look else [in_letters(lesson.answer)])
    before = page.locator(f"{FIRST} h1").evaluate(BOX)
    let_go()
    wait_until_idle(page)
    assert page.locator(FIRST).count() == 0
    assert page.locator("h1").evaluate(BOX) == pytest.approx(before, abs=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_stands_on_the_ground_of_the_lesson(held, server, scheme):
    page, let_go = held
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{server.url}/gradient_flow", wait_until="commit")
    colours = "element => { const style = getComputedStyle(element); return style.color; }"
    page.locator(f"{FIRST} h1").wait_for()
    before = page.locator(f"{FIRST} h1").evaluate(colours)
    let_go()
    wait_until_idle(page)
    assert page.locator("h1").evaluate(colours) == before


def test_while_a_bet_is_open_the_answer_is_not_there(held, server):
    page, let_go = held
    page.goto(f"{server.url}/{WITH_BET}?bet=1", wait_until="commit")
    page.locator(f"{FIRST} h1").wait_for()
    assert page.locator(f"{FIRST} p").count() == 0
    let_go()
    wait_until_idle(page)


def test_the_rules_of_the_first_page_are_gone_on_the_next(page, server):
    assert "seed" not in LESSONS["corrections"].shared
    open_page(page, server, "corrections")
    go_to(page, LESSONS["score_variance"].question)
    page.locator(SETTINGS).click()
    for name in ("seed", "law", "n_keys"):
        assert page.locator(f".st-key-{name}").is_visible(), name


def test_the_rules_of_a_classroom_end_with_it(page, server):
    open_page(page, server, "score_variance", mode="projector")
    size = "() => getComputedStyle(document.documentElement).fontSize"
    before = page.evaluate(size)
    page.locator(SETTINGS).click()
    page.locator(".st-key-mode").get_by_text("screen").click()
    wait_until_idle(page)
    assert page.evaluate(size) == "16px" != before


def test_if_the_platform_does_not_load_the_question_stays(new_page, server, problems):
    page = new_page(alone=True)
    page.route("**/static/js/**", lambda route: route.abort())
    page.goto(f"{server.url}/score_variance", wait_until="load")
    assert page.locator(f"{FIRST} h1").inner_text() == LESSONS["score_variance"].question
    problems.clear()  # the scripts that did not come


@pytest.mark.parametrize("size", [SCREEN["1440"], SCREEN[PHONE]])
@pytest.mark.parametrize("lesson", ["score_variance", "derivation", "one_query"])
def test_nothing_jumps_while_a_lesson_loads(new_page, server, lesson, size):
    page = new_page(*size, alone=True)
    page.add_init_script(SHIFTS)
    open_page(page, server, lesson)
    assert page.evaluate("() => window.shift") <= MOST
