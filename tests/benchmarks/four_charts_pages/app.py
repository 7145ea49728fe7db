"""The page behind the server of the product."""

import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from pages._view import server

app = st.App("page.py", routes=server.routes(), middleware=server.middleware())
