"""The large slider: a drag, a key or a touch requests one picture at a time.

test_every_lesson.py tests on a phone's screen that every lesson's main picture follows the slider.
"""

from urllib.parse import parse_qs, urlsplit

import pytest
from dashboard import LESSONS, LET_GO, SLIDER, go_to, press, slider, wait_for_address
from hand import MAIN, drag, move, shown
from harness import open_page, query_parameters, wait_until_idle

pytestmark = pytest.mark.e2e

MOVING = "**/moving/**"


def asked_for(request):
    return int(parse_qs(urlsplit(request.url).query).get("d_k", ["64"])[0])


def answer_late(page, route):
    """Let a held request continue, and wait until the page has handled the answer."""
    with page.expect_response(MOVING) as answered:
        route.continue_()
    answered.value.finished()
    wait_until_idle(page)


def test_a_drag_requests_one_picture_at_a_time_and_ends_at_the_last(page, server):
    open_page(page, server, "score_variance")
    waiting, asked = [], []

    def hold(route):
        asked.append(asked_for(route.request))
        waiting.append(route)

    page.route(MOVING, hold)
    drag(page, [0.52, 0.56, 0.6, 0.64, 0.68])
    assert len(asked) == 1  # the other moves wait for its answer
    for _ in range(600):
        while waiting:
            waiting.pop().continue_()
        page.wait_for_timeout(50)
        if len(asked) > 1 and shown(page) == asked[-1]:
            break
    assert len(asked) == 2
    assert asked[0] < asked[1] == shown(page)
    page.mouse.up()
    page.wait_for_function("() => location.search.includes('d_k=')")
    wait_until_idle(page)
    assert query_parameters(page) == {"d_k": str(asked[1])}


@pytest.mark.walk
def test_a_paused_drag_shows_the_picture_at_the_thumb(page, server):
    open_page(page, server, "score_variance")
    for last in (0.6, 0.7, 0.8, 0.7):  # some of these moves come while a picture is being drawn
        drag(page, [0.52, last - 0.02, last], pause=20)
        there = slider(page, "d_k").get_attribute("aria-valuetext").removeprefix("d_k = ").replace(",", "")
        page.wait_for_function(f"there => document.querySelector('{MAIN}').dataset.value === there", arg=there)
        page.mouse.up()
        wait_until_idle(page)


def test_an_answer_that_comes_after_the_release_is_not_drawn(page, server):
    open_page(page, server, "score_variance")
    waiting = []
    page.route(MOVING, lambda route: waiting.append(route))
    drag(page, [0.52, 0.7])
    page.mouse.up()
    page.wait_for_function("() => location.search.includes('d_k=')")
    wait_until_idle(page)
    d_k = int(query_parameters(page)["d_k"])
    late, last = waiting  # the second is requested when the run has named it
    assert asked_for(late.request) != d_k == asked_for(last.request)
    answer_late(page, last)
    page.wait_for_function(f"there => document.querySelector('{MAIN}').dataset.value === there", arg=str(d_k))
    answer_late(page, late)
    assert shown(page) == d_k


def test_a_drag_back_to_its_start_restores_the_picture(page, server):
    open_page(page, server, "score_variance")
    drag(page, [0.6])
    page.wait_for_function("() => document.querySelector('[data-picture][data-value]').dataset.value !== '64'")
    waiting = []
    page.route(MOVING, lambda route: waiting.append(route))
    move(page, [0.7, 22 / 48])  # stop 22 of 48 is 64
    page.mouse.up()
    page.wait_for_function(LET_GO)
    assert page.evaluate("({value: lab.hands.d_k.value, held: lab.hands.d_k.held})") == {"value": 64, "held": False}
    (late,) = waiting
    answer_late(page, late)
    assert slider(page, "d_k").get_attribute("aria-valuetext") == "d_k = 64"
    assert (shown(page), query_parameters(page)) == (64, {})


@pytest.mark.walk
def test_picture_is_drawn_on_release_if_requests_in_the_drag_fail(page, server, problems):
    open_page(page, server, "score_variance")
    page.route(MOVING, lambda route: route.abort())
    drag(page, [0.52, 0.6, 0.7])
    assert shown(page) == 64
    page.mouse.up()
    page.wait_for_function("() => location.search.includes('d_k=')")
    wait_until_idle(page)
    assert shown(page) == int(query_parameters(page)["d_k"]) > 64
    assert all("/moving/" in each for each in problems)
    problems.clear()  # the aborted requests


def test_keys_move_the_picture_at_once_and_the_address_after_a_pause(page, server):
    open_page(page, server, "gradient_flow")
    press(slider(page, "d_k"), "ArrowRight", "ArrowRight", "ArrowRight")
    wait_for_address(page, d_k="88")
    assert shown(page) == 88
    go_to(page, LESSONS["score_variance"])
    assert shown(page) == 88
    page.go_back()
    wait_until_idle(page)
    assert (shown(page), query_parameters(page)) == (88, {"d_k": "88"})


# Record the key of each picture that Plotly draws.
WATCH_PAINTING = """() => {
  const react = Plotly.react;
  window.painted = [];
  Plotly.react = (plot, ...figure) => {
    window.painted.push(plot.closest('[data-picture]').dataset.key);
    return react(plot, ...figure);
  };
}"""


def test_a_key_press_draws_its_picture_once(page, server):
    open_page(page, server, "softmax_saturation", step="too_flat")
    page.evaluate(WATCH_PAINTING)
    press(slider(page, "d_k"), "ArrowRight")
    wait_for_address(page, d_k="72")
    assert page.evaluate("painted") == ["token_outputs"]


@pytest.mark.matrix
def test_the_slider_follows_a_finger(new_page, server):
    page = new_page(390, 844, has_touch=True, is_mobile=True)
    open_page(page, server, "softmax_saturation", step="too_flat")
    box = page.locator(SLIDER).bounding_box()
    touch = page.context.new_cdp_session(page)

    def send(kind, share=None):
        y = box["y"] + box["height"] / 2
        points = [] if share is None else [{"x": box["x"] + box["width"] * share, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", 27 / 48)
    for step in range(8):
        send("touchMove", 27 / 48 + 0.04 * (step + 1))
        page.wait_for_timeout(60)
    page.wait_for_function("() => document.querySelector('[data-picture][data-value]').dataset.value !== '64'")
    send("touchEnd")
    page.wait_for_function("() => location.search.includes('d_k=')")
    wait_until_idle(page)
    assert shown(page) == int(query_parameters(page)["d_k"])


def test_focus_ring_of_the_slider_is_visible_and_covers_no_number(page, server):
    page.goto(f"{server.url}/score_variance")
    track, numbers = page.locator("[data-slider] .track"), page.locator("[data-slider] .ticks span")
    numbers.first.wait_for()
    boxes = [each.bounding_box() for each in numbers.all()]
    before = track.screenshot(), [page.screenshot(clip=box) for box in boxes]
    for key in ("ArrowRight", "ArrowLeft"):
        page.locator("[data-slider] input").press(key)
    page.locator("[data-picture][data-value='64']").wait_for()
    assert page.locator("[data-slider] input").evaluate("input => input.matches(':focus-visible')")
    assert track.screenshot() != before[0]
    assert [page.screenshot(clip=box) for box in boxes] == before[1]
