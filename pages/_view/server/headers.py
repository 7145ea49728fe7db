"""Security headers on every response, and a 404 for Streamlit's internal paths."""

import re
from itertools import pairwise
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages._view._streamlit import PAGE_NEEDS, STATIC, path_of
from pages._view.routes import FRAME_ANCESTORS, frame_ancestors
from pages._view.server.kept import FOR_BACK, NOT_KEPT
from pages._view.server.links import scheme_of
from pages._view.server.origin import origin

_SOURCES = re.compile(r"[^;,\s]+( [^;,\s]+)*")
_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[\da-f:]+\](:\d+)?", re.ASCII)
_SECURE = re.compile(rb";\s*secure\s*(;|$)", re.IGNORECASE)
PRIVATE = "metrics"  # Streamlit serves its metrics under several prefixes


def content_policy(sockets: str = "") -> str:
    """Return a content policy as strict as possible: Streamlit loads blobs; Plotly and the page need inline styles.

    sockets: URLs of the page's websocket, for browsers whose 'self' does not include it.
    """
    ancestors = frame_ancestors()
    if not _SOURCES.fullmatch(ancestors):
        raise ValueError(f"{FRAME_ANCESTORS} must be a list of sources with spaces between, but got {ancestors!r}")
    return "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' blob:",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            f"connect-src 'self'{sockets}",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            f"frame-ancestors {ancestors}",
        )
    )


def _sockets(scope):
    """Return the websocket's URLs at the lab's configured host, or else at the request's host."""
    host = urlsplit(origin()).netloc or Headers(scope=scope).get("host", "")
    return f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""


def is_private(path: str) -> bool:
    """Return True if a path is internal to Streamlit and no page needs it."""
    parts = [*path.removeprefix(path_of("")).split("/"), ""]
    for part, inside in pairwise(parts):
        if part in (STATIC, PRIVATE):
            return part == PRIVATE
        if part.startswith("_") and inside not in PAGE_NEEDS:
            return True
    return False


def _say_once(headers, name):
    """Remove duplicates from a list header that several layers have extended."""
    if words := headers.getlist(name):
        headers[name] = ", ".join(dict.fromkeys(each.strip() for each in ",".join(words).split(",")))


def _for_https_alone(headers):
    """Restrict every cookie to https, whoever sets it."""
    raw = headers.raw
    for i, (name, value) in enumerate(raw):
        if name.lower() == b"set-cookie" and not _SECURE.search(value):
            raw[i] = name, value + b"; Secure"


class SecurityHeaders:
    """Middleware that adds security headers to every response, and answers 404 for internal paths such as /metrics."""

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
                if "set-cookie" in headers:  # else a shared cache would give one visitor's cookie to another
                    if headers.get("cache-control") != FOR_BACK:
                        headers["Cache-Control"] = NOT_KEPT
                    if scheme_of(Request(scope)) == "https":
                        _for_https_alone(headers)
                if message["status"] == 304 or headers.get("content-type", "").startswith("text/html"):
                    headers["Content-Security-Policy"] = content_policy(_sockets(scope))
            await send(message)

        app = PlainTextResponse("Not found", 404) if is_private(scope["path"]) else self.app
        await app(scope, receive, send_with_headers)
