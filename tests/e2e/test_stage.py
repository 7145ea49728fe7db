"""The stage in a browser: the bar of controls, the Settings, the picture's size, and the focus of links."""

from itertools import product

import pytest
from dashboard import CHARTS, SETTINGS, SLIDER, field, open_list, press, type_into
from harness import open_page, query_parameters, step_said, wait_until_idle, wait_until_still
from sampling import sampled
from sizes import resize, wait_until_at_rest

from pages._view.lessons import LESSONS

pytestmark = pytest.mark.e2e

BAR = ".st-key-stage"
DRAWER = ".st-key-settings [data-testid=stExpanderDetails]"
OPEN = ".st-key-settings details[open]"
TALL = 1.5  # line heights: a bar of two lines would be taller


def box(page, what):
    found = page.locator(what).first.bounding_box()
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


def scroll_to(page, y):
    page.get_by_test_id("stMain").evaluate("(element, y) => element.scrollTo(0, y)", y)


# --- the bar -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", sampled(["screen", "projector"]))
def test_bar_is_above_its_picture_and_scrolls_with_the_page(new_page, server, mode):
    page = new_page(1440, 900)
    open_page(page, server, "gradient_flow", mode=mode)
    for size in ((1440, 900), (390, 844)) if mode == "screen" else ((1024, 768),):
        resize(page, size)
        wait_until_at_rest(page)
        _, _, _, header = box(page, "[data-testid=stHeader]")
        _, top, _, bottom = box(page, BAR)
        assert mode == "projector" or header <= box(page, SLIDER)[1]  # a wall's header is invisible
        assert bottom <= box(page, CHARTS)[1] + 1
        if size[0] == 390:  # on a phone the slider takes a whole line below the Settings
            left, _, right, _ = box(page, ".st-key-dimension [data-slider]")
            assert right - left > 350
            assert box(page, SETTINGS)[3] <= header + 1
        scroll_to(page, 1e6)
        if mode == "projector":  # a wall has nothing below the picture
            assert box(page, BAR)[1] == top
            continue
        page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop > 0")
        moved = page.get_by_test_id("stMain").evaluate("element => element.scrollTop")
        assert box(page, BAR)[1] == pytest.approx(top - moved, abs=1)
        fold = page.locator(".st-key-folds summary").last
        fold.evaluate("element => element.scrollIntoView()")
        assert fold.bounding_box()["y"] >= header - 1
        assert fold.evaluate(
            """element => {
              const {x, y, height} = element.getBoundingClientRect();
              return element.contains(document.elementFromPoint(x + 20, y + height / 2));
            }"""
        )
        scroll_to(page, 0)


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=lambda each: str(each[0]))
def test_a_step_without_controls_has_no_empty_row_for_them(new_page, server, size):
    page = new_page(*size)
    open_page(page, server, "one_query", step="ask")
    wait_until_at_rest(page)
    line, picture, settings = (box(page, each) for each in ("p.line", "[data-picture]", SETTINGS))
    assert 0 <= picture[1] - line[3] <= 20
    assert settings[1] >= 0
    assert settings[3] <= picture[1]
    assert settings[1] >= box(page, "[data-way]")[3] or size[0] == 390  # on a phone they are in the header


@pytest.mark.parametrize(
    ("size", "mode"), [((1440, 900), "screen"), ((1024, 768), "projector"), ((1920, 950), "projector")]
)
def test_radio_bar_is_one_row_and_a_select_box_shows_its_longest_text(new_page, server, size, mode):
    page = new_page(*size)
    open_page(page, server, "gradient_flow", step="curves", mode=mode)
    bar, (*_, last) = box(page, ".st-key-place"), page.locator(".st-key-place [role=radio]").all()
    last = last.bounding_box()
    assert last["x"] + last["width"] <= bar[2] + 1
    assert last["y"] < bar[1] + (bar[3] - bar[1]) / 2 + 10  # one row
    open_page(page, server, "derivation", step="broken", broken="components correlated", mode=mode)
    cut = page.locator(".st-key-broken input").evaluate("input => input.scrollWidth > input.clientWidth")
    assert not cut


def test_download_button_is_hidden_in_pictures_on_a_phone(new_page, server):
    page = new_page(390, 844, has_touch=True)
    open_page(page, server, "wrong_choice", step="rows")
    wait_until_at_rest(page)
    assert page.locator(".modebar-btn").count() == 1
    assert not page.locator(".modebar-btn").is_visible()


# --- the Settings --------------------------------------------------------------------------------------


@pytest.mark.walk
def test_settings_open_over_the_page_and_stay_open_during_changes(new_page, server):
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
    assert page.locator(SETTINGS).inner_text().endswith("Settings, 2 changed")
    assert box(page, CHARTS) == before
    page.get_by_role("button", name="Reset").click()
    wait_until_idle(page)
    assert query_parameters(page) == {}
    assert field(page, "seed").input_value() == "0"
    assert page.locator(SETTINGS).inner_text().endswith("Settings")
    assert page.locator(OPEN).count() == 1


