"""The paths of our own routes, each said once, relative to the first page."""

import os

NAME = "Why attention divides by √dₖ"
MOVING = "moving"  # then the stem of a lesson
BET = "bet"  # then the stem of a lesson: an answer to its bet
CODE = "code"  # QR codes of addresses
JOIN, TEACH = "j", "room"  # then the code of a class
EMBED = "embed"  # in an address, with 1: the page stands in a frame on a page of others

# Who may show the lab in a frame, as a source list of the content policy: 'self', or 'self' https://course.example
FRAME_ANCESTORS = "SATTN_FRAME_ANCESTORS"
OURS = "'self'"


def card_of(stem: str, step: str = "") -> str:
    """Return the path of the picture that a chat shows beside a link to a lesson, at this step."""
    return f"cards/{stem}/{step}.png" if step else f"cards/{stem}.png"


def title_of(question: str) -> str:
    """Return the title of a lesson's page in the tab of the browser."""
    return f"{question} · {NAME}"


def frame_ancestors() -> str:
    """Return who may show the lab in a frame."""
    return os.environ.get(FRAME_ANCESTORS, OURS)


def framed_by_others() -> bool:
    """Return True if pages of other addresses may show the lab in a frame."""
    return frame_ancestors() not in (OURS, "'none'")
