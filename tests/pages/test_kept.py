"""Caching of responses: public ones are the same for everybody, and private ones are never cached."""

import gzip
import re

import brotli
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route

from pages._view import server
from pages._view.compute import store
from pages._view.lesson import CLASS, GUESS, GUESSED_AT, PHONES, REVEAL
from pages._view.lessons import LESSONS, PAGES, path_of_page
from pages._view.server import compress, headers, kept, origin
from pages._view.shared import ROOM
from pages._view.version import VERSION
from tests.pages.asgi import ask

PLATFORM = "<html><head><title>Streamlit</title></head><body></body></html>"
NAMED, HERE = "https://lab.example", "http://testserver"
PAGE = "public, max-age=0, s-maxage=60, stale-while-revalidate=600"
FOR_NOW = "public, max-age=0, s-maxage=10"
DAY = "public, max-age=86400, s-maxage=86400, stale-while-revalidate=604800"
NOBODY, OF_HOST = "private, no-store", "private, no-cache"
MOVED = f"moving/score_variance?d_k=65&ground=dark&v={VERSION}"
CODE = f"code?at={NAMED}/recap"


class Platform:
    """A Streamlit page with an ETag; it answers 304 to browsers that have it."""

    async def __call__(self, scope, receive, send):
        page = HTMLResponse(PLATFORM, headers={"ETag": '"platform"', "Cache-Control": "no-cache"})
        known = dict(scope["headers"]).get(b"if-none-match") == b'"platform"'
        await (Response(status_code=304) if known else page)(scope, receive, send)


APP = Starlette(
    routes=[*server.routes(), Mount("/", app=Platform())],
    middleware=[*server.middleware(), Middleware(GZipMiddleware, minimum_size=1000)],
)


def answer(address, method="GET", **sent):
    return ask(APP, f"/{address}", method, **{"host": "testserver"} | sent)


def control(address, **sent):
    return answer(address, **sent)[1]["cache-control"]


@pytest.fixture
def named(monkeypatch):
    """Set the lab's public address."""
    monkeypatch.setenv(origin.ORIGIN, NAMED)


@pytest.fixture
def unnamed(monkeypatch):
    monkeypatch.delenv(origin.ORIGIN, raising=False)


BROWSERS = [
    {"cookie": "lab_visitor=0123; lab_teacher=x; _streamlit_xsrf=1; replica=1"},
    {"accept_language": "de", "user_agent": "other", "referer": "https://other.example/", "dnt": "1"},
    {"accept": "text/html"},
    {"accept": "*/*", "sec_fetch_mode": "navigate", "save_data": "on", "sec_ch_prefers_color_scheme": "dark"},
    {"host": "evil.example", "x_forwarded_host": "evil.example", "x_forwarded_proto": "https", "forwarded": "host=a"},
    {"x_forwarded_for": "1.2.3.4", "authorization": "Basic eA==", "origin": "https://evil.example"},
    {"if_none_match": '"platform"', "if_modified_since": "Thu, 26 Nov 2099 00:00:00 GMT", "range": "bytes=0-5"},
]
KEPT = [*(path_of_page(stem) for stem in PAGES), "score_variance?embed=1&seed=3", "?bet=1", MOVED, CODE]
KEPT += ["cards/start.png", "cards/score_variance/draw.png", "robots.txt", "sitemap.xml"]


@pytest.mark.parametrize("address", KEPT)
def test_publicly_cached_response_is_the_same_for_every_browser(named, address):
    first = answer(address)
    assert first[0] == 200
    assert first[1]["cache-control"] in (PAGE, DAY, *[FOR_NOW] * (address == "training_race"))  # race not yet trained
    assert "set-cookie" not in first[1]
    assert re.fullmatch('"[0-9a-f]{32}"', first[1]["etag"])
    for browser in BROWSERS:
        assert answer(address, **browser) == first


@pytest.mark.parametrize("address", KEPT)
def test_head_answers_like_get(named, address):
    for taken in ("", "gzip", "br"):
        status, got, body = answer(address, accept_encoding=taken)
        assert answer(address, "HEAD", accept_encoding=taken) == (status, got, b"")
        assert int(got["content-length"]) == len(body)


