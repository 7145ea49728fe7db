"""gradient_flow: without the scale one row after another freezes, and the others get more at q."""

import streamlit as st

from pages._view import compute
from pages._view.lessons.gradient_flow import figures, work
from pages._view.lessons.gradient_flow.declaration import LESSON
from pages._view.page import controls, frame, show
from sattn_core.lessons.gradient_flow import gradient_curve

profile = frame.profile()
along = work.curve_options(**{name: controls.address().values[name] for name in ("n_keys", "seed")})


@st.fragment(key=frame.LIVE)
def live():
    shown = show.main()
    if not frame.more():
        return
    show.tries(LESSON)
    show.behind(shown)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.draw("jacobian")
        controls.draw("row", width=300)
    values = controls.address().values
    row, called = work.row_jacobian(values)
    show.picture(figures.jacobians(row, called, values["d_k"], profile))
    curve = compute.result(gradient_curve, **along)
    show.picture(figures.curves(curve, values["place"], profile))
    show.prose(LESSON, "claim")


live()
if frame.more():
    show.folds(LESSON)
