"""Helpers for responses that can be changed only once their whole body is there."""

from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Scope, Send


class WholeAnswer:
    """A `send` that collects and changes the bodies of some responses; others pass unchanged.

    wanted(start) selects responses by their first message; change(start, body) returns the new start and body.
    """

    def __init__(
        self,
        send: Send,
        wanted: Callable[[Message], bool],
        change: Callable[[Message, bytes], Awaitable[tuple[Message, bytes]]],
    ) -> None:
        self.send, self.wanted, self.change = send, wanted, change
        self.start: Message | None = None
        self.parts: list[bytes] = []

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and self.wanted(message):
            self.start = message
        elif self.start is None or message["type"] != "http.response.body":
            await self.send(message)
        else:
            self.parts.append(message.get("body", b""))
            if not message.get("more_body"):
                await send_whole(self.send, *await self.change(self.start, b"".join(self.parts)))


async def send_whole(send: Send, start: Message, body: bytes) -> None:
    """Send a response in one piece."""
    await send(start)
    await send({"type": "http.response.body", "body": body})


def is_known(scope: Scope, mark: str) -> bool:
    """Return True if the browser has the response with this ETag, even if a compressing proxy has made it weak."""
    said = ",".join(Headers(scope=scope).getlist("if-none-match"))
    known = [each.strip().removeprefix("W/") for each in said.split(",")]
    return mark in known or known == ["*"]


def unchanged(start: Message) -> Message:
    """Return the start of a 304 for a cached response, without the headers that describe the body."""
    headers = MutableHeaders(raw=list(start["headers"]))
    for name in ("Content-Length", "Content-Type", "Content-Encoding"):
        del headers[name]
    return {**start, "status": 304, "headers": headers.raw}


def unpacked(scope: Scope) -> Scope:
    """Return the request without Accept-Encoding, so that no inner layer compresses the response."""
    return _without(scope, b"accept-encoding")


def whole(scope: Scope) -> Scope:
    """Return the request without conditional headers and Range, so that inner layers respond with a whole body."""
    return _without(scope, b"if-none-match", b"if-modified-since", b"if-range", b"range")


def _without(scope, *dropped):
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name not in dropped]}
