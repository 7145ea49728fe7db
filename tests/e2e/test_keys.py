"""Keyboard shortcuts of a wall, sent by hand or by a clicker: the same on every lesson, whatever has the focus."""

import pytest
from dashboard import SETTINGS, SLIDER, slider, wait_for_address
from hand import drag
from harness import check_accessibility, open_page, query_parameters, runs_asked, step_said, wait_until_idle
from sampling import sampled
from sizes import PROJECTED

from pages._view.lessons import LESSONS, ORDER
from pages._view.shared import DIMENSIONS

pytestmark = pytest.mark.e2e

BEFORE_BET = LESSONS["one_query"].bet.earlier[-1]
WITH_BET = LESSONS["one_query"].bet.when[1]
ON = "[data-way] .on"
COVER, LIST = "[data-blank]", "dialog.keys[open]"
FOCUS = "() => document.activeElement.tagName"
AFTER = ".st-key-lesson_after a"
# Press Page Down again as soon as the next lesson links to the one after it, before it is fully drawn.
PRESS_EARLY = f"""() => {{
  const leads = () => document.querySelector("{AFTER}")?.href;
  const before = leads();
  const watch = new MutationObserver(() => {{
    if (!leads() || leads() === before) return;
    watch.disconnect();
    window.pressedAt = leads();
    const key = {{ key: "PageDown", bubbles: true, cancelable: true, composed: true }};
    document.body.dispatchEvent(new KeyboardEvent("keydown", key));
  }});
  watch.observe(document.body, {{ subtree: true, childList: true, attributes: true }});
}}"""


@pytest.fixture
def wall(new_page):
    return new_page(*PROJECTED["950p"])


def steps_of(stem):
    return [each.name for each in LESSONS[stem].steps]


def tells(stem, step):
    """Return True if a step before the bet would give the answer away; such a step is skipped until the reveal."""
    steps, bet = steps_of(stem), LESSONS[stem].bet
    return bool(bet) and steps.index(step) < steps.index(bet.when[1]) and step not in bet.earlier


def hit(page, key, step="", **address):
    """Press a key without changing the focus, and wait for the expected step and address."""
    page.keyboard.press(key)
    if step:
        page.wait_for_function("step => new URL(location.href).searchParams.get('step') === step", arg=step)
    wait_for_address(page, mode="projector", **address)
    wait_until_idle(page)
    assert step in ("", step_said(page))


def question(page):
    return page.locator("h1").inner_text()


@pytest.mark.walk
def test_page_down_opens_steps_then_reveals_then_opens_lessons(wall, server):
    said = {"bet": "1", "d_k": "16"}
    open_page(wall, server, "one_query", mode="projector", step=BEFORE_BET, **said)
    hit(wall, "PageDown", step=WITH_BET, **said)
    assert wall.locator(ON).get_attribute("aria-disabled") == "true"  # the next step would give the answer away
    wall.reload()
    wait_until_idle(wall)
    assert query_parameters(wall) == {"mode": "projector", **said}
    assert step_said(wall) == WITH_BET
    hit(wall, "PageDown", step=WITH_BET, reveal="1", **said)
    hit(wall, "r", step=WITH_BET, **said)
    hit(wall, "r", step=WITH_BET, reveal="1", **said)
    steps = steps_of("one_query")
    for step in steps[steps.index(WITH_BET) + 1 :]:
        hit(wall, "ArrowRight", step=step, reveal="1", **said)
    following = ORDER[ORDER.index("one_query") + 1]
    wall.keyboard.press("PageDown")
    wall.get_by_role("heading", level=1, name=LESSONS[following].question).wait_for()
    wait_until_idle(wall)
    assert (query_parameters(wall), step_said(wall)) == ({"mode": "projector", **said}, steps_of(following)[0])
    hit(wall, "PageDown", step=steps_of(following)[0], reveal="1", **said)
    for step in steps_of(following)[1:]:
        hit(wall, "PageDown", step=step, reveal="1", **said)
    for step in steps_of(following)[-2::-1]:
        hit(wall, "PageUp", step=step, reveal="1", **said)
    wall.keyboard.press("PageUp")
    wall.get_by_role("heading", level=1, name=LESSONS["one_query"].question).wait_for()
    wait_until_idle(wall)
    assert {"mode": "projector", **said}.items() <= query_parameters(wall).items()
    assert step_said(wall) == steps[0]


