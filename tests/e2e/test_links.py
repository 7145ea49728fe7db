"""Links: the address holds the whole state, on a fresh server, after a reload, and with Back and Forward."""

import json
import re

import pytest
from dashboard import (
    ALERTS,
    CHARTS,
    LESSONS,
    SETTINGS,
    SLIDER,
    chosen,
    go_to,
    lesson_state,
    menu_names,
    press,
    sentences,
    slider,
    typed_dimension,
    wait_for_address,
    watch_menu,
)
from harness import open_page, page_url, query_parameters, running_server, runs_asked, step_said, wait_until_idle
from sampling import sampled

from pages._view.kinds import Choice, Number
from pages._view.lessons import LESSONS as DECLARED

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

STEPS = [step.name for step in DECLARED["one_query"].steps]
START, VARIANCE, SATURATION = (LESSONS[path] for path in ("", "score_variance", "softmax_saturation"))
DEFAULTS = {"d_k": "64", "n_keys": "16", "law": "normal", "seed": "0"}


def not_found(page):
    return page.get_by_text("Page not found").count()


def alerts(page):
    return [text.split("\n")[-1] for text in page.locator(ALERTS).all_inner_texts()]


def wait_for_step(page, step):
    page.wait_for_function("step => new URL(location.href).searchParams.get('step') === step", arg=step)
    wait_until_idle(page)


def heading_and_menu(page):
    menu = page.get_by_test_id("stSidebar")
    menu.locator("details:not([open]) > summary").evaluate_all("all => all.forEach(each => each.click())")
    found = [link.inner_text().split("\n")[-1] for link in menu.get_by_role("link").all()]
    return page.get_by_role("heading", level=1).all_inner_texts(), found


# --- links that work -----------------------------------------------------------------------------------


STATE = {"d_k": "100", "n_keys": "32", "law": "uniform", "seed": "3"}
VARIANCE_STATE = {
    "sampling": "matrix",
    "axis": "own",
    "n_samples": "20000",
    "n_queries": "128",
}


def variance_state(page):
    return {
        "sampling": chosen(page, "sampling"),
        "axis": chosen(page, "axis"),
        "n_samples": slider(page, "n_samples").get_attribute("aria-valuetext"),
        "n_queries": slider(page, "n_queries").get_attribute("aria-valuetext"),
    }


def test_settings_are_kept_over_page_changes_reloads_and_history(page, server):
    said = []

    def check(question):
        page.get_by_role("heading", level=1, name=question).wait_for()
        wait_until_idle(page)
        own = VARIANCE_STATE if question == VARIANCE else {}
        assert lesson_state(page) == STATE
        assert query_parameters(page) == STATE | own
        if own:
            assert variance_state(page) == own
            said.append(sentences(page))

    open_page(page, server, "score_variance", **STATE, **VARIANCE_STATE)
    check(VARIANCE)
    page.reload()
    check(VARIANCE)
    go_to(page, SATURATION)
    check(SATURATION)
    page.reload()
    check(SATURATION)
    page.go_back()
    check(VARIANCE)
    page.go_forward()
    check(SATURATION)
    go_to(page, START)
    check(START)
    go_to(page, VARIANCE)
    check(VARIANCE)
    assert all(each == said[0] for each in said)
    assert "dₖ = 100" in said[0][0]


def move_everything(page, stem):
    """Change d_k and every visible slider and radio bar of the lesson by one step."""
    if slider(page, "d_k").count():
        press(slider(page, "d_k"), "ArrowLeft")
    else:
        page.locator(SETTINGS).click()
        press(typed_dimension(page), "Control+a", "5", "6", "Enter")
    for name, control in DECLARED[stem].controls.items():
        if isinstance(control, Number) and slider(page, name).is_visible():
            press(slider(page, name), "ArrowLeft" if control.default == control.stops[-1] else "ArrowRight")
        elif isinstance(control, Choice) and control.bar and (bar := page.locator(f".st-key-{name}")).is_visible():
            other = next(option for option in control.options if option != control.default)
            shown = re.compile(f"^{re.escape(control.called(other))}$")
            press(bar.locator("[role=radio]").filter(has_text=shown), "Space")
    page.wait_for_function("() => location.search.includes('d_k=')")
    wait_until_idle(page)


