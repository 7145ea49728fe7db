"""your_scores: whether √d_k suits a model is measured on its own q and k: the scores of a row should have spread 1."""

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
