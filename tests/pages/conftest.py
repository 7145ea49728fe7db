"""Clicks on suggestions."""

from types import SimpleNamespace

import pytest

from pages._view import compute
from tests.pages.opening import app_at


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
        app = app_at(stem, timeout=120, **query).run()
        results.clear()
        app.button(key=f"try_{key}").click().run()
        assert [each.message for each in app.exception] == []
        return app, SimpleNamespace(**results)

    return click
