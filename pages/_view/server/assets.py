"""Plotly's script at its own URL, which caches may keep for good."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages._view._streamlit import path_of
from pages._view.bundle import BUNDLE, script

FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}


def routes() -> list[Route]:
    """Return the route below the server's base path."""
    return [Route(path_of(BUNDLE), _bundle)]


async def _bundle(_request: Request) -> Response:
    return Response(script().encode(), media_type="application/javascript", headers=FOR_GOOD)
