"""Every suggestion of every lesson fits its controls, and has a test of its promise."""

import ast
from pathlib import Path

import pytest

from pages._view.lessons import LESSONS, ORDER
from tests.pages.opening import controls_of

HERE = Path(__file__).parent
ALL = [(stem, each) for stem, lesson in LESSONS.items() for each in lesson.tries]
IDS = [f"{stem}-{each.key}" for stem, each in ALL]


@pytest.mark.parametrize(("stem", "each"), ALL, ids=IDS)
def test_the_settings_are_values_their_controls_take_as_they_are(stem, each):
    for name, value in each.settings.items():
        assert controls_of(stem)[name].read(str(value)) == (value, None)


@pytest.mark.parametrize("stem", ORDER)
def test_every_promise_has_its_test(stem):
    tests = ast.parse((HERE / f"test_{stem}.py").read_text(encoding="utf-8")).body
    names = {each.name for each in tests if isinstance(each, ast.FunctionDef)}
    assert {f"test_try_{each.key}" for each in LESSONS[stem].tries} <= names
