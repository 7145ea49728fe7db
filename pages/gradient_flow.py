"""gradient_flow: without the scale one row after another freezes; the mean and the typical row follow late."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.gradient_flow import figures, work
from pages._view.lessons.gradient_flow.declaration import LESSON
from sattn_core.lessons.gradient_flow import crossover_curve, gradient_curve, measure_gradient_flow

profile = frame.profile()
along = work.curve_options(**{name: controls.value_of(name) for name in ("n_keys", "seed")})


@st.fragment(key=frame.LIVE)
def live():
    shown = show.main(work.MAIN)
    if not frame.more():
        return
    show.behind(shown)
    show.tries(LESSON)
    params = work.params(controls.values())
    result = compute.result(measure_gradient_flow, params)

    place = controls.draw("place")
    show.picture(figures.histograms(result, place, profile))
    curve = compute.result(gradient_curve, **along)
    show.picture(figures.curves(curve, place, profile))
    crossing = compute.result(crossover_curve, params.n_keys)
    show.picture(figures.crossover(crossing, profile))

    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = controls.draw("jacobian")
        number = controls.draw("row", width=300)
    row, name = work.row_jacobian(result, chosen, number)
    show.picture(figures.jacobians(row, name, params.d_k, profile))
    show.prose(LESSON, "claim")


live()
if frame.more():
    show.folds(LESSON)
