"""The server: Streamlit with the lab's own headers, compression and routes, warmed up before the first visitor."""

import os

# Set before NumPy is loaded: a matrix product uses one core, since more threads would take other visitors' cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import streamlit as st

from pages._view import server

server.check_settings()
app = st.App(server.MAIN, routes=server.routes(), middleware=server.middleware(), lifespan=server.lifespan)
