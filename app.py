"""The server: Streamlit behind our own headers, compression and routes, warm before the first visitor."""

import os

# One core a product of matrices, before NumPy is loaded: further threads take the cores of other visitors to wait on.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import streamlit as st

from pages._view import server

server.check_settings()
app = st.App(server.MAIN, routes=server.routes(), middleware=server.middleware(), lifespan=server.lifespan)
