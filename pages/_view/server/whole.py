"""Answers that are changed as a whole."""

from collections.abc import Awaitable, Callable

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


def unpacked(scope: Scope) -> Scope:
    """The same request by a browser that takes no compression, so that nothing further in compresses the answer."""
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]}
