"""The preview image (card) that a chat shows for a link to a page: its question, its picture, and the lab's name."""

import base64
import io
from functools import cache
from html import escape
from pathlib import Path

import streamlit
from PIL import Image

from pages._view import stills
from pages._view.lessons import LESSONS
from pages._view.routes import NAME
from pages._view.server.first import in_letters
from pages._view.theme import LIGHT

COLOURS = 128  # a small palette makes a small file
_MEDIA = Path(streamlit.__file__).parent / "static" / "static" / "media"
_STYLE = f"""
* {{ box-sizing: border-box; margin: 0; }}
html {{ color-scheme: light; }}
body {{
  width: {stills.CARD[0]}px; height: {stills.CARD[1]}px; padding: 36px 48px 28px; display: flex; flex-direction: column;
  gap: 20px; background: {LIGHT.ground}; color: {LIGHT.text}; font-family: "Source Sans", sans-serif;
}}
h1 {{ font-size: 68px; line-height: 1.05; font-weight: 700; text-wrap: balance; }}
main {{ flex: 1; min-height: 0; display: flex; justify-content: center; }}
main > * {{ width: 100%; height: 100%; object-fit: contain; }}
main > p {{ font-size: 46px; line-height: 1.25; }}
sub {{ font-size: 0.6em; line-height: 0; }}
footer {{ font-size: 36px; line-height: 1; font-weight: 600; color: {LIGHT.scaled}; }}
.on-dark {{ display: none; }}
"""


def card_of(page, stem, picture):
    """Return a page's card as a PNG file. It shows the picture, given as HTML, or else the page's answer."""
    lesson = LESSONS[stem]
    shown = picture or f"<p>{_written(in_letters(lesson.answer))}</p>"
    page.set_viewport_size({"width": stills.CARD[0], "height": stills.CARD[1]})
    page.goto("about:blank")
    page.set_content(
        f"<!DOCTYPE html><style>{_face()}{_STYLE}</style>"
        f"<h1>{_written(lesson.question)}</h1><main>{shown}</main><footer>{_written(NAME)}</footer>"
    )
    page.evaluate("() => document.fonts.ready.then(() => true)")
    return _packed(page.screenshot(scale="css"))


def _written(text):
    """Return text as HTML with a <sub> element for ₖ, which Streamlit's font lacks."""
    return escape(text).replace("dₖ", "d<sub>k</sub>")


@cache
def _face():
    """Return a CSS rule with Streamlit's font."""
    (file,) = _MEDIA.glob("SourceSansVF-Upright*")
    data = base64.b64encode(file.read_bytes()).decode()
    return (
        f'@font-face {{ font-family: "Source Sans"; font-weight: 200 900; src: url("data:font/woff2;base64,{data}"); }}'
    )


def _packed(png):
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()
