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
    """Import what the pages import, and compute and draw the start page's picture."""
    from pages._view import compute, controls, frame, theme
    from pages._view.figures import start
    from sattn_core.lessons.start import StartParams

    for lesson in frame.LESSONS:
        importlib.import_module(f"pages._view.figures.{lesson.stem}")
    default = {name: controls.CONTROLS[name].default for name in ("n_keys", "law", "seed")}
    result = compute.start(StartParams(dims=controls.CONTROLS["d_k"].stops, **default))
    start.hero_payload(result, controls.CONTROLS["d_k"].default, theme.LIGHT)
