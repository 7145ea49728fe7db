"""Scripts of the first HTML page: the stage before Streamlit, and the connection that reconnects by itself."""

import json

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages._view.live import PAPER, SLIDER, text_of
from pages._view.server import first

pytestmark = pytest.mark.e2e

# --- the stage ------------------------------------------------------------------------------------------

STOPS = {"name": "d_k", "page": "start", "stops": [16, 64, 256], "shown": ["16", "64", "256"], "label": "d_k"}
THUMB = {"value": 64, "ticks": [], "play": 0, "large": True, "usual": 64, **STOPS}
TOLD = {"slider": THUMB, "picture": None, "draws": False, "missing": "It is missing.", "code": "code"}
WAY = """<nav data-way><a href="?seed=3&amp;step=b" data-step="b">Next →</a>
<a href="other?seed=3&amp;step=a" data-lesson="other">Next lesson →</a></nav>"""
LESSON = '<h1>Why?</h1><div id="here"></div>'


@pytest.fixture
def stage(alone):
    """Return a page with the stage of a lesson, before Streamlit has drawn anything."""
    facts = f'<script type="application/json" id="lab-told">{json.dumps(TOLD)}</script>'
    platform = '<template id="lab-platform"></template>'
    html = f'<div id="lab-first">{WAY}{SLIDER}<p role="alert"></p>{PAPER}{platform}{facts}</div>'
    alone.evaluate("html => document.body.insertAdjacentHTML('afterbegin', html)", html)
    scripts = first._scripts().removeprefix("<script>").removesuffix("</script>")
    alone.add_script_tag(content=text_of("lab.js", "streamlit.js") + scripts)
    return alone


def draw_lesson(stage, mount, **heard):
    """Draw the lesson and its slider as Streamlit does."""
    stage.evaluate(
        "html => document.querySelector('[data-testid=stVerticalBlock]').insertAdjacentHTML('beforeend', html)", LESSON
    )
    stage.evaluate("() => { lab.page = {fits: () => true, own: []}; }")
    return mount("slider", THUMB | {"heard": None} | heard, SLIDER)


def test_a_move_without_a_session_changes_the_address(stage):
    stage.locator("input").press("ArrowRight")
    stage.wait_for_function("() => location.search.includes('d_k=256')")
    stage.locator("input").press("ArrowLeft")
    stage.wait_for_function("() => !location.search.includes('d_k')")  # the initial value is left out


def test_step_links_carry_the_value_of_the_slider_without_a_session(stage):
    stage.evaluate("() => history.replaceState(null, '', '?seed=3&step=a')")
    stage.locator("input").press("ArrowRight")
    stage.wait_for_function("() => location.search.includes('d_k=256')")
    stage.evaluate("() => addEventListener('click', event => event.preventDefault())")
    for link in stage.locator("[data-way] a").all():
        link.click()
    hrefs = stage.locator("[data-way] a").evaluate_all("all => all.map(each => each.href.split('/').at(-1))")
    assert hrefs == ["lesson?seed=3&step=b&d_k=256", "other?seed=3&step=a&d_k=256"]


def test_step_links_drop_parameters_that_only_the_address_has(stage):
    stage.evaluate("() => history.replaceState(null, '', '?seed=3&step=a&correlation=1')")
    stage.evaluate("() => addEventListener('click', event => event.preventDefault())")
    stage.get_by_text("Next →").click()
    assert stage.get_by_text("Next →").evaluate("link => link.href.split('/').at(-1)") == "lesson?seed=3&step=b"


def test_slider_keeps_value_and_focus_when_streamlit_takes_it_over(stage, mount):
    stage.evaluate("() => { window.thumb = document.querySelector('input'); thumb.focus(); }")
    stage.locator("input").press("ArrowRight")
    draw_lesson(stage, mount)
    stage.wait_for_function("() => !document.getElementById('lab-first')")
    assert stage.locator("input").count() == 1
    assert stage.evaluate("() => [document.querySelector('input') === thumb, thumb.value]") == [True, "2"]
    assert stage.evaluate("() => document.activeElement === thumb")
    stage.wait_for_function("() => told.length")  # the session gets the earlier move
    assert stage.evaluate("() => told[0][1].at") == 256


