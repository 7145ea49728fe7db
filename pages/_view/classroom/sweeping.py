"""The regular deletion of old rooms, even if no new one is opened."""

import asyncio
import logging

from pages._view.classroom.room import StoreError
from pages._view.classroom.store import store

EVERY = 3_600.0  # seconds
_LOG = logging.getLogger(__name__)


async def sweep_now_and_then() -> None:
    """Delete old rooms every hour; if the database cannot be reached, try again an hour later."""
    while True:
        try:
            await asyncio.to_thread(store().sweep)
        except StoreError as problem:  # pages show this sentence; only the log has the cause
            _LOG.warning("%s (%s)", problem, getattr(problem.__cause__, "orig", problem.__cause__))
        await asyncio.sleep(EVERY)
