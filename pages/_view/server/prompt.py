"""Messages sent without delay."""

import socket

from starlette.types import ASGIApp, Receive, Scope, Send


class PromptMessages:
    """Middleware that switches off Nagle's algorithm (RFC 896) on every connection.

    Streamlit's listening socket leaves it on, so that a small message waits until the browser has acknowledged the
    previous one, up to 40 ms: each message of a run, and the body of each answer after its headers. ASGI does not name
    the connection; uvicorn's object has it, and `receive` is a method of that object (`send` is wrapped by Starlette on
    the way). With any other server nothing changes.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        transport = getattr(getattr(receive, "__self__", None), "transport", None)
        if scope["type"] in ("http", "websocket") and transport is not None:
            connection = transport.get_extra_info("socket")
            if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await self.app(scope, receive, send)
