"""backprop: the gradient comes back through every product of matrices, and the scale multiplies it too."""

import streamlit as st

from pages._view.lessons.backprop.declaration import LESSON
from pages._view.page import frame, screen
from pages._view.page.fragments import backprop as matrices


@st.fragment(key=frame.LIVE)
def live():
    screen.draw(LESSON, (LESSON.fold(""), matrices.draw))


live()
