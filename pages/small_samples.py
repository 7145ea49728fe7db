"""small_samples: the variance of a 2 × 2 matrix product scatters widely, and its mean is 1.5, not 2."""

import streamlit as st

from pages._view.lessons.small_samples import figures, work
from pages._view.lessons.small_samples.declaration import LESSON
from pages._view.page import controls, frame, screen, show


@st.fragment
def first_draw():
    show.formulas(figures.first_draw(work.asked(controls.address().values)))
    st.button("Draw all of it again with the next seed", on_click=controls.next_seed, icon=":material/replay:")


@st.fragment(key=frame.LIVE)
def live():
    here = controls.address()
    if here.step.name == "by_hand":
        show.problems(work.examples(here.values)[1])
        screen.draw(LESSON)
    else:
        screen.draw(LESSON, (LESSON.fold(here.step.name), first_draw))


live()
