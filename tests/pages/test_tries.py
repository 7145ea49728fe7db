"""Every suggestion of every lesson fits its controls, stands by its picture, and has a test of its promise."""

import ast
import json
from pathlib import Path

import pytest

from pages._view.lessons import LESSONS, ORDER
from tests.pages.opening import SCREENS, at_step, charts, controls_of, open_page, settle, widget

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


@pytest.mark.parametrize(("stem", "each"), ALL, ids=IDS)
def test_it_belongs_to_the_main_picture_or_to_another_of_its_lesson(stem, each):
    assert each.picture in ("", *LESSONS[stem].pictures[1:])


def keys_in_order(block):
    for element in block.children.values():
        if hasattr(element, "children"):
            yield from keys_in_order(element)
        elif getattr(element, "key", None):
            yield element.key


@pytest.mark.parametrize(("stem", "step"), [each for each in SCREENS if LESSONS[each[0]].tries])
def test_it_stands_right_after_its_picture(stem, step):
    app = open_page(stem, **at_step(step))
    drawn, above = {*charts(app), "hero"}, [""]  # the pictures passed so far
    places = {}
    for key in keys_in_order(app.main):
        above += [key] if key in (*drawn, "picture") else []
        places[key] = above[-1]
    for each in LESSONS[stem].step(step).tries if step else LESSONS[stem].tries:
        wanted = each.picture or above[1]
        assert places[f"try_{each.key}"] == wanted or wanted not in drawn, each.key  # of several figures, the last


def told_of_tries(app, picture):
    """What the browser is told: which tries stand, and what the last one taken up has changed."""
    (found,) = [each for each in app.get("bidi_component") if each.key == f"tried_{picture}"]
    return json.loads(found.proto.json)[0]


def test_a_click_says_what_it_has_changed_and_a_try_is_done_while_its_settings_stand():
    app = open_page("small_samples", seed="3", size="4")
    told = told_of_tries(app, "small_samples")
    assert told["ahead"]["large_matrices"] == ["size", "seed"]  # the others stand there already
    assert (all(told["ahead"].values()), told["tried"]) == (True, None)
    app.button(key="try_large_matrices").click()
    settle(app)
    told = told_of_tries(app, "small_samples")
    assert [key for key, names in told["ahead"].items() if not names] == ["large_matrices"]
    assert told["tried"] == {
        "count": 1,
        "picture": "small_samples",
        "changes": {"size": "Size: 64", "seed": "Seed: 0"},
    }
    widget(app, "d_k").set_value(512)
    settle(app)
    moved = told_of_tries(app, "small_samples")
    assert all(moved["ahead"].values())
    assert moved["tried"] == told["tried"]  # which the browser has seen
