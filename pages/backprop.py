"""backprop: the gradient comes back through three products of matrices, and the scale multiplies it too."""

import streamlit as st

from pages._view import compute, controls, frame, grids, show
from pages._view.lessons.backprop import figures, work
from pages._view.lessons.backprop.declaration import LESSON
from sattn_core.lessons.backprop import (
    BackpropParams,
    central_difference_error,
    first_order_change,
    measure_backprop,
    measure_products,
)

profile = frame.profile()

texts, linked = grids.draw_matrices(("A", "B"), {})
given, problems = work.products_params(**texts)
show.problems(problems)
show.remarks(grids.link_remarks(linked))
if given:
    products = compute.result(measure_products, given)
    show.picture(figures.products(products, profile))
    show.lines(figures.identities(products))
show.tries(LESSON)


@st.fragment(key=frame.LIVE)
def live():
    st.header("The gradients of attention, as they come back", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = controls.draw("gradient", width=150)
        st.button("Previous", on_click=controls.turn, args=("gradient", -1))
        st.button("Next", on_click=controls.turn, args=("gradient", 1))
        exponent = controls.draw("exponent", width=220)
        masking = controls.draw("masking", width=170)
    d_k = controls.value_of("d_k")
    given = {"d_k": work.layer_size(d_k), "exponent": exponent, "mask": masking}
    params = BackpropParams(**given, seed=controls.value_of("seed"))
    result = compute.result(measure_backprop, params)
    show.formula(*figures.formula(result, name))
    show.picture(figures.gradient(result, name, d_k, profile))
    show.lines(figures.scale_lines(result))
    show.table(figures.gradient_checks(result), key="gradient_checks")

    st.header("Exact to first order", anchor=False)
    weight, (left, right) = controls.draw("weight"), st.columns(2)
    with left:
        change = compute.result(first_order_change, params, weight)
        show.picture(figures.first_order(change, params, profile))
    with right:
        error = compute.result(central_difference_error, params, weight)
        show.picture(figures.difference(error, params, profile))


live()
show.folds(LESSON)
