"""The server's additions to Streamlit: headers, compression, the chart bundle, limits on uploads, the warm-up."""

import asyncio
import gzip
import os
import socket
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import brotli
import pytest
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages._view import _streamlit, bundle, server
from pages._view.lessons import ORDER
from pages._view.server import assets, compress, headers, html, prompt, shell, slow, uploads, warm
from sattn_core.files import score_files
from tests.pages.asgi import ask, run

ROOT = server.MAIN.parents[2]
SCRIPT = b"let a = 1;\n" * 500
PAGE = "<html><head><title>Streamlit</title></head><body><p>Hello</p></body></html>"


class Counted:
    """A server that answers with scripts and pages and counts the requests."""

    def __init__(self):
        self.asked = 0
        self.accepted = []
        self.app = Starlette(
            routes=[
                Route("/static/a.js", self.answer),
                Route("/static/small.js", lambda _: Response(b"1", media_type="application/javascript")),
                Route("/static/picture.png", lambda _: Response(SCRIPT, media_type="image/png")),
                Route("/api/a.js", self.answer),
                Route("/page", lambda _: HTMLResponse(PAGE)),
                Route("/recap", lambda _: HTMLResponse(PAGE)),
                Mount("/", app=PlainTextResponse("anything")),
            ]
        )

    async def answer(self, request):
        self.asked += 1
        self.accepted.append(request.headers.get("accept-encoding"))
        return Response(SCRIPT, media_type="application/javascript", headers={"Cache-Control": "immutable"})

    async def __call__(self, scope, receive, send):
        await self.app(scope, receive, send)


@pytest.mark.parametrize(
    ("taken", "encoding", "unpack"),
    [
        ("gzip, deflate, br, zstd", "br", brotli.decompress),
        ("gzip;q=1.0, br;q=0", "gzip", gzip.decompress),
        ("gzip;q=0.1, br;q=0.0", "gzip", gzip.decompress),
        ("gzip, br; q=0.00", "gzip", gzip.decompress),
        ("deflate,gzip", "gzip", gzip.decompress),
    ],
)
def test_a_static_file_is_compressed_once_for_each_encoding(taken, encoding, unpack):
    inner = Counted()
    app = compress.KeptCompression(inner)
    first, second = (ask(app, "/static/a.js", accept_encoding=taken) for _ in range(2))
    assert first == second
    status, got, body = first
    assert (status, got["content-encoding"], got["vary"]) == (200, encoding, "Accept-Encoding")
    assert int(got["content-length"]) == len(body) < len(SCRIPT) / 10
    assert got["cache-control"] == "immutable"
    assert unpack(body) == SCRIPT
    assert inner.asked == 1
    assert inner.accepted == [None]  # else an inner layer would compress each response


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/static/a.js", {}),
        ("/static/a.js", {"accept_encoding": "zstd, br;q=0, brotli"}),
        ("/static/a.js", {"accept_encoding": "gzip;q=0.000, br;q=0."}),
        ("/static/a.js", {"accept_encoding": "gzip", "range": "bytes=0-5"}),
        ("/static/small.js", {"accept_encoding": "gzip"}),
        ("/static/picture.png", {"accept_encoding": "gzip"}),
        ("/api/a.js", {"accept_encoding": "gzip"}),
        ("/static/missing.js", {"accept_encoding": "gzip"}),
    ],
)
def test_other_responses_are_not_compressed(path, sent):
    app = compress.KeptCompression(Counted())
    assert "content-encoding" not in ask(app, path, **sent)[1]
    assert app.kept == {}


def test_compression_cache_is_limited_in_bytes(monkeypatch):
    monkeypatch.setattr(compress, "KEPT_BYTES", 10)
    inner = Counted()
    app = compress.KeptCompression(inner)
    for _ in range(2):
        assert gzip.decompress(ask(app, "/static/a.js", accept_encoding="gzip")[2]) == SCRIPT
    assert (inner.asked, app.kept) == (2, {})


def test_every_response_has_the_security_headers():
    _, got, _ = ask(headers.SecurityHeaders(Counted()), "/page")
    policy = dict(part.split(" ", 1) for part in got["content-security-policy"].split("; "))
    assert policy["object-src"] == "'none'"
    assert policy["frame-ancestors"] == policy["default-src"] == "'self'"
    assert "http:" not in policy["script-src"]
    assert got["x-content-type-options"] == "nosniff"
    assert got["referrer-policy"] == "strict-origin-when-cross-origin"


