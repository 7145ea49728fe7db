"""softmax_saturation: a key far ahead takes all the weight; one divisor makes the rows of all d_k alike."""

import streamlit as st

from pages._view import compute
from pages._view.lessons.softmax_saturation import figures, work
from pages._view.lessons.softmax_saturation.declaration import LESSON
from pages._view.page import controls, frame, show
from sattn_core.lessons.softmax_saturation import overflow_study

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    shown = show.main()
    if frame.more():
        show.tries(LESSON)
        show.behind(shown)
        averages, params = work.averages(controls.address().values)
        show.picture(figures.averages(averages, params, controls.address().values["d_k"], profile))


live()
with st.container(horizontal=True, vertical_alignment="bottom"):
    controls.draw("list_1", width=160)
    controls.draw("list_2", width=160)
comparison, problems = work.comparison(controls.address().values)
show.problems(problems)
if frame.more():
    if comparison:
        show.table(figures.list_table(comparison), key="lists")
        show.prose(LESSON, "differences")
    show.picture(figures.overflow(compute.result(overflow_study), profile))
    show.folds(LESSON)
