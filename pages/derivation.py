"""derivation: Var(q·k) = d_k in three lines and in nine, checked on simulated pairs, each assumption breakable."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.derivation import figures, work
from pages._view.lessons.derivation.declaration import LESSON
from sattn_core.lessons.derivation import DerivationParams, measure_derivation, measure_growth

profile = frame.profile()

with st.container(horizontal=True, vertical_alignment="bottom"):
    broken = work.assumptions(controls.draw_while("broken", width=220))
seed = controls.value_of("seed")


@st.fragment(key=frame.LIVE)
def live():
    d_k = controls.value_of("d_k")
    growth = compute.result(measure_growth, DerivationParams(work.LARGEST, work.SAMPLES, seed=seed, **broken))
    left, right = show.pair("three_lines")
    with left, st.container(key="table_three_lines"):
        st.markdown(figures.three_lines(growth, d_k))
    with right:
        show.picture(figures.growing_variance(growth, d_k, profile))
    show.formula(*figures.why_root(d_k))
    show.tries(LESSON)
    result = compute.result(measure_derivation, DerivationParams(d_k, work.SAMPLES, seed=seed, **broken))
    show.picture(figures.lines(result), sentence_first=True)
    left, right = show.pair("derivation")
    with left:
        show.picture(figures.growth(result, profile))
    with right:
        show.prose(LESSON, "scale")


live()
show.prose(LESSON)
st.header("In the sources", anchor=False)
show.prose(LESSON, "in_the_sources")
show.sources(LESSON)
