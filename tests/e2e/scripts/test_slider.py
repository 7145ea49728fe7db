"""Script of the slider: its display, its events for pictures while it moves, and its messages to Python."""

import pytest

from pages._view.live import SLIDER

pytestmark = pytest.mark.e2e

STOPS = [1, 4, 16, 64, 256]
DATA = {
    "name": "d_k",
    "page": "start",
    "value": 16,
    "stops": STOPS,
    "label": "d_k",
    "ticks": [],
    "play": 0,
    "large": True,
}
DATA |= {"shown": [f"dₖ = {stop}" for stop in STOPS], "heard": None}
# Record the events that the slider sends to pictures.
HEAR = """() => {
  window.heard = [];
  addEventListener('lab:hand', ({detail}) => heard.push([detail.value, detail.held]));
}"""
THUMB = "input"
STATE = "() => [lab.hands.d_k.value, lab.hands.d_k.held, document.querySelector('.value').textContent]"


def open_slider(mount, **changes):
    page = mount("slider", DATA | changes, SLIDER)
    page.evaluate(HEAR)
    return page


def stand_at(page, stop):
    """Move the pointer to a stop on the track."""
    box = page.locator(THUMB).bounding_box()
    page.mouse.move(box["x"] + 8 + (box["width"] - 16) * stop / (len(STOPS) - 1), box["y"] + box["height"] / 2)


def test_arrow_keys_go_from_stop_to_stop_and_report_once(stopped, mount):
    page = open_slider(mount)
    for _ in range(2):
        page.locator(THUMB).press("ArrowRight")
    assert page.evaluate(STATE) == [256, True, "dₖ = 256"]
    assert page.locator(THUMB).get_attribute("aria-valuetext") == "d_k = 256"
    assert page.evaluate("() => told") == []
    page.evaluate("() => ring()")
    assert page.evaluate("() => [told.length, told[0][0], told[0][1].at]") == [1, "release", 256]
    assert page.evaluate("() => heard") == [[64, True], [256, True], [256, False]]


def test_a_drag_reports_only_its_last_stop(mount):
    page = open_slider(mount)
    stand_at(page, 2)
    page.mouse.down()
    for stop in (3, 4, 1):
        stand_at(page, stop)
    assert page.evaluate("() => told") == []
    page.mouse.up()
    assert page.evaluate("() => heard.map(each => each[0])") == [64, 256, 4, 4]
    assert page.evaluate("() => told.map(each => each[1].at)") == [4]


def test_a_drag_back_to_its_start_reports_nothing(mount):
    page = open_slider(mount)
    stand_at(page, 2)
    page.mouse.down()
    stand_at(page, 4)
    stand_at(page, 2)
    page.mouse.up()
    assert page.evaluate(STATE) == [16, False, "dₖ = 16"]
    assert page.evaluate("() => told") == []


def test_answer_to_an_earlier_move_does_not_move_the_thumb(stopped, mount):
    page = open_slider(mount)
    page.locator(THUMB).press("ArrowRight")
    page.evaluate("() => ring()")
    mount(None, DATA | {"heard": 0.5})
    assert page.evaluate(STATE)[0] == 64
    mount(None, DATA | {"value": 64, "heard": page.evaluate("() => told[0][1].number")})
    mount(None, DATA | {"value": 4})
    assert page.evaluate(STATE)[0] == 4


def test_thumb_glides_to_a_new_value_unless_motion_is_reduced(mount):
    page = open_slider(mount)
    on_its_way = """data => {
      script.default({parentElement: place, data: [data], setTriggerValue() {}});
      return document.querySelector('input').valueAsNumber;
    }"""
    assert page.evaluate(on_its_way, DATA | {"value": 256}) == 2
    assert page.evaluate(STATE)[0] == 256
    page.wait_for_function("() => document.querySelector('input').valueAsNumber === 4")
    page.emulate_media(reduced_motion="reduce")
    mount(None, DATA | {"value": 1})
    assert page.evaluate("() => document.querySelector('input').valueAsNumber") == 0


def test_play_runs_through_the_stops_and_reports_the_last(mount):
    page = open_slider(mount, play=10)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => told.length")
    assert page.evaluate("() => heard.map(each => each[0])") == [16, 64, 256, 256]
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => told.length === 2 || heard.at(-1)[1] === false && heard.length > 8")
    assert page.evaluate("() => heard[4]") == [1, True]


def test_a_move_is_not_reported_while_the_page_is_being_left(stopped, mount):
    page = open_slider(mount)
    page.evaluate("() => { lab.leaves = () => true; }")
    page.locator(THUMB).press("ArrowRight")
    page.evaluate("() => { ring(); ring(); }")
    assert page.evaluate("() => [lab.hands.d_k.held, told]") == [False, []]
    page.evaluate("() => { lab.leaves = () => false; ring(); }")
    assert page.evaluate("() => told.length") == 1
