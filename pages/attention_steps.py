"""attention_steps: softmax(Q Kᵀ / √d_k) V is five small steps, and the scale is one of them."""

import streamlit as st

from pages._view.lessons.attention_steps.declaration import LESSON
from pages._view.page import frame, screen
from pages._view.page.fragments import attention_steps as cells


@st.fragment(key=frame.LIVE)
def live():
    screen.draw(LESSON, (LESSON.fold(""), cells.draw))
    cells.follow()


live()
