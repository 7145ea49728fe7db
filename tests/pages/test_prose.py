"""The prose of the product: its length, and the notation of its formulas."""

import re
from pathlib import Path

import pytest

from pages._view.lessons import LESSONS
from pages._view.page import show

FILES = sorted(show.FOLDERS.rglob("*.md"))
MOST_WORDS = 2_508  # of all files and folds together: a lesson with more text raises it, or shortens another text
FORMULA = re.compile(r"\$[^$]*\$|`[^`]*`|https?://\S+")


def words(text):
    """Return the number of words, with numbers and formulas, without the bars of tables."""
    return sum(re.search(r"\w", each) is not None for each in text.split())


def declared(lesson):
    """Return the Markdown of a lesson's folds."""
    return [lesson.assumed, *(text for myth in lesson.myths for text in myth), *lesson.sources]


def unmarked(text):
    """Return the characters outside formulas that would show _ or ^ to a reader."""
    return re.findall(r"\S*(?:\w_\w|\^)\S*", FORMULA.sub("", text))


def test_all_prose_together_stays_within_its_words():
    files = sum(words(path.read_text(encoding="utf-8")) for path in FILES)
    folds = sum(words(text) for each in LESSONS.values() for text in (each.assumed, *sum(each.myths, ())))
    assert 0 < files + folds <= MOST_WORDS


@pytest.mark.parametrize("stem", LESSONS)
def test_the_folds_of_a_lesson_write_formulas_as_formulas(stem):
    assert [found for text in declared(LESSONS[stem]) for found in unmarked(text)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: Path(path).relative_to(show.FOLDERS).as_posix())
def test_a_file_of_prose_writes_formulas_as_formulas(path):
    assert unmarked(path.read_text(encoding="utf-8")) == []


def test_words_and_unmarked_formulas_are_found():
    assert words("| Both means | are $0$. |\n|:--|:--|") == 4
    assert unmarked("d_k and $d_k$ and `d_k`, 10^-3") == ["d_k", "10^-3"]
