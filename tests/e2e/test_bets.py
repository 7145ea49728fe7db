"""Bets in a browser, on one lesson of each kind of bet: by keyboard, with axe-core before and after the reveal.

The tests without a browser place the bet of every lesson.
"""

import pytest
from betting import CURVE, FORM, LINE, PLACE, POINTS, place_by_keyboard
from dashboard import CHARTS, LESSONS, SLIDER, go_to, sentences, step_of, turn_to, wait_for_address
from harness import check_accessibility, open_page, step_said, wait_until_idle

from pages._view.kinds import Choice, Drawing
from pages._view.lessons import LESSONS as DECLARED
from pages._view.lessons import ORDER

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

WITH_BETS = [stem for stem in ORDER if DECLARED[stem].bet]
REST = ".st-key-background"  # the last fold of every lesson


def kind(stem):
    """Return the kind of a bet: "choice", "curve", or for a number the axis along which it is marked."""
    bet = DECLARED[stem].bet
    kinds = {Choice: "choice", Drawing: "curve"}
    return kinds.get(type(bet.answer), bet.place and bet.place.along)


FIRST_OF_KIND = list({kind(stem): stem for stem in reversed(WITH_BETS)}.values())


def at(stem):
    """Return the query parameters of the step with the bet."""
    name, option = DECLARED[stem].bet.when or ("", "")
    return {name: DECLARED[stem].controls[name].write(option)} if name in DECLARED[stem].controls else {}


@pytest.mark.parametrize("stem", FIRST_OF_KIND)
def test_answer_is_hidden_until_a_bet_is_placed_and_revealed(page, server, stem):
    asked = []
    watch = lambda request: "/moving/" in request.url and asked.append(request.url)  # noqa: E731
    open_page(page, server, stem, bet=1, n_keys=32, **at(stem))
    page.context.on("request", watch)
    assert page.locator(CHARTS).count() == 1
    assert page.locator(REST).count() == 0
    assert page.get_by_text(DECLARED[stem].answer[:30]).count() == 0
    slider = step_of(stem, step_said(page)).slider
    if slider in ("", *DECLARED[stem].bet.usual):  # no slider, or one whose value the bet fixes
        assert page.locator(SLIDER).count() == 0
    else:
        page.locator(SLIDER).press("ArrowRight")
        page.wait_for_function("() => location.search.includes('d_k=72')")
        wait_until_idle(page)
        assert ("dₖ = 72" in page.locator(LINE).inner_text()) == ("{d_k}" in DECLARED[stem].bet.question)
    page.context.remove_listener("request", watch)
    assert not [url for url in asked if "bet=1" not in url]
    check_accessibility(page)

    place_by_keyboard(page, DECLARED[stem].bet)
    assert sentences(page) != []
    assert page.locator(REST).count() == 1
    assert "in fact" in page.locator(LINE).inner_text().lower()
    main = page.locator(CHARTS).first
    assert "◆" in main.get_attribute("aria-label")
    check_accessibility(page)
    before = page.locator(LINE).inner_text()
    assert ("drawn" in before) == isinstance(DECLARED[stem].bet.answer, Drawing)
    page.reload()
    wait_until_idle(page)
    assert page.locator(LINE).inner_text() == before
    page.get_by_role("link", name="Bet again").press("Enter")
    page.locator(PLACE).wait_for()


def test_step_links_and_menu_keep_bets_switched_on_but_drop_the_guess(page, server):
    first, second = "softmax_saturation", "wrong_choice"
    last, tally = DECLARED[first].steps[-1].name, f"1-2-{chr(ord('A') + ORDER.index(first))}"
    open_page(page, server, first, bet=1, tally=tally, guess=95, guessed_at=f"step={last}", d_k=100, step=last)
    for stem in (second, first):
        if stem == second:
            page.locator(f"[data-way] [data-lesson={second}]").click()
        else:
            go_to(page, LESSONS[first])
        page.get_by_role("heading", level=1, name=LESSONS[stem]).wait_for()
        wait_for_address(page, bet="1", tally=tally, d_k="100")
        turn_to(page, **at(stem))
        page.locator(PLACE).wait_for()
    assert page.locator(PLACE).is_disabled()  # until the marker is moved


def heights(page):
    return [int(each.get_attribute("aria-valuenow")) for each in page.locator(POINTS).all()]


def sweep(page, path):
    """Draw with the mouse along a path, given in fractions of the panel's width and height."""
    box = page.locator(CURVE).bounding_box()
    points = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in path]
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point)
    page.mouse.up()


