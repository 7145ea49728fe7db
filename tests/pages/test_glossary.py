"""Words that open their definition at their first use."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages._view.glossary import TERMS
from pages._view.lessons import LESSONS


def page():
    from pages._view.page.words import worded

    worded("A score compares a query with keys; a key is a vector.", ("key", "query", "score"))


def test_only_the_first_use_of_a_word_opens_its_definition():
    (said,) = AppTest.from_function(page).run().markdown
    assert re.findall(r"<summary>(.*?)</summary><span>(.*?)</span>", said.value) == [
        (word, TERMS[term]) for word, term in (("score", "score"), ("query", "query"), ("keys", "key"))
    ]
    assert re.sub(r"<details.*?<summary>(.*?)</summary>.*?</details>", r"\1", said.value) == (
        "A score compares a query with keys; a key is a vector."
    )


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_lesson_explains_only_words_that_its_answer_uses(lesson):
    assert [term for term in lesson.terms if term not in TERMS or term not in lesson.answer.lower()] == []
