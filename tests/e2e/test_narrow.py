"""On a phone the panels of a picture are stacked, also during a drag, and no texts touch."""

from itertools import pairwise

import pytest
from crowding import TOLERANCE, crowded
from hand import MAIN, drag, shown
from harness import open_page, wait_until_idle
from sizes import PHONE, SCREEN, resize, wait_until_at_rest

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

STEPS = [
    ("softmax_saturation", "too_flat"),
    ("wrong_choice", "rows"),
    ("derivation", "root"),
    ("training_race", "race"),
]
# Return the top and bottom of the traces with these names, in px.
ENDS = """(picture, names) => names.map(name => {
  const {_fullData, _fullLayout} = picture.firstElementChild;
  const trace = _fullData.find(each => each.name === name), axis = _fullLayout[trace.yaxis.replace('y', 'yaxis')];
  const heights = [...(trace.type === 'heatmap' ? axis.range : trace.y)].map(each => axis.d2p(each) + axis._offset);
  return [Math.min(...heights), Math.max(...heights)];
})"""
PANELS = {
    "too_flat": ("values 1", "values 2", "values 3"),
    "rows": ("raw", "÷ √dₖ", "÷ dₖ"),
    "root": ("raw", "÷ √dₖ"),
    "race": ("raw", "÷ √dₖ", "÷ dₖ"),
}


def check_below_each_other(page, step):
    ends = page.locator(MAIN).evaluate(ENDS, PANELS[step])
    for (_, low), (high, _) in pairwise(ends):
        assert low < high


@pytest.mark.parametrize(("stem", "step"), STEPS)
def test_panels_are_stacked_on_a_phone_and_side_by_side_on_a_laptop(new_page, server, stem, step):
    page = new_page(*SCREEN[PHONE])
    open_page(page, server, stem, step=step)
    wait_until_at_rest(page)
    check_below_each_other(page, step)
    assert {each: worst for each, worst in crowded(page).items() if worst[0] > TOLERANCE} == {}
    drag(page, [0.6, 0.7, 0.8])
    page.wait_for_function(f"() => parseInt(document.querySelector('{MAIN}').dataset.value) > 64")
    page.wait_for_function(f"() => document.querySelector('{MAIN}').quick")
    check_below_each_other(page, step)
    page.mouse.up()
    wait_until_idle(page)
    assert shown(page) > 64
    check_below_each_other(page, step)
    resize(page, SCREEN["1440"])
    wait_until_at_rest(page)
    with pytest.raises(AssertionError):
        check_below_each_other(page, step)


BOX = ".st-key-settings [data-testid=stExpanderDetails]"


@pytest.mark.parametrize("size", [(1440, 900), (768, 1024), SCREEN[PHONE]])
def test_settings_of_a_step_without_controls_open_inside_the_window(new_page, server, size):
    page = new_page(*size)
    open_page(page, server, "one_query", step="ask")
    page.locator(".st-key-settings summary").click()
    page.locator(BOX).wait_for()
    left, right, top = page.locator(BOX).evaluate(
        "each => { const {left, right, top} = each.getBoundingClientRect(); return [left, right, top]; }"
    )
    assert (left >= 0, right <= size[0], top >= 0) == (True, True, True)
