"""Start: drag d_k. Raw scores spread like √d_k and softmax collapses; scaled scores and weights stay put."""

import streamlit as st

from pages._view.lessons.start import figures, work
from pages._view.lessons.start.declaration import LESSON
from pages._view.page import controls, frame, screen, show
from pages._view.page.components import draw_hero

profile = frame.profile()

draw_hero(*work.hero(controls.address().values, frame.stage().stops("d_k"), profile), key="hero")


@st.fragment(key=frame.LIVE)
def live():
    values = controls.address().values
    screen.draw_under(LESSON, show.given(figures.hero(work.here(values), values["d_k"], work.mean(values))))


if frame.more():
    live()
