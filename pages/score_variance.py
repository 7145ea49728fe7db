"""score_variance: raw scores have variance d_k; divided by √d_k they have variance 1, at every d_k."""

import streamlit as st

from pages._view.lessons.score_variance import figures, work
from pages._view.lessons.score_variance.declaration import LESSON
from pages._view.page import controls, frame, screen, show


@st.fragment
def by_hand():
    show.prose(LESSON, "hand_made")
    for column, size in zip(st.columns(2), ("2d", "3d"), strict=True):
        with column:
            texts = [controls.draw(f"{name}_{size}") for name in ("q", "k")]
            example, problems = work.hand_made_example(*texts)
            show.problems(problems)
            st.markdown(show.plain(figures.example_sentence(example)) if example else "")


@st.fragment(key=frame.LIVE)
def live():
    screen.draw(LESSON, ("Vectors picked by hand", by_hand))


live()
