"""What the server does by itself: whom it asks, where it listens, what it sends with every page."""

import gzip
import re
import socket
import sys
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest
from harness import running_server

from pages._view.server.bundle import BUNDLE

pytestmark = pytest.mark.e2e

# Python runs a module of this name at its start: every address that the server asks for goes into a file.
WATCH = """
import os, socket

def note(host):
    with open(os.environ["ASKED_HOSTS"], "a") as asked:
        print(host, file=asked)

look_up = socket.getaddrinfo

def watched_look_up(host, *others, **named):
    note(host)
    return look_up(host, *others, **named)

class WatchedSocket(socket.socket):
    def connect(self, address):
        note(address[0] if isinstance(address, tuple) else "unix")
        return super().connect(address)

socket.getaddrinfo, socket.socket = watched_look_up, WatchedSocket
"""
OWN = {"localhost", "127.0.0.1", "0.0.0.0", "::", "::1", "None", "unix"}


def test_the_server_asks_no_other_host_at_its_start_and_listens_on_every_address(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    asked = tmp_path / "asked"
    asked.touch()
    environment = {"PYTHONPATH": str(tmp_path), "ASKED_HOSTS": str(asked)}
    with running_server(address=None, environment=environment) as server:
        port = int(server.url.rpartition(":")[2])
        if sys.platform == "linux":  # where 127.0.0.2 is this machine too, and another address of it
            socket.create_connection(("127.0.0.2", port), timeout=10).close()
        assert "URL: http://localhost:" in server.log()
    assert set(asked.read_text().split()) - OWN == set()


def ask(server, path):
    """Headers and body of an answer to a browser that takes gzip."""
    request = Request(f"{server.url}{path}", headers={"Accept-Encoding": "gzip"})
    with build_opener(ProxyHandler({})).open(request, timeout=20) as answer:
        return answer.headers, answer.read()


def test_what_a_browser_loads_is_compressed_kept_and_guarded(server):
    headers, page = ask(server, "/")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    script = re.search(rb'src="\.(/static/js/index\.[^"]+\.js)"', page)[1].decode()
    for path, smallest in ((script, 50_000), (f"/{BUNDLE}", 1_000_000)):
        headers, body = ask(server, path)
        assert headers["Content-Encoding"] == "gzip"
        assert "max-age=31536000" in headers["Cache-Control"]
        assert len(gzip.decompress(body)) > 2.5 * len(body) > smallest
    with pytest.raises(HTTPError, match="404"):
        ask(server, "/_stcore/metrics")


def test_a_browser_without_scripts_is_told_so(browser, server):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(server.url)
        assert "your browser blocks it" in page.locator("noscript").last.inner_text()


def test_a_browser_without_websockets_is_told_so(new_page, server, problems):
    page = new_page(alone=True)
    page.clock.install()
    page.route_web_socket("**/_stcore/stream", lambda socket: socket.close())
    page.goto(server.url)
    page.clock.run_for(12_000)
    assert "It needs a websocket" in page.locator("#lab-blocked").inner_text()
    problems.clear()  # the refused connection itself


def test_a_page_that_is_there_is_not_called_blocked(new_page, server):
    page = new_page(alone=True)
    page.clock.install()
    page.goto(server.url)
    page.clock.run_for(1_000)
    page.get_by_role("heading", level=1).wait_for()
    page.clock.run_for(12_000)
    assert page.locator("#lab-blocked").count() == 0
