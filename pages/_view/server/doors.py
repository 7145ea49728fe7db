"""The page before a room: for its code, and where one is refused."""

from pages._view._streamlit import path_of
from pages._view.routes import JOIN
from pages._view.server import html


def ask_for_code(problem: str = "") -> str:
    """Return the page where one types the code of a room. problem: why it went no further."""
    return html.render("door.html", title="Join a room", place=path_of(JOIN), problem=problem)
