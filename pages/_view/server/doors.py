"""The page before a room: for its code, and where one is refused."""

from pages._view._streamlit import path_of
from pages._view.routes import JOIN
from pages._view.server import html

_JOIN = "Join a room"
_CODE = "The code on the wall, four letters"


def ask_for_code(problem: str = "") -> str:
    """Where one types the code of a room. problem: why it went no further."""
    field = (
        f'<label class="above" for="code">{_CODE}</label><input id="code" name="code" type="text" required '
        'maxlength="8" autocapitalize="characters" autocomplete="off" spellcheck="false">'
    )
    form = f'<form action="{path_of(JOIN)}">{field}{html.button("Join", first=True)}</form>'
    inside = f"<h1>{_JOIN}</h1>{html.paragraphs([problem], 'wrong')}{form}"
    return html.document(_JOIN, html.main_part(inside))
