"""The threads in which classes wait for their database: few, and separate, so that no lesson waits with them.

Other threads draw the lessons that an address alone asks for. Cached and quick ones have a few threads to themselves;
a page that needs an expensive computation waits without a thread, cheap ones first.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from anyio import CapacityLimiter, to_thread

from pages._view.classroom.room import FAILURES, UNREACHABLE, StoreError
from pages._view.compute import turns
from pages._view.compute.budget import Budget


class Threads:
    """A pool that answers so many requests at a time. So many others wait, and the rest is refused at once."""

    def __init__(self, threads: int, most: int) -> None:
        self._few, self._most, self._inside = CapacityLimiter(threads), most, 0

    async def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return the result of a function that may wait for the database."""
        if self._inside >= self._most:
            FAILURES.info("%s (%d already wait for it)", UNREACHABLE, self._inside)
            raise StoreError(UNREACHABLE)
        self._inside += 1
        try:
            return await to_thread.run_sync(function, *args, limiter=self._few)
        finally:
            self._inside -= 1


in_thread = Threads(6, 500)  # for reads; together with the writes as many as the database has connections
writing = Threads(4, 500)  # separate, since writes wait for one another and no read should wait with them


class Drawing:
    """Two pools that draw pages: one for those without expensive computations, one for those with them."""

    def __init__(self, quick: int, dear: int) -> None:
        self._quick, self._dear, self._threads = CapacityLimiter(quick), Budget(dear), CapacityLimiter(dear)

    async def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return the result of a function that draws; if it turns out expensive, it is started again in that pool."""
        try:
            return await to_thread.run_sync(turns.quickly, function, *args, limiter=self._quick)
        except turns.Dear as dear:
            size = dear.price.numbers
        async with self._turn(size):
            return await to_thread.run_sync(function, *args, limiter=self._threads)

    @asynccontextmanager
    async def _turn(self, size: float) -> AsyncIterator[None]:
        mine, loop = asyncio.Event(), asyncio.get_running_loop()
        wish = self._dear.ask(1, size=size, then=lambda: loop.call_soon_threadsafe(mine.set))
        try:
            await mine.wait()
            yield
        finally:
            self._dear.give_back(wish)


drawn = Drawing(4, turns.SLOTS)