@pytest.mark.walk
def test_arrow_keys_move_the_large_slider_of_any_lesson(wall, server):
    open_page(wall, server, "long_context", mode="projector", key_score=4)
    number = LESSONS["long_context"].controls["context_length"]
    above = next(stop for stop in number.stops if stop > number.default)
    slider(wall, "key_score").focus()
    hit(wall, "ArrowUp", context_length=str(above), key_score="4")
    assert slider(wall, "context_length").get_attribute("aria-valuetext") == f"n = {above:,}"
    hit(wall, "ArrowDown", key_score="4")


def test_shortcuts_work_the_same_wherever_the_focus_is(wall, server):
    open_page(wall, server, "wrong_choice", mode="projector")
    box = wall.locator(SLIDER).bounding_box()
    drag(wall, [0.6])
    wall.mouse.up()
    wall.wait_for_function("() => location.search.includes('d_k=')")
    wait_until_idle(wall)
    assert wall.evaluate(FOCUS) == "BODY"  # the slider has lost the focus after the drag
    d_k = query_parameters(wall)["d_k"]
    above = str(min(stop for stop in DIMENSIONS if stop > int(d_k)))
    slider(wall, "steps").focus()
    hit(wall, "ArrowUp", d_k=above)
    hit(wall, "ArrowDown", d_k=d_k)
    assert slider(wall, "d_k").get_attribute("aria-valuetext") == f"d_k = {int(d_k):,}"
    assert box == wall.locator(SLIDER).bounding_box()
    wall.keyboard.press("Space")
    wall.get_by_role("button", name="Pause").first.wait_for()
    wall.keyboard.press("Enter")
    wall.get_by_role("button", name="Pause").first.wait_for(state="hidden")
    wait_until_idle(wall)
    asked = runs_asked(wall)
    wall.keyboard.press("b")
    assert wall.locator(COVER).bounding_box() == {"x": 0, "y": 0, "width": 1920, "height": 950}
    wall.keyboard.press("PageDown")
    wall.keyboard.press(".")
    assert wall.locator(COVER).count() == 0
    assert runs_asked(wall) == asked
    assert question(wall) == LESSONS["wrong_choice"].question
    wall.keyboard.press("f")
    wall.wait_for_function("() => document.fullscreenElement")
    wall.keyboard.press("f")
    wall.wait_for_function("() => !document.fullscreenElement")


@pytest.mark.walk
def test_page_keys_work_again_after_choosing_an_option(wall, server):
    schemes = LESSONS["unit_variance"].controls["scheme"]
    open_page(wall, server, "unit_variance", mode="projector", bet="0", step=steps_of("unit_variance")[-1])
    box = wall.locator(".st-key-scheme [role=combobox]")
    box.click()
    name = next(schemes.called(each) for each in schemes.options if each != schemes.default)
    wall.get_by_role("option", name=name, exact=True).click()
    wait_for_address(wall, mode="projector", bet="0", scheme=name)
    assert box.input_value() == name
    wall.keyboard.press("PageDown")
    following = ORDER[ORDER.index("unit_variance") + 1]
    wall.get_by_role("heading", level=1, name=LESSONS[following].question).wait_for()


@pytest.mark.walk
def test_escape_closes_list_and_settings_before_it_leaves_the_wall(wall, server):
    said = {"bet": "1", "d_k": "16", "seed": "3"}
    open_page(wall, server, "one_query", mode="projector", **said)
    wall.keyboard.press("?")
    wall.locator(LIST).wait_for()
    check_accessibility(wall, include=LIST)
    wall.keyboard.press("PageDown")
    wall.keyboard.press("Escape")
    wall.locator(LIST).wait_for(state="hidden")
    wall.get_by_role("button", name="Keys", exact=True).click()
    wall.locator(LIST).get_by_role("button", name="Close").click()
    assert wall.locator(LIST).count() == 0
    wall.locator(SETTINGS).click()
    seed = wall.locator(".st-key-seed input")
    seed.press("End")
    for key in ("ArrowLeft", "Backspace", "ArrowRight"):
        seed.press(key)
    wall.keyboard.press("Escape")
    wall.locator(".st-key-settings details[open]").wait_for(state="detached")
    wait_until_idle(wall)
    assert query_parameters(wall)["mode"] == "projector"
    wall.locator(ON).focus()
    wall.keyboard.press("Control+ArrowRight")
    wall.keyboard.press("Escape")
    wait_for_address(wall, **said)
    assert wall.locator("[data-keys]").count() == 0


