"""What the server adds to Streamlit: headers, kept compression, the bundle, words for blocked browsers."""

import asyncio
import gzip
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from pages._view import compute, server
from pages._view.server import bundle, compress, headers, shell, warm
from sattn_core.lessons.start import measure_start
from tests.pages.opening import app_at

ROOT = server.MAIN.parents[2]
SCRIPT = b"let a = 1;\n" * 500


def ask(app, path, method="GET", **sent):
    """Status, headers and body that an ASGI application answers."""
    answers = []
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in sent.items()]
    scope = {"type": "http", "method": method, "path": path, "root_path": "", "query_string": b"", "headers": raw}

    async def receive():
        await asyncio.Event().wait()  # a browser that stays

    async def send(message):
        answers.append(message)

    with ThreadPoolExecutor(1) as own:  # the browser tests keep an event loop running in this thread
        own.submit(asyncio.run, app(scope, receive, send)).result()
    start, *bodies = answers
    got = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return start["status"], got, b"".join(each.get("body", b"") for each in bodies)


class Counted:
    """A server of scripts and pages that counts what it is asked."""

    def __init__(self):
        self.asked = 0
        self.accepted = []
        self.app = Starlette(
            routes=[
                Route("/static/a.js", self.answer),
                Route("/static/small.js", lambda _: Response(b"1", media_type="application/javascript")),
                Route("/static/picture.png", lambda _: Response(SCRIPT, media_type="image/png")),
                Route("/api/a.js", self.answer),
                Route("/page", lambda _: HTMLResponse("<html><body><p>Hello</p></body></html>")),
                Route("/_stcore/metrics", lambda _: PlainTextResponse("secret")),
                Mount("/lab", routes=[Route("/_stcore/metrics", lambda _: PlainTextResponse("secret"))]),
            ]
        )

    async def answer(self, request):
        self.asked += 1
        self.accepted.append(request.headers.get("accept-encoding"))
        return Response(SCRIPT, media_type="application/javascript", headers={"Cache-Control": "immutable"})

    async def __call__(self, scope, receive, send):
        await self.app(scope, receive, send)


def test_a_static_file_is_compressed_once_and_kept():
    inner = Counted()
    app = compress.KeptCompression(inner)
    first, second = (ask(app, "/static/a.js", accept_encoding="gzip, br") for _ in range(2))
    assert first == second
    status, got, body = first
    assert (status, got["content-encoding"], got["vary"]) == (200, "gzip", "Accept-Encoding")
    assert int(got["content-length"]) == len(body) < len(SCRIPT) / 10
    assert got["cache-control"] == "immutable"
    assert gzip.decompress(body) == SCRIPT
    assert inner.asked == 1
    assert inner.accepted == [None]  # nothing further in may compress it at each request


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/static/a.js", {}),
        ("/static/a.js", {"accept_encoding": "br"}),
        ("/static/a.js", {"accept_encoding": "gzip", "range": "bytes=0-5"}),
        ("/static/small.js", {"accept_encoding": "gzip"}),
        ("/static/picture.png", {"accept_encoding": "gzip"}),
        ("/api/a.js", {"accept_encoding": "gzip"}),
        ("/static/missing.js", {"accept_encoding": "gzip"}),
    ],
)
def test_everything_else_passes_as_it_is(path, sent):
    app = compress.KeptCompression(Counted())
    assert "content-encoding" not in ask(app, path, **sent)[1]
    assert app.kept == {}


def test_what_is_kept_is_bounded(monkeypatch):
    monkeypatch.setattr(compress, "KEPT_BYTES", 10)
    inner = Counted()
    app = compress.KeptCompression(inner)
    for _ in range(2):
        assert gzip.decompress(ask(app, "/static/a.js", accept_encoding="gzip")[2]) == SCRIPT
    assert (inner.asked, app.kept) == (2, {})


def test_every_answer_has_the_security_headers():
    _, got, _ = ask(headers.SecurityHeaders(Counted()), "/page")
    policy = dict(part.split(" ", 1) for part in got["content-security-policy"].split("; "))
    assert policy["object-src"] == "'none'"
    assert policy["frame-ancestors"] == policy["default-src"] == "'self'"
    assert "http:" not in policy["script-src"]
    assert got["x-content-type-options"] == "nosniff"
    assert got["referrer-policy"] == "strict-origin-when-cross-origin"


def test_one_variable_says_who_may_frame_the_lab(monkeypatch):
    monkeypatch.setenv(headers.FRAME_ANCESTORS, "'self' https://course.example")
    assert headers.content_policy().endswith("frame-ancestors 'self' https://course.example")


@pytest.mark.parametrize("value", ["*; script-src *", "https://a.example\nx: y", "'self', x"])
def test_the_variable_cannot_add_a_directive(monkeypatch, value):
    monkeypatch.setenv(headers.FRAME_ANCESTORS, value)
    with pytest.raises(ValueError, match="SATTN_FRAME_ANCESTORS must be a list of sources"):
        headers.content_policy()


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/lab/_stcore/metrics"])
def test_the_metrics_are_not_public(path):
    status, _, body = ask(headers.SecurityHeaders(Counted()), path)
    assert (status, body) == (404, b"Not found")


def test_the_page_says_what_is_blocked_where_scripts_or_websockets_are():
    _, got, body = ask(shell.Shell(Counted()), "/page")
    assert body.startswith(b"<html><body><p>Hello</p>")
    assert body.endswith(b"</body></html>")
    assert b"<noscript>" in body
    assert b"websocket" in body
    assert int(got["content-length"]) == len(body)


def test_a_file_that_is_no_page_has_no_words_added():
    assert ask(shell.Shell(Counted()), "/static/a.js")[2] == SCRIPT


def test_the_bundle_is_that_of_the_installed_package_and_cached_for_good():
    app = Starlette(routes=bundle.routes())
    status, got, body = ask(app, f"/{bundle.BUNDLE}")
    assert (status, got["cache-control"]) == (200, "public, max-age=31536000, immutable")
    assert body[:3000].count(b"plotly.js v")
    assert any(character.isdigit() for character in bundle.BUNDLE)


def test_the_first_visitor_finds_the_start_page_computed(monkeypatch):
    asked = []
    monkeypatch.setattr(compute, "measure_start", lambda params: asked.append(params) or measure_start(params))
    compute.start.clear()
    warm.warm()
    app = app_at("start").run()
    assert app.title[0].value == "Why divide by √d_k?"
    assert len(asked) == 1


def test_the_app_is_found_by_streamlit_run_and_its_script_has_no_folder_of_pages_beside_it():
    from streamlit.starlette import App

    import app

    assert isinstance(app.app, App)
    assert server.MAIN.is_file()
    assert not (server.MAIN.parent / "pages").exists()


def test_numpy_finds_that_a_product_of_matrices_takes_one_core():
    code = (
        "import os, sys; import pages._view.server; print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["1", "False"], done.stderr