@pytest.mark.walk
def test_escape_closes_an_open_list_first_and_then_the_settings(new_page, server):
    page = new_page(1440, 500)
    open_page(page, server, "score_variance")
    press(page.locator(SETTINGS), "Enter")
    wait_until_still(page)
    room = page.locator(DRAWER).evaluate("element => [element.scrollHeight, element.clientHeight]")
    assert room[0] > room[1]  # the drawer scrolls
    assert box(page, DRAWER)[3] <= 500
    law = field(page, "law")
    open_list(law)
    page.get_by_role("option", name="uniform").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("option").first.wait_for(state="hidden")
    assert page.locator(OPEN).count() == 1
    page.keyboard.press("Escape")
    page.locator(OPEN).wait_for(state="detached")
    assert page.locator(SETTINGS).evaluate("element => element === document.activeElement")


# --- the room of a picture -------------------------------------------------------------------------------


def check_bar(page):
    """Check that slider and Settings are side by side in one line."""
    *_, slider_right, _ = box(page, ".st-key-dimension [data-slider]")
    left, top, _, bottom = box(page, SETTINGS)
    assert slider_right <= left
    _, bar_top, _, bar_bottom = box(page, BAR)
    assert bar_top <= top
    assert bar_bottom - bar_top < TALL * (bottom - top)


@pytest.mark.parametrize("mode", sampled(["projector", "screen"]))
def test_bar_is_one_line_and_the_picture_fills_the_window_below(new_page, server, mode):
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
def test_text_on_a_wall_is_at_least_a_sixtieth_of_the_window_width(new_page, server, path):
    page = new_page(1920, 1080)
    open_page(page, server, path, mode="projector")
    for width, height in ((1920, 1080), (1024, 768)):
        resize(page, (width, height))
        wait_until_at_rest(page)
        # Font sizes on the screen: the computed size times the scale of the drawing.
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
    below = page.locator(".st-key-under, .st-key-folds, .tries, .st-key-more")
    assert below.count() == 0
    open_page(page, server, path, mode="projector", rest="shown")  # an old address
    assert below.count() == 0


@pytest.mark.walk
def test_a_button_shows_the_rest_of_a_lesson_without_steps(new_page, server):
    page = new_page(1920, 1080)
    open_page(page, server, "recap", mode="projector")
    assert page.locator(".st-key-background").count() == 0
    page.get_by_role("button", name="Show the rest of the lesson").click()
    wait_until_idle(page)
    assert query_parameters(page) == {"mode": "projector", "rest": "shown"}
    assert page.locator(".st-key-background").count() > 0
    page.get_by_role("button", name="Show the stage alone").click()
    wait_until_idle(page)
    assert query_parameters(page) == {"mode": "projector"}


@pytest.mark.walk
@pytest.mark.parametrize("size", [(1920, 950), (1024, 768)])
def test_next_link_of_a_wall_is_visible_and_stays_in_place(new_page, server, size):
    page = new_page(*size)
    steps = [step.name for step in LESSONS["one_query"].steps]
    open_page(page, server, "one_query", step=steps[0], mode="projector")
    corners = set()
    for step in steps:
        page.locator(".main-svg").first.wait_for()
        wait_until_at_rest(page)
        assert step_said(page) == step
        on = page.locator("[data-way] a[rel=next]")
        _, top, right, bottom = box(page, "[data-way] a[rel=next]")
        corners.add((round(right), round(top)))
        assert max(bottom, box(page, "[data-sentence]")[3]) <= size[1], step
        if step != steps[-1]:
            on.click()
            page.wait_for_function("step => !location.search.includes(`step=${step}`)", arg=step)
        wait_until_idle(page)
    assert len(corners) == 1


# --- links -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "scheme"), sampled([*product(("[data-way] li a", "[data-testid=stSidebar] a"), ("light", "dark"))], 3)
)
def test_outline_of_a_focused_link_has_the_colour_of_its_text(new_page, server, scheme, link):
    page = new_page(color_scheme=scheme)
    open_page(page, server, "derivation")
    page.locator(f"{link} >> nth=0").focus()
    page.keyboard.press("Tab")  # by keyboard from here on
    page.keyboard.press("Shift+Tab")
    frame = page.evaluate(
        """() => {
          const {outlineStyle, outlineWidth, outlineColor, color} = getComputedStyle(document.activeElement);
          return [document.activeElement.tagName, outlineStyle, outlineWidth, outlineColor === color];
        }"""
    )
    assert frame == ["A", "solid", "3px", True]


@pytest.mark.parametrize("scheme", sampled(["light", "dark"]))
def test_outline_of_the_focused_next_link_has_the_colour_of_the_title(new_page, server, scheme):
    page = new_page(color_scheme=scheme)
    open_page(page, server, "derivation", step="lines")
    page.locator("[data-way] a[rel=next]").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    frame, text = page.evaluate(
        """() => [document.activeElement, document.querySelector('h1')].map(each => getComputedStyle(each))
          .map(({outlineColor, color}, i) => (i ? color : outlineColor))"""
    )
    assert frame == text
