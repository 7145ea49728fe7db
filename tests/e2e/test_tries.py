"""Tries: a click sets controls and address, and scrolls to the picture."""

import pytest
from harness import check_accessibility, open_page, query_parameters, step_said, wait_until_idle
from sampling import sampled

from pages._view.lesson import STEP
from pages._view.lessons import LESSONS
from pages._view.shared import SHARED

pytestmark = [pytest.mark.e2e, pytest.mark.walk]


def stems_to_click():
    """Return three lessons whose tries are clicked.

    They are the start page with the hero, a usual lesson, and derivation, where a try also shows a new control.
    """
    return ["start", "score_variance", "derivation"]


# Return the value of a slider, a radio bar or a text box; undefined if the page has no such control.
SHOWN = """name => {
  const key = name === 'd_k' ? 'dimension' : name;
  const own = document.querySelector(`.st-key-${CSS.escape(key)}, .st-key-${CSS.escape(key)}_dial`);
  const slider = own?.querySelector('input[type=range]');
  if (slider) return slider.getAttribute('aria-valuetext').replace('d_k = ', '').replaceAll(',', '');
  const chosen = own?.querySelector('[aria-checked=true]');
  return chosen ? chosen.textContent.trim() : own?.querySelector('input, textarea')?.value.replaceAll(',', '');
}"""


def controls_of(stem):
    return SHARED | dict(LESSONS[stem].controls)


def check_settings(page, stem, settings):
    """Check that the address names all settings but defaults, and that every visible control shows its setting."""
    controls, address = controls_of(stem), query_parameters(page)
    settings = {name: value for name, value in settings.items() if name != STEP}
    assert {name: controls[name].read(text) for name, text in address.items()} == {
        name: (value, None) for name, value in settings.items() if value != controls[name].default
    }
    seen = {name: page.evaluate(SHOWN, name) for name in settings}
    seen = {name: text for name, text in seen.items() if text is not None}
    assert seen
    assert seen == {name: controls[name].write(settings[name]).replace(",", "") for name in seen}


@pytest.mark.parametrize("stem", sampled(stems_to_click(), 2))
def test_a_try_sets_controls_and_address_and_a_reload_keeps_them(page, server, stem):
    chosen = next(each for each in LESSONS[stem].tries if _changes_something(stem, each))
    step = LESSONS[stem].step(chosen.settings[STEP])
    open_page(page, server, "" if stem == "start" else stem, step=step.name)
    assert query_parameters(page) == {}
    page.locator(f".stApp [data-try={chosen.key}]").click()
    page.wait_for_function("() => [...new URL(location.href).searchParams].some(([name]) => name !== 'step')")
    wait_until_idle(page)
    check_settings(page, stem, chosen.settings)
    assert step_said(page) == step.name
    page.reload()
    wait_until_idle(page)
    check_settings(page, stem, chosen.settings)


def _changes_something(stem, suggestion):
    controls = controls_of(stem)
    return any(value != controls[name].default for name, value in suggestion.settings.items() if name != STEP)


# --- after a click -----------------------------------------------------------------------------------------

FOCUSED = "key => document.activeElement?.dataset.try === key"


def take_up(page, key):
    """Scroll a try to the top of the window and press it by keyboard."""
    link = page.locator(f".stApp [data-try={key}]")
    link.evaluate("each => each.scrollIntoView({block: 'start', behavior: 'instant'})")
    link.focus()
    page.keyboard.press("Enter")
    page.locator(f".stApp [data-try={key}][aria-current]").wait_for()
    wait_until_idle(page)


@pytest.mark.parametrize(("size", "reduced"), [((1440, 900), "no-preference"), ((390, 844), "reduce")])
def test_a_try_is_marked_and_scrolls_back_to_the_picture(new_page, server, size, reduced):
    page = new_page(*size, reduced_motion=reduced)
    open_page(page, server, "small_samples", seed=3, d_k=2, step="band")
    take_up(page, "large_dimension")
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop === 0")
    page.wait_for_function(FOCUSED, arg="large_dimension")
    assert query_parameters(page) == {"d_k": "1024"}
    check_accessibility(page, include=".tries")


# Hold the animation callbacks of a gliding thumb until the test calls them.
HOLD_GLIDES = """() => {
  window.glides = [];
  const ask = window.requestAnimationFrame;
  window.requestAnimationFrame = act => String(act).includes('endGlide') ? window.glides.push(act) : ask(act);
}"""
THUMB = "() => Number(document.querySelector('[data-slider] input').value)"


@pytest.mark.parametrize("reduced", ["no-preference", "reduce"])
def test_thumb_glides_to_the_value_of_a_try_unless_motion_is_reduced(new_page, server, reduced):
    page = new_page(1440, 900, reduced_motion=reduced)
    open_page(page, server, "small_samples", step="band")
    page.evaluate(HOLD_GLIDES)
    before = page.evaluate(THUMB)
    take_up(page, "large_dimension")
    assert page.locator("[data-slider] input").get_attribute("aria-valuetext") == "d_k = 1,024"
    if reduced == "no-preference":
        assert page.evaluate(THUMB) == before  # no time has passed
        page.evaluate("() => window.glides.shift()(Infinity)")
    assert page.evaluate(THUMB) == page.evaluate("() => Number(document.querySelector('[data-slider] input').max)")
    assert page.evaluate("() => window.glides.length") == 0


def test_hidden_setting_of_a_try_is_dropped_at_next_and_restored_by_back(page, server):
    open_page(page, server, "score_variance", step="straighten")
    went = [("straighten", {"d_k": "1024", "correlation": "1"}), ("divide", {"d_k": "1024"})]
    page.locator(".stApp [data-try=aligned]").click()
    page.wait_for_function("() => location.search.includes('correlation')")
    wait_until_idle(page)
    page.locator("[data-way] a[rel=next]").click()
    for i, move in [(1, None), (0, page.go_back), (1, page.go_forward)]:
        if move:
            move()
        page.wait_for_function(f"() => location.search.includes('step={went[i][0]}')")
        wait_until_idle(page)
        assert (step_said(page), query_parameters(page)) == went[i]
