"""The threads in which rooms wait for their database: few, and their own, so that no lesson waits with them."""

from collections.abc import Callable
from typing import Any

from anyio import CapacityLimiter, to_thread

from pages._view.classroom.room import FAILURES, UNREACHABLE, StoreError


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


in_thread = Threads(10, 500)  # as many as the database has connections
