"""The hero and its slider: they redraw during a drag and report to Python on release."""

import math
import re
from itertools import pairwise

import dashboard
import numpy as np
import pytest
from harness import open_page, query_parameters, wait_until_idle
from sampling import sampled

from pages._view.lessons.start.work import SAMPLES
from sattn_core import dimension_sweep, effective_keys, softmax

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

RAW, SCALED = "[data-part=raw]", "[data-part=scaled]"
SILENCE = 300  # ms without a key before the hero reports to Python
STEP = 550  # ms a stop stays while playing

# Record the state of the screen after every input event (this listener runs after the hero's).
RECORD = """hero => {
  const slider = document.querySelector('.st-key-dimension input'), seen = window.heroSeen = [];
  slider.addEventListener('input', () => seen.push({
    value: slider.getAttribute('aria-valuetext'),
    title: document.querySelector('.st-key-dimension .value').textContent,
    sentence: hero.querySelector('.sentence').textContent,
    raw: hero.querySelector('[data-part=raw] .fill').getAttribute('d'),
  }));
}"""


@pytest.fixture
def hero(page, server):
    """Return the hero's slider on a new start page, at d_k = 64."""
    open_page(page, server)
    return page.locator(dashboard.SLIDER)


def value(hero):
    return hero.get_attribute("aria-valuetext")


def path(page, part, mark="fill"):
    return page.locator(f"{part} path.{mark}").get_attribute("d")


def numbers(d):
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", d)]


def ruler_width(page, part):
    """Return the width of a ruler, whose path is `M left top V … M left … H right …`."""
    d = path(page, part, "ruler")
    return float(re.search(r"H(-?[\d.]+)", d)[1]) - float(re.search(r"^M(-?[\d.]+)", d)[1])


def commit(page):
    """Wait until the hero has reported to Python and Python has answered."""
    page.wait_for_function(dashboard.LET_GO)
    wait_until_idle(page)


@pytest.fixture
def held(new_page, server):
    """Return a function that opens the start page with a stopped clock, which the test advances."""

    def open_held(watch=lambda page: None, **options):
        page = new_page(alone=True, **options)
        page.clock.install()
        watched = watch(page)
        open_page(page, server)
        page.clock.pause_at(page.evaluate("() => Date.now()") / 1000 + 1)
        return page, watched

    return open_held


# --- moving it -----------------------------------------------------------------------------------------


def test_a_drag_redraws_at_every_stop_and_reports_only_on_release(held):
    page, sent = held(dashboard.messages_to_server)
    hero = page.locator(dashboard.SLIDER)
    page.locator("[data-hero]").evaluate(RECORD)
    box = hero.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 27 / 48, middle)
    page.mouse.down()
    before = len(sent)
    for step in range(24):
        page.mouse.move(box["x"] + box["width"] * (0.52 + step * 0.018), middle)
        page.wait_for_timeout(20)  # the browser merges movements that follow each other faster
    page.clock.run_for(2 * SILENCE)  # the pause after which keys report must not end a drag
    assert len(sent) == before
    seen = page.evaluate("() => window.heroSeen")
    assert len(seen) >= 15
    for earlier, later in pairwise(seen):
        assert later["value"] == later["title"].replace("dₖ", "d_k") != earlier["value"]
        assert all(later[name] != earlier[name] for name in ("sentence", "raw"))
    assert seen[-1]["sentence"].startswith(f"At {seen[-1]['title']}, ")
    assert query_parameters(page) == {}
    page.clock.resume()
    page.mouse.up()
    page.wait_for_function("() => location.search.includes('d_k=')")
    wait_until_idle(page)
    assert len(sent) > before
    d_k = seen[-1]["value"].removeprefix("d_k = ")
    assert query_parameters(page) == {"d_k": d_k}
    assert value(hero) == f"d_k = {d_k}"
    dashboard.go_to(page, dashboard.LESSONS["score_variance"])
    assert dashboard.lesson_state(page)["d_k"] == d_k
    assert f"At dₖ = {d_k}," in dashboard.sentences(page)[0]


