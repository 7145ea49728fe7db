"""Two endpoints for the operator: /healthz if the server is alive, /readyz if it takes new visitors."""

import asyncio

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pages._view._streamlit import path_of
from pages._view.classroom.room import UNREACHABLE, StoreError
from pages._view.classroom.store import store

ALIVE, READY = "healthz", "readyz"
PATIENCE = 1.5  # seconds to wait for the classes' database
_WARMING = "The lab is still opening its lessons. Try again soon."
_ENDING = "This server is about to end. Ask another one."
_FRESH = {"Cache-Control": "no-store"}


class Readiness:
    """The state of this server. Requests that come at the same time share one check of the database."""

    def __init__(self) -> None:
        self.is_warm, self.is_ending = False, False
        self._look: asyncio.Task[str] | None = None
        self._one = CapacityLimiter(1)

    async def problem(self) -> str:
        """Return a sentence on why new visitors should go elsewhere; "" if the server takes them."""
        if self.is_ending or not self.is_warm:
            return _ENDING if self.is_ending else _WARMING
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(self._of_store())
        done, _ = await asyncio.wait({self._look}, timeout=PATIENCE)
        return self._look.result() if done else UNREACHABLE

    async def _of_store(self):
        try:
            await to_thread.run_sync(store().check, limiter=self._one, abandon_on_cancel=True)
        except StoreError as problem:
            return str(problem)
        return ""


readiness = Readiness()


def routes() -> list[Route]:
    """Return the routes below the server's base path."""
    return [Route(path_of(ALIVE), _alive), Route(path_of(READY), _ready)]


async def _alive(_request: Request) -> Response:
    return PlainTextResponse("ok", headers=_FRESH)


async def _ready(_request: Request) -> Response:
    problem = await readiness.problem()
    return PlainTextResponse(problem or "ready", 503 if problem else 200, _FRESH)
