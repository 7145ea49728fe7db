"""What a page has besides Streamlit's: its own title and card, words for browsers without scripts or websockets, and a
lasting connection. Where there is no page, the answer says so.
"""

import gzip
from functools import partial
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages._view.server import first, links
from pages._view.server.compress import packed_at_once
from pages._view.server.rooms import is_place_of_rooms
from pages._view.server.threads import drawn
from pages._view.server.whole import WholeAnswer, unpacked

_FOLDER = Path(__file__).parent
_FILES = ("../live/lab.js", "../live/streamlit.js", "shell.html", "lasting.js")
_WORDS = b"<script>\n%s%s</script>\n%s<script>\n%s</script>\n" % tuple((_FOLDER / name).read_bytes() for name in _FILES)


class Shell:
    """Puts words and scripts at the end of Streamlit's HTML page; they run before Streamlit's own."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "GET" and not is_place_of_rooms(scope["path"]):
            if place := links.moved(Request(scope)) or links.own_draw(Request(scope)):
                await RedirectResponse(place, 307, {"Cache-Control": "no-store"})(scope, receive, send)
                return
            send = WholeAnswer(send, _is_page, partial(_with_words, Request(scope)))
            if "text/html" in Headers(scope=scope).get("accept", ""):
                scope = unpacked(scope)  # Streamlit compresses the page at a lesson's address
        await self.app(scope, receive, send)


def _is_page(start):
    return start["status"] == 200 and Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")


async def _with_words(request, start, page):
    """The page of a lesson with its words, or what stands where there is none."""
    headers = MutableHeaders(raw=list(start["headers"]))
    if headers.get("content-encoding") == "gzip":  # for who asks for anything, as those who look for a link's card
        page = gzip.decompress(page)
        del headers["content-encoding"]
    status, page, place = await drawn(_answer, request, page)
    if place is not None:
        headers["Location"] = place
    page = await run_in_threadpool(packed_at_once, headers, page, request.scope)
    for name in ("ETag", "Last-Modified"):  # of the file without our words
        del headers[name]
    return start | {"headers": headers.raw, "status": status}, page


def _answer(request, page):
    """Status, page, and where else to look, if anywhere."""
    stem, place = links.lesson_at(request.url.path), links.first_by_name(request)
    if place is not None:
        return 307, b"", place
    if stem is None:
        return 404, first.missing_page().encode(), None
    return 200, first.page_of(request, page.replace(b"</body>", _WORDS + b"</body>").decode(), stem).encode(), None
