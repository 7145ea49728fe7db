"""new_lesson: one sentence that the page proves."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.new_lesson import figures
from pages._view.lessons.new_lesson.declaration import LESSON
from sattn_core.lessons.new_lesson import NewLessonParams, measure_new_lesson

profile = frame.profile()

n_pairs = controls.draw("n_pairs")
seed = controls.value_of("seed")


@st.fragment(key=frame.LIVE)
def live():
    params = NewLessonParams(controls.value_of("d_k"), n_pairs, seed)
    result = compute.result(measure_new_lesson, params)
    show.picture(figures.variances(result, profile))


live()
show.tries(LESSON)
show.folds(LESSON)
