"""Rooms that are too old are deleted, whether or not another is opened."""

import asyncio
from contextlib import suppress

from pages._view.rooms.room import StoreError
from pages._view.rooms.store import store

EVERY = 3_600.0  # seconds


async def sweep_now_and_then() -> None:
    """Delete what is too old at once and then every hour; a database that is away is asked the next time."""
    while True:
        with suppress(StoreError):
            await asyncio.to_thread(store().sweep)
        await asyncio.sleep(EVERY)
