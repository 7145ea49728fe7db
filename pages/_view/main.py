"""Streamlit's script: page config, navigation, shared controls, the lesson, and the links to other lessons."""

from pages._view.compute import turns
from pages._view.page import frame

with turns.drawing():
    page = frame.open_frame()
    page.run()
    frame.close_frame()
