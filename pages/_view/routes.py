"""The paths of the lab's own routes, relative to the first page."""

import os

NAME = "Why attention divides by √dₖ"
MOVING = "moving"  # followed by the stem of a lesson
BET = "bet"  # followed by the stem of a lesson: a form sends the answer to its bet here
CODE = "code"  # QR codes of addresses
JOIN, TEACH = "j", "room"  # each followed by the code of a class
EMBED = "embed"  # embed=1 in an address: another site shows the page in a frame

# The sites that may frame the lab, as a source list of the content policy: 'self', or 'self' https://course.example
FRAME_ANCESTORS = "SATTN_FRAME_ANCESTORS"
OURS = "'self'"


def card_of(stem: str, step: str = "") -> str:
    """Return the path of a step's card, which a chat shows beside a link."""
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
