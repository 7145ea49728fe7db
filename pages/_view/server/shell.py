"""Additions to Streamlit's page: the lesson's title and card, text for browsers without scripts or websockets, and a
lasting connection. A missing page gets a 404 response.
"""

import gzip
from functools import partial
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages._view.server import first, links
from pages._view.server.kept import NOT_KEPT, as_kept, for_page
from pages._view.server.rooms import is_place_of_rooms
from pages._view.server.threads import drawn
from pages._view.server.whole import WholeAnswer, unpacked, whole

_FOLDER = Path(__file__).parent
_FILES = ("../live/lab.js", "../live/streamlit.js", "shell.html", "lasting.js", "hidden.js")
_TEXTS = tuple((_FOLDER / name).read_bytes() for name in _FILES)
_WORDS = b"<script>\n%s%s</script>\n%s<script>\n%s%s</script>\n" % _TEXTS


class Shell:
    """Middleware that adds text and scripts to Streamlit's HTML page; the scripts run before Streamlit's own."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "GET" and not is_place_of_rooms(scope["path"]):
            if place := links.moved(Request(scope)) or links.own_draw(Request(scope)):
                await RedirectResponse(place, 307, {"Cache-Control": NOT_KEPT})(scope, receive, send)
                return
            send = WholeAnswer(send, _is_page, partial(_with_words, Request(scope)))
            if links.lesson_at(scope["path"]) is not None:
                scope = whole(unpacked(scope))  # Streamlit would compress the page, and does not know our ETags
        await self.app(scope, receive, send)


def _is_page(start):
    return start["status"] == 200 and Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")


async def _with_words(request, start, page):
    """Return a lesson's page with the additions, or the response for a missing page."""
    headers = MutableHeaders(raw=list(start["headers"]))
    if headers.get("content-encoding") == "gzip":  # Streamlit compresses missing pages
        page = gzip.decompress(page)
        del headers["content-encoding"]
    if place := links.first_by_name(request):  # the lesson has another address
        headers["Location"] = place
    start = start | {"headers": headers.raw}
    return await drawn(_answer, request, start, page, bool(place))


def _answer(request, start, page, is_elsewhere):
    stem = links.lesson_at(request.url.path)
    if is_elsewhere:
        return as_kept(request.scope, start | {"status": 307}, b"", NOT_KEPT)
    if stem is None:
        return as_kept(request.scope, start | {"status": 404}, first.missing_page().encode(), NOT_KEPT)
    text, settled = first.page_of(request, page.replace(b"</body>", _WORDS + b"</body>").decode(), stem)
    return as_kept(request.scope, start, text.encode(), for_page(request.query_params, settled=settled))