def test_curve_is_drawn_by_mouse_corrected_by_keyboard_and_placed(page, server):
    open_page(page, server, "score_variance", bet="draw")
    page.locator(POINTS).first.wait_for()
    assert page.locator(PLACE).is_disabled()
    sweep(page, [(0, 0.5), (0.4, 0.3), (0.999, 0.1)])  # two moves across all five points
    page.locator(f"{PLACE}:not([disabled])").wait_for()
    drawn = heights(page)
    assert drawn == sorted(drawn)
    reach = 1024 * 1.025
    for height, place in zip(drawn, (128, 256, 512, 768, 1024), strict=True):
        x = place / reach
        share = 0.5 - 0.5 * x if x <= 0.4 else 0.3 - (x - 0.4) * 0.2 / 0.599
        assert abs(height - (112 - 224 * share)) <= 3  # points also follow a pointer that is only near them
    third = page.locator(POINTS).nth(2)
    assert third.get_attribute("aria-label") == "Spread after 512 products"
    for key, change in (("ArrowUp", 1), ("ArrowLeft", -1), ("PageDown", -10)):
        third.press(key)
        drawn[2] += change
        assert heights(page) == drawn
    third.press("End")
    third.press("ArrowUp")
    assert heights(page) == [*drawn[:2], 112, *drawn[3:]]
    third.press("Home")
    drawn[2] = 0
    page.locator(PLACE).press("Enter")
    guess = "-".join(map(str, drawn))
    wait_for_address(page, bet="draw", guess=guess, guessed_at="d_k=64", tally="0-1-c")
    wait_until_idle(page)
    assert page.locator(CURVE).count() == 0
    assert f"Spread after 1,024 products: ◆ {drawn[4]} drawn" in page.locator(LINE).inner_text()


def test_drawing_with_a_finger_does_not_scroll_the_page(new_page, server):
    page = new_page(390, 844, has_touch=True)
    open_page(page, server, "score_variance", bet="draw")
    page.locator(POINTS).first.wait_for()
    box = page.locator(CURVE).bounding_box()
    tools = page.context.new_cdp_session(page)
    at = lambda x, y: [{"x": box["x"] + x * box["width"], "y": box["y"] + y * box["height"]}]  # noqa: E731
    tools.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": at(0.9, 0.5)})
    tools.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": at(0.95, 0.25)})
    tools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.locator(f"{PLACE}:not([disabled])").wait_for()
    assert heights(page)[:4] == [0] * 4
    assert abs(heights(page)[4] - 56) <= 2
    assert page.get_by_test_id("stMain").evaluate("element => element.scrollTop") == 0


# Return the height of a plot's area without its margins.
PLOT = """chart => {
  const {height, margin} = chart.querySelector('.js-plotly-plot')._fullLayout;
  return height - margin.t - margin.b;
}"""


def test_picture_of_a_bet_stays_large_enough_on_a_phone(new_page, server):
    page = new_page(390, 844)
    open_page(page, server, "one_query", bet=1, guess=40, step="wander")
    assert page.locator(CHARTS).first.evaluate(PLOT) > 100


@pytest.mark.parametrize(
    ("stem", "step", "guess"), [("wrong_choice", "rows", "50"), ("score_variance", "draw", "2-4-8-16-32")]
)
def test_verdict_on_a_phone_is_above_the_slider_and_moves_no_picture(new_page, server, stem, step, guess):
    page = new_page(390, 844)
    open_page(page, server, stem, step=step)
    before = page.locator("[data-picture]").first.bounding_box()["y"]
    open_page(page, server, stem, step=step, bet=1, guess=guess)
    picture = page.locator("[data-picture]").first.bounding_box()["y"]
    why = page.locator("p.line .why").bounding_box()
    assert why["height"] > 10
    assert why["y"] + why["height"] <= page.locator(".dimension").first.bounding_box()["y"]
    assert picture == pytest.approx(before, abs=1)


# Return the contrast ratio (WCAG) of a button's text and its background.
CONTRAST = """async button => {
  await Promise.all(button.getAnimations({subtree: true}).map(each => each.finished));
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const over = ([r, g, b, a = 1], below) => [r, g, b].map((each, i) => a * each + (1 - a) * below[i]);
  const grounds = [];
  for (let each = button; each; each = each.parentElement) grounds.push(parts(getComputedStyle(each).backgroundColor));
  const ground = grounds.reverse().reduce((below, each) => over(each, below), [255, 255, 255]);
  const text = over(parts(getComputedStyle(button.querySelector('p') ?? button).color), ground);
  const light = ([...rgb]) => rgb.map(each => each / 255)
    .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
    .reduce((sum, each, i) => sum + each * [0.2126, 0.7152, 0.0722][i], 0);
  const [low, high] = [light(text), light(ground)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}"""


@pytest.mark.parametrize("mode", ["screen", "projector"])
def test_buttons_are_legible_in_every_state_on_a_dark_page(new_page, server, mode):
    page = new_page(color_scheme="dark")
    open_page(page, server, FIRST_OF_KIND[0], bet=1, mode=mode)
    tools = page.context.new_cdp_session(page)
    tools.send("DOM.enable")
    tools.send("CSS.enable")
    for state in ("disabled, or hidden", "enabled, or revealed"):
        root = tools.send("DOM.getDocument")["root"]["nodeId"]
        nodes = tools.send("DOM.querySelectorAll", {"nodeId": root, "selector": ".stButton button"})["nodeIds"]
        for states in ([], ["hover"], ["active", "hover"], ["focus", "focus-visible"]):
            for node in nodes:
                tools.send("CSS.forcePseudoState", {"nodeId": node, "forcedPseudoClasses": states})
            seen = page.locator(".stButton button").evaluate_all(f"all => Promise.all(all.map({CONTRAST}))")
            assert min(seen) >= 4.5, (state, states, seen)
        if mode == "projector":  # the class bets by phone; the wall only reveals
            page.locator("[data-reveal]").click()
            wait_until_idle(page)
        else:
            page.locator(f"{FORM} input:not([type=hidden])").first.press("Space")
            page.locator(f"{FORM} input:not([type=hidden])").first.press("ArrowRight")
            wait_until_idle(page)
            assert page.locator(PLACE).is_enabled()
