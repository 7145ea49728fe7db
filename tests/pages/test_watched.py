"""Log lines and metrics of requests, for the operator; neither identifies a visitor."""

import json
import logging
import os
import re
import signal
import threading
import time
from io import StringIO
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

import pytest
from harness import START_S, free_port, running_server
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount, Route, WebSocketRoute

from pages._view import server
from pages._view.classroom import database
from pages._view.classroom.room import FAILURES, UNREACHABLE, StoreError
from pages._view.lessons import LESSONS, path_of_page
from pages._view.server import ending, log, metrics, places
from pages._view.server.seen import Seen, Watched
from tests.pages.asgi import ask, run

STEM = next(reversed(LESSONS))
PAGE = f"/{path_of_page(STEM)}"


def app(told):
    async def session(socket):
        await socket.accept()
        await socket.send_bytes(b"12345")
        assert Watched.sessions == 1
        await socket.close()

    def fails(_request):
        raise KeyError

    found = (f"/moving/{STEM}", "/j/{code}", "/j/{code}/news", "/media/{file}", PAGE)
    routes = [Route(path, lambda _: Response(b"123")) for path in found]
    routes += [WebSocketRoute("/_stcore/stream", session), Route("/robots.txt", fails)]
    return Watched(Starlette(routes=[*routes, Mount("/", app=Response(status_code=404))]), told)


@pytest.mark.parametrize(
    ("path", "kind", "shown"),
    [
        (PAGE, "page", PAGE),
        (f"{PAGE}?room=BCDF&seed=7", "page", PAGE),
        (f"/moving/{STEM}?v=1", "moving", f"/moving/{STEM}"),
        ("/moving/BCDF", "moving", "/moving/*"),
        ("/j/BCDF", "class", "/j/*"),
        ("/j/BCDF/news?seen=1", "class", "/j/*/news"),
        ("/j/BCDF/BCDF", "class", "/j/*"),
        ("/room/BCDF", "class", "/room/*"),
        ("/media/mine.csv", "file", "/media/*"),
        ("/_stcore/upload_file/session/file", "upload", "/_stcore/upload_file/*"),
        ("/BCDF", "other", "/*"),
        ("/J/BCDF", "other", "/*"),
    ],
)
def test_log_line_has_no_class_code_file_name_or_typed_text(path, kind, shown):
    seen = []
    ask(app((seen.append,)), path)
    assert (seen[0].kind, places.shown(seen[0].path, seen[0].status)) == (kind, shown)


class Slow(StringIO):
    """An output stream that blocks until it is released."""

    def __init__(self):
        super().__init__()
        self.open, self.written = threading.Event(), threading.Event()

    def flush(self):
        self.written.set()

    def write(self, text):
        self.open.wait()
        return super().write(text)


@pytest.fixture
def out():
    """Yield the output of a log; afterwards restore the logger of the store's failures."""
    before, level = list(FAILURES.handlers), FAILURES.level
    slow = Slow()
    yield slow
    slow.open.set()
    FAILURES.handlers[:], FAILURES.level = before, level


def lines_of(out):
    out.open.set()
    assert out.written.wait(START_S)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_log_line_of_a_request_does_not_name_its_sender(out):
    told = log.Log(out).begin().request
    ask(app((told,)), "/j/BCDF?phone=1", cookie="lab_visitor=0123", x_forwarded_for="203.0.113.9")
    (line,) = lines_of(out)
    assert line.pop("seconds") >= 0
    assert line.pop("at").endswith("+00:00")
    assert line == {"kind": "class", "method": "GET", "path": "/j/*", "status": 200, "bytes": 3}


def test_each_failure_of_the_store_is_one_log_line(out):
    log.Log(out).begin()
    with pytest.raises(StoreError), database._told():
        raise OSError("no route")
    (line,) = lines_of(out)
    assert (line["kind"], line["failure"]) == ("store", f"{UNREACHABLE} (no route)")


def test_failures_of_the_store_are_not_logged_by_default():
    assert (FAILURES.handlers, FAILURES.level) == ([], logging.NOTSET)


def test_lines_that_cannot_be_written_are_dropped_and_counted(out, monkeypatch):
    monkeypatch.setattr(log, "MOST", 3)
    mine = log.Log(out)
    for _ in range(8):
        mine.request(Seen("page", "GET", PAGE, 200))
    mine.begin()
    assert len(lines_of(out)) == 3
    out.written.clear()
    mine.request(Seen("page", "GET", PAGE, 200))
    assert lines_of(out)[-1]["left_out"] == 5
    out.written.clear()
    mine.request(Seen("page", "GET", PAGE, 200))
    assert "left_out" not in lines_of(out)[-1]


