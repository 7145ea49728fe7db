"""The deletion of rooms that are too old, whether or not another is opened."""

import asyncio
import logging

from pages._view.classroom.room import StoreError
from pages._view.classroom.store import store

EVERY = 3_600.0  # seconds
_LOG = logging.getLogger(__name__)


async def sweep_now_and_then() -> None:
    """Delete rooms that are too old now and then every hour; a database that is away is asked the next time."""
    while True:
        try:
            await asyncio.to_thread(store().sweep)
        except StoreError as problem:  # a page shows this sentence; the operator reads the cause here
            _LOG.warning("%s (%s)", problem, getattr(problem.__cause__, "orig", problem.__cause__))
        await asyncio.sleep(EVERY)
