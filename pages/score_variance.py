"""score_variance: raw scores have variance d_k; divided by √d_k they have variance 1, at every d_k."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.score_variance import figures, work
from pages._view.lessons.score_variance.declaration import LESSON
from sattn_core.lessons.score_variance import ScoreVarianceParams, measure_score_variance, random_walks, variance_curve

profile = frame.profile()

with st.container(horizontal=True, vertical_alignment="bottom"):
    sampling = controls.draw("sampling")
    axis = controls.draw("axis")
    n_samples = controls.draw("n_samples", width=200)
    n_queries = controls.draw("n_queries", width=200)
    with st.popover("Break the assumptions", icon=":material/rule:"):
        components = work.draw_components(correlated=sampling == "pairs")
draw = {"law": controls.value_of("law"), "seed": controls.value_of("seed"), **components}
drawn = {"sampling": sampling, "n_queries": n_queries, "n_keys": controls.value_of("n_keys"), **draw}


@st.fragment(key=frame.LIVE)
def live():
    params = ScoreVarianceParams(controls.value_of("d_k"), n_samples, **drawn)
    if not compute.ready(params):
        return show.ask(params, "score_variance")
    result = compute.result(measure_score_variance, params, check=compute.check)
    show.picture(figures.histograms(result, axis, profile))
    st.header("Predicted and measured", anchor=False)
    st.table(figures.moment_table(result))
    show.formula("\\operatorname{Var}(cX) = c^2 \\operatorname{Var}(X)", figures.scaling_rule_sentence(result))


live()
show.tries(LESSON)
left, right = st.columns(2)
with left:
    options = {"n_samples": work.CURVE_SAMPLES, **draw}
    curve = compute.result(variance_curve, work.CURVE_DIMS, **options)
    show.picture(figures.variance_against_dimension(curve, options, profile))
with right:
    options = {"n_walks": work.N_WALKS, **draw}
    walks = compute.result(random_walks, work.CURVE_DIMS[-1], **options)
    show.picture(figures.score_walks(walks, options, profile))

st.header("The same by hand", anchor=False)
show.prose(LESSON, "hand_made")
for column, size in zip(st.columns(2), ("2d", "3d"), strict=True):
    with column:
        texts = [controls.draw(f"{name}_{size}") for name in ("q", "k")]
        example, problems = work.hand_made_example(*texts)
        show.problems(problems)
        st.markdown(show.plain(figures.example_sentence(example)) if example else "")
show.folds(LESSON)
