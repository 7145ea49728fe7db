"""The one object between the scripts, and the text of each component."""

import pytest

from pages._view.live import SCRIPTS

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("name", SCRIPTS)
def test_component_is_one_module_with_one_function(alone, name):
    """A name that two of its files declare would stop all of it."""
    alone.evaluate(
        """async text => {
          const address = URL.createObjectURL(new Blob([text], {type: 'text/javascript'}));
          window.script = await import(address);
        }""",
        SCRIPTS[name],
    )
    assert alone.evaluate("() => [Object.keys(script), typeof script.default]") == [["default"], "function"]


def test_later_script_keeps_what_stands_in_object(load):
    page = load(names=("lab",))
    page.evaluate("() => { window.first = script.lab; lab.hands.d_k = 1; lab.do = 2; }")
    load(names=("lab",))
    assert page.evaluate("() => [script.lab === first, window.lab === first, lab.hands, lab.do]") == [
        True,
        True,
        {"d_k": 1},
        2,
    ]


def test_object_that_was_made_before_gets_what_is_missing(load, alone):
    alone.evaluate("() => { window.lab = {near: 5}; }")
    page = load(names=("lab",))
    assert page.evaluate("() => [lab.near, lab.leaves(), typeof lab.do]") == [5, False, "function"]
