"""The few style rules Streamlit has no setting for: in the page before it is drawn, and with what is drawn."""

from functools import cache
from pathlib import Path

from pages._view.lesson import Lesson

_FOLDER = Path(__file__).resolve().parent / "style"
IN_SETTINGS = ("mode", "n_keys", "law", "seed")  # the shared controls in the drawer


def rules(lesson: Lesson, mode: str, *, more: bool, dark: bool = False) -> str:
    """The rules of a lesson's page; a shared control that it does not use is not seen there.

    more: whether what stands below the main picture is wanted. dark: whether the platform is.
    """
    names = ["screen", "terms", "questions", "touch"]
    if mode == "projector":
        names += ["projector"] if more else ["projector", "projector_stage"]
        names += ["projector_on_dark"] if dark else []
    names.append("print")
    unused = [name for name in (*IN_SETTINGS[1:], "scaling") if name not in lesson.shared]
    if "d_k" not in lesson.shared:
        unused.append("typed")
    return " ".join([*map(_text, names), *(f".st-key-{name} {{ display: none; }}" for name in unused)])


@cache
def _text(name):
    return (_FOLDER / f"{name}.css").read_text(encoding="utf-8")
