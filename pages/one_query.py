"""one_query: a score is a sum of products, it wanders as products are added, and √d_k brings it back."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.one_query import figures
from pages._view.lessons.one_query.declaration import LESSON
from sattn_core.lessons.one_query import OneQueryParams, measure_one_query

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    step = controls.value_of("step")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(figures.words(step, profile), width="content")
        st.button("Previous", shortcut="Left", on_click=controls.turn, args=("step", -1))
        st.button("Next", shortcut="Right", on_click=controls.turn, args=("step", 1))
        controls.draw("step", label_visibility="collapsed")
    params = OneQueryParams(controls.value_of("d_k"), controls.value_of("seed"))
    result = compute.result(measure_one_query, params)
    show.picture(figures.one_step(result, step, profile))
    show.tries(LESSON)
    st.header("By hand", anchor=False)
    show.table(figures.by_hand(result, step), key="by_hand")


live()
show.folds(LESSON)
