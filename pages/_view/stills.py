"""What a lesson's opening looks like, kept beside it: its main picture, where things stand, and its card for chats.

All of it was drawn in a browser at the default settings: `.venv/bin/python tests/stills` draws it anew.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

SIZES = ("wide", "narrow")  # of the window that a picture was drawn in: a laptop's and a phone's
CARD = (1200, 630)  # px

_FOLDERS = Path(__file__).resolve().parent / "lessons"


@cache
def still(stem: str, size: str) -> str:
    """The main picture of a lesson as SVG, on light and on dark ground; "" if the lesson opens on none of Plotly's."""
    file = folder(stem) / f"{size}.svg"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


@cache
def places(stem: str) -> dict[str, Any]:
    """Where the slider and the main picture stand, by mode and by the width of the window; {} if nobody has looked.

    Each is None where the page has none, or has these numbers, in pixels: above, to what stands before it (the slider,
    the answer, or the question); left and right, to the sides of the text; height.
    """
    file = folder(stem) / "places.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found


def card(stem: str) -> Path:
    """The file of the picture that a chat shows beside a link to the page."""
    return folder(stem) / "card.png"


def folder(stem: str) -> Path:
    """Where the stills of a page are kept."""
    return _FOLDERS / stem / "still"
