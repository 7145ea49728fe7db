"""wrong_choice: gradient descent on a hundred rows that favour a wrong key, with and without the scale."""

import streamlit as st

from pages._view.lessons.wrong_choice import figures
from pages._view.lessons.wrong_choice.declaration import LESSON
from pages._view.page import controls, frame, screen
from pages._view.page.components import watch_cells


@st.fragment(key=frame.LIVE)
def live():
    watch_cells(key="cells", find=figures.clicked, choose=controls.apply)
    screen.draw(LESSON)


live()
