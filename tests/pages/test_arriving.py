"""The visitors of the benchmark `crowd`: they request what a browser requests, and every wait is counted."""

import asyncio
import json
import math
import random
import time
from contextlib import asynccontextmanager

import brotli
import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Mount

from pages._view import entry
from pages._view.address import Address
from pages._view.lessons import LESSONS
from pages._view.server import shell
from tests.benchmarks import arriving
from tests.benchmarks.arriving import STOPS, Crowd, Page, unchunked
from tests.benchmarks.ratios import crossing
from tests.pages.asgi import ask, run

PLATFORM = """<html><head><title>Streamlit</title><link rel="shortcut icon" href="./favicon.png" />
<script type="module" crossorigin src="./static/js/index.js"></script></head><body></body></html>"""
LAB = shell.Shell(Starlette(routes=[Mount("/", app=HTMLResponse(PLATFORM))]))
TOLD = {
    "slider": {"name": "d_k", "value": 64, "stops": [*range(0, 129, 4)]},
    "picture": {"values": {"d_k": 64}, "usual": {"d_k": 64}, "address": "moving/one?v=1"},
}
HTML = f"""<link rel="preload" href="./a.woff2"><script>'<link rel="stylesheet" href="no.css">'</script>
<script src="b.js"></script><template id="lab-platform"><script src="c.js"></script></template>
<script type="application/json" id="lab-told">{json.dumps(TOLD)}</script>"""


class Site:
    """A server that answers everything and records the requests; paths in `broken` get a 500."""

    def __init__(self, broken=()):
        self.asked, self.broken, self.answering = [], broken, set()

    @asynccontextmanager
    async def open(self):
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            await asyncio.gather(*self.answering)  # until all visitors have disconnected

    async def _answer(self, reader, writer):
        self.answering.add(asyncio.current_task())
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split()[1].decode()
                self.asked.append(path)
                body = brotli.compress(HTML.encode()) if path.startswith("/lesson") else b"x" * 9
                length = b"Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n"
                if path != "/b.js":
                    length = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
                status = b"500 Broken" if path in self.broken else b"200 OK"
                writer.write(b"HTTP/1.1 %s\r\nX-Cache: %s\r\n%s" % (status, b"HIT", length))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


async def come(site, links, session=None, late=0.0):
    async with site.open() as url:
        crowd = Crowd(url)
        if late:
            person = arriving._Person(crowd, 0, random.Random(1))
            await person.visit(links[0][0], time.perf_counter() - late)
        else:
            await crowd.come(links, 1000, random.Random(1), session)
        return crowd.waits


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(arriving, "LOOKS", 0.0)
    monkeypatch.setattr(arriving, "EACH", 0.0)


def test_all_requests_of_a_visitor_are_counted():
    site = Site()
    waits = run(come(site, [("/lesson?d_k=64", False)] * 3))
    assert {kind: len(each) for kind, each in waits.by_kind.items()} == {
        "page": 3,
        "file": 6,
        "picture": 3 * (1 + STOPS),
    }
    assert waits.answers == waits.kept == len(site.asked) == len(waits.all())
    assert (len(waits.opened), len(waits.late), waits.errors) == (3, 3, [])
    assert {path for path in site.asked if "moving" not in path} == {"/lesson?d_k=64", "/a.woff2", "/b.js"}
    assert site.asked.count("/moving/one?ground=light&v=1") == 3
    assert all(path.startswith("/moving/one?d_k=") for path in site.asked if "d_k" in path and "moving" in path)


def test_page_wait_counts_from_the_planned_arrival():
    waits = run(come(Site(), [("/lesson", False)], late=50.0))
    assert waits.by_kind["page"][0] >= 50_000
    assert waits.opened[0] >= 50_000
    assert waits.late[0] >= 50_000


def test_picture_wait_counts_from_the_slider_move(monkeypatch):
    monkeypatch.setattr(arriving, "EACH", -10.0)  # each stop is due ten seconds before the previous one
    waits = run(come(Site(), [("/lesson", False)]))
    drag = waits.by_kind["picture"][1:]
    assert all(wait >= 10_000 * number for number, wait in enumerate(drag))


def test_failed_response_counts_as_an_infinite_wait_and_one_error():
    waits = run(come(Site(broken=("/a.woff2",)), [("/lesson", False), ("/lesson?other", False)]))
    assert waits.by_kind["file"].count(math.inf) == 2
    assert [each.split(":")[0] for each in waits.errors] == ["/lesson", "/lesson?other"]
    assert waits.opened == []


def test_visitor_loads_streamlit_before_opening_a_session():
    site, gone = Site(), []

    async def session(link, due, waits):
        gone.append((link, "/c.js" in site.asked))

    waits = run(come(site, [("/lesson", True), ("/lesson", False)], session))
    assert gone == [("/lesson", True)]
    assert len(waits.by_kind["platform"]) == site.asked.count("/c.js") == 1


@pytest.mark.parametrize("query", ["d_k=128&step=straighten", "d_k=64&seed=7&step=divide"])
def test_picture_url_contains_the_name_of_its_cache_entry(query):
    link = f"/score_variance?{query}"
    _, _, body = ask(LAB, link, host="lab.example", accept="text/html")
    page = Page.of(link, body.decode())
    said = dict(each.split("=") for each in query.split("&"))
    here = Address(LESSONS["score_variance"], said)
    assert page.at() == f"/moving/score_variance?{entry.name_of(here, 'light')}"
    moved = Address(LESSONS["score_variance"], said | {"d_k": "256"})
    assert page.at(256) == f"/moving/score_variance?{entry.name_of(moved, 'light')}"
    assert "/favicon.png" in page.files
    assert page.platform == ("/static/js/index.js", *page.platform[1:])
    assert not {*page.files} & {*page.platform}


def test_drag_starts_at_a_stop_near_the_linked_value():
    page = Page.of("/lesson", HTML)
    for seed in range(20):
        passed = page.drag(random.Random(seed))
        assert len(passed) == STOPS
        assert passed[0] in (56, 60, 68, 72)


def test_chunked_body_is_joined_only_when_complete():
    whole = b"3\r\na\r\n\r\n10;x\r\n0123456789abcdef\r\n0\r\n\r\n"
    assert unchunked(whole) == b"a\r\n0123456789abcdef"
    assert {unchunked(whole[:end]) for end in range(len(whole))} == {None}


def test_rate_at_the_limit_is_interpolated_between_two_measured_rates():
    assert crossing(100, 50, 200, 5000, 500) == pytest.approx(100 * 2**0.5)
    assert crossing(100, 500, 200, 5000, 500) == 100
    assert crossing(100, 50, 200, 500, 500) == pytest.approx(200)
    assert crossing(100, 50, 200, math.inf, 500) == 100
