"""Pages as a server shows them that has shown one before."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest, app_test

from pages._view import compute

ROOT = Path(__file__).resolve().parents[2]


class WarmPagesManager(PagesManager):
    """The state of a server on which `st.navigation` has run."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        PagesManager.uses_pages_directory = False


@pytest.fixture(autouse=True)
def warm_server(monkeypatch):
    monkeypatch.setattr(app_test, "PagesManager", WarmPagesManager)


@pytest.fixture
def tried(monkeypatch):
    """Click a suggestion on its page: the app, and the last result of each function of `compute` the page asked."""
    results = {}

    def recorded(name, function):
        def record(*args, **kwargs):
            results[name] = function(*args, **kwargs)
            return results[name]

        return record

    for name, function in vars(compute).copy().items():
        if callable(function) and not isinstance(function, type) and not name.startswith("_"):
            monkeypatch.setattr(compute, name, recorded(name, function))

    def click(stem, key, **query):
        app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
        app.query_params.update(query)
        app.switch_page(f"pages/{stem}.py").run()
        results.clear()
        app.button(key=f"try_{key}").click().run()
        assert [each.message for each in app.exception] == []
        return app, SimpleNamespace(**results)

    return click
