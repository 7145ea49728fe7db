"""Cache headers: who may cache a response and for how long, and the ETag that identifies it."""

from collections.abc import Collection
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages._view import entry
from pages._view.server.compress import encoding_for, mark_for, packed
from pages._view.server.origin import origin
from pages._view.server.whole import is_known, unchanged

# A page contains the names of its deploy's files, but its own URL stays the same. So a shared cache keeps it for a
# minute: only one request per minute reaches the server, and ten minutes after a deploy nobody gets the old page. A
# browser asks each time, and gets a 304 if nothing has changed.
PAGE = "public, max-age=0, s-maxage=60, stale-while-revalidate=600"
# For a page whose picture is not computed yet: the next response may have the picture.
PAGE_FOR_NOW = "public, max-age=0, s-maxage=10"
# For files whose names change with the code, and files that do not depend on it: caches keep them for a day, and for a
# week while they fetch a new one; not longer, so that a cache of a few hundred MB has room for the files in use.
FOR_A_DAY = "public, max-age=86400, s-maxage=86400, stale-while-revalidate=604800"
# Responses that depend on the host of the request: a request with another host must not get them.
OF_HOST = "private, no-cache"
# Responses for one visitor or class, responses that are true only for a moment, and errors.
NOT_KEPT = "private, no-store"
FOR_BACK = "private, no-cache"  # for the browser's Back button, which shows the page with its fields filled


def for_page(query: Collection[str], *, settled: bool = True) -> str:
    """Return the Cache-Control of a page with these parameters. settled: True if its picture is computed."""
    if entry.is_theirs(query):
        return NOT_KEPT
    if not origin():
        return OF_HOST
    return PAGE if settled else PAGE_FOR_NOW


def as_kept(scope: Scope, start: Message, body: bytes, control: str) -> tuple[Message, bytes]:
    """Return a whole response compressed, with its ETag, or a 304 if the browser has it already.

    The ETag is a hash of the uncompressed body, with the encoding. Uncacheable responses have none.
    """
    headers = MutableHeaders(raw=list(start["headers"]))
    for name in ("ETag", "Last-Modified", "Accept-Ranges"):  # headers of the page from which this response was made
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
    """Return a response of one of the lab's routes, compressed and with an ETag."""
    plain = Response(b"", media_type=media_type)
    start, body = as_kept(scope, {"status": 200, "headers": plain.raw_headers}, body, control)
    made = Response(body, start["status"])
    made.raw_headers = start["headers"]
    return made


def nothing(status: int) -> Response:
    """Return a response without a body, which nobody caches."""
    return Response(status_code=status, headers={"Cache-Control": NOT_KEPT})


class HeadsAsGets:
    """Middleware that answers HEAD with the headers of GET: inner layers see GET, and the body is dropped."""

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
