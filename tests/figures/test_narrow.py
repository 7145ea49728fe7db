"""Phone layouts: they have the data and words of the screen layout, and are redrawn quickly in a drag."""

import json
import re

import pytest

from pages._view import bet_marks
from pages._view.address import Address
from pages._view.kinds import Drawing
from pages._view.lesson_view import LessonView, Outcome
from pages._view.lessons import LESSONS, VIEWS
from pages._view.lessons.recap import work
from pages._view.picture import Figure
from pages._view.theme import DARK, LIGHT, PROJECTOR
from tests.figures.drawing import plotted
from tests.figures.test_every_picture import at, check_looks

NARROW = [
    ("softmax_saturation", "too_flat"),
    ("wrong_choice", "rows"),
    ("derivation", "root"),
    ("derivation", "broken"),
    ("training_race", "race"),
]
WHERE = {"domain", "range", "constraintoward", "scaleanchor"}  # properties of an axis that may differ on a phone
ONCE = {"title", "showticklabels"}  # may be on the lowest of stacked axes alone
QUICKLY = re.compile(r"annotations\.\d+\.(text|x|y)|shapes\.\d+\.([xy][01]|path)")  # what `quick.js` redraws
MARKED = {"a value", "an output", ""}  # words in empty space near a point, which a narrow panel may lack
SLOPE = re.compile(r", p \(1 − p\) = .*")  # suffix of a label, too long for a phone


def figure(stem, step, profile=LIGHT, **chosen) -> Figure:
    """Return the figure of a step as in a drag; for a race its start."""
    view: LessonView = VIEWS[stem]
    return view.of(LESSONS[stem].step(step)).picture(at(stem, race_d_k=0, **chosen), profile).figure


def on_a_phone(shown: Figure) -> Figure:
    return Figure(shown.data, shown.layout | shown.narrow)


def words(layout):
    """Return the set of words and numbers in a layout's annotations."""
    texts = [SLOPE.sub("", each["text"]) for each in layout["annotations"] if each["text"] not in MARKED]
    return {*re.sub("<[^>]*>|\u2002", " ", " ".join(texts)).split()}


def leaves(part, path=""):
    """Return every value in a nested part of a figure by its dotted path."""
    if not isinstance(part, (dict, list, tuple)):
        return {path: part}
    each = part.items() if isinstance(part, dict) else enumerate(part)
    return {k: v for name, value in each for k, v in leaves(value, f"{path}.{name}".lstrip(".")).items()}


@pytest.mark.parametrize("profile", [LIGHT, DARK])
@pytest.mark.parametrize(("stem", "step"), NARROW)
def test_phone_layout_has_the_same_data_and_words(stem, step, profile):
    for d_k in (1, 20, 64, 1024):
        shown = figure(stem, step, profile, d_k=d_k)
        check_looks(plotted(on_a_phone(shown)), profile)
        sent = json.loads(shown.to_json(narrow=True))
        assert sent.keys() == {"data", "layout", "narrow"}
        assert {each for each in shown.narrow if each[1:5] != "axis"} <= {"height", "margin", "annotations", "shapes"}
        for name in (each for each in shown.narrow if each[1:5] == "axis"):
            one, other = sent["layout"][name], sent["narrow"][name]
            assert {each for each in one.keys() | other.keys() if one.get(each) != other.get(each)} <= WHERE | ONCE
        assert words(shown.narrow) == words(shown.layout)


@pytest.mark.parametrize(("stem", "step"), NARROW)
def test_drag_on_a_phone_changes_only_what_quick_drawing_redraws(stem, step):
    some, *others = (leaves(figure(stem, step, d_k=d_k).narrow) for d_k in (64, 1, 20, 1024))
    for other in others:
        assert some.keys() == other.keys()
        assert [each for each in some if some[each] != other[each] and not QUICKLY.fullmatch(each)] == []


@pytest.mark.parametrize(("stem", "step"), NARROW)
def test_walls_and_files_have_no_phone_layout(stem, step):
    assert figure(stem, step, PROJECTOR).narrow == {}
    assert json.loads(figure(stem, step).to_json()).keys() == {"data", "layout"}


@pytest.mark.parametrize("guesses", [(20,), (20, 20, 35)])
def test_marks_of_a_bet_are_also_in_the_phone_layout(guesses):
    found = 0
    for stem, lesson in LESSONS.items():
        if not lesson.bet or not lesson.bet.place or isinstance(lesson.bet.answer, Drawing):
            continue
        here = Address(lesson, {"step": lesson.bet.when[1], "bet": "1"})
        shown = VIEWS[stem].of(here.step).picture(here.values, LIGHT)
        here.__dict__["guesses"] = guesses
        after = bet_marks.marked(shown, here, Outcome(30.0, ""), LIGHT).figure
        for kind in {"annotations", "shapes"} & shown.figure.narrow.keys():
            added = after.layout[kind][len(shown.figure.layout[kind]) :]
            assert added
            assert after.narrow[kind] == [*shown.figure.narrow[kind], *added]
            found += 1
    assert found


def test_story_on_a_phone_still_labels_its_lines():
    shown = work.story({"seed": 0}, LIGHT).figure
    check_looks(plotted(on_a_phone(shown)), LIGHT)
    assert shown.narrow.keys() == {"margin", "shapes", "annotations"}
    assert shown.narrow["margin"]["r"] < 0.6 * shown.layout["margin"]["r"]
    assert words(shown.narrow) < words(shown.layout)
    assert {"raw", "÷", "√dₖ", "too", "spread", "flat"} <= words(shown.narrow)
