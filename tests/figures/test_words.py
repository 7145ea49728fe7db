"""The words of all pictures, as last reviewed: one file a lesson, in __snapshots__.

A change of words is a change of that file: `pytest tests/figures/test_words.py --snapshot-update` writes it again.
"""

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from pages._view.kinds import Choice
from pages._view.lessons import LESSONS, ORDER
from pages._view.theme import LIGHT, PROJECTOR
from tests.figures.pictures import pictures
from tests.figures.test_every_picture import SHORT, at
from tests.figures.words import words_beside, words_of

MOST_OPTIONS = 1
EVERYWHERE = ("sentence", "claim", "title", "words")  # other kinds of line are kept only at the defaults


class Lines(SingleFileSnapshotExtension):
    """Text files as snapshots."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


def settings_of(stem):
    """Yield the defaults, both ends of the slider, the settings of bets and tries, and some options, by name."""
    lesson = LESSONS[stem]
    yield from (("defaults", {}), ("d_k = 1", {"d_k": 1}), ("d_k = 1,024", {"d_k": 1024}))
    if lesson.bet and lesson.bet.when:
        yield "bet", dict([lesson.bet.when])
    yield from ((f"try {each.key}", {**each.settings, **SHORT}) for each in lesson.tries)
    for name, control in lesson.controls.items():
        if isinstance(control, Choice):
            needed = dict([control.when]) if control.when else {}
            tried = {control.default, *(each.settings.get(name) for each in lesson.tries)}
            others = [each for each in control.options if each not in tried]
            yield from ((f"{name} = {each}", {**needed, name: each}) for each in others[:MOST_OPTIONS])


def lines_of(stem):
    """Yield the words at the defaults, and new ones at other settings, with how many there are."""
    usual = {}
    settings = [(name, chosen, LIGHT) for name, chosen in settings_of(stem)]
    for setting, chosen, profile in [*settings, ("on a wall", {}, PROJECTOR)]:
        head, values = [f"=== {setting} ==="], at(stem, **chosen)
        shown = [(each.key, words_of(each, profile)) for each in pictures(stem, values, profile)]
        for key, words in [*shown, ("beside", words_beside(stem, values, profile))]:
            found = [f"{key} {what}: {text}" for what, text in words]
            new = [each for each in found if key not in usual or is_new(each, usual[key])]
            changed = len(found) != len(usual.setdefault(key, found))
            if new or changed:
                yield from [*head, *new, *([f"{key}: {len(found)} lines"] if changed else [])]
                head = []


def is_new(line, usual):
    """Return True if a line is not among those at the defaults, and of a kind that is kept at all settings."""
    return line not in usual and line.split(":")[0].split()[-1] in EVERYWHERE


@pytest.mark.parametrize("stem", ORDER)
def test_words_are_as_reviewed(stem, snapshot):
    assert "\n".join(lines_of(stem)) + "\n" == snapshot(extension_class=Lines)
