"""softmax_saturation: a key far ahead of the others takes all the weight, and no gradient is left."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.softmax_saturation import figures, work
from pages._view.lessons.softmax_saturation.declaration import LESSON
from sattn_core.lessons.softmax_saturation import SaturationParams, compare_lists, measure_saturation, overflow_study

profile = frame.profile()

with st.container(horizontal=True, vertical_alignment="bottom"):
    texts = [controls.draw(name, width=160) for name in ("list_1", "list_2")]
    options = {name: controls.draw(name, width=200) for name in ("multiplier", "shift")}
    with st.popover("More lists", icon=":material/add:"):
        texts.extend(controls.draw(name) for name in ("list_3", "list_4"))
lists, problems = work.read_lists(texts)
show.problems(problems)
if not problems:
    comparison = compute.result(compare_lists, lists, **options)
    show.picture(figures.list_bars(comparison, lists, options, profile))
    st.table(figures.list_table(comparison))
    show.prose(LESSON, "differences")
show.tries(LESSON)

st.header("What happens on average", anchor=False)
n_keys, law, seed = controls.value_of("n_keys"), controls.value_of("law"), controls.value_of("seed")


@st.fragment(key=frame.LIVE)
def live():
    d_k = controls.value_of("d_k")
    params = SaturationParams(n_keys, controls.stops_of("d_k"), law=law, seed=seed)
    result = compute.result(measure_saturation, params)
    show.picture(figures.averages(result, params, d_k, profile))


live()
st.header("Does the scale prevent overflow?", anchor=False)
study = compute.result(overflow_study)
show.picture(figures.overflow(study, profile))
show.folds(LESSON)
