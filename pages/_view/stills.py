"""The stills of each step as it opens, kept beside its lesson: its picture, and its card for chats.

All of it was drawn in a browser at the default settings: `.venv/bin/python tests/stills` draws it anew.
"""

from functools import cache
from pathlib import Path

SIZES = ("wide", "narrow")  # of the window that a picture was drawn in: a laptop's and a phone's
CARD = (1200, 630)  # px

_FOLDERS = Path(__file__).resolve().parent / "lessons"


@cache
def still(stem: str, size: str, step: str = "") -> str:
    """The picture of a lesson, or of its step, as SVG on light and on dark ground; "" if it is none of Plotly's."""
    file = folder(stem) / step / f"{size}.svg"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def card(stem: str, step: str = "") -> Path:
    """The file of the picture that a chat shows beside a link to the page, at this step of its lesson."""
    return folder(stem) / step / "card.png"


def folder(stem: str) -> Path:
    """Where the stills of a page are kept."""
    return _FOLDERS / stem / "still"
