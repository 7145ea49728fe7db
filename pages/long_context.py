"""long_context: 1/√d_k keeps the spread of scores, and a key that stands out still drowns among many others."""

import streamlit as st

from pages._view.lessons.long_context import figures, work
from pages._view.lessons.long_context.declaration import LESSON
from pages._view.page import controls, frame, show

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    shown = show.main()
    if not frame.more():
        return
    show.tries(LESSON)
    show.behind(shown)
    values = controls.address().values
    show.picture(figures.rows(work.fading(values), values["context_length"], profile))
    box = st.expander("The rules, card by card", key="cards", on_change="rerun", icon=":material/style:")
    if box.open:
        with box:
            show.cards(figures.cards(work.fading(values), work.claims(values)))


live()
if frame.more():
    show.folds(LESSON)
