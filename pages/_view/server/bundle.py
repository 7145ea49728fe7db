"""Addresses of our own: the Plotly bundle of the installed package, under a name with its version."""

from importlib.metadata import version
from pathlib import Path

import plotly
import streamlit as st
from starlette.responses import FileResponse
from starlette.routing import Route

BUNDLE = f"assets/plotly-{version('plotly')}.min.js"  # relative to every page, so that it also works below /lab
BUNDLE_FILE = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}


async def _bundle(_request):
    return FileResponse(BUNDLE_FILE, media_type="application/javascript", headers=FOR_GOOD)


def path_of(address: str) -> str:
    """The path of an address of the server, below its base path."""
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{'/' + base if base else ''}/{address}"


def routes() -> list[Route]:
    """Routes below the server's base path."""
    return [Route(path_of(BUNDLE), _bundle)]
