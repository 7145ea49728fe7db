"""The shipped nginx.conf: its cache and its routes, in a real nginx in front of servers that number their responses."""

import json
import os
import subprocess
import threading
from contextlib import ExitStack
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from replicas import DEPLOY, NGINX, NO_NGINX, proxy, written_by_proxy

SHARED = "public, max-age=0, s-maxage=60, stale-while-revalidate=600"
COOKIE = "lab_replica"


class Lab(ThreadingHTTPServer):
    """A server that answers with its number and its count of requests; responses below /kept may be cached."""

    def __init__(self, number):
        super().__init__(("127.0.0.1", 0), Answer)
        self.number, self.asked, self.waits, self.arrived = number, 0, None, threading.Event()
        self.headers = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        lab, path = self.server, urlsplit(self.path).path
        lab.asked += path != "/_stcore/health"
        lab.headers.append(self.headers)
        if lab.waits and path == "/kept/slow":
            lab.arrived.set()
            lab.waits.wait()
        missing = path.startswith("/static/of-") and path != f"/static/of-{lab.number}"
        body = f"{lab.number} {lab.asked}".encode()
        self.send_response(404 if missing or path == "/missing" else 200)
        said = SHARED if path.startswith(("/kept", "/static", "/j/")) else "private, no-store"
        said = {"/own": "private, no-cache", "/none": ""}.get(path, said)
        if said:
            self.send_header("Cache-Control", said)
        if path == "/kept/cookie":
            self.send_header("Set-Cookie", "mine=1")
        self.send_header("ETag", f'"{lab.number}"')
        self.send_header("Vary", "Accept-Encoding")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)

    do_HEAD = do_POST = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture
def start(tmp_path):
    """Yield a function that starts the proxy in front of `count` servers, and returns its port and the servers."""
    if NGINX is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI=true and {NO_NGINX}")
        pytest.skip(NO_NGINX)
    with ExitStack() as held:

        def started(count):
            labs = [held.enter_context(Lab(number)) for number in range(1, count + 1)]
            for lab in labs:
                held.callback(lab.shutdown)
            server = held.enter_context(proxy(tmp_path, *(lab.server_port for lab in labs)))
            return urlsplit(server.url).port, labs

        yield started


