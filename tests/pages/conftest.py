"""Fixtures of the page tests: visitors, and clicks on tries."""

import re
from types import SimpleNamespace

import pytest

from pages._view import compute
from pages._view.lesson import STEP
from pages._view.lessons import LESSONS
from tests.pages.opening import answer_at, app_at, charts, check_page, controls_of, open_page, sets_of, settle, widget


@pytest.fixture(autouse=True)
def _forget_pictures():
    yield
    answer_at.cache_clear()


@pytest.fixture(scope="module")
def visitors():
    return {}


@pytest.fixture
def app(visitors, request):
    """Yield an app at the page `stem`, one for all tests of a module; reset its controls after each test."""
    stem = request.getfixturevalue("stem")
    if stem not in visitors:
        visitors[stem] = open_page(stem)
    app = visitors[stem]
    yield app
    if move_back(app, stem):
        check_page(app, stem)
        assert len(app.error) == 0


def move_back(app, stem):
    """Reset every control, conditional ones first; return the names of those that had moved."""
    controls = controls_of(stem)
    for name in {*LESSONS[stem].unbound} & {*app.query_params}:
        if name not in app.session_state:  # a control of another step: only the address has it
            del app.query_params[name]
    moved = [name for name in controls if name in app.session_state]
    moved = [name for name in moved if app.session_state[name] != controls[name].default]
    if moved:
        app.run()  # redraw the whole page: the last run may have redrawn only a part
        for name in sorted(moved, key=lambda name: controls[name].when is None):
            widget(app, name).set_value(controls[name].default)
        settle(app)
    return moved


QUANTITIES = ("band", "mean", "median", "variance", "entropy", "gradient", "loss", "outline")
A_NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
HEDGED = rf"\b(?:about|over|under|below|in|within|than|up to|or more) {A_NUMBER}"


def not_shown(suggested, app):
    """Return the quantities and exact numbers that a try promises and the page does not show.

    A quantity must be in a picture, a table or a setting; a number may also be in the prose.
    """
    pictures = " ".join(f"{each.alt} {each.spec}" for each in charts(app).values()).lower()
    tables = " ".join(str(each.value.to_numpy().tolist()) for each in app.table)
    settings = " ".join(f"{name} {value}" for name, value in suggested.settings.items())
    promise = suggested.promise.replace("−", "-")
    numbers = re.findall(rf"(?<![\w/.]){A_NUMBER}(?![\w/])", re.sub(HEDGED, "", promise))
    said = " ".join(each.value for each in app.markdown)
    shown = {float(each.replace(",", "")) for each in re.findall(A_NUMBER, f"{pictures} {tables} {settings} {said}")}
    return [
        *(
            word
            for word in QUANTITIES
            if re.search(rf"\b{word}\b", promise) and word not in f"{pictures} {tables} {settings}"
        ),
        *(number for number in numbers if float(number.replace(",", "")) not in shown),
    ]


@pytest.fixture
def asked(monkeypatch):
    """Return a list that collects the page's calls to the core: (function name, arguments, result)."""
    asked, result = [], compute.result

    def record(function, *args, **kwargs):
        found = result(function, *args, **kwargs)
        asked.append((function.__name__, args, found))
        return found

    monkeypatch.setattr(compute, "result", record)
    return asked


@pytest.fixture
def tried(asked):
    """Return a function that clicks a try and checks that the page shows what the try promises.

    The function returns the app, and the last result of every core function by name.
    """

    def click(stem, key, **query):
        (suggested,) = [each for each in LESSONS[stem].tries if each.key == key]
        step = {STEP: suggested.settings[STEP]} if LESSONS[stem].steps else {}
        app = app_at(stem, timeout=120, **query | step).run()
        asked.clear()
        app = app_at(stem, timeout=120, **query | step | sets_of(app, f'data-try="{key}"')).run()
        assert [each.message for each in app.exception] == []
        assert not_shown(suggested, app) == []
        return app, SimpleNamespace(**{name: found for name, _, found in asked})

    return click
