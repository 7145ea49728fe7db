"""The app with one more route: the number of sessions in the process, which the product does not publish."""

import gc
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import streamlit as st
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from streamlit.runtime.app_session import AppSession

from app import server  # from there, since app.py sets how many cores NumPy may use


async def sessions(_request):
    """Count the sessions that are still in memory, reachable or not."""
    gc.collect()
    return PlainTextResponse(str(sum(isinstance(each, AppSession) for each in gc.get_objects())))


routes = [*server.routes(), Route("/sessions", sessions)]
app = st.App(server.MAIN, routes=routes, middleware=server.middleware(), lifespan=server.lifespan)
