"""Scripts of the page without a server: names of boxes, history, keyboard, bets, clicks on matrices, a class."""

import pytest

from pages._view.live import text_of

pytestmark = pytest.mark.e2e

FRAME = {"bundle": "none.js", "session": "s", "question": "Why?", "own": ["room"], "asksForWall": False}
FRAME |= {"small": False, "wall": 1024}
ADD = "html => document.querySelector('[data-testid=stVerticalBlock]').insertAdjacentHTML('beforeend', html)"


# --- boxes ----------------------------------------------------------------------------------------------

STAGE = """<div data-testid="stLayoutWrapper" id="outer"><div class="st-key-stage x"><b data-slider></b></div></div>"""


def test_boxes_are_named_by_their_content_before_the_next_paint(mount):
    page = mount("frame", FRAME)
    page.evaluate(ADD, STAGE)
    box = "() => new Promise(done => queueMicrotask(() => done({...document.getElementById('outer').dataset})))"
    found = page.evaluate(box)
    assert (set(found["holds"].split()), found["around"]) == ({"control", "slider", "stage"}, "stage")
    page.evaluate("() => document.querySelector('.st-key-stage').remove()")
    assert page.evaluate(box) == {"testid": "stLayoutWrapper", "around": ""}


def test_change_inside_a_slider_starts_no_search_for_boxes(mount):
    page = mount("frame", FRAME)
    page.evaluate(ADD, STAGE)
    page.evaluate(
        """async () => {
          window.asked = 0;
          const find = document.querySelectorAll;
          document.querySelectorAll = function (selector) { asked += 1; return find.call(this, selector); };
          document.querySelector('[data-slider]').append(document.createElement('i'));
          await new Promise(requestAnimationFrame);
        }"""
    )
    assert page.evaluate("() => asked") == 0


# --- the frame ------------------------------------------------------------------------------------------


def test_history_gets_one_entry_per_page_and_per_step(mount):
    page = mount("frame", FRAME)
    push = "address => { history.pushState(null, '', address); return [history.length, location.search]; }"
    before = page.evaluate("() => history.length")
    assert page.evaluate(push, "?d_k=65") == [before, "?d_k=65"]
    assert page.evaluate(push, "?step=2") == [before, "?step=2"]  # no entry before the visitor does something
    page.keyboard.press("a")
    assert page.evaluate(push, "?step=3") == [before + 1, "?step=3"]
    assert page.evaluate(push, "?step=3&d_k=4") == [before + 1, "?step=3&d_k=4"]
    assert page.evaluate(push, "/other?d_k=4")[0] == before + 2


def test_push_state_without_an_address_adds_no_history_entry(mount):
    page = mount("frame", FRAME)
    before = page.evaluate("() => [history.length, location.href]")
    page.evaluate("() => history.pushState({n: 1}, '')")
    assert page.evaluate("() => [history.length, location.href]") == before


def test_title_of_a_new_page_gets_the_focus(mount):
    page = mount("frame", FRAME)
    page.evaluate(ADD, "<h1>And how?</h1>")
    assert page.evaluate("() => document.activeElement.tagName") == "BODY"
    mount(None, FRAME | {"question": "And how?"})
    assert page.evaluate("() => document.activeElement.textContent") == "And how?"


WAY = """<nav data-way><a rel="prev" href="?step=a" data-step="a">←</a>
<ol><li><a href="?step=a" data-step="a"></a></li><li><a href="?step=b" data-step="b"></a></li>
<li><a href="?step=c" data-step="c"></a></li><li><a href="?step=d" data-step="d"></a></li></ol>
<a rel="next" href="?step=c" data-step="c">Next →</a></nav>
<p class="line">Here.</p>"""


@pytest.fixture
def way(mount, alone):
    """Return a page at the second of four linked steps; its `turned()` lists the steps requested so far."""
    alone.evaluate(ADD, WAY)
    page = mount("frame", FRAME | {"line": "Here."})
    page.evaluate("() => { window.turned = () => told.filter(([name]) => name === 'step').map(each => each[1]); }")
    page.evaluate("() => history.replaceState(null, '', '?step=b')")
    return page


