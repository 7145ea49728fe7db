"""What an address shows, in words: for chats, search engines, and browsers that run no scripts."""

import re
from collections.abc import Mapping

from pages._view import bets, controls
from pages._view.lesson import Lesson
from pages._view.lessons import ORDER, main_of, sentence_of
from pages._view.main_picture import at_opening
from pages._view.theme import LIGHT

_FORMULA = re.compile(r"\$([^$]+)\$")
_COMMAND = re.compile(r"\\[a-z]+")
_COMMANDS = {r"\sqrt": "√", r"\cdot": "·"}  # the others say how letters look
_LETTERS = {"d_k": "dₖ", "q_i k_i": "qᵢkᵢ", "q_i": "qᵢ", "W_ij": "Wᵢⱼ", "^2": "²"}


def sentence_at(lesson: Lesson, query: Mapping[str, str]) -> str:
    """The sentence of the main picture at the settings of an address, or "" where it would take long to know.

    Where a bet is open it is what is asked: the sentence would tell.
    """
    values = controls.read(lesson, query)
    if lesson.bet and bets.is_open_at(lesson, query):
        return bets.question(lesson.bet, values)
    if lesson.stem not in ORDER:
        return ""
    main, said = main_of(lesson.stem), sentence_of(lesson.stem)
    here = main and at_opening(main, values, alone=True)
    if here:
        return str(main.picture(here, LIGHT).sentence)
    return str(said(values)) if said else ""


def in_letters(markdown: str) -> str:
    r"""Markdown with its formulas as letters: $\sqrt{d_k}$ as √dₖ."""
    return _FORMULA.sub(lambda found: _written(found[1]), markdown).replace("*", "")


def _written(formula):
    text = re.sub("[{}]", "", _COMMAND.sub(lambda found: _COMMANDS.get(found[0], ""), formula))
    for name, letters in _LETTERS.items():
        text = text.replace(name, letters)
    return text
