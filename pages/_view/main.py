"""The frame: page config, navigation, the controls all lessons share, the lesson itself, and the way on."""

from pages._view.compute import turns
from pages._view.page import frame

with turns.drawing():
    page = frame.open_frame()
    page.run()
    frame.close_frame()
