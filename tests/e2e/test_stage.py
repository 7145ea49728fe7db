"""The stage in a browser: the bar stays in reach, the Settings open over the page, words open their definition."""

from itertools import product

import pytest
from dashboard import CHARTS, SETTINGS, SLIDER, field, press, type_into
from harness import check_accessibility, open_page, query_parameters, wait_until_idle, wait_until_still
from sampling import sampled
from sizes import resize, wait_until_at_rest

from pages._view.glossary import TERMS
from pages._view.lessons import LESSONS
from sattn_core.lessons.one_query import STEPS

pytestmark = pytest.mark.e2e

BAR = ".st-key-stage"
DRAWER = ".st-key-settings [data-testid=stExpanderDetails]"
OPEN = ".st-key-settings details[open]"
TERM = ".term summary"
TALL = 1.5  # of a line: what two lines in the bar would be at least


def box(page, what):
    found = page.locator(what).first.bounding_box()
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


def wait_until_in_place(locator):
    """Wait until it has stood still for several frames."""
    locator.evaluate(
        """async element => {
          for (let still = 0, before = 0; still < 10; still += 1) {
            const {top} = element.getBoundingClientRect();
            if (top !== before) still = 0;
            before = top;
            await new Promise(requestAnimationFrame);
          }
        }"""
    )


def scroll_to(page, y):
    page.get_by_test_id("stMain").evaluate("(element, y) => element.scrollTo(0, y)", y)


# --- the bar -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", sampled(["screen", "projector"]))
def test_the_bar_stays_in_reach_and_covers_nothing_that_is_scrolled_to(new_page, server, mode):
    page = new_page(1440, 900)
    open_page(page, server, "gradient_flow", mode=mode, rest="shown")
    for size in ((1440, 900), (390, 844)) if mode == "screen" else ((1024, 768),):
        resize(page, size)
        wait_until_at_rest(page)
        scroll_to(page, 1500)
        page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop > 1000")
        _, _, _, header = box(page, "[data-testid=stHeader]")
        _, top, _, bottom = box(page, BAR)
        assert abs(top - header) <= 1
        assert box(page, SLIDER)[1] >= header
        heading = page.get_by_role("heading", level=2).last
        heading.evaluate("element => element.scrollIntoView()")
        assert heading.bounding_box()["y"] >= bottom - 1
        assert page.evaluate(
            """([x, y]) => document.elementFromPoint(x, y).closest('.st-key-stage') !== null""",
            [box(page, SLIDER)[0] + 5, (top + bottom) / 2],
        )
        scroll_to(page, 0)
        if size[0] == 390:  # on a phone the slider takes the first line of the bar
            left, _, right, bottom = box(page, ".st-key-dimension [data-slider]")
            assert right - left > 350
            assert box(page, SETTINGS)[1] >= bottom - 1


# --- the Settings --------------------------------------------------------------------------------------


@pytest.mark.walk
def test_the_settings_open_over_the_page_and_stay_open_while_they_are_changed(new_page, server):
    page = new_page(1440, 900)
    open_page(page, server, "gradient_flow")
    before = box(page, CHARTS)
    press(page.locator(SETTINGS), "Enter")
    wait_until_still(page)
    assert box(page, CHARTS) == before
    assert box(page, DRAWER)[3] <= 900
    type_into(page, "seed", "3")
    press(page.locator(".st-key-n_keys input[type=range]"), "ArrowRight")
    assert page.locator(OPEN).count() == 1
    assert page.locator(SETTINGS).inner_text().endswith("Settings (2 changed)")
    assert box(page, CHARTS) == before
    page.get_by_role("button", name="Reset").click()
    wait_until_idle(page)
    assert query_parameters(page) == {}
    assert field(page, "seed").input_value() == "0"
    assert page.locator(SETTINGS).inner_text().endswith("Settings")
    assert page.locator(OPEN).count() == 1


@pytest.mark.walk
def test_escape_closes_the_list_first_and_then_the_settings(new_page, server):
    page = new_page(1440, 500)
    open_page(page, server, "score_variance")
    press(page.locator(SETTINGS), "Enter")
    wait_until_still(page)
    room = page.locator(DRAWER).evaluate("element => [element.scrollHeight, element.clientHeight]")
    assert room[0] > room[1]  # it scrolls in itself
    assert box(page, DRAWER)[3] <= 500
    law = field(page, "law")
    law.focus()
    wait_until_in_place(law)  # the drawer scrolls to it, and what scrolls closes a list
    page.keyboard.press("ArrowDown")
    page.get_by_role("option", name="uniform").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("option").first.wait_for(state="hidden")
    assert page.locator(OPEN).count() == 1
    page.keyboard.press("Escape")
    page.locator(OPEN).wait_for(state="detached")
    assert page.locator(SETTINGS).evaluate("element => element === document.activeElement")


