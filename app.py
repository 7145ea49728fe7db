"""The server: Streamlit behind our own headers, compression and routes, warm before the first visitor."""

import streamlit as st

from pages._view import server

server.check_secret()
app = st.App(server.MAIN, routes=server.routes(), middleware=server.middleware(), lifespan=server.lifespan)