# One lesson with sliders and bars, one with a button. The tests without a browser try every lesson.
@pytest.mark.parametrize("stem", ["score_variance", "training_race"])
def test_a_copied_address_gives_the_same_sentences_on_a_fresh_server(server, new_page, stem):
    mine = open_page(new_page(), server, stem, seed=7)
    as_opened = sentences(mine)
    move_everything(mine, stem)
    assert sentences(mine) != as_opened
    copied = query_parameters(mine)
    assert {"seed", "d_k"} <= set(copied)
    theirs = new_page(stranger=True)
    watch_menu(theirs)
    with running_server(warm=False) as fresh:
        open_page(theirs, fresh, stem, **copied)
        assert menu_names(theirs) <= set(LESSONS.values())  # no file name, not even for a moment
        assert len(menu_names(theirs)) > 5
        assert heading_and_menu(theirs) == ([LESSONS[stem]], [*LESSONS.values(), "Open a room"])
        assert theirs.url.startswith(f"{fresh.url}/{stem}?")
        assert lesson_state(theirs) == lesson_state(mine)
        assert sentences(theirs) == sentences(mine)
        assert query_parameters(theirs) == copied
        assert not_found(theirs) == 0
        assert alerts(theirs) == []


def test_linked_or_typed_d_k_between_stops_becomes_a_stop(page, server):
    open_page(page, server, "score_variance", d_k=300)
    thumb = page.locator(SLIDER)
    assert thumb.get_attribute("aria-valuetext") == "d_k = 300"
    press(thumb, "ArrowRight")
    assert thumb.get_attribute("aria-valuetext") == "d_k = 320"
    press(thumb, "ArrowLeft")
    assert "dₖ = 300," in sentences(page)[0]
    go_to(page, START)
    assert thumb.get_attribute("aria-valuetext") == "d_k = 300"
    assert "At dₖ = 300, " in sentences(page)[0]
    assert not typed_dimension(page).is_visible()
    page.locator(SETTINGS).click()
    assert typed_dimension(page).input_value() == "300"
    press(thumb, "ArrowLeft")
    assert thumb.get_attribute("aria-valuetext") == "d_k = 288"
    assert typed_dimension(page).input_value() == "288"
    press(thumb, "ArrowRight")
    assert query_parameters(page) == {"d_k": "300"}
    press(typed_dimension(page), "Control+a", "7", "7", "Enter")
    assert thumb.get_attribute("aria-valuetext") == "d_k = 77"
    assert query_parameters(page) == {"d_k": "77"}


def test_a_move_is_kept_when_a_link_is_clicked_right_after_it(page, server):
    open_page(page, server, "score_variance", d_k=111)
    first = page.get_by_test_id("stSidebar").get_by_role("link").first
    for delay, d_k in ((20, "120"), (150, "128")):
        first.evaluate("link => { window.menuLink = link; }")
        slider(page, "d_k").press("ArrowRight")
        page.wait_for_timeout(delay)
        page.evaluate("() => window.menuLink.click()")
        page.get_by_role("heading", level=1, name=START).wait_for()
        wait_for_address(page, d_k=d_k)
        assert lesson_state(page)["d_k"] == d_k
        if d_k == "120":
            go_to(page, VARIANCE)


# Drop the next request for a run, as when Streamlit misses a slider's message during a page change.
UNHEARD = """const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (message) {
  if (window.unheard && ArrayBuffer.isView(message) && message[0] >> 3 === 11) window.unheard = false;
  else send.call(this, message);
};"""


def test_a_move_that_the_server_missed_is_sent_again(page, server):
    page.add_init_script(UNHEARD)
    open_page(page, server, "softmax_saturation", step="too_flat", d_k=64)
    page.evaluate("() => { window.unheard = true; }")
    slider(page, "d_k").press("ArrowRight")
    wait_for_address(page, d_k="72")
    assert lesson_state(page)["d_k"] == "72"
    assert page.evaluate("() => window.unheard") is False


