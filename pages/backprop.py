"""backprop: gradients flow back through every matrix product, and the scale multiplies them too."""

import streamlit as st

from pages._view.lessons.backprop.declaration import LESSON
from pages._view.page import frame, screen
from pages._view.page.fragments import backprop as matrices


@st.fragment(key=frame.LIVE)
def live():
    screen.draw(LESSON, (LESSON.fold(""), matrices.draw))


live()
