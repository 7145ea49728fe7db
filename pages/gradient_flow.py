"""gradient_flow: without the scale a growing share of the rows freezes; the typical row follows late."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.figures import gradient_flow as figures
from sattn_core.lessons.gradient_flow import GradientFlowParams

profile = frame.profile()
show.heading(
    frame.lesson("gradient_flow"),
    "Not all of them. Without the scale a growing *share* of the rows freezes; with it almost none do. "
    "The *typical* row follows only once $\\sqrt{d_k}$ is well above $\\sqrt{2 \\ln n_\\text{keys}}$.",
)

place = controls.draw("place")
options = {name: controls.value_of(name) for name in ("n_keys", "seed")}


@st.fragment(key=frame.LIVE)
def live():
    d_k = controls.value_of("d_k")
    params, along = GradientFlowParams(d_k, **options), compute.curve_options(**options)
    result, curve = compute.gradient_flow(params), compute.gradient_curve(**along)
    show.figure(
        figures.histograms(result, place, profile),
        key="gradient_histograms",
        sentence=figures.histogram_sentence(result, place),
        table=figures.histogram_table(result, place),
        code=figures.code(params),
    )
    show.tries("gradient_flow")
    show.prose("gradient_flow_claim")

    st.header("Against the dimension", anchor=False)
    show.figure(
        figures.curves(curve, place, profile),
        key="gradient_curves",
        sentence=figures.curve_sentence(curve, place),
        table=figures.curve_table(curve, place),
        code=figures.curve_code(along),
    )
    st.header("When does the typical row pass less?", anchor=False)
    crossing = compute.crossover_curve(params.n_keys)
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
    row, name = compute.row_jacobian(result, chosen, number)
    show.figure(
        figures.jacobians(row, profile),
        key="row_jacobians",
        sentence=figures.jacobian_sentence(row, d_k, name),
        table=figures.jacobian_table(row),
        code=figures.jacobian_code(row, d_k),
    )


live()
show.prose("gradient_flow")