# Streamlit aborts a running script when a message arrives. If a page sends one after a link was followed, Streamlit
# stays on that page.
SCRIPT = "document.querySelector('[data-testid=stApp]').dataset.testScriptState"
BUSY = {
    "drawn": f"on => {{ {SCRIPT} = on ? 'running' : 'notRunning'; }}",
    "left": "on => { window.lab.leaves = () => on; }",
}


@pytest.mark.parametrize("busy", BUSY.values(), ids=BUSY)
def test_a_move_waits_while_the_page_is_running_or_being_left(page, server, busy):
    open_page(page, server, "softmax_saturation", step="too_flat", d_k=64)
    asked = runs_asked(page)
    page.evaluate(busy, True)
    slider(page, "d_k").press("ArrowRight")
    page.wait_for_timeout(600)
    assert runs_asked(page) == asked
    page.evaluate(busy, False)
    wait_for_address(page, d_k="72")


# While the page is drawn, click a link and release the slider: both messages arrive at the same time.
AT_ONCE = """async ([link, thumb]) => {
  window.lab.page.ask('draw');
  thumb.stepUp();
  thumb.dispatchEvent(new Event('input', {bubbles: true}));
  await new Promise((resolve) => setTimeout(resolve, 5));
  link.click();
  thumb.dispatchEvent(new Event('blur'));
}"""


def test_a_move_and_a_link_at_the_same_time_both_take_effect(page, server):
    open_page(page, server, "softmax_saturation", step="too_flat", d_k=64)
    menu = page.get_by_test_id("stSidebar")
    for question, d_k in ((START, "72"), (LESSONS["derivation"], "80"), (VARIANCE, "88")):
        link = menu.get_by_role("link", name=question).element_handle()
        page.evaluate(AT_ONCE, [link, slider(page, "d_k").element_handle()])
        page.get_by_role("heading", level=1, name=question).wait_for()
        wait_for_address(page, d_k=d_k)
        assert lesson_state(page)["d_k"] == d_k
    assert "Traceback" not in server.log()


def test_projector_mode_is_kept_on_other_pages_until_leave_is_pressed(page, server):
    open_page(page, server, "score_variance", mode="projector", d_k=100, bet=0)
    page.get_by_role("button", name="The path").click()
    page.get_by_role("menuitem", name=SATURATION).click()
    page.get_by_role("heading", level=1, name=SATURATION).wait_for()
    wait_until_idle(page)
    assert query_parameters(page) == {"mode": "projector", "d_k": "100", "bet": "0"}
    assert page.get_by_test_id("stSidebar").count() == 0
    page.locator(SETTINGS).click()
    assert chosen(page, "mode") == "projector"
    page.go_back()
    page.get_by_role("heading", level=1, name=VARIANCE).wait_for()
    wait_until_idle(page)
    assert query_parameters(page) == {"mode": "projector", "d_k": "100", "bet": "0"}
    page.get_by_test_id("stApp").get_by_role("link", name="Next lesson").click()
    page.get_by_role("heading", level=1, name=LESSONS["derivation"]).wait_for()
    wait_until_idle(page)
    page.get_by_role("button", name="Leave").click()
    wait_for_address(page, d_k="100", bet="0")


def test_back_leaves_a_page_at_once_after_many_moves(page, server):
    open_page(page, server, d_k=100)
    hero = page.locator(SLIDER)
    for d_k in ("111", "120", "128"):
        hero.press("ArrowRight")
        page.wait_for_function("d_k => location.search.includes(`d_k=${d_k}`)", arg=d_k)
        wait_until_idle(page)
    assert query_parameters(page) == {"d_k": "128"}
    go_to(page, VARIANCE)
    press(slider(page, "d_k"), "ArrowRight", "ArrowRight")
    page.go_back()
    page.get_by_role("heading", level=1, name=START).wait_for()
    wait_until_idle(page)
    assert lesson_state(page)["d_k"] == "128"
    page.go_back()
    assert page.url == "about:blank"