def test_keys_move_the_hero_at_once_and_report_after_a_pause(held):
    page, sent = held(dashboard.messages_to_server)
    hero = page.locator(dashboard.SLIDER)
    before = len(sent)
    for key, d_k in (
        ("ArrowRight", "72"),
        ("ArrowUp", "80"),
        ("ArrowLeft", "72"),
        ("Home", "1"),
        ("End", "1,024"),
        ("PageDown", None),
        ("PageUp", "1,024"),
        ("ArrowDown", "896"),
    ):
        hero.press(key)
        assert d_k is None or value(hero) == f"d_k = {d_k}"
        assert page.locator(dashboard.HERO_SENTENCE).inner_text().startswith(f"At {value(hero)}".replace("d_k", "dₖ"))
    page.clock.run_for(SILENCE - 1)
    assert len(sent) == before
    page.clock.resume()
    page.wait_for_function("() => location.search === '?d_k=896'")
    wait_until_idle(page)
    assert len(sent) == before + 1
    assert query_parameters(page) == {"d_k": "896"}


def test_a_key_pressed_before_python_answers_is_not_lost(page, hero):
    hero.press("ArrowRight")
    for pause in (0, 50, 100):
        page.wait_for_function(dashboard.LET_GO)
        page.wait_for_timeout(pause)
        hero.press("ArrowRight")
    commit(page)
    assert value(hero) == "d_k = 96"
    page.wait_for_function("() => location.search === '?d_k=96'")


def test_answer_from_python_redraws_nothing(page, hero):
    hero.press("ArrowRight")
    page.locator("[data-hero]").evaluate(
        """hero => new MutationObserver(records => { window.drawnAgain = (window.drawnAgain || 0) + records.length; })
        .observe(hero.querySelector('.panels'), {subtree: true, childList: true,
        attributes: true, characterData: true})"""
    )
    commit(page)
    page.wait_for_function("() => location.search === '?d_k=72'")
    assert page.evaluate("() => window.drawnAgain || 0") == 0
    hero.press("ArrowRight")
    assert page.evaluate("() => window.drawnAgain") > 4
    commit(page)


