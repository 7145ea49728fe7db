"""Check every step of every lesson: at each window size, by mouse, by keyboard, and for a screen reader.

The stage (question, slider, whole picture, sentence) must be visible without scrolling, no text of a figure may be cut
off or covered, and the page has limits for its length and its number of controls. axe-core scans some steps with
everything open. If a look differs from another one only in its colours, axe-core checks only its colour rules.
"""

from itertools import cycle, product

import pytest
from crowding import TOLERANCE, crowded
from dashboard import CHARTS, DRAWN, LESSONS, SETTINGS, STEPS, asking_for, open_everything, step_of
from hand import check_following
from harness import COLOURS, check_accessibility, open_page, wait_until_idle, wait_until_still
from reading import check_lit_step, descriptions, names_of_code, visible_texts, words_of_screen
from sampling import MATRIX, sampled
from sizes import PHONE, PROJECTED, SCREEN, views, wait_until_at_rest
from tabbing import reached_by_tab

from pages._view.lessons import LESSONS as DECLARED
from pages._view.lessons import ORDER, VIEWS

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

WHITE, DARK = "rgb(255, 255, 255)", "rgb(18, 22, 28)"
# Pages with elements that no other page has: the hero, clickable matrices, a progress bar, file uploads. On all other
# pages a look changes only sizes, and colours whose contrast is tested without a browser.
OWN_ELEMENTS = ("", "attention_steps", "training_race", "your_scores")
SIZES = (*SCREEN, *PROJECTED)
# Display mode -> background colour if the browser prefers dark.
IN_THE_DARK = {"screen": DARK, "projector": WHITE}


def in_turn():
    """Yield each step with the window sizes at which the walk tests it.

    In each lesson one step is tested on a phone, if possible one with a slider, and one on a wall; every other step at
    one size. The matrix covers all other sizes.
    """
    others, walls = cycle(("1440", "820", "1920", "1024")), cycle(PROJECTED)
    for place, lesson in enumerate(DRAWN):
        steps = [name for at, name in STEPS if at == lesson]
        moved = [name for name in steps if step_of(lesson, name).slider] or steps
        on_phone = moved[place % len(moved)]
        on_wall = steps[(steps.index(on_phone) + 1) % len(steps)]
        for name in steps:
            seen = [PHONE] * (name == on_phone) + [next(walls)] * (name == on_wall)
            yield lesson, name, seen or [next(others)]


WALKED = [*in_turn()]
LEFT_OUT = [(lesson, step, [size for size in SIZES if size not in seen]) for lesson, step, seen in WALKED]

# --- visible -------------------------------------------------------------------------------------------

