"""Messages that are sent without delay."""

import socket

from starlette.types import ASGIApp, Receive, Scope, Send


class PromptMessages:
    """Middleware that switches off Nagle's algorithm (RFC 896) on every connection.

    Streamlit's listening socket leaves it on, so that each small message waits up to 40 ms until the browser has
    acknowledged the previous one: messages of a run, and bodies after their headers. ASGI does not give access to the
    connection, but uvicorn's object for it does: `receive` is one of its methods (`send` is wrapped by Starlette).
    With any other server this does nothing.
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
