"""Visitors of the pages, and clicks on suggestions."""

from collections import defaultdict
from types import SimpleNamespace

import pytest

from pages._view import compute
from tests.pages.opening import app_at, check_page, controls_of, open_page, settle, widget


@pytest.fixture(scope="module")
def visitors():
    return {}


@pytest.fixture
def app(visitors, request):
    """One visitor of the page `stem`, kept for all tests of a module; what a test moves is put back."""
    stem = request.getfixturevalue("stem")
    if stem not in visitors:
        visitors[stem] = open_page(stem)
    app = visitors[stem]
    yield app
    if move_back(app, stem):
        check_page(app, stem)
        assert len(app.error) == 0


def move_back(app, stem):
    """Put every control on its default, those first that are drawn only while another stands elsewhere."""
    controls = controls_of(stem)
    moved = [name for name in controls if name in app.session_state]
    moved = [name for name in moved if app.session_state[name] != controls[name].default]
    if moved:
        app.run()  # the whole page, if the last run redrew a part of it only
        for name in sorted(moved, key=lambda name: controls[name].when is None):
            widget(app, name).set_value(controls[name].default)
        settle(app)
    return moved


@pytest.fixture
def tried(monkeypatch):
    """Click a suggestion on its page: the app, and the last result of every function that the page asked for.

    All of them, in their order, are in `calls`.
    """
    calls, result = defaultdict(list), compute.result

    def record(function, *args, **kwargs):
        found = result(function, *args, **kwargs)
        calls[function.__name__].append(found)
        return found

    monkeypatch.setattr(compute, "result", record)

    def click(stem, key, **query):
        app = app_at(stem, timeout=120, **query).run()
        calls.clear()
        app.button(key=f"try_{key}").click().run()
        assert [each.message for each in app.exception] == []
        return app, SimpleNamespace(calls=calls, **{name: found[-1] for name, found in calls.items()})

    return click
