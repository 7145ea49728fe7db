"""The paths of the lab's own routes, relative to the first page."""

import os

NAME = "Why attention divides by √dₖ"
MOVING = "moving"  # then the stem of a lesson
BET = "bet"  # then the stem of a lesson: an answer to its bet
CODE = "code"  # QR codes of addresses
JOIN, TEACH = "j", "room"  # then the code of a class
EMBED = "embed"  # in an address, with 1: another site shows the page in a frame

# The sites that may frame the lab, as a source list of the content policy: 'self', or 'self' https://course.example
FRAME_ANCESTORS = "SATTN_FRAME_ANCESTORS"
OURS = "'self'"


def card_of(stem: str, step: str = "") -> str:
    """Return the path of the picture that a chat shows beside a link to this step of a lesson."""
    return f"cards/{stem}/{step}.png" if step else f"cards/{stem}.png"


def title_of(question: str) -> str:
    """Return the title of a lesson's page, for the browser's tab."""
    return f"{question} · {NAME}"


def frame_ancestors() -> str:
    """Return the sites that may show the lab in a frame."""
    return os.environ.get(FRAME_ANCESTORS, OURS)


def framed_by_others() -> bool:
    """Return True if pages of other sites may show the lab in a frame."""
    return frame_ancestors() not in (OURS, "'none'")
