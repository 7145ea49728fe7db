"""The page at which phones enter a class: it asks for the code, and explains a refusal."""

from pages._view._streamlit import path_of
from pages._view.routes import JOIN
from pages._view.server import html


def ask_for_code(problem: str = "") -> str:
    """Return the page that asks for the code of a class. problem: why the last request was refused."""
    return html.render("door.html", title="Join a room", place=path_of(JOIN), problem=problem)
