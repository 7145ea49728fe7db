"""Every suggestion of every lesson is a button on its page, fits its controls, and has a test of its promise."""

import ast
from pathlib import Path

import pytest

from pages._view import controls
from pages._view.show import plain
from pages._view.tries import TRIES
from tests.pages.opening import app_at

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
ALL = [(stem, each) for stem, tries in TRIES.items() for each in tries]
IDS = [f"{stem}-{each.key}" for stem, each in ALL]


@pytest.mark.parametrize(("stem", "each"), ALL, ids=IDS)
def test_the_settings_are_values_their_controls_take_as_they_are(stem, each):
    for name, value in each.settings.items():
        assert controls.CONTROLS[name].read(str(value)) == (value, None)


@pytest.mark.parametrize("stem", TRIES)
def test_every_promise_is_a_button_and_has_its_test(stem):
    app = app_at(stem, timeout=120).run()
    buttons = {each.key: each.label for each in app.button}
    tests = ast.parse((HERE / f"test_{stem}.py").read_text(encoding="utf-8")).body
    names = {each.name for each in tests if isinstance(each, ast.FunctionDef)}
    assert TRIES[stem]
    for each in TRIES[stem]:
        assert buttons[f"try_{each.key}"] == plain(each.promise)
        assert f"test_{each.key}" in names
