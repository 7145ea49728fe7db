"""The stills of each step as it opens, and its card for chats, both in the folder of the lesson.

They were drawn in a browser at the default settings; `.venv/bin/python tests/stills` redraws them.
"""

from functools import cache
from pathlib import Path

SIZES = ("wide", "narrow")  # a still for a laptop's window, and one for a phone's
CARD = (1200, 630)  # px

_FOLDERS = Path(__file__).resolve().parent / "lessons"


@cache
def still(stem: str, size: str, step: str = "") -> str:
    """Return the still of a lesson, or of its step, as SVG for light and dark; "" if Plotly does not draw it."""
    file = folder(stem) / step / f"{size}.svg"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def card(stem: str, step: str = "") -> Path:
    """Return the file of a step's card, which a chat shows beside a link."""
    return folder(stem) / step / "card.png"


def folder(stem: str) -> Path:
    """Return the folder of a page's stills."""
    return _FOLDERS / stem / "still"
