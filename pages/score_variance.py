"""score_variance: raw scores have variance d_k; divided by √d_k they have variance 1, at every d_k."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.figures import score_variance as figures
from sattn_core.lessons.score_variance import ScoreVarianceParams

profile = frame.profile()
show.heading(
    frame.lesson("score_variance"),
    "Their variance is $d_k$ if all components are independent with mean 0 and variance 1, since each of the $d_k$ "
    "products $q_i k_i$ adds 1. Divided by $\\sqrt{d_k}$ it is 1.",
)

with st.container(horizontal=True, vertical_alignment="bottom"):
    sampling = controls.draw("sampling")
    axis = controls.draw("axis")
    n_samples = controls.draw("n_samples", width=200)
    n_queries = controls.draw("n_queries", width=200)
    with st.popover("Break the assumptions", icon=":material/rule:"):
        components = controls.draw_components(correlated=sampling == "pairs")
draw = {"law": controls.value_of("law"), "seed": controls.value_of("seed"), **components}
drawn = {"sampling": sampling, "n_queries": n_queries, "n_keys": controls.value_of("n_keys"), **draw}


@st.fragment(key=frame.LIVE)
def live():
    params = ScoreVarianceParams(controls.value_of("d_k"), n_samples, **drawn)
    if not compute.ready(params):
        return show.ask(params, "score_variance")
    result = compute.score_variance(params)
    show.figure(
        figures.histograms(result, profile, axis),
        key="score_histograms",
        sentence=figures.histogram_sentence(result),
        table=figures.histogram_table(result),
        code=figures.code(params),
    )
    st.header("Predicted and measured", anchor=False)
    st.table(figures.moment_table(result))
    show.formula("\\operatorname{Var}(cX) = c^2 \\operatorname{Var}(X)", figures.scaling_rule_sentence(result))


live()
show.tries("score_variance")
left, right = st.columns(2)
with left:
    curve = compute.variance_curve(**draw)
    show.figure(
        figures.variance_against_dimension(curve, profile),
        key="variance_curve",
        sentence=figures.curve_sentence(curve, compute.CURVE_SAMPLES),
        table=figures.curve_table(curve),
        code=figures.curve_code(curve.dims, {"n_samples": compute.CURVE_SAMPLES, **draw}),
    )
with right:
    walks = compute.random_walks(**draw)
    show.figure(
        figures.walks_figure(walks, profile),
        key="random_walks",
        sentence=figures.walks_sentence(walks),
        table=figures.walks_table(walks),
        code=figures.walks_code(draw),
    )

st.header("The same by hand", anchor=False)
show.prose("hand_made")
for column, size in zip(st.columns(2), ("2d", "3d"), strict=True):
    with column:
        texts = [controls.draw(f"{name}_{size}") for name in ("q", "k")]
        example, problem = compute.hand_made_example(*texts)
        show.problems([problem] if problem else [])
        st.markdown(show.plain(figures.example_sentence(example)) if example else "")
show.prose("score_variance")