def directives(path, **sent):
    _, got, _ = ask(headers.SecurityHeaders(Counted()), path, **sent)
    return dict(part.split(" ", 1) for part in got["content-security-policy"].split("; "))


def test_policy_forbids_eval_and_forms_to_other_hosts():
    policy = directives("/page", host="lab.example")
    assert policy["script-src"] == "'self' 'unsafe-inline' blob:"
    assert policy["form-action"] == policy["base-uri"] == "'self'"


@pytest.mark.parametrize(
    ("path", "host", "origin", "sockets"),
    [
        ("/page", "lab.example:8501", "", " ws://lab.example:8501 wss://lab.example:8501"),
        ("/page", "[::1]:8501", "", " ws://[::1]:8501 wss://[::1]:8501"),
        ("/page", "other.example", "https://lab.example", " ws://lab.example wss://lab.example"),
        ("/page", "a; script-src *", "", ""),
        ("/page", "*", "", ""),
        ("/static/a.js", "other.example", "", ""),  # a response cached for everybody must not name the host
    ],
)
def test_page_may_connect_only_to_its_own_host(monkeypatch, path, host, origin, sockets):
    monkeypatch.setenv("SATTN_ORIGIN", origin)
    assert directives(path, host=host)["connect-src"] == f"'self'{sockets}"


def test_one_variable_sets_who_may_frame_the_lab(monkeypatch):
    monkeypatch.setenv(headers.FRAME_ANCESTORS, "'self' https://course.example")
    assert headers.content_policy().endswith("frame-ancestors 'self' https://course.example")


@pytest.mark.parametrize("value", ["*; script-src *", "https://a.example\nx: y", "'self', x"])
def test_frame_ancestors_variable_cannot_add_a_directive(monkeypatch, value):
    monkeypatch.setenv(headers.FRAME_ANCESTORS, value)
    with pytest.raises(ValueError, match="SATTN_FRAME_ANCESTORS must be a list of sources"):
        headers.content_policy()


NOT_ASKED_FOR = ["_stcore/metrics", "_stcore/agent/mcp", "_stcore/", "_stcore//health", "_stcore"]
MOVED = ["_stcore/health/metrics", "_stcore/new", "_core/numbers", "metrics", "a/metrics/b"]  # maybe after an upgrade


@pytest.mark.parametrize("path", [*NOT_ASKED_FOR, *(f"lab/{each}" for each in NOT_ASKED_FOR), *MOVED])
def test_paths_that_no_page_needs_are_private_at_any_prefix(path):
    assert ask(headers.SecurityHeaders(Counted()), f"/{path}")[::2] == (404, b"Not found")


@pytest.mark.parametrize("path", ["_stcore/health", "lab/_stcore/host-config", "static/js/_baseMap.js", "media/1.csv"])
def test_paths_that_a_page_needs_are_public(path):
    assert ask(headers.SecurityHeaders(Counted()), f"/{path}")[0] == 200


def test_the_page_explains_blocked_scripts_and_websockets():
    status, got, body = ask(shell.Shell(Counted()), "/recap")
    assert status == 200
    assert b"<p>Hello</p>" in body
    assert body.endswith(b"</body></html>")
    assert b"<noscript>" in body
    assert b"websocket" in body
    assert int(got["content-length"]) == len(body)


def test_page_compressed_by_streamlit_gets_the_explanation_too():
    packing = GZipMiddleware(Counted(), minimum_size=1)
    assert ask(packing, "/recap", accept_encoding="gzip")[1]["content-encoding"] == "gzip"
    _, _, body = ask(shell.Shell(packing), "/recap", accept="text/html", accept_encoding="gzip")
    assert b"lab-away" in gzip.decompress(body)


@pytest.mark.parametrize(
    ("taken", "packed"), [("gzip, br", "br"), ("gzip", "gzip"), ("br;q=0, gzip", "gzip"), ("", None)]
)
def test_page_has_the_best_encoding_that_the_browser_accepts(taken, packed):
    _, plain, whole = ask(shell.Shell(Counted()), "/recap", accept="text/html")
    _, got, body = ask(shell.Shell(Counted()), "/recap", accept="text/html", accept_encoding=taken)
    unpack = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}[packed]
    assert got.get("content-encoding") == packed
    assert unpack(body) == whole
    assert int(got["content-length"]) == len(body)
    assert "content-encoding" not in plain


