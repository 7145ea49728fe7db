"""A walk through every lesson: at every size that is promised, on a phone, by hand, by keyboard, and as it is read out.

At each size the stage, which is the question, the slider, the whole picture and its sentence, is seen without
scrolling, and no figure's text is cut off or covered. Then axe-core scans the page with everything opened. Where a look
only changes the colours of another, only the rules about colours are asked again.
"""

from itertools import product

import pytest
from crowding import TOLERANCE, crowded
from dashboard import CHARTS, DRAWN, LESSONS, SETTINGS, open_everything
from hand import check_following
from harness import COLOURS, check_accessibility, open_page, wait_until_still
from reading import check_lit_step, descriptions, names_of_code, visible_texts
from sampling import MATRIX, sampled
from sizes import PHONE, SCREEN, open_menu, resize, views
from tabbing import reached_by_tab

from pages._view.lessons import LESSONS as DECLARED
from pages._view.lessons import VIEWS

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

WHITE, DARK = "rgb(255, 255, 255)", "rgb(18, 22, 28)"
# Where a page has elements of its own: the hero, matrices to click, a progress bar, boxes for files. Elsewhere the
# other looks change sizes, and colours whose contrast is tested without a browser.
OWN_ELEMENTS = ("", "attention_steps", "training_race", "your_scores")
# The walk sees every other lesson at half of the sizes, and reads some; the matrix sees and reads the rest.
HALVES = ("1440", "1024", PHONE, "950p"), ("1920", "820", PHONE, "1024p")
READ = {lesson: place % 3 == 0 or lesson in OWN_ELEMENTS for place, lesson in enumerate(DRAWN)}
READ["training_race"] = False  # minutes of a page that only the matrix reads
HALF = [(lesson, HALVES[place // 2 % 2], READ[lesson]) for place, lesson in enumerate(DRAWN)]
REST = [(lesson, HALVES[1 - place // 2 % 2], not read) for place, (lesson, _, read) in enumerate(HALF)]
# Display mode, and the ground that must come of it, where the visitor's browser prefers the dark.
IN_THE_DARK = {"screen": DARK, "projector": WHITE}
# Tables of many cells, which cost axe-core seconds and hold no element that others do not.
LONG = ("race_learning", "race_state", "stage_histograms", "exponents", "rules", "rule_curves")

# --- seen ----------------------------------------------------------------------------------------------

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
    slider: document.querySelector('.st-key-dimension [data-slider]'),
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
    return first if name == PHONE else (*first, "sentence")


def too_wide(page):
    """How many pixels the page is wider than its window."""
    return page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth")


def check_size(page, lesson, name):
    """What is crowded, or not seen whole at this size."""
    deep = {place: worst for place, worst in crowded(page).items() if worst[0] > TOLERANCE}
    wrong = {(name, *place): worst for place, worst in deep.items()}
    wrong |= {(name, what): box for what, box in out_of_view(page, wanted_at(lesson, name)).items()}
    if too_wide(page) > 0:
        wrong[name, "too wide"] = too_wide(page)
    return wrong


def check_phone(page):
    """Pictures, options and the opened Settings stand within the screen."""
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


# --- read ----------------------------------------------------------------------------------------------

GROUND = "element => getComputedStyle(element).backgroundColor"


def check_ground(page, ground):
    """The page and its figures stand on it."""
    assert page.locator(".stApp").evaluate(GROUND) == ground
    for surface in page.locator(f"{CHARTS} .main-svg:first-child, [data-hero]").all():
        assert surface.evaluate(GROUND) == ground


# Where a description first says what is drawn, and then the sentence.
SAID_LATER = ("softmax_saturation", "wrong_choice", "training_race", "attention_steps", "backprop", "your_scores")
SAID_LATER += ("trained_heads",)
# Where a sentence stands beside what is no chart: the hero, a table of lines, a task.
BESIDE = ("", "derivation", "training_race")


def check_descriptions(page, lesson):
    """Every picture is described by a sentence, every sentence describes a picture, and none can be sent elsewhere."""
    pictures, said = descriptions(page)
    assert said
    for role, alt in pictures:  # after its sentence a main picture may say more of what is drawn
        assert role == "figure", alt
        assert any(sentence in alt if lesson in SAID_LATER else alt.startswith(sentence) for sentence in said), alt
    alone = [sentence for sentence in said if not any(sentence in alt for _, alt in pictures)]
    assert len(alone) == (lesson in BESIDE), alone
    hero = page.locator("[data-hero] svg").evaluate_all(
        "all => all.map(svg => [svg.getAttribute('role'), svg.ariaLabel])"
    )
    assert len(hero) == (0 if lesson else 4)
    assert all(role == "img" and len(alt) > 40 for role, alt in hero)
    buttons = page.locator(".modebar-btn").evaluate_all("all => all.map(each => each.dataset.title)")
    assert set(buttons) <= {"Download plot"}


def check_keyboard(page):
    """Tab reaches every control, those of the open Settings too."""
    page.locator(SETTINGS).click()
    page.mouse.move(0, 0)  # an arrow stands in the place of its icon while the pointer is over it
    wait_until_still(page)
    wanted, reached = reached_by_tab(page)
    page.evaluate("() => document.activeElement.blur()")  # what has the focus may have opened its help
    assert wanted - reached == set(), "Tab does not reach these"
    assert len(wanted) > 10


def check_opened(page, lesson, tag=None):
    """With everything opened no rule is broken; only on a screen there is code."""
    open_everything(page, apart=[f"{name}_data" for name in LONG])
    assert page.locator(".st-key-settings details[open]").count() == 1
    codes = page.get_by_test_id("stCode").count()
    assert codes >= 1 if "mode=projector" not in page.url and lesson in DRAWN else codes == 0
    check_accessibility(page, tag=tag)


def check_read(page, lesson):
    """The page as it is read and used without seeing it or without a mouse."""
    check_ground(page, WHITE)
    if lesson == "attention_steps":
        check_lit_step(page)
    if lesson in DRAWN:
        check_descriptions(page, lesson)
    check_keyboard(page)
    check_opened(page, lesson)
    open_everything(page)
    found = names_of_code(visible_texts(page))
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("lesson", "sizes", "read"), [*sampled(HALF), *(pytest.param(*each, marks=MATRIX) for each in REST)]
)
def test_a_lesson_fits_every_size_follows_the_hand_and_breaks_no_rule(new_page, server, lesson, sizes, read):
    page, wrong = new_page(), {}
    for name in views(page, server, lesson, sizes):
        wrong |= check_size(page, lesson, name)
        if name == PHONE:
            check_phone(page)
            if VIEWS[lesson or "start"].main:
                check_following(page, DECLARED[lesson or "start"].slider)
            page.mouse.move(0, 0)
            if read:
                resize(page, SCREEN["1440"])
                open_menu(page)
                check_read(page, lesson)
    assert wrong == {}
    if read and lesson in ("", "attention_steps"):
        check_ground(page, WHITE)
        check_accessibility(page)
        check_opened(page, lesson)


@pytest.mark.parametrize("lesson", [each for each in LESSONS if each not in DRAWN])
def test_a_page_to_be_read_breaks_no_rule(page, server, lesson):
    check_read(open_page(page, server, lesson), lesson)


@pytest.mark.parametrize(("lesson", "mode"), sampled([*product(OWN_ELEMENTS, IN_THE_DARK)], 3))
def test_no_rule_is_broken_in_the_dark(new_page, server, lesson, mode):
    page = new_page(color_scheme="dark")
    rest = {"rest": "shown"} if mode == "projector" else {}
    open_page(page, server, lesson, mode=mode, d_k="abc", **rest)
    check_ground(page, IN_THE_DARK[mode])
    if lesson == "attention_steps":
        check_lit_step(page)
    tag = COLOURS if lesson else None  # what a link that was adjusted shows is the same on every page
    check_accessibility(page, tag=tag)
    if mode == "screen" and lesson in ("", "attention_steps"):
        check_opened(page, lesson, tag)


def test_names_of_the_code_are_seen():
    said = ["d_k = 64", "m^½", "q_i·k_i", "dₖ = 64", "√m and 2 × 2", "_", "10⁻⁹"]
    assert names_of_code(said) == said[:3]
