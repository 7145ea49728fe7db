"""backprop: the gradient of attention is three products of matrices, and the scale multiplies it too."""

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
show.heading(LESSON)

texts, linked = grids.draw_matrices(("A", "B"), {})
given, problems = work.products_params(**texts)
show.problems(problems)
show.remarks(grids.link_remarks(linked))
if given:
    products = compute.result(measure_products, given)
    show.figures(
        figures.products(products, profile),
        key="products",
        sentence=figures.products_sentence(products),
        table=figures.products_table(products),
        code=figures.products_code(products.params),
    )
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
    show.formula(figures.chosen(result, name).formula, figures.size_remark(result))
    show.figure(
        figures.gradient(result, name, profile),
        key="gradient_matrix",
        sentence=figures.gradient_sentence(result, name, d_k),
        table=figures.gradient_table(result, name),
        code=figures.gradient_code(params),
    )
    show.lines(figures.scale_lines(result))
    show.table(figures.gradient_checks(result), key="gradient_checks")

    st.header("First order and no further", anchor=False)
    weight, (left, right) = controls.draw("weight"), st.columns(2)
    with left:
        change = compute.result(first_order_change, params, weight)
        show.figure(
            figures.first_order(change, profile),
            key="first_order",
            sentence=figures.first_order_sentence(change),
            table=figures.first_order_table(change),
            code=figures.curve_code(params, weight),
        )
    with right:
        error = compute.result(central_difference_error, params, weight)
        show.figure(
            figures.difference(error, profile),
            key="difference_error",
            sentence=figures.difference_sentence(error),
            table=figures.difference_table(error),
            code=figures.curve_code(params, weight),
        )


live()
show.prose(LESSON)
show.sources(LESSON)
