"""What an address shows, in words: for chats, search engines, and browsers that run no scripts. No session takes part."""

import re
from collections.abc import Mapping

from pages._view import bets, controls
from pages._view.lesson import Lesson
from pages._view.lessons import ORDER, main_of, sentence_of
from pages._view.literal import written
from pages._view.main_picture import is_ready, is_unasked
from pages._view.theme import LIGHT

_FORMULA = re.compile(r"\$([^$]+)\$")
_COMMANDS = {r"\sqrt": "√", r"\cdot": "·", r"\operatorname": "", r"\mathbf": "", r"\,": " "}
_SIGNS = str.maketrans("", "", "{}*\\")


def sentence_at(lesson: Lesson, query: Mapping[str, str]) -> str:
    """The sentence of the main picture at the settings of an address, or "" where it would take long to know.

    Where a bet is open it is what is asked: the sentence would tell.
    """
    values = controls.read(lesson, query)
    if lesson.bet and bets.is_open_at(lesson, query):
        return bets.question(lesson.bet, values)
    main = main_of(lesson.stem) if lesson.stem in ORDER else None
    if main and is_unasked(main, values) and is_ready(main, values):
        return str(main.picture(values, LIGHT).sentence)
    said = sentence_of(lesson.stem)
    return str(said(values)) if said else ""


def in_letters(markdown: str) -> str:
    """Markdown with formulas as letters: $\\sqrt{d_k}$ as √dₖ."""
    return _FORMULA.sub(lambda found: _letters(found[1]), markdown).replace("*", "")


def _letters(formula):
    for command, sign in _COMMANDS.items():
        formula = formula.replace(command, sign)
    return written(formula.translate(_SIGNS).replace("model width", "d_model"))
