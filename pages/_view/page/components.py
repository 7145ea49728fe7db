"""The scripts of `live` as components of Streamlit: the slider, pictures, the hero, and what the frame needs.

Pictures follow the slider while it is dragged. A main picture asks the server for itself at one place after another;
the hero of the start page draws what Python computed beforehand for every stop.

Every script gets its data as a list of one, `data: [data]`: in a bare dictionary Streamlit looks for tables, and
loads 60 MB of pandas for that.
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
    isolate_styles=False,  # the rules that Plotly writes for itself do not reach into a shadow root
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
    """Return the data of a script as a list of one, see above."""
    return (dict(data),)


def _heard(key, name):
    """Return what a script says; None while Streamlit has it unmounted, as while the page changes."""
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
    """Let Back find each page as it was left, the keyboard scroll what is wider than its box, the connection last.

    question, line: of the lesson and of its step, which have the focus once a link has led to them. own: what is
    left out of an address that is shared. asks_for_wall: whether it matters how large the window is. follows: whether
    a class looks at the page, which keeps its session then. heard: what is done with what the stage's plain elements
    say: the step that the visitor goes to, what a link sets, and a bet.
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
        "on_window_change": _hear_window,
        **{f"on_{name}_change": partial(hear, name, act) for name, act in heard.items()},
    }
    _mend(key="mend_browser", data=_sent(told), **callbacks)
    if "bundle_wanted" in st.session_state:
        _bundle()(key="bundle")


def hear_keys(lesson: str) -> None:
    """Listen to the keys of a classroom, and draw the button that lists them. lesson: its stem."""
    _keys(key="keys", data=_sent({"lesson": lesson}))


def _hear_window():
    """Note if the window is too small for a wall; the browser says it where a wall is asked for."""
    if window := _heard("mend_browser", "window"):
        st.session_state["small"] = window == "small"


def prepare_paper(inks: Sequence[tuple[str, str]]) -> None:
    """Put at the end of a lesson what its printed page needs: its address, and a code of it.

    inks: the colours of the pictures and what they are on paper, the ground first; none if they are those of paper.
    """
    _paper(key="paper", data=_sent({"code": path_of(routes.CODE), "inks": [list(pair) for pair in inks]}))


def draw_room(told: Mapping[str, Any]) -> None:
    """Draw the corner of a wall: code, QR code and count of its room, which it asks for now and then.

    told: code, join, state, lead and drawn, which are paths, and what `classroom.wall_state` says. A room that shows
    something else makes a new run of the page.
    """
    _wall(key="room_corner", data=_sent(told), on_changed_change=lambda: None)


def _want_bundle():
    """Note that the browser found no bundle at its address: this is not the server of `app.py`."""
    st.session_state["bundle_wanted"] = True


@cache
def _bundle():
    """Return the bundle as a component, for a platform that runs the main script by itself."""
    return st.components.v2.component("sattn_bundle", js=f"{script()}\nexport default () => window.lab.bundle();")


def draw_slider(payload: Mapping[str, Any], *, key: str, on_release: Callable[[float], None]) -> None:
    """Draw the slider of a control; on_release receives the value where the hand has let go.

    payload: name, page, value, stops, shown (the text of each stop), label, and play, see `kinds.Number`.
    """

    heard = f"{key}_heard"

    def release():
        message = _heard(key, "release")
        if _is_release(message):
            st.session_state[heard] = message["number"]
            on_release(message["at"])

    _slider(data=_sent({**payload, "heard": st.session_state.get(heard)}), key=key, on_release_change=release)


def _is_release(message):
    """Return True if this is what `slider.js` says: the value, and a number below 1 that the answer repeats."""
    if not (isinstance(message, dict) and isinstance(message.get("at"), (int, float))):
        return False
    number = message.get("number")
    return isinstance(number, (int, float)) and 0 <= number < 1


def draw_hero(stops: dict[str, Any], between: dict[str, Any], *, key: str) -> None:
    """Show the hero, which follows the slider by itself; what is said of the stops is sent once, whatever is typed."""
    _between(data=_sent(between), key=f"{key}_between")
    _mount(data=_sent(stops), key=key)


def draw_saving(name: str, keys: Sequence[str], sentence: str, *, key: str) -> None:
    """Two buttons that save the pictures of these keys, the hero if there are none, with the sentence in one file."""
    _saving(key=key, data=_sent({"name": name, "keys": list(keys), "sentence": sentence}))


def watch_cells(
    *, key: str, find: Callable[[Any], dict[str, Value]], choose: Callable[[dict[str, Value]], None]
) -> None:
    """Choose the cell of a matrix that is clicked or tapped: find turns the click into values of controls."""

    def on_cell():
        click = _heard(key, "cell")
        if _is_click(click):
            choose(find(click))

    _cells(key=key, on_cell_change=on_cell)


def _is_click(message):
    """Return True if this is what `cells.js` says; a forged message may say anything."""
    if not isinstance(message, dict) or not isinstance(message.get("chart"), str):
        return False
    return all(isinstance(message.get(each), int) for each in ("line", "place"))


def draw_picture(data: Mapping[str, Any], *, key: str) -> None:
    """Show a figure, see `stage.payload`; the browser draws anew only what has changed."""
    _picture(key=key, data=_sent(data))
