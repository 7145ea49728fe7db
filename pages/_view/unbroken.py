"""Text as HTML in which no line breaks between a number and its unit or symbol."""

import re
from html import escape

from pages._view.live import text_of

_UNBROKEN = re.compile(text_of("unbroken.js").split("/")[-2])  # from the scripts: server and browser break lines alike


def html_of(text: str) -> str:
    """Return text as HTML, with elements around parts in which lines must not break (`screen.css`)."""
    return _UNBROKEN.sub(r'<span class="whole">\1</span>', escape(text))
