"""gradient_flow: without the scale the mean gradient does not vanish; the typical row's does."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.figures import gradient_flow as figures
from sattn_core.lessons.gradient_flow import GradientFlowParams

frame.ensure_frame()
profile = frame.profile()
show.heading(
    frame.lesson("gradient_flow"),
    "Not all of them: without the scale the *mean* gradient falls only like $1/\\sqrt{d_k}$. "
    "What dies is the *typical* row.",
)

place = controls.draw("place")
options = {name: controls.value_of(name) for name in ("n_keys", "seed")}


@st.fragment(key=frame.LIVE)
def live():
    d_k = controls.value_of("d_k")
    params = GradientFlowParams(d_k, **options)
    result, curve = compute.gradient_flow(params), compute.gradient_curve(**options)
    left, right = st.columns(2)
    with left:
        show.figure(
            figures.histograms(result, place, profile),
            key="gradient_histograms",
            sentence=figures.histogram_sentence(result, place),
            table=figures.histogram_table(result, place),
            code=figures.code(params),
        )
    with right:
        show.figure(
            figures.curves(curve, place, profile),
            key="gradient_curves",
            sentence=figures.curve_sentence(curve, place),
            table=figures.curve_table(curve, place),
            code=figures.curve_code(options),
        )
    show.prose("gradient_flow_claim")

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
