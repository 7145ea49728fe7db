"""Text as HTML in which no line breaks between a number and its sign, or a symbol and its number."""

import re
from html import escape

from pages._view.live import text_of

_UNBROKEN = re.compile(text_of("unbroken.js").split("/")[-2])  # the scripts' own, so that both break lines alike


def html_of(text: str) -> str:
    """Return the text as HTML with each unit in an element that no line break divides (`screen.css`)."""
    return _UNBROKEN.sub(r'<span class="whole">\1</span>', escape(text))
