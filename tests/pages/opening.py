"""Pages without a browser. Through app.py, which is a server, AppTest would render nothing and raise nothing."""

from streamlit.testing.v1 import AppTest

from pages._view.server import MAIN


def app_at(stem, *, timeout=60, **query):
    """The app at a lesson's address, before its first run."""
    app = AppTest.from_file(MAIN, default_timeout=timeout)
    app.query_params.update(query)
    return app if stem == "start" else turn_to(app, stem)


def turn_to(app, stem):
    """Follow the menu to another lesson."""
    return app.switch_page(f"../{stem}.py")
