"""The style rules that go beyond Streamlit's settings."""

from functools import cache
from pathlib import Path

from pages._view.kinds import Choice
from pages._view.lesson import Lesson

_FOLDER = Path(__file__).resolve().parent / "style"
_LETTER, _AROUND = 0.5, 2.1  # rem: width of a letter of an option, and of the room around its words
_ONE_LINE = 31  # letters of a question that fit on one line of a phone
_LONG_ON_PHONE = "@media (max-width: 640px) { :root { --question: 1.125rem; --row-top: 2.625rem; } }"
IN_SETTINGS = ("mode", "n_keys", "law", "seed")  # the shared controls in the drawer


def rules(lesson: Lesson, mode: str, *, more: bool, dark: bool = False) -> str:
    """Return the rules of a lesson's page, which hide the shared controls that the lesson does not use.

    more: True if the parts below the main picture are shown. dark: True if Streamlit's theme is dark.
    """
    names = ["screen", "terms", "questions", "touch", *(["steps"] if lesson.steps else [])]
    if mode == "projector":
        names += ["projector"] if more or lesson.steps else ["projector", "projector_stage"]
        names += ["steps_projector"] if lesson.steps else []
        names += ["projector_on_dark"] if dark else []
    names.append("print")
    unused = [name for name in (*IN_SETTINGS[1:], "scaling") if name not in lesson.shared]
    if "d_k" not in lesson.shared:
        unused.append("typed")
    hidden = (f".st-key-{name} {{ display: none; }}" for name in unused)
    return " ".join([*map(_text, names), *hidden, _sized(lesson) if lesson.steps else ""])


def _sized(lesson):
    """Return the rules that fit the question's font size to the room beside the links to the lesson's steps."""
    letters = len(lesson.question)
    long = _LONG_ON_PHONE if letters > _ONE_LINE else ""
    bars = " ".join(_as_wide_as_its_words(lesson, name) for name in _bars(lesson))
    return f":root {{ --letters: {letters}; --steps: {len(lesson.steps)}; }} {long} {bars}"


def _bars(lesson):
    """Return the names of the choices beside a slider that show all their options."""
    in_sight = dict.fromkeys(name for each in lesson.steps for name in each.in_sight)
    return [name for name in in_sight if isinstance(one := lesson.controls[name], Choice) and one.bar]


def _as_wide_as_its_words(lesson, name):
    """Return the rule that gives a bar of options one width, before and after Streamlit draws it."""
    one = lesson.controls[name]
    width = sum(_LETTER * len(one.called(each)) + _AROUND for each in one.options)
    wide = f"flex: 0 0 {width:.1f}rem !important; width: {width:.1f}rem !important; max-width: 100%;"
    return f".st-key-stage > .st-key-{name}.st-key-{name}, .controls > .{name} {{ {wide} }}"


@cache
def _text(name):
    return (_FOLDER / f"{name}.css").read_text(encoding="utf-8")
