"""gradient_flow: without the scale a growing share of the rows freezes; the typical row follows late."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.gradient_flow import figures, work
from pages._view.lessons.gradient_flow.declaration import LESSON
from sattn_core.lessons.gradient_flow import GradientFlowParams, crossover_curve, gradient_curve, measure_gradient_flow

profile = frame.profile()

place = controls.draw("place")
options = {name: controls.value_of(name) for name in ("n_keys", "seed")}


@st.fragment(key=frame.LIVE)
def live():
    d_k = controls.value_of("d_k")
    params, along = GradientFlowParams(d_k, **options), work.curve_options(**options)
    result = compute.result(measure_gradient_flow, params)
    curve = compute.result(gradient_curve, **along)
    show.picture(figures.histograms(result, place, profile))
    show.tries(LESSON)
    show.prose(LESSON, "claim")

    st.header("Against the dimension", anchor=False)
    show.picture(figures.curves(curve, place, profile))
    st.header("When does the typical row pass less?", anchor=False)
    crossing = compute.result(crossover_curve, params.n_keys)
    show.picture(figures.crossover(crossing, profile))

    st.header("The Jacobian of one row", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = controls.draw("jacobian")
        number = controls.draw("row", width=300)
    row, name = work.row_jacobian(result, chosen, number)
    show.picture(figures.jacobians(row, name, d_k, profile))


live()
show.folds(LESSON)