def test_stage_is_not_replaced_during_a_drag(stage, mount):
    box = stage.locator("input").bounding_box()
    stage.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
    stage.mouse.down()
    draw_lesson(stage, mount)
    stage.wait_for_timeout(400)
    assert stage.locator("#lab-first").count() == 1
    stage.mouse.up()
    stage.locator("#lab-first").wait_for(state="detached")


# --- the connection -------------------------------------------------------------------------------------

# Simulate a server that can be reached while `answers` is true.
SERVER = """() => {
  window.sent = [];
  window.opened = [];
  window.answers = true;
  window.fetch = async () => { if (!answers) throw new Error('away'); return {ok: true}; };
  window.WebSocket = class extends EventTarget {
    static OPEN = 1;
    readyState = 1;
    constructor(url, protocols) { super(); opened.push([this, protocols]); setTimeout(() => this.say('open')); }
    say(kind, data) { this.dispatchEvent(kind === 'message' ? new MessageEvent(kind, {data}) : new Event(kind)); }
    send(message) { sent.push(message[0] >> 3); }
    close() {}
  };
}"""
RUN, OTHER = 11 << 3, 5 << 3
CONNECT = """() => {
  lab.page = {session: 'mine', ask: () => { socket.send([88]); opened.at(-1)[0].say('message'); }};
  window.said = [];
  window.socket = new WebSocket('ws://localhost/_stcore/stream', ['streamlit', 'xsrf', 'old']);
  for (const kind of ['open', 'close', 'message']) socket.addEventListener(kind, () => said.push(kind));
}"""


@pytest.fixture
def connected(hurried):
    hurried.evaluate(SERVER)
    hurried.add_script_tag(content=text_of("lab.js", "streamlit.js", "../server/lasting.js"))
    hurried.evaluate(CONNECT)
    hurried.wait_for_function("() => said.includes('open')")
    return hurried


WORDS = """each => { const range = document.createRange(); range.selectNodeContents(each);
  return range.getBoundingClientRect().toJSON(); }"""


def lose(page):
    page.evaluate("() => { answers = false; opened.at(-1)[0].say('close'); }")


def test_visitor_but_not_streamlit_is_told_of_a_lost_connection(connected):
    lose(connected)
    assert connected.evaluate("() => [said, socket.readyState, lab.away]") == [["open"], 1, True]
    connected.locator("#lab-away", has_text="Reconnecting…").wait_for()
    connected.evaluate("() => { answers = true; }")
    connected.wait_for_function("() => document.getElementById('lab-away').textContent === '' && !lab.away")
    assert connected.evaluate("() => opened.map(each => each[1])") == [
        ["streamlit", "xsrf", "old"],
        ["streamlit", "xsrf", "mine"],
    ]


def test_reconnecting_notice_covers_no_visible_text(connected):
    """The notice moves up when text is added under it."""
    every = "p { position: fixed; margin: 0; bottom: 0; line-height: 60px; white-space: nowrap }"
    connected.add_style_tag(content=f"{every} #lab-away {{ width: max-content; height: 20px; line-height: 20px }}")
    add = "html => document.body.insertAdjacentHTML('beforeend', html)"
    connected.evaluate(add, "<p style='left: 0'>Words</p>")
    connected.evaluate(add, f"<p style='right: 0; opacity: 0'>{'Not seen ' * 60}</p>")
    lose(connected)
    line = connected.locator("#lab-away", has_text="Reconnecting…")
    line.wait_for()
    box = line.bounding_box()
    assert box["x"] >= connected.locator("p", has_text="Words").evaluate(WORDS)["right"]
    assert box["y"] > connected.viewport_size["height"] - 60
    connected.evaluate(add, f"<p style='left: 0; font: 60px/1 monospace'>{'W' * 60}</p>")
    above = "() => document.getElementById('lab-away').getBoundingClientRect().bottom <= innerHeight - 60"
    connected.wait_for_function(above)
    connected.evaluate("() => { answers = true; }")
    connected.wait_for_function("() => document.getElementById('lab-away').textContent === ''")