@pytest.mark.parametrize(("path", "status", "said"), [("/recap", 200, b"og:title"), ("/nope", 404, b"does not exist")])
def test_any_client_that_accepts_gzip_can_read_the_page(path, status, said):
    inside = Starlette(routes=[Mount("/", app=HTMLResponse(PAGE))])
    app = shell.Shell(GZipMiddleware(inside, minimum_size=1))
    got_status, got, body = ask(app, path, accept="*/*", accept_encoding="gzip")
    assert (got_status, got["content-encoding"]) == (status, "gzip")
    assert said in gzip.decompress(body)
    assert int(got["content-length"]) == len(body)


def test_files_other_than_pages_stay_unchanged():
    assert ask(shell.Shell(Counted()), "/static/a.js")[2] == SCRIPT


def test_bundle_is_the_installed_plotly_and_cached_forever():
    app = Starlette(routes=assets.routes())
    status, got, body = ask(app, f"/{bundle.BUNDLE}")
    assert (status, got["cache-control"]) == (200, "public, max-age=31536000, immutable")
    assert body[:3000].count(b"plotly.js v")
    assert any(character.isdigit() for character in bundle.BUNDLE)


def test_the_bundle_exports_the_functions_that_quick_pictures_call(monkeypatch):
    script = bundle.script()
    called = (ROOT / "pages/_view/live/quick.js").read_text(encoding="utf-8")
    for name in bundle.OPENED:
        assert script.count(f".{name}=window.lab.plotlyParts.{name}=function") == 1
        assert name in called
    monkeypatch.setattr(bundle, "OPENED", ("drawEverything",))
    with pytest.raises(ValueError, match="define drawEverything once"):
        bundle.script.__wrapped__()


@pytest.mark.parametrize("base", ["lab", "/lab/", "a/b", "_lab"])
def test_every_own_address_is_below_the_base_path(monkeypatch, base):
    monkeypatch.setattr(_streamlit.st, "get_option", {"server.baseUrlPath": base}.get)
    below = f"/{base.strip('/')}/"
    assert not bundle.BUNDLE.startswith("/")
    assert [route.path for route in assets.routes()] == [below + bundle.BUNDLE]
    opened = Opened(FINISHED)
    run(warm.warm(opened))
    assert {path for path, _ in opened.asked} == {below + bundle.BUNDLE, f"{below}_stcore/stream"}
    assert ask(headers.SecurityHeaders(Counted()), f"{below}start")[0] == 200
    monkeypatch.setattr(uploads, "MOST_BYTES", 300)
    assert put(Uploads(), "mine/1", [b"x" * 300], at=f"{below}_stcore/upload_file")[0] == 413


class Connection:
    """An object with uvicorn's method `receive` and the transport of its connection."""

    def __init__(self, sock):
        self.transport = SimpleNamespace(get_extra_info={"socket": sock}.get)

    async def receive(self):
        pass


async def nobody(*_):
    pass


@pytest.mark.parametrize(("kind", "at_once"), [("websocket", True), ("http", True), ("lifespan", False)])
def test_websocket_and_http_messages_are_sent_without_delay(kind, at_once):
    with socket.socket() as sock:
        run(prompt.PromptMessages(nobody)({"type": kind}, Connection(sock).receive, nobody))
        assert bool(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)) is at_once


def test_server_without_a_visible_socket_still_answers():
    for receive in (nobody, Connection(None).receive):
        run(prompt.PromptMessages(nobody)({"type": "websocket"}, receive, nobody))


# --- uploads -------------------------------------------------------------------------------------------


class Uploads:
    """An app that takes uploads as Streamlit does, behind the limits of BoundedUploads."""

    def __init__(self):
        self.bytes_read = 0
        self.app = uploads.BoundedUploads(Starlette(routes=[Mount("/", self.take)]))

    async def take(self, scope, receive, send):
        request = Request(scope, receive)
        async for piece in request.stream():
            self.bytes_read += len(piece)
        await Response(status_code=400 if "stranger" in scope["path"] else 204)(scope, receive, send)

    async def __call__(self, scope, receive, send):
        await self.app(scope, receive, send)


def put(app, file, body, at="/_stcore/upload_file", **sent):
    status, _, answer = ask(app, f"{at}/{file}", "PUT", body, **sent)
    return status, answer.decode()


@pytest.fixture
def small_files(monkeypatch):
    monkeypatch.setattr(uploads, "MOST_BYTES", 300)
    monkeypatch.setattr(uploads, "FILE_BYTES", 10)


TOO_MUCH = (413, "Your files may have 130 MB together: remove one or reload the page, then try again.")
TAKEN = (204, "")


