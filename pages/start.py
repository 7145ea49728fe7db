"""Start: drag d_k. Raw scores spread like √d_k and softmax collapses; scaled scores and weights stay put."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.start import figures, work
from pages._view.lessons.start.declaration import LESSON
from pages._view.live import draw_hero
from sattn_core.lessons.start import measure_start

profile = frame.profile()

result = compute.result(measure_start, work.params(controls.values(), controls.stops_of("d_k")))
draw_hero(figures.payload(result, profile), key="hero")


@st.fragment(key=frame.LIVE)
def live():
    show.behind(figures.hero(result, controls.value_of("d_k"), profile))


if frame.more():
    live()
    show.tries(LESSON)
    show.path(LESSON)
    show.folds(LESSON)
