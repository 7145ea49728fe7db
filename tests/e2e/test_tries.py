"""Try this: a click sets the controls and the address, and the address keeps them."""

import pytest
from harness import open_page, query_parameters, wait_until_idle

from pages._view.lessons import LESSONS
from pages._view.shared import SHARED

pytestmark = pytest.mark.e2e


def stems_to_click():
    """The start page, whose slider is the browser's own, and two other lessons that suggest something.

    One is the first, the other the derivation, where a click also sets controls that the page only then draws.
    """
    return ["start", "score_variance", "derivation"]


# What a control shows, by whatever it is: a slider, a bar of options, a box. None where it is folded away.
SHOWN = """name => {
  const own = document.querySelector(`.st-key-${CSS.escape(name)}`);
  const hero = name === 'd_k' && document.querySelector('[data-hero] .slider');
  const slider = hero || own?.querySelector('input[type=range]');
  if (slider) return slider.getAttribute('aria-valuetext').replace('d_k = ', '').replaceAll(',', '');
  const chosen = own?.querySelector('[aria-checked=true]');
  return chosen ? chosen.innerText.trim() : own?.querySelector('input, textarea')?.value.replaceAll(',', '');
}"""


def controls_of(stem):
    return SHARED | dict(LESSONS[stem].controls)


def check_settings(page, stem, settings):
    """The address names what is not a default, and every control in sight shows its setting."""
    controls, address = controls_of(stem), query_parameters(page)
    assert {name: controls[name].read(text) for name, text in address.items()} == {
        name: (value, None) for name, value in settings.items() if value != controls[name].default
    }
    seen = {name: page.evaluate(SHOWN, name) for name in settings}
    seen = {name: text for name, text in seen.items() if text is not None}
    assert seen
    assert seen == {name: controls[name].write(settings[name]).replace(",", "") for name in seen}


@pytest.mark.parametrize("stem", stems_to_click())
def test_a_click_sets_the_controls_and_the_address_which_a_reload_keeps(page, server, stem):
    chosen = next(each for each in LESSONS[stem].tries if _changes_something(stem, each))
    open_page(page, server, "" if stem == "start" else stem)
    assert query_parameters(page) == {}
    page.locator(f".st-key-try_{chosen.key} button").click()
    page.wait_for_function("() => location.search")
    wait_until_idle(page)
    check_settings(page, stem, chosen.settings)
    page.reload()
    wait_until_idle(page)
    check_settings(page, stem, chosen.settings)


def _changes_something(stem, suggestion):
    controls = controls_of(stem)
    return any(value != controls[name].default for name, value in suggestion.settings.items())
