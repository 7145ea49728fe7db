"""attention_steps: softmax(Q Kᵀ / √d_k) V is five small steps, and the scale is one of them."""

from functools import partial

import streamlit as st

from pages._view import compute, controls, frame, grids, show
from pages._view.lessons.attention_steps import figures, work
from pages._view.lessons.attention_steps.declaration import LESSON
from pages._view.live import watch_cells
from sattn_core.lessons.attention_steps import expand_cell, expand_output, measure_attention_steps

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    step = controls.value_of("step")
    st.html(figures.diagram(step, profile))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.draw("step")
        st.button("Previous", shortcut="Left", on_click=controls.turn, args=("step", -1))
        st.button("Next", shortcut="Right", on_click=controls.turn, args=("step", 1))
        without = controls.draw("without_scale") == "show"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = controls.draw("preset", width=170)
        for place in ("query", "key", "column"):
            controls.draw(place, width=130)

    d_k, seed = controls.value_of("d_k"), controls.value_of("seed")
    texts = {name: controls.value_of(name) for name in ("Q", "K", "V", "mask")}
    params, problems = work.attention_matrices(preset, texts, d_k, seed)
    with st.container():  # one place, whatever is in it: the grid below would lose the focus if it moved
        show.problems(problems)
        if params:
            result = compute.result(measure_attention_steps, params)
            asked = tuple(controls.value_of(place) for place in ("query", "key", "column"))
            at = work.cell_of(params, *asked)
            st.markdown(figures.formula(step))
            panels = figures.panels(result, step, at, d_k, profile, without_scale=without)
            show.picture(panels, per_row=2 if step == "scale" else 3, sentence_first=True)
            show.remarks(figures.remarks(result, asked, at))
        show.tries(LESSON)
        if params:
            st.header("One cell by hand", anchor=False)
            st.markdown("With six digits, so that a calculator finds the same; the pictures round to three.")
            query, key, column = at
            cell = compute.result(expand_cell, params, query, key)
            output = compute.result(expand_output, params, query, column)
            show.lines(figures.calculation(cell, without_scale=without))
            show.lines(figures.output_calculation(output, without_scale=without))
    watch_cells(key="cells", find=partial(figures.clicked, params), choose=controls.fill)

    st.header("Your own numbers", anchor=False)
    show.prose(LESSON, "own_numbers")
    written = work.matrix_texts(preset, d_k, seed)
    _, linked = grids.draw_matrices(tuple(texts), written)
    show.remarks(grids.link_remarks(linked))
    with st.container(horizontal=True):
        st.button("Write the preset into the fields", on_click=controls.fill, args=(written,))
        st.button("Back to the preset", on_click=controls.fill, args=(dict.fromkeys(texts, ""),))


live()
show.folds(LESSON)
