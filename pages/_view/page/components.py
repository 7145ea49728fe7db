"""The scripts of `live` as Streamlit components: the slider, pictures, the hero, and scripts of the frame.

Pictures follow the slider while it is dragged. A main picture requests a figure from the server for each value; the
hero of the start page draws what Python has computed beforehand for every stop.

The data of a script is always a list of one dictionary: a bare dictionary makes Streamlit search it for tables, which
loads pandas (60 MB).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import streamlit as st

from pages._view import routes
from pages._view._streamlit import path_of, session_id
from pages._view.bundle import BUNDLE, script
from pages._view.kinds import Value
from pages._view.live import PARTS, PICTURE, SCRIPTS, SLIDER, text_of
from pages._view.theme import WALL

_slider = st.components.v2.component("sattn_slider", html=SLIDER, js=PARTS["slider"], isolate_styles=False)
_mount = st.components.v2.component("sattn_hero", html=text_of("hero.html"), css=text_of("hero.css"), js=PARTS["hero"])
_between = st.components.v2.component("sattn_between", js=SCRIPTS["between"])
_cells = st.components.v2.component("sattn_cells", js=SCRIPTS["cells"])
_picture = st.components.v2.component(
    "sattn_picture",
    html=PICTURE,
    js=PARTS["picture"],
    isolate_styles=False,  # Plotly's own style rules do not reach into a shadow root
)
_saving = st.components.v2.component(
    "sattn_saving", html=text_of("saving.html"), js=SCRIPTS["saving"], isolate_styles=False
)
_paper = st.components.v2.component(
    "sattn_paper", html=text_of("paper.html"), js=SCRIPTS["paper"], isolate_styles=False
)
_wall = st.components.v2.component("sattn_wall", html=text_of("wall.html"), js=SCRIPTS["wall"], isolate_styles=False)
_keys = st.components.v2.component("sattn_keys", html=text_of("keys.html"), js=SCRIPTS["keys"], isolate_styles=False)
_mend = st.components.v2.component("sattn_frame", js=SCRIPTS["frame"])


def _sent(data):
    """Return a script's data as a list of one, see the module's docstring."""
    return (dict(data),)


def _heard(key, name):
    """Return the last message of a component; None while Streamlit has it unmounted, as during a page change."""
    return st.session_state.get(key, {}).get(name)


def mend_browser(
    question: str,
    line: str,
    own: Sequence[str],
    *,
    asks_for_wall: bool,
    follows: bool,
    heard: Mapping[str, Callable[[str], None]],
) -> None:
    """Restore pages after Back, let the keyboard scroll wide boxes, and keep the connection alive.

    question, line: texts of the lesson and its step, which get the focus after a link. own: parameters that are left
    out of a shared address. asks_for_wall: True if the address asks for a wall, so that the window's size matters.
    follows: True if the page belongs to a class, so that its session must not end. heard: a function for each message
    of the stage's HTML: the step to go to, the settings of a link, a bet.
    """

    def hear(name, act):
        if isinstance(text := _heard("mend_browser", name), str):
            act(text)

    told: dict[str, Any] = {"bundle": BUNDLE, "session": session_id(), "question": question, "line": line, "own": own}
    told |= {"asksForWall": asks_for_wall, "small": st.session_state.get("small", False), "wall": WALL}
    told |= {"follows": follows}
    callbacks: dict[str, Any] = {
        "on_draw_change": lambda: None,
        "on_bundle_change": _want_bundle,
        "on_picture_change": _draw_all,
        "on_window_change": _hear_window,
        **{f"on_{name}_change": partial(hear, name, act) for name, act in heard.items()},
    }
    _mend(key="mend_browser", data=_sent(told), **callbacks)
    if "bundle_wanted" in st.session_state:
        _bundle()(key="bundle")


def hear_keys(lesson: str) -> None:
    """Handle a wall's keyboard shortcuts, and draw the button that lists them. lesson: its stem."""
    _keys(key="keys", data=_sent({"lesson": lesson}))