def test_upload_that_declares_too_large_a_size_is_not_read(small_files):
    app = Uploads()
    assert put(app, "mine/1", [b"x" * 97] * 3, content_length="291") == TOO_MUCH
    assert app.bytes_read == 0
    assert put(app, "mine/1", [b"x" * 290], content_length="290") == TAKEN


def test_upload_that_declares_no_true_size_is_read_up_to_the_limit(small_files):
    for said in ({}, {"content_length": "5"}, {"content_length": "five"}):
        app = Uploads()
        assert put(app, "mine/1", [b"x" * 100] * 9, **said) == TOO_MUCH
        assert app.bytes_read == 200
        assert app.app.held == {}


def test_files_of_a_visitor_count_together_until_removed(small_files):
    app = Uploads()
    assert [put(app, f"mine/{i}", [b"x" * 140]) for i in range(3)] == [TAKEN, TAKEN, TOO_MUCH]
    assert put(app, "mine/0", [b"x" * 140]) == TOO_MUCH  # the old mine/0 counts while the new one arrives
    assert put(app, "yours/1", [b"x" * 140]) == TAKEN
    assert ask(app, "/_stcore/upload_file/mine/0", "DELETE")[0] == 204
    assert put(app, "mine/3", [b"x" * 140]) == TAKEN


def test_empty_and_refused_files_are_counted_correctly(small_files):
    app = Uploads()
    assert [put(app, f"mine/{i}", [b""])[0] for i in range(31)] == [204] * 30 + [413]
    assert put(app, "stranger/1", [b"x" * 100])[0] == 400
    assert set(app.app.held) == {"mine"}
    assert ask(app, "/_stcore/upload_file/nobody/1", "DELETE")[0] == 204


def test_stalled_request_body_is_dropped_and_a_complete_one_is_not(monkeypatch):
    """The stalled body is a piece that announces more, which never comes."""
    monkeypatch.setattr(slow, "PATIENCE", 0.02)

    async def waits(scope, receive, send):
        await Request(scope, receive).body()
        await receive()
        await Response(status_code=204)(scope, receive, send)

    answers = []
    app = slow.SlowBodies(uploads.BoundedUploads(Starlette(routes=[Mount("/", waits)])))
    place = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/a/b", "root_path": "", "headers": []}

    async def ask_in_pieces(more):
        pieces = iter([{"type": "http.request", "body": b"1", "more_body": more}])

        async def receive():
            for piece in pieces:
                return piece
            await asyncio.sleep(0.1 if not more else 3_600)
            return {"type": "http.disconnect"}

        async def send(message):
            answers.append(message.get("status"))

        await app(place | {"query_string": b""}, receive, send)

    for more in (True, False):
        run(ask_in_pieces(more))
    assert [each for each in answers if each] == [408, 204]


@pytest.mark.parametrize("at", ["/_stcore/upload", "/_stcore/v2/upload_file", "/upload_file", "/moved"])
def test_uploads_to_unknown_addresses_are_refused(at):
    """An upgrade may move the address for uploads, and files that are not counted must be refused."""
    app = Uploads()
    for sent in ({}, {"content_length": "1"}, {"transfer_encoding": "chunked"}):
        assert put(app, "mine/1", [b"x"], at=at, **sent) == (413, "Nothing can be sent to this address.")
    assert put(app, "mine/1", [], at=at) == TAKEN
    assert app.bytes_read == 0


@pytest.mark.parametrize("method", ["POST", "PATCH", "GET"])
def test_uploads_by_other_methods_are_refused(method):
    app = Uploads()
    assert ask(app, "/_stcore/upload_file/mine/1", method, [b"x"])[0] == 413
    assert app.bytes_read == 0


def test_removal_request_may_have_only_a_short_body(small_files):
    app = Uploads()
    for body, status in ((b"x" * 10, 204), (b"x" * 11, 413)):
        assert ask(app, "/_stcore/upload_file/mine/0", "DELETE", [body])[0] == status