# Return the boxes [left, top, right, bottom] of all parts that must be visible, and the area in which they must lie.
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
    slider: document.querySelector('.st-key-dimension [data-slider]'),
    picture: inHero('.panels') ?? document.querySelector('[data-picture]'),
    sentence: inHero('.sentence') ?? [...sentences].find((each) => each.checkVisibility() && each.innerText),
    folds: document.querySelector('.st-key-folds'),
  };
  const header = document.querySelector('[data-testid=stHeader]').getBoundingClientRect();
  const there = Object.entries(seen).filter(([, each]) => each);
  const boxes = Object.fromEntries(there.map(([name, each]) => [name, box(each)]));
  return {boxes, room: [0, header.top ? 0 : header.bottom, innerWidth, innerHeight]}; // a wall's is at its foot
}"""


def out_of_view(page, wanted):
    """Return the required parts that are not wholly visible, with their boxes."""
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


def wanted_at(step, name):
    first = ("title", "slider", "picture") if step.slider else ("title", "picture")
    if name == "1024":  # a small laptop: scrolling is allowed
        return ()
    if name == "1440":
        return (*first, "sentence", "folds")
    return first if name == PHONE else (*first, "sentence")


TOO_WIDE = "() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth"
HEIGHT = "() => document.querySelector('[data-testid=stMain]').scrollHeight"
HIGHEST = {"1440": 1350, PHONE: 1750}  # px of a page whose folds are closed
# Count the usable elements outside the menu, without the skip link, which is visible only with the focus.
CONTROLS = """() => [...document.querySelectorAll('a[href], button, input, textarea, summary')].filter(each =>
  !each.closest('[data-testid=stSidebar]') && !each.matches(':disabled, a[href^="#"]') &&
  each.checkVisibility({visibilityProperty: true, opacityProperty: true})).length"""
MOST_CONTROLS = 20
MORE_CONTROLS = {  # steps with a choice of many options
    ("gradient_flow", "jacobian"): 21,
    ("attention_steps", "scale"): 21,
    ("backprop", "gradient"): 22,
    ("unit_variance", "stages"): 21,
    ("unit_variance", "schemes"): 22,
    ("scaling_rules", "rules"): 25,
    ("scaling_rules", "query"): 24,
    ("scaling_rules", "entropy"): 22,
    ("trained_heads", "one_head"): 24,
    ("few_bits", "scores"): 22,
    ("few_bits", "formats"): 23,
}


MOST_WORDS = {"The path": 90, "Go deeper": 130}  # words outside the folds


def check_extent(page, lesson, step, name):
    """Return the exceeded limits at a window size: width, length, controls and words."""
    wrong = {}
    if (over := page.evaluate(TOO_WIDE)) > 0:
        wrong[name, "too wide"] = over
    if (height := page.evaluate(HEIGHT)) > HIGHEST.get(name, height):
        wrong[name, "too long"] = height
    if name == "1440" and (count := page.evaluate(CONTROLS)) > MORE_CONTROLS.get((lesson, step), MOST_CONTROLS):
        wrong[name, "too many controls"] = count
    if len(words := words_of_screen(page)) > MOST_WORDS[DECLARED[lesson or ORDER[0]].section]:
        wrong[name, "too many words"] = len(words)
    return wrong


def check_size(page, lesson, step, name):
    """Return what is wrong at a window size: crowded texts, parts out of view, and exceeded limits."""
    deep = {place: worst for place, worst in crowded(page).items() if worst[0] > TOLERANCE}
    wrong = {(name, *place): worst for place, worst in deep.items()}
    wrong |= {(name, what): box for what, box in out_of_view(page, wanted_at(step_of(lesson, step), name)).items()}
    return wrong | check_extent(page, lesson, step, name)


# Steps whose sentence may stay the same when the slider moves, because it is true of several values.
SAID_OF_ALL = {
    "one_query": ("multiply", "add"),
    "softmax_saturation": ("lists",),
    "wrong_choice": ("every_size",),
    "attention_steps": ("mask",),
    "small_samples": ("band",),
    "scaling_rules": ("means",),
    "trained_heads": ("one_head",),
    "few_bits": ("formats",),
}


DRAWN_LATER = ("training_race", "rates")  # (lesson, step) whose picture is drawn only on release: it may take long


def have_computed(page):
    """Press Compute if the step computes only on request, and wait for its picture."""
    asks = page.get_by_role("button", name="Compute (")
    if asks.count():
        asks.click()
        page.wait_for_function("() => !document.querySelector('.st-key-ask_main, .st-key-progress_main')")
        page.locator(CHARTS).locator(".main-svg").first.wait_for()
        wait_until_idle(page)
        wait_until_at_rest(page)


def check_phone(page):
    """Check that pictures, options and the open Settings do not reach out of a phone's screen."""
    page.locator(SETTINGS).click()
    wait_until_still(page)
    inside = page.locator(f"[data-hero] svg, {CHARTS}, [role=radio], .st-key-settings [data-testid=stExpanderDetails]")
    sides = inside.evaluate_all(
        """all => all.filter(each => each.checkVisibility()).map(each => {
             const {left, right} = each.getBoundingClientRect();
             return [each.className, left, right];
           })"""
    )
    assert [each for each in sides if each[1] < 0 or each[2] > SCREEN[PHONE][0] + 1] == []
    assert len(sides) > 1
    page.locator(SETTINGS).click()


# --- for a screen reader ---------------------------------------------------------------------------------

GROUND = "element => getComputedStyle(element).backgroundColor"


def check_ground(page, ground):
    """Check the background colour of the page and its figures."""
    assert page.locator(".stApp").evaluate(GROUND) == ground
    for surface in page.locator(f"{CHARTS} .main-svg:first-child, [data-hero]").all():
        assert surface.evaluate(GROUND) == ground


# Steps whose picture's description first says what is drawn, then gives the sentence.
SAID_LATER = {
    "softmax_saturation": ("lists", "divisor", "too_flat"),
    "wrong_choice": ("rows",),
    "training_race": ("race", "between"),
    "attention_steps": ("scores", "scale", "mask", "softmax", "output"),
    "backprop": ("gradient",),
    "your_scores": ("spread", "growth"),
}


