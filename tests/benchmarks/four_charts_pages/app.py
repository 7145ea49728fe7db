"""The page behind the server of the product."""

import sys
from pathlib import Path

import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from pages._view import server
from pages._view.server.shell import Shell

# Without the words and the stage that belong to the lessons.
layers = [each for each in server.middleware() if each.cls is not Shell]
app = st.App("page.py", routes=server.routes(), middleware=layers)
