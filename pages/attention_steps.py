"""attention_steps: softmax(Q Kᵀ / √d_k) V is five small steps, and the scale is one of them."""

from functools import partial

import streamlit as st

from pages._view import compute
from pages._view.lessons.attention_steps import figures, work
from pages._view.lessons.attention_steps.declaration import LESSON
from pages._view.page import bets, controls, frame, grids, show
from pages._view.page.components import watch_cells
from sattn_core.lessons.attention_steps import expand_cell, expand_output, measure_attention_steps

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    bets.hold()
    with st.container(horizontal=True, vertical_alignment="center", key="steps"):
        frame.draw_turns("step")
        step = controls.draw("step", label_visibility="collapsed")
    values = controls.address().values
    params, problems = work.attention_matrices(values)
    shown = show.main()
    watch_cells(key="cells", find=partial(figures.clicked, params), choose=controls.fill)
    with st.container():  # one place, whatever is in it: the grid below would lose the focus if it moved
        show.problems(problems)
        result, at = compute.result(measure_attention_steps, params), work.cell_of(params, values)
        show.remarks((figures.shown_instead if controls.address().bet_waits else figures.remarks)(result, values, at))
    if not frame.more():
        return
    show.tries(LESSON)
    show.behind(shown)

    st.header("One cell by hand", anchor=False)
    st.markdown("Click or tap a cell of the picture, or choose one here.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for place in work.PLACES:
            controls.draw(place, width=130)
    st.html(figures.diagram(step, profile))
    st.markdown(figures.formula(step))
    query, key, column = at
    scaled = values["scaling"] == "on"
    show.lines(figures.calculation(compute.result(expand_cell, params, query, key), scaled=scaled))
    show.lines(figures.output_calculation(compute.result(expand_output, params, query, column), scaled=scaled))

    with st.container(key="aside_numbers"):
        st.header("Your own numbers", anchor=False)
        show.prose(LESSON, "own_numbers")
    written = work.matrix_texts(values)
    _, linked = grids.draw_matrices(work.MATRICES, written)
    show.remarks(grids.link_remarks(linked))
    with st.container(horizontal=True):
        st.button("Write the preset into the fields", on_click=controls.fill, args=(written,))
        st.button("Back to the preset", on_click=controls.fill, args=(dict.fromkeys(work.MATRICES, ""),))


live()
if frame.more():
    show.folds(LESSON)
