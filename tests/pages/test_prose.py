"""The prose of the product: its length, and the notation of its formulas."""

import re
from pathlib import Path

import pytest

from pages._view.lessons import LESSONS
from pages._view.page import show

FILES = sorted(show.FOLDERS.rglob("*.md"))
MOST_WORDS = 2_508  # words in all files and folds; raise it for a new lesson, or shorten another text
FORMULA = re.compile(r"\$[^$]*\$|`[^`]*`|https?://\S+")


def words(text):
    """Return the number of words; numbers and formulas count, the bars of tables do not."""
    return sum(re.search(r"\w", each) is not None for each in text.split())


def declared(lesson):
    """Return the texts of a lesson's folds."""
    return [lesson.assumed, *(text for myth in lesson.myths for text in myth), *lesson.sources]


def unmarked(text):
    """Return the words with a visible _ or ^ outside formulas."""
    return re.findall(r"\S*(?:\w_\w|\^)\S*", FORMULA.sub("", text))


def test_all_prose_together_stays_within_the_word_limit():
    files = sum(words(path.read_text(encoding="utf-8")) for path in FILES)
    folds = sum(words(text) for each in LESSONS.values() for text in (each.assumed, *sum(each.myths, ())))
    assert 0 < files + folds <= MOST_WORDS


@pytest.mark.parametrize("stem", LESSONS)
def test_folds_of_a_lesson_mark_up_their_formulas(stem):
    assert [found for text in declared(LESSONS[stem]) for found in unmarked(text)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: Path(path).relative_to(show.FOLDERS).as_posix())
def test_prose_files_mark_up_their_formulas(path):
    assert unmarked(path.read_text(encoding="utf-8")) == []


def test_words_and_unmarked_formulas_are_found():
    assert words("| Both means | are $0$. |\n|:--|:--|") == 4
    assert unmarked("d_k and $d_k$ and `d_k`, 10^-3") == ["d_k", "10^-3"]