def test_back_and_forward_go_through_steps_with_their_settings(page, server):
    lesson = DECLARED["gradient_flow"]
    steps = [each.name for each in lesson.steps]
    open_page(page, server, lesson.stem, step=steps[0])
    on = page.locator("[data-way] a[rel=next]")
    went, stood = [(step_said(page), query_parameters(page))], [on.bounding_box()]
    for step, d_k in zip(steps[1:3], ("72", "80"), strict=True):
        on.click()
        wait_for_step(page, step)
        stood.append(on.bounding_box())
        press(slider(page, "d_k"), "ArrowRight")
        went.append((step_said(page), query_parameters(page)))
        assert went[-1] == (step, {"d_k": d_k})
    assert stood[1] == stood[0]
    assert stood[2] == stood[0]
    page.locator("[data-way] li a").last.click()
    wait_for_step(page, steps[-1])
    for move, (step, query) in [(page.go_back, each) for each in reversed(went)] + [(page.go_forward, went[1])]:
        move()
        wait_for_step(page, step)
        assert query_parameters(page) == query
        assert page.locator("[data-way] [aria-current=step]").get_attribute("data-step") == step
        assert page.locator("p.line").inner_text() == lesson.step(step).line
        assert lesson_state(page)["d_k"] == query.get("d_k", "64")


def test_a_step_with_a_fixed_d_k_keeps_the_chosen_d_k_for_other_steps(page, server):
    open_page(page, server, "softmax_saturation", step="divisor", d_k="1024")
    on = page.locator("[data-way] a[rel=next]")
    for move, step in [(on.click, "too_flat"), (page.go_back, "divisor"), (on.click, "too_flat")]:
        move()
        wait_for_step(page, step)
        assert query_parameters(page) == {"d_k": "1024"}


# --- links from before there were steps -----------------------------------------------------------------

# One old address for each picture, and the step that shows the picture now.
BEFORE = {
    "start": [({}, "drag")],
    "one_query": [
        ({}, "ask"),
        *(({"step": step, "d_k": "100"}, step) for step in STEPS[1:]),
        ({"emphasis": "16"}, "grow"),
    ],
    "score_variance": [({"axis": "own"}, "draw"), ({"products_axis": "square-root axis"}, "straighten")],
    "derivation": [({}, "lines"), ({"broken": "heavy tails", "nu": "2.1"}, "broken")],
    "softmax_saturation": [
        ({"exponent": "0.5"}, "divisor"),
        ({"multiplier": "4"}, "lists"),
        ({"step": "averages"}, "divisor"),
    ],
    "wrong_choice": [({}, "rows"), ({"row": "3"}, "rows")],
    "training_race": [
        ({"step": "100"}, "race"),
        ({"model_rate": "0.03"}, "transformer"),
        ({"model_way": "QK-norm"}, "transformer"),
        ({"step": "curves"}, "race"),
        ({"step": "twin"}, "race"),
        ({"step": "heads", "model_way": "raw"}, "transformer"),
    ],
    "gradient_flow": [({}, "freeze"), ({"place": "q"}, "at_q"), ({"jacobian": "4, 5"}, "jacobian")],
    "attention_steps": [({}, "scores"), *(({"step": step}, step) for step in ("scale", "mask", "softmax", "output"))],
    "backprop": [({"exponent": "1"}, "gradient"), ({"weight": "weights of K"}, "first_order")],
    "small_samples": [({"size": "4"}, "draw")],
    "unit_variance": [({"normalise": "off"}, "stages")],
    "scaling_rules": [
        ({"correlation": "0.5"}, "exponents"),
        ({"part": "rules"}, "rules"),
        ({"part": "museum", "bug": "Applied twice"}, "museum"),
    ],
    "your_scores": [({"sample": "aligned"}, "spread")],
    "trained_heads": [({"exponent": "1"}, "heads"), ({"layer": "3"}, "one_head")],
    "long_context": [({"context_length": "1000"}, "keys")],
    "few_bits": [({"sums": "the format"}, "scores")],
}
CURRENT = re.compile(r'data-step="(\w+)" aria-label="Step \d+ of \d+" aria-current="step"')
TOLD = re.compile(r'<script type="application/json" id="lab-told">(.*?)</script>', re.DOTALL)