def check_descriptions(page, lesson, step):
    """Check that the picture's description has the sentence, and that the picture's toolbar has only the download."""
    pictures, said = descriptions(page)
    assert (len(pictures), len(said)) == (1 if lesson else 0, 1)  # the hero is not a chart
    for role, alt in pictures:  # a description may go on after the sentence
        assert role == "figure", alt
        assert said[0] in alt if step in SAID_LATER.get(lesson, ()) else alt.startswith(said[0]), alt
    hero = page.locator("[data-hero] svg").evaluate_all(
        "all => all.map(svg => [svg.getAttribute('role'), svg.ariaLabel])"
    )
    assert len(hero) == (0 if lesson else 4)
    assert all(role == "img" and len(alt) > 40 for role, alt in hero)
    buttons = page.locator(".modebar-btn").evaluate_all("all => all.map(each => each.dataset.title)")
    assert set(buttons) <= {"Download plot"}


def check_keyboard(page):
    """Check that Tab reaches every control, including those of the open Settings."""
    page.locator(SETTINGS).click()
    page.mouse.move(0, 0)  # under the pointer an arrow replaces the icon
    wait_until_still(page)
    wanted, reached = reached_by_tab(page)
    page.evaluate("() => document.activeElement.blur()")  # close the help of the focused control
    assert wanted - reached == set(), "Tab does not reach these"
    assert len(wanted) > 10


def check_opened(page, lesson, tag=None):
    """Open everything; check that no axe rule is broken, and that code is shown except on a projector."""
    open_everything(page)
    assert page.locator(".st-key-settings details[open]").count() == 1
    codes = page.get_by_test_id("stCode").count()
    assert codes >= 1 if "mode=projector" not in page.url and lesson in DRAWN else codes == 0
    check_accessibility(page, tag=tag)


def check_read(page, lesson, step=""):
    """Check the page for use without sight and without a mouse."""
    check_ground(page, WHITE)
    if lesson in DRAWN:
        check_descriptions(page, lesson, step)
    check_keyboard(page)
    check_opened(page, lesson)
    if lesson == "attention_steps":
        check_lit_step(page)
    found = names_of_code(visible_texts(page))
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("lesson", "step", "sizes"), [*WALKED, *(pytest.param(*each, marks=MATRIX) for each in LEFT_OUT)]
)
def test_a_step_fits_every_window_size_and_its_picture_follows_a_drag(new_page, server, lesson, step, sizes):
    page, wrong = new_page(), {}
    for name in views(page, server, lesson, sizes, **asking_for(step)):
        have_computed(page)
        wrong |= check_size(page, lesson, step, name)
        if name == PHONE:
            check_phone(page)
            if VIEWS[lesson or ORDER[0]].is_drawn and step_of(lesson, step).slider and (lesson, step) != DRAWN_LATER:
                check_following(page, step_of(lesson, step).slider, said=step not in SAID_OF_ALL.get(lesson, ()))
    assert wrong == {}


@pytest.mark.parametrize(("lesson", "step"), sampled(STEPS, 5))
def test_a_step_works_by_keyboard_and_screen_reader_and_breaks_no_rule(new_page, server, lesson, step):
    page, wrong = new_page(), {}
    for name in views(page, server, lesson, ["1440"], **asking_for(step)):
        have_computed(page)
        wrong = check_size(page, lesson, step, name)
        check_read(page, lesson, step)
    assert wrong == {}


@pytest.mark.parametrize("lesson", ["", "attention_steps"])
def test_a_wall_breaks_no_axe_rule(new_page, server, lesson):
    page = new_page(*PROJECTED["950p"])
    open_page(page, server, lesson, mode="projector")
    check_ground(page, WHITE)
    check_accessibility(page)
    check_opened(page, lesson)


@pytest.mark.parametrize("lesson", [each for each in LESSONS if each not in DRAWN])
def test_a_page_without_pictures_breaks_no_axe_rule(page, server, lesson):
    check_read(open_page(page, server, lesson), lesson)


@pytest.mark.parametrize(("lesson", "mode"), sampled([*product(OWN_ELEMENTS, IN_THE_DARK)], 3))
def test_pages_in_dark_colours_break_no_axe_rule(new_page, server, lesson, mode):
    page = new_page(color_scheme="dark")
    open_page(page, server, lesson, mode=mode, d_k="abc")
    check_ground(page, IN_THE_DARK[mode])
    tag = COLOURS if lesson else None  # all rules for the start page, which has a note about d_k=abc
    check_accessibility(page, tag=tag)
    if mode == "screen" and lesson in ("", "attention_steps"):
        check_opened(page, lesson, tag)
    if (lesson, mode) == ("attention_steps", "screen"):
        check_lit_step(page)


def test_texts_written_like_code_are_found():
    said = ["d_k = 64", "m^½", "q_i·k_i", "dₖ = 64", "√m and 2 × 2", "_", "10⁻⁹"]
    assert names_of_code(said) == said[:3]