def test_actions_during_a_lost_connection_are_done_on_reconnection(connected):
    connected.evaluate("() => { window.done = []; }")
    lose(connected)
    connected.evaluate("([run, other]) => { socket.send([other]); socket.send([run]); }", [RUN, OTHER])
    for name in ("release", "cell", "release"):
        connected.evaluate("name => lab.do(name, () => { done.push(name); opened.at(-1)[0].say('message'); })", name)
    assert connected.evaluate("() => [sent, done]") == [[], []]
    connected.evaluate("() => { answers = true; }")
    connected.wait_for_function("() => done.length === 2")
    assert connected.evaluate("() => done") == ["cell", "release"]
    assert connected.evaluate("() => sent") == [11, 5]  # a run first, then the other messages


def test_an_action_is_repeated_if_the_server_has_not_answered(connected):
    connected.evaluate("() => { window.done = []; lab.do('heard', () => done.push('heard')); }")
    connected.evaluate("() => opened[0][0].say('message')")
    connected.evaluate("() => lab.do('lost', () => done.push('lost'))")
    lose(connected)
    connected.evaluate("() => { answers = true; }")
    connected.wait_for_function("() => done.length > 2")
    assert connected.evaluate("() => done") == ["heard", "lost", "lost"]


def test_a_released_connection_reconnects_for_an_action(connected):
    connected.evaluate("() => { window.done = []; lab.sleep(); }")
    assert connected.evaluate("() => [said, socket.readyState, lab.away, opened.length]") == [["open"], 1, True, 1]
    connected.evaluate("() => lab.do('release', () => { done.push(1); opened.at(-1)[0].say('message'); })")
    connected.wait_for_function("() => done.length === 1 && !lab.away")
    assert connected.evaluate("() => opened.map(each => each[1].at(-1))") == ["old", "mine"]
    assert connected.evaluate("() => said") == ["open", "message", "message"]  # one for the rerun, one for the action
    assert connected.locator("#lab-away").text_content() == ""


def test_a_released_connection_stays_closed_in_a_hidden_tab(connected):
    connected.evaluate("() => Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    connected.evaluate("run => { lab.sleep(); socket.send([run]); }", RUN)  # as a timer may do
    assert connected.evaluate("() => [opened.length, sent]") == [1, []]
    connected.evaluate("run => { delete document.hidden; socket.send([run]); }", RUN)
    connected.wait_for_function("() => !lab.away")
    assert connected.evaluate("() => [opened.length, sent[0]]") == [2, 11]


def test_files_are_requested_in_the_session_of_the_connection(connected):
    asked = backend_operation("other")
    connected.evaluate(
        "asked => { window.send = opened.at(-1)[0].send = message => { window.last = [...message]; }; "
        "socket.send(new Uint8Array(asked)); }",
        [*asked],
    )
    assert bytes(connected.evaluate("() => last")) == asked  # unchanged: its session id has another length
    connected.evaluate("() => { lab.page.session = 'yours'; }")
    connected.evaluate("asked => socket.send(new Uint8Array(asked))", [*asked])
    assert bytes(connected.evaluate("() => last")) == backend_operation("yours")
    long = backend_operation("other", file="f" * 200)
    connected.evaluate("asked => socket.send(new Uint8Array(asked))", [*long])
    assert bytes(connected.evaluate("() => last")) == backend_operation("yours", file="f" * 200)


def backend_operation(session, file="table"):
    message = BackMsg()
    message.backend_operation_request.request_id = "a request"
    message.backend_operation_request.session_id = session
    message.backend_operation_request.deferred_file.file_id = file
    return message.SerializeToString()


def test_an_action_is_done_at_once_without_our_connection_script(load):
    page = load(names=())
    page.evaluate("() => { window.done = []; lab.do('cell', () => done.push('cell')); }")
    assert page.evaluate("() => done") == ["cell"]
