"""Static files compressed once and kept: Streamlit sends its own as they are, a proxy would pack them each time."""

import asyncio
import gzip

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages._view.server.whole import WholeAnswer, send_whole, unpacked

KEPT_BYTES = 16_000_000  # all of Streamlit's files and the bundle are under 5 MB compressed
FOLDERS = ("/static/", "/assets/")  # Streamlit's files and ours, each under a name that changes with its content
SMALLEST = 1_000  # bytes; below it the header outweighs the gain
LEVEL = 6  # a hundredth larger than 9, in a tenth of the time
TYPES = ("text/", "application/javascript", "application/json", "image/svg+xml", "application/wasm")


class KeptCompression:
    """Compresses a static file the first time a browser that takes gzip asks for it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.kept: dict[str, tuple[Message, bytes]] = {}
        self.size = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _wanted(scope):
            await self.app(scope, receive, send)
        elif scope["path"] in self.kept:
            await send_whole(send, *self.kept[scope["path"]])
        else:

            async def pack(start, body):
                return self._keep(scope["path"], *await _packed(start, body))

            await self.app(unpacked(scope), receive, WholeAnswer(send, _worth_keeping, pack))

    def _keep(self, path, start, body):
        """Keep an answer while there is room; files are few, so nothing ever has to leave."""
        if path not in self.kept and self.size + len(body) <= KEPT_BYTES:
            self.kept[path] = (start, body)
            self.size += len(body)
        return start, body


async def _packed(start, body):
    packed = await asyncio.to_thread(gzip.compress, body, LEVEL, mtime=0)
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["Content-Encoding"], headers["Content-Length"] = "gzip", str(len(packed))
    headers.add_vary_header("Accept-Encoding")
    return start | {"headers": headers.raw}, packed


def _wanted(scope):
    headers = Headers(scope=scope)
    takes_gzip = "gzip" in headers.get("accept-encoding", "") and "range" not in headers
    return takes_gzip and scope["method"] == "GET" and any(folder in scope["path"] for folder in FOLDERS)


def _worth_keeping(start):
    headers = Headers(raw=start["headers"])
    large = int(headers.get("content-length", 0)) >= SMALLEST
    plain = "content-encoding" not in headers and headers.get("content-type", "").startswith(TYPES)
    return start["status"] == 200 and large and plain