@pytest.mark.parametrize("address", [*KEPT, "no_such_page", "start", "j", "j/ABCD/news"])
def test_vary_is_sent_once_and_every_address_answers_head(unnamed, address):
    status, got, _ = answer(address, accept_encoding="gzip, br")
    assert got.get("vary", "Accept-Encoding") == "Accept-Encoding"
    assert answer(address, "HEAD", accept_encoding="gzip, br") == (status, got, b"")


UNPACK = {None: bytes, "gzip": gzip.decompress, "br": brotli.decompress}


@pytest.mark.parametrize("address", ["", MOVED, CODE, "sitemap.xml"])
def test_each_encoding_has_its_own_etag_and_answers_304_to_it(named, address):
    marks = set()
    plain = answer(address)[2]
    for taken, packed in (("", None), ("gzip;q=0", None), ("deflate, gzip", "gzip"), ("gzip, deflate, br", "br")):
        _, got, body = answer(address, accept_encoding=taken)
        assert (got.get("content-encoding"), UNPACK[packed](body)) == (packed, plain)
        assert got["etag"].endswith(f'-{packed}"' if packed else got["etag"][-5:])
        marks.add(got["etag"])
        for said in (got["etag"], f'"x", W/{got["etag"]}', "*"):
            status, told, nothing = answer(address, accept_encoding=taken, if_none_match=said)
            same = ("etag", "cache-control", "vary")
            assert (status, nothing, [told[name] for name in same]) == (304, b"", [got[name] for name in same])
            assert not {"content-length", "content-encoding", "content-type"} & told.keys()
    assert len(marks) == 3
    assert answer(address, accept_encoding="br", if_none_match=got["etag"][:-4] + '"')[0] == 200


def test_different_pages_have_different_etags(named):
    marks = [answer(address)[1]["etag"] for address in ("score_variance", "score_variance?seed=3", "recap")]
    assert len(set(marks)) == 3


# --- the lab's own name ---------------------------------------------------------------------------------


def test_addresses_name_the_configured_host_not_the_requested_one(named):
    for address in ("score_variance?seed=3", "score_variance?embed=1", "robots.txt", "sitemap.xml"):
        said = answer(address, host="evil.example", x_forwarded_proto="http")[2].decode()
        assert f"{NAMED}/" in said
        assert "evil" not in said
        assert "testserver" not in said


def test_responses_that_name_the_requested_host_are_not_shared(unnamed):
    for address in ("", "score_variance?seed=3", "recap?embed=1", "robots.txt", "sitemap.xml", f"code?at={HERE}/recap"):
        status, got, body = answer(address)
        assert (status, got["cache-control"]) == (200, OF_HOST)
        assert answer(address, if_none_match=got["etag"])[0] == 304
        assert address.startswith("code") or f"{HERE}/".encode() in body
        assert address.startswith("code") or b"http://10.0.0.5:8501/" in answer(address, host="10.0.0.5:8501")[2]


@pytest.mark.parametrize("address", [MOVED, "cards/start.png"])
def test_responses_without_a_host_are_shared_even_without_an_origin(unnamed, address):
    assert control(address) == DAY
    assert answer(address, host="evil.example") == answer(address)


# --- a visitor's own ------------------------------------------------------------------------------------

OURS = [
    f"{ROOM}=ABCD",
    f"{CLASS}=4~8",
    f"{PHONES}=3",
    f"{GUESS}=4",
    f"{GUESSED_AT}=d_k%3D8",
    f"{REVEAL}=1",
    "tally=1-2",
]