@pytest.mark.parametrize("stem", sampled([*BEFORE], 2, 1))
def test_old_addresses_open_the_step_of_their_picture(page, server, stem):
    assert set(BEFORE) == {name for name, lesson in DECLARED.items() if lesson.steps}
    for query, name in BEFORE[stem]:
        step, path = DECLARED[stem].step(name), "" if stem == "start" else stem
        html = page.goto(page_url(server, path, **query), wait_until="domcontentloaded").text()
        wait_until_idle(page)
        here = page.locator("[data-way] [aria-current=step]").get_attribute("data-step")
        assert CURRENT.findall(html) == [name] == [here], query
        assert page.locator("p.line").inner_text() == step.line
        picture = json.loads(TOLD.search(html)[1])["picture"]
        if stem == "start":
            assert page.locator("[data-hero][data-value]").count() == 1
        else:
            is_slow = stem == "training_race"  # a race is trained first unless it is cached
            assert (is_slow and picture is None) or picture["key"] == step.picture
            assert page.locator(CHARTS).get_attribute("data-key") == step.picture
        assert alerts(page) == []
        kept = {**query} | ({"trained_steps": query["step"]} if query.get("step", "").isdecimal() else {})
        assert query_parameters(page) == {
            each: kept[each] for each in kept if each not in ("step", *DECLARED[stem].formerly)
        }


# --- bad links -------------------------------------------------------------------------------------------

# Values that a browser could garble or execute. The tests without a browser try many more.
BAD_LINKS = {
    "d_k=<script>alert(1)</script>": ("d_k is not a number; 64 is used", {}),
    "<script>alert(1)</script>=1": ("is not a setting of this dashboard and was ignored", {}),
    "d_k=" + "9" * 10_000: ("d_k must be between 1 and 1024; 1024 is used", {"d_k": "1024"}),
    "d_k=7&d_k=8": ("d_k is given 2 times; the last, 8, is used", {"d_k": "8"}),
}


def visit(page, server, path, query):
    """Open a link; return its notes, state, address and heading."""
    page.goto(f"{server.url}/{path}?{query}", wait_until="domcontentloaded")
    wait_until_idle(page)
    return {
        "notes": alerts(page),
        "state": lesson_state(page),
        "address": query_parameters(page),
        "heading": page.locator("h1").inner_text(),
    }


def test_a_bad_link_opens_a_working_page_with_a_note_of_one_line(page, server):
    page.on("dialog", lambda dialog: pytest.fail("a link ran a script"))
    for query, (note, kept) in BAD_LINKS.items():
        seen = visit(page, server, "", query)
        assert len(seen["notes"]) == 1, (query[:60], seen)
        assert seen["notes"][0].startswith("This link was adjusted: "), query[:60]
        assert note in seen["notes"][0], query[:60]
        assert len(seen["notes"][0]) < 300
        assert seen["state"] == DEFAULTS | kept, query[:60]
        assert seen["address"] == kept, query[:60]
        assert seen["heading"] == START


def test_controls_and_address_agree_after_a_bad_link(page, server):
    visit(page, server, "score_variance", "d_k=9999&law=foo&colour=red")
    press(slider(page, "d_k"), "ArrowLeft")
    assert query_parameters(page) == {"d_k": "896"}
    assert "At dₖ = 896," in sentences(page)[0]
    go_to(page, START)
    assert alerts(page) == []
    assert query_parameters(page) == {"d_k": "896"}
    assert lesson_state(page) == DEFAULTS | {"d_k": "896"}


def test_controls_with_the_same_name_have_their_own_value_in_each_lesson(page, server):
    def exponent():
        shown = slider(page, "exponent").get_attribute("aria-valuetext").split()[-1]
        return shown, query_parameters(page).get("exponent")

    open_page(page, server, "backprop?exponent=1&seed=3&step=gradient")
    go_to(page, LESSONS["scaling_rules"])
    assert exponent() == ("0.25", None)  # the lesson's default
    press(slider(page, "exponent"), "ArrowRight")
    assert exponent() == ("0.3", "0.3")
    for step, found in ((page.go_back, ("1", "1")), (page.go_forward, ("0.3", "0.3"))):
        step()
        wait_until_idle(page)
        assert exponent() == found
    assert query_parameters(page)["seed"] == "3"
