"""score_variance: raw scores have variance d_k; divided by √d_k they have variance 1, at every d_k."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.score_variance import figures, work
from pages._view.lessons.score_variance.declaration import LESSON
from sattn_core.lessons.score_variance import random_walks, variance_curve

profile, draw = frame.profile(), work.draw_options(controls.values())


@st.fragment(key=frame.LIVE)
def live():
    show.behind(show.main(work.MAIN))
    show.tries(LESSON)


live()
left, right = st.columns(2)
with left:
    options = {"n_samples": work.CURVE_SAMPLES, **draw}
    curve = compute.result(variance_curve, work.CURVE_DIMS, **options)
    show.picture(figures.variance_against_dimension(curve, options, profile))
with right:
    options = {"n_walks": work.N_WALKS, **draw}
    walks = compute.result(random_walks, work.CURVE_DIMS[-1], **options)
    show.picture(figures.score_walks(walks, options, profile))

st.header("The same by hand", anchor=False)
show.prose(LESSON, "hand_made")
for column, size in zip(st.columns(2), ("2d", "3d"), strict=True):
    with column:
        texts = [controls.draw(f"{name}_{size}") for name in ("q", "k")]
        example, problems = work.hand_made_example(*texts)
        show.problems(problems)
        st.markdown(show.plain(figures.example_sentence(example)) if example else "")
show.folds(LESSON)
