"""The warm-up of a server, which opens every lesson before the first visitor does.

SATTN_WARM_UP=0 in the environment skips it, for a server that will have only one visitor.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.types import ASGIApp

from pages._view._streamlit import STREAM, ends_the_run, path_of, wish_for
from pages._view.bundle import BUNDLE
from pages._view.classroom.sweeping import sweep_now_and_then
from pages._view.compute import rates
from pages._view.lessons import ORDER, path_of_page
from pages._view.server import ending, html, metrics
from pages._view.server.health import readiness

PATIENCE = 30  # seconds after which the server takes visitors in any case


@asynccontextmanager
async def lifespan(app: ASGIApp) -> AsyncIterator[None]:
    """Measure the machine's speed and warm up the server, unless told not to, then let it serve."""
    if os.environ.get("SATTN_WARM_UP") != "0":
        rates.measure()
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await warm(app)
    sweeping = asyncio.create_task(sweep_now_and_then())
    readiness.is_warm = True
    with metrics.served(), ending.announced():
        yield
    readiness.is_warm = False
    sweeping.cancel()


async def warm(app: ASGIApp) -> None:
    """Compile the templates and open every lesson once, so that modules are loaded, and results and bundle cached."""
    html.compile_templates()
    await _fetch(app, BUNDLE)
    for address in addresses():
        await _open(app, address)


def addresses() -> list[str]:
    """Return the address of each lesson; that of the first lesson is the start page's."""
    return [path_of_page(stem) for stem in ORDER]


async def _fetch(app, path):
    async def ignore(_message):
        pass

    scope = _scope("http", path) | {"method": "GET", "headers": [(b"accept-encoding", b"br")]}
    await app(scope, asyncio.Event().wait, ignore)


async def _open(app, address):
    """Act as a browser that opens a page, and disconnect once the page is complete."""
    drawn = asyncio.Event()
    words = iter(({"type": "websocket.connect"}, {"type": "websocket.receive", "bytes": wish_for(address)}))

    async def receive():
        for word in words:
            return word
        await drawn.wait()
        return {"type": "websocket.disconnect", "code": 1000}

    async def send(message):
        if message["type"] == "websocket.close" or ends_the_run(message.get("bytes") or b""):
            drawn.set()

    scope = _scope("websocket", STREAM) | {"headers": [], "subprotocols": []}
    await app(scope, receive, send)


def _scope(kind, path):
    return {"type": kind, "path": path_of(path), "root_path": "", "query_string": b""}
