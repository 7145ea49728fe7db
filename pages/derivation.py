"""derivation: Var(q·k) = d_k line by line, each line checked on simulated pairs, each assumption breakable."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.derivation import figures, work
from pages._view.lessons.derivation.declaration import LESSON
from sattn_core.lessons.derivation import DerivationParams, measure_derivation

profile = frame.profile()

with st.container(horizontal=True, vertical_alignment="bottom"):
    broken = work.assumptions(controls.draw_while("broken", width=220))
seed = controls.value_of("seed")


@st.fragment(key=frame.LIVE)
def live():
    params = DerivationParams(controls.value_of("d_k"), work.SAMPLES, seed=seed, **broken)
    result = compute.result(measure_derivation, params)
    show.picture(figures.lines(result), sentence_first=True)
    show.tries(LESSON)
    st.header("Predicted and measured", anchor=False)
    left, right = show.pair("derivation")
    with left:
        st.table(figures.moment_table(result))
        show.prose(LESSON, "scale")
    with right:
        show.picture(figures.growth(result, profile))


live()
show.folds(LESSON)
