"""softmax_saturation: a key far ahead takes all the weight; ÷ √d_k makes rows look alike at every d_k."""

import streamlit as st

from pages._view.lessons.softmax_saturation import work
from pages._view.lessons.softmax_saturation.declaration import LESSON
from pages._view.page import controls, frame, screen, show


@st.fragment(key=frame.LIVE)
def live():
    here = controls.address()
    if here.step.name in ("lists", "nudge"):
        show.problems(work.comparison(here.values)[1])
    screen.draw(LESSON)


live()