def ask(port, path, method="GET", **headers):
    """Return status, headers and text of the response."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, body


def test_cacheable_responses_are_fetched_once_and_set_no_cookie(start):
    port, (lab,) = start(1)
    found = [ask(port, "/kept?d_k=64", Cookie=f"lab_visitor={i}; {COOKIE}=1") for i in range(3)]
    found += [ask(port, "/kept?d_k=64"), ask(port, "/kept?d_k=64", "HEAD"), ask(port, "/static/a.js")]
    assert [headers["X-Cache"] for _, headers, _ in found] == ["MISS", "HIT", "HIT", "HIT", "HIT", "MISS"]
    assert [body for _, _, body in found] == ["1 1"] * 4 + ["", "1 2"]
    assert all(headers["Set-Cookie"] is None for _, headers, _ in found)
    assert lab.asked == 2
    assert ask(port, "/kept?d_k=64", If_None_Match='"1"')[0] == 304
    assert ask(port, "/kept?d_k=65")[2] == "1 3"


@pytest.mark.parametrize(
    "path",
    [
        "/own",
        "/none",
        "/private",
        "/kept?seed=mine",
        "/kept?d_k=64&seed=mine",
        "/kept?d_k=64&room=BCDF",
        "/kept?guess=3",
        "/kept/cookie",
        "/j/BCDF",
        "/_stcore/host-config",
    ],
)
def test_private_response_is_never_cached(start, path):
    port, _ = start(1)
    found = [ask(port, path, Cookie=f"lab_visitor={i}") for i in range(3)]
    assert len({body for _, _, body in found}) == 3
    assert not any(headers["X-Cache"] == "HIT" for _, headers, _ in found)


def test_replica_cookie_is_set_only_at_the_start_of_a_session_or_class(start):
    port, labs = start(3)
    for path in (
        "/",
        "/own",
        "/private",
        "/kept",
        "/moving/a?v=1",
        "/static/a.js",
        "/static/media/a.woff2",
        "/missing",
    ):
        assert ask(port, path)[1]["Set-Cookie"] is None
    for path in ("/_stcore/health", "/j", "/j/BCDF", "/room", "/room/BCDF"):
        given = {ask(port, path)[1]["Set-Cookie"].partition(";")[0] for _ in range(60)}
        assert given == {f"{COOKIE}={lab.number}" for lab in labs}
        assert ask(port, path, Cookie=f"{COOKIE}=2")[1]["Set-Cookie"] is None
    for lab in labs:
        mine = f"{COOKIE}={lab.number}"
        assert ask(port, "/j/BCDF", Cookie=mine)[2].split()[0] == ask(port, "/own", Cookie=mine)[2].split()[0]
        assert ask(port, "/j/BCDF", Cookie=mine)[2].split()[0] == str(lab.number)


@pytest.mark.parametrize(("came_by", "secure"), [("http", False), ("https", True)])
def test_replica_cookie_is_secure_only_over_https(start, came_by, secure):
    port, _ = start(1)
    given = ask(port, "/j", **{"X-Forwarded-Proto": came_by})[1]["Set-Cookie"]
    assert ("; Secure" in given) is secure


def test_simultaneous_equal_requests_reach_a_server_once(start):
    port, (lab,) = start(1)
    lab.waits = threading.Event()
    bodies = []
    threads = [threading.Thread(target=lambda: bodies.append(ask(port, "/kept/slow")[2])) for _ in range(8)]
    for each in threads:
        each.start()
    assert lab.arrived.wait(60)
    lab.waits.set()
    for each in threads:
        each.join()
    assert bodies == ["1 1"] * 8


def test_another_replica_answers_if_one_is_down_or_lacks_a_file(start):
    port, (first, second) = start(2)
    assert {ask(port, f"/static/of-{number}", Cookie=f"{COOKIE}=1")[2].split()[0] for number in (1, 2)} == {"1", "2"}
    assert ask(port, "/static/of-3")[0] == ask(port, "/missing")[0] == 404
    first.shutdown()
    first.server_close()
    assert ask(port, "/j/BCDF", Cookie=f"{COOKIE}=1")[2].split()[0] == "2"
    assert ask(port, "/kept")[0] == 200
    second.shutdown()
    second.server_close()
    assert ask(port, "/own")[0] == 502
    assert ask(port, "/kept")[2].split()[0] == "2"


def test_the_log_names_no_visitor_and_no_class(start, tmp_path):
    port, _ = start(1)
    for path in (
        "/j/BCDF",
        "/room/BCDF/news?seen=1",
        "/_stcore/upload_file/mine/1",
        "/media/mine.csv",
        "/kept?room=BCDF",
    ):
        ask(port, path, X_Forwarded_For="203.0.113.9")
    ask(port, "/missing")
    ask(port, "/kept/a")
    while len(lines := (tmp_path / "access.log").read_text().splitlines()) < 7 or "/kept/a" not in lines[-1]:
        pass
    shown = [json.loads(line)["path"] for line in lines if "health" not in line]
    assert shown == ["/j/*", "/room/*", "/_stcore/upload_file/*", "/media/*", "/kept", "/*", "/kept/a"]
    assert not any(word in "\n".join(lines) for word in ("BCDF", "127.0.0.1", "203.0.113", "mine"))


def test_a_request_with_too_long_headers_is_refused(start):
    port, (lab,) = start(1)
    assert ask(port, "/private", Referer="x" * 7_000)[0] == 200
    assert ask(port, "/private", Referer="x" * 9_000)[0] == 400
    assert lab.asked == 1


def test_slow_and_incomplete_requests_time_out():
    said = (DEPLOY / "nginx.conf").read_text()
    for name in ("client_header_timeout", "client_body_timeout", "send_timeout"):
        assert f"    {name} " in said


# --- the script that names the replicas ------------------------------------------------------------------


@pytest.mark.parametrize("main", ["worker_connections 768;", "worker_connections  1024;"])
def test_nginx_conf_of_a_linux_distribution_gets_more_connections(tmp_path, main):
    (tmp_path / "own.conf").write_text(f"user www-data;\nevents {{\n    {main}\n}}\n")
    written = written_by_proxy("main", tmp_path / "own.conf")
    assert written.startswith("worker_rlimit_nofile 32768;\nuser www-data;\n")
    assert "    worker_connections 16384;\n" in written


@pytest.mark.parametrize("count", [1, 2, 7])
def test_lab_replicas_variable_may_name_any_number_of_replicas(count):
    places = [f"10.0.{number}.1:850{number}" for number in range(1, count + 1)]
    written = written_by_proxy("replicas", environment={"LAB_REPLICAS": " ".join(places)})
    for number, place in enumerate(places, 1):
        block = written.partition(f"upstream replica_{number} {{")[2].partition("}")[0]
        assert block.splitlines()[1] == f"    server {place} max_fails=0;"
        assert block.count("backup") == count - 1
        assert f"    {number} replica_{number};" in written
    assert written.count("% ") == count - 1


@pytest.mark.parametrize(
    ("named", "said"), [("", "name the replicas"), ("nowhere.invalid:8501", "no address found for nowhere.invalid")]
)
def test_replica_list_without_an_address_is_refused(named, said):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        written_by_proxy("replicas", environment={"LAB_REPLICAS": named})
    assert said in refused.value.stderr
