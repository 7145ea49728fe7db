"""recap: five questions, each answered by a picture; the address keeps the learner's answers."""

import streamlit as st

from pages._view.page import controls, frame, wall
from pages._view.page.fragments import recap as cards


@st.fragment(key=frame.LIVE)
def live():
    with st.container(key="questions"):
        pictures = [cards.draw(name) for name in cards.shown()]
        if frame.more():
            cards.draw_breath()
    pictures.append(cards.draw_story())
    if frame.is_wall():
        with st.container(horizontal=True, vertical_alignment="center", key="steps"):
            frame.draw_turns("asked")
            controls.draw("asked", label_visibility="collapsed")
    if frame.more():
        cards.draw_folds(pictures)
    wall.tell()


live()