@pytest.mark.matrix
def test_slider_of_the_hero_follows_a_finger(new_page, server):
    page = new_page(390, 844, has_touch=True, is_mobile=True)
    sent = dashboard.messages_to_server(page)
    open_page(page, server)
    hero = page.locator(dashboard.SLIDER)
    page.locator("[data-hero]").evaluate(RECORD)
    hero.scroll_into_view_if_needed()
    box = hero.bounding_box()
    y = box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)

    def send(kind, share=None):
        points = [] if share is None else [{"x": box["x"] + box["width"] * share, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    assert page.evaluate("() => window.innerWidth") == 390
    send("touchStart", 27 / 48)
    before = len(sent)
    for step in range(8):
        send("touchMove", 27 / 48 + 0.04 * (step + 1))
    page.wait_for_function("() => new Set(window.heroSeen.map(each => each.sentence)).size >= 6")
    seen = page.evaluate("() => window.heroSeen")
    assert len(sent) == before
    send("touchEnd")
    page.wait_for_function("() => location.search.includes('d_k=')")
    wait_until_idle(page)
    assert f"d_k = {query_parameters(page)['d_k']}" == value(hero) == seen[-1]["value"]
    page.touchscreen.tap(box["x"] + 2, y)
    page.wait_for_function("() => ['1', '2'].includes(new URLSearchParams(location.search).get('d_k'))")
    assert value(hero) in ("d_k = 1", "d_k = 2")
    wait_until_idle(page)


def test_hero_takes_d_k_from_the_address_and_from_another_lesson(page, server):
    open_page(page, server, d_k=111)
    hero = page.locator(dashboard.SLIDER)
    assert value(hero) == "d_k = 111"
    assert page.locator(".st-key-dimension .value").inner_text() == "dₖ = 111"
    dashboard.go_to(page, dashboard.LESSONS["score_variance"])
    dashboard.press(page.locator(dashboard.SLIDER), "ArrowRight", "ArrowRight")
    dashboard.wait_for_address(page, d_k="128")
    dashboard.go_to(page, dashboard.LESSONS[""])
    assert value(hero) == "d_k = 128"
    assert dashboard.sentences(page)[0].startswith("At dₖ = 128, ")


# --- playing -------------------------------------------------------------------------------------------

PLAYED = """slider => {
  const seen = window.played = [{value: slider.getAttribute('aria-valuetext')}];
  new MutationObserver(() => {
    const value = slider.getAttribute('aria-valuetext');
    if (value !== seen.at(-1).value) seen.push({value});
  }).observe(slider, {attributes: true, attributeFilter: ['aria-valuetext']});
}"""


def play_button(page):
    return page.locator(".st-key-dimension .play")


def played(page):
    return page.evaluate("() => window.played")


def test_an_answer_to_an_earlier_move_does_not_move_the_slider_back(hero, page):
    page.evaluate("""() => {
      const { dial } = document.querySelector('[data-slider]'), receive = dial.receive;
      window.answers = [];
      dial.receive = answer => window.answers.push(answer);
      window.hear = i => receive(window.answers[i]);
    }""")
    for answers, key in enumerate(("End", "Home"), 1):
        dashboard.press(hero, key)
        page.wait_for_function("answers => window.answers.length === answers", arg=answers)
    page.evaluate("() => window.hear(0)")
    assert value(hero) == "d_k = 1"
    page.evaluate("() => window.hear(1)")
    assert value(hero) == "d_k = 1"
    page.evaluate("() => window.hear(0)")  # no answer is awaited: the slider takes values from Python
    assert value(hero) == "d_k = 1,024"


def test_play_runs_through_the_stops_until_the_end_or_a_pause(held):
    page, _ = held()
    hero, button = page.locator(dashboard.SLIDER), play_button(page)
    for key in ("End", *["ArrowLeft"] * 3):
        hero.press(key)
    page.clock.run_for(SILENCE)
    hero.evaluate(PLAYED)
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert button.get_attribute("aria-label") == "Pause"
    page.clock.run_for(6 * STEP)
    assert [each["value"] for each in played(page)] == ["d_k = 704", "d_k = 768", "d_k = 896", "d_k = 1,024"]
    assert button.get_attribute("aria-pressed") == "false"
    assert button.get_attribute("aria-label") == "Play"
    button.click()  # starts again from the first stop
    page.clock.run_for(2.5 * STEP)
    button.click()
    page.clock.run_for(2 * STEP)
    assert value(hero) == "d_k = 3"
    page.clock.resume()
    page.wait_for_function("() => location.search === '?d_k=3'")
    wait_until_idle(page)
    assert value(hero) == "d_k = 3"


SIGN = "each => { const {clipPath, width} = getComputedStyle(each, '::before'); return [clipPath, width]; }"


def test_play_and_pause_signs_are_shapes_of_equal_width(held):
    page, _ = held()
    button = play_button(page)
    play = button.evaluate(SIGN)
    button.click()
    pause = button.evaluate(SIGN)
    button.click()
    assert (button.text_content(), play[1], pause[1]) == ("", "14px", "14px")
    assert "none" not in (play[0], pause[0])
    assert play[0] != pause[0]
    page.clock.resume()


@pytest.mark.matrix
def test_reduced_motion_plays_slower_and_without_transitions(held):
    page, _ = held(reduced_motion="reduce")
    page.locator(dashboard.SLIDER).evaluate(PLAYED)
    play_button(page).click()
    page.clock.run_for(1.6 * STEP)
    assert len(played(page)) == 1
    page.clock.run_for(1.6 * STEP)
    assert len(played(page)) == 2
    play_button(page).click()
    page.clock.resume()
    moving = page.evaluate("""() => [...document.querySelectorAll('.stApp *'),
         ...document.querySelector('[data-hero]')?.querySelectorAll('*') ?? []].filter(element => {
           const style = getComputedStyle(element);
           return style.transitionDuration.split(', ').some(time => parseFloat(time) > 0);
         }).length""")
    assert moving == 0
    commit(page)


def test_nothing_on_the_start_page_moves_by_itself(held):
    page, sent = held(dashboard.messages_to_server)
    before = len(sent)
    first = page.screenshot()
    page.clock.run_for(4 * STEP)
    assert page.screenshot() == first
    assert page.evaluate("() => document.getAnimations().filter(each => each.playState === 'running').length") == 0
    assert len(sent) == before


# --- its picture -----------------------------------------------------------------------------------------


def test_raw_ruler_grows_as_sqrt_d_k_and_scaled_ruler_stays_the_same(page, server):
    raw, scaled = {}, {}
    open_page(page, server, d_k=4)
    for d_k, key in ((4, None), (1024, "End"), (1, "Home")):
        if key:
            page.locator(dashboard.SLIDER).press(key)
        raw[d_k], scaled[d_k] = ruler_width(page, RAW), ruler_width(page, SCALED)
    assert raw[1024] == pytest.approx(math.sqrt(1024 / 4) * raw[4], rel=1e-6)
    assert raw[4] == pytest.approx(math.sqrt(4) * raw[1], rel=1e-6)
    assert scaled[1] == scaled[4] == scaled[1024] == raw[1]
    commit(page)


def test_typing_a_value_does_not_send_the_data_of_all_stops_again(page, server):
    received = dashboard.messages_to_browser(page)
    open_page(page, server)
    stops = max(map(len, received))
    received.clear()
    page.locator(dashboard.SETTINGS).click()
    dashboard.typed_dimension(page).fill("65")
    dashboard.typed_dimension(page).press("Enter")
    page.locator(dashboard.HERO_SENTENCE, has_text="At dₖ = 65, ").wait_for()
    wait_until_idle(page)
    assert max(map(len, received)) < stops / 4  # Streamlit sends each element in its own message


def expected(d_k, n_keys, law, seed):
    """Return the core's values of the numbers on the screen, from a sweep over this d_k alone."""
    sweep = dimension_sweep((d_k,), n_samples=SAMPLES[law], n_keys=n_keys, law=law, seed=seed)
    row = sweep.row_scores[0]
    scaled = row / np.sqrt(d_k)
    return {
        "std": [math.sqrt(sweep.raw_variance[0]), math.sqrt(sweep.scaled_variance[0])],
        "max": [100 * softmax(row).max(), 100 * softmax(scaled).max()],
        "keys": [float(effective_keys(row)), float(effective_keys(scaled))],
        "counts": sweep.scaled_counts[0],
        "weights": softmax(row),
    }


@pytest.mark.parametrize(("d_k", "n_keys", "law", "seed"), sampled([(300, 32, "uniform", 3), (1, 4, "rademacher", 9)]))
def test_numbers_on_the_start_page_equal_those_of_the_core(page, server, d_k, n_keys, law, seed):
    open_page(page, server, d_k=d_k, n_keys=n_keys, law=law, seed=seed)
    core = expected(d_k, n_keys, law, seed)
    brackets = [page.locator(f"[data-part={part}] .at").text_content() for part in ("raw", "scaled")]
    assert [float(said.removeprefix("± ")) for said in brackets] == pytest.approx(core["std"], abs=0.051)
    assert re.match(f"At dₖ = {d_k},? ", dashboard.sentences(page)[0])
    page.locator(dashboard.EXPANDERS, has_text="How sure?").click()
    wait_until_idle(page)
    text = page.locator(".st-key-start_sure").inner_text()
    assert f"draw of its {n_keys} keys" in text
    shares = re.findall(r"the largest is ([\d.]+) %", text)
    assert [float(each) for each in shares] == pytest.approx(core["max"], rel=0.0051)  # three digits
    keys = re.findall(r"and ([\d.]+) keys are in effective use", text)
    assert [float(each) for each in keys] == pytest.approx(core["keys"], rel=0.0051)  # three digits
    rows = [row.locator("td").all_inner_texts() for row in page.locator(".st-key-start_sure tbody tr").all()]
    measured = [float(cells[-3].split(" ± ")[0]) for cells in rows]
    assert measured == pytest.approx(core["std"], rel=0.0051)  # three digits
    assert [float(cells[-4]) for cells in rows] == pytest.approx([math.sqrt(d_k), 1], rel=0.005)


def test_a_try_moves_the_hero_and_changes_the_address(page, hero):
    dashboard.press(hero, "ArrowRight")
    page.locator(".stApp [data-try=large_dimension]").click()
    page.wait_for_function("d_k => new URL(location.href).searchParams.get('d_k') === d_k", arg="1024")
    wait_until_idle(page)
    assert value(hero) == "d_k = 1,024"
    assert re.match("At dₖ = 1,024,? ", dashboard.sentences(page)[0])
    dashboard.press(hero, "Home")  # at d_k = 1 raw and scaled scores are equal
    page.wait_for_function("() => new URL(location.href).searchParams.get('d_k') === '1'")
    wait_until_idle(page)
    assert path(page, "[data-part=raw-weights]") == path(page, "[data-part=scaled-weights]")
    assert path(page, RAW) == path(page, SCALED)
    assert page.locator(f"{RAW} .halo").all_inner_texts() == page.locator(f"{SCALED} .halo").all_inner_texts()


def test_an_open_table_names_the_d_k_of_the_released_slider(page, hero):
    page.locator(dashboard.EXPANDERS, has_text="Data, picture and code").click()
    wait_until_idle(page)
    note = page.get_by_text("where the slider last came to rest.")
    assert note.inner_text() == "At dₖ = 64, where the slider last came to rest."
    hero.evaluate("slider => { slider.value = 0; slider.dispatchEvent(new Event('input')); }")  # not released yet
    assert value(hero) == "d_k = 1"
    assert note.inner_text().startswith("At dₖ = 64, ")
    hero.evaluate("slider => slider.dispatchEvent(new Event('change'))")
    page.get_by_text("At dₖ = 1, where the slider last came to rest.").wait_for()


def check_bars(page):
    """Check that the bars' heights equal the core's counts and weights."""
    core = expected(64, 16, "normal", 0)
    heights = numbers("".join(re.findall(r"V-?[\d.]+H", path(page, RAW))))
    bottom = numbers(path(page, RAW))[1]
    drawn = (bottom - np.array(heights)) / (bottom - min(heights))
    counts = core["counts"] / core["counts"].max()
    assert drawn == pytest.approx(counts, abs=0.002)
    tops = np.array([float(top) for top in re.findall(r"V(-?[\d.]+)H", path(page, "[data-part=raw-weights]"))])
    levels = page.locator("[data-part=raw-weights] .gridline").get_attribute("d")
    _, one, zero = (numbers(level)[1] for level in re.findall(r"M[^M]+", levels))
    assert (zero - tops) / (zero - one) == pytest.approx(core["weights"], abs=0.001)


def check_one_axis(page):
    """Check that both rows share one axis, whose numbers are below the second row."""
    assert ruler_width(page, RAW) == pytest.approx(8 * ruler_width(page, SCALED), rel=1e-6)
    assert "−100" in page.locator(f"{SCALED} svg text").all_text_contents()
    assert "−100" not in page.locator(f"{RAW} svg text").all_text_contents()


def check_page_keys(page, hero):
    """Check that PageDown moves the slider by at least four stops."""
    hero.press("PageUp")
    stops = int(hero.evaluate("slider => slider.valueAsNumber"))
    hero.press("PageDown")
    start = int(hero.evaluate("slider => slider.valueAsNumber"))
    assert stops - start >= 4
    commit(page)


def test_bars_and_shared_axis_are_right_and_page_keys_work(page, hero):
    check_bars(page)
    check_one_axis(page)
    check_page_keys(page, hero)
