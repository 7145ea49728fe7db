"""The draws of the histogram: a number of them, or a stream that goes on by itself until it is stopped."""

import streamlit as st

from pages._view.lessons.small_samples.declaration import MOST_DRAWS
from pages._view.page import controls
from sattn_core.lessons.small_samples import next_draws

SECONDS = 0.25  # between two pictures
MANY = MOST_DRAWS  # where the falling ends by itself


def pace():
    """Return the seconds after which the fragment draws itself again, or None while nothing falls.

    What falls stops where a suggestion has put the number of draws elsewhere.
    """
    if "n_draws" in st.session_state.get("placed", {}):
        st.session_state.pop("fallen", None)
    return SECONDS if "fallen" in st.session_state else None


def draw():
    """Draw the number of draws, and the buttons to draw once, let many fall, or stop; return how many to show."""
    n_draws = _shown() if "fallen" in st.session_state else controls.address().values["n_draws"]
    with st.container(horizontal=True, vertical_alignment="bottom", key="draws"):
        if "fallen" in st.session_state:
            controls.show("n_draws", n_draws, width=170)
        else:
            controls.draw("n_draws", width=170)
        st.button("Draw once", icon=":material/add:", on_click=_draw_once, args=(n_draws + 1,))
        if "fallen" in st.session_state:
            st.button("Stop", icon=":material/stop:", on_click=_stay, args=(n_draws,))
        else:
            st.button("Draw many", icon=":material/play_arrow:", on_click=_let_fall)
    if st.session_state.pop("fall_turned", False):
        # The whole page: how often a fragment draws itself is settled where it is defined. Not before the field is
        # drawn, or the browser's number would replace the one that was placed.
        st.rerun()
    return n_draws


def _shown():
    """Go one step further; the last one stops the falling."""
    fallen = st.session_state["fallen"] = min(next_draws(st.session_state["fallen"]), MANY)
    if fallen == MANY:
        _stay(MANY)
    return fallen


def _draw_once(n_draws):
    if "fallen" in st.session_state:
        _stay(n_draws)
    controls.place("n_draws", n_draws)


def _let_fall():
    st.session_state.update(fallen=0, fall_turned=True)


def _stay(n_draws):
    st.session_state.pop("fallen", None)
    st.session_state["fall_turned"] = True
    controls.place("n_draws", n_draws)
