"""backprop: the gradient comes back through every product of matrices, and the scale multiplies it too."""

import streamlit as st

from pages._view import compute
from pages._view.lessons.backprop import figures, work
from pages._view.lessons.backprop.declaration import LESSON
from pages._view.page import bets, controls, frame, grids, show
from sattn_core.lessons.backprop import central_difference_error, first_order_change, measure_products

profile = frame.profile()


@st.fragment(key=frame.LIVE)
def live():
    bets.hold()
    with st.container(horizontal=True, vertical_alignment="bottom", key="steps"):
        controls.draw("gradient", width=170)
        frame.draw_turns("gradient", arrows=False)
        controls.draw("exponent", width=220)
    shown = show.main()
    if not frame.more():
        return
    show.tries(LESSON)
    show.behind(shown)
    values = controls.address().values
    show.picture(figures.raw_scores(work.sweep(values), values["d_k"], profile))

    params, weight = work.checked_params(values), controls.draw("weight")
    left, right = show.pair("exact")
    with left:
        change = compute.result(first_order_change, params, weight)
        show.picture(figures.first_order(change, params, profile))
    with right:
        error = compute.result(central_difference_error, params, weight)
        show.picture(figures.difference(error, params, profile))


live()
if frame.more():
    texts, linked = grids.draw_matrices(("A", "B"), {})
    given, problems = work.products_params(**texts)
    show.problems(problems)
    show.remarks(grids.link_remarks(linked))
    if given:
        show.picture(figures.products(compute.result(measure_products, given), profile))
    show.folds(LESSON)
