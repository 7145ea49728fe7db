"""few_bits: numbers lie further apart the larger they are, so rounding puts raw scores off by as much more."""

import streamlit as st

from pages._view import compute
from pages._view.lessons.few_bits import figures, work
from pages._view.lessons.few_bits.declaration import LESSON
from pages._view.page import controls, frame, show
from sattn_core.lessons.few_bits import few_bits_curves, large_sum

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    shown = show.main()
    if not frame.more():
        return
    show.tries(LESSON)
    show.behind(shown)
    here = work.params(controls.address().values)
    curves = compute.result(few_bits_curves, work.DIMS, work.all_formats(here))
    show.picture(figures.curves(curves, here, profile))
    show.picture(figures.large(compute.result(large_sum, here.d_k, work.OVERFLOWS, here.sums), profile))


live()
if frame.more():
    show.folds(LESSON)
