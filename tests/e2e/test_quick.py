"""Quick redrawing during a drag changes only parts of a picture; the result equals Plotly's drawing."""

import pytest
from dashboard import slider
from hand import MAIN, drag
from harness import open_page, wait_until_idle
from sampling import MATRIX

from pages._view.lessons import LESSONS, ORDER, VIEWS

pytestmark = pytest.mark.e2e

ASKED = [("training_race", "rates")]
# Pictures that Plotly draws in full, because axes, labels or colour ranges change too.
WHOLE = [
    ("gradient_flow", "jacobian", "d_k"),
    ("gradient_flow", "jacobian", "row"),
    ("backprop", "gradient", "exponent"),
    ("small_samples", "draw", "size"),
    ("small_samples", "draw", "n_draws"),
    ("unit_variance", "one_draw", "d_k"),
    ("unit_variance", "shared", "d_k"),
    ("scaling_rules", "exponents", "exponent"),
    ("scaling_rules", "means", "exponent"),
    ("scaling_rules", "query", "d_k"),
    ("long_context", "text", "context_length"),
]
# The sliders that a step's picture follows once the step is open. Steps that compute only on request are left out.
SLIDERS = [
    (stem, step.name, name)
    for stem in ORDER
    for step in LESSONS[stem].steps
    if VIEWS[stem].is_drawn and (stem, step.name) not in ASKED
    for name in step.followed
    if name not in step.placed
]
FIRST = ("score_variance", "draw", "d_k")
STOPS = (
    0.35,
    0.5,
    0.55,
    0.98,
    0.7,
    0.02,
    0.08,
    0.4,
)  # fractions of the track, not only its ends, which may give the same picture

# Compare the drawing with `Plotly.react` of the same figure. Ignore the order of annotations and a redundant style.
# Return two flags: drawn quickly, both drawings equal.
COMPARE = """async selector => {
  const picture = document.querySelector(selector), plot = picture.firstElementChild;
  const look = () => [...plot.querySelectorAll('.main-svg')].map(svg => {
    const copy = svg.cloneNode(true);
    for (const layer of copy.querySelectorAll('.infolayer')) {
      layer.append(...[...layer.children].sort((one, other) => one.outerHTML < other.outerHTML ? -1 : 1));
    }
    return copy.innerHTML.replaceAll('<g class="errorbar" style="opacity: 1;">', '<g class="errorbar">');
  }).join();
  const [quick, before] = [picture.quick, look()];
  const {data, layout} = structuredClone(picture.parsed);
  const {width, height} = plot._fullLayout;
  await Plotly.react(plot, data, {...layout, width, height});
  return [quick, before === look()];
}"""


def hold(page, name, share):
    """Move the pointer to a fraction of the track, and wait until the picture has followed."""
    box = slider(page, name).bounding_box()
    page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)
    page.wait_for_function(
        """([selector, name]) => {
          const {waiting, dataset} = document.querySelector(selector);
          return !waiting && dataset.value.split(' ').includes(String(window.lab.hands[name].value));
        }""",
        arg=[MAIN, name],
    )


def in_walk(each, place):
    """Return a test's parameters: FIRST always runs, every fifth other case in the walk, the rest in the matrix."""
    left_out = [] if place % 5 == 0 else [MATRIX]
    return pytest.param(*each, marks=[] if each == FIRST else [pytest.mark.walk, *left_out])


@pytest.mark.parametrize(("stem", "step", "name"), [in_walk(each, place) for place, each in enumerate(SLIDERS)])
def test_quick_pictures_equal_those_of_plotly_for_every_slider(page, server, stem, step, name):
    control = LESSONS[stem].controls.get(name)
    belongs_to = dict([control.when] if control and control.when else [])
    open_page(page, server, stem, step=step, **belongs_to)
    box = slider(page, name).bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    page.mouse.down()
    quick = 0
    for share in STOPS:
        hold(page, name, share)
        was_quick, is_same = page.evaluate(COMPARE, MAIN)
        quick += bool(was_quick)
        assert is_same, f"at {page.locator(MAIN).get_attribute('data-value')}"
    assert quick >= 2 or (stem, step, name) in WHOLE
    page.mouse.up()
    wait_until_idle(page)
    page.wait_for_function("selector => document.querySelector(selector).quick === false", arg=MAIN)


def test_many_quick_pictures_in_a_row_equal_one_of_plotly(page, server):
    open_page(page, server, "score_variance")
    drag(page, [0.5 + 0.01 * step for step in range(30)])
    page.wait_for_function(
        "selector => !document.querySelector(selector).waiting && document.querySelector(selector).quick", arg=MAIN
    )
    assert page.evaluate(COMPARE, MAIN) == [True, True]
    page.mouse.up()
    wait_until_idle(page)


def test_a_highlighted_word_stays_highlighted_during_a_drag(page, server):
    """A highlighted word fades other traces, so Plotly draws the whole picture."""
    open_page(page, server, "score_variance")
    page.locator(".mark").first.click()
    faded = """() => [...document.querySelectorAll('[data-picture][data-value] .trace')]
      .filter(each => each.style.opacity === '0.15').length"""
    before = page.evaluate(faded)
    assert before > 0
    drag(page, [0.6])
    page.wait_for_function("selector => document.querySelector(selector).dataset.value !== '64'", arg=MAIN)
    page.wait_for_function("selector => !document.querySelector(selector).waiting", arg=MAIN)
    assert page.evaluate(faded) == before
    page.mouse.up()
    wait_until_idle(page)


def test_picture_has_css_containment_on_screen_but_not_on_paper(page, server):
    open_page(page, server, "score_variance")
    contained = "selector => getComputedStyle(document.querySelector(selector)).contain"
    assert page.evaluate(contained, MAIN) == "strict"
    page.emulate_media(media="print")
    assert page.evaluate(contained, MAIN) == "none"
    page.emulate_media(media=None)