@pytest.mark.walk
def test_page_down_goes_only_one_page_on_if_pressed_twice_or_held(wall, server):
    open_page(wall, server, "one_query", mode="projector", step=steps_of("one_query")[-1])
    for _ in range(3):
        wall.keyboard.down("ArrowUp")
    wall.keyboard.up("ArrowUp")
    wait_for_address(wall, mode="projector", d_k="88")
    wall.evaluate(PRESS_EARLY)
    wall.keyboard.press("PageDown")
    following, after = ORDER[ORDER.index("one_query") + 1 :][:2]
    wall.get_by_role("heading", level=1, name=LESSONS[following].question).wait_for()
    wait_until_idle(wall)
    assert question(wall) == LESSONS[following].question
    assert wall.evaluate("() => window.pressedAt").split("?")[0].endswith(after)
    assert step_said(wall) == steps_of(following)[0]
    held = [*((following, step) for step in steps_of(following)[1:]), (after, steps_of(after)[0])]
    for stem, step in held:
        for _ in range(4):
            wall.keyboard.down("PageDown")
        wall.keyboard.up("PageDown")
        wall.get_by_role("heading", level=1, name=LESSONS[stem].question).wait_for()
        wall.wait_for_function("step => location.search.includes(`step=${step}`)", arg=step)
        wait_until_idle(wall)
        assert (question(wall), step_said(wall)) == (LESSONS[stem].question, step)
    assert query_parameters(wall) == {"mode": "projector", "d_k": "88"}


@pytest.mark.walk
def test_shortcuts_do_nothing_outside_projector_mode(page, server):
    open_page(page, server, "score_variance", mode="projector")
    for _ in range(3):
        page.keyboard.down("PageDown")  # held: goes one step
    page.keyboard.up("PageDown")
    first, second, *_ = steps_of("score_variance")
    page.wait_for_function("step => location.search.includes(`step=${step}`)", arg=second)
    wait_for_address(page, mode="projector")
    assert step_said(page) == second
    hit(page, "PageUp", step=first)
    page.keyboard.press("Escape")
    wait_for_address(page)
    for key in ("b", "?", "PageDown", "f", "r"):
        page.keyboard.press(key)
    wait_for_address(page)  # unchanged, although r is Streamlit's key for a rerun
    page.locator(SLIDER).press("ArrowLeft")
    wait_for_address(page, d_k="56")
    assert page.locator(f"{COVER}, {LIST}").count() == 0
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    wait_for_address(page, d_k="56")
    assert step_said(page) == first


@pytest.mark.walk
def test_page_down_leads_through_all_lessons_of_the_path(wall, server):
    open_page(wall, server, mode="projector", bet="1", step=steps_of(ORDER[0])[0])
    path = [stem for stem in ORDER if LESSONS[stem].section == LESSONS[ORDER[0]].section]
    wanted = [(LESSONS[stem].question, step) for stem in path for step in steps_of(stem) if not tells(stem, step)]
    wanted.append((LESSONS[path[-1]].question, ""))  # the recap has no steps
    seen = [(question(wall), step_said(wall))]
    for _ in range(60):
        if seen[-1] == wanted[-1]:
            break
        wall.keyboard.press("PageDown")
        wait_until_idle(wall)
        here = question(wall), step_said(wall)
        seen += [here] if here != seen[-1] else []
    assert seen == wanted
    assert query_parameters(wall)["bet"] == "1"


@pytest.mark.walk
@pytest.mark.parametrize("stem", sampled(["one_query", "backprop", "attention_steps"], 3, 1))
def test_a_reloaded_wall_returns_to_its_step(wall, server, stem):
    first, second, third, *_ = steps_of(stem)
    open_page(wall, server, stem, mode="projector", step=first)
    hit(wall, "PageDown", step=second)
    hit(wall, "PageDown", step=third)
    picture = wall.locator("[data-sentence]").inner_text()
    wall.reload()
    wait_until_idle(wall)
    assert (query_parameters(wall), step_said(wall)) == ({"mode": "projector"}, third)
    assert wall.locator("[data-sentence]").inner_text() == picture
    hit(wall, "PageUp", step=second)
