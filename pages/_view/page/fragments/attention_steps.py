"""The fold of attention_steps: one cell's calculation, and matrices that a visitor types."""

from functools import partial

import streamlit as st

from pages._view import compute
from pages._view.lessons.attention_steps import figures, work
from pages._view.lessons.attention_steps.declaration import LESSON
from pages._view.page import controls, frame, grids, screen, show
from pages._view.page.components import watch_cells
from sattn_core.lessons.attention_steps import expand_cell, expand_output, measure_attention_steps


def follow() -> None:
    """Let a click on the picture choose a cell; without the fold, show its problems and remarks here."""
    values = controls.address().values
    params, problems = work.attention_matrices(values)
    watch_cells(key="cells", find=partial(figures.clicked, params), choose=_choose)
    if not frame.more():
        show.problems(problems)
        result = compute.result(measure_attention_steps, params)
        show.remarks(figures.shown_instead(result, values, work.cell_of(params, values)))


def _choose(cell):
    """Choose a cell; write it into the address too if the fold with its fields, which do so, is not drawn."""
    if frame.more() and screen.is_filled(LESSON, LESSON.fold("")):
        controls.fill(cell)
        return
    for place, value in cell.items():
        controls.send_to(place, value)


def draw() -> None:
    """Draw remarks on the matrices, the chosen cell, and the fields of the matrices."""
    values = controls.address().values
    params, problems = work.attention_matrices(values)
    at = work.cell_of(params, values)
    with st.container():  # a container, even if empty: the grid below would lose the focus if its position changed
        show.problems(problems)
        show.remarks(figures.remarks(compute.result(measure_attention_steps, params), values, at))
    _draw_cell(params, at, scaled=values["scaling"] == "on")
    _draw_matrices(work.matrix_texts(values))


def _draw_cell(params, at, *, scaled):
    """Draw the fields that choose a cell, the step's place in the architecture, and the calculation of the cell."""
    step = controls.address().step.name
    st.markdown("**One cell by hand.** Click or tap a cell of the picture, or choose one here.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for place in work.PLACES:
            controls.draw(place, width=130)
    st.html(figures.diagram(step, frame.profile()))
    st.markdown(figures.formula(step))
    query, key, column = at
    show.lines(figures.calculation(compute.result(expand_cell, params, query, key), scaled=scaled))
    show.lines(figures.output_calculation(compute.result(expand_output, params, query, column), scaled=scaled))


def _draw_matrices(written):
    """Draw the fields and grids of the matrices. written: the preset's texts, which replace empty fields."""
    with st.container(key="aside_numbers"):
        st.markdown("**Your own numbers**")
        show.prose(LESSON, "own_numbers")
    _, linked = grids.draw_matrices(work.MATRICES, written)
    show.remarks(grids.link_remarks(linked))
    with st.container(horizontal=True):
        st.button("Write the preset into the fields", on_click=controls.fill, args=(written,))
        st.button("Back to the preset", on_click=controls.fill, args=(dict.fromkeys(work.MATRICES, ""),))
