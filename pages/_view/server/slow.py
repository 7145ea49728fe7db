"""A time limit for request bodies that stall; Streamlit has none."""

import asyncio

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

PATIENCE = 30.0  # seconds between two chunks; the proxy allows less
TOO_SLOW = "The rest of it did not come. Try again."


class SlowBodies:
    """Middleware that gives up a request whose body stalls: the reader of the body answers 408."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, _in_time(receive) if scope["type"] == "http" else receive, send)


def _in_time(receive):
    is_whole = False

    async def patient():
        nonlocal is_whole
        if is_whole:  # after the body only a disconnect can come, at any time
            return await receive()
        try:
            async with asyncio.timeout(PATIENCE):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, TOO_SLOW) from None
        is_whole = not message.get("more_body")
        return message

    return patient