def test_number_of_counted_visitors_is_limited(small_files, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_VISITORS", 2)
    app = Uploads()
    for visitor in "abc":
        put(app, f"{visitor}/1", [b"x"])
    assert list(app.app.held) == ["b", "c"]


def test_limit_allows_two_files_of_the_largest_size():
    largest = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["server"]["maxUploadSize"] * 2**20
    assert largest == score_files.MAX_FILE_BYTES
    assert 2 * (largest + uploads.FILE_BYTES) < uploads.MOST_BYTES < 2.1 * largest


# --- the first visitor ---------------------------------------------------------------------------------

FINISHED, AGAIN = (
    ForwardMsg(script_finished=end) for end in (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_EARLY_FOR_RERUN)
)


class Opened:
    """An app that records its requests and answers every request for a page with the same messages."""

    def __init__(self, *answers):
        self.asked, self.answers = [], answers

    async def __call__(self, scope, receive, send):
        self.asked.append((scope["path"], None))
        if scope["type"] == "http":
            return
        assert (await receive())["type"] == "websocket.connect"
        wish = BackMsg.FromString((await receive())["bytes"])
        self.asked[-1] = (scope["path"], wish.rerun_script.page_name)
        for answer in self.answers:
            await send({"type": "websocket.send", "bytes": answer.SerializeToString()})
        assert (await receive())["type"] == "websocket.disconnect"


def serve(app):
    async def lifespan():
        async with warm.lifespan(app):
            pass

    run(lifespan())


def test_server_opens_every_lesson_and_the_bundle_before_it_answers():
    app = Opened(ForwardMsg(), AGAIN, FINISHED)
    serve(app)
    pages = [("/_stcore/stream", "" if stem == ORDER[0] else stem) for stem in ORDER]
    assert app.asked == [(f"/{bundle.BUNDLE}", None), *pages]


def test_the_server_compiles_its_templates_before_it_answers(monkeypatch):
    fresh = html._ENVIRONMENT.overlay()  # a copy with an empty cache
    monkeypatch.setattr(html, "_ENVIRONMENT", fresh)
    serve(Opened(FINISHED))
    assert sorted(name for _, name in fresh.cache.keys()) == fresh.list_templates()


def test_template_line_breaks_are_removed_except_in_scripts():
    script = "<script>\n  if (a) {\n  }\n  {{ b }}\n</script>"
    template = html._ENVIRONMENT.from_string(f"<p>\n  <b>{{{{ b }}}}</b>\n</p>\n{script}\n<i>")
    assert template.render(b="c") == f"<p><b>c</b></p>{script.replace('{{ b }}', 'c')}<i>"


def test_warm_up_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("SATTN_WARM_UP", "0")
    app = Opened(FINISHED)
    serve(app)
    assert app.asked == []


@pytest.mark.parametrize("answers", [(), (ForwardMsg(), AGAIN)])
def test_page_that_never_finishes_hardly_delays_the_first_response(monkeypatch, answers):
    monkeypatch.setattr(warm, "PATIENCE", 0.1)
    app = Opened(*answers)
    serve(app)
    assert [page for _, page in app.asked] == [None, ""]


# Prints five checks: all questions drawn, results cached, none added by a second visit, no pandas, no optimize.
SECOND_VISIT = """
import asyncio, sys, app
from pages._view.compute import store
from pages._view.lessons import LESSONS
from pages._view.server import warm

drawn = []

async def listen(scope, receive, send):
    async def hear(message):
        drawn.append(message.get("bytes") or b"")
        await send(message)
    await app.app(scope, receive, hear)

def kept():
    return {id(each) for each in store._store.values()}

async def main():
    async with app.app.lifespan()(app.app):
        first = kept()
        await warm.warm(listen)
        return first, kept()

first, second = asyncio.run(main())
said = b"".join(drawn)
print(all(each.question.encode() in said for each in LESSONS.values()), len(first) > 1, first == second)
print("pandas" not in sys.modules, "scipy.optimize" not in sys.modules)
"""


def test_first_visitor_finds_every_lesson_computed_without_pandas():
    """pandas (60 MB) is needed only for open tables, SciPy's optimize (24 MB) only for one density of derivation."""
    done = subprocess.run([sys.executable, "-c", SECOND_VISIT], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["True"] * 5, done.stderr


def test_streamlit_run_finds_the_app_and_no_folder_of_pages():
    from streamlit.starlette import App

    import app

    assert isinstance(app.app, App)
    assert server.MAIN.is_file()
    assert not (server.MAIN.parent / "pages").exists()


# Prints the number of threads that NumPy finds when it is loaded.
THREADS = """
import os, sys
from importlib.abc import MetaPathFinder

class Look(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "numpy":
            print(os.environ.get("OPENBLAS_NUM_THREADS"))

sys.meta_path.insert(0, Look())
"""


@pytest.mark.parametrize("module", ["app", "tests.benchmarks.counted"])
def test_numpy_multiplies_matrices_on_one_core(module):
    """Start the product, and the server that the benchmarks measure."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", f"{THREADS}import {module}"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["1"], done.stderr
