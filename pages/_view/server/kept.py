"""Cache headers: who may keep an answer and for how long, and the ETag by which a kept one is known again."""

from collections.abc import Collection
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages._view import entry
from pages._view.server.compress import encoding_for, mark_for, packed
from pages._view.server.origin import origin
from pages._view.server.whole import is_known, unchanged

# A page names the files of its deploy, and no address of a page says which that is. So a shared cache keeps it for a
# minute, after which one visitor in that minute costs the server what all did before, and ten minutes after a deploy
# nobody gets the old one; a browser asks each time, and is told by the mark that nothing has changed.
PAGE = "public, max-age=0, s-maxage=60, stale-while-revalidate=600"
# The same while its picture is not computed: the next one may have it.
PAGE_FOR_NOW = "public, max-age=0, s-maxage=10"
# What another version of the code has under another name, or what no code draws: for a day, and while a new one is
# fetched for a week. No longer, so that a cache of a few hundred MB holds what is asked for now.
FOR_A_DAY = "public, max-age=86400, s-maxage=86400, stale-while-revalidate=604800"
# What depends on the host that the browser asks for: whoever asks with another one must not get it.
OF_HOST = "private, no-cache"
# What is one visitor's or one class's, what is so for a moment only, and what went wrong.
NOT_KEPT = "private, no-store"
FOR_BACK = "private, no-cache"  # by the browser alone, whose Back key shows it, its fields filled


def for_page(query: Collection[str], *, settled: bool = True) -> str:
    """Return who may keep a page, at an address with these parameters. settled: its picture is computed."""
    if entry.is_theirs(query):
        return NOT_KEPT
    if not origin():
        return OF_HOST
    return PAGE if settled else PAGE_FOR_NOW


def as_kept(scope: Scope, start: Message, body: bytes, control: str) -> tuple[Message, bytes]:
    """Return a whole answer packed, with its mark, or the answer that says that the browser has it already.

    The mark is a hash of the body before it is packed, with the way of packing. What nobody keeps has none.
    """
    headers = MutableHeaders(raw=list(start["headers"]))
    for name in ("ETag", "Last-Modified", "Accept-Ranges"):  # of what the answer was made from
        del headers[name]
    headers["Cache-Control"] = control
    encoding = encoding_for(scope, headers, body)
    if control != NOT_KEPT and start["status"] == 200:
        headers["ETag"] = mark_for(f'"{sha256(body).hexdigest()[:32]}"', encoding)
        if is_known(scope, headers["ETag"]):
            return unchanged({**start, "headers": headers.raw}), b""
    body = packed(headers, body, encoding)
    return {**start, "headers": headers.raw}, body


def answer(scope: Scope, body: bytes, media_type: str, control: str) -> Response:
    """Return an answer of a route of ours, packed and marked."""
    plain = Response(b"", media_type=media_type)
    start, body = as_kept(scope, {"status": 200, "headers": plain.raw_headers}, body, control)
    made = Response(body, start["status"])
    made.raw_headers = start["headers"]
    return made


def nothing(status: int) -> Response:
    """Return an answer without a body, which nobody keeps."""
    return Response(status_code=status, headers={"Cache-Control": NOT_KEPT})


class HeadsAsGets:
    """Answers HEAD with the headers of GET: what lies further in sees GET, and its body stays behind."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_without_body(message):
            if message["type"] != "http.response.body":
                await send(message)
            elif not message.get("more_body"):
                await send({"type": "http.response.body", "body": b""})

        await self.app({**scope, "method": "GET"}, receive, send_without_body)
