"""trained_heads: training moves q and k away from variance 1, and the weights adapt to the scale that is used."""

import streamlit as st

from pages._view.lessons.trained_heads import figures, work
from pages._view.lessons.trained_heads.declaration import LESSON
from pages._view.page import controls, frame, screen, show
from pages._view.page.fragments import trained_heads as taking


@st.fragment
def head():
    values = controls.address().values
    found = work.head(values)
    show.table(figures.head_table(found), key="head")
    show.plain_lines(figures.head_verdict(found))
    taking.draw(values)


@st.fragment(key=frame.LIVE)
def live():
    here = controls.address()
    show.remarks(work.remarks(here.values))
    fold = LESSON.fold(here.step.name)
    screen.draw(LESSON, (fold, head) if fold else None)


live()
