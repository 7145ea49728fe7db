"""Websocket messages that our pages never send, against a running server."""

import re
from contextlib import suppress

import pytest
from harness import ROOT, running_server
from hypothesis import given
from hypothesis import strategies as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed

from pages._view.lessons import PAGES
from tests.attack.speaking import stranger
from tests.attack.strategies import QUERIES, READABLE, TEXTS, UNREADABLE, examples

MEMORY = 600  # MB
LONG = re.compile("-(compute_.*|map_rates|dose)$")  # buttons of long computations


@pytest.fixture(scope="module")
def server():
    with running_server() as started:
        yield started


@pytest.fixture(autouse=True)
def undisturbed(server):
    """Check after an attack that the server's memory is bounded and the next visitor gets a page."""
    yield
    assert server.memory_mb() < MEMORY
    with stranger(server) as next_visitor:
        assert next_visitor.exceptions == []
        assert next_visitor.widgets


def tracebacks(log):
    """Return the innermost file of each traceback in a log."""
    found = re.split(r"Traceback \(most recent call last\):", log)[1:]
    return [re.findall(r'File "([^"]+)", line', each)[-1:] for each in found]


def of_ours(path):
    return any(name.startswith((f"{ROOT}/pages", f"{ROOT}/sattn_core", f"{ROOT}/app.py")) for name in path)


# A widget is given by its kind and its number on the page, so that examples do not depend on the page.
PLACES = st.integers(0, 30)
STATES = st.sampled_from(sorted(READABLE)).flatmap(
    lambda kind: st.tuples(st.just(kind), PLACES, st.tuples(st.just(READABLE[kind][0]), READABLE[kind][1]))
)
SAID = st.fixed_dictionaries({}, optional={"query_string": QUERIES, "is_history_navigation": st.booleans()})
RUNS = st.lists(st.tuples(st.lists(STATES, max_size=4), SAID), min_size=1, max_size=4)


def chosen(session, place, kind=None):
    """Return the id of the widget with this number, as a list of one or none."""
    known = sorted(each for each, its_kind in session.widgets.items() if kind in (None, its_kind))
    known = [each for each in known if not LONG.search(each)]
    return known[place % len(known) :][:1] if known else []


def test_any_readable_widget_values_leave_a_page_working(server):
    @examples(4, 1_000)
    @given(st.sampled_from(PAGES), RUNS)
    def works(page, runs):
        with stranger(server, page) as session:
            for states, said in runs:
                session.run(
                    *((id_, *value) for kind, place, value in states for id_ in chosen(session, place, kind)), **said
                )
            assert session.exceptions == []

    before = len(server.log())
    works()
    assert tracebacks(server.log()[before:]) == []


def test_streamlit_refuses_unreadable_messages_before_a_page_runs(server):
    @examples(3, 1_000)
    @given(st.sampled_from(PAGES), st.lists(st.tuples(PLACES | TEXTS, UNREADABLE), min_size=1, max_size=3))
    def is_refused(page, states):
        with stranger(server, page) as session:
            named = ((chosen(session, where) if isinstance(where, int) else [where], value) for where, value in states)
            session.run(*((id_, *value) for ids, value in named for id_ in ids))

    before = len(server.log())
    is_refused()
    assert [path for path in tracebacks(server.log()[before:]) if of_ours(path)] == []


OTHER = (
    "stop_script",
    "clear_cache",
    "set_run_on_save",
    "load_git_info",
    "app_heartbeat",
    "debug_disconnect_websocket",
    "debug_shutdown_runtime",
)


def test_no_other_message_ends_the_server_or_a_session(server):
    with stranger(server, "score_variance") as session:
        for said in (*({name: True} for name in OTHER), {}):
            session.send(BackMsg(**said))
            session.run()
        assert session.exceptions == []


def test_invalid_frames_end_at_most_the_session_that_sent_them(server):
    @examples(3, 1_000)
    @given(st.binary(min_size=1, max_size=60) | st.text(max_size=60))
    def is_ended_or_ignored(frame):
        with stranger(server) as session:
            session.socket.send(frame)
            with suppress(ConnectionClosed):
                session.run()

    before = len(server.log())
    is_ended_or_ignored()
    assert [path for path in tracebacks(server.log()[before:]) if of_ours(path)] == []
