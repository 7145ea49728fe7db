"""The lab's public address: a valid one from the environment, or the host that the browser requested."""

import re
import subprocess
import sys

import pytest
from harness import free_port
from starlette.applications import Starlette

from pages._view import server
from pages._view.server import links, origin
from tests.pages.asgi import ask

ROOT = server.MAIN.parents[2]


@pytest.mark.parametrize(
    "name", ["https://lab.example", "http://10.0.0.5:8501", "http://[::1]:80", "HTTPS://Lab.example"]
)
def test_valid_origin_is_scheme_and_host(monkeypatch, name):
    monkeypatch.setenv(origin.ORIGIN, name)
    origin.check_origin()
    assert ask(Starlette(routes=links.routes()), "/robots.txt", host="evil.example")[2].endswith(
        f"Sitemap: {name.lower()}/sitemap.xml\n".encode()
    )


WRONG = [
    "lab.example",
    "ftp://lab.example",
    "https://",
    "https://lab.example/",
    "https://lab.example/lab",
    "https://a b",
]
WRONG += ["https://lab.example?x", "https://me@lab.example", "https://lab.example:x", 'https://a"><b', "https://-a"]


@pytest.mark.parametrize("name", WRONG)
def test_invalid_origin_is_refused_before_the_server_starts(monkeypatch, name):
    monkeypatch.setenv(origin.ORIGIN, name)
    with pytest.raises(
        SystemExit, match=f"^SATTN_ORIGIN must be http or https and a host, .* but is {re.escape(repr(name))}"
    ):
        origin.check_origin()


def test_server_with_an_invalid_origin_exits(monkeypatch):
    monkeypatch.setenv(origin.ORIGIN, "lab.example")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(free_port())]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr[:20]) == (1, "SATTN_ORIGIN must be")
