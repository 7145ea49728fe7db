"""Answers that are changed as a whole."""

from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Scope, Send


class WholeAnswer:
    """Gathers the body of an answer that is wanted, changes it, and sends it; any other answer passes as it comes.

    wanted(start) looks at the message that begins an answer; change(start, body) returns both anew.
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
    """Send an answer in one piece."""
    await send(start)
    await send({"type": "http.response.body", "body": body})


def is_known(scope: Scope, mark: str) -> bool:
    """Whether a browser says that it has the answer with this mark; a proxy that packs anew may have weakened it."""
    said = ",".join(Headers(scope=scope).getlist("if-none-match"))
    known = [each.strip().removeprefix("W/") for each in said.split(",")]
    return mark in known or known == ["*"]


def unchanged(start: Message) -> Message:
    """Return the answer that a kept one is still so, with all its headers but those of the body."""
    headers = MutableHeaders(raw=list(start["headers"]))
    for name in ("Content-Length", "Content-Type", "Content-Encoding"):
        del headers[name]
    return {**start, "status": 304, "headers": headers.raw}


def unpacked(scope: Scope) -> Scope:
    """The same request by a browser that takes no compression, so that nothing further in compresses the answer."""
    return _without(scope, b"accept-encoding")


def whole(scope: Scope) -> Scope:
    """The same request by a browser that has kept nothing, so that whatever lies further in answers with all of it."""
    return _without(scope, b"if-none-match", b"if-modified-since", b"if-range", b"range")


def _without(scope, *dropped):
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name not in dropped]}
