"""gradient_flow: without the scale one row after another freezes; the mean and the typical row follow late."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.gradient_flow import figures, work
from pages._view.lessons.gradient_flow.declaration import LESSON
from sattn_core.lessons.gradient_flow import (
    GradientFlowParams,
    crossover_curve,
    freezing_rows,
    gradient_curve,
    measure_gradient_flow,
)

profile = frame.profile()

options = {name: controls.value_of(name) for name in ("n_keys", "seed")}


@st.fragment(key=frame.LIVE)
def live():
    d_k = controls.value_of("d_k")
    params, along = GradientFlowParams(d_k, **options), work.curve_options(**options)
    rows = compute.result(freezing_rows, controls.stops_of("d_k"), **options)
    result = compute.result(measure_gradient_flow, params)
    show.picture(figures.rows(rows, d_k, profile, result))
    show.tries(LESSON)

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
    show.picture(figures.jacobians(row, name, d_k, profile))
    show.prose(LESSON, "claim")


live()
show.prose(LESSON)
show.sources(LESSON)
