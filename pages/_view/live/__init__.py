"""What runs in the browser: pictures, the hero of the start page, clicks on matrices, and what the frame needs there.

The hero is a picture that follows the slider while it is being dragged. The browser draws
what Python computed beforehand for every stop of the slider, so a drag sends no message.
On release the component commits d_k to the shared control.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages._view.kinds import Choice, Value
from pages._view.lessons import LESSONS
from pages._view.server.bundle import BUNDLE
from pages._view.shared import SHARED

_FOLDER = Path(__file__).parent


def _text(name):
    return (_FOLDER / name).read_text(encoding="utf-8")


_mount = st.components.v2.component("sattn_hero", html=_text("hero.html"), css=_text("hero.css"), js=_text("hero.js"))
_cells = st.components.v2.component("sattn_cells", js=_text("cells.js"))
_picture = st.components.v2.component(
    "sattn_picture",
    html='<div data-picture role="figure"><div></div></div>',
    js=_text("picture.js"),
    isolate_styles=False,  # the rules that Plotly writes for itself do not reach into a shadow root
)
_mend = st.components.v2.component("sattn_frame", js=_text("frame.js"))


def mend_browser() -> None:
    """Let Back find each page as it was left, a link name options, and the keyboard scroll what is too wide."""
    _mend(key="mend_browser", data={"bundle": BUNDLE, "names": _OPTION_NAMES})


def _option_names():
    """For each control that shows other words than its options' names: the name by the words."""
    names: dict[str, dict[str, str]] = {}
    for table in (SHARED, *(lesson.controls for lesson in LESSONS.values())):
        for control, each in table.items():
            if isinstance(each, Choice) and each.shown:
                names.setdefault(control, {}).update({words: option for option, words in each.shown.items()})
    return names


_OPTION_NAMES = _option_names()


def draw_hero(payload: dict[str, Any], *, key: str, on_commit: Callable[[int], None]) -> None:
    """Show the hero; on_commit receives the dimension on which the slider was let go."""

    def commit():
        on_commit(st.session_state[key]["d_k"])

    _mount(data=payload, key=key, default={"d_k": payload["d_k"]}, on_d_k_change=commit)


def watch_cells(
    *, key: str, find: Callable[[Any], dict[str, Value]], choose: Callable[[dict[str, Value]], None]
) -> None:
    """Choose the cell of a matrix that is clicked or tapped: find turns the click into values of controls."""

    def on_cell():
        choose(find(st.session_state[key]["cell"]))

    _cells(key=key, on_cell_change=on_cell)


def draw_picture(fig: go.Figure, *, key: str, sentence: str, alt: str, config: dict[str, Any]) -> None:
    """Show a figure; the browser draws it anew only where it has changed."""
    words = {"sentence": sentence, "alt": alt}
    data = {"figure": fig.to_json(), "height": fig.layout.height, "config": config, "bundle": BUNDLE}
    _picture(key=key, data=data | words)
