"""What the first visitor would wait for, done before the server answers."""

import asyncio
import importlib
from contextlib import asynccontextmanager


@asynccontextmanager
async def lifespan(_app):
    """Warm the server, then let it serve."""
    await asyncio.to_thread(warm)
    yield


def warm():
    """Import what the pages import."""
    from pages._view.lessons import ORDER

    for stem in ORDER:
        importlib.import_module(f"pages._view.lessons.{stem}.figures")
