"""A limit on how long a body may stand still on its way. Of a head that is never whole the platform has no limit."""

import asyncio

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

PATIENCE = 30.0  # seconds between two pieces; the proxy has less
TOO_SLOW = "The rest of it did not come. Try again."


class SlowBodies:
    """Lets a request go whose body stands still: who reads it answers 408."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, _in_time(receive) if scope["type"] == "http" else receive, send)


def _in_time(receive):
    is_whole = False

    async def patient():
        nonlocal is_whole
        if is_whole:  # what comes now is that the browser has left, at any time
            return await receive()
        try:
            async with asyncio.timeout(PATIENCE):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, TOO_SLOW) from None
        is_whole = not message.get("more_body")
        return message

    return patient
