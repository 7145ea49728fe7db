"""derivation: Var(q·k) = d_k in three lines and in nine, checked on simulated pairs, each assumption breakable."""

import streamlit as st

from pages._view import compute
from pages._view.lessons.derivation import figures, work
from pages._view.lessons.derivation.declaration import LESSON
from pages._view.page import controls, frame, show
from sattn_core.lessons.derivation import measure_derivation

profile = frame.profile()

with st.container(horizontal=True, vertical_alignment="bottom", key=f"breaks_{controls.address().bet_waits}"):
    controls.draw_while("broken", width=128)


@st.fragment(key=frame.LIVE)
def live():
    values, d_k = controls.address().values, controls.address().values["d_k"]
    left, right = show.pair("three_lines")
    with left, st.container(key="table_three_lines"):
        if not controls.address().bet_waits:
            st.markdown(figures.three_lines(work.growth(values), d_k))
    with right:
        shown = show.main()
    if not frame.more():
        return
    show.tries(LESSON)
    show.behind(shown)
    show.formula(*figures.why_root(d_k))
    result = compute.result(measure_derivation, work.params(values, d_k))
    show.picture(figures.lines(result), sentence_first=True)
    left, right = show.pair("derivation")
    with left:
        show.picture(figures.growth(result, profile))
    with right:
        show.prose(LESSON, "scale")


live()
if frame.more():
    show.folds(LESSON)
