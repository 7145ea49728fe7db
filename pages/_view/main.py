"""The frame: page config, navigation, the controls all lessons share, then the lesson itself."""

from pages._view import frame

page = frame.open_frame()
page.run()
