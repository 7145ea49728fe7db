"""long_context: 1/√d_k keeps the spread of scores, and a key that stands out still drowns among many others."""

import streamlit as st

from pages._view.lessons.long_context import figures, work
from pages._view.lessons.long_context.declaration import LESSON
from pages._view.page import controls, frame, screen, show


@st.fragment
def rules():
    values = controls.address().values
    show.cards(figures.cards(work.fading(values), work.claims(values)), per_row=1)


@st.fragment(key=frame.LIVE)
def live():
    screen.draw(LESSON, (LESSON.fold(""), rules))


live()