@pytest.mark.parametrize("said", OURS)
def test_page_with_bets_of_a_visitor_or_a_class_is_never_cached(named, said):
    for address in (f"score_variance?bet=1&{said}", f"score_variance?embed=1&{said}", f"?{said}&{said}"):
        _, got, _ = answer(address)
        assert (got["cache-control"], "etag" in got) == (NOBODY, False)
    name, text = said.split("=")
    assert control(f"score_variance?%{ord(name[0]):x}{name[1:]}={text}") == NOBODY


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("score_variance?seed=mine", 307),
        (f"{MOVED}&seed=mine", 404),
        ("start", 307),
        ("start?seed=mine", 307),
        ("score_variance?q_3d=1", 307),
        ("bet/score_variance?guess=4&bet=1", 303),
        ("bet/nothing", 404),
        ("no_such_page", 404),
        ("cards/nothing.png", 404),
        ("cards/start/nothing.png", 404),
        ("moving/nothing", 404),
        ("code?at=text", 404),
        ("code?at=https://evil.example/", 404),
        (f"code?at={NAMED}/recap%3Froom=ABCD", 200),
        (f"code?at={NAMED}/recap%3Fguess=3", 200),
        (f"code?at={NAMED}/j/ABCD", 200),
        (f"code?at={NAMED}/room/ABCD", 200),
        ("j", 200),
        ("j/ABCD", 303),
        ("j/ABCD/news", 404),
        ("room", 200),
        ("room/ABCD", 404),
        ("room/ABCD/state", 404),
    ],
)
def test_private_responses_and_errors_are_never_cached(named, address, status):
    for method in ("GET", "HEAD"):
        got_status, got, _ = answer(address, method)
        assert (got_status, got["cache-control"], "etag" in got) == (status, NOBODY, False)


def test_qr_code_of_the_requested_host_is_not_shared(named):
    assert (control(CODE), control(f"code?at={HERE}/recap")) == (DAY, OF_HOST)
    assert answer("code?at=https://evil.example/", host="evil.example")[1]["cache-control"] == OF_HOST


@pytest.mark.parametrize("said", ["public, max-age=60", "", "no-cache"])
def test_response_with_a_cookie_is_never_cached(said):
    async def giving(scope, receive, send):
        given = Response("hello", headers={"Cache-Control": said} if said else {})
        given.set_cookie("a", "b")
        await given(scope, receive, send)

    _, got, _ = ask(headers.SecurityHeaders(giving), "/page")
    assert (got["cache-control"], "set-cookie" in got) == (NOBODY, True)


@pytest.mark.parametrize(("came_by", "secure"), [("http", False), ("https", True)])
def test_cookies_are_secure_only_if_the_visitor_used_https(came_by, secure):
    """Check Streamlit's cookies too: Streamlit sees only the scheme of the proxy's own request."""

    async def giving(scope, receive, send):
        given = Response("hello")
        given.set_cookie("_streamlit_xsrf", "2|secure")
        given.set_cookie("mine", "b", secure=secure)
        await given(scope, receive, send)

    _, got, _ = ask(headers.SecurityHeaders(giving), "/page", x_forwarded_proto=came_by)
    assert [each.count("; Secure") for each in got["set-cookie"].splitlines()] == [secure, secure]


# --- a picture that takes long --------------------------------------------------------------------------


def test_page_without_its_picture_is_cached_only_briefly(named, monkeypatch):
    assert control("score_variance") == PAGE
    monkeypatch.setattr(store, "AT_ONCE", 0.0)
    assert control("score_variance") == FOR_NOW
    assert control("score_variance?embed=1") == FOR_NOW
    assert control("recap") == PAGE  # recap opens without a picture
    assert control("score_variance?bet=1") == PAGE  # the part shown before a bet is always there


def test_pages_are_cached_for_at_most_fifteen_minutes():
    """Limit the age of a page: an older page may ask for files that a new deploy lacks."""
    whole = sum(map(int, re.findall(r"(?:s-maxage|revalidate)=(\d+)", kept.PAGE)))
    assert whole <= 15 * 60
    assert "max-age=0" in kept.PAGE.split(", ")
    assert {path_of_page(stem) for stem in LESSONS} <= set(KEPT)


# --- static files ---------------------------------------------------------------------------------------

SCRIPT = b"let a = 1;\n" * 500


def test_a_static_file_has_an_etag_for_each_encoding():
    def file(_request):
        return Response(SCRIPT, media_type="application/javascript", headers={"ETag": '"file"'})

    app = compress.KeptCompression(Starlette(routes=[Route("/static/a.js", file)]))
    for taken, mark in (("gzip", '"file-gzip"'), ("br", '"file-br"'), ("", '"file"')):
        for _ in range(2):  # compressed first, then from the cache
            assert ask(app, "/static/a.js", accept_encoding=taken)[1]["etag"] == mark
            status, got, body = ask(app, "/static/a.js", accept_encoding=taken, if_none_match=mark)
            assert (status, body, got["etag"]) == ((304, b"", mark) if taken else (200, SCRIPT, mark))