# --- words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1440, 390])
def test_a_definition_opens_over_the_page_by_touch_and_by_keyboard(new_page, server, width):
    page = new_page(width, 844, has_touch=True)
    open_page(page, server)
    if width == 1440:  # an answer with definitions is one text
        assert len({round(each.bounding_box()["y"] / 10) for each in page.locator(TERM).all()}) <= 2
        assert box(page, BAR)[1] - box(page, "h1")[3] < 80
    before = box(page, BAR), box(page, TERM)
    page.locator(TERM).last.tap()
    shown = page.locator(".term[open] > span")
    assert shown.inner_text() == TERMS[LESSONS["start"].terms[-1]]
    assert (box(page, BAR), box(page, TERM)) == before
    left, top, right, _ = box(page, ".term[open] > span")
    assert 0 <= left < right <= width
    _, _, word_right, word_bottom = box(page, ".term[open] summary")
    assert abs(top - word_bottom) <= 2  # beside its word
    assert left <= word_right <= right
    check_accessibility(page)
    page.locator(TERM).first.press("Enter")
    assert shown.all_inner_texts() == [TERMS[LESSONS["start"].terms[0]]]
    page.keyboard.press("Escape")
    assert shown.count() == 0
    assert page.locator(TERM).first.evaluate("element => element === document.activeElement")


# --- the room that a picture has -----------------------------------------------------------------------


def check_bar(page):
    """Slider and Settings stand beside each other, in one line."""
    *_, slider_right, _ = box(page, ".st-key-dimension [data-slider]")
    left, top, _, bottom = box(page, SETTINGS)
    assert slider_right <= left
    _, bar_top, _, bar_bottom = box(page, BAR)
    assert bar_top <= top
    assert bar_bottom - bar_top < TALL * (bottom - top)


@pytest.mark.parametrize("mode", sampled(["projector", "screen"]))
def test_the_bar_is_one_line_and_the_picture_takes_the_room_below_it(new_page, server, mode):
    page = new_page(1440, 900)
    open_page(page, server, "gradient_flow", mode=mode)
    for width in (1440,) if mode == "screen" else (1024, 1920):
        resize(page, (width, 900))
        wait_until_at_rest(page)
        check_bar(page)
    heights = {}
    for height in (800, 900):
        resize(page, (1440, height))
        wait_until_at_rest(page)
        heights[height] = box(page, CHARTS)[3]
        drawing = box(page, f"{CHARTS} .main-svg")
        assert drawing == pytest.approx(box(page, CHARTS), abs=1.5)
    assert heights[900] - heights[800] == pytest.approx(100, abs=2)
    seen = {box(page, CHARTS)}
    slider = page.locator(SLIDER)
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowUp")
        seen.add(box(page, CHARTS))
    wait_until_idle(page)
    seen.add(box(page, CHARTS))
    assert len(seen) == 1


@pytest.mark.walk
@pytest.mark.parametrize("path", sampled(["gradient_flow", ""]))
def test_type_in_a_classroom_is_a_sixtieth_of_the_window_and_the_rest_comes_when_asked(new_page, server, path):
    page = new_page(1920, 1080)
    open_page(page, server, path, mode="projector")
    for width, height in ((1920, 1080), (1024, 768)):
        resize(page, (width, height))
        wait_until_at_rest(page)
        # A letter's size as it is seen: what the browser computes, times how much its drawing is scaled.
        sizes = page.locator(
            f"[data-hero] svg text, [data-hero] .sentence, {CHARTS} .main-svg text, [data-sentence], .dimension .value"
        ).evaluate_all(
            """all => all.filter(text => text.textContent.trim()).map(text => {
                 const scale = text.getScreenCTM ? text.getScreenCTM().a || 1 : 1;
                 return parseFloat(getComputedStyle(text).fontSize) * scale;
               })"""
        )
        assert len(sizes) > 10
        assert min(sizes) >= width / 60 - 0.1
    assert page.locator(".st-key-start_data, .st-key-gradient_flow_data, [class*='st-key-try_']").count() == 0
    page.get_by_role("button", name="Show the rest of the lesson").click()
    wait_until_idle(page)
    assert query_parameters(page) == {"mode": "projector", "rest": "shown"}
    assert page.locator("[class*='st-key-try_']").count() > 1
    page.get_by_role("button", name="Show the stage alone").click()
    wait_until_idle(page)
    assert query_parameters(page) == {"mode": "projector"}


@pytest.mark.walk
@pytest.mark.parametrize("size", [(1920, 950), (1024, 768)])
def test_next_stands_still_in_the_first_view_of_a_classroom(new_page, server, size):
    page = new_page(*size)
    open_page(page, server, "one_query", mode="projector")
    rows = set()
    for step in STEPS:
        page.locator(".main-svg").first.wait_for()
        wait_until_at_rest(page)
        box = page.get_by_role("button", name="Next").bounding_box()
        rows.add((round(box["x"]), round(box["y"])))
        sentence = page.locator("[data-sentence]").bounding_box()
        assert max(box["y"] + box["height"], sentence["y"] + sentence["height"]) <= size[1], step
        if step != STEPS[-1]:
            page.get_by_role("button", name="Next").click()
        wait_until_idle(page)
    assert len(rows) == 1


# --- links -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "scheme"), sampled([*product((".st-key-way a", "[data-testid=stSidebar] a"), ("light", "dark"))], 3)
)
def test_a_link_that_has_the_focus_is_framed_in_the_colour_of_its_text(new_page, server, scheme, link):
    page = new_page(color_scheme=scheme)
    open_page(page, server, "derivation")
    page.locator(f"{link} >> nth=0").focus()
    page.keyboard.press("Tab")  # from here on by keyboard
    page.keyboard.press("Shift+Tab")
    frame = page.evaluate(
        """() => {
          const {outlineStyle, outlineWidth, outlineColor, color} = getComputedStyle(document.activeElement);
          return [document.activeElement.tagName, outlineStyle, outlineWidth, outlineColor === color];
        }"""
    )
    assert frame == ["A", "solid", "3px", True]
