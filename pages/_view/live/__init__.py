"""What runs in the browser: the hero of the start page, and the steps that Back takes.

The hero is a picture that follows the slider while it is being dragged. The browser draws
what Python computed beforehand for every stop of the slider, so a drag sends no message.
On release the component commits d_k to the shared control.
"""

from pathlib import Path

import streamlit as st

_FOLDER = Path(__file__).parent


def _text(name):
    return (_FOLDER / name).read_text(encoding="utf-8")


_mount = st.components.v2.component("sattn_hero", html=_text("hero.html"), css=_text("hero.css"), js=_text("hero.js"))
_steps_back = st.components.v2.component("sattn_steps_back", js=_text("steps_back.js"))


def keep_steps_back():
    """Let the browser's Back go from page to page and find each as it was left."""
    _steps_back(key="steps_back")


def draw_hero(payload, *, key, on_commit):
    """Show the hero; on_commit receives the dimension on which the slider was let go."""

    def commit():
        on_commit(st.session_state[key]["d_k"])

    return _mount(data=payload, key=key, default={"d_k": payload["d_k"]}, on_d_k_change=commit)
