"""The object that all scripts share, `window.lab`, and the module of each component."""

import pytest

from pages._view.live import SCRIPTS

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("name", SCRIPTS)
def test_component_is_one_module_with_one_function(alone, name):
    """A name declared in two of a component's files would be a syntax error of the whole module."""
    alone.evaluate(
        """async text => {
          const address = URL.createObjectURL(new Blob([text], {type: 'text/javascript'}));
          window.script = await import(address);
        }""",
        SCRIPTS[name],
    )
    assert alone.evaluate("() => [Object.keys(script), typeof script.default]") == [["default"], "function"]


def test_a_later_script_keeps_the_entries_of_the_shared_object(load):
    page = load(names=("lab",))
    page.evaluate("() => { window.first = script.lab; lab.hands.d_k = 1; lab.do = 2; }")
    load(names=("lab",))
    assert page.evaluate("() => [script.lab === first, window.lab === first, lab.hands, lab.do]") == [
        True,
        True,
        {"d_k": 1},
        2,
    ]


def test_an_older_shared_object_gets_the_missing_entries(load, alone):
    alone.evaluate("() => { window.lab = {near: 5}; }")
    page = load(names=("lab",))
    assert page.evaluate("() => [lab.near, lab.leaves(), typeof lab.do]") == [5, False, "function"]
