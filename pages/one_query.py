"""one_query: a score is a sum of products, it wanders as products are added, and √d_k brings it back."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.one_query import figures
from pages._view.lessons.one_query.declaration import LESSON
from sattn_core.lessons.one_query import OneQueryParams, measure_one_query

profile = frame.profile()
show.heading(LESSON)

seed = controls.value_of("seed")


@st.fragment(key=frame.LIVE)
def live():
    step = controls.value_of("step")
    st.html(figures.words(step, profile))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.draw("step", label_visibility="collapsed")
        st.button("Previous", shortcut="Left", on_click=controls.turn, args=("step", -1))
        st.button("Next", shortcut="Right", on_click=controls.turn, args=("step", 1))
    result = compute.result(measure_one_query, OneQueryParams(controls.value_of("d_k"), seed))
    show.picture(figures.one_step(result, step, profile))
    st.header("By hand", anchor=False)
    show.table(figures.by_hand(result, step), key="by_hand")


live()
show.tries(LESSON)
show.prose(LESSON)
show.sources(LESSON)
