"""Security headers on every answer, and nothing of the platform's inside that a page does not ask for."""

import re
from itertools import pairwise

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages._view._streamlit import PAGE_NEEDS, STATIC, path_of
from pages._view.routes import FRAME_ANCESTORS, frame_ancestors
from pages._view.server.kept import NOT_KEPT

_SOURCES = re.compile(r"[^;,\s]+( [^;,\s]+)*")
PRIVATE = "metrics"  # wherever the platform puts them


def content_policy() -> str:
    """As tight as Streamlit allows: its own modules arrive as blobs, Plotly and the page need inline styles."""
    ancestors = frame_ancestors()
    if not _SOURCES.fullmatch(ancestors):
        raise ValueError(f"{FRAME_ANCESTORS} must be a list of sources with spaces between, but got {ancestors!r}")
    return "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self' ws: wss:",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            f"frame-ancestors {ancestors}",
        )
    )


def is_private(path: str) -> bool:
    """Whether an address is of the platform's inside and none that a page asks for."""
    parts = [*path.removeprefix(path_of("")).split("/"), ""]
    for part, inside in pairwise(parts):
        if part in (STATIC, PRIVATE):
            return part == PRIVATE
        if part.startswith("_") and inside not in PAGE_NEEDS:
            return True
    return False


def _say_once(headers, name):
    """Leave each word of a list once, to which several have added it."""
    if words := headers.getlist(name):
        headers[name] = ", ".join(dict.fromkeys(each.strip() for each in ",".join(words).split(",")))


class SecurityHeaders:
    """Adds the headers to every HTTP answer and keeps to itself what is nobody's business, as the metrics."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.headers = {
            "Content-Security-Policy": content_policy(),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "strict-origin-when-cross-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message):
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(self.headers)
                _say_once(headers, "Vary")
                if "set-cookie" in headers:  # whoever keeps it would give one visitor's to another
                    headers["Cache-Control"] = NOT_KEPT
            await send(message)

        app = PlainTextResponse("Not found", 404) if is_private(scope["path"]) else self.app
        await app(scope, receive, send_with_headers)
