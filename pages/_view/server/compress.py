"""Static files compressed once and kept: Streamlit sends its own as they are, a proxy would pack them each time."""

import asyncio
import gzip
import re

import brotli
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages._view.server.whole import WholeAnswer, send_whole, unpacked

KEPT_BYTES = 16_000_000  # all of Streamlit's files and the bundle are under 5 MB compressed
FOLDERS = ("/static/", "/assets/")  # Streamlit's files and ours, each under a name that changes with its content
SMALLEST = 1_000  # bytes; below it the header outweighs the gain
# The best first. Brotli packs the bundle a sixth smaller than gzip; its level 11 a tenth smaller still, in 20 times the
# time; gzip's level 6 a hundredth larger than 9, in a tenth of the time.
_PACKERS = {
    "br": lambda body: brotli.compress(body, quality=9),
    "gzip": lambda body: gzip.compress(body, 6, mtime=0),
}
_AT_ONCE = {  # of a page, which is packed anew for each visitor
    "br": lambda body: brotli.compress(body, quality=4),
    "gzip": lambda body: gzip.compress(body, 1, mtime=0),
}
_NONE = re.compile(r"0(\.0*)?")  # the quality of an encoding that is refused (RFC 9110, 12.4.2)
TYPES = ("text/", "application/javascript", "application/json", "image/svg+xml", "application/wasm")


class KeptCompression:
    """Compresses a static file the first time a browser asks for it, as well as that browser takes it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.kept: dict[tuple[str, str], tuple[Message, bytes]] = {}  # by path and encoding
        self.size = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        encoding = _wanted(scope) if scope["type"] == "http" else None
        if encoding is None:
            await self.app(scope, receive, send)
            return
        place = scope["path"], encoding
        if place in self.kept:
            await send_whole(send, *self.kept[place])
            return

        async def pack(start, body):
            return self._keep(place, *await _packed(start, body, encoding))

        await self.app(unpacked(scope), receive, WholeAnswer(send, _worth_keeping, pack))

    def _keep(self, place, start, body):
        """Keep an answer while there is room; files are few, so nothing ever has to leave."""
        if place not in self.kept and self.size + len(body) <= KEPT_BYTES:
            self.kept[place] = (start, body)
            self.size += len(body)
        return start, body


async def _packed(start, body, encoding):
    packed = await asyncio.to_thread(_PACKERS[encoding], body)
    headers = MutableHeaders(raw=list(start["headers"]))
    _say(headers, packed, encoding)
    return start | {"headers": headers.raw}, packed


def _say(headers, packed, encoding):
    headers["Content-Encoding"], headers["Content-Length"] = encoding, str(len(packed))
    headers.add_vary_header("Accept-Encoding")


def packed_at_once(headers: MutableHeaders, body: bytes, scope: Scope) -> bytes:
    """An answer that no other visitor gets, packed as well as is quick; its headers say so."""
    encoding = _taken(Headers(scope=scope))
    if encoding is None:
        headers["Content-Length"] = str(len(body))
        return body
    packed = _AT_ONCE[encoding](body)
    _say(headers, packed, encoding)
    return packed


def _wanted(scope):
    """How to pack the answer; None if it is to go as it comes."""
    headers = Headers(scope=scope)
    here = scope["method"] == "GET" and any(folder in scope["path"] for folder in FOLDERS)
    return _taken(headers) if here and "range" not in headers else None


def _taken(headers):
    """The best that the browser takes."""
    said = headers.get("accept-encoding", "").lower().replace(" ", "").split(",")
    taken = [name for name, _, quality in (each.partition(";q=") for each in said) if not _NONE.fullmatch(quality)]
    return next((each for each in _PACKERS if each in taken), None)


def _worth_keeping(start):
    headers = Headers(raw=start["headers"])
    large = int(headers.get("content-length", 0)) >= SMALLEST
    plain = "content-encoding" not in headers and headers.get("content-type", "").startswith(TYPES)
    return start["status"] == 200 and large and plain
