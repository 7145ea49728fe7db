"""The scripts that run in the browser, as text. The files of a script share one scope, so their names must differ."""

from pathlib import Path

_FOLDER = Path(__file__).parent


def text_of(*names: str) -> str:
    """Return the text of these files, joined."""
    return "".join((_FOLDER / name).read_text(encoding="utf-8") for name in names)


# The files of each component's script after `lab.js`, joined because Streamlit resolves no imports in a component.
FILES = {
    "slider": ("streamlit.js", "taken.js", "glide.js", "slider.js"),
    "picture": (
        "streamlit.js",
        "entry.js",
        "taken.js",
        "window.js",
        "unbroken.js",
        "marks.js",
        "drawing.js",
        "quick.js",
        "morph.js",
        "picture.js",
    ),
    "hero": ("streamlit.js", "link.js", "sheet.js", "taken.js", "window.js", "unbroken.js", "marks.js", "hero.js"),
    "between": ("between.js",),
    "cells": ("streamlit.js", "cells.js"),
    "saving": ("streamlit.js", "link.js", "sheet.js", "window.js", "saving.js"),
    "paper": ("streamlit.js", "link.js", "onpaper.js", "paper.js"),
    "wall": ("streamlit.js", "wall.js"),
    "keys": ("streamlit.js", "keys.js"),
    "frame": ("streamlit.js", "link.js", "boxes.js", "bet.js", "frame.js"),
}
SCRIPTS = {name: text_of("lab.js", *files) for name, files in FILES.items()}
# The components on the stage, which the server puts into its page too.
PARTS = {name: SCRIPTS[name] for name in ("slider", "picture", "hero")}
SLIDER, PICTURE, PAPER = text_of("slider.html"), text_of("picture.html"), text_of("paper.html")
HERO = f"<style>{text_of('hero.css')}</style>{text_of('hero.html')}"