def _hear_window():
    """Note if the window is too small for a wall; the browser reports it when the address asks for a wall."""
    if window := _heard("mend_browser", "window"):
        st.session_state["small"] = window == "small"


def prepare_paper(inks: Sequence[tuple[str, str]]) -> None:
    """Add the page's address and a QR code of it to the end of the page when it is printed.

    inks: pairs of a colour on the screen and its replacement on paper, the ground first; none if they are the same.
    """
    _paper(key="paper", data=_sent({"code": path_of(routes.CODE), "inks": [list(pair) for pair in inks]}))


def draw_room(told: Mapping[str, Any]) -> None:
    """Draw the corner of a wall: code, QR code and counts of its class; a script polls the server for changes.

    told: the code, the script's paths (door, join, state, …) and the values of `classroom.wall_state`. The page runs
    again when these change.
    """
    _wall(key="room_corner", data=_sent(told), on_changed_change=lambda: None)


def _draw_all():
    """Note that the browser could not fetch a picture: from now on Python sends this visitor all pictures."""
    st.session_state["draws_all"] = True


def draws_all() -> bool:
    """Return True if Python sends this visitor all pictures, since the browser could not fetch one."""
    return "draws_all" in st.session_state


def _want_bundle():
    """Note that the browser found no bundle at its URL, because the server is not that of `app.py`."""
    st.session_state["bundle_wanted"] = True


@cache
def _bundle():
    """Return the bundle as a component, for platforms that run the main script without our server."""
    return st.components.v2.component("sattn_bundle", js=f"{script()}\nexport default () => window.lab.bundle();")


def draw_slider(payload: Mapping[str, Any], *, key: str, on_release: Callable[[float], None]) -> None:
    """Draw the slider of a control; on_release receives the value at which it was released.

    payload: the slider as `Stage.slider` or `Stage.dial` returns it.
    """

    heard = f"{key}_heard"

    def release():
        message = _heard(key, "release")
        if _is_release(message):
            st.session_state[heard] = message["number"]
            on_release(message["at"])

    _slider(data=_sent({**payload, "heard": st.session_state.get(heard)}), key=key, on_release_change=release)


def _is_release(message):
    """Return True for a message of `slider.js`: a value, and a random number below 1 that the next payload repeats."""
    if not (isinstance(message, dict) and isinstance(message.get("at"), (int, float))):
        return False
    number = message.get("number")
    return isinstance(number, (int, float)) and 0 <= number < 1


def draw_hero(stops: dict[str, Any], between: dict[str, Any], *, key: str) -> None:
    """Draw the hero, which follows the slider in the browser; the data of its stops are sent only once."""
    _between(data=_sent(between), key=f"{key}_between")
    _mount(data=_sent(stops), key=key)


def draw_saving(name: str, keys: Sequence[str], sentence: str, *, key: str) -> None:
    """Draw two buttons that save pictures and sentence in one file. keys: of the pictures; () for the hero."""
    _saving(key=key, data=_sent({"name": name, "keys": list(keys), "sentence": sentence}))


def watch_cells(
    *, key: str, find: Callable[[Any], dict[str, Value]], choose: Callable[[dict[str, Value]], None]
) -> None:
    """Choose the clicked cell of a matrix; `find` turns the click into values of controls."""

    def on_cell():
        click = _heard(key, "cell")
        if _is_click(click):
            choose(find(click))

    _cells(key=key, on_cell_change=on_cell)


def _is_click(message):
    """Return True for a message of `cells.js`; a forged message may hold anything."""
    if not isinstance(message, dict) or not isinstance(message.get("chart"), str):
        return False
    return all(isinstance(message.get(each), int) for each in ("line", "place"))


def draw_picture(data: Mapping[str, Any], *, key: str) -> None:
    """Draw a figure, see `stage.payload`; the browser redraws only the parts that have changed."""
    _picture(key=key, data=_sent(data))
