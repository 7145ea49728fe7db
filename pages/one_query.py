"""one_query: a score is a sum of products, it wanders as products are added, and √d_k brings it back."""

import streamlit as st

from pages._view.lessons.one_query import figures, work
from pages._view.lessons.one_query.declaration import LESSON
from pages._view.page import bets, controls, frame, show

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    bets.hold()
    step = controls.address().values["step"]
    with st.container(horizontal=True, vertical_alignment="center", key="steps"):
        frame.draw_turns("step")
        controls.draw("step", label_visibility="collapsed")
        st.html(figures.words(step, profile), width="content")
        if step == "grow":
            with st.container(horizontal=True, key="dials"):
                frame.draw_dial("emphasis")
    shown = show.main()
    if frame.more():
        show.tries(LESSON)
        show.behind(shown)
        result = work.result(controls.address().values)
        show.claim(figures.claim(result, step))
        show.table(figures.by_hand(result, step), key="by_hand")


live()
if frame.more():
    show.folds(LESSON)
