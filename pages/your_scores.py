"""your_scores: √d_k suits a model if the scores of its own q and k spread by 1 within a row."""

import streamlit as st

from pages._view.lessons.your_scores.declaration import LESSON
from pages._view.page import frame, screen, show
from pages._view.page.fragments import your_scores as uploads


@st.fragment(key=frame.LIVE)
def live():
    shown = show.main(uploads.picture())
    if frame.more():
        screen.draw_under(LESSON, shown, (LESSON.fold(""), uploads.draw))


live()