def test_a_step_link_requests_its_step_without_loading_a_page(way):
    way.evaluate("() => { window.same = true; }")
    way.locator("[data-way] li a").last.dispatch_event("click")
    way.wait_for_function("() => turned().length")
    assert way.evaluate("() => [turned(), same]") == [["d"], True]


def test_a_second_click_on_next_goes_one_step_further(way):
    for _ in range(2):
        way.get_by_text("Next →").click()
    assert way.evaluate("() => turned()") == ["c", "d"]


def test_back_cancels_a_step_that_is_still_loading(way):
    way.evaluate("() => { document.querySelector('.stApp, [data-testid=stApp]').dataset.testScriptState = 'running'; }")
    way.get_by_text("Next →").click()
    way.evaluate("() => window.dispatchEvent(new PopStateEvent('popstate'))")
    way.evaluate("() => { document.querySelector('[data-testid=stApp]').dataset.testScriptState = 'notRunning'; }")
    way.wait_for_timeout(500)
    assert way.evaluate("() => turned()") == []


def test_line_of_a_new_step_gets_the_focus(way, mount):
    way.locator("[data-way] li a").last.dispatch_event("click")
    way.evaluate("() => { document.querySelector('p.line').textContent = 'There.'; }")
    mount(None, FRAME | {"line": "There."})
    assert way.evaluate("() => document.activeElement.textContent") == "There."


