"""The words of all pictures equal those last reviewed, in one file per lesson in __snapshots__.

After a change of words, `pytest tests/figures/test_words.py --snapshot-update` rewrites the file.
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
EVERYWHERE = ("sentence", "claim", "title", "words")  # recorded at all settings; other kinds only at the defaults


class Lines(SingleFileSnapshotExtension):
    """Text files as snapshots."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


def settings_of(stem):
    """Yield names and settings: the defaults, both ends of the d_k slider, the bet, all tries, and some options."""
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
    """Yield all words at the defaults, and at other settings the new ones, with the number of lines if it differs."""
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
    """Return True if a line differs from those at the defaults and its kind is recorded at all settings."""
    return line not in usual and line.split(":")[0].split()[-1] in EVERYWHERE


@pytest.mark.parametrize("stem", ORDER)
def test_words_are_as_reviewed(stem, snapshot):
    assert "\n".join(lines_of(stem)) + "\n" == snapshot(extension_class=Lines)
