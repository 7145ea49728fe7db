"""gradient_flow: without the scale a growing share of the rows freezes; the typical row follows late."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.gradient_flow import figures, work
from pages._view.lessons.gradient_flow.declaration import LESSON
from sattn_core.lessons.gradient_flow import GradientFlowParams, crossover_curve, gradient_curve, measure_gradient_flow

profile = frame.profile()
show.heading(LESSON)

place = controls.draw("place")
options = {name: controls.value_of(name) for name in ("n_keys", "seed")}


@st.fragment(key=frame.LIVE)
def live():
    d_k = controls.value_of("d_k")
    params, along = GradientFlowParams(d_k, **options), work.curve_options(**options)
    result = compute.result(measure_gradient_flow, params)
    curve = compute.result(gradient_curve, **along)
    show.figure(
        figures.histograms(result, place, profile),
        key="gradient_histograms",
        sentence=figures.histogram_sentence(result, place),
        table=figures.histogram_table(result, place),
        code=figures.code(params),
    )
    show.tries(LESSON)
    show.prose(LESSON, "claim")

    st.header("Against the dimension", anchor=False)
    show.figure(
        figures.curves(curve, place, profile),
        key="gradient_curves",
        sentence=figures.curve_sentence(curve, place),
        table=figures.curve_table(curve, place),
        code=figures.curve_code(along),
    )
    st.header("When does the typical row pass less?", anchor=False)
    crossing = compute.result(crossover_curve, params.n_keys)
    show.figure(
        figures.crossover(crossing, profile),
        key="median_crossover",
        sentence=figures.crossover_sentence(crossing),
        table=figures.crossover_table(crossing),
        code=figures.crossover_code(params.n_keys),
    )

    st.header("The Jacobian of one row", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = controls.draw("jacobian")
        number = controls.draw("row", width=300)
    row, name = work.row_jacobian(result, chosen, number)
    show.figure(
        figures.jacobians(row, profile),
        key="row_jacobians",
        sentence=figures.jacobian_sentence(row, d_k, name),
        table=figures.jacobian_table(row),
        code=figures.jacobian_code(row, d_k),
    )


live()
show.prose(LESSON)
show.sources(LESSON)