def test_a_new_step_scrolls_to_the_top_and_back_does_not_scroll(way, mount):
    way.evaluate(ADD, '<div style="height: 2000px"></div>')
    scrolled = []
    for text, turned in (("There.", True), ("Here.", False)):
        way.evaluate("() => { document.querySelector('[data-testid=stMain]').scrollTop = 300; }")
        if turned:
            way.locator("[data-way] li a").last.dispatch_event("click")
        way.evaluate("text => { document.querySelector('p.line').textContent = text; }", text)
        mount(None, FRAME | {"line": text})
        scrolled.append(way.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop"))
    assert scrolled == [0, 300]


def test_a_wall_in_a_small_window_is_reported_to_the_server(mount):
    page = mount("frame", FRAME | {"asksForWall": True})
    assert page.evaluate("() => [told, lab.page.fits()]") == [[["window", "small"]], False]
    mount(None, FRAME | {"asksForWall": True, "small": True})
    assert page.evaluate("() => [told.length, lab.page.fits()]") == [1, True]


# --- keys -----------------------------------------------------------------------------------------------

BUTTONS = """<div class="st-key-turn_right"><button>Next</button></div>
<a href="#" data-reveal data-sets="reveal=1">Reveal</a><div class="st-key-lesson_after"><a href="#">After</a></div>
<input id="typed">"""
PRESSED = """() => {
  window.pressed = [];
  for (const each of document.querySelectorAll('button, a')) each.onclick = () => pressed.push(each.textContent);
}"""


def test_page_down_presses_next_then_reveal_then_opens_the_next_lesson(mount):
    page = mount("keys", {"lesson": "start"}, text_of("keys.html"))
    page.evaluate(ADD, BUTTONS)
    page.evaluate(PRESSED)
    page.keyboard.press("PageDown")
    page.evaluate("() => { document.querySelector('.st-key-turn_right button').disabled = true; }")
    page.keyboard.press("PageDown")
    assert page.evaluate("() => pressed") == ["Next", "Reveal"]
    # From here on, the Reveal button hides the answer.
    page.evaluate("() => Object.assign(document.querySelector('[data-reveal]').dataset, { sets: 'reveal=' })")
    page.evaluate(PRESSED.replace("window.pressed = [];", ""))
    for _ in range(2):
        page.keyboard.press("PageDown")  # two presses open one lesson
    assert page.evaluate("() => pressed") == ["Next", "Reveal", "After"]
    page.locator("#typed").press("PageDown")
    mount(None, {"lesson": "next"})
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("PageDown")
    assert page.evaluate("() => pressed") == ["Next", "Reveal", "After", "After"]


def test_page_keys_follow_the_step_links_before_the_next_lesson(mount):
    page = mount("keys", {"lesson": "start"}, text_of("keys.html"))
    page.evaluate(ADD, WAY.replace('href="', 'href="#'))
    page.evaluate(ADD, BUTTONS.partition("</div>")[2].replace("reveal=1", "reveal="))  # already revealed
    page.evaluate(PRESSED)
    page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")
    page.evaluate("() => document.querySelector('[data-way] a[rel=next]').remove()")  # at the last step
    page.keyboard.press("PageDown")
    assert page.evaluate("() => pressed") == ["Next →", "←", "After"]


def test_black_screen_ignores_page_keys_and_ends_with_escape(mount):
    page = mount("keys", {"lesson": "start"}, text_of("keys.html"))
    page.evaluate(ADD, BUTTONS)
    page.evaluate(PRESSED)
    page.keyboard.press("b")
    page.keyboard.press("PageDown")
    assert page.locator("[data-blank]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("[data-blank]").count() == 0
    assert page.evaluate("() => pressed") == []


def test_arrows_move_the_large_slider_and_space_plays_it(mount):
    page = mount("keys", {"lesson": "start"}, text_of("keys.html"))
    page.evaluate(
        """() => {
          window.done = [];
          const hand = (name, large) => ({large, dial: {
            step: by => done.push([name, by]), plays: () => true, play: () => done.push(name)}});
          lab.hands = {rate: hand('rate', false), d_k: hand('d_k', true)};
        }"""
    )
    for key in ("ArrowUp", "ArrowDown", " "):
        page.keyboard.press(key)
    assert page.evaluate("() => done") == [["d_k", 1], ["d_k", -1], "d_k"]


# --- bets and tries -------------------------------------------------------------------------------------

STAGE_FORM = """<form class="bet" data-bet action="bet/start"><label><output>?</output>
<input type="range" name="guess" min="0" max="100" step="5" value="50" data-suffix=" %"></label>
<button disabled>Place my bet</button></form>
<a class="go" data-try="all" data-sets="rate=0.5&amp;guess=" href="#">Try it</a>"""


def test_bet_cannot_be_placed_before_the_marker_is_moved(mount, alone):
    alone.evaluate(ADD, STAGE_FORM)
    page = mount("frame", FRAME)
    button = page.get_by_role("button", name="Place my bet")
    assert button.is_disabled()
    page.locator("[data-bet] input").press("ArrowRight")
    assert (button.is_enabled(), page.locator("output").inner_text()) == (True, "55 %")
    button.click()
    assert page.evaluate("() => told.filter(([name]) => name === 'bet')") == [["bet", "55"]]


def test_a_try_sends_its_settings_and_keeps_the_focus(mount, alone):
    alone.evaluate(ADD, STAGE_FORM)
    page = mount("frame", FRAME)
    page.get_by_text("Try it").press("Enter")
    assert page.evaluate("() => told.filter(([name]) => name === 'sets')") == [["sets", "rate=0.5&guess="]]
    page.evaluate("() => { const link = document.querySelector('.go'); link.outerHTML = link.outerHTML; }")
    page.wait_for_function("() => document.activeElement.dataset.try === 'all'")


def test_a_bet_on_a_curve_sends_the_drawn_heights(mount, alone):
    alone.evaluate(ADD, STAGE_FORM.replace("data-bet ", "data-bet data-draws "))
    page = mount("frame", FRAME)
    page.evaluate("() => { lab.drawn = [1, 2, 3]; document.querySelector('[data-draws] button').disabled = false; }")
    page.get_by_role("button", name="Place my bet").click()
    assert page.evaluate("() => told.filter(([name]) => name === 'bet')") == [["bet", "1-2-3"]]


def test_a_try_without_a_session_opens_its_address(load, alone):
    alone.evaluate(ADD, STAGE_FORM.replace('data-sets="', 'data-sets="d_k=&amp;'))
    load("bet.js", names=["hearStage"]).evaluate("() => script.hearStage()")
    alone.get_by_text("Try it").click()
    alone.wait_for_url("**/lesson?room=ABC&rate=0.5")


# --- a matrix -------------------------------------------------------------------------------------------

MATRIX = """<div data-picture data-key="matrix_scores"><div class="js-plotly-plot">
<div class="nsewdrag" data-subplot="x2y2" style="width: 400px; height: 300px"></div></div></div>"""
PLOT = """() => Object.assign(document.querySelector('.js-plotly-plot'), {
  data: [{name: 'Q', xaxis: 'x', yaxis: 'y'}, {name: 'K', xaxis: 'x2', yaxis: 'y2'}],
  layout: {xaxis2: {range: [-0.5, 3.5]}, yaxis2: {range: [2.5, -0.5]}},
})"""


def test_a_click_on_a_matrix_sends_chart_row_and_column(mount, alone):
    alone.evaluate(ADD, MATRIX)
    alone.evaluate(PLOT)
    page = mount("cells", {})
    area = page.locator(".nsewdrag")
    area.click(position={"x": 350, "y": 250})
    said = ["cell", {"chart": "K", "line": 2, "place": 3}]
    assert page.evaluate("() => told") == [said]
    box = area.bounding_box()
    page.mouse.move(box["x"] + 50, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 150, box["y"] + 50)
    page.mouse.up()
    assert page.evaluate("() => told") == [said]  # a drag is not a click


# --- a class --------------------------------------------------------------------------------------------

WALL = {"mark": "m1", "count": "2 phones are here.", "code": "ABC", "join": "/j/ABC", "door": "/j", "state": "state"}
WALL |= {"lead": "", "drawn": "code"}


def test_wall_updates_its_count_and_reports_a_change_once(mount, hurried):
    state = {"mark": "m1", "count": "2 phones are here."}
    hurried.answers["state"] = lambda _: state
    page = mount("wall", WALL, text_of("wall.html"))
    assert page.locator(".room-count").inner_text() == "2 phones are here."
    state["count"] = "3 phones are here."
    page.get_by_text("3 phones are here.").wait_for()
    assert page.evaluate("() => told") == []
    state |= {"mark": "m2", "count": "4 phones are here."}
    page.wait_for_function("() => told.length")
    page.wait_for_timeout(150)  # time for another poll
    assert page.evaluate("() => told") == [["changed", "m2"]]


ROOM = """<main data-news="news" data-mark="1" data-asked="bet"><p>1 of 9</p><form><input name="guess"></form>
<form><input name="name" placeholder="Name"></form></main>
<p id="away" hidden></p>"""


def test_phone_keeps_typed_text_when_its_page_is_updated(hurried):
    texts = [ROOM.replace("1 of 9", "5 of 9").replace('data-mark="1"', 'data-mark="2"').replace("Name", "Your name")]
    hurried.evaluate("html => { document.body.innerHTML = html; }", ROOM)
    hurried.evaluate("text => { window.fetch = async () => ({status: 200, text: async () => text}); }", texts[0])
    hurried.locator("[name=name]").fill("Ada")
    hurried.locator("[name=guess]").fill("0.5")
    hurried.add_script_tag(content=text_of("../server/room.js"))
    hurried.get_by_text("5 of 9").wait_for()
    assert hurried.evaluate("() => [...document.querySelectorAll('input')].map(each => each.value)") == ["0.5", "Ada"]
    assert hurried.evaluate("() => [document.querySelector('main').dataset.mark, document.activeElement.name]") == [
        "2",
        "guess",
    ]
