"""Requests as observed at their end, for the metrics and the log."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from pages._view.server import places


@dataclass
class Seen:
    """One request: path, status, duration, and bytes of the response."""

    kind: str
    method: str
    path: str
    status: int = 500  # until a status is sent
    seconds: float = 0.0
    bytes: int = 0


class Watched:
    """Middleware that reports each request when it has ended, and counts open sessions."""

    sessions = 0

    def __init__(self, app: ASGIApp, told: tuple[Callable[[Seen], None], ...]) -> None:
        self.app, self.told = app, told

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        seen = Seen(places.kind_of(scope["path"]), scope.get("method", "GET"), scope["path"])
        began, opened = time.perf_counter(), 0

        async def watched(message):
            nonlocal opened
            if message["type"] == "websocket.accept":
                seen.status, opened = 101, 1
                Watched.sessions += 1
            seen.status = message.get("status", seen.status)
            seen.bytes += len(message.get("body") or message.get("bytes") or message.get("text") or b"")
            await send(message)

        try:
            await self.app(scope, receive, watched)  # PromptMessages needs the original `receive`
        finally:
            Watched.sessions -= opened
            seen.seconds = time.perf_counter() - began
            for tell in self.told:
                tell(seen)
