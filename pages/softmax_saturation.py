"""softmax_saturation: a key far ahead of the others takes all the weight, and no gradient is left."""

import streamlit as st

from pages._view import compute, controls, frame, show
from pages._view.lessons.softmax_saturation import figures, work
from pages._view.lessons.softmax_saturation.declaration import LESSON
from sattn_core.lessons.softmax_saturation import (
    RowParams,
    SaturationParams,
    compare_lists,
    measure_row,
    measure_saturation,
    overflow_study,
)

profile = frame.profile()
n_keys, law, seed = (controls.value_of(name) for name in ("n_keys", "law", "seed"))

with st.container(horizontal=True, vertical_alignment="bottom"):
    texts = [controls.draw(name, width=160) for name in ("list_1", "list_2")]
    options = {name: controls.draw(name, width=200) for name in ("multiplier", "shift")}
    with st.popover("More lists", icon=":material/add:"):
        texts.extend(controls.draw(name) for name in ("list_3", "list_4"))
lists, problems = work.read_lists(texts)
show.problems(problems)
comparison = None if problems else compute.result(compare_lists, lists, **options)


@st.fragment(key=frame.LIVE)
def live():
    d_k, dims = controls.value_of("d_k"), controls.stops_of("d_k")
    row_params, params = RowParams(n_keys, dims, law, seed), SaturationParams(n_keys, dims, law=law, seed=seed)
    row = compute.result(measure_row, row_params)
    show.picture(figures.weights(row, row_params, comparison, d_k, profile))
    show.picture(figures.averages(compute.result(measure_saturation, params), params, d_k, profile))


live()
show.tries(LESSON)
if comparison:
    st.table(figures.list_table(comparison))
    show.prose(LESSON, "differences")
show.picture(figures.overflow(compute.result(overflow_study), profile))
show.prose(LESSON)
show.sources(LESSON)
