"""new_lesson: one sentence that the page proves."""

import streamlit as st

from pages._view import frame, show
from pages._view.lessons.new_lesson import work
from pages._view.lessons.new_lesson.declaration import LESSON


@st.fragment(key=frame.LIVE)
def live():
    shown = show.main(work.MAIN)
    if frame.more():
        show.behind(shown)


live()
if frame.more():
    show.tries(LESSON)
    show.folds(LESSON)
