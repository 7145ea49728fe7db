"""A lesson on a wall: everything is visible at once, and legible from afar and with the lights on."""

import io
from collections import Counter

import pytest
from crowding import TOLERANCE, crowded
from harness import open_page, wait_until_idle
from PIL import Image
from sampling import sampled
from sizes import PROJECTED, resize, wait_until_at_rest

from pages._view.kinds import Choice, Drawing
from pages._view.lessons import LESSONS, ORDER
from tests.figures.drawing import contrast, in_the_light

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

SIZES = (PROJECTED["950p"], PROJECTED["1024p"])  # the smallest wide and narrow windows
ACTS = ".st-key-race_progress button, .bet a, [data-way] a, :is(.st-key-stage, .st-key-dials) input"
READ = ".stMainBlockContainer *, .st-key-wall *, .st-key-share *"
SCRIPTS = "sub, sup, tspan:not(.line), .katex *"  # may be smaller than the text around them
WITH_BET = [stem for stem in ORDER if LESSONS[stem].bet]
QUESTION, LETTERS = "p.line", "each => parseFloat(getComputedStyle(each).fontSize)"
LOWEST = 0.2  # least height of a plot as a fraction of the window
# BOTTOMS: return each visible element's text and lower end in px. TYPE: return each text and its font size in px.
# PLOT: return the height of a picture's plot in px.
BOTTOMS = """all => all.filter(each => each.checkVisibility()).map(each => [each.innerText,
  each.getBoundingClientRect().bottom])"""
TYPE = """(all, apart) => all.filter(each => {
    const {width, height, top} = each.getBoundingClientRect();
    const isText = [...each.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    return isText && width > 1 && height > 1 && top < innerHeight && each.checkVisibility() && !each.closest(apart);
  }).map(each => [each.textContent,
    parseFloat(getComputedStyle(each).fontSize) * (each.getScreenCTM ? each.getScreenCTM().a || 1 : 1)])"""
PLOT = """picture => { const {_fullLayout: {_size, height}} = picture.querySelector('.js-plotly-plot');
  return _size.h * picture.getBoundingClientRect().height / height; }"""


def check_seen(page, size):
    """Check that controls and sentence are in the window, all text is large, and the plot is not too low."""
    resize(page, size)
    wait_until_at_rest(page)
    found = page.locator(f"{ACTS}, [data-sentence]:visible").evaluate_all(BOTTOMS)
    assert len(found) >= 2
    assert [each for each in found if each[1] > size[1] + 1] == []
    sizes = page.locator(READ).evaluate_all(TYPE, f"{SCRIPTS}, style, script")
    assert len(sizes) > 10
    assert [each for each in sizes if each[1] < size[0] / 60 - 0.1] == []
    assert page.locator("[data-picture]:visible").first.evaluate(PLOT) >= LOWEST * size[1]


@pytest.mark.parametrize("stem", sampled(WITH_BET))
def test_controls_bet_and_sentence_of_a_wall_are_visible_at_once(new_page, server, stem):
    page = new_page(*SIZES[0])
    bet = LESSONS[stem].bet
    open_page(page, server, stem, mode="projector", bet="1", step=bet.when[1])
    assert page.locator(QUESTION).inner_text().startswith(f"Your bet: {bet.question}".split("{")[0])
    assert page.locator("[data-reveal]").count() == 1
    for size in SIZES:
        check_seen(page, size)
        assert page.locator(QUESTION).evaluate(LETTERS) > 1.1 * size[0] / 60  # larger than other text
    page.keyboard.press("r")
    page.wait_for_function("() => location.search.includes('reveal=1')")
    wait_until_idle(page)
    for size in SIZES:
        check_seen(page, size)


# --- the bets of a class ---------------------------------------------------------------------------------

# Return the heights of the bars' panel and of the whole figure, as fractions of the window.
HIGH = """picture => { const {_fullLayout: {_size, height, yaxis9}} = picture.querySelector('.js-plotly-plot');
  const [low, high] = yaxis9.domain, all = picture.getBoundingClientRect().height / innerHeight;
  return [_size.h * (high - low) / height * all, all]; }"""


@pytest.mark.parametrize("stem", sampled(WITH_BET, every=len(WITH_BET), first=WITH_BET.index("few_bits")))
def test_bets_of_a_class_take_a_third_of_the_wall_and_touch_no_text(new_page, server, stem):
    page, bet = new_page(*SIZES[0]), LESSONS[stem].bet
    answer = bet.answer
    curves = ["11-16-23-28-32", "20-40-60-80-100"]
    asked = {"mode": "projector", "bet": "1", "reveal": "1", "step": bet.when[1]}
    if isinstance(answer, Choice):
        said = {"class": "~".join(answer.options[-1:] * 24)}
        if not LESSONS[stem].together:  # such a lesson asks first for a rate, not for a bet
            said["first"] = "~".join(answer.options * 8)
    else:
        bets = curves if isinstance(answer, Drawing) else [f"{each:g}" for each in answer.stops[::2]]
        said = {"class": "~".join([*bets, bets[0]])}
    open_page(page, server, stem, **asked, **said)
    for size in SIZES:
        check_seen(page, size)
        bars, whole = page.locator("[data-picture]:visible").first.evaluate(HIGH)
        assert bars > 0.31
        assert whole > 1 / 3
        assert {each: worst for each, worst in crowded(page).items() if worst[0] > TOLERANCE} == {}


# --- in a lit room ---------------------------------------------------------------------------------------


def colours(page, elements):
    """Yield the pixel count of each colour in each element's box."""
    boxes = elements.evaluate_all(
        """all => all.map(each => { const {left, top, right, bottom} = each.getBoundingClientRect();
             return [left, top, right, bottom].map(Math.round); })"""
    )
    seen = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    for box in boxes:
        counted = seen.crop(box).getcolors(maxcolors=1 << 24)
        yield Counter({"#{:02x}{:02x}{:02x}".format(*each): count for count, each in counted})


def lit(one, other):
    return contrast(in_the_light(one), in_the_light(other))


@pytest.mark.parametrize(("stem", "query"), [("one_query", {}), ("backprop", {"gradient": "S"}),
                                             ("attention_steps", {"step": "softmax"})])  # fmt: skip
def test_numbers_in_cells_are_legible_in_a_lit_room(new_page, server, stem, query):
    page = new_page(*PROJECTED["950p"])
    open_page(page, server, stem, mode="projector", **query)
    wait_until_at_rest(page)
    numbers = list(colours(page, page.locator("[data-picture] .heatmap-label text")))
    assert len(numbers) > 5
    for seen in numbers:
        ground = seen.most_common(1)[0][0]
        assert max(lit(each, ground) for each in seen) >= 4.5, ground


def test_a_heatmap_of_equal_weights_is_visible_in_a_lit_room(new_page, server):
    page = new_page(*PROJECTED["950p"])
    open_page(page, server, "training_race", mode="projector")
    wait_until_at_rest(page)
    *_, last = colours(page, page.locator("[data-picture] .hm image"))
    pale = sorted(last.elements(), key=lambda each: lit(each, "#ffffff"))
    assert lit(pale[len(pale) // 2], "#ffffff") >= 1.65


def test_list_of_options_is_not_cut_off_on_a_small_wall(new_page, server):
    """The list is taller than a line of text, to be large enough for a finger."""
    page = new_page(*PROJECTED["1024p"])
    open_page(page, server, "unit_variance", mode="projector", step="schemes")
    around, inside = (page.locator(f".st-key-scheme{each}").bounding_box() for each in ("", " [role=group]"))
    assert inside["y"] + inside["height"] <= around["y"] + around["height"] + 1
