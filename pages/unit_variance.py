"""unit_variance: LayerNorm fixes x, not q and k; their variance is that of a weight times d_model."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.unit_variance import figures, work
from pages._view.lessons.unit_variance.declaration import LESSON
from sattn_core.lessons.unit_variance import measure_shared_input, measure_unit_variance

profile = frame.profile()
with st.container(horizontal=True, vertical_alignment="bottom"):
    options = {"scheme": controls.draw("scheme", width=300), "normalise": controls.draw("normalise")}
    n_heads = controls.draw("n_heads", width=240)
    with st.popover("The input x", icon=":material/tune:"):
        options |= {name: controls.draw(name) for name in ("x_mean", "x_std", "bias")}
options |= {name: controls.value_of(name) for name in ("law", "seed")}


@st.fragment(key=frame.LIVE)
def live():
    d_k = controls.value_of("d_k")
    params = work.unit_variance_params(d_k, n_heads, **options)
    result = compute.result(measure_unit_variance, params)
    left, right = show.pair("unit_variance")
    with left:
        show.picture(figures.pipeline(result, n_heads, profile))
    with right:
        show.picture(figures.schemes(result, profile))
    show.tries(LESSON)
    st.header("Stage by stage, predicted and measured", anchor=False)
    st.table(figures.stage_table(result))
    st.header("All initialisations side by side", anchor=False)
    st.table(figures.schemes_table(result))

    st.header("The trap: Q = K = X, and tied weights", anchor=False)
    few = work.unit_variance_params(d_k, n_heads, n_tokens=work.SHARED_TOKENS, **options)
    rows = compute.result(measure_shared_input, few)
    show.picture(figures.shared(rows, few, profile))
    st.table(figures.shared_table(rows))


live()
show.folds(LESSON)
