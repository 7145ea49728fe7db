"""Pools of threads. Classes wait for their database in a few threads of their own, so that no lesson waits with them.

Other threads draw lessons for requests that need only an address. Cached and quick lessons have a few threads to
themselves; a page that needs an expensive computation waits without a thread, cheaper ones first.
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
    """A pool of threads. At most `most` requests are in it or wait for it; more are refused at once."""

    def __init__(self, threads: int, most: int) -> None:
        self._few, self._most, self._inside = CapacityLimiter(threads), most, 0

    async def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run a function that may wait for the database, and return its result."""
        if self._inside >= self._most:
            FAILURES.info("%s (%d already wait for it)", UNREACHABLE, self._inside)
            raise StoreError(UNREACHABLE)
        self._inside += 1
        try:
            return await to_thread.run_sync(function, *args, limiter=self._few)
        finally:
            self._inside -= 1


in_thread = Threads(6, 500)  # for reads; with `writing`, one thread per connection to the database
writing = Threads(4, 500)  # separate, since writes wait for one another and reads must not wait with them


class Drawing:
    """Two pools that draw pages: one for pages with only quick computations, one for all others."""

    def __init__(self, quick: int, dear: int) -> None:
        self._quick, self._dear, self._threads = CapacityLimiter(quick), Budget(dear), CapacityLimiter(dear)

    async def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run a function that draws, and return its result; if it turns out expensive, restart it in the other pool."""
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
