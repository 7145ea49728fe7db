"""Compression; static files are compressed only once. Streamlit sends its own uncompressed, and a proxy would
compress them for every request.
"""

import asyncio
import gzip
import re

import brotli
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages._view.server.whole import WholeAnswer, is_known, send_whole, unchanged, unpacked

KEPT_BYTES = 16_000_000  # more than enough: Streamlit's files and the bundle are under 5 MB compressed
FOLDERS = ("/static/", "/assets/")  # Streamlit's files and ours, whose names change with their content
SMALLEST = 1_000  # bytes: smaller bodies are not worth it; Streamlit compresses larger ones that we have not
# Best encoding first. Brotli makes the bundle a sixth smaller than gzip. Its level 11 saves another tenth but takes 20
# times as long; gzip's level 6 is a hundredth larger than level 9 and ten times as fast.
_PACKERS = {
    "br": lambda body: brotli.compress(body, quality=9),
    "gzip": lambda body: gzip.compress(body, 6, mtime=0),
}
_AT_ONCE = {  # for pages and pictures, compressed for each request
    "br": lambda body: brotli.compress(body, quality=4),
    "gzip": lambda body: gzip.compress(body, 1, mtime=0),
}
_NONE = re.compile(r"0(\.0*)?")  # the quality value that refuses an encoding (RFC 9110, 12.4.2)
TYPES = ("text/", "application/javascript", "application/json", "application/xml", "image/svg+xml", "application/wasm")


class KeptCompression:
    """Middleware that compresses a static file at its first request, in the best encoding that the browser accepts."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.kept: dict[tuple[str, str], tuple[Message, bytes]] = {}  # by path and encoding
        self.size = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope = _plain(scope) if scope["type"] == "http" else scope
        encoding = _wanted(scope) if scope["type"] == "http" else None
        if encoding is None:
            await self.app(scope, receive, send)
            return
        place = scope["path"], encoding
        if place in self.kept:
            await send_whole(send, *_answer(scope, *self.kept[place]))
            return

        async def pack(start, body):
            return _answer(scope, *self._keep(place, *await _packed(start, body, encoding)))

        await self.app(unpacked(scope), receive, WholeAnswer(send, _worth_keeping, pack))

    def _keep(self, place, start, body):
        """Cache a response while there is room; there are so few files that none is ever evicted."""
        if place not in self.kept and self.size + len(body) <= KEPT_BYTES:
            self.kept[place] = (start, body)
            self.size += len(body)
        return start, body


async def _packed(start, body, encoding):
    smaller = await asyncio.to_thread(_PACKERS[encoding], body)
    headers = MutableHeaders(raw=list(start["headers"]))
    _say(headers, smaller, encoding)
    if "etag" in headers:
        headers["ETag"] = mark_for(headers["ETag"], encoding)
    return start | {"headers": headers.raw}, smaller


def mark_for(mark: str, encoding: str | None) -> str:
    """Return the ETag of a response in this encoding, since each encoding has other bytes."""
    return f'{mark[:-1]}-{encoding}"' if encoding else mark


def _answer(scope, start, body):
    mark = Headers(raw=start["headers"]).get("etag")
    return (unchanged(start), b"") if mark and is_known(scope, mark) else (start, body)


def _say(headers, packed, encoding):
    headers["Content-Encoding"], headers["Content-Length"] = encoding, str(len(packed))
    _vary(headers)


def _vary(headers):
    if "accept-encoding" not in headers.get("vary", "").lower().replace(" ", "").split(","):
        headers.add_vary_header("Accept-Encoding")


def encoding_for(scope: Scope, headers: MutableHeaders, body: bytes) -> str | None:
    """Return the encoding for a whole response, None for no compression; add a Vary to its headers."""
    if not headers.get("content-type", "").startswith(TYPES):
        return None
    _vary(headers)
    return _best(scope) if len(body) >= SMALLEST else None


def packed(headers: MutableHeaders, body: bytes, encoding: str | None) -> bytes:
    """Return a body compressed by a fast method, and set the headers for it."""
    if encoding is None:
        headers["Content-Length"] = str(len(body))
        return body
    smaller = _AT_ONCE[encoding](body)
    _say(headers, smaller, encoding)
    return smaller


def _wanted(scope):
    """Return the encoding for the response; None to leave it as it is."""
    here = scope["method"] == "GET" and any(folder in scope["path"] for folder in FOLDERS)
    return _best(scope) if here and "range" not in Headers(scope=scope) else None


def _best(scope):
    """Return the best encoding that the browser accepts, if any."""
    return next(iter(_taken(scope)), None)


def _taken(scope):
    """Return the encodings that the browser accepts, the best first."""
    said = Headers(scope=scope).get("accept-encoding", "").lower().replace(" ", "").split(",")
    taken = [name for name, _, quality in (each.partition(";q=") for each in said) if not _NONE.fullmatch(quality)]
    return [each for each in _PACKERS if each in taken]


def _plain(scope):
    """Return the request without the encodings that it refuses, because Streamlit would use them."""
    taken = ", ".join(_taken(scope)).encode()
    return {**scope, "headers": [*unpacked(scope)["headers"], *([(b"accept-encoding", taken)] if taken else [])]}


def _worth_keeping(start):
    headers = Headers(raw=start["headers"])
    large = int(headers.get("content-length", 0)) >= SMALLEST
    plain = "content-encoding" not in headers and headers.get("content-type", "").startswith(TYPES)
    return start["status"] == 200 and large and plain
