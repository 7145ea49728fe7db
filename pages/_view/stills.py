"""The stills of each step as it opens, and its card for chats, kept in the folder of its lesson.

They were drawn in a browser at the default settings: `.venv/bin/python tests/stills` draws them again.
"""

from functools import cache
from pathlib import Path

SIZES = ("wide", "narrow")  # of the window that a picture was drawn in: a laptop's and a phone's
CARD = (1200, 630)  # px

_FOLDERS = Path(__file__).resolve().parent / "lessons"


@cache
def still(stem: str, size: str, step: str = "") -> str:
    """Return the still of a lesson, or of its step, as SVG for both grounds; "" if Plotly does not draw it."""
    file = folder(stem) / step / f"{size}.svg"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def card(stem: str, step: str = "") -> Path:
    """Return the file of the picture that a chat shows beside a link to this step of a lesson."""
    return folder(stem) / step / "card.png"


def folder(stem: str) -> Path:
    """Return the folder of a page's stills."""
    return _FOLDERS / stem / "still"