def figures(text):
    """Return the metrics by name."""
    return {name: float(value) for name, value in re.findall(r"^(lab_\S+) (\S+)$", text, re.MULTILINE)}


def test_metrics_count_requests_and_seconds_by_kind():
    mine = metrics.Metrics()
    for seconds in (0.001, 0.03, 99.0):
        mine.request(Seen("page", "GET", PAGE, 200, seconds))
    mine.request(Seen("class", "POST", "/j/BCDF", 503, 0.2))
    mine.request(Seen("session", "GET", "/_stcore/stream", 101, 3_600.0))
    found = figures(mine.text())
    assert found['lab_requests_total{kind="page",status="200"}'] == 3
    assert found['lab_requests_total{kind="class",status="503"}'] == 1
    assert found['lab_requests_total{kind="session",status="101"}'] == 1
    within = [found[f'lab_request_seconds_bucket{{kind="page",le="{bound}"}}'] for bound in (*metrics.BOUNDS, "+Inf")]
    assert within == [1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3]
    assert found['lab_request_seconds_sum{kind="page"}'] == 99.031
    assert found['lab_request_seconds_count{kind="page"}'] == 3
    assert 'lab_request_seconds_count{kind="session"}' not in found
    assert {"lab_sessions_open", "lab_queue_length", "lab_kept_results", "lab_kept_bytes"} <= set(found)
    assert "BCDF" not in mine.text()


def test_every_metric_declares_its_type_once():
    mine = metrics.Metrics()
    mine.request(Seen("page", "GET", PAGE, 200, 0.1))
    families = re.findall(r"^# TYPE (\S+) (?:counter|gauge|histogram)$", mine.text(), re.MULTILINE)
    named = {re.sub("_(bucket|sum|count)$", "", name.partition("{")[0]) for name in figures(mine.text())}
    assert sorted(families) == sorted(named)


def test_session_is_open_until_it_ends_and_a_failure_counts_as_a_500():
    seen = []
    watched = app((seen.append,))
    asked = iter([{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1000}])

    async def receive():
        return next(asked)

    async def send(_message):
        pass

    scope = {"type": "websocket", "path": "/_stcore/stream", "root_path": "", "query_string": b"", "headers": []}
    run(watched(scope | {"subprotocols": []}, receive, send))
    assert (seen[0].kind, seen[0].status, seen[0].bytes, Watched.sessions) == ("session", 101, 5, 0)
    with pytest.raises(KeyError):
        ask(watched, "/robots.txt")
    assert seen[1].status == 500


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("SATTN_LOG", "yes", log.is_asked_for),
        ("SATTN_METRICS_PORT", "http", metrics.port),
        ("SATTN_GRACE", "long", ending.grace),
    ],
)
def test_invalid_environment_variable_ends_the_server_with_a_reason(monkeypatch, name, value, read):
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match=f"{name} is '{value}', but it must be"):
        read()


def test_nothing_is_recorded_by_default(monkeypatch):
    for name in (log.LOG, metrics.PORT):
        monkeypatch.delenv(name, raising=False)
    assert Watched not in [each.cls for each in server.middleware()]
    monkeypatch.setenv(metrics.PORT, "9100")
    assert server.middleware()[0].cls is Watched


def fetch(url):
    """Return status and text of the response."""
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as refused:
        return refused.code, refused.read().decode()


def until(happens):
    limit = time.monotonic() + START_S
    while not happens():
        assert time.monotonic() < limit
        time.sleep(0.05)


def test_server_that_shuts_down_is_not_ready_but_still_answers():
    """Check also that metrics and log lines go where the operator has configured."""
    port = free_port()
    asked = {"SATTN_GRACE": "3600", "SATTN_LOG": "json", "SATTN_METRICS_PORT": str(port)}
    with running_server(environment=asked | {"STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}, warm=False) as lab:
        assert fetch(f"{lab.url}/readyz") == (200, "ready")
        assert fetch(f"{lab.url}/j/BCDF")[0] == 403  # 403: fetch keeps no cookies
        os.kill(lab.pid, signal.SIGTERM)
        until(lambda: fetch(f"{lab.url}/readyz")[0] != 200)
        assert fetch(f"{lab.url}/readyz") == (503, "This server is about to end. Ask another one.")
        assert fetch(f"{lab.url}/healthz") == (200, "ok")
        assert fetch(f"http://127.0.0.1:{port}/other")[0] == 404
        text = fetch(f"http://127.0.0.1:{port}/metrics")[1]
        assert figures(text)['lab_requests_total{kind="class",status="403"}'] == 1
        until(lambda: '"path": "/healthz"' in lab.log())
        assert '"kind": "class", "method": "GET", "path": "/j/*", "status": 403' in lab.log()
        assert "BCDF" not in lab.log()
