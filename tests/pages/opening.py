"""Pages without a browser. Through app.py, which is a server, AppTest would render nothing and raise nothing."""

import json
from types import SimpleNamespace

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


def charts(app):
    """The pictures by their keys, in their order: alt text, and the figure as Plotly gets it."""
    found = [(each.key, json.loads(each.proto.json)) for each in app.get("bidi_component") if each.proto.json]
    return {key: SimpleNamespace(alt=data["alt"], spec=data["figure"]) for key, data in found if "figure" in data}
