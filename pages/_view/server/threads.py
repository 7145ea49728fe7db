"""The threads in which rooms wait for their database: few, and their own, so that no lesson waits with them.

And those in which lessons are drawn that an address alone asks for: what is kept or quick has a few for itself; a page
that needs a dear computation waits without a thread, the small before the large.
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
    """So many requests are answered at a time, and others wait: at most so many together, the rest is told at once."""

    def __init__(self, threads: int, most: int) -> None:
        self._few, self._most, self._inside = CapacityLimiter(threads), most, 0

    async def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """What a function returns that may wait for the database."""
        if self._inside >= self._most:
            FAILURES.info("%s (%d already wait for it)", UNREACHABLE, self._inside)
            raise StoreError(UNREACHABLE)
        self._inside += 1
        try:
            return await to_thread.run_sync(function, *args, limiter=self._few)
        finally:
            self._inside -= 1


in_thread = Threads(6, 500)  # for what only reads; with those that write as many as the database has connections
writing = Threads(4, 500)  # where writes wait for one another, no read waits with them


class Drawing:
    """So many pages are drawn at a time that need nothing dear, and beside them so many that do."""

    def __init__(self, quick: int, dear: int) -> None:
        self._quick, self._dear, self._threads = CapacityLimiter(quick), Budget(dear), CapacityLimiter(dear)

    async def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return what a function returns that draws; where it needs something dear it is begun again in its turn."""
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
