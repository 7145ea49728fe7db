"""score_variance: raw scores have variance d_k; divided by √d_k they have variance 1, at every d_k."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.figures import score_variance as figures
from sattn_core.lessons.score_variance import ScoreVarianceParams

frame.ensure_frame()
profile = frame.profile()
show.heading(
    frame.lesson("score_variance"),
    "With variance $d_k$: each of the $d_k$ products $q_i k_i$ adds variance 1. Divided by $\\sqrt{d_k}$, variance 1 again.",
)

with st.container(horizontal=True, vertical_alignment="bottom"):
    sampling = controls.draw("sampling")
    axis = controls.draw("axis")
    n_samples = controls.draw("n_samples", width=260, disabled=sampling == "matrix")
    n_queries = controls.draw("n_queries", width=260, disabled=sampling == "pairs")
with st.expander("Break the assumptions: means and correlation", key="assumptions"):
    components = {
        "mean_q": controls.draw("mean_q"),
        "mean_k": controls.draw("mean_k"),
        "correlation": controls.draw("correlation", disabled=sampling == "matrix"),
    }
d_k, seed = controls.value_of("d_k"), controls.value_of("seed")
draw = {"law": controls.value_of("law"), "seed": seed, **components}
params = ScoreVarianceParams(
    d_k=d_k,
    n_samples=n_samples,
    sampling=sampling,
    n_queries=n_queries,
    n_keys=controls.value_of("n_keys"),
    **(draw if sampling == "pairs" else draw | {"correlation": 0.0}),
)

result = compute.score_variance(params)
show.figure(
    figures.histograms(result, profile, axis),
    key="score_histograms",
    sentence=figures.histogram_sentence(result),
    table=figures.histogram_table(result),
    code=figures.code(params),
)
st.subheader("Predicted and measured", anchor=False)
st.table(figures.moment_table(result))
st.markdown("$\\operatorname{Var}(cX) = c^2 \\operatorname{Var}(X)$. " + show.plain(figures.scaling_rule_sentence(result)))

left, right = st.columns(2)
with left:
    curve = compute.variance_curve(**draw)
    show.figure(
        figures.variance_against_dimension(curve, d_k, profile),
        key="variance_curve",
        sentence=figures.curve_sentence(curve, d_k, compute.CURVE_SAMPLES),
        table=figures.curve_table(curve),
        code=figures.curve_code(curve.dims, {"n_samples": compute.CURVE_SAMPLES, **draw}),
    )
with right:
    walks = compute.random_walks(d_k, **draw)
    show.figure(
        figures.walks_figure(walks, profile),
        key="random_walks",
        sentence=figures.walks_sentence(walks),
        table=figures.walks_table(walks),
        code=figures.walks_code(d_k, draw),
    )
show.hand_made_example()
show.prose("score_variance")
