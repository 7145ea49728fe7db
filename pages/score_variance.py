"""score_variance: raw scores have variance d_k; divided by √d_k they have variance 1, at every d_k."""

import streamlit as st

from pages._view import compute
from pages._view.lessons.score_variance import figures, work
from pages._view.lessons.score_variance.declaration import LESSON
from pages._view.page import controls, frame, show
from sattn_core.lessons.score_variance import variance_curve

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    if not controls.address().bet_waits:
        controls.draw("products_axis", label_visibility="collapsed")
    shown = show.main()
    if frame.more():
        show.tries(LESSON)
        show.behind(shown)


live()
if frame.more():
    options = {"n_samples": work.CURVE_SAMPLES, **work.draw_options(controls.address().values)}
    curve = compute.result(variance_curve, work.CURVE_DIMS, **options)
    show.picture(figures.variance_against_dimension(curve, options, profile))

    st.header("A few vectors picked by hand say little about dₖ", anchor=False)
    show.prose(LESSON, "hand_made")
    for column, size in zip(st.columns(2), ("2d", "3d"), strict=True):
        with column:
            texts = [controls.draw(f"{name}_{size}") for name in ("q", "k")]
            example, problems = work.hand_made_example(*texts)
            show.problems(problems)
            st.markdown(show.plain(figures.example_sentence(example)) if example else "")
    show.folds(LESSON)
