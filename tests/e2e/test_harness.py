"""Test the harness on an app of a few lines."""

import os
import textwrap

import harness
import pytest
from tabs import note_changes, open_context, put_away

pytestmark = [pytest.mark.e2e, pytest.mark.walk]

APP = """
    import time
    import streamlit as st

    st.title("A tiny app")
    d_k = st.slider("d_k", 1, 8, 4, key="d_k", bind="query-params")
    time.sleep(0.6)
    st.write(f"slow answer {d_k}")
    st.html("<main><div style='height: 2000px'>tall</div><p id='end'>end</p></main>")
"""


@pytest.fixture(scope="module")
def tiny(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "tiny.py").write_text(textwrap.dedent(APP))
    with harness.running_server("tiny.py", cwd=folder) as server:
        yield server


def test_open_page_waits_for_the_end_of_the_run(page, tiny):
    harness.open_page(page, tiny, "/", d_k=3)
    assert page.get_by_text("slow answer 3").count() == 1


def test_idle_after_a_key_press_means_the_answer_is_drawn(page, tiny):
    harness.open_page(page, tiny)
    page.get_by_role("slider").press("ArrowRight")
    harness.wait_until_idle(page)
    assert page.get_by_text("slow answer 5").count() == 1
    assert harness.query_parameters(page) == {"d_k": "5"}


# Delay every message to the server, as on a busy machine.
LATE = """const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (message) { setTimeout(() => send.call(this, message), 800); };"""


def test_idle_waits_for_a_run_that_begins_late(page, tiny):
    page.add_init_script(LATE)
    harness.open_page(page, tiny)
    page.get_by_role("slider").press("ArrowRight")
    harness.wait_until_idle(page)
    assert page.get_by_text("slow answer 5").count() == 1


def test_timeout_of_a_page_that_is_never_idle_names_the_reason(new_page, tiny):
    page = harness.open_page(new_page(alone=True), tiny)
    page.evaluate("() => document.body.insertAdjacentHTML('beforeend', '<p data-stale=true></p>')")
    page.set_default_timeout(500)
    with pytest.raises(AssertionError, match="still waits for stale elements"):
        harness.wait_until_idle(page)


def test_a_reused_tab_has_empty_storage_and_a_changed_one_is_closed(browser, tiny):
    context, spare = open_context(browser, {}), []
    for change in (False, True):
        tab = note_changes(context.new_page())
        tab.changed = False
        tab.goto(tiny.url)
        tab.evaluate("() => { localStorage.mark = sessionStorage.mark = 'left'; document.cookie = 'mark=left'; }")
        if change:
            tab.add_init_script("window.mark = 'left'")
        put_away(tab, spare)
    assert tab.is_closed()
    (tab,) = spare
    tab.goto(tiny.url)
    left = tab.evaluate("() => [localStorage.mark, sessionStorage.mark, document.cookie.includes('left')]")
    assert left == [None, None, False]
    context.close()


def test_console_errors_are_collected(page, tiny, problems):
    harness.open_page(page, tiny)
    page.evaluate("() => { console.error('first'); setTimeout(() => { throw new Error('second') }, 0) }")
    page.wait_for_timeout(50)
    assert [text.split(":")[0] for text in problems] == ["console", "uncaught"]
    assert "first" in problems[0]
    assert "second" in problems[1]
    problems.clear()


def test_a_request_to_another_host_is_collected(page, tiny, problems):
    harness.open_page(page, tiny)
    page.evaluate("() => fetch('http://elsewhere.invalid/a').catch(() => null)")
    assert "asked another host: http://elsewhere.invalid/a" in problems
    problems.clear()


def test_accessibility_problems_name_the_rule_and_the_element(page, tiny):
    harness.open_page(page, tiny)
    page.evaluate("""() => document.querySelector('h1').insertAdjacentHTML('afterend', '<img id="bad">')""")
    found = [text for text in harness.accessibility_problems(page) if text.startswith("- image-alt")]
    assert len(found) == 1
    assert "#bad" in found[0]
    with pytest.raises(AssertionError, match="image-alt"):
        harness.check_accessibility(page)
    assert "image-alt" not in "\n".join(harness.accessibility_problems(page, disabled_rules=["image-alt"]))


def test_screenshot_shows_the_whole_page(page, tiny, tmp_path):
    harness.open_page(page, tiny)
    png = harness.screenshot(page, tmp_path / "shots" / "tiny.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[20:24], "big") > 2000
    assert page.viewport_size == {"width": 1280, "height": 800}


def test_server_is_stopped_at_the_end(browser, tmp_path):
    (tmp_path / "tiny.py").write_text("import streamlit as st\nst.title('x')\n")
    with harness.running_server("tiny.py", cwd=tmp_path) as server:
        os.kill(server.pid, 0)
        assert server.memory_mb() > 10
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_server_that_cannot_start_says_why(browser, tmp_path):
    with pytest.raises(RuntimeError, match=r"missing\.py"), harness.running_server("missing.py", cwd=tmp_path):
        pass
